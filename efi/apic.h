/* apic.h: the local APIC of this processor and the lines of the I/O APICs (Intel SDM volume 3, 11; ACPI 6.4 section
 * 5.2.12). */
#ifndef AGPU_EFI_APIC_H
#define AGPU_EFI_APIC_H

#include <stdbool.h>
#include <stdint.h>

/* True when the local APIC is on, so that interrupts other than those of the 8259 reach the processor. */
bool agpu_apic_usable(void);
uint32_t agpu_apic_id(void);
/* Signals end of interrupt for the interrupt that is being handled. */
void agpu_apic_end(void);

/* One input of an I/O APIC. */
struct agpu_apic_line {
    uint64_t registers; /* of the I/O APIC */
    uint32_t input;     /* index within this I/O APIC */
    uint32_t gsi;       /* global system interrupt number */
    uint32_t low, high; /* redirection entry as found */
};

/* Lists the inputs of all I/O APICs of the MADT, at most max; returns their number. */
unsigned agpu_apic_lines(struct agpu_apic_line *out, unsigned max);

/* Bits of the low half of a redirection entry. */
#define AGPU_APIC_LOW_ACTIVE 0x2000u
#define AGPU_APIC_LEVEL      0x8000u
#define AGPU_APIC_MASKED     0x10000u

/* Rewrites an entry. Masks it first, so that a half-written entry is never in force. */
void agpu_apic_line_write(const struct agpu_apic_line *line, uint32_t low, uint32_t high);

#endif
