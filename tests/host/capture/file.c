/* file.c: packed blocks into a file. */
#include "tests/host/capture/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* Fast enough to keep up with a catalogue in one process; higher levels gain little on such data. */
#define PACKING_LEVEL 1

struct agpu_capture_file {
    FILE *out;
    ZSTD_CCtx *packer;
    struct agpu_capture_encoder encoder;
    int error; /* errno of the first write that failed */
    _Alignas(8) uint8_t buffer[AGPU_CAPTURE_BUFFER_MAX];
    uint8_t packed[ZSTD_COMPRESSBOUND(AGPU_CAPTURE_BLOCK_MAX)];
};

static bool put(struct agpu_capture_file *file, const void *bytes, size_t size)
{
    errno = 0;
    if (fwrite(bytes, 1, size, file->out) != size) {
        file->error = errno != 0 ? errno : EIO;
        return false;
    }
    return true;
}

/* The file's header, or a block with its own. */
static bool write_packed(void *ctx, const void *bytes, size_t size)
{
    struct agpu_capture_file *file = ctx;
    struct agpu_capture_block block;
    size_t packed;

    if (size < sizeof block) {
        return put(file, bytes, size);
    }
    memcpy(&block, bytes, sizeof block);
    packed = block.packing != AGPU_CAPTURE_STORED
                 ? 0
                 : ZSTD_compressCCtx(file->packer, file->packed, sizeof file->packed,
                                     (const uint8_t *)bytes + sizeof block, block.size, PACKING_LEVEL);
    if (packed == 0 || ZSTD_isError(packed) || packed >= block.size) {
        return put(file, bytes, size);
    }
    block.packing = AGPU_CAPTURE_ZSTD;
    block.stored_size = (uint32_t)packed;
    return put(file, &block, sizeof block) && put(file, file->packed, packed);
}

struct agpu_capture_file *agpu_capture_file_create(const char *path, char *message, size_t message_size)
{
    struct agpu_capture_file *file = malloc(sizeof *file);

    if (file == NULL) {
        snprintf(message, message_size, "no memory");
        return NULL;
    }
    file->error = 0;
    file->packer = ZSTD_createCCtx();
    if (file->packer == NULL) {
        snprintf(message, message_size, "no memory");
        free(file);
        return NULL;
    }
    file->out = fopen(path, "wbe");
    if (file->out == NULL) {
        snprintf(message, message_size, "%s: %s", path, strerror(errno));
        ZSTD_freeCCtx(file->packer);
        free(file);
        return NULL;
    }
    agpu_capture_encoder_init(&file->encoder, file->buffer, sizeof file->buffer, write_packed, file);
    return file;
}

struct agpu_capture_encoder *agpu_capture_file_encoder(struct agpu_capture_file *file)
{
    return &file->encoder;
}

bool agpu_capture_file_close(struct agpu_capture_file *file, bool complete, char *message,
                             size_t message_size)
{
    int error;

    if (file == NULL) {
        return true;
    }
    if (complete) {
        agpu_capture_finish(&file->encoder);
    } else {
        agpu_capture_flush(&file->encoder);
    }
    errno = 0;
    if (fclose(file->out) != 0 && file->error == 0) {
        file->error = errno != 0 ? errno : EIO;
    }
    error = file->error;
    ZSTD_freeCCtx(file->packer);
    free(file);
    if (error != 0) {
        snprintf(message, message_size, "the capture is not complete: %s", strerror(error));
    }
    return error == 0;
}
