/* test_host_capture_follow.c: reads the capture on a disk while it is being written. */
#include "tests/host/capture/follow.h"
#include "tests/unit/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "tests/capture/encode.h"

#define BLOCK   4096u
#define RECORDS 500u
#define FILE_AT 12345

/* A disk, a whole capture in memory, and the number of its bytes on the disk. */
struct grown {
    char disk[64];
    int fd;
    uint8_t *bytes;
    size_t size, end_block, written;
};

static bool keep(void *ctx, const void *bytes, size_t size)
{
    struct grown *world = ctx;

    world->bytes = realloc(world->bytes, world->size + size);
    assert_non_null(world->bytes);
    memcpy(world->bytes + world->size, bytes, size);
    world->end_block = world->size; /* the last block */
    world->size += size;
    return true;
}

static int begin(void **state)
{
    struct grown *world = calloc(1, sizeof *world);
    static struct agpu_capture_encoder encoder;
    static uint8_t buffer[BLOCK];

    assert_non_null(world);
    alarm(60); /* ends a wait for a block that never comes */
    strcpy(world->disk, "/tmp/agpu-follow-XXXXXX");
    world->fd = mkstemp(world->disk);
    assert_true(world->fd >= 0);
    assert_int_equal(ftruncate(world->fd, FILE_AT + (1 << 20)), 0);
    agpu_capture_encoder_init(&encoder, buffer, sizeof buffer, keep, world);
    for (uint64_t i = 0; i < RECORDS; i++) {
        const struct agpu_capture_bytes told = {.address = i, .size = sizeof i};

        assert_true(agpu_capture_put(&encoder, AGPU_CAPTURE_CONTENTS, i, &told, sizeof told, &i, sizeof i));
    }
    assert_true(agpu_capture_finish(&encoder));
    assert_true(world->size > 4 * BLOCK);
    *state = world;
    return 0;
}

static int end(void **state)
{
    struct grown *world = *state;

    close(world->fd);
    unlink(world->disk);
    free(world->bytes);
    free(world);
    return 0;
}

static void write_up_to(struct grown *world, size_t size)
{
    while (world->written < size) {
        const ssize_t n = pwrite(world->fd, world->bytes + world->written, size - world->written,
                                 FILE_AT + (off_t)world->written);

        assert_true(n > 0);
        world->written += (size_t)n;
    }
}

/* Checks that the stream has the first size bytes of the capture, then ends. */
static void comes(struct grown *world, struct agpu_capture_follow *follow, size_t size)
{
    FILE *stream = agpu_capture_follow_stream(follow);
    uint8_t *got = malloc(world->size + 1);
    size_t count;

    assert_non_null(stream);
    assert_non_null(got);
    count = fread(got, 1, world->size + 1, stream);
    assert_int_equal(count, size);
    assert_memory_equal(got, world->bytes, size);
    free(got);
    fclose(stream);
    agpu_capture_follow_close(follow);
}

static struct agpu_capture_follow *follow_disk(const struct grown *world)
{
    struct agpu_capture_follow *follow = agpu_capture_follow_open(world->disk, FILE_AT);

    assert_non_null(follow);
    return follow;
}

FIXTURE(begin, end);

/* After the end block the stream ends, although the machine is running. */
TEST(whole)
{
    struct grown *world = *state;

    write_up_to(world, world->size);
    comes(world, follow_disk(world), world->size);
}

/* An incomplete block is not delivered: part of its bytes or header is missing, or one byte inside. */
TEST(torn)
{
    struct grown *world = *state;
    const size_t missing[] = {8, world->size - world->end_block - 8, world->size - world->end_block};

    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        struct agpu_capture_follow *follow = follow_disk(world);

        write_up_to(world, world->size - missing[sizeof missing / sizeof missing[0] - 1 - i]);
        agpu_capture_follow_ended(follow);
        comes(world, follow, world->end_block);
    }
}

TEST(changed_byte)
{
    struct grown *world = *state;
    const size_t second = sizeof(struct agpu_capture_header) + BLOCK / 8 * 8;
    struct agpu_capture_follow *follow = follow_disk(world);
    struct agpu_capture_block first;

    memcpy(&first, world->bytes + sizeof(struct agpu_capture_header), sizeof first);
    write_up_to(world, world->size);
    assert_int_equal(pwrite(world->fd, "x", 1, FILE_AT + (off_t)(second + sizeof first + 100)), 1);
    agpu_capture_follow_ended(follow);
    comes(world, follow, sizeof(struct agpu_capture_header) + sizeof first + first.size);
}

TEST(wrong_end)
{
    struct grown *world = *state;
    struct agpu_capture_follow *follow = follow_disk(world);

    world->bytes[world->size - 1] ^= 1; /* part of the last checksum */
    write_up_to(world, world->size);
    agpu_capture_follow_ended(follow);
    comes(world, follow, world->end_block);
}

TEST(elsewhere)
{
    struct grown *world = *state;
    struct agpu_capture_follow *follow = follow_disk(world);

    agpu_capture_follow_ended(follow);
    comes(world, follow, 0);
}

static void *write_bit_by_bit(void *argument)
{
    struct grown *world = argument;

    for (size_t size = 1; size < world->size; size += 777) {
        write_up_to(world, size);
    }
    write_up_to(world, world->size);
    return NULL;
}

TEST(while_it_grows)
{
    struct grown *world = *state;
    struct agpu_capture_follow *follow = follow_disk(world);
    pthread_t writer;

    assert_int_equal(pthread_create(&writer, NULL, write_bit_by_bit, world), 0);
    comes(world, follow, world->size);
    pthread_join(writer, NULL);
}
