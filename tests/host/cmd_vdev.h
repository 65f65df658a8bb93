/* cmd_vdev.h: `agpu vdev`: the device model for QEMU. */
#ifndef AGPU_TESTS_HOST_CMD_VDEV_H
#define AGPU_TESTS_HOST_CMD_VDEV_H

/* argv[0] is the command's own name. Returns the exit status (exit_status.h). */
int agpu_cmd_vdev(int argc, char **argv);

#endif
