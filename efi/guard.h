/* guard.h: guarded calls. A case that loops is ended from the timer interrupt, one that faults from the
 * exception; both unwind its stack to the caller (tests/cases/harness/guard.h).  Only the image's own code
 * can be unwound. Every firmware call, and every service that the image runs for itself, stands between
 * agpu_guard_enter() and agpu_guard_leave(); a case whose time runs out there is ended on the way out. */
#ifndef AGPU_EFI_GUARD_H
#define AGPU_EFI_GUARD_H

#include "efi/trap.h"
#include "tests/cases/harness/guard.h"
#include "tests/cases/harness/stream.h"

/* Code in which a body cannot be unwound. A firmware call can be given up: a fault in it counts against the
 * case. The image's own service of network, screen and serial port cannot. */
enum agpu_guard_room { AGPU_GUARD_FIRMWARE, AGPU_GUARD_SERVICE, AGPU_GUARD_ROOMS };

void agpu_guard_enter(enum agpu_guard_room room);
void agpu_guard_leave(enum agpu_guard_room room);

/* Calls an interrupt handler, in an interrupt; no case is ended meanwhile. True: the handler returned
 * *result. False: it faulted and was abandoned. The running case then fails as soon as the interrupted code
 * can be unwound, and the caller must stop the interrupt from recurring. */
bool agpu_guard_handle(bool (*handler)(void *ctx), void *ctx, bool *result);

/* Called at the end of an interrupt in which a handler faulted, after all other interrupt work. */
void agpu_guard_handled(struct agpu_trap_frame *frame);

/* Runs task(arg) on another processor. A fault there ends the task, and then the case on the first processor, as a
 * fault of an interrupt handler does. */
void agpu_guard_beside(void (*task)(void *arg), void *arg);

/* Counts calls of agpu_guard_enter() outside interrupt handlers: shows whether the case makes progress. */
uint64_t agpu_guard_steps(void);

/* Records that the case is waiting, and therefore alive. */
void agpu_guard_alive(void);

/* Opens the guard; evidence goes to stream. */
void agpu_guard_open(struct agpu_stream *stream);
void agpu_guard_close(void);

/* Callback of struct agpu_guard. Ends a body that neither returned nor waited for 10 s (or for bound_ns, if
 * less), or that took 10 s more than bound_ns in all. Time during which the machine was stopped does not
 * count. */
enum agpu_guard_end agpu_guard_call(void *ctx, void (*body)(void *arg), void *arg, uint64_t bound_ns,
                                    struct agpu_text *why);

/* In an exception handler: makes frame continue after the guarded call. what: "page fault". False, with
 * nothing changed, when no guarded call is in progress or it cannot be unwound here. */
bool agpu_guard_take(struct agpu_trap_frame *frame, const char *what);

#endif
