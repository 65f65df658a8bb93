/* needs.h: what a run needs of this machine, looked for before anything is started. */
#ifndef AGPU_HOST_RUN_NEEDS_H
#define AGPU_HOST_RUN_NEEDS_H

#include "tests/host/run/run_options.h"

/* False, with a line on stderr for each thing that is not here and where it comes from. Nothing was written. */
bool agpu_run_needs_are_here(const struct agpu_run_options *options);

#endif
