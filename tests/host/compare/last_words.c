/* last_words.c: the line that matters among those of a device. */
#include "tests/host/compare/last_words.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/device/plugin/printable.h"

#define LOOKED_AT 65536

static bool begins(const char *line, const char *words)
{
    return strncmp(line, words, strlen(words)) == 0;
}

bool agpu_cmp_last_words(int file, char *text, size_t size)
{
    static char said[LOOKED_AT + 1];
    struct stat about;
    const char *first = NULL, *ours = NULL, *guard = NULL, *found;
    ssize_t length;

    text[0] = '\0';
    if (fstat(file, &about) != 0) {
        return false;
    }
    length = pread(file, said, LOOKED_AT, about.st_size > LOOKED_AT ? about.st_size - LOOKED_AT : 0);
    if (length <= 0) {
        return false;
    }
    for (ssize_t i = 0; i < length; i++) {
        said[i] = said[i] == '\0' ? '?' : said[i];
    }
    said[length] = '\0';
    for (char *line = said, *end; *line != '\0'; line = end) {
        end = line + strcspn(line, "\n");
        if (*end != '\0') {
            *end++ = '\0';
        }
        if (*line == '\0') {
            continue;
        }
        first = first != NULL ? first : line;
        ours = ours == NULL && !begins(line, VGPU_LOG_WORDS) ? line : ours;
        guard = begins(line, VGPU_GUARD_WORDS)
                    ? line
                    : guard; /* the last: what a device had printed like one came before */
    }
    found = guard != NULL ? guard : ours != NULL ? ours : first;
    if (found == NULL) {
        return false;
    }
    snprintf(text, size, "%s", found);
    vgpu_make_printable(text);
    return true;
}
