/* test_capture_again.c: the writer stores bytes that are already in the block as a reference to them. The reader
 * restores them, and refuses a reference that does not point to earlier bytes of the block. */
#include <stdlib.h>
#include <string.h>

#include "tests/capture/encode.h"
#include "tests/capture/records.h"
#include "tests/host/capture/reader.h"
#include "tests/unit/test.h"

#define PAGE 4096u

static uint8_t file[4u << 20];
static size_t file_size;

static bool keep(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    assert_true(size <= sizeof file - file_size);
    memcpy(file + file_size, bytes, size);
    file_size += size;
    return true;
}

static void fill(uint8_t page[PAGE], unsigned seed)
{
    for (unsigned i = 0; i < PAGE; i++) {
        page[i] = (uint8_t)((i + seed) * 2654435761u >> 13);
    }
}

/* Writes one page per seed, each as one record, then reads the file and compares. *size: bytes of the file. */
static void write_and_read(const unsigned *seeds, size_t count, size_t buffer_size, size_t *size)
{
    static struct agpu_capture_encoder encoder;
    uint8_t *buffer = malloc(buffer_size), page[PAGE];
    struct agpu_capture_reader *reader;
    struct agpu_capture_item item;
    char message[200] = "";

    assert_non_null(buffer);
    file_size = 0;
    agpu_capture_encoder_init(&encoder, buffer, buffer_size, keep, NULL);
    for (size_t i = 0; i < count; i++) {
        fill(page, seeds[i]);
        assert_true(
            agpu_capture_put_bytes(&encoder, AGPU_CAPTURE_CHANGED, i, 0x100000 + i * PAGE, page, PAGE));
    }
    assert_true(agpu_capture_finish(&encoder));
    free(buffer);
    reader = agpu_capture_open_memory(file, file_size, message, sizeof message);
    assert_non_null(reader);
    for (size_t i = 0; i < count; i++) {
        fill(page, seeds[i]);
        assert_int_equal(agpu_capture_next(reader, &item), AGPU_CAPTURE_NEXT_RECORD);
        assert_int_equal(item.bytes->address, 0x100000 + i * PAGE);
        assert_int_equal(item.bytes->size, PAGE);
        assert_int_equal(item.tail_size, PAGE);
        assert_memory_equal(item.tail, page, PAGE);
    }
    assert_int_equal(agpu_capture_next(reader, &item), AGPU_CAPTURE_NEXT_DONE);
    agpu_capture_close(reader);
    *size = file_size;
}

TEST(bytes_stand_once_in_a_block)
{
    const unsigned seeds[] = {1, 2, 1, 1, 2, 3, 1};
    size_t size;

    write_and_read(seeds, sizeof seeds / sizeof seeds[0], AGPU_CAPTURE_BUFFER_MAX, &size);
    assert_in_range(size, 3 * PAGE, 4 * PAGE);
}

/* A reference cannot point into another block. The smallest block has room for 16 pages. */
TEST(other_blocks_have_them_again)
{
    unsigned seeds[64];
    size_t size;

    for (unsigned i = 0; i < 64; i++) {
        seeds[i] = i % 32; /* repeats are further apart than a block is long */
    }
    write_and_read(seeds, 64, AGPU_CAPTURE_BUFFER_MIN, &size);
    assert_true(size > 64 * PAGE);
}

/* Parses a record that refers to size bytes at offset at of its block, with tail bytes after its structure. Returns
 * NULL if the parser accepts it. */
static const char *parse_again(uint32_t at, uint32_t size, uint32_t tail)
{
    struct {
        struct agpu_capture_record first;
        struct agpu_capture_bytes first_told;
        uint8_t bytes[1024];
        struct agpu_capture_record second;
        struct agpu_capture_bytes second_told;
        struct agpu_capture_again again;
        uint8_t behind[64];
    } block = {.second = {.size = (uint32_t)(sizeof block.second + sizeof block.second_told) + tail,
                          .type = AGPU_CAPTURE_CONTENTS},
               .second_told = {.address = 0x1000, .size = size, .flags = AGPU_CAPTURE_AGAIN},
               .again = {.at = at}};
    struct agpu_capture_item item;
    uint32_t record_size;
    bool known;

    return agpu_capture_parse((const uint8_t *)&block, sizeof block, offsetof(__typeof__(block), second),
                              &item, &record_size, &known);
}

TEST(only_what_stands_before_counts)
{
    const uint32_t second = 16 + 16 + 1024, again = sizeof(struct agpu_capture_again);

    assert_null(parse_again(32, 1024, again));
    assert_null(parse_again(second - 1, 1, again));
    assert_non_null(parse_again(second - 1, 2, again)); /* overlaps the record itself */
    assert_non_null(parse_again(33, 1024, again));
    assert_non_null(parse_again(second, 1, again));
    assert_non_null(parse_again(second + 64, 8, again));
    assert_non_null(parse_again(UINT32_MAX, 1, again));
    assert_non_null(parse_again(UINT32_MAX - 8, 16, again));
    assert_non_null(parse_again(0, UINT32_MAX, again));
    assert_non_null(parse_again(32, 0, again));
    assert_non_null(parse_again(32, 1024, 0));
    assert_non_null(parse_again(32, 1024, 16));
}
