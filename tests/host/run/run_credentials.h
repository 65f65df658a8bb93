/* run_credentials.h: the token and key that authenticate the records of the machine that `agpu run` starts. */
#ifndef AGPU_HOST_RUN_RUN_CREDENTIALS_H
#define AGPU_HOST_RUN_RUN_CREDENTIALS_H

#include "tests/host/run/run_options.h"
#include "tests/host/wire/credentials.h"

/* Creates a new token, unless --cfg token= sets one, and reads the key of --key or --cfg key=. Returns false with a
 * line on stderr. */
bool agpu_run_credentials_make(const struct agpu_run_options *options, struct agpu_credentials *out);

/* Returns text (malloc'd lines of agpu.cfg) with the lines for the credentials appended; frees text. NULL when
 * memory is exhausted. */
char *agpu_run_credentials_append(char *text, const struct agpu_credentials *credentials);

#endif
