/* corpus.c: fuzz_corpus: packs a directory of fuzz inputs into one file, and unpacks it. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/pack.h"

static int pack(const char *folder, const char *path)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, NULL, alphasort);
    FILE *file = count >= 0 ? fopen(path, "wbe") : NULL;
    int status = file != NULL ? EXIT_SUCCESS : EXIT_FAILURE;

    for (int i = 0; i < count; i++) {
        char name[4096];
        size_t size = 0;
        uint8_t *bytes = NULL;

        snprintf(name, sizeof name, "%s/%s", folder, entries[i]->d_name);
        if (file != NULL && entries[i]->d_name[0] != '.') {
            bytes = agpu_input_read(name, &size);
            if (bytes == NULL || !agpu_pack_add(file, bytes, size)) {
                fprintf(stderr, "cannot pack %s: %s\n", name, strerror(errno));
                status = EXIT_FAILURE;
            }
        }
        free(bytes);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
    if (file == NULL || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s from %s: %s\n", path, folder, strerror(errno));
        status = EXIT_FAILURE;
    }
    return status;
}

static int unpack(const char *path, const char *folder)
{
    FILE *file = fopen(path, "rbe");
    uint8_t *bytes;
    size_t size;
    int more = -1;

    for (unsigned number = 0; file != NULL && (more = agpu_pack_next(file, &bytes, &size)) > 0; number++) {
        char name[4096];
        FILE *out;

        snprintf(name, sizeof name, "%s/packed-%04u", folder, number);
        out = fopen(name, "wbe");
        if (out == NULL || fwrite(bytes, 1, size, out) != size || fclose(out) != 0) {
            fprintf(stderr, "cannot write %s: %s\n", name, strerror(errno));
            return EXIT_FAILURE;
        }
        free(bytes);
    }
    if (more != 0) {
        fprintf(stderr, "%s is not a pack of inputs, or cannot be read\n", path);
    }
    if (file != NULL) {
        fclose(file);
    }
    return more == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "pack") == 0) {
        return pack(argv[2], argv[3]);
    }
    if (argc == 4 && strcmp(argv[1], "unpack") == 0) {
        return unpack(argv[2], argv[3]);
    }
    fprintf(stderr, "usage: fuzz_corpus pack FOLDER FILE | unpack FILE FOLDER\n");
    return 2;
}
