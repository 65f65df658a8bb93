/* proof.c: work that leaves evidence of whether it was done. */
#include "tests/cases/rig/proof.h"

#include <string.h>

#include "ring/ring.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/resource_packets.h"

#define SLOT   64u /* bytes for each place */
#define WORDS  4u  /* words that the work writes, in the middle of it */
#define OFFSET 16u
#define POISON 0xB7
#define SOURCE (AGPU_PROOF_HANDLE + 1)

static void proof_words(uint32_t slot, uint32_t value, uint32_t *words)
{
    words[0] = value;
    words[1] = ~value;
    words[2] = 0x51070000 | slot;
    words[3] = value * 2654435761u;
}

static const uint8_t *proof_place(const struct agpu_test *test, uint32_t slot)
{
    return (const uint8_t *)test->env->rig.memory[AGPU_PROOF_MEMORY].cpu + slot * SLOT;
}

void agpu_proof_clear(struct agpu_test *test)
{
    memset(test->env->rig.memory[AGPU_PROOF_MEMORY].cpu, POISON, AGPU_PROOF_SLOTS * SLOT);
}

bool agpu_proof_begin(struct agpu_test *test)
{
    struct agpu_rig *rig = &test->env->rig;

    agpu_proof_clear(test);
    agpu_rig_begin_over(rig);
    agpu_put_proof_memory(test);
    agpu_put_create_buffer(rig, AGPU_PROOF_HANDLE, AGPU_PROOF_SLOTS * SLOT, AGPU_PROOF_ALLOC, 0);
    agpu_put_create_buffer(rig, SOURCE, AGPU_PROOF_SLOTS * WORDS * 4, 0, 0);
    return agpu_run_clean(test);
}

void agpu_put_proof_memory(struct agpu_test *test)
{
    struct agpu_rig *rig = &test->env->rig;

    agpu_rig_alloc(rig, AGPU_PROOF_ALLOC, &rig->memory[AGPU_PROOF_MEMORY], AEROGPU_ALLOC_FLAG_NONE);
}

void agpu_put_proof(struct agpu_test *test, uint32_t slot, uint32_t value)
{
    struct agpu_rig *rig = &test->env->rig;
    uint32_t words[WORDS];

    proof_words(slot, value, words);
    agpu_put_upload(rig, SOURCE, slot * sizeof words, words, sizeof words);
    agpu_put_copy_buffer(rig, AGPU_PROOF_HANDLE, slot * SLOT + OFFSET, SOURCE, slot * sizeof words,
                         sizeof words, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

bool agpu_check_proof_at(struct agpu_test *test, uint32_t slot, uint32_t value, struct agpu_where where)
{
    const uint8_t *place = proof_place(test, slot);
    uint32_t expected[WORDS], found[WORDS];
    bool ok = true;

    proof_words(slot, value, expected);
    memcpy(found, place + OFFSET, sizeof found);
    for (uint32_t i = 0; i < WORDS && ok; i++) {
        ok = agpu_check_place2_at(test, "work done: slot", slot, "word", i, found[i], expected[i], where);
    }
    return ok && agpu_check_fill(test, place, POISON, OFFSET, "guest bytes before the work's place", where) &&
           agpu_check_fill(test, place + OFFSET + sizeof found, POISON, SLOT - OFFSET - sizeof found,
                           "guest bytes after the work's range", where);
}

bool agpu_proof_done(const struct agpu_test *test, uint32_t slot)
{
    const uint8_t *place = proof_place(test, slot);

    for (uint32_t i = 0; i < SLOT; i++) {
        if (place[i] != POISON) {
            return true;
        }
    }
    return false;
}

bool agpu_check_no_proof_at(struct agpu_test *test, uint32_t slot, struct agpu_where where)
{
    return agpu_check_fill(test, proof_place(test, slot), POISON, SLOT, "place of work that must not be done",
                           where);
}

struct aerogpu_submit_desc agpu_refused_desc(const struct agpu_test *test, uint64_t fence, uint32_t flags)
{
    return (struct aerogpu_submit_desc){
        .desc_size_bytes = sizeof(struct aerogpu_submit_desc),
        .flags = flags,
        .cmd_gpa = test->env->rig.cmd.device_address,
        .cmd_size_bytes = 8,
        .signal_fence = fence,
    };
}

bool agpu_post_refused(struct agpu_test *test, uint64_t fence, uint32_t flags)
{
    const struct aerogpu_submit_desc desc = agpu_refused_desc(test, fence, flags);

    return agpu_check_ok(test, agpu_ring_wait_room(&test->env->ring)) &&
           agpu_check_ok(test, agpu_ring_post_desc(&test->env->ring, &desc));
}

bool agpu_run_refused(struct agpu_test *test, uint64_t fence, uint32_t flags)
{
    const uint32_t before = agpu_error_count_before(test->env);

    if (!agpu_time_left(test) || !agpu_post_refused(test, fence, flags)) {
        return false;
    }
    agpu_doorbell(&test->env->ring);
    return agpu_wait_error_count(test, before + 1);
}
