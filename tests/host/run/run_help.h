/* run_help.h: what `agpu run --help` says. */
#ifndef AGPU_HOST_RUN_RUN_HELP_H
#define AGPU_HOST_RUN_RUN_HELP_H

#include <stdio.h>

/* Every option, on out. */
void agpu_run_help(FILE *out);

#endif
