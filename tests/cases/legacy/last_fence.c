/* last_fence.c: the end of the legacy device's 32-bit fence numbers (legacy.md 3). */
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/cases/rig/legacy_entries.h"

/* Last of all: it leaves the device without fences until it is power-cycled, which only a model that was
 * started for this run can afford. */
static void last_number(struct agpu_test *t)
{
    agpu_legacy_push_fence(t, 0xFFFFFFFF);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, 0xFFFFFFFF);
    agpu_legacy_push_fence(t, 0);
    agpu_legacy_push_fence(t, 1);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 3);
    agpu_check_eq_hex(t, agpu_legacy_completed_register(t), 0xFFFFFFFF); /* they do not wrap */
    agpu_return_unless(
        agpu_legacy_restart(t, 16)); /* entries are still read, only nothing can be signalled */
    agpu_return_unless(agpu_legacy_post_empty(t, 0));
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_RING_HEAD, 1);
}

static const struct agpu_case cases[] = {
    {.id = "fence.legacy.never_wraps",
     .spec = "legacy.md 3",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_LEGACY | AGPU_CASE_MODEL_CHOICE,
     .run = last_number},
};

AGPU_CASE_TABLE(agpu_cases_legacy_last_fence, cases);
