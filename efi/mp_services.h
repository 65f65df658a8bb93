/* mp_services.h: the part of EFI_MP_SERVICES_PROTOCOL that is used (Platform Initialization specification, volume 2,
 * 13.4); GNU-EFI lacks it. */
#ifndef AGPU_EFI_MP_SERVICES_H
#define AGPU_EFI_MP_SERVICES_H

#include <efi.h>

#define AGPU_MP_SERVICES_GUID                                                                                \
    {                                                                                                        \
        0x3fdda605, 0xa76e, 0x4f46,                                                                          \
        {                                                                                                    \
            0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08                                                   \
        }                                                                                                    \
    }

/* Bits of status. */
#define AGPU_MP_FIRST 1u /* the processor that runs the image */
#define AGPU_MP_ON    2u

struct agpu_mp_information {
    UINT64 id;
    UINT32 status, package, core, thread;
    UINT32 extended[6];
};

struct agpu_mp_services {
    EFI_STATUS(EFIAPI *count)(struct agpu_mp_services *This, UINTN *all, UINTN *enabled);
    EFI_STATUS(EFIAPI *information)
    (struct agpu_mp_services *This, UINTN number, struct agpu_mp_information *out);
    void *start_all;
    /* With an event it does not wait for the procedure. */
    EFI_STATUS(EFIAPI *start)
    (struct agpu_mp_services *This, VOID(EFIAPI *procedure)(VOID *arg), UINTN number, EFI_EVENT event,
     UINTN timeout_us, VOID *arg, BOOLEAN *finished);
};

#endif
