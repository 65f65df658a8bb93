/* cmd_run.h: `agpu run`: boots the image in QEMU on the device model. */
#ifndef AGPU_TESTS_HOST_CMD_RUN_H
#define AGPU_TESTS_HOST_CMD_RUN_H

/* argv[0] is the command's own name. Returns the exit status (exit_status.h). */
int agpu_cmd_run(int argc, char **argv);

#endif
