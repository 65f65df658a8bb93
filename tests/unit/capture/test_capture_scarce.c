/* test_capture_scarce.c: the recorder runs out of memory. It leaves out the case, the file stays valid, and contents
 * that the shadow had to forget are recorded again. */
#include <stdlib.h>
#include <string.h>

#include "tests/capture/hold.h"
#include "tests/capture/shadow.h"
#include "tests/host/capture/reader.h"
#include "tests/unit/test.h"

#define CASE_BYTES ((size_t)16 * AGPU_CAPTURE_HOLD_BLOCK)
#define PAGES      1024u /* four times what fits at first */

static uint8_t file_bytes[8u << 20];
static size_t file_size;
static unsigned allowed, live; /* heap blocks: may still be allocated; not freed yet */

static void *scarce_alloc(void *ctx, size_t size)
{
    (void)ctx;
    if (allowed == 0) {
        return NULL;
    }
    allowed--;
    live++;
    return malloc(size);
}

static void scarce_free(void *ctx, void *memory)
{
    (void)ctx;
    live--;
    free(memory);
}

static const struct agpu_capture_heap heap = {scarce_alloc, scarce_free, NULL};

static bool keep(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    assert_true(size <= sizeof file_bytes - file_size);
    memcpy(file_bytes + file_size, bytes, size);
    file_size += size;
    return true;
}

/* Records a case with this number of records of 32 KiB each. */
static bool hold_case(struct agpu_capture_hold *hold, const char *id, unsigned records)
{
    static uint8_t bytes[32u << 10];
    const struct agpu_capture_case head = {0};

    agpu_capture_hold_begin(hold);
    agpu_capture_put_text(&hold->encoder, AGPU_CAPTURE_CASE, 0, &head, sizeof head, id);
    for (unsigned i = 0; i < records; i++) {
        memcpy(bytes, &i, sizeof i); /* equal bytes would not be recorded again */
        agpu_capture_put_bytes(&hold->encoder, AGPU_CAPTURE_CONTENTS, 0, 4096, bytes, sizeof bytes);
    }
    agpu_capture_put_text(&hold->encoder, AGPU_CAPTURE_CASE_END, 0, &head, sizeof head, "PASS");
    return agpu_capture_hold_end(hold, true);
}

TEST(a_case_without_memory_is_left_out)
{
    static const char *const expected[] = {"unit.first", "unit.third"};
    static const unsigned records[] = {20, 12}; /* two and a half blocks, one and a half blocks */
    struct agpu_capture_hold hold;
    struct agpu_capture_reader *reader;
    struct agpu_capture_item item;
    enum agpu_capture_next next;
    unsigned cases = 0, contents = 0;
    char message[200];
    void *storage = malloc(agpu_capture_hold_bytes(CASE_BYTES));

    allowed = 4;
    assert_true(agpu_capture_hold_init(&hold, storage, CASE_BYTES, &heap, keep, NULL));
    assert_true(hold_case(&hold, "unit.first", records[0]));
    assert_true(hold_case(&hold, "unit.second", 100)); /* more than four blocks, less than the limit */
    assert_true(hold.overrun);
    assert_true(hold_case(&hold, "unit.third", records[1]));
    assert_false(hold.overrun);
    assert_true(agpu_capture_finish(&hold.encoder));
    agpu_capture_hold_close(&hold);
    assert_int_equal(live, 0);
    free(storage);

    reader = agpu_capture_open_memory(file_bytes, file_size, message, sizeof message);
    assert_non_null(reader);
    while ((next = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type == AGPU_CAPTURE_CASE) {
            assert_true(cases < 2);
            assert_string_equal(item.text, expected[cases++]);
            contents = 0;
        } else if (item.type == AGPU_CAPTURE_CASE_END) {
            assert_int_equal(contents, records[cases - 1]);
        }
        contents += item.type == AGPU_CAPTURE_CONTENTS;
    }
    assert_int_equal(next, AGPU_CAPTURE_NEXT_DONE);
    assert_int_equal(cases, 2);
    agpu_capture_close(reader);
}

/* Updates the reader's copy of the memory. */
static void take_difference(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size)
{
    memcpy((uint8_t *)ctx + address, bytes, size);
}

TEST(recorded_pages_outlive_a_full_shadow)
{
    const size_t size = (size_t)PAGES * AGPU_SHADOW_PAGE;
    uint8_t *live_memory = calloc(1, size), *known = calloc(1, size),
            *storage = malloc(agpu_shadow_bytes(PAGES));
    const struct agpu_shadow_region region = {
        .size = size, .cpu = live_memory, .zeroed = true, .kind = AGPU_CAPTURE_ZEROED};
    struct agpu_shadow shadow;

    assert_non_null(live_memory);
    assert_non_null(known);
    assert_non_null(storage);
    for (unsigned chunks = 0; chunks < 4; chunks++) { /* three are enough for all of it */
        allowed = chunks;
        memset(live_memory, 0, size);
        memset(known, 0, size);
        agpu_shadow_init(&shadow, storage, PAGES, &heap);
        shadow.record = take_difference;
        shadow.ctx = known;
        assert_true(agpu_shadow_map(&shadow, &region));
        for (unsigned round = 1; round < 4; round++) {
            for (size_t at = round; at < size; at += 1000) {
                live_memory[at] = (uint8_t)(round + at);
            }
            assert_true(agpu_shadow_compare(&shadow, 0, size));
            assert_memory_equal(known, live_memory, size);
        }
        assert_int_equal(shadow.forgotten != 0, chunks < 3);
        agpu_shadow_close(&shadow);
        assert_int_equal(live, 0);
    }
    free(storage);
    free(known);
    free(live_memory);
}
