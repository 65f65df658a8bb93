/* tpm.c: queries QEMU's capabilities. */
#include "tests/host/run/tpm.h"

#include <stdint.h>
#include <string.h>

#include "tests/host/run/process.h"

#define ASKED_MS 10000

bool agpu_tpm_is_possible(const char *qemu, char *const *words)
{
    char *const argv[] = {(char *)(uintptr_t)qemu, "-tpmdev", "help", NULL};
    char output[1024];

    for (; words != NULL && *words != NULL; words++) {
        if (strstr(*words, "tpm") != NULL) {
            return false;
        }
    }
    return agpu_process_text(argv, ASKED_MS, output, sizeof output) && strstr(output, "passthrough") != NULL;
}
