/* stream_size.c: command streams of every size class at any address: the work at their end is done (commands.md 1,
 * ring.md 3.1). */
#include "ring/irq.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/scene.h"

#include <string.h>

#define KIB      1024u
#define LARGEST  (1024u * KIB + 64u * KIB)
#define SMALL    8u /* bytes of a packet when there are many */
#define HEADER   ((uint32_t)sizeof(struct aerogpu_cmd_stream_header))
#define OVERHEAD (HEADER + AGPU_PROOF_BYTES)

/* Puts the work of the rig at the end of a stream of `size` bytes at `stream`, after NOPs of `filler` bytes each (0: a
 * single NOP). */
static void build_stream(struct agpu_test *t, uint8_t *stream, uint32_t size, uint32_t filler)
{
    const uint8_t *source = (const uint8_t *)agpu_rig_stream_header(&t->env->rig) + HEADER;
    const uint32_t end = size - AGPU_PROOF_BYTES;
    struct aerogpu_cmd_stream_header header = {
        .magic = AEROGPU_CMD_STREAM_MAGIC, .abi_version = AEROGPU_ABI_VERSION_U32, .size_bytes = size};
    uint32_t at = HEADER;

    memcpy(stream, &header, sizeof header);
    while (at < end) {
        struct aerogpu_cmd_hdr nop = {.opcode = AEROGPU_CMD_NOP, .size_bytes = end - at};

        if (filler != 0 && end - at >= 2 * filler) {
            nop.size_bytes = filler;
        }
        memcpy(stream + at, &nop, sizeof nop);
        at += nop.size_bytes;
    }
    memcpy(stream + end, source, AGPU_PROOF_BYTES);
}

/* Makes a submission of the stream at this address; `stream` is the CPU's view. The command buffer is larger by the
 * given number of bytes. */
static bool finish_sized_stream(struct agpu_test *t, uint8_t *stream, uint64_t address, uint32_t size,
                                uint32_t filler, uint32_t slot, uint32_t more, struct agpu_submission *out)
{
    struct agpu_rig *rig = &t->env->rig;

    agpu_rig_begin_over(rig);
    agpu_put_proof_memory(t);
    agpu_put_proof(t, slot, size);
    if (!agpu_check(t, agpu_rig_finish(rig, out))) {
        return false;
    }
    build_stream(t, stream, size, filler);
    out->cmd_address = address;
    out->cmd_size = size + more;
    return true;
}

/* Runs the stream and checks its work. */
static bool run_stream(struct agpu_test *t, uint8_t *stream, uint64_t address, uint32_t size, uint32_t filler,
                       uint32_t slot, uint32_t more)
{
    struct agpu_submission submission;
    bool ok = finish_sized_stream(t, stream, address, size, filler, slot, more, &submission) &&
              agpu_submit_wait(t, &submission);

    return ok &&
           agpu_check_place2(t, "ERROR_COUNT after a stream of bytes", size, "at", address & 0xFFF,
                             agpu_error_count(t->env), 0) &&
           agpu_check_proof(t, slot, size);
}

/* The work at the end of a stream must be done for stream sizes around each power of two from 1 KiB to 64 KiB, and
 * above, filled by one NOP or by thousands. */
static void stream_sizes(struct agpu_test *t)
{
    static const uint32_t sizes[] = {OVERHEAD + 8,        KIB,
                                     4 * KIB - 4,         4 * KIB,
                                     4 * KIB + 4,         16 * KIB + 4,
                                     64 * KIB - 4,        64 * KIB,
                                     64 * KIB + 4,        64 * KIB + HEADER,
                                     64 * KIB + OVERHEAD, 128 * KIB + 12,
                                     256 * KIB + 4,       1024 * KIB - 4,
                                     1024 * KIB,          1024 * KIB + 4,
                                     1024 * KIB + HEADER, LARGEST};
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_dma memory = {0};
    uint32_t slot = 0;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_require_ok(t, platform->dma_alloc(platform->ctx, &t->env->function.found.ref, LARGEST, &memory));
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!run_stream(t, memory.cpu, memory.device_address, sizes[i], 0, slot++, 0)) {
            break;
        }
        /* A small packet size also steps packet by packet. */
        if (sizes[i] <= 128 * KIB + 12 && sizes[i] > 16 * KIB &&
            !run_stream(t, memory.cpu, memory.device_address, sizes[i], SMALL, slot++, 0)) {
            break;
        }
    }
    platform->dma_free(platform->ctx, &memory);
}

/* A command buffer must be executed at any alignment, also across a page boundary. */
static void stream_alignment(struct agpu_test *t)
{
    static const uint32_t offsets[] = {0,        8,         16,        24,        32,       40,        56, 72,
                                       4,        12,        60,        1,         2,        3,         63, 65,
                                       4096 - 8, 4096 - 20, 4096 - 24, 4096 - 60, 4096 - 3, 8192 - 100};
    const struct agpu_dma *memory = &t->env->rig.memory[1];

    agpu_return_unless(agpu_proof_begin(t));
    for (uint32_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        uint8_t *stream = (uint8_t *)memory->cpu + offsets[i];

        memset(memory->cpu, 0xFF, 3 * 4096);
        agpu_return_unless(
            run_stream(t, stream, memory->device_address + offsets[i], OVERHEAD + 8 + 4 * (i % 3), 0, i, 0));
    }
}

/* The descriptor's size is the capacity of the command buffer: the device must accept any number from the stream's size
 * up. */
static void stream_capacities(struct agpu_test *t)
{
    static const uint32_t more[] = {1, 2, 3, 4, 5, 8, 63, 4095, 4096, 60000};
    const struct agpu_dma *memory = &t->env->rig.memory[1];

    agpu_return_unless(agpu_proof_begin(t));
    memset(memory->cpu, 0xFF, memory->size);
    for (uint32_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        agpu_return_unless(
            run_stream(t, memory->cpu, memory->device_address, OVERHEAD + 8 + 4 * i, 0, i, more[i]));
    }
}

/* The capacity must not limit what the device fetches: our model takes more than its limit for streams. Another device
 * may refuse more than drivers use (ring.md 3.1), and then executes nothing; the next submission must run. */
static void stream_large_capacities(struct agpu_test *t)
{
    static const uint32_t more[] = {0x10000 - 8, 0x01000000 - 8, 0x04000000,
                                    0x7FFFFF00,  0x80000000,     0xFFFFFF00};
    const struct agpu_dma *memory = &t->env->rig.memory[1];
    struct agpu_rig *rig = &t->env->rig;
    uint32_t refused = 0, i;

    agpu_return_unless(agpu_proof_begin(t));
    for (i = 0; i < sizeof more / sizeof more[0]; i++) {
        struct agpu_submission submission;
        bool failed;

        if (t->env->model || more[i] <= 0x10000) { /* drivers use capacities up to 16 MiB */
            agpu_return_unless(
                run_stream(t, memory->cpu, memory->device_address, OVERHEAD + 8, 0, i, more[i]));
            continue;
        }
        agpu_return_unless(finish_sized_stream(t, memory->cpu, memory->device_address, OVERHEAD + 8, 0, i,
                                               more[i], &submission));
        agpu_return_unless(agpu_wait_either(t, &submission, AEROGPU_ERROR_CMD_DECODE, &failed));
        agpu_return_unless(failed ? agpu_check_no_proof(t, i) : agpu_check_proof(t, i, OVERHEAD + 8));
        refused += failed;
    }
    agpu_choice(t, "command_buffer_of_16_mib_and_more", refused == 0 ? "taken" : "refused");
    agpu_rig_begin_over(rig);
    agpu_put_proof_memory(t);
    agpu_put_proof(t, i, i);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_proof(t, i, i);
}

/* A stream above the limit of 64 MiB must be refused and nothing of it executed, although its first bytes are valid.
 * The descriptor states the same size. */
static void stream_over_limit(struct agpu_test *t)
{
    static const uint32_t sizes[] = {(64u << 20) + 4, (64u << 20) + (1u << 20), 0x7FFFFFFC, 0xFFFFFFFC};
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(agpu_proof_begin(t));
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct agpu_submission submission;
        struct aerogpu_submit_desc desc;

        agpu_rig_begin_over(rig);
        agpu_put_proof_memory(t);
        agpu_put_proof(t, i, i);
        agpu_assert(t, agpu_rig_finish(rig, &submission));
        agpu_assert_ok(t, agpu_ring_describe(&submission, &desc));
        agpu_rig_stream_header(rig)->size_bytes = sizes[i];
        desc.cmd_size_bytes = sizes[i];
        agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE);
        agpu_return_unless(agpu_check_no_proof(t, i));
    }
}

#define WORK (AEROGPU_FEATURE_ERROR_INFO | AEROGPU_FEATURE_TRANSFER)
#define SIZE_CASE(name, section, function)                                                                   \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = WORK, .run = (function)        \
    }

static const struct agpu_case ring_stream_size_cases[] = {
    SIZE_CASE("error.stream.sizes_are_fine", "commands.md 1", stream_sizes),
    SIZE_CASE("error.stream.alignment_is_fine", "commands.md 1", stream_alignment),
    SIZE_CASE("error.stream.capacities_are_fine", "ring.md 3", stream_capacities),
    SIZE_CASE("error.stream.large_capacities_are_fine", "ring.md 3", stream_large_capacities),
    SIZE_CASE("error.stream.over_limit_runs_nothing", "ring.md 3.1", stream_over_limit),
};

AGPU_CASE_TABLE(agpu_cases_ring_stream_size, ring_stream_size_cases);
