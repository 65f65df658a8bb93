/* clock.h: the machine's monotonic clock: the time stamp counter, scaled once against a timer of known
 * rate. */
#ifndef AGPU_EFI_CLOCK_H
#define AGPU_EFI_CLOCK_H

#include <stdint.h>

#define AGPU_NS_PER_MS UINT64_C(1000000)
#define AGPU_NS_PER_S  UINT64_C(1000000000)

/* Takes the moment that is time zero. Until agpu_clock_calibrate() has run the clock stands at 0. */
void agpu_clock_start(void);

/* Measures the counter's rate for 10 ms against the ACPI power management timer, or against the firmware's
 * Stall() where ACPI names no such timer. Returns the name of what it was measured against. */
const char *agpu_clock_calibrate(void);

/* Counter ticks a millisecond, 0 before calibration. */
uint64_t agpu_clock_khz(void);

/* How far the counter, which begins at the machine's reset, was at agpu_clock_start(), in nanoseconds; 0 when that is an hour or
 * more, since it then went on over a reset. */
uint64_t agpu_clock_boot_ns(void);

/* Nanoseconds since agpu_clock_start(); never goes back. ctx is unused: the signature is struct
 * agpu_platform's. */
uint64_t agpu_clock_ns(void *ctx);

/* The same without the promise never to go back, for interrupts. */
uint64_t agpu_clock_peek_ns(void);

#endif
