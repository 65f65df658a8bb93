/* key_file.h: reads the key of keyed records from a file. */
#ifndef AGPU_HOST_RUN_KEY_FILE_H
#define AGPU_HOST_RUN_KEY_FILE_H

#include "tests/host/wire/credentials.h"

/* Reads 64 hexadecimal digits. Returns false with a line on stderr. */
bool agpu_key_load(const char *path, struct agpu_credentials *credentials);

#endif
