/* exit_status.h: the exit statuses that all subcommands of `agpu` have. */
#ifndef AGPU_TESTS_HOST_EXIT_STATUS_H
#define AGPU_TESTS_HOST_EXIT_STATUS_H

enum agpu_exit {
    AGPU_EXIT_PASS = 0,  /* done; for a run: nothing failed, and what was not tried is acceptable */
    AGPU_EXIT_FAIL = 1,  /* not so */
    AGPU_EXIT_USAGE = 2, /* the command line is wrong */
};

#endif
