/* traps.h: segments, exceptions, local APIC, and timer interrupt. */
#ifndef AGPU_EFI_BARE_TRAPS_H
#define AGPU_EFI_BARE_TRAPS_H

#include <stdint.h>

#define AGPU_BARE_PROCESSORS 2u /* the first, and the other one of processors.c */

/* Fills the interrupt descriptor table, and loads it on the first processor; an exception is reported and stops the
 * machine. */
void agpu_bare_traps_open(void);

/* Loads the descriptor tables on the processor that calls it. */
void agpu_bare_traps_load(unsigned processor);

/* Turns the 8259 off and the local APIC on. */
void agpu_bare_apic_open(void);

/* Starts the timer interrupt and enables interrupts; counts: of the local APIC's timer in a millisecond. */
void agpu_bare_timer_open(uint32_t counts);

#endif
