/* cmd_ctl.h: `agpu ctl`. */
#ifndef AGPU_TESTS_HOST_CMD_CTL_H
#define AGPU_TESTS_HOST_CMD_CTL_H

/* argv[0] is "ctl". Returns the exit status. */
int agpu_cmd_ctl(int argc, char **argv);

#endif
