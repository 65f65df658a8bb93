/* config_limits.h: whether agpu.cfg, as a run would write it, is one that the image reads whole. */
#ifndef AGPU_HOST_RUN_CONFIG_LIMITS_H
#define AGPU_HOST_RUN_CONFIG_LIMITS_H

#include <stdbool.h>

/* text: all of agpu.cfg but after=. False with a line on stderr that names the value and its limit. */
bool agpu_config_fits(const char *text);

#endif
