/* isr.h: the kernel driver's interrupt service routine, called by the machine, and what it hands on to the deferred half
 * (vidmm.md 7). */
#ifndef AGPU_MM_KMD_ISR_H
#define AGPU_MM_KMD_ISR_H

#include "mm/kmd/adapter.h"

/* Shared by a routine that runs between any two instructions and the rest of the driver. */
struct agpu_kmd_isr {
    const struct agpu_kmd_adapter *adapter; /* NULL: closed */
    uint32_t causes;                        /* seen, not yet handed on; each way atomic */
    uint32_t error_code;                    /* of the newest error; written before its cause */
    uint64_t error_fence;
    uint64_t interrupts; /* with a cause */
};

/* Takes the function's interrupts; none comes before agpu_kmd_isr_arm(). Errors of the platform's irq_open,
 * AGPU_ERR_PLATFORM when it has none; why then says what is missing. */
enum agpu_status agpu_kmd_isr_open(struct agpu_kmd_isr *isr, const struct agpu_kmd_adapter *adapter,
                                   enum agpu_irq_way way, struct agpu_text *why);
/* Masks everything and gives the interrupts back; nothing for a closed one. */
void agpu_kmd_isr_close(struct agpu_kmd_isr *isr);

/* Enables fences and errors (device.md 6.6): the last step of a start, after each of which they are masked. isr is a struct
 * agpu_kmd_isr; the type is that of agpu_runtime_config.arm_interrupts. */
void agpu_kmd_isr_arm(void *isr);

/* What the routine has seen since the last call; false: nothing. Reads no register. isr is a struct agpu_kmd_isr; the type
 * is that of agpu_runtime_config.service_interrupt. */
bool agpu_kmd_isr_take(void *isr, struct agpu_kmd_interrupt *out);

#endif
