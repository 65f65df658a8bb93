/* failed_cases.h: the cases of an earlier run that are worth running again. */
#ifndef AGPU_HOST_RUN_FAILED_CASES_H
#define AGPU_HOST_RUN_FAILED_CASES_H

#include "tests/host/run/run_options.h"

/* Adds to options' filter the cases that did not pass in the run whose results are in the folder (or file) from; as globs
 * that select some more where so many names would not fit into agpu.cfg. False with a line on stderr: the results
 * cannot be read, or nothing failed. */
bool agpu_failed_cases(struct agpu_run_options *options, const char *from);

#endif
