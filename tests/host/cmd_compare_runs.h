/* cmd_compare_runs.h: `agpu compare-runs`: shows the differences between two runs. */
#ifndef AGPU_TESTS_HOST_CMD_COMPARE_RUNS_H
#define AGPU_TESTS_HOST_CMD_COMPARE_RUNS_H

/* argv[0] is the command's own name. Returns the exit status (exit_status.h). */
int agpu_cmd_compare_runs(int argc, char **argv);

#endif
