/* file.c: blocks into a file; a thread packs them. */
#include "tests/host/capture/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Faster than the least of the usual levels, and a ninth larger: whoever runs the catalogue waits for it. */
#define PACKING_LEVEL (-3)

/* Blocks that wait for the packer, the one that the file's own encoder fills among them: whoever writes faster than that waits. */
#define QUEUE_BLOCKS 8u

/* The header of a file, or a block with its own, as it was taken. */
struct taken {
    size_t size;
    _Alignas(8) uint8_t bytes[AGPU_CAPTURE_BUFFER_MAX];
};

struct agpu_capture_file {
    FILE *out;
    ZSTD_CCtx *packer;
    struct agpu_capture_encoder encoder;
    bool own; /* the encoder is in use */

    pthread_t thread; /* packs and writes */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned first, count; /* of the queue */
    bool closing;
    int error; /* errno of the first write that failed */

    struct taken queue[QUEUE_BLOCKS];
    uint8_t packed[ZSTD_COMPRESSBOUND(AGPU_CAPTURE_BLOCK_MAX)];
};

static int put(struct agpu_capture_file *file, const void *bytes, size_t size)
{
    errno = 0;
    if (fwrite(bytes, 1, size, file->out) != size) {
        return errno != 0 ? errno : EIO;
    }
    return 0;
}

static int put_packed(struct agpu_capture_file *file, const struct taken *taken)
{
    struct agpu_capture_block block;
    size_t packed = 0;
    int error;

    if (taken->size >= sizeof block) {
        memcpy(&block, taken->bytes, sizeof block);
        if (block.packing == AGPU_CAPTURE_STORED) {
            packed = ZSTD_compressCCtx(file->packer, file->packed, sizeof file->packed,
                                       taken->bytes + sizeof block, block.size, PACKING_LEVEL);
        }
    }
    if (packed == 0 || ZSTD_isError(packed) || packed >= block.size) {
        return put(file, taken->bytes, taken->size);
    }
    block.packing = AGPU_CAPTURE_ZSTD;
    block.stored_size = (uint32_t)packed;
    error = put(file, &block, sizeof block);
    return error != 0 ? error : put(file, file->packed, packed);
}

static void *pack_blocks(void *argument)
{
    struct agpu_capture_file *file = argument;

    pthread_mutex_lock(&file->lock);
    for (;;) {
        int error = file->error;

        while (file->count == 0 && !file->closing) {
            pthread_cond_wait(&file->changed, &file->lock);
        }
        if (file->count == 0) {
            break;
        }
        pthread_mutex_unlock(&file->lock);
        error = error != 0 ? error : put_packed(file, &file->queue[file->first]);
        pthread_mutex_lock(&file->lock);
        file->error = error;
        file->first = (file->first + 1) % QUEUE_BLOCKS;
        file->count--;
        pthread_cond_broadcast(&file->changed);
    }
    pthread_mutex_unlock(&file->lock);
    return NULL;
}

/* The first that is free. The lock is held; it may be given up for a while. */
static struct taken *free_place(struct agpu_capture_file *file)
{
    while (file->count == QUEUE_BLOCKS) {
        pthread_cond_wait(&file->changed, &file->lock);
    }
    return &file->queue[(file->first + file->count) % QUEUE_BLOCKS];
}

bool agpu_capture_file_take(void *ctx, const void *bytes, size_t size)
{
    struct agpu_capture_file *file = ctx;
    struct taken *taken;
    bool good;

    if (size > sizeof taken->bytes) {
        return false;
    }
    pthread_mutex_lock(&file->lock);
    taken = free_place(file);
    pthread_mutex_unlock(&file->lock);
    taken->size = size;
    if (bytes != taken->bytes) { /* the file's own encoder has filled it there */
        memcpy(taken->bytes, bytes, size);
    }
    pthread_mutex_lock(&file->lock);
    file->count++;
    good = file->error == 0;
    pthread_cond_broadcast(&file->changed);
    if (file->own) {
        file->encoder.buffer = free_place(file)->bytes;
    }
    pthread_mutex_unlock(&file->lock);
    return good;
}

struct agpu_capture_file *agpu_capture_file_create(const char *path, char *message, size_t message_size)
{
    struct agpu_capture_file *file = malloc(sizeof *file);
    int fd;

    snprintf(message, message_size, "no memory");
    if (file == NULL) {
        return NULL;
    }
    memset(file, 0, offsetof(struct agpu_capture_file, queue));
    file->packer = ZSTD_createCCtx();
    if (file->packer == NULL) {
        goto free_file;
    }
    /* Where the user says; not where a link that lies there leads. */
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    file->out = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file->out == NULL) {
        snprintf(message, message_size, "%s: %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        goto free_packer;
    }
    pthread_mutex_init(&file->lock, NULL);
    pthread_cond_init(&file->changed, NULL);
    if (pthread_create(&file->thread, NULL, pack_blocks, file) != 0) {
        snprintf(message, message_size, "no thread");
        goto close_file;
    }
    return file;

close_file:
    pthread_cond_destroy(&file->changed);
    pthread_mutex_destroy(&file->lock);
    fclose(file->out);
free_packer:
    ZSTD_freeCCtx(file->packer);
free_file:
    free(file);
    return NULL;
}

struct agpu_capture_encoder *agpu_capture_file_encoder(struct agpu_capture_file *file)
{
    if (!file->own) {
        file->own = true;
        agpu_capture_encoder_init(&file->encoder, file->queue[0].bytes, sizeof file->queue[0].bytes,
                                  agpu_capture_file_take, file);
    }
    return &file->encoder;
}

bool agpu_capture_file_close(struct agpu_capture_file *file, bool complete, char *message,
                             size_t message_size)
{
    int error;

    if (file == NULL) {
        return true;
    }
    if (file->own && complete) {
        agpu_capture_finish(&file->encoder);
    } else if (file->own) {
        agpu_capture_flush(&file->encoder);
    }
    pthread_mutex_lock(&file->lock);
    file->closing = true;
    pthread_cond_broadcast(&file->changed);
    pthread_mutex_unlock(&file->lock);
    pthread_join(file->thread, NULL);
    error = file->error;
    errno = 0;
    if (fclose(file->out) != 0 && error == 0) {
        error = errno != 0 ? errno : EIO;
    }
    pthread_cond_destroy(&file->changed);
    pthread_mutex_destroy(&file->lock);
    ZSTD_freeCCtx(file->packer);
    free(file);
    if (error != 0) {
        snprintf(message, message_size, "the capture is not complete: %s", strerror(error));
    }
    return error == 0;
}
