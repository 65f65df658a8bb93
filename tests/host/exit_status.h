/* exit_status.h: the exit statuses of all subcommands of `agpu`. */
#ifndef AGPU_TESTS_HOST_EXIT_STATUS_H
#define AGPU_TESTS_HOST_EXIT_STATUS_H

enum agpu_exit {
    AGPU_EXIT_PASS = 0,  /* success; for a run: nothing failed, and the skips are acceptable */
    AGPU_EXIT_FAIL = 1,  /* anything else */
    AGPU_EXIT_USAGE = 2, /* usage error */
};

#endif
