/* long.c: tens of thousands of equal rounds without a reset. Each is checked by itself, since a counter of the device
 * may be too narrow for the 65,536th (ring.md 2, 4, 7; device.md 4.4, 4.6). */
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/line.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"

#define LONG_ROUNDS  66000u /* more than 2^16 */
#define LONG_BATCH   400u
#define LONG_STREAM  160u /* bytes apart */
#define LONG_TABLE   7u
#define LONG_WORD(i) ((i)*UINT32_C(0x9E3779B1) ^ 0x10A60000u)

/* Streams that are built once: each uploads a word, and writes it back to a place of its own. */
static struct agpu_submission long_streams[LONG_BATCH];

static bool long_build(struct agpu_test *t, uint32_t streams, uint32_t present_flags)
{
    struct agpu_rig *rig = agpu_rig_of(t);

    agpu_put_create_buffer(rig, 1, 4, 0, 0);
    agpu_put_create_buffer(rig, 2, 4 * LONG_BATCH, LONG_TABLE, 0);
    agpu_rig_alloc(rig, LONG_TABLE, &rig->memory[0], 0);
    if (!agpu_run_clean(t)) {
        return false;
    }
    for (uint32_t i = 0; i < streams; i++) {
        agpu_rig_begin(rig);
        rig->cmd_start = i * LONG_STREAM;
        rig->cmd_used = rig->cmd_start + (uint32_t)sizeof(struct aerogpu_cmd_stream_header);
        agpu_put_upload(rig, 1, 0, &i, sizeof i);
        agpu_put_copy_buffer(rig, 2, 4 * (uint64_t)i, 1, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_put_present(rig, 0, present_flags);
        agpu_rig_alloc(rig, LONG_TABLE, &rig->memory[0], 0);
        if (!agpu_check(t, agpu_rig_finish(rig, &long_streams[i]))) {
            return false;
        }
        rig->fence--;
    }
    return true;
}

/* Posts a stream with another word, and the next fence. */
static bool long_post(struct agpu_test *t, uint32_t stream, uint32_t word)
{
    struct agpu_rig *rig = agpu_rig_of(t);
    uint8_t *packets =
        (uint8_t *)rig->cmd.cpu + stream * LONG_STREAM + sizeof(struct aerogpu_cmd_stream_header);

    *(uint32_t *)(packets + sizeof(struct aerogpu_cmd_upload_resource)) = word;
    long_streams[stream].fence = ++rig->fence;
    return agpu_ring_post(&t->env->ring, &long_streams[stream]) == AGPU_OK;
}

/* Given 66,000 entries, each must write back its own word. */
static void long_batches(struct agpu_test *t)
{
    const struct agpu_ring_config config = {.entry_count = 512};
    struct agpu_ring *ring = &t->env->ring;
    const uint32_t *words = agpu_rig_of(t)->memory[0].cpu;

    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    agpu_return_unless(long_build(t, LONG_BATCH, 0));
    for (uint32_t first = 0; first < LONG_ROUNDS; first += LONG_BATCH) {
        agpu_return_unless(agpu_time_left(t));
        for (uint32_t i = 0; i < LONG_BATCH; i++) {
            agpu_return_unless(long_post(t, i, LONG_WORD(first + i)) ||
                               agpu_check_place(t, "room in the ring for entry", first + i, 0, 1));
        }
        agpu_doorbell(ring);
        agpu_assert_ok(t, agpu_fence_wait(ring, agpu_rig_of(t)->fence));
        for (uint32_t i = 0; i < LONG_BATCH; i++) {
            agpu_return_unless(
                words[i] == LONG_WORD(first + i) ||
                agpu_check_place(t, "word of entry", first + i, words[i], LONG_WORD(first + i)));
        }
        agpu_return_unless(agpu_check_head(t, ring->tail));
    }
    agpu_check_no_errors_counted(t);
}

/* ---- rounds of one submission or one edge ---- */

/* Waits until these causes are pending, and acknowledges them. */
static bool long_interrupts(struct agpu_test *t, uint32_t causes, uint32_t round)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_wait wait;
    uint32_t pending;
    int level;

    agpu_wait_begin(&wait, t->platform, AGPU_RELAX_FENCE);
    do {
        pending = agpu_irq_status(function);
    } while (pending != causes && agpu_wait_again(&wait));
    level = t->platform->test->simulated_time ? agpu_line_level(t) : -1;
    agpu_irq_ack(function, causes);
    return (pending == causes || agpu_check_place(t, "IRQ_STATUS in round", round, pending, causes)) &&
           (level != 0 || agpu_check_place(t, "the interrupt line in round", round, 0, 1));
}

/* A paced submission, whose fence waits until the scanout is disabled. */
static bool long_fence(struct agpu_test *t, uint32_t round)
{
    const struct agpu_function *function = &t->env->function;
    struct agpu_rig *rig = agpu_rig_of(t);
    const uint32_t *words = rig->memory[0].cpu;
    const uint32_t seq = agpu_vblank_seq_low(t);
    enum agpu_status status;
    bool early;

    agpu_scanout_enable(t, 1);
    if (!long_post(t, 0, LONG_WORD(round))) {
        return agpu_check_place(t, "room in the ring in round", round, 0, 1);
    }
    agpu_doorbell(&t->env->ring);
    early = agpu_reg_read(function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) == (uint32_t)rig->fence &&
            agpu_vblank_seq_low(t) == seq;
    agpu_scanout_enable(t, 0);
    status = agpu_fence_wait(&t->env->ring, rig->fence);
    return (!early || agpu_check_place(t, "fences before the edge in round", round, 1, 0)) &&
           (status == AGPU_OK || agpu_check_status(t, status, "wait for the fence", AGPU_HERE)) &&
           (words[0] == LONG_WORD(round) ||
            agpu_check_place(t, "word of round", round, words[0], LONG_WORD(round))) &&
           long_interrupts(t, AEROGPU_IRQ_FENCE, round);
}

/* A copy of an unknown buffer. */
static bool long_error(struct agpu_test *t, uint32_t round)
{
    struct agpu_rig *rig = agpu_rig_of(t);
    const uint32_t before = t->env->errors.count;
    struct agpu_submission submission;
    enum agpu_status status;
    uint32_t count;

    agpu_rig_begin_over(rig);
    agpu_put_copy_buffer(rig, 1, 0, 99, 0, 4, 0);
    if (!agpu_rig_finish(rig, &submission) || agpu_ring_post(&t->env->ring, &submission) != AGPU_OK) {
        return agpu_check_place(t, "room in the ring in round", round, 0, 1);
    }
    agpu_doorbell(&t->env->ring);
    status = agpu_fence_wait(&t->env->ring, rig->fence);
    if (status != AGPU_OK) {
        return agpu_check_status(t, status, "wait for the fence", AGPU_HERE);
    }
    if (!long_interrupts(t, AEROGPU_IRQ_ERROR | AEROGPU_IRQ_FENCE, round)) {
        return false;
    }
    count = agpu_error_count(t->env);
    return ((t->env->model ? count == before + 1 : count > before) ||
            agpu_check_place(t, "ERROR_COUNT after round", round, count, before + 1)) &&
           (agpu_error_fence(t->env) == rig->fence ||
            agpu_check_place(t, "ERROR_FENCE after round", round, agpu_error_fence(t->env), rig->fence));
}

static bool long_edge(struct agpu_test *t, uint32_t round)
{
    const uint64_t seq = agpu_vblank_seq(t);

    agpu_scanout_enable(t, 1);
    agpu_vblank_stall(t, 8);
    return long_interrupts(t, AEROGPU_IRQ_SCANOUT_VBLANK, round) &&
           (agpu_vblank_seq(t) == seq + 1 ||
            agpu_check_place(t, "edges in round", round, agpu_vblank_seq(t) - seq, 1));
}

struct long_kind {
    bool (*round)(struct agpu_test *t, uint32_t round);
    uint32_t rounds, on_real_clock; /* 0: none */
    uint32_t causes;
};

/* Each round must do what the first one does. */
static void long_rounds(struct agpu_test *t)
{
    const struct long_kind *kind = t->test_case->arg;
    const bool simulated = t->platform->test->simulated_time;

    agpu_require(t, simulated || kind->on_real_clock != 0, AGPU_SKIP_SIMULATED_TIME);
    agpu_return_unless(long_build(t, 1, AEROGPU_PRESENT_FLAG_VSYNC));
    agpu_irq_ack(&t->env->function, UINT32_MAX);
    agpu_irq_enable(&t->env->function, kind->causes);
    agpu_error_count(t->env);
    for (uint32_t round = 0; round < (simulated ? kind->rounds : kind->on_real_clock); round++) {
        agpu_return_unless((round % 256 != 0 || agpu_time_left(t)) && kind->round(t, round));
    }
    agpu_check_passed(t);
}

#define LONG_FEATURES (AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_VBLANK | AEROGPU_FEATURE_SCANOUT)

#define LONG_CASE(name, section, features_, ...)                                                             \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = (features_),                   \
        .run = long_rounds, .arg = &(const struct long_kind)                                                 \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

static const struct agpu_case ring_long_cases[] = {
    LONG_CASE("ring.long.fences", "ring.md 7", LONG_FEATURES, long_fence, LONG_ROUNDS, 1200,
              AEROGPU_IRQ_FENCE),
    LONG_CASE("ring.long.errors", "device.md 4.6", AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
              long_error, LONG_ROUNDS, 1100, AEROGPU_IRQ_FENCE),
    LONG_CASE("ring.long.edges", "device.md 4.7", LONG_FEATURES, long_edge, 1000, 0,
              AEROGPU_IRQ_SCANOUT_VBLANK),
    {.id = "ring.long.batches",
     .spec = "ring.md 2",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = long_batches},
};

AGPU_CASE_TABLE(agpu_cases_ring_long, ring_long_cases);
