/* buffer_backing.c: the guest memory of a buffer: allocation ids, backing offsets, rebinding (commands.md 6.1, ring.md
 * 8). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"

#define ALLOC  7u
#define SOURCE 9u  /* handle of a host-owned buffer */
#define FIRST  16u /* handle of the first of several buffers */

#define BIG_BYTES (0x120000u + 0x300u)
#define BYTES     96u  /* of each buffer */
#define WINDOW    256u /* bytes to check on each side */

/* Offsets: pairs that differ above 16 and above 20 bits, unaligned ones, page boundaries, the last possible. No two
 * windows overlap. */
static const uint32_t offsets[] = {
    0x000400, 0x001203, 0x002402, 0x0037FC, 0x004FFF, 0x006FC4, 0x009001, 0x00B7FE,          0x010400,
    0x011203, 0x0137FC, 0x022402, 0x0FFFD0, 0x100400, 0x101203, 0x10B7FE, BIG_BYTES - BYTES,
};
#define OFFSETS (uint32_t)(sizeof offsets / sizeof offsets[0])

static uint8_t before[BYTES + 2 * WINDOW];

/* Returns the window of guest memory around an offset, and its size. */
static uint8_t *window_of(const struct agpu_dma *memory, uint32_t offset, uint32_t *bytes)
{
    const uint32_t end = offset + BYTES + WINDOW < BIG_BYTES ? offset + BYTES + WINDOW : BIG_BYTES;

    *bytes = end - (offset - WINDOW);
    return (uint8_t *)memory->cpu + offset - WINDOW;
}

/* Each buffer must have the contents that its memory had at creation; checks them with copies into one read-back
 * buffer. */
static bool backing_is_read(struct agpu_test *t, const struct agpu_dma *big)
{
    struct agpu_rig *r = agpu_rig_of(t);
    static uint8_t expected[OFFSETS * BYTES];

    agpu_rig_alloc(r, ALLOC, big, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(r, SOURCE, OFFSETS * BYTES, 0, 0);
    for (uint32_t i = 0; i < OFFSETS; i++) {
        uint32_t bytes;
        uint8_t *window = window_of(big, offsets[i], &bytes);

        agpu_fill_origin(window, bytes, i, AGPU_FROM_DEVICE);
        memcpy(expected + i * BYTES, window + WINDOW, BYTES);
        agpu_put_create_buffer(r, FIRST + i, BYTES, ALLOC, offsets[i]);
        agpu_put_dirty(r, FIRST + i, 0, BYTES);
        agpu_put_copy_buffer(r, SOURCE, i * BYTES, FIRST + i, 0, BYTES, AEROGPU_COPY_FLAG_NONE);
    }
    agpu_put_readback(r, SOURCE, 0, sizeof expected);
    return agpu_run_clean(t) && agpu_check_readback(t, expected, sizeof expected);
}

/* Buffers at different backing offsets must each read and write back their own memory. */
static void backing_offsets(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    const struct agpu_dma *big = agpu_rig_more(r, BIG_BYTES);
    uint8_t data[BYTES];

    if (big == NULL) {
        agpu_error(t, "no memory for an allocation above 1 MiB");
        return;
    }
    agpu_return_unless(backing_is_read(t, big));
    /* All but the first and last word of each is replaced and written back; bytes that the CPU wrote beside it must
     * remain. */
    agpu_rig_alloc(r, ALLOC, big, AEROGPU_ALLOC_FLAG_NONE);
    for (uint32_t i = 0; i < OFFSETS; i++) {
        uint32_t bytes;
        uint8_t *window = window_of(big, offsets[i], &bytes);

        agpu_fill_origin(window, bytes, 100 + i, AGPU_FROM_GUEST);
        agpu_fill_origin(data, sizeof data, i, AGPU_FROM_SOURCE);
        agpu_put_upload(r, SOURCE, i * BYTES, data, sizeof data);
        agpu_put_copy_buffer(r, FIRST + i, 4, SOURCE, i * BYTES, BYTES - 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < OFFSETS; i++) {
        uint32_t bytes;
        const uint8_t *window = window_of(big, offsets[i], &bytes);

        agpu_fill_origin(before, bytes, 100 + i, AGPU_FROM_GUEST);
        agpu_fill_origin(data, sizeof data, i, AGPU_FROM_SOURCE);
        memcpy(before + WINDOW + 4, data, BYTES - 8);
        agpu_return_unless(agpu_check_origins(t, window, before, bytes,
                                              "write-back after a backing offset, from 256 bytes before it"));
    }
}

/* ---- ids ---- */

/* Ids that are equal in fewer bits, and ids that are also entry numbers. */
static const uint32_t ids[] = {
    1,          5,          0x00000105, 0x00010005, 0x01000005, 0x40000005, 0x7FFFFFFF, 0x80000001,
    0x80000005, 0x8001FFFF, 0xC0000005, 0xFFFFFFFF, 0x0000FFFF, 2,          0xFFFF0001, 0x00010001,
};
#define IDS       (uint32_t)(sizeof ids / sizeof ids[0])
#define SLOT      4096u /* bytes of memory 0 for each id */
#define IDS_BYTES (IDS * BYTES)

/* Returns the start of its allocation in memory 0; an address needs no alignment. */
static uint32_t id_place(uint32_t i)
{
    return i * SLOT + i % 7;
}

static void put_ids(struct agpu_rig *r)
{
    for (uint32_t i = 0; i < IDS; i++) {
        agpu_rig_alloc_range(r, ids[i], r->memory[0].device_address + id_place(i), SLOT - 8,
                             AEROGPU_ALLOC_FLAG_NONE);
    }
}

/* Buffers with similar allocation ids must each read and write back their own memory. */
static void backing_ids(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[0].cpu;
    uint8_t *wanted = r->memory[2].cpu;
    uint8_t expected[IDS_BYTES];
    uint8_t data[BYTES];

    agpu_fill_origin(memory, r->memory[0].size, 1, AGPU_FROM_DEVICE);
    put_ids(r);
    agpu_put_create_buffer(r, SOURCE, IDS_BYTES, 0, 0);
    for (uint32_t i = 0; i < IDS; i++) {
        memcpy(expected + i * BYTES, memory + id_place(i), BYTES);
        agpu_put_create_buffer(r, FIRST + i, BYTES, ids[i], 0);
        agpu_put_dirty(r, FIRST + i, 0, BYTES);
        agpu_put_copy_buffer(r, SOURCE, i * BYTES, FIRST + i, 0, BYTES, AEROGPU_COPY_FLAG_NONE);
    }
    agpu_put_readback(r, SOURCE, 0, IDS_BYTES);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_readback(t, expected, IDS_BYTES));

    agpu_fill_origin(memory, r->memory[0].size, 2, AGPU_FROM_GUEST);
    memcpy(wanted, memory, r->memory[0].size);
    put_ids(r);
    for (uint32_t i = 0; i < IDS; i++) {
        agpu_fill_origin(data, sizeof data, i, AGPU_FROM_SOURCE);
        memcpy(wanted + id_place(i), data, sizeof data);
        agpu_put_upload(r, SOURCE, i * BYTES, data, sizeof data);
        agpu_put_copy_buffer(r, FIRST + i, 0, SOURCE, i * BYTES, BYTES, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, memory, wanted, r->memory[0].size,
                       "write-back to allocations whose ids are alike in part, 4096 bytes each");
}

/* ---- many ---- */

#define ALLOCS      1000u
#define ALLOC_BYTES 64u /* bytes each; in total less than memory 0 */

/* Descending, so that no id equals its entry number. */
static uint32_t many_id(uint32_t i)
{
    return 5000 - 3 * i;
}

static void put_many_allocs(struct agpu_rig *r)
{
    for (uint32_t i = 0; i < ALLOCS; i++) {
        agpu_rig_alloc_range(r, many_id(i), r->memory[0].device_address + i * ALLOC_BYTES, ALLOC_BYTES,
                             AEROGPU_ALLOC_FLAG_NONE);
    }
}

/* Given a table of a thousand entries, buffers over those around each power of two, and over the last, must find their
 * memory. */
static void backing_many(struct agpu_test *t)
{
    static const uint16_t places[] = {0,   1,   7,   8,   15,  16,  31,  32,  63,  64,  65, 127,
                                      128, 129, 255, 256, 257, 500, 511, 512, 513, 998, 999};
    const uint32_t count = sizeof places / sizeof places[0];
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[0].cpu;
    uint8_t *wanted = r->memory[2].cpu;
    uint8_t expected[sizeof places / sizeof places[0] * ALLOC_BYTES];
    uint8_t data[ALLOC_BYTES];

    agpu_fill_origin(memory, r->memory[0].size, 11, AGPU_FROM_DEVICE);
    put_many_allocs(r);
    agpu_put_create_buffer(r, SOURCE, sizeof expected, 0, 0);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(expected + i * ALLOC_BYTES, memory + places[i] * ALLOC_BYTES, ALLOC_BYTES);
        agpu_put_create_buffer(r, FIRST + i, ALLOC_BYTES, many_id(places[i]), 0);
        agpu_put_dirty(r, FIRST + i, 0, ALLOC_BYTES);
        agpu_put_copy_buffer(r, SOURCE, i * ALLOC_BYTES, FIRST + i, 0, ALLOC_BYTES, AEROGPU_COPY_FLAG_NONE);
    }
    agpu_put_readback(r, SOURCE, 0, sizeof expected);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_readback(t, expected, sizeof expected));
    agpu_fill_origin(memory, r->memory[0].size, 12, AGPU_FROM_GUEST);
    memcpy(wanted, memory, r->memory[0].size);
    put_many_allocs(r);
    for (uint32_t i = 0; i < count; i++) {
        agpu_fill_origin(data, sizeof data, i, AGPU_FROM_SOURCE);
        memcpy(wanted + places[i] * ALLOC_BYTES, data, sizeof data);
        agpu_put_upload(r, SOURCE, i * ALLOC_BYTES, data, sizeof data);
        agpu_put_copy_buffer(r, FIRST + i, 0, SOURCE, i * ALLOC_BYTES, ALLOC_BYTES,
                             AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, memory, wanted, r->memory[0].size,
                       "write-back to some of a thousand allocations of 64 bytes");
}

/* ---- rebinding ---- */

/* A live buffer that is created again with equal properties must be rebound to the new memory and keep its contents. */
static void rebind_identical(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *first = r->memory[0].cpu;
    uint8_t *second = r->memory[1].cpu;
    uint8_t contents[SLOT];
    uint8_t expected[SLOT];
    uint8_t data[64];
    bool passed = true;

    /* A repeated creation of a live buffer with equal properties only rebinds its backing (commands.md 6.1): the
     * contents stay, and write-backs go to the new memory. Known devices refuse it. */
    agpu_fill_origin(first, SLOT, 1, AGPU_FROM_DEVICE);
    memcpy(contents, first, SLOT);
    agpu_fill_origin(data, sizeof data, 2, AGPU_FROM_SOURCE);
    agpu_rig_alloc(r, 7, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(r, FIRST, SLOT, 7, 0);
    agpu_put_dirty(r, FIRST, 0, SLOT);
    agpu_put_create_buffer(r, SOURCE, 64, 0, 0);
    agpu_put_upload(r, SOURCE, 0, data, sizeof data);
    agpu_put_readback(r, FIRST, 0, SLOT);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_readback(t, contents, SLOT));
    agpu_put_readback_done(r);
    agpu_return_unless(agpu_run_clean(t));

    agpu_fill_origin(first, SLOT, 3, AGPU_FROM_GUEST);
    agpu_fill_origin(second, SLOT, 4, AGPU_FROM_GUEST);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(r, FIRST, SLOT, 8, 12);
    agpu_return_unless(t->env->model ? agpu_run_clean(t)
                                     : agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed));
    agpu_rig_alloc(r, 7, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(r, FIRST, 100, SOURCE, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_origin(expected, SLOT, 3, AGPU_FROM_GUEST);
    if (!passed) {
        memcpy(expected + 100, data, sizeof data);
    }
    agpu_check_origins(t, first, expected, SLOT, "the first memory of the buffer");
    agpu_fill_origin(expected, SLOT, 4, AGPU_FROM_GUEST);
    if (passed) {
        memcpy(expected + 112, data, sizeof data);
    }
    agpu_check_origins(t, second, expected, SLOT, "the memory that the buffer was bound to anew");
    if (t->env->model) { /* devices that read guest memory at each use read the new memory */
        memcpy(contents + 100, data, sizeof data);
        agpu_put_readback(r, FIRST, 0, SLOT);
        agpu_return_unless(agpu_run_clean(t));
        agpu_check_readback(t, contents, SLOT);
    }
}

#define BACKING_CASE(name, section, function)                                                                \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case resource_buffer_backing_cases[] = {
    BACKING_CASE("buffer.backing.offsets", "commands.md 6.1", backing_offsets),
    BACKING_CASE("buffer.backing.alloc_ids", "ring.md 8", backing_ids),
    BACKING_CASE("buffer.backing.thousand_allocs", "ring.md 8", backing_many),
    BACKING_CASE("buffer.create.rebind_identical", "commands.md 6.1", rebind_identical),
};

AGPU_CASE_TABLE(agpu_cases_resource_buffer_backing, resource_buffer_backing_cases);
