/* again.h: the command that repeats one case of a run, with the driver's trace. */
#ifndef AGPU_HOST_RUN_AGAIN_H
#define AGPU_HOST_RUN_AGAIN_H

#include "tests/host/run/run_options.h"

/* The run's own command with "{case}" where its choice of cases stood, for agpu_report's again: what tests/run says in
 * $AGPU_RUN_AGAIN, else from the words of the command line that options was made from. malloc'd, quoted for a shell; NULL
 * when memory is exhausted. */
char *agpu_again(int argc, char *const *argv, const struct agpu_run_options *options);

/* Words as one line for a shell, malloc'd; NULL when memory is exhausted. */
char *agpu_shell_line(char *const *words);

#endif
