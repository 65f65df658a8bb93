/* options_agree.h: whether what `agpu run` was asked to do can be done together. */
#ifndef AGPU_HOST_RUN_OPTIONS_AGREE_H
#define AGPU_HOST_RUN_OPTIONS_AGREE_H

#include "tests/host/run/run_options.h"

/* False with a line on stderr that says what does not go together, or what the image has no room for. */
bool agpu_run_options_agree(const struct agpu_run_options *options);

#endif
