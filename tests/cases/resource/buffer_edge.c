/* buffer_edge.c: buffer copies, write-back and dirty ranges around every page boundary of guest memory, at every
 * alignment; bytes beside them must not change (commands.md 6.2, 6.4). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"

#define PAGE   4096u
#define EDGES  15u /* page boundaries in memory 0 */
#define BYTES  (AGPU_RIG_MEMORY_BYTES - 64u)
#define SOURCE 1u
#define GUEST  2u /* a guest-backed buffer like the source */
#define TARGET 3u
#define USED   4u /* the target is copied into it once, so that the device has read it */
#define ALLOC  9u

/* Bytes before and after a page boundary, multiples of 4. */
static const uint16_t reach[] = {4, 0, 8, 12, 60, 64, 68, 124, 16, 128, 252, 20, 256, 32, 1020, 44};
#define REACHES (sizeof reach / sizeof reach[0])

struct edge_round {
    uint32_t backing; /* offset of the target in its allocation */
    uint32_t source;  /* SOURCE or GUEST */
    uint32_t turn;    /* selects which of these lengths meet at which boundary */
};

static const struct edge_round rounds[] = {{0, SOURCE, 0}, {1, GUEST, 1},  {2, SOURCE, 4},  {3, GUEST, 7},
                                           {4, SOURCE, 9}, {6, GUEST, 11}, {7, SOURCE, 13}, {57, GUEST, 14}};
#define ROUNDS (sizeof rounds / sizeof rounds[0])

/* The copy at one page boundary in a round. */
struct edge_copy {
    uint32_t to; /* offset in the target */
    uint32_t from;
    uint32_t bytes;
};

static struct edge_copy edge_copy(const struct edge_round *round, uint32_t edge)
{
    const uint32_t below = reach[(edge + round->turn) % REACHES];
    const uint32_t above = reach[(edge * 3 + round->turn) % REACHES];
    struct edge_copy copy;

    copy.to = (((edge + 1) * PAGE - round->backing) & ~3u) - below;
    copy.bytes = below + above > 0 ? below + above : 4;
    copy.from = (copy.to + 52 * edge + 4 * round->turn) % (BYTES - 4096);
    return copy;
}

/* Creates both sources with the bytes of memory 1. */
static void edge_put_sources(struct agpu_rig *r)
{
    agpu_fill_origin(r->memory[1].cpu, r->memory[1].size, 1, AGPU_FROM_SOURCE);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(r, SOURCE, BYTES, 0, 0);
    agpu_put_create_buffer(r, USED, BYTES, 0, 0);
    agpu_put_create_buffer(r, GUEST, BYTES, 8, 5);
    agpu_put_dirty(r, GUEST, 0, BYTES);
    agpu_put_copy_buffer(r, SOURCE, 0, GUEST, 0, BYTES, AEROGPU_COPY_FLAG_NONE);
}

/* Creates the target over memory 0 at this offset; the device has read it. */
static void edge_put_target(struct agpu_rig *r, uint32_t backing, uint32_t seed)
{
    agpu_fill_origin(r->memory[0].cpu, r->memory[0].size, seed, AGPU_FROM_DEVICE);
    agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_destroy(r, TARGET);
    agpu_put_create_buffer(r, TARGET, BYTES, ALLOC, backing);
    agpu_put_dirty(r, TARGET, 0, BYTES);
    agpu_put_copy_buffer(r, USED, 0, TARGET, 0, BYTES, AEROGPU_COPY_FLAG_NONE);
}

/* Copies at every page boundary. Guest memory must keep the bytes that the CPU wrote after the device read it, except
 * the copied ones. */
static bool write_back_round(struct agpu_test *t, const struct edge_round *round, uint32_t seed)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *expected = r->memory[2].cpu;
    uint8_t *memory = r->memory[0].cpu;
    const uint8_t *source = (const uint8_t *)r->memory[1].cpu + 5;

    agpu_fill_origin(memory, r->memory[0].size, seed, AGPU_FROM_GUEST);
    memcpy(expected, memory, r->memory[0].size);
    agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    for (uint32_t edge = 0; edge < EDGES; edge++) {
        const struct edge_copy copy = edge_copy(round, edge);

        agpu_put_copy_buffer(r, TARGET, copy.to, round->source, copy.from, copy.bytes,
                             AEROGPU_COPY_FLAG_WRITEBACK_DST);
        memcpy(expected + round->backing + copy.to, source + copy.from, copy.bytes);
    }
    return agpu_run_clean(t) &&
           agpu_check_origins(t, memory, expected, r->memory[0].size,
                              "guest memory after copies with write-back over each page edge");
}

/* Copies with write-back around each page boundary must change exactly their bytes of guest memory. */
static void write_back_edges(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    edge_put_sources(r);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        agpu_return_unless(agpu_time_left(t));
        edge_put_target(r, rounds[i].backing, 10 + i);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(write_back_round(t, &rounds[i], 50 + i));
    }
    /* The same copies again: the device's own copy does not change, guest memory must. */
    write_back_round(t, &rounds[ROUNDS - 1], 90);
}

/* A copy must change only its bytes in the device's copy of a buffer too. */
static void device_copy_edges(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *expected = r->memory[2].cpu;
    const struct edge_round round = {0, SOURCE, 5};

    edge_put_sources(r);
    agpu_return_unless(agpu_run_clean(t));
    /* From one host-owned buffer to another. */
    edge_put_target(r, 0, 20);
    memcpy(expected, r->memory[0].cpu, BYTES);
    for (uint32_t edge = 0; edge < EDGES; edge++) {
        const struct edge_copy copy = edge_copy(&round, edge);

        agpu_put_copy_buffer(r, USED, copy.to, SOURCE, copy.from, copy.bytes, AEROGPU_COPY_FLAG_NONE);
        memcpy(expected + copy.to, (const uint8_t *)r->memory[1].cpu + 5 + copy.from, copy.bytes);
    }
    agpu_put_readback(r, USED, 0, BYTES);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, expected, BYTES);
}

/* A dirty range must update exactly its bytes: ranges at odd offsets and of odd lengths over each page boundary. */
static void dirty_edges(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[0].cpu;
    static uint8_t fresh[2 * PAGE];

    agpu_put_create_buffer(r, USED, BYTES, 0, 0);
    agpu_fill_origin(fresh, sizeof fresh, 2, AGPU_FROM_SOURCE);
    for (uint32_t i = 0; i < 5; i++) {
        const uint32_t backing = rounds[i].backing;

        agpu_return_unless(agpu_time_left(t));
        edge_put_target(r, backing, 30 + i);
        agpu_return_unless(agpu_run_clean(t));
        agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
        for (uint32_t edge = 0; edge < EDGES; edge++) {
            const uint32_t below = reach[(edge + i) % REACHES] + (edge + i) % 5;
            const uint32_t bytes = below + reach[(edge * 5 + i) % REACHES] + edge % 3 + 1;
            const uint32_t at = (edge + 1) * PAGE - backing - below;

            memcpy(memory + backing + at, fresh + 16 * edge + i, bytes);
            agpu_put_dirty(r, TARGET, at, bytes);
        }
        agpu_put_readback(r, TARGET, 0, BYTES);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_readback(t, memory + backing, BYTES));
        agpu_put_readback_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* Uploads of every small length at every alignment, including the first and last words, must write exactly their
 * bytes. */
static void upload_edges(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *expected = r->memory[2].cpu;
    uint8_t data[128];
    const uint32_t size = 16384;

    agpu_fill_origin(r->memory[0].cpu, size, 40, AGPU_FROM_DEVICE);
    memcpy(expected, r->memory[0].cpu, size);
    agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(r, TARGET, size, ALLOC, 0);
    agpu_put_dirty(r, TARGET, 0, size);
    agpu_put_create_buffer(r, USED, size, 0, 0);
    agpu_put_copy_buffer(r, USED, 0, TARGET, 0, size, AEROGPU_COPY_FLAG_NONE);
    for (uint32_t i = 0; i < 100; i++) {
        const uint32_t bytes = 4 + 4 * (i % 31);
        uint32_t at = i * 160 + 4 * (i % 17);

        if (i == 0 || i == 99) {
            at = i == 0 ? 0 : size - bytes;
        }
        agpu_fill_origin(data, bytes, 300 + i, AGPU_FROM_SOURCE);
        agpu_put_upload(r, USED, at, data, bytes);
        memcpy(expected + at, data, bytes);
    }
    agpu_put_readback(r, USED, 0, size);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, expected, size);
}

/* Given a thousand write-backs in one submission, more than a queue of some hundreds holds, each must arrive, and the
 * later of two to one place must win. */
static void thousand_write_backs(struct agpu_test *t)
{
    enum { COUNT = 1200 };
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *expected = r->memory[2].cpu;
    const uint8_t *source = (const uint8_t *)r->memory[1].cpu + 5;

    edge_put_sources(r);
    edge_put_target(r, 0, 60);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_origin(r->memory[0].cpu, r->memory[0].size, 61, AGPU_FROM_GUEST);
    memcpy(expected, r->memory[0].cpu, r->memory[0].size);
    agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t to = i * 7 % 1000 * 60; /* the last 200 once more */
        const uint32_t from = (i * 52 + 4) % (BYTES - 8);

        agpu_put_copy_buffer(r, TARGET, to, SOURCE, from, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        memcpy(expected + to, source + from, 8);
    }
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, r->memory[0].cpu, expected, r->memory[0].size,
                       "guest memory after 1200 write-backs in one submission");
}

#define EDGE_CASE(name, section, function)                                                                   \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_TRANSFER,      \
        .run = (function)                                                                                    \
    }

static const struct agpu_case resource_buffer_edge_cases[] = {
    EDGE_CASE("buffer.copy.writeback_at_page_edges", "commands.md 6.4", write_back_edges),
    EDGE_CASE("buffer.copy.between_host_owned", "commands.md 6.4", device_copy_edges),
    EDGE_CASE("buffer.copy.thousand_writebacks", "commands.md 6.4", thousand_write_backs),
    EDGE_CASE("buffer.dirty.page_edges", "commands.md 6.2", dirty_edges),
    EDGE_CASE("buffer.upload.places_and_lengths", "commands.md 6.3", upload_edges),
};

AGPU_CASE_TABLE(agpu_cases_resource_buffer_edge, resource_buffer_edge_cases);
