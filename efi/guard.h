/* guard.h: calls that come back: a case that loops is ended from the timer interrupt, one that faults from the exception,
 * both by unwinding its stack to the caller (tests/cases/harness/guard.h).
 *
 * Only code of the image itself can be left so. Each call of the firmware, and what the image does for itself meanwhile,
 * stands between agpu_guard_enter() and agpu_guard_leave(); a case whose time is up in there is ended at the way
 * out. */
#ifndef AGPU_EFI_GUARD_H
#define AGPU_EFI_GUARD_H

#include "efi/trap.h"
#include "tests/cases/harness/guard.h"
#include "tests/cases/harness/stream.h"

/* What is left when a body is not: one of the firmware's calls, which can be given up (a fault in it is the case's), or
 * the image's own service of network, screen and serial port, which cannot. */
enum agpu_guard_room { AGPU_GUARD_FIRMWARE, AGPU_GUARD_SERVICE, AGPU_GUARD_ROOMS };

void agpu_guard_enter(enum agpu_guard_room room);
void agpu_guard_leave(enum agpu_guard_room room);

/* Calls an interrupt handler, in an interrupt: no case is ended meanwhile. True: it returned, what is in *result. False: it
 * faulted, and was left; the case that is under way is ended for it as soon as what was interrupted allows that, and the
 * caller sees to it that the interrupt does not come again. */
bool agpu_guard_handle(bool (*handler)(void *ctx), void *ctx, bool *result);

/* At the end of an interrupt of which a handler faulted, behind everything that belongs to the interrupt. */
void agpu_guard_handled(struct agpu_trap_frame *frame);

/* Grows with each agpu_guard_enter() outside such a handler: whether the case gets its turns. */
uint64_t agpu_guard_steps(void);

/* The case waits: it lives. */
void agpu_guard_alive(void);

/* Opens the guard: evidence goes to stream. */
void agpu_guard_open(struct agpu_stream *stream);
void agpu_guard_close(void);

/* struct agpu_guard's call. Ends a body that neither returned nor waited for 10 s, or for bound_ns when that is less, or
 * that took 10 s more than bound_ns in all. Time in which the machine was stopped does not count. */
enum agpu_guard_end agpu_guard_call(void *ctx, void (*body)(void *arg), void *arg, uint64_t bound_ns,
                                    struct agpu_text *why);

/* In an exception handler: makes frame go on behind the guarded call. what: "page fault". False when no guarded call
 * is under way, or it cannot be left here: then nothing is changed. */
bool agpu_guard_take(struct agpu_trap_frame *frame, const char *what);

#endif
