/* machine.h: the firmware tables and the few processor instructions that all of efi/ uses. */
#ifndef AGPU_EFI_MACHINE_H
#define AGPU_EFI_MACHINE_H

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set by agpu_machine_init(), valid until the application returns. */
extern EFI_SYSTEM_TABLE *agpu_system;
extern EFI_BOOT_SERVICES *agpu_boot;
extern EFI_HANDLE agpu_image;

extern EFI_GUID agpu_guid_pci_io, agpu_guid_root_bridge, agpu_guid_snp, agpu_guid_nii, agpu_guid_serial,
    agpu_guid_text_out, agpu_guid_device_path, agpu_guid_loaded_image, agpu_guid_file_system,
    agpu_guid_cpu_arch, agpu_guid_pxe;

/* Saves the tables and turns off the firmware's watchdog, which would reset the machine after five
 * minutes. */
void agpu_machine_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* Returns the interface on a handle, opened with GET_PROTOCOL so that no driver is disturbed; NULL if there
 * is none. */
void *agpu_protocol(EFI_HANDLE handle, EFI_GUID *guid);

/* Returns all handles with a protocol, in a pool buffer that the caller frees with agpu_boot->FreePool; NULL
 * and 0 if there are none. */
EFI_HANDLE *agpu_handles(EFI_GUID *guid, UINTN *count);

/* Returns the last device path node of a handle (the node in front of the end node); NULL if it has no
 * path. */
const EFI_DEVICE_PATH *agpu_last_node(EFI_HANDLE handle);

/* Returns the first node of this type and subtype in the path of a handle; NULL if there is none. */
const EFI_DEVICE_PATH *agpu_path_node(EFI_HANDLE handle, uint8_t type, uint8_t subtype);

/* True if the path of a handle holds a node of this type and subtype. */
bool agpu_path_has(EFI_HANDLE handle, uint8_t type, uint8_t subtype);

static inline uint8_t agpu_in8(uint16_t port)
{
    uint8_t value;

    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint32_t agpu_in32(uint16_t port)
{
    uint32_t value;

    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline void agpu_out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline void agpu_out8_string(uint16_t port, const void *bytes, size_t count)
{
    __asm__ volatile("rep outsb" : "+S"(bytes), "+c"(count) : "d"(port) : "memory");
}

static inline uint64_t agpu_tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static inline void agpu_pause(void)
{
    __asm__ volatile("pause" ::: "memory");
}

#endif
