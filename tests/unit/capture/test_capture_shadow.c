/* test_capture_shadow.c: a reader that applies each reported change has the same memory. The shadow reports no more
 * than the differences. */
#include <stdlib.h>
#include <string.h>

#include "tests/capture/difference.h"
#include "tests/capture/shadow.h"
#include "tests/unit/test.h"

#define BASE   UINT64_C(0x40000)
#define BYTES  (64u << 10)
#define ROUNDS 4000u

static uint8_t memory[BYTES], reader[BYTES];
static unsigned told;
static bool exact; /* a report must start and end with bytes that differ from the reader's */
static uint32_t state_of_random;

static uint32_t random_below(uint32_t bound)
{
    state_of_random = state_of_random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state_of_random * bound >> 32);
}

static void *take(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static void give_back(void *ctx, void *bytes)
{
    (void)ctx;
    free(bytes);
}

static void follow(void *ctx, uint64_t address, const uint8_t *bytes, uint32_t size)
{
    const uint64_t at = address - BASE;

    (void)ctx;
    assert_true(at < BYTES && size > 0 && size <= BYTES - at);
    if (exact) {
        assert_int_not_equal(reader[at], bytes[0]);
        assert_int_not_equal(reader[at + size - 1], bytes[size - 1]);
    }
    memcpy(reader + at, bytes, size);
    told++;
}

/* Changes memory as drivers and devices do: a few bytes, whole lines, full and empty pages. */
static void change_memory(void)
{
    const uint32_t at = random_below(BYTES);
    uint32_t size = 1 + random_below(9), kind = random_below(6);

    if (kind >= 3) {
        size = kind == 3 ? 1 + random_below(300) : AGPU_SHADOW_PAGE * (1 + random_below(2));
    }
    size = size < BYTES - at ? size : BYTES - at;
    for (uint32_t i = at; i < at + size; i++) {
        memory[i] = kind == 4 ? 0 : (uint8_t)random_below(256);
    }
}

/* Opens a shadow of all-zero memory, with storage for this number of pages. The caller frees the storage. */
static void *open_shadow(struct agpu_shadow *shadow, bool zeroed, uint32_t join, uint32_t pages)
{
    static const struct agpu_capture_heap heap = {take, give_back, NULL};
    const struct agpu_shadow_region region = {
        .address = BASE, .size = BYTES, .cpu = memory, .zeroed = zeroed};
    void *storage = NULL;

    assert_int_equal(posix_memalign(&storage, 16, agpu_shadow_bytes(pages)), 0);
    agpu_shadow_init(shadow, storage, pages, &heap);
    shadow->record = follow;
    shadow->join = join;
    memset(memory, 0, sizeof memory);
    memset(reader, zeroed ? 0 : 0xA5, sizeof reader);
    exact = zeroed && join == 0 && pages >= BYTES / AGPU_SHADOW_PAGE;
    assert_true(agpu_shadow_map(shadow, &region));
    return storage;
}

static void follow_memory(bool zeroed, uint32_t join, uint32_t pages)
{
    struct agpu_shadow shadow;
    void *storage = open_shadow(&shadow, zeroed, join, pages);

    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint32_t at = round % 3 == 0 ? random_below(BYTES) : random_below(BYTES) & ~4095u;
        uint32_t size = round % 5 == 0 ? 1 + random_below(200) : 1 + random_below(3 * AGPU_SHADOW_PAGE);

        size = size < BYTES - at ? size : BYTES - at;
        change_memory();
        assert_true(agpu_shadow_compare(&shadow, BASE + at, size));
        assert_memory_equal(memory + at, reader + at, size);
        if (exact) {
            told = 0;
            assert_true(agpu_shadow_compare(&shadow, BASE + at, size));
            assert_int_equal(told, 0);
        }
    }
    assert_true(agpu_shadow_compare(&shadow, BASE, BYTES));
    assert_memory_equal(memory, reader, BYTES);
    agpu_shadow_close(&shadow);
    free(storage);
}

/* The shadow runs out of pages in the middle of a comparison, in front of a page that it reported as full and that is
 * empty now. */
TEST(nothing_is_zero_any_more)
{
    struct agpu_shadow shadow;
    void *storage = open_shadow(&shadow, true, 0, 2);

    memset(memory + AGPU_SHADOW_PAGE, 1, (size_t)2 * AGPU_SHADOW_PAGE);
    assert_true(agpu_shadow_compare(&shadow, BASE, BYTES));
    memset(memory, 2, AGPU_SHADOW_PAGE);
    memset(memory + AGPU_SHADOW_PAGE, 0, AGPU_SHADOW_PAGE);
    assert_true(agpu_shadow_compare(&shadow, BASE, BYTES));
    assert_int_not_equal(shadow.forgotten, 0);
    assert_memory_equal(memory, reader, BYTES);
    agpu_shadow_close(&shadow);
    free(storage);
}

TEST(memory_is_followed)
{
    for (uint32_t seed = 1; seed < 4; seed++) {
        state_of_random = seed;
        follow_memory(true, 0, 256);
        follow_memory(true, 40, 256);
        follow_memory(false, 0, 256);
        follow_memory(true, 0, 5); /* of 16: the shadow forgets, and reports all again */
    }
}

TEST(differences_are_found)
{
    uint8_t one[700] = {0}, other[700] = {0};

    for (uint32_t size = 1; size <= sizeof one; size++) {
        assert_true(agpu_difference_is_zero(one, size));
        assert_int_equal(agpu_difference_equal(one, other, size), size);
        assert_int_equal(agpu_difference_dense(one, other, size), 0);
        for (uint32_t at = size > 70 ? size - 70 : 0; at < size; at++) {
            uint32_t first = 0, last = size;

            one[at] = 1;
            assert_false(agpu_difference_is_zero(one, size));
            assert_int_equal(agpu_difference_equal(one, other, size), at - at % AGPU_DIFFERENCE_LINE);
            agpu_difference_narrow(one, other, &first, &last);
            assert_int_equal(first, at);
            assert_int_equal(last, at + 1);
            one[at] = 0;
        }
    }
    memset(one, 7, 640);
    assert_int_equal(agpu_difference_dense(one, other, sizeof one), 640);
    other[320] = 7;
    assert_int_equal(agpu_difference_dense(one, other, sizeof one), 320);
    other[320] = 0;
    other[191] = 7;
    assert_int_equal(agpu_difference_dense(one, other, sizeof one), 128);
}
