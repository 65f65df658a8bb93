/* run_ctl.h: agpu run --ctl: creates a key, a port of this host and a socket, for agpu ctl. */
#ifndef AGPU_HOST_RUN_RUN_CTL_H
#define AGPU_HOST_RUN_RUN_CTL_H

#include "tests/host/run/run_options.h"
#include "tests/host/run/session.h"

/* Creates key, port and socket in the result folder, stores them in options, and prints how to connect. Does nothing
 * without --ctl. Returns false with a line on stderr. */
bool agpu_run_ctl_prepare(struct agpu_run_options *options, struct agpu_session *session);

/* Removes the socket after the machine has ended. */
void agpu_run_ctl_end(const struct agpu_run_options *options);

#endif
