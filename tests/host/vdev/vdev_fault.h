/* vdev_fault.h: the faults of `agpu vdev --fault`: models that tests/run --fault NAME has built (variant.h). */
#ifndef AGPU_HOST_VDEV_VDEV_FAULT_H
#define AGPU_HOST_VDEV_VDEV_FAULT_H

#include <stdbool.h>

/* Prints the faults with which a model is built to stdout, one per line. */
void agpu_vdev_faults_list(void);

/* Returns true when a model is built with this fault, or name is NULL; otherwise suggests similar names on stderr. */
bool agpu_vdev_fault_is_built(const char *name);

#endif
