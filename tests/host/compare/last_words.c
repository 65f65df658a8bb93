/* last_words.c: finds the reason at the end of a process's output. */
#include "tests/host/compare/last_words.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/said.h"

#define LOOKED_AT 65536

bool agpu_cmp_last_words(int file, char *text, size_t size)
{
    static char said[LOOKED_AT + 1];
    struct stat about;
    ssize_t length = -1;
    const char *why;

    if (fstat(file, &about) == 0) {
        length = pread(file, said, LOOKED_AT, about.st_size > LOOKED_AT ? about.st_size - LOOKED_AT : 0);
    }
    for (ssize_t i = 0; i < length; i++) {
        said[i] = said[i] == '\0' ? '?' : said[i];
    }
    said[length > 0 ? length : 0] = '\0';
    why = agpu_said_why(said);
    agpu_said_keep(text, size, why, strlen(why));
    return text[0] != '\0';
}
