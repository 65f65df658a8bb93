/* gen_board.c: generates work on PCI capabilities that both functions have: power states, function level resets,
 * interrupt delivery (device.md 1.1, 2.2, 4.4). */
#include "tests/host/compare/gen_board.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/host/compare/gen_function.h"

#define D1    1u
#define D2    2u
#define D3HOT 3u

static bool both_have(const struct agpu_cmp_generator *g, uint32_t what)
{
    return (g->plan.common.has & what) != 0;
}

/* The way back to D0 keeps all state, or is a reset. A state that neither offers is not entered. */
void world_sleep(struct agpu_cmp_generator *g)
{
    const bool resets = both_have(g, AGPU_CMP_HAS_SLEEP_RESET);
    struct agpu_cmp_step *step;

    world_close(g, true);
    if (both_have(g, AGPU_CMP_LACKS_D1 | AGPU_CMP_LACKS_D2) && world_one_in(g, 2)) {
        const bool second =
            both_have(g, AGPU_CMP_LACKS_D2) && (!both_have(g, AGPU_CMP_LACKS_D1) || world_one_in(g, 2));

        world_do(g, AGPU_CMP_POWER)->value = second ? D2 : D1;
        world_look(g);
        return;
    }
    if (!resets && !both_have(g, AGPU_CMP_HAS_SLEEP)) {
        return;
    }
    if (!resets && (g->scanout_on || g->held_below != 0)) {
        return; /* it is unspecified whether a clock continues meanwhile */
    }
    step = world_do(g, AGPU_CMP_POWER);
    step->value = D3HOT;
    step->flags = world_below(g, 1000); /* a register write that is lost */
    if (resets) {
        world_after_reset(g);
    }
    world_look(g);
}

void world_level_reset(struct agpu_cmp_generator *g)
{
    if (!both_have(g, AGPU_CMP_HAS_FUNCTION_RESET)) {
        return;
    }
    world_close(g, true);
    world_do(g, AGPU_CMP_RESET)->size = 1;
    world_after_reset(g);
}

/* Switches to another way of delivery, or changes the mask of the current one. */
void world_messages(struct agpu_cmp_generator *g)
{
    uint32_t way = AGPU_CMP_WAY_LINE;
    struct agpu_cmp_step *step;

    if (!both_have(g, AGPU_CMP_HAS_MSI | AGPU_CMP_HAS_MSIX)) {
        return;
    }
    if (world_one_in(g, 4)) {
        way = AGPU_CMP_WAY_LINE;
    } else if (both_have(g, AGPU_CMP_HAS_MSI) && (!both_have(g, AGPU_CMP_HAS_MSIX) || world_one_in(g, 3))) {
        way = AGPU_CMP_WAY_MSI;
    } else {
        way = world_between(g, AGPU_CMP_WAY_MSIX, AGPU_CMP_WAY_MSIX_FUNCTION);
    }
    world_close(g, true);
    if (world_one_in(g, 2)) { /* something to report by interrupt */
        world_register(g, AEROGPU_MMIO_REG_IRQ_ENABLE,
                       AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR |
                           (world_one_in(g, 2) ? AEROGPU_IRQ_SCANOUT_VBLANK : 0));
    }
    if (!world_may(g, AGPU_CMP_CHOICE_MESSAGE_COUNT) || world_one_in(g, 2)) {
        world_register(g, AEROGPU_MMIO_REG_IRQ_ACK, 0xFFFFFFFF);
    }
    step = world_do(g, AGPU_CMP_MESSAGES);
    step->value = way;
    world_look(g);
}
