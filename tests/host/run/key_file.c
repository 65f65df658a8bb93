/* key_file.c: reads the key, and reports errors in the file. */
#include "tests/host/run/key_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool agpu_key_load(const char *path, struct agpu_credentials *credentials)
{
    char text[256] = "";
    struct stat status;
    FILE *file = fopen(path, "re");

    if (file == NULL) {
        fprintf(stderr, "agpu: cannot read the key file %s: %s\n", path, strerror(errno));
        return false;
    }
    const size_t length = fread(text, 1, sizeof text - 1, file);
    const bool secret = fstat(fileno(file), &status) != 0 || (status.st_mode & 077) == 0;
    fclose(file);
    text[length] = '\0';
    credentials->keyed = agpu_key_read(text, credentials->key);
    explicit_bzero(text, sizeof text);
    if (!credentials->keyed) {
        fprintf(stderr,
                "agpu: the key file %s is not 64 hexadecimal digits in one line: openssl rand -hex 32 makes "
                "one\n",
                path);
    } else if (!secret) {
        fprintf(stderr, "agpu: other users can read the key file %s: chmod 600 prevents it\n", path);
    }
    return credentials->keyed;
}
