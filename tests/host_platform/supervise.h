/* supervise.h: runs the catalogue in a child process; when a case ends it, another one continues. */
#ifndef AGPU_TESTS_HOST_PLATFORM_SUPERVISE_H
#define AGPU_TESTS_HOST_PLATFORM_SUPERVISE_H

#include "tests/host_platform/inprocess_options.h"

/* Calls run() in a child, which calls vgpu_warden_dismiss() and returns its exit status, and shows the records that it
 * prints. After a crash or a hang in a case another child continues after that case, up to AGPU_RESTARTS_MAX times.
 * Returns the exit status of the tool. */
int inprocess_supervise(struct inprocess_options *options, int (*run)(struct inprocess_options *options));

#endif
