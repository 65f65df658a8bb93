/* leave.h: end of the application: drains the queues, then powers off, resets or returns as configured. */
#ifndef AGPU_EFI_LEAVE_H
#define AGPU_EFI_LEAVE_H

#include "efi/config.h"

/* Waits until every sink has sent its queue. Bounds: 3 s for the network, 0.5 s if it never came up; 15 s for a
 * collector that took the stream and stopped acknowledging. A stream or a serial line that still makes progress
 * has one minute. */
void agpu_leave_drain(void);

/* Powers off, resets or halts; returns only for AGPU_AT_END_SHELL, or if the firmware refuses. */
void agpu_leave(enum agpu_at_end at_end);

/* Like agpu_leave(), from inside an exception: waits for the sinks with shorter bounds, and halts instead of
 * returning. */
void agpu_leave_crashed(enum agpu_at_end at_end) __attribute__((noreturn));

#endif
