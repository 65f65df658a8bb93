/* last_fence.c: the end of the legacy device's 32-bit fence numbers (legacy.md 3). */
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/legacy_entries.h"

/* Given fence 0xFFFFFFFF, later and smaller fences must not change the completed fence: the numbers do not wrap. This
 * case is the last: it leaves the device without fences until a power cycle, so it runs only on a model started for
 * this run. */
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

/* One jump of more than 2^31 must be accepted: signed or wrapping comparison would refuse it. The jump uses up that
 * many numbers, so the case makes it once per power cycle. */
static void upper_half(struct agpu_test *t)
{
    uint32_t before = agpu_legacy_completed_register(t);

    if (before < 0x7FFFFFF0) {
        before += 0x80000010;
        agpu_legacy_push_fence(t, before);
        agpu_legacy_ring_doorbell(t);
        agpu_return_unless(agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before));
    }
    agpu_legacy_push_fence(t, 7); /* stale, although above in signed or wrapping order */
    agpu_legacy_push_fence(t, before + 1);
    agpu_legacy_push_fence(t, 0x7FFFFFFF);
    agpu_legacy_ring_doorbell(t);
    agpu_check_legacy(t, AEROGPU_LEGACY_REG_FENCE_COMPLETED, before + 1);
    agpu_legacy_settle(t);
    agpu_check_eq_hex(t, agpu_legacy_completed_register(t), before + 1);
}

static const struct agpu_case legacy_last_fence_cases[] = {
    {.id = "fence.legacy.upper_half",
     .spec = "legacy.md 3",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_LEGACY,
     .run = upper_half},
    {.id = "fence.legacy.never_wraps",
     .spec = "legacy.md 3",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_LEGACY | AGPU_CASE_MODEL_CHOICE | AGPU_CASE_LAST,
     .run = last_number},
};

AGPU_CASE_TABLE(agpu_cases_legacy_last_fence, legacy_last_fence_cases);
