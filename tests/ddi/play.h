/* play.h: plays a recording on the driver of this build, over the stand-in for the runtime and the device model in this
 * process. */
#ifndef AGPU_TESTS_DDI_PLAY_H
#define AGPU_TESTS_DDI_PLAY_H

#include "tests/host_platform/host_platform.h"

/* Plays the file on a machine of this configuration, up to the first call whose outcome differs, and prints the result.
 * Returns 0 if each call had the same outcome, 1 if not, or if the file cannot be played. */
int ddi_play(const char *path, const struct agpu_host_config *machine);

#endif
