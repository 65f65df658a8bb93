/* time.h: clock and calendar. */
#ifndef AGPU_EFI_BARE_TIME_H
#define AGPU_EFI_BARE_TIME_H

#include "efi/machine.h"

/* Measures the time stamp counter and the local APIC's timer; returns the counts of the latter in a millisecond. */
uint32_t agpu_bare_time_open(void);

/* Microseconds since an arbitrary start. */
uint64_t agpu_bare_us(void);

/* UEFI's Stall() and GetTime(). */
EFI_STATUS EFIAPI agpu_bare_stall(UINTN microseconds);
EFI_STATUS EFIAPI agpu_bare_get_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities);

#endif
