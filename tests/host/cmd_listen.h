/* cmd_listen.h: `agpu listen`: collects the records of machines on the network. */
#ifndef AGPU_TESTS_HOST_CMD_LISTEN_H
#define AGPU_TESTS_HOST_CMD_LISTEN_H

/* argv[0] is the command's own name. Returns the exit status (exit_status.h). */
int agpu_cmd_listen(int argc, char **argv);

#endif
