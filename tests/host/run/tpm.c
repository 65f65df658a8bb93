/* tpm.c: asks QEMU what it has, makes the pipe. */
#include "tests/host/run/tpm.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/host/run/process.h"

#define ASKED_MS 10000

bool agpu_tpm_is_possible(const char *qemu, char *const *words)
{
    char *const argv[] = {(char *)(size_t)qemu, "-tpmdev", "help", NULL};
    char said[1024];

    for (; words != NULL && *words != NULL; words++) {
        if (strstr(*words, "tpm") != NULL) {
            return false;
        }
    }
    return agpu_process_text(argv, ASKED_MS, said, sizeof said) && strstr(said, "passthrough") != NULL;
}

bool agpu_tpm_make(const char *path)
{
    return mkfifo(path, 0600) == 0 || errno == EEXIST;
}
