/* cmd_list.h: `agpu list`. */
#ifndef AGPU_HOST_CMD_LIST_H
#define AGPU_HOST_CMD_LIST_H

/* Prints the cases that match the options. Returns the exit status. */
int agpu_cmd_list(int argc, char **argv);

#endif
