/* legacy.c: generated work on the retired device (legacy.md 2 to 5). */
#include "tests/cases/random/legacy.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"

static void legacy_ring(struct agpu_gen *g)
{
    struct agpu_gen_step *step = agpu_gen_step_add(g->program, AGPU_GEN_RING_SET);

    g->ring_count =
        agpu_gen_one_in(g, 4) ? 2 : agpu_gen_between(g, 2, 60); /* any number, not only powers of two */
    step->value = g->ring_count;
    step->offset = 24 * agpu_gen_below(g, 64);
    g->posted = 0;
}

static void legacy_submit(struct agpu_gen *g)
{
    static const struct agpu_gen_patch wrong[] = {
        {AGPU_GEN_IN_DESC, 4, offsetof(struct aerogpu_legacy_ring_entry_submit, type), 2},
        {AGPU_GEN_IN_DESC, 4, offsetof(struct aerogpu_legacy_ring_entry_submit, type), 0},
        {AGPU_GEN_IN_DESC, 4, offsetof(struct aerogpu_legacy_ring_entry_submit, flags), 0},
        {AGPU_GEN_IN_DESC, 4, offsetof(struct aerogpu_legacy_ring_entry_submit, desc_size), 31},
        {AGPU_GEN_IN_DESC, 8, offsetof(struct aerogpu_legacy_ring_entry_submit, desc_gpa), 0},
        {AGPU_GEN_IN_DESC, 8, offsetof(struct aerogpu_legacy_ring_entry_submit, desc_gpa), UINT64_MAX - 7},
        {AGPU_GEN_IN_TABLE, 4, offsetof(struct aerogpu_legacy_submission_desc_header, version), 2},
        {AGPU_GEN_IN_TABLE, 4, offsetof(struct aerogpu_legacy_submission_desc_header, type), 3},
    };
    struct agpu_gen_step *step = agpu_gen_step_add(g->program, AGPU_GEN_SUBMIT);

    g->fence += agpu_gen_one_in(g, 12) ? agpu_gen_below(g, 0x1000000) : 1;
    step->fence =
        (uint32_t)(agpu_gen_one_in(g, 20) && g->fence > 8 ? g->fence - agpu_gen_below(g, 8) : g->fence);
    if (agpu_gen_has(g, AGPU_GEN_AREA_ERROR) && agpu_gen_one_in(g, 5)) {
        step->invalid = true;
        agpu_gen_patch_add(g->program, &wrong[agpu_gen_below(g, sizeof wrong / sizeof wrong[0])]);
    }
    g->submissions++;
    g->posted++;
}

static void legacy_registers(struct agpu_gen *g)
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
    const uint32_t reg = registers[agpu_gen_below(g, sizeof registers / sizeof registers[0])];

    if (reg >= AEROGPU_LEGACY_REG_SCANOUT_FB_LO && reg < AEROGPU_LEGACY_REG_SCANOUT_ENABLE) {
        agpu_gen_register(g, reg,
                          reg == AEROGPU_LEGACY_REG_SCANOUT_FORMAT
                              ? agpu_gen_below(g, 3)
                              : (uint32_t)agpu_gen_random_u64(&g->random));
    }
    agpu_gen_read(g, reg);
    if (agpu_gen_may(g, AGPU_GEN_CHOICE_DAMAGED) &&
        agpu_gen_one_in(g, 8)) { /* the device reduces it modulo the count at the doorbell */
        agpu_gen_register(g, AEROGPU_LEGACY_REG_RING_HEAD, agpu_gen_below(g, 3 * g->ring_count));
    }
}

static void legacy_interrupts(struct agpu_gen *g)
{
    switch (agpu_gen_below(g, 4)) {
    case 0:
        agpu_gen_register(g, AEROGPU_LEGACY_REG_INT_ACK, agpu_gen_below(g, 4));
        break;
    case 1:
        agpu_gen_register(g, AEROGPU_LEGACY_REG_IRQ_ACK, agpu_gen_below(g, 4));
        break;
    default:
        agpu_gen_register(g, AEROGPU_LEGACY_REG_IRQ_ENABLE, agpu_gen_below(g, 4));
        break;
    }
    agpu_gen_read(g, AEROGPU_LEGACY_REG_INT_STATUS);
    agpu_gen_read(g, AEROGPU_LEGACY_REG_IRQ_STATUS);
}

static void legacy_bell(struct agpu_gen *g)
{
    struct agpu_gen_step *step = agpu_gen_step_add(g->program, AGPU_GEN_DOORBELL);

    step->size = agpu_gen_one_in(g, 4) ? 8 : 4;
    step->flags = agpu_gen_one_in(g, 4) ? (uint32_t)agpu_gen_random_u64(&g->random) : 0;
    g->posted = 0;
}

static void legacy_time(struct agpu_gen *g)
{
    const bool exact = agpu_gen_may(g, AGPU_GEN_CHOICE_VBLANK_PHASE);

    if (agpu_gen_one_in(g, 4)) {
        const bool on = agpu_gen_one_in(g, 2);

        agpu_gen_register(g, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, on);
        if (on && !g->scanout_on && !exact) {
            agpu_gen_step_add(g->program, AGPU_GEN_ADVANCE)->value = 8;
        }
        g->scanout_on = on;
    }
    agpu_gen_step_add(g->program, AGPU_GEN_ADVANCE)->value =
        exact ? agpu_gen_between(g, 1, 40) : 16 * agpu_gen_between(g, 1, 3);
}

void agpu_gen_legacy_session(struct agpu_gen *g)
{
    legacy_ring(g);
    while (g->submissions < g->plan.submissions && !g->program->full &&
           !agpu_gen_random_is_over(&g->random)) {
        switch (agpu_gen_below(g, 12)) {
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
            if (agpu_gen_one_in(g, 8)) {
                legacy_ring(g);
            }
            break;
        default:
            for (uint32_t count = agpu_gen_between(g, 1, 4); count > 0 && g->posted + 1 < g->ring_count;
                 count--) {
                legacy_submit(g);
            }
            legacy_bell(g);
            break;
        }
    }
    if (agpu_gen_one_in(g, 4)) {
        agpu_gen_step_add(g->program, AGPU_GEN_RESET);
        legacy_registers(g);
    }
}
