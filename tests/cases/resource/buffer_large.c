/* buffer_large.c: buffers just above 64 KiB and 1 MiB: creation, upload, dirty ranges, copies, up to their last bytes
 * (commands.md 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd_frame.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"

#define BIG    ((1u << 20) + 0x1000Cu) /* no multiple of 64 KiB, of pages, of 8 */
#define MEDIUM (65536u + 4u)
#define MORE   4096u /* bytes to check after the buffer */

#define SOURCE 1u
#define TARGET 2u
#define HOST   3u

/* Two memories, each for a big buffer and some bytes after it. */
struct large_pair {
    struct agpu_dma *source;
    struct agpu_dma *target;
};

static bool large_open(struct agpu_test *t, struct large_pair *pair)
{
    pair->source = agpu_rig_more(agpu_rig_of(t), BIG + MORE);
    pair->target = agpu_rig_more(agpu_rig_of(t), BIG + MORE);
    if (pair->source == NULL || pair->target == NULL) {
        agpu_error(t, "no memory for two buffers above 1 MiB");
        return false;
    }
    return true;
}

static void large_list(struct agpu_rig *r, const struct large_pair *pair)
{
    agpu_rig_alloc(r, 8, pair->source, AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(r, 9, pair->target, AEROGPU_ALLOC_FLAG_NONE);
}

/* Creates the guest-backed target, which the device has read; then its memory gets other bytes. */
static bool large_put_target(struct agpu_test *t, const struct large_pair *pair)
{
    struct agpu_rig *r = agpu_rig_of(t);

    large_list(r, pair);
    agpu_put_create_buffer(r, HOST, BIG, 0, 0);
    agpu_put_create_buffer(r, TARGET, BIG, 9, 0);
    agpu_put_dirty(r, TARGET, 0, BIG);
    agpu_put_copy_buffer(r, HOST, 0, TARGET, 0, BIG, AEROGPU_COPY_FLAG_NONE);
    return agpu_run_clean(t);
}

/* The memory of a new big buffer must be zero to its end, and a copy must reach the end and no further. */
static void large_is_zero(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct large_pair pair;
    uint8_t *target;

    agpu_return_unless(large_open(t, &pair));
    target = pair.target->cpu;
    agpu_return_unless(large_put_target(t, &pair));
    agpu_fill_origin(target, BIG + MORE, 1, AGPU_FROM_GUEST);
    agpu_fill_origin(pair.source->cpu, MORE, 1, AGPU_FROM_GUEST);
    large_list(r, &pair);
    agpu_put_create_buffer(r, 4, BIG, 0, 0);
    agpu_put_copy_buffer(r, TARGET, 0, 4, 0, BIG, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_filled(t, target, 0, BIG);
    agpu_fill_origin(pair.source->cpu, BIG + MORE, 1, AGPU_FROM_GUEST);
    agpu_check_origins(t, target + BIG, (uint8_t *)pair.source->cpu + BIG, MORE,
                       "guest memory behind a copied buffer above 1 MiB");
}

/* One copy of a whole big buffer must bring back the bytes that the CPU wrote; then a copy of the last bytes alone. */
static void large_round_trip(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct large_pair pair;
    uint8_t *source;

    agpu_return_unless(large_open(t, &pair));
    source = pair.source->cpu;
    agpu_return_unless(large_put_target(t, &pair));
    large_list(r, &pair);
    agpu_put_create_buffer(r, SOURCE, BIG, 8, 0);
    agpu_put_dirty(r, SOURCE, 0, BIG);
    agpu_put_copy_buffer(r, HOST, 0, SOURCE, 0, BIG, AEROGPU_COPY_FLAG_NONE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_origin(source, BIG, 2, AGPU_FROM_SOURCE);
    large_list(r, &pair);
    agpu_put_dirty(r, SOURCE, 0, BIG);
    agpu_put_copy_buffer(r, HOST, 0, SOURCE, 0, BIG, AEROGPU_COPY_FLAG_NONE);
    agpu_put_copy_buffer(r, TARGET, 0, HOST, 0, BIG, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_origins(t, pair.target->cpu, source, BIG, "a copy of more than 1 MiB"));
    agpu_fill_origin(source + BIG - 13, 13, 3, AGPU_FROM_SOURCE);
    large_list(r, &pair);
    agpu_put_dirty(r, SOURCE, BIG - 13, 13);
    agpu_put_copy_buffer(r, TARGET, BIG - 16, SOURCE, BIG - 16, 16, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, (uint8_t *)pair.target->cpu + BIG - 64, source + BIG - 64, 64,
                       "the last 64 bytes above 1 MiB after a dirty range at the end");
}

struct large_part {
    uint32_t to, from, bytes;
};

/* Offsets and lengths that differ above 16 and 20 bits; no two targets overlap. */
static const struct large_part parts[] = {
    {0x000010, 0x010020, 64},          {0x010020, 0x000040, 64},
    {0x020000, 0x030004, MEDIUM},      {0x040008, 0x100010, 8},
    {0x100100, 0x000100, 0x100},       {0x050000, 0x0FFFFC, 12},
    {0x0FFFF8, 0x0600FC, 16},          {BIG - 4, 0x070000, 4},
    {0x060000, BIG - 12, 12},          {0x080000, 0x080004, 0},
    {0x090000, 0x0A0000, 65536 + 508}, {0x0B0000, 0x0C0000, 65536},
};

/* Copies of parts of big buffers, beyond 64 KiB and 1 MiB, must change exactly their bytes. */
static void large_parts(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_dma *wanted;
    struct large_pair pair;
    uint8_t *expected;

    agpu_return_unless(large_open(t, &pair));
    wanted = agpu_rig_more(r, BIG + MORE);
    if (wanted == NULL) {
        agpu_error(t, "no memory for the expected contents");
        return;
    }
    expected = wanted->cpu;
    agpu_return_unless(large_put_target(t, &pair));
    agpu_fill_origin(pair.source->cpu, BIG, 4, AGPU_FROM_SOURCE);
    agpu_fill_origin(pair.target->cpu, BIG + MORE, 5, AGPU_FROM_GUEST);
    memcpy(expected, pair.target->cpu, BIG + MORE);
    large_list(r, &pair);
    agpu_put_create_buffer(r, SOURCE, BIG, 8, 0);
    agpu_put_dirty(r, SOURCE, 0, BIG);
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        agpu_put_copy_buffer(r, TARGET, parts[i].to, SOURCE, parts[i].from, parts[i].bytes,
                             AEROGPU_COPY_FLAG_WRITEBACK_DST);
        memcpy(expected + parts[i].to, (uint8_t *)pair.source->cpu + parts[i].from, parts[i].bytes);
    }
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, pair.target->cpu, expected, BIG + MORE,
                       "guest memory after copies at offsets above 64 KiB and 1 MiB");
}

/* ---- above 16 MiB ---- */

#define HUGE_PLACE 0x01000000u /* needs 25 bits */
#define HUGE_TAIL  0x2000u     /* bytes after it */
#define HUGE_BYTES (HUGE_PLACE + HUGE_TAIL)
#define SMALL      0x1000u
#define BEHIND     0x40u /* start of the small buffer, relative to HUGE_PLACE */

/* A buffer at a backing offset above 16 MiB must get the end of a copy longer than that, written back there. */
static void large_above_16_mib(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_dma *memory = agpu_rig_more(r, HUGE_BYTES);
    uint8_t *expected = r->memory[2].cpu; /* the tail, then the same number of bytes from the start */
    uint8_t *tail;

    if (memory == NULL) {
        agpu_error(t, "no memory of 16 MiB");
        return;
    }
    tail = (uint8_t *)memory->cpu + HUGE_PLACE;
    agpu_fill_origin(memory->cpu, HUGE_TAIL, 1, AGPU_FROM_GUEST);
    agpu_fill_origin(tail, HUGE_TAIL, 2, AGPU_FROM_SOURCE);
    memcpy(expected + HUGE_TAIL, tail + BEHIND, SMALL);
    agpu_rig_alloc(r, 8, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(r, SOURCE, SMALL, 8, HUGE_PLACE + BEHIND);
    agpu_put_dirty(r, SOURCE, 0, SMALL);
    agpu_put_create_buffer(r, HOST, HUGE_BYTES, 0, 0);
    agpu_put_create_buffer(r, HOST + 1, HUGE_BYTES, 0, 0);
    agpu_put_copy_buffer(r, HOST, HUGE_BYTES - SMALL, SOURCE, 0, SMALL, AEROGPU_COPY_FLAG_NONE);
    agpu_put_copy_buffer(r, HOST + 1, 0, HOST, 0, HUGE_BYTES, AEROGPU_COPY_FLAG_NONE);
    agpu_put_readback(r, HOST + 1, HUGE_BYTES - SMALL, SMALL);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_readback(t, expected + HUGE_TAIL, SMALL));
    agpu_fill_origin(memory->cpu, HUGE_TAIL, 3, AGPU_FROM_GUEST);
    agpu_fill_origin(tail, HUGE_TAIL, 4, AGPU_FROM_GUEST);
    memcpy(expected, tail, HUGE_TAIL);
    memcpy(expected + BEHIND + 4, expected + HUGE_TAIL, SMALL - 8);
    agpu_rig_alloc(r, 8, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(r, SOURCE, 4, HOST + 1, HUGE_BYTES - SMALL, SMALL - 8,
                         AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(
        agpu_check_origins(t, tail, expected, HUGE_TAIL, "memory behind a backing offset of 16 MiB"));
    agpu_fill_origin(expected, HUGE_TAIL, 3, AGPU_FROM_GUEST);
    agpu_check_origins(t, memory->cpu, expected, HUGE_TAIL, "memory 16 MiB before the write-back");
}

/* Uploads above 64 KiB and above 1 MiB, in one packet each, must arrive; the stream has its own memory. */
static void large_uploads(struct agpu_test *t)
{
    static const struct aerogpu_cmd_stream_header head = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                                                          .abi_version = AEROGPU_ABI_VERSION_U32};
    static const struct large_part uploads[] = {{0, 0, BIG}, {0x18, 0, MEDIUM}, {BIG - MEDIUM, 0, MEDIUM}};
    struct agpu_rig *r = agpu_rig_of(t);
    struct large_pair pair;
    struct agpu_dma *stream;
    struct aerogpu_cmd_stream_header *header;
    struct aerogpu_cmd_upload_resource *upload;
    struct agpu_submission submission;
    struct agpu_error_info before;

    agpu_return_unless(large_open(t, &pair));
    stream = agpu_rig_more(r, BIG + MORE);
    if (stream == NULL) {
        agpu_error(t, "no memory for a stream above 1 MiB");
        return;
    }
    agpu_return_unless(large_put_target(t, &pair));
    header = stream->cpu;
    upload = (void *)(header + 1);
    for (uint32_t i = 0; i < sizeof uploads / sizeof uploads[0]; i++) {
        const uint32_t bytes = uploads[i].bytes;

        *header = head;
        *upload = (struct aerogpu_cmd_upload_resource){
            .hdr = {.opcode = AEROGPU_CMD_UPLOAD_RESOURCE, .size_bytes = (uint32_t)sizeof *upload + bytes},
            .resource_handle = HOST,
            .offset_bytes = uploads[i].to,
            .size_bytes = bytes,
        };
        header->size_bytes = (uint32_t)sizeof *header + upload->hdr.size_bytes;
        agpu_fill_origin(upload + 1, bytes, 6 + i, AGPU_FROM_SOURCE);
        memcpy((uint8_t *)pair.source->cpu + uploads[i].to, upload + 1, bytes); /* the expected bytes */
        submission = (struct agpu_submission){
            .fence = ++r->fence, .cmd_address = stream->device_address, .cmd_size = header->size_bytes};
        before = agpu_errors_so_far(t->env);
        agpu_return_unless(agpu_submit_wait(t, &submission));
        agpu_return_unless(agpu_check_eq_u64(t, agpu_error_count(t->env), before.count));
    }
    large_list(r, &pair);
    agpu_put_copy_buffer(r, TARGET, 0, HOST, 0, BIG, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, pair.target->cpu, pair.source->cpu, BIG, "uploads above 64 KiB and 1 MiB");
}

#define LARGE_CASE(name, section, function)                                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case resource_buffer_large_cases[] = {
    LARGE_CASE("buffer.large.is_zero", "commands.md 6.1", large_is_zero),
    LARGE_CASE("buffer.large.round_trip", "commands.md 6.4", large_round_trip),
    LARGE_CASE("buffer.large.parts", "commands.md 6.4", large_parts),
    LARGE_CASE("buffer.large.above_16_mib", "commands.md 6.4", large_above_16_mib),
    LARGE_CASE("buffer.large.uploads", "commands.md 6.3", large_uploads),
};

AGPU_CASE_TABLE(agpu_cases_resource_buffer_large, resource_buffer_large_cases);
