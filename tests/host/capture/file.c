/* file.c: writes blocks to a file; threads compress them. */
#include "tests/host/capture/file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* Faster than the lowest regular level, and the files are one ninth larger: the user of a run waits for it. */
#define PACKING_LEVEL (-3)

/* Number of compressing threads: the user of a run waits for the rest. */
#define PACKERS 2u

/* Queue length in blocks, including the one that the file's own encoder is filling. A writer that is faster than the
 * packers blocks. */
#define QUEUE_BLOCKS 8u

/* The header of a file, or a block with its own, in its original form. */
struct taken {
    size_t size;
    _Alignas(8) uint8_t bytes[AGPU_CAPTURE_BUFFER_MAX];
};

struct packer {
    struct agpu_capture_file *file;
    pthread_t thread;
    ZSTD_CCtx *context;
    uint8_t packed[ZSTD_COMPRESSBOUND(AGPU_CAPTURE_BLOCK_MAX)];
};

struct agpu_capture_file {
    FILE *out; /* written only by the thread whose turn it is */
    struct agpu_capture_encoder encoder;
    bool own; /* the encoder is in use */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned first, count; /* start and length of the queue */
    unsigned begun;        /* of these, started by a packer */
    uint64_t next, turn;   /* number of the next block to compress, and of the next to write */
    bool closing;
    int error; /* errno of the first failed write */

    struct packer packers[PACKERS];
    struct taken queue[QUEUE_BLOCKS];
};

static int put(struct agpu_capture_file *file, const void *bytes, size_t size)
{
    errno = 0;
    if (fwrite(bytes, 1, size, file->out) != size) {
        return errno != 0 ? errno : EIO;
    }
    return 0;
}

/* Returns the size of the data to write after the header, which is updated; 0: the block in its original form. */
static size_t pack(struct packer *packer, const struct taken *taken, struct agpu_capture_block *block)
{
    size_t packed;

    if (taken->size < sizeof *block) {
        return 0;
    }
    memcpy(block, taken->bytes, sizeof *block);
    if (block->packing != AGPU_CAPTURE_STORED) {
        return 0;
    }
    packed = ZSTD_compressCCtx(packer->context, packer->packed, sizeof packer->packed,
                               taken->bytes + sizeof *block, block->size, PACKING_LEVEL);
    if (ZSTD_isError(packed) || packed >= block->size) {
        return 0;
    }
    block->packing = AGPU_CAPTURE_ZSTD;
    block->stored_size = (uint32_t)packed;
    return packed;
}

static int write_block(struct packer *packer, const struct taken *taken,
                       const struct agpu_capture_block *block, size_t packed)
{
    int error;

    if (packed == 0) {
        return put(packer->file, taken->bytes, taken->size);
    }
    error = put(packer->file, block, sizeof *block);
    return error != 0 ? error : put(packer->file, packer->packed, packed);
}

/* Blocks are compressed in parallel and written in order. */
static void *pack_blocks(void *argument)
{
    struct packer *packer = argument;
    struct agpu_capture_file *file = packer->file;

    pthread_mutex_lock(&file->lock);
    for (;;) {
        struct agpu_capture_block block;
        const struct taken *taken;
        uint64_t number;
        size_t packed;
        int error;

        while (file->begun == file->count && !file->closing) {
            pthread_cond_wait(&file->changed, &file->lock);
        }
        if (file->begun == file->count) {
            break;
        }
        taken = &file->queue[(file->first + file->begun++) % QUEUE_BLOCKS];
        number = file->next++;
        pthread_mutex_unlock(&file->lock);
        packed = pack(packer, taken, &block);
        pthread_mutex_lock(&file->lock);
        while (file->turn != number) {
            pthread_cond_wait(&file->changed, &file->lock);
        }
        error = file->error;
        pthread_mutex_unlock(&file->lock);
        error = error != 0 ? error : write_block(packer, taken, &block, packed);
        pthread_mutex_lock(&file->lock);
        file->error = error;
        file->turn++;
        file->first = (file->first + 1) % QUEUE_BLOCKS;
        file->count--;
        file->begun--;
        pthread_cond_broadcast(&file->changed);
    }
    pthread_mutex_unlock(&file->lock);
    return NULL;
}

/* Returns the first free place. The lock is held, but may be released meanwhile. */
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
    if (bytes != taken->bytes) { /* unless the file's own encoder has filled it in place */
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

/* Stops the packers that were started, after they have finished all work. */
static void end_packers(struct agpu_capture_file *file, unsigned started)
{
    pthread_mutex_lock(&file->lock);
    file->closing = true;
    pthread_cond_broadcast(&file->changed);
    pthread_mutex_unlock(&file->lock);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(file->packers[i].thread, NULL);
        ZSTD_freeCCtx(file->packers[i].context);
    }
}

/* Returns false with a message when not all of them could be started; then none runs. */
static bool start_packers(struct agpu_capture_file *file, char *message, size_t message_size)
{
    for (unsigned i = 0; i < PACKERS; i++) {
        struct packer *packer = &file->packers[i];

        packer->file = file;
        packer->context = ZSTD_createCCtx();
        if (packer->context == NULL || pthread_create(&packer->thread, NULL, pack_blocks, packer) != 0) {
            snprintf(message, message_size, "no memory, or no thread");
            ZSTD_freeCCtx(packer->context);
            end_packers(file, i);
            return false;
        }
    }
    return true;
}

struct agpu_capture_file *agpu_capture_file_create(const char *path, char *message, size_t message_size)
{
    struct agpu_capture_file *file = malloc(sizeof *file);
    int fd;

    snprintf(message, message_size, "no memory");
    if (file == NULL) {
        return NULL;
    }
    memset(file, 0, offsetof(struct agpu_capture_file, packers));
    /* Creates the file at the user's path, but does not follow a link there. */
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    file->out = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file->out == NULL) {
        snprintf(message, message_size, "%s: %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        free(file);
        return NULL;
    }
    setvbuf(file->out, NULL, _IONBF, 0); /* whole blocks outlive a crash of the device in this process */
    pthread_mutex_init(&file->lock, NULL);
    pthread_cond_init(&file->changed, NULL);
    if (!start_packers(file, message, message_size)) {
        pthread_cond_destroy(&file->changed);
        pthread_mutex_destroy(&file->lock);
        fclose(file->out);
        free(file);
        return NULL;
    }
    return file;
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
    end_packers(file, PACKERS);
    error = file->error;
    errno = 0;
    if (fclose(file->out) != 0 && error == 0) {
        error = errno != 0 ? errno : EIO;
    }
    pthread_cond_destroy(&file->changed);
    pthread_mutex_destroy(&file->lock);
    free(file);
    if (error != 0) {
        snprintf(message, message_size, "the capture is not complete: %s", strerror(error));
    }
    return error == 0;
}
