/* commands.h: the subcommands of `agpu`; each gets its own name as argv[0] and returns the exit status. */
#ifndef AGPU_TESTS_HOST_COMMANDS_H
#define AGPU_TESTS_HOST_COMMANDS_H

/* Exit statuses of all subcommands. */
enum agpu_exit {
    AGPU_EXIT_PASS = 0,  /* done; for a run: every selected case ended PASS or SKIP */
    AGPU_EXIT_FAIL = 1,  /* not so */
    AGPU_EXIT_USAGE = 2, /* the command line is wrong */
};

int agpu_cmd_run(int argc, char **argv);
int agpu_cmd_listen(int argc, char **argv);
int agpu_cmd_vdev(int argc, char **argv);
int agpu_cmd_report(int argc, char **argv);

#endif
