/* vdev_jail.h: what `agpu vdev` gives up before it listens. */
#ifndef AGPU_HOST_VDEV_VDEV_JAIL_H
#define AGPU_HOST_VDEV_VDEV_JAIL_H

#include <stddef.h>

#include "tests/host/vdev/vdev_options.h"

/* Before there are threads (jail.h). What it was asked to write has to lie in the folders that the options name, or in the
 * current one. *said is one line about what is shut off, or is not, empty when nothing is missing. */
void agpu_vdev_jail(const struct agpu_vdev_options *options, char *said, size_t said_size);

#endif
