/* test_capture_file.c: a capture file reads back as it was written, and the reader notices damage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/capture/encode.h"
#include "tests/host/capture/file.h"
#include "tests/host/capture/memory.h"
#include "tests/host/capture/reader.h"
#include "tests/unit/test.h"

static char path[] = "/tmp/agpu-capture-XXXXXX";

/* Sum over the records of the last read_all(). */
static uint64_t records_sum;

/* The file that the tests read, malloc'd. */
static uint8_t *file_bytes;
static size_t file_size;

static int make_path(void **state)
{
    const int fd = mkstemp(path);

    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    free(file_bytes);
    return unlink(path);
}

static void load(void)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    free(file_bytes);
    fseek(file, 0, SEEK_END);
    file_size = (size_t)ftell(file);
    rewind(file);
    file_bytes = malloc(file_size);
    assert_non_null(file_bytes);
    assert_int_equal(fread(file_bytes, 1, file_size, file), file_size);
    fclose(file);
}

/* Writes records of every kind, with enough bytes for several blocks. */
static uint64_t write_some(bool complete)
{
    char message[200] = "";
    struct agpu_capture_file *file = agpu_capture_file_create(path, message, sizeof message);
    const struct agpu_capture_device device = {.view = AGPU_CAPTURE_GUEST};
    const struct agpu_capture_case test = {.index = 7};
    const struct agpu_capture_map mapped = {.address = 0x100000, .size = 0x400000};
    const struct agpu_capture_access access = {
        .write = 1, .size = 4, .count = 1, .offset = 0x200, .value = 1};
    static uint8_t bytes[3u << 20];
    struct agpu_capture_encoder *encoder;
    uint64_t records;

    assert_non_null(file);
    encoder = agpu_capture_file_encoder(file);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 2654435761u >> 24);
    }
    assert_true(
        agpu_capture_put_text(encoder, AGPU_CAPTURE_DEVICE, 1, &device, sizeof device, "a unit test"));
    assert_true(agpu_capture_put_text(encoder, AGPU_CAPTURE_CASE, 2, &test, sizeof test, "ring.post.one"));
    assert_true(agpu_capture_put_text(encoder, AGPU_CAPTURE_MAP, 3, &mapped, sizeof mapped, ""));
    assert_true(agpu_capture_put_bytes(encoder, AGPU_CAPTURE_CONTENTS, 4, 0x100010, bytes, sizeof bytes));
    assert_true(agpu_capture_put_text(encoder, AGPU_CAPTURE_ACCESS, 5, &access, sizeof access, ""));
    records = encoder->records;
    assert_true(agpu_capture_file_close(file, complete, message, sizeof message));
    load();
    return records;
}

/* Reads all of [bytes, bytes + size). Returns how it ended; *records: number of records. */
static enum agpu_capture_next read_all(const uint8_t *bytes, size_t size, uint64_t *records)
{
    uint8_t *copy = malloc(size + 1); /* sanitizers see its end */
    char message[200] = "";
    struct agpu_capture_reader *reader;
    struct agpu_capture_item item;
    enum agpu_capture_next next;

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    reader = agpu_capture_open_memory(copy, size, message, sizeof message);
    *records = 0;
    records_sum = AGPU_CAPTURE_SUM_SEED;
    if (reader == NULL) {
        free(copy);
        assert_string_not_equal(message, "");
        return AGPU_CAPTURE_NEXT_WRONG;
    }
    while ((next = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        ++*records;
        records_sum = agpu_capture_sum_word(records_sum, item.time_ns);
        records_sum = agpu_capture_sum(records_sum, item.tail, item.tail_size & ~7u);
    }
    assert_string_not_equal(agpu_capture_error(reader), "");
    assert_int_equal(agpu_capture_next(reader, &item), next);
    agpu_capture_close(reader);
    free(copy);
    return next;
}

GROUP_FIXTURE(make_path, remove_path);

TEST(written_file_comes_back)
{
    const uint64_t records = write_some(true);
    struct agpu_capture_reader *reader;
    struct agpu_capture_memory *memory = agpu_capture_memory_create(AGPU_CAPTURE_TOUCHED_MOST);
    struct agpu_capture_item item;
    char message[200];
    uint8_t some[64];
    uint64_t seen = 0;

    assert_true(agpu_capture_is_one(file_bytes, file_size));
    reader = agpu_capture_open(path, message, sizeof message);
    assert_non_null(reader);
    while (agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD) {
        assert_int_equal(item.number, ++seen);
        assert_null(agpu_capture_memory_apply(memory, &item));
        if (item.type == AGPU_CAPTURE_DEVICE) {
            assert_string_equal(item.text, "a unit test");
        } else if (item.type == AGPU_CAPTURE_CASE) {
            assert_string_equal(item.text, "ring.post.one");
            assert_int_equal(item.test->index, 7);
        } else if (item.type == AGPU_CAPTURE_ACCESS) {
            assert_int_equal(item.time_ns, 5);
            assert_int_equal(item.access->offset, 0x200);
        }
    }
    assert_int_equal(seen, records);
    assert_int_equal(agpu_capture_next(reader, &item), AGPU_CAPTURE_NEXT_DONE);
    agpu_capture_close(reader);

    assert_true(agpu_capture_memory_read(memory, 0x100000, some, sizeof some));
    for (unsigned i = 0; i < sizeof some; i++) {
        assert_int_equal(some[i], i < 16 ? 0 : (uint8_t)((i - 16) * 2654435761u >> 24));
    }
    assert_false(agpu_capture_memory_read(memory, 0x4FFFF0, some, sizeof some));
    assert_false(agpu_capture_memory_read(memory, UINT64_MAX - 3, some, sizeof some));
    assert_non_null(agpu_capture_memory_pointer(memory, 0x100000, 0x400000));
    assert_null(agpu_capture_memory_pointer(memory, 0x100000, 0x400001));
    assert_null(agpu_capture_memory_pointer(memory, 0xFFFFF, 1));
    agpu_capture_memory_destroy(memory);
}

TEST(file_without_its_end_is_no_whole_one)
{
    const uint64_t records = write_some(false);
    uint64_t seen;

    assert_int_equal(read_all(file_bytes, file_size, &seen), AGPU_CAPTURE_NEXT_CUT);
    assert_int_equal(seen, records);
}

TEST(cut_file_is_never_complete)
{
    uint64_t seen;

    write_some(true);
    for (size_t size = 0; size < file_size; size += size < 4096 ? 1 : 4099) {
        assert_int_not_equal(read_all(file_bytes, size, &seen), AGPU_CAPTURE_NEXT_DONE);
    }
    assert_int_equal(read_all(file_bytes, file_size, &seen), AGPU_CAPTURE_NEXT_DONE);
}

/* Changes one bit of each byte near the beginning, and of some later bytes. The reader ignores the minor version and
 * the reserved word of the header. Some bits of zstd's frame headers have no effect either: the records are then the
 * same. */
TEST(changed_file_is_noticed)
{
    uint64_t seen, right;

    write_some(true);
    assert_int_equal(read_all(file_bytes, file_size, &seen), AGPU_CAPTURE_NEXT_DONE);
    right = records_sum;
    for (size_t at = 0; at < file_size; at += at < 200 ? 1 : 4099) {
        if ((at >= 8 && at < 10) || (at >= 12 && at < 16)) {
            continue;
        }
        file_bytes[at] ^= (uint8_t)(1u << at % 8);
        if (read_all(file_bytes, file_size, &seen) == AGPU_CAPTURE_NEXT_DONE && records_sum != right) {
            fail_msg("a changed bit of byte %zu of %zu was not noticed", at, file_size);
        }
        file_bytes[at] ^= (uint8_t)(1u << at % 8);
    }
}

/* ---- false files: whole blocks with correct checksums, around one invalid record ---- */

struct lie {
    uint16_t type;
    uint32_t words[20];
    uint32_t bytes;   /* bytes used of words */
    uint32_t claimed; /* size in the record's header, 0: the correct one */
};

static bool collect(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    memcpy(file_bytes + file_size, bytes, size);
    file_size += size;
    return true;
}

static enum agpu_capture_next read_lie(const struct lie *lie, uint8_t function)
{
    static _Alignas(8) uint8_t buffer[AGPU_CAPTURE_BUFFER_MIN];
    struct agpu_capture_encoder encoder;
    uint64_t seen;

    free(file_bytes);
    file_bytes = malloc(4096);
    file_size = 0;
    assert_non_null(file_bytes);
    agpu_capture_encoder_init(&encoder, buffer, sizeof buffer, collect, NULL);
    encoder.function = function;
    assert_true(
        agpu_capture_put(&encoder, (enum agpu_capture_type)lie->type, 0, lie->words, lie->bytes, NULL, 0));
    if (lie->claimed != 0) {
        memcpy(buffer + sizeof(struct agpu_capture_block), &lie->claimed, sizeof lie->claimed);
    }
    assert_true(agpu_capture_finish(&encoder));
    return read_all(file_bytes, file_size, &seen);
}

TEST(lying_records_are_refused)
{
    static const struct lie lies[] = {
        {AGPU_CAPTURE_CONTENTS, {0x1000, 0, 5, 0, 1}, 20, 0},             /* has 4 of 5 bytes */
        {AGPU_CAPTURE_CONTENTS, {0x1000, 0, 0, 0}, 16, 0},                /* no bytes */
        {AGPU_CAPTURE_CHANGED, {0xFFFFFFFE, 0xFFFFFFFF, 4, 0, 1}, 20, 0}, /* wraps */
        {AGPU_CAPTURE_CHANGED, {0x1000}, 4, 0},                           /* structure too short */
        {AGPU_CAPTURE_MAP, {0, 0, 0, 0, 0, 0}, 24, 0},                    /* no memory */
        {AGPU_CAPTURE_MAP, {0, 0xFFFFFFFF, 0, 0xFFFFFFFF, 0, 0}, 24, 0},  /* wraps */
        {AGPU_CAPTURE_MAP, {0, 0, 0x1000, 0, 3, 0}, 24, 0},               /* unknown kind */
        {AGPU_CAPTURE_ACCESS, {0x00030001, 1, 0, 0, 0, 0}, 24, 0},        /* size of 3 bytes */
        {AGPU_CAPTURE_ACCESS, {0x00040601, 1, 0, 0, 0, 0}, 24, 0},        /* there is no BAR6 */
        {AGPU_CAPTURE_ACCESS, {0x00040001, 0, 0, 0, 0, 0}, 24, 0},        /* count of 0 */
        {AGPU_CAPTURE_ACCESS, {0x0008FF01, 1, 0, 0, 0, 0}, 24, 0},        /* 8 bytes of configuration */
        {AGPU_CAPTURE_ACCESS, {0x0004FF01, 1, 4094, 0, 0, 0}, 24, 0},     /* past its end */
        {AGPU_CAPTURE_REGISTERS, {2, 0, 0, 0}, 16, 0},                    /* has one of two */
        {AGPU_CAPTURE_CASE, {0, 0, 0x0A0A0A0A}, 12, 0},                   /* line feeds in a name */
        {AGPU_CAPTURE_DEVICE, {9}, 72, 0},                                /* unknown view */
        {AGPU_CAPTURE_SUBMISSION, {[17] = 4}, 72, 0},                     /* size of the descriptor */
        {AGPU_CAPTURE_NOTE, {0x64646464}, 4, 8},                          /* size of the record */
        {AGPU_CAPTURE_NOTE, {0x64646464}, 4, 17},
        {AGPU_CAPTURE_NOTE, {0x64646464}, 4, 0xFFFFFFF8},
        {0xFFFF, {0}, 4, 32},
    };
    const struct lie unknown = {0xFFFF, {0}, 4, 0};
    const struct lie note = {AGPU_CAPTURE_NOTE, {0x64646464}, 4, 0};

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        if (read_lie(&lies[i], 0) != AGPU_CAPTURE_NEXT_WRONG) {
            fail_msg("lie %zu was believed", i);
        }
    }
    assert_int_equal(read_lie(&unknown, 0), AGPU_CAPTURE_NEXT_DONE);
    assert_int_equal(read_lie(&note, 0), AGPU_CAPTURE_NEXT_DONE);
    assert_int_equal(read_lie(&note, AGPU_CAPTURE_FUNCTIONS - 1), AGPU_CAPTURE_NEXT_DONE);
    assert_int_equal(read_lie(&note, AGPU_CAPTURE_FUNCTIONS), AGPU_CAPTURE_NEXT_WRONG);
    assert_int_equal(read_lie(&unknown, UINT8_MAX), AGPU_CAPTURE_NEXT_WRONG);
}

/* ---- memory ---- */

static const char *apply_map(struct agpu_capture_memory *memory, enum agpu_capture_type type,
                             uint64_t address, uint64_t size, uint32_t kind)
{
    const struct agpu_capture_map map = {.address = address, .size = size, .kind = kind};
    const struct agpu_capture_item item = {.type = type, .map = &map};

    return agpu_capture_memory_apply(memory, &item);
}

static const char *apply_bytes(struct agpu_capture_memory *memory, uint64_t address, const void *bytes,
                               uint32_t size)
{
    const struct agpu_capture_bytes recorded = {.address = address, .size = size};
    const struct agpu_capture_item item = {
        .type = AGPU_CAPTURE_CONTENTS, .bytes = &recorded, .tail = bytes, .tail_size = size};

    return agpu_capture_memory_apply(memory, &item);
}

TEST(memory_contradictions_are_refused)
{
    struct agpu_capture_memory *memory = agpu_capture_memory_create(AGPU_CAPTURE_TOUCHED_MOST);
    const uint8_t bytes[128] = {1, 2, 3};
    uint8_t out[128];

    assert_non_null(memory);
    assert_null(apply_map(memory, AGPU_CAPTURE_MAP, 0x2000, 0x1000, AGPU_CAPTURE_ZEROED));
    assert_null(apply_map(memory, AGPU_CAPTURE_MAP, 0x3000, 0x1000, AGPU_CAPTURE_UNKNOWN));
    assert_non_null(apply_map(memory, AGPU_CAPTURE_MAP, 0x1000, 0x1001, AGPU_CAPTURE_ZEROED));
    assert_non_null(apply_map(memory, AGPU_CAPTURE_MAP, 0x3FFF, 0x10, AGPU_CAPTURE_ZEROED));
    assert_non_null(
        apply_map(memory, AGPU_CAPTURE_MAP, 0x10000, AGPU_CAPTURE_MAPPED_MOST, AGPU_CAPTURE_ZEROED));
    assert_non_null(apply_map(memory, AGPU_CAPTURE_UNMAP, 0x2000, 0x800, 0));
    assert_non_null(apply_map(memory, AGPU_CAPTURE_UNMAP, 0x2800, 0x800, 0));
    assert_non_null(apply_bytes(memory, 0x1FC0, bytes, sizeof bytes));
    assert_non_null(apply_bytes(memory, 0x3FC0, bytes, sizeof bytes));
    assert_null(apply_bytes(memory, 0x2FC0, bytes, sizeof bytes)); /* covers both regions */

    assert_true(agpu_capture_memory_read(memory, 0x2FC0, out, sizeof out));
    assert_memory_equal(out, bytes, sizeof out);
    assert_false(agpu_capture_memory_read(memory, 0x3000, out, sizeof out)); /* half of it: never written */
    assert_null(apply_map(memory, AGPU_CAPTURE_UNMAP, 0x2000, 0x1000, 0));
    assert_false(agpu_capture_memory_read(memory, 0x2FC0, out, sizeof out));
    assert_null(agpu_capture_memory_find(memory, 0x2FFF));
    agpu_capture_memory_destroy(memory);
}

/* A small file may ask for much memory: each of these bytes costs a page. */
TEST(memory_is_bounded)
{
    struct agpu_capture_memory *memory = agpu_capture_memory_create(UINT64_C(1) << 20);
    const uint8_t byte = 1;

    assert_non_null(memory);
    assert_null(apply_map(memory, AGPU_CAPTURE_MAP, 0, UINT64_C(1) << 30, AGPU_CAPTURE_UNKNOWN));
    for (uint64_t page = 0; page < 256; page++) {
        assert_null(apply_bytes(memory, page * 8192, &byte, 1));
    }
    assert_null(apply_bytes(memory, 64, &byte, 1));
    assert_non_null(apply_bytes(memory, 4096, &byte, 1));
    agpu_capture_memory_clear(memory);
    assert_null(apply_map(memory, AGPU_CAPTURE_MAP, 0, UINT64_C(1) << 30, AGPU_CAPTURE_UNKNOWN));
    assert_null(apply_bytes(memory, 4096, &byte, 1));
    agpu_capture_memory_destroy(memory);
}
