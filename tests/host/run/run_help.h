/* run_help.h: the text of `agpu run --help`. */
#ifndef AGPU_HOST_RUN_RUN_HELP_H
#define AGPU_HOST_RUN_RUN_HELP_H

#include <stdio.h>

/* Writes every option to out. */
void agpu_run_help(FILE *out);

#endif
