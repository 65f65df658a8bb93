/* gen_legacy.c: generated work on the retired device (legacy.md 2 to 5). */
#include "tests/host/compare/gen_legacy.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"

static void legacy_ring(struct agpu_cmp_generator *g)
{
    struct agpu_cmp_step *step = agpu_cmp_step_add(g->program, AGPU_CMP_RING_SET);

    g->ring_count = world_one_in(g, 4) ? 2 : world_between(g, 2, 60); /* any number, not only powers of two */
    step->value = g->ring_count;
    step->offset = 24 * world_below(g, 64);
    g->posted = 0;
}

static void legacy_submit(struct agpu_cmp_generator *g)
{
    static const struct agpu_cmp_patch wrong[] = {
        {AGPU_CMP_IN_DESC, 4, offsetof(struct aerogpu_legacy_ring_entry_submit, type), 2},
        {AGPU_CMP_IN_DESC, 4, offsetof(struct aerogpu_legacy_ring_entry_submit, type), 0},
        {AGPU_CMP_IN_DESC, 4, offsetof(struct aerogpu_legacy_ring_entry_submit, flags), 0},
        {AGPU_CMP_IN_DESC, 4, offsetof(struct aerogpu_legacy_ring_entry_submit, desc_size), 31},
        {AGPU_CMP_IN_DESC, 8, offsetof(struct aerogpu_legacy_ring_entry_submit, desc_gpa), 0},
        {AGPU_CMP_IN_DESC, 8, offsetof(struct aerogpu_legacy_ring_entry_submit, desc_gpa), UINT64_MAX - 7},
        {AGPU_CMP_IN_TABLE, 4, offsetof(struct aerogpu_legacy_submission_desc_header, version), 2},
        {AGPU_CMP_IN_TABLE, 4, offsetof(struct aerogpu_legacy_submission_desc_header, type), 3},
    };
    struct agpu_cmp_step *step = agpu_cmp_step_add(g->program, AGPU_CMP_SUBMIT);

    g->fence += world_one_in(g, 12) ? world_below(g, 0x1000000) : 1;
    step->fence = (uint32_t)(world_one_in(g, 20) && g->fence > 8 ? g->fence - world_below(g, 8) : g->fence);
    if (world_has(g, AGPU_CMP_AREA_ERROR) && world_one_in(g, 5)) {
        step->invalid = true;
        agpu_cmp_patch_add(g->program, &wrong[world_below(g, sizeof wrong / sizeof wrong[0])]);
    }
    g->submissions++;
    g->posted++;
}

static void legacy_registers(struct agpu_cmp_generator *g)
{
    static const uint32_t registers[] = {AEROGPU_LEGACY_REG_MAGIC,
                                         AEROGPU_LEGACY_REG_VERSION,
                                         AEROGPU_LEGACY_REG_RING_BASE_LO,
                                         AEROGPU_LEGACY_REG_RING_BASE_HI,
                                         AEROGPU_LEGACY_REG_RING_ENTRY_COUNT,
                                         AEROGPU_LEGACY_REG_RING_HEAD,
                                         AEROGPU_LEGACY_REG_RING_TAIL,
                                         AEROGPU_LEGACY_REG_INT_STATUS,
                                         AEROGPU_LEGACY_REG_FENCE_COMPLETED,
                                         AEROGPU_LEGACY_REG_SCANOUT_FB_LO,
                                         AEROGPU_LEGACY_REG_SCANOUT_FB_HI,
                                         AEROGPU_LEGACY_REG_SCANOUT_PITCH,
                                         AEROGPU_LEGACY_REG_SCANOUT_WIDTH,
                                         AEROGPU_LEGACY_REG_SCANOUT_HEIGHT,
                                         AEROGPU_LEGACY_REG_SCANOUT_FORMAT,
                                         AEROGPU_LEGACY_REG_SCANOUT_ENABLE,
                                         AEROGPU_LEGACY_REG_RING_DOORBELL,
                                         0x0040,
                                         0x0440};
    const uint32_t reg = registers[world_below(g, sizeof registers / sizeof registers[0])];

    if (reg >= AEROGPU_LEGACY_REG_SCANOUT_FB_LO && reg < AEROGPU_LEGACY_REG_SCANOUT_ENABLE) {
        world_register(g, reg,
                       reg == AEROGPU_LEGACY_REG_SCANOUT_FORMAT ? world_below(g, 3)
                                                                : (uint32_t)agpu_random_u64(&g->random));
    }
    world_read(g, reg);
    if (world_may(g, AGPU_CMP_CHOICE_DAMAGED) &&
        world_one_in(g, 8)) { /* the device reduces it modulo the count at the doorbell */
        world_register(g, AEROGPU_LEGACY_REG_RING_HEAD, world_below(g, 3 * g->ring_count));
    }
}

static void legacy_interrupts(struct agpu_cmp_generator *g)
{
    switch (world_below(g, 4)) {
    case 0:
        world_register(g, AEROGPU_LEGACY_REG_INT_ACK, world_below(g, 4));
        break;
    case 1:
        world_register(g, AEROGPU_LEGACY_REG_IRQ_ACK, world_below(g, 4));
        break;
    default:
        world_register(g, AEROGPU_LEGACY_REG_IRQ_ENABLE, world_below(g, 4));
        break;
    }
    world_read(g, AEROGPU_LEGACY_REG_INT_STATUS);
    world_read(g, AEROGPU_LEGACY_REG_IRQ_STATUS);
}

static void legacy_doorbell(struct agpu_cmp_generator *g)
{
    struct agpu_cmp_step *step = agpu_cmp_step_add(g->program, AGPU_CMP_DOORBELL);

    step->size = world_one_in(g, 4) ? 8 : 4;
    step->flags = world_one_in(g, 4) ? (uint32_t)agpu_random_u64(&g->random) : 0;
    g->posted = 0;
}

static void legacy_time(struct agpu_cmp_generator *g)
{
    const bool exact = world_may(g, AGPU_CMP_CHOICE_VBLANK_PHASE);

    if (world_one_in(g, 4)) {
        const bool on = world_one_in(g, 2);

        world_register(g, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, on);
        if (on && !g->scanout_on && !exact) {
            agpu_cmp_step_add(g->program, AGPU_CMP_ADVANCE)->value = 8;
        }
        g->scanout_on = on;
    }
    agpu_cmp_step_add(g->program, AGPU_CMP_ADVANCE)->value =
        exact ? world_between(g, 1, 40) : 16 * world_between(g, 1, 3);
}

void world_legacy_session(struct agpu_cmp_generator *g)
{
    legacy_ring(g);
    while (g->submissions < g->plan.submissions) {
        switch (world_below(g, 12)) {
        case 0:
            legacy_interrupts(g);
            break;
        case 1:
            legacy_registers(g);
            break;
        case 2:
            legacy_time(g);
            break;
        case 3:
            if (world_one_in(g, 8)) {
                legacy_ring(g);
            }
            break;
        default:
            for (uint32_t count = world_between(g, 1, 4); count > 0 && g->posted + 1 < g->ring_count;
                 count--) {
                legacy_submit(g);
            }
            legacy_doorbell(g);
            break;
        }
    }
    if (world_one_in(g, 4)) {
        agpu_cmp_step_add(g->program, AGPU_CMP_RESET);
        legacy_registers(g);
    }
}
