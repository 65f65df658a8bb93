/* rerun.h: runs the cases again that failed in an earlier run, on the same device and machine. */
#ifndef AGPU_HOST_RUN_RERUN_H
#define AGPU_HOST_RUN_RERUN_H

#include "tests/host/report/replay.h"
#include "tests/host/run/run_options.h"

struct agpu_rerun {
    struct agpu_replay replay; /* the earlier run */
    const char *from;
    char **argv; /* "run", its arguments, and those given now */
    int argc;
};

/* Reads the run whose results are in the folder (or file) from, and merges its arguments with this command line,
 * argv[0] being "run". Returns false with a line on stderr: the results cannot be read, do not contain the
 * arguments, or an option given now contradicts them. Free in both cases. */
bool agpu_rerun_read(struct agpu_rerun *rerun, int argc, char **argv, const char *from);

/* Adds to options' filter the cases that did not pass in that run or never started. If agpu.cfg has no room for all
 * names, uses globs that may select some more. Returns false with a line on stderr: nothing failed, or the cases are
 * not known. */
bool agpu_rerun_choose(const struct agpu_rerun *rerun, struct agpu_run_options *options);

void agpu_rerun_free(struct agpu_rerun *rerun);

#endif
