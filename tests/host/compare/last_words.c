/* last_words.c: finds the reason at the end of a process's output. */
#include "tests/host/compare/last_words.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/device_output.h"

#define LOOKED_AT 65536

bool agpu_cmp_last_words(int file, char *text, size_t size)
{
    static char output[LOOKED_AT + 1];
    struct stat about;
    ssize_t length = -1;
    const char *why;

    if (fstat(file, &about) == 0) {
        length = pread(file, output, LOOKED_AT, about.st_size > LOOKED_AT ? about.st_size - LOOKED_AT : 0);
    }
    for (ssize_t i = 0; i < length; i++) {
        output[i] = output[i] == '\0' ? '?' : output[i];
    }
    output[length > 0 ? length : 0] = '\0';
    why = agpu_output_reason(output, text, size);
    if (why != text) {
        agpu_output_copy(text, size, why, strlen(why));
    }
    return text[0] != '\0';
}
