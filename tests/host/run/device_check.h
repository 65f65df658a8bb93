/* device_check.h: checks, before anything is started, that the devices of a run can be created. */
#ifndef AGPU_HOST_RUN_DEVICE_CHECK_H
#define AGPU_HOST_RUN_DEVICE_CHECK_H

#include "tests/host/run/run_options.h"

/* Creates each device that `agpu vdev` is to serve, in a separate process, since a plug-in may crash or hang.
 * Returns false when one fails: that process has written the reason to stderr. Does not check a program of --vdev. */
bool agpu_run_devices_can_be_made(const struct agpu_run_options *options);

#endif
