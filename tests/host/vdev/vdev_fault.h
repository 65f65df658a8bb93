/* vdev_fault.h: the faults that `agpu vdev --fault` knows: switched on in the model, or built into another program. */
#ifndef AGPU_HOST_VDEV_VDEV_FAULT_H
#define AGPU_HOST_VDEV_VDEV_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* One line each on stdout: name, area, rule, what it does. */
void agpu_vdev_faults_list(void);

/* The fault that this program was built with (tests/run --fault NAME), to text; "" when with none. */
void agpu_vdev_fault_built_in(char *text, size_t size);

/* Becomes the program that was built with this fault (tests/run --fault NAME), if the model has no such fault and there
 * is one: faults/NAME/agpu beside the program that runs. argv[0] is "vdev"; its --fault NAME is left out. Returns true
 * when the model's own faults hold the name, or name is NULL; otherwise says on stderr which names are near, and returns
 * false. */
bool agpu_vdev_fault_prepare(const char *name, int argc, char **argv);

#endif
