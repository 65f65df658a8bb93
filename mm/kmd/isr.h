/* isr.h: the kernel driver's interrupt service routine, called by the machine, and the causes that it passes to the
 * deferred part (vidmm.md 7). */
#ifndef AGPU_MM_KMD_ISR_H
#define AGPU_MM_KMD_ISR_H

#include "mm/kmd/adapter.h"

/* State shared by the routine, which may run between any two instructions, and the rest of the driver. */
struct agpu_kmd_isr {
    const struct agpu_kmd_adapter *adapter; /* NULL: closed */
    uint32_t causes;                        /* seen and not yet taken; atomic accesses only */
    uint32_t error_code;                    /* of the newest error; written before its cause */
    uint64_t error_fence;
    uint64_t interrupts; /* interrupts with a cause */
};

/* Opens the function's interrupts; none occurs before agpu_kmd_isr_arm(). Errors of the platform's irq_open;
 * AGPU_ERR_PLATFORM when it has none, with the missing callback in why. */
enum agpu_status agpu_kmd_isr_open(struct agpu_kmd_isr *isr, const struct agpu_kmd_adapter *adapter,
                                   enum agpu_irq_way way, struct agpu_text *why);
/* Masks everything and closes the interrupts. Does nothing when not open. */
void agpu_kmd_isr_close(struct agpu_kmd_isr *isr);

/* Enables fences and errors (device.md 6.6), which each start leaves masked: its last step. isr is a struct
 * agpu_kmd_isr; the type is that of agpu_runtime_config.arm_interrupts. */
void agpu_kmd_isr_arm(void *isr);

/* Takes the causes that the routine has collected since the last call; false when there are none. Reads no register.
 * isr is a struct agpu_kmd_isr; the type is that of agpu_runtime_config.service_interrupt. */
bool agpu_kmd_isr_take(void *isr, struct agpu_kmd_interrupt *out);

#endif
