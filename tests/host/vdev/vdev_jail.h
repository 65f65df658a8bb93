/* vdev_jail.h: the privileges that `agpu vdev` drops before it listens. */
#ifndef AGPU_HOST_VDEV_VDEV_JAIL_H
#define AGPU_HOST_VDEV_VDEV_JAIL_H

#include <stddef.h>

#include "tests/host/vdev/vdev_options.h"

/* Call before any thread is created (jail.h). Output files must be in the folders that the options name, in the current
 * one, or in that of the evidence, a descriptor or -1. *message is one line about what is restricted, or could not be;
 * empty when everything is. */
void agpu_vdev_jail(const struct agpu_vdev_options *options, int evidence, char *message,
                    size_t message_size);

#endif
