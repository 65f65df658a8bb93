/* cmd_reduce.h: `agpu reduce`: shrinks a failing capture, or failing random work, to a minimum that still fails. */
#ifndef AGPU_HOST_CMD_REDUCE_H
#define AGPU_HOST_CMD_REDUCE_H

/* argv[0] is "reduce". Returns the exit status (exit_status.h). */
int agpu_cmd_reduce(int argc, char **argv);

#endif
