/* needs.h: checks that the host has everything that a run needs, before anything is started. */
#ifndef AGPU_HOST_RUN_NEEDS_H
#define AGPU_HOST_RUN_NEEDS_H

#include "tests/host/run/run_options.h"

/* Returns false, with a line on stderr for each missing thing and where to get it. Writes no files. */
bool agpu_run_needs_are_here(const struct agpu_run_options *options);

#endif
