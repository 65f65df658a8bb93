/* run_ctl.h: agpu run --ctl: a key, a port of this host and a socket, for agpu ctl. */
#ifndef AGPU_HOST_RUN_RUN_CTL_H
#define AGPU_HOST_RUN_RUN_CTL_H

#include "tests/host/report/progress.h"
#include "tests/host/run/run_options.h"

/* Makes them in the result folder and puts them into options; says how to ask the image. Nothing without --ctl. False with a line on
 * stderr. */
bool agpu_run_ctl_prepare(struct agpu_run_options *options, const char *folder, struct agpu_live *say);

/* The machine has gone. */
void agpu_run_ctl_end(const struct agpu_run_options *options);

#endif
