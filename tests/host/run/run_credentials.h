/* run_credentials.h: by what `agpu run` knows the records of the machine that it starts. */
#ifndef AGPU_HOST_RUN_RUN_CREDENTIALS_H
#define AGPU_HOST_RUN_RUN_CREDENTIALS_H

#include "tests/host/run/run_options.h"
#include "tests/host/wire/credentials.h"

/* A new token, unless --cfg token= has one; the key of --key or --cfg key=. False with a line on stderr. */
bool agpu_run_credentials_make(const struct agpu_run_options *options, struct agpu_credentials *out);

/* text, malloc'd lines of agpu.cfg, with those that tell the machine of them; frees text. NULL when memory is exhausted. */
char *agpu_run_credentials_append(char *text, const struct agpu_credentials *credentials);

#endif
