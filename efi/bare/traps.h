/* traps.h: segments, exceptions, local APIC, and timer interrupt. */
#ifndef AGPU_EFI_BARE_TRAPS_H
#define AGPU_EFI_BARE_TRAPS_H

#include <stdint.h>

/* Loads descriptor tables; an exception is reported and stops the machine. */
void agpu_bare_traps_open(void);

/* Turns the 8259 off and the local APIC on. */
void agpu_bare_apic_open(void);

/* Starts the timer interrupt and enables interrupts; counts: of the local APIC's timer in a millisecond. */
void agpu_bare_timer_open(uint32_t counts);

#endif
