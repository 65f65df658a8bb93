/* vdev_fault.h: the faults of `agpu vdev --fault`: injected into the model at run time, or built into another
 * program. */
#ifndef AGPU_HOST_VDEV_VDEV_FAULT_H
#define AGPU_HOST_VDEV_VDEV_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* Prints one line per fault to stdout: name, area, rule, effect. */
void agpu_vdev_faults_list(void);

/* Writes the fault that this program was built with (tests/run --fault NAME) to text; "" when none. */
void agpu_vdev_fault_built_in(char *text, size_t size);

/* If the model does not have the fault, executes the program that was built with it (tests/run --fault NAME), if
 * there is one: faults/NAME/agpu beside the running program. argv[0] is "vdev"; omits --fault NAME. Returns true
 * when the model has the fault, or name is NULL; otherwise suggests similar names on stderr, and returns false. */
bool agpu_vdev_fault_prepare(const char *name, int argc, char **argv);

#endif
