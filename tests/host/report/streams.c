/* streams.c: converts ID-stream.bin to ID-stream.txt. The input comes from a machine, and is not trusted. */
#include "tests/host/report/streams.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/decode/stream.h"
#include "tests/host/decode/write_text.h"
#include "tests/host/output_file.h"
#include "tests/host/wire/record.h"

/* More than AGPU_STREAM_FILE_MAX, for files of other images; text is about ten times as long. */
#define STREAM_FILE_MAX 65536u

/* Returns the bytes read, 0 for a file that is not such a stream. */
static size_t read_bytes(int folder, const char *name, uint8_t bytes[STREAM_FILE_MAX])
{
    const int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    ssize_t size = 0;

    if (fd < 0) {
        return 0;
    }
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= STREAM_FILE_MAX) {
        size = read(fd, bytes, STREAM_FILE_MAX);
    }
    close(fd);
    return size > 0 ? (size_t)size : 0;
}

static bool decode_one(int folder, const char *bytes_name, const char *text_name)
{
    struct agpu_text_writer *writer = malloc(sizeof *writer);
    struct agpu_decoder *decoder = agpu_decoder_create();
    uint8_t *bytes = malloc(STREAM_FILE_MAX);
    struct agpu_output_file file;
    size_t size = 0;
    bool good = writer != NULL && decoder != NULL && bytes != NULL;

    if (good) {
        size = read_bytes(folder, bytes_name, bytes);
    }
    good = size != 0 && agpu_output_open(&file, folder, text_name);
    if (good) {
        const struct agpu_decode_output output = agpu_text_writer_output(writer, file.stream);
        uint32_t length = 0;

        if (size == AGPU_STREAM_FILE_MAX) {
            memcpy(&length, bytes + 8 /* size_bytes, ring.md 3.1 */, sizeof length);
        }
        if (length > size) {
            fprintf(file.stream,
                    "cut by the image, not by the driver: the first %zu of %u bytes; a problem at the end is "
                    "that cut\n",
                    size, length);
        }
        const uint64_t problems = agpu_decode(decoder, bytes, size, 0, &output);

        if (problems != 0) {
            fprintf(file.stream, "problems: %llu (lines that begin with \"!\")\n",
                    (unsigned long long)problems);
        }
        good = agpu_output_commit(&file);
    }
    free(bytes);
    agpu_decoder_destroy(decoder);
    free(writer);
    return good;
}

size_t agpu_streams_decode(int folder, const struct agpu_artifact_list *files)
{
    static const char end[] = "-" AGPU_STREAM_BYTES;
    const int artifacts = openat(folder, "artifacts", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    size_t written = 0;

    for (size_t i = 0; artifacts >= 0 && i < files->count; i++) {
        const size_t length = strlen(files->names[i]);
        char name[300];

        if (length < sizeof end || length >= sizeof name ||
            strcmp(files->names[i] + length - (sizeof end - 1), end) != 0) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s" AGPU_STREAM_TEXT, (int)(length - (sizeof end - 1) + 1),
                 files->names[i]);
        written += decode_one(artifacts, files->names[i], name);
    }
    if (artifacts >= 0) {
        close(artifacts);
    }
    return written;
}
