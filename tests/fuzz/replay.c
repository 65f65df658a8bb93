/* replay.c: runs a fuzz target on known inputs: the corpus as a regression test, with any compiler. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pack.h"

static int replayed;

/* Prints the name of the input first: after a crash the last line names the failed input. */
static void run(const char *where, const char *name, const uint8_t *bytes, size_t size)
{
    printf("%s%s%s\n", where, *name != '\0' ? "/" : "", name);
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, size);
    replayed++;
}

static bool replay_folder(const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    bool good = count >= 0;

    for (int i = 0; i < count; i++) {
        char path[4096];
        uint8_t *bytes;
        size_t size;

        if (entries[i]->d_name[0] != '.' && strcmp(entries[i]->d_name, "stamp") != 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            bytes = agpu_input_read(path, &size);
            if (bytes != NULL) {
                run(folder, entries[i]->d_name, bytes, size);
            } else {
                fprintf(stderr, "cannot read input %s: %s\n", path, strerror(errno));
                good = false;
            }
            free(bytes);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    return good;
}

static bool replay_pack(const char *path)
{
    FILE *pack = fopen(path, "rbe");
    uint8_t *bytes;
    size_t size;
    int more = -1;

    while (pack != NULL && (more = agpu_pack_next(pack, &bytes, &size)) > 0) {
        char name[32];

        snprintf(name, sizeof name, "#%d", replayed);
        run(path, name, bytes, size);
        free(bytes);
    }
    if (pack != NULL) {
        fclose(pack);
    }
    if (more < 0) {
        fprintf(stderr, "%s is not a pack of inputs, or cannot be read (fuzz_corpus pack makes one)\n", path);
    }
    return more == 0;
}

static bool replay_file(const char *path)
{
    const size_t length = strlen(path);
    uint8_t *bytes;
    size_t size;

    if (length > 5 && strcmp(path + length - 5, ".pack") == 0) {
        return replay_pack(path);
    }
    bytes = agpu_input_read(path, &size);
    if (bytes == NULL) {
        fprintf(stderr, "cannot read input %s: %s\n", path, strerror(errno));
        return false;
    }
    run(path, "", bytes, size);
    free(bytes);
    return true;
}

int main(int argc, char **argv)
{
    bool good = argc > 1;

    for (int i = 1; i < argc; i++) {
        struct stat status;

        if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
            good = replay_folder(argv[i]) && good;
        } else {
            good = replay_file(argv[i]) && good;
        }
    }
    if (replayed == 0) {
        fprintf(
            stderr,
            "usage: %s FOLDER|PACK|INPUT... (nothing was replayed: a corpus that is empty tests nothing)\n",
            argv[0]);
        return EXIT_FAILURE;
    }
    printf("%d inputs\n", replayed);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
