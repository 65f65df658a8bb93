/* host_thread.h: the second processor of the in-process machine, which is a thread. */
#ifndef AGPU_TESTS_HOST_PLATFORM_HOST_THREAD_H
#define AGPU_TESTS_HOST_PLATFORM_HOST_THREAD_H

#include "pci/machine/platform.h"

/* See run_beside of struct agpu_platform; uses no ctx. */
enum agpu_status agpu_host_run_beside(void *ctx, void (*task)(void *arg), void (*here)(void *arg), void *arg,
                                      struct agpu_text *why);

#endif
