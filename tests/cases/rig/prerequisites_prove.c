/* prerequisites_prove.c: proves the prerequisites with empty submissions, and by reading back 64 bytes. */
#include "tests/cases/rig/prerequisites_prove.h"

#include <string.h>

#include "pci/machine/wait.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/state.h"

/* Number of empty submissions that measure the latency of the device at the first start of a run; and number for a
 * device that sometimes loses one, limited by time. */
#define FIRST_SAMPLES  5u
#define STRICT_SAMPLES 64u
#define STRICT_NS      UINT64_C(50000000)

/* Time limit for values that change together with a fence that was already seen. */
#define SOON_NS UINT64_C(100000000)

#define PROOF_BYTES  64u
#define PROOF_SEED   0x51u
#define PROOF_HANDLE 0x71u
#define PROOF_ALLOC  0x71u
#define PROOF_MEMORY 2u
#define PROOF_WIDTH  8u
#define PROOF_HEIGHT 2u
#define POISON       0xCD

static void miss_proof(struct agpu_env *env, const struct agpu_text *text)
{
    env->proof_missed = true;
    agpu_format_line(env->missed, sizeof env->missed, "before the case: %s", text->buffer);
    agpu_prerequisites_late(&env->prerequisites);
}

bool agpu_prove_fence(struct agpu_env *env, struct agpu_text *text)
{
    const struct agpu_platform *platform = env->platform;
    bool strict = agpu_prerequisites_strict(&env->prerequisites);
    uint64_t most = strict ? STRICT_SAMPLES : env->latency.measured ? 1 : FIRST_SAMPLES;
    uint64_t begin = platform->now_ns(platform->ctx);

    for (uint64_t fence = 1; fence <= most; fence++) {
        struct agpu_submission submission = {.fence = fence};
        uint64_t before = platform->now_ns(platform->ctx);
        enum agpu_status status = agpu_ring_post(&env->ring, &submission);

        if (status == AGPU_OK) {
            agpu_doorbell(&env->ring);
            status = agpu_fence_wait(&env->ring, fence);
        }
        if (status != AGPU_OK) {
            agpu_text_string(text, "an empty submission does not complete (ring.md 2, 4): ");
            agpu_state_describe(env, text);
            /* A single lost submission among several breaks no prerequisite: it is a failure of the case that it
             * preceded, unless it has happened often enough. */
            if (fence > 1 && !strict) {
                miss_proof(env, text);
            }
            return fence > 1 && !strict;
        }
        if (!env->latency.measured) {
            agpu_latency_add(&env->latency, platform->now_ns(platform->ctx) - before);
        }
        if (fence >= FIRST_SAMPLES && platform->now_ns(platform->ctx) - begin > STRICT_NS) {
            break;
        }
    }
    env->latency.measured = true;
    return true;
}

void agpu_measure_legacy_latency(struct agpu_env *env)
{
    const struct agpu_platform *platform = env->platform;
    enum agpu_status status = AGPU_OK;

    for (uint64_t fence = 1; fence <= FIRST_SAMPLES && status == AGPU_OK; fence++) {
        const struct agpu_legacy_submission submission = {.type = AGPU_LEGACY_RENDER, .fence = fence};
        const uint64_t before = platform->now_ns(platform->ctx);

        status = agpu_legacy_post(&env->legacy, &submission);
        if (status == AGPU_OK) {
            agpu_legacy_doorbell(&env->legacy);
            status = agpu_legacy_wait_fence(&env->legacy, fence);
        }
        if (status == AGPU_OK) {
            agpu_latency_add(&env->latency, platform->now_ns(platform->ctx) - before);
        }
    }
}

bool agpu_prove_page(const struct agpu_env *env, struct agpu_text *text)
{
    struct agpu_wait wait;

    if (env->ring.page.cpu == NULL) {
        return true;
    }
    agpu_wait_begin_ns(&wait, env->platform, AGPU_RELAX_FENCE, SOON_NS);
    do {
        if (agpu_fence_page_value(&env->ring) >= env->ring.last_completed) {
            return true;
        }
    } while (agpu_wait_again(&wait));
    agpu_text_string(text, "the fence page does not show the completed fence (ring.md 4): ");
    agpu_state_describe(env, text);
    return false;
}

bool agpu_prove_head(const struct agpu_env *env, struct agpu_text *text)
{
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, env->platform, AGPU_RELAX_FENCE, SOON_NS);
    do {
        if (agpu_ring_head(&env->ring) == env->ring.tail) {
            return true;
        }
    } while (agpu_wait_again(&wait));
    agpu_text_string(text, "the ring head does not follow the consumed slots (ring.md 2): ");
    agpu_state_describe(env, text);
    return false;
}

static void put_uploaded_buffer(struct agpu_rig *rig, const uint8_t *bytes)
{
    agpu_put_create_buffer(rig, PROOF_HANDLE, PROOF_BYTES, 0, 0);
    agpu_put_upload(rig, PROOF_HANDLE, 0, bytes, PROOF_BYTES);
    agpu_put_readback(rig, PROOF_HANDLE, 0, PROOF_BYTES);
}

static void put_dirty_buffer(struct agpu_rig *rig, const uint8_t *bytes)
{
    memcpy(rig->memory[PROOF_MEMORY].cpu, bytes, PROOF_BYTES);
    agpu_rig_alloc(rig, PROOF_ALLOC, &rig->memory[PROOF_MEMORY], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, PROOF_HANDLE, PROOF_BYTES, PROOF_ALLOC, 0);
    agpu_put_dirty(rig, PROOF_HANDLE, 0, PROOF_BYTES);
    agpu_put_readback(rig, PROOF_HANDLE, 0, PROOF_BYTES);
}

static void put_uploaded_texture(struct agpu_rig *rig, const uint8_t *bytes)
{
    struct agpu_dma *memory = &rig->memory[AGPU_READBACK_MEMORY];

    memset(memory->cpu, POISON, memory->size);
    agpu_rig_alloc(rig, AGPU_READBACK_ALLOC, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(rig, PROOF_HANDLE, AEROGPU_FORMAT_R8G8B8A8_UNORM, PROOF_WIDTH, PROOF_HEIGHT, 0,
                            0);
    agpu_put_upload(rig, PROOF_HANDLE, 0, bytes, PROOF_BYTES);
    agpu_put_create_texture(rig, AGPU_READBACK_HANDLE, AEROGPU_FORMAT_R8G8B8A8_UNORM, PROOF_WIDTH,
                            PROOF_HEIGHT, PROOF_WIDTH * 4, AGPU_READBACK_ALLOC);
    agpu_put_dirty(rig, AGPU_READBACK_HANDLE, 0, PROOF_BYTES);
    agpu_put_copy_texture(rig, AGPU_READBACK_HANDLE, PROOF_HANDLE, PROOF_WIDTH, PROOF_HEIGHT,
                          AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static const struct {
    const char *name;
    void (*put)(struct agpu_rig *rig, const uint8_t *bytes);
} ways[] = {
    {"upload, COPY_BUFFER", put_uploaded_buffer},
    {"; dirty range, COPY_BUFFER", put_dirty_buffer},
    {"; upload, COPY_TEXTURE2D", put_uploaded_texture},
};

/* Runs the stream; false if it does not complete. */
static bool run_proof(struct agpu_env *env)
{
    struct agpu_submission submission;

    if (!agpu_rig_finish(&env->rig, &submission) || agpu_ring_post(&env->ring, &submission) != AGPU_OK) {
        return false;
    }
    agpu_doorbell(&env->ring);
    return agpu_fence_wait(&env->ring, submission.fence) == AGPU_OK;
}

/* Appends how the bytes differ; true if they do not. */
static bool bytes_arrived(const uint8_t *found, const uint8_t *expected, struct agpu_text *text)
{
    for (uint32_t i = 0; i < PROOF_BYTES; i++) {
        if (found[i] != expected[i]) {
            agpu_format(text, " byte %u expected 0x%x found 0x%x", i, expected[i], found[i]);
            return false;
        }
    }
    return true;
}

bool agpu_prove_read_back(struct agpu_env *env, struct agpu_text *text)
{
    const struct agpu_ring_config config = {.no_fence_page = env->ring.page.cpu == NULL};
    uint8_t bytes[PROOF_BYTES];

    if (agpu_rig_open(&env->rig, &env->function) != AGPU_OK) {
        return true; /* the case itself will report it */
    }
    agpu_fill_pattern(bytes, sizeof bytes, PROOF_SEED);
    agpu_text_string(text, "no bytes come back (commands.md 6.4): ");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        ways[i].put(&env->rig, bytes);
        agpu_text_string(text, ways[i].name);
        if (!run_proof(env)) {
            agpu_text_string(text, " does not complete");
            miss_proof(env, text); /* a missed submission as above, if another way works */
        } else if (bytes_arrived(env->rig.memory[AGPU_READBACK_MEMORY].cpu, bytes, text)) {
            agpu_rig_close(&env->rig);
            return true;
        }
        /* Restart, so that the next way does not depend on this one's state. */
        if (agpu_ring_stop(&env->ring) != AGPU_OK ||
            agpu_ring_start(&env->ring, &env->function, env->abi.features, &config) != AGPU_OK) {
            break;
        }
        env->rig.fence = 0;
        agpu_rig_begin_over(&env->rig);
    }
    agpu_rig_close(&env->rig);
    return false;
}
