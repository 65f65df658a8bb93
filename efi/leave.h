/* leave.h: end of the application: drains the queues, then powers off, resets or returns as configured. */
#ifndef AGPU_EFI_LEAVE_H
#define AGPU_EFI_LEAVE_H

#include "efi/config.h"

/* Waits until every sink has sent its queue. Bounds for the network: 3 s, 0.5 s if it never came up. For a
 * collector that took the stream: 30 s without an acknowledgement, 120 s in all, but 3 s when its machine
 * refuses connections. For a serial line: one minute. */
void agpu_leave_drain(void);

/* Powers off, resets or halts; returns only for AGPU_AT_END_SHELL, or if the firmware refuses. */
void agpu_leave(enum agpu_at_end at_end);

/* Like agpu_leave(), from inside an exception: waits for the sinks with shorter bounds, and halts instead of
 * returning. */
void agpu_leave_crashed(enum agpu_at_end at_end) __attribute__((noreturn));

#endif
