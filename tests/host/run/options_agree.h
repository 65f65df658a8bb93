/* options_agree.h: checks that the options of `agpu run` are compatible. */
#ifndef AGPU_HOST_RUN_OPTIONS_AGREE_H
#define AGPU_HOST_RUN_OPTIONS_AGREE_H

#include "tests/host/run/run_options.h"

/* Returns false with a line on stderr that names the conflicting options, or what exceeds a limit of the image. */
bool agpu_run_options_agree(const struct agpu_run_options *options);

#endif
