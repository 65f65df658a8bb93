/* legacy_entries.c: raw entries of the legacy ring, and their fences. */
#include "tests/cases/rig/legacy_entries.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"

void agpu_legacy_push_raw(const struct agpu_test *t, struct agpu_legacy_raw raw)
{
    struct agpu_legacy_ring *ring = agpu_legacy_rig(t).ring;
    struct aerogpu_legacy_ring_entry_submit *entry = agpu_legacy_entry(ring, ring->tail);
    uint64_t address;
    struct aerogpu_legacy_submission_desc_header *header = agpu_legacy_descriptor(ring, ring->tail, &address);

    *header = (struct aerogpu_legacy_submission_desc_header){
        .version = raw.version ? raw.version : AEROGPU_LEGACY_SUBMISSION_DESC_VERSION,
        .type = AEROGPU_LEGACY_SUBMIT_RENDER,
        .fence = raw.number,
    };
    *entry = (struct aerogpu_legacy_ring_entry_submit){
        .type = raw.type,
        .fence = raw.number,
        .desc_size = raw.desc_size ? raw.desc_size : (uint32_t)sizeof *header,
        .desc_gpa = raw.no_descriptor ? 0 : address,
    };
    agpu_legacy_push(ring);
}

void agpu_legacy_push_fence(const struct agpu_test *t, uint32_t number)
{
    agpu_legacy_push_raw(
        t, (struct agpu_legacy_raw){.type = AEROGPU_LEGACY_RING_ENTRY_SUBMIT, .number = number});
}

void agpu_legacy_ring_doorbell(const struct agpu_test *t)
{
    agpu_legacy_doorbell(agpu_legacy_rig(t).ring);
}

uint32_t agpu_legacy_completed_register(const struct agpu_test *t)
{
    return agpu_legacy_read(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED);
}

bool agpu_legacy_post_empty(struct agpu_test *t, uint64_t fence)
{
    struct agpu_legacy_submission submission = {.type = AGPU_LEGACY_RENDER, .fence = fence};

    return agpu_check_ok(t, agpu_legacy_post(agpu_legacy_rig(t).ring, &submission));
}
