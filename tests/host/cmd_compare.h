/* cmd_compare.h: `agpu compare`: compares two devices. */
#ifndef AGPU_HOST_CMD_COMPARE_H
#define AGPU_HOST_CMD_COMPARE_H

/* Runs the command; argv[0] is its name. Returns an enum agpu_exit. */
int agpu_cmd_compare(int argc, char **argv);

#endif
