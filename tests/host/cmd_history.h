/* cmd_history.h: `agpu history`: queries past runs. */
#ifndef AGPU_TESTS_HOST_CMD_HISTORY_H
#define AGPU_TESTS_HOST_CMD_HISTORY_H

/* argv[0] is the command's own name. Returns the exit status (exit_status.h). */
int agpu_cmd_history(int argc, char **argv);

#endif
