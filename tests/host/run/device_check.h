/* device_check.h: whether the devices of a run can be made, asked before anything is started. */
#ifndef AGPU_HOST_RUN_DEVICE_CHECK_H
#define AGPU_HOST_RUN_DEVICE_CHECK_H

#include "tests/host/run/run_options.h"

/* Makes each device that `agpu vdev` is to serve in a process of its own, since a plug-in may crash or hang. False when one cannot be
 * made: that process has written the reason to stderr. A program of --vdev is not asked. */
bool agpu_run_devices_can_be_made(const struct agpu_run_options *options);

#endif
