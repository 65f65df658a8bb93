/* processors.h: a second processor by EFI_MP_SERVICES_PROTOCOL (Platform Initialization specification, volume 2, 13.4).
 */
#ifndef AGPU_EFI_PROCESSORS_H
#define AGPU_EFI_PROCESSORS_H

#include "efi/machine.h"
#include "pci/machine/platform.h"
#include "tests/cases/harness/guard.h"

/* See run_beside of struct agpu_platform; uses no ctx. */
enum agpu_status agpu_processors_run_beside(void *ctx, void (*task)(void *arg), void (*here)(void *arg),
                                            void *arg, struct agpu_text *why);

/* agpu_guard_call() for bodies that may start a task. Waits until the task has ended, too; when it does not, logs to
 * stream that the processor is lost: run_beside then runs nothing, until the task ends after all. */
enum agpu_guard_end agpu_processors_guard_call(void *stream, void (*body)(void *arg), void *arg,
                                               uint64_t bound_ns, struct agpu_text *why);

#endif
