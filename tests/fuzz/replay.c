/* replay.c: runs a fuzz target on every file of a folder: the corpus as a regression test, with any compiler.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define MAX_INPUT_BYTES (1u << 20)

static bool replay(int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    uint8_t *bytes = NULL;
    bool good = fd >= 0 && fstat(fd, &status) == 0 && status.st_size <= MAX_INPUT_BYTES;

    if (good) {
        /* Exactly as large as the input, so that AddressSanitizer sees a read beyond it. */
        bytes = malloc((size_t)status.st_size + (status.st_size == 0));
        good = bytes != NULL && read(fd, bytes, (size_t)status.st_size) == status.st_size;
    }
    if (!good) {
        fprintf(stderr, "cannot read input %s (at most %u bytes): %s\n", name, MAX_INPUT_BYTES,
                strerror(errno));
    }
    if (fd >= 0) {
        close(fd); /* before the target runs: it counts descriptors */
    }
    if (good) {
        printf("%s\n", name);
        fflush(stdout); /* the last line names the input that failed */
        LLVMFuzzerTestOneInput(bytes, (size_t)status.st_size);
    }
    free(bytes);
    return good;
}

int main(int argc, char **argv)
{
    struct dirent **entries;
    int count, folder, replayed = 0;
    bool good = true;

    folder = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    count = folder < 0 ? -1 : scandir(argv[1], &entries, NULL, alphasort);
    if (count < 0) {
        fprintf(stderr, "usage: %s FOLDER (of inputs)\n", argv[0]);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < count; i++) {
        if (entries[i]->d_name[0] != '.') {
            good = replay(folder, entries[i]->d_name) && good;
            replayed++;
        }
        free(entries[i]);
    }
    free(entries);
    close(folder);
    if (replayed == 0) {
        fprintf(stderr, "no input in %s: a corpus that is empty tests nothing\n", argv[1]);
        return EXIT_FAILURE;
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
