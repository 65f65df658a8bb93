/* symbolize.c: runs llvm-symbolizer, which reads the DWARF in agpu.debug. */
#include "tests/host/run/symbolize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/run/process.h"

#define OFFSETS_MAX     32
#define PATIENCE_MS     5000
#define ANSWER_MAX      8192
#define ARGUMENTS_FIXED 5

/* Paths in the image's DWARF are relative to its build folder: without "../" they are relative to the source tree. */
static const char *skip_upwards(const char *path)
{
    while (strncmp(path, "./", 2) == 0 || strncmp(path, "../", 3) == 0) {
        path += path[1] == '/' ? 2 : 3;
    }
    return path;
}

/* Copies lines without the leading "../" of each path, and without empty lines. */
static void copy_lines(const char *from, char *to, size_t size)
{
    size_t used = 0;

    to[0] = '\0';
    while (*from != '\0' && used + 1 < size) {
        const size_t length = strcspn(from, "\n");
        const char *at = memmem(from, length, " at ", 4);

        if (length != 0) {
            const int head = at != NULL ? (int)(at - from) + 4 : 0;
            const char *path = at != NULL ? skip_upwards(at + 4) : from;
            const int written =
                snprintf(to + used, size - used, "%.*s%.*s\n", head, from, (int)(from + length - path), path);

            used += written > 0 ? (size_t)written : 0;
        }
        from += length + (from[length] == '\n');
    }
}

bool agpu_symbolize(const char *efi, const char *offsets, char *text, size_t size)
{
    char object[4200];
    char numbers[1024];
    char answer[ANSWER_MAX];
    char *argv[ARGUMENTS_FIXED + OFFSETS_MAX + 1] = {"llvm-symbolizer", "--relative-address",
                                                     "--pretty-print", "--no-inlines", object};
    size_t count = ARGUMENTS_FIXED;
    char *rest = NULL;

    snprintf(object, sizeof object, "--obj=%s", efi);
    snprintf(numbers, sizeof numbers, "%s", offsets);
    for (char *one = strtok_r(numbers, " ", &rest); one != NULL && count < ARGUMENTS_FIXED + OFFSETS_MAX;
         one = strtok_r(NULL, " ", &rest)) {
        /* records come over a network and are not trusted */
        if (strspn(one, "x0123456789abcdefABCDEF") == strlen(one)) {
            argv[count++] = one;
        }
    }
    if (count == ARGUMENTS_FIXED || !agpu_process_text(argv, PATIENCE_MS, answer, sizeof answer)) {
        snprintf(text, size, "no names: llvm-symbolizer (package llvm) did not answer for %s", efi);
        return false;
    }
    copy_lines(answer, text, size);
    return true;
}
