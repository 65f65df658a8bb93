/* clock.h: the machine's monotonic clock: the time stamp counter, scaled once against a timer of known
 * rate. */
#ifndef AGPU_EFI_CLOCK_H
#define AGPU_EFI_CLOCK_H

#include <stdint.h>

#define AGPU_NS_PER_MS UINT64_C(1000000)
#define AGPU_NS_PER_S  UINT64_C(1000000000)

/* Sets time zero. The clock stays at 0 until agpu_clock_calibrate() has run. */
void agpu_clock_start(void);

/* Measures the counter's rate for 10 ms against the ACPI power management timer, or against the firmware's
 * Stall() when ACPI has no such timer. Returns the name of the reference. */
const char *agpu_clock_calibrate(void);

/* Counter ticks per millisecond, 0 before calibration. */
uint64_t agpu_clock_khz(void);

/* Nanoseconds from the machine's reset to agpu_clock_start(), by the counter, which starts at reset. 0 when
 * that is an hour or more: the counter then kept running across a reset. */
uint64_t agpu_clock_boot_ns(void);

/* Nanoseconds since agpu_clock_start(); never goes back. ctx is unused: struct agpu_platform needs this
 * signature. */
uint64_t agpu_clock_ns(void *ctx);

/* Like agpu_clock_ns(), for interrupt handlers; may go back. */
uint64_t agpu_clock_peek_ns(void);

#endif
