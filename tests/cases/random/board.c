/* board.c: generates work on PCI capabilities that both functions have: power states, function level resets,
 * interrupt delivery (device.md 1.1, 2.2, 4.4). */
#include "tests/cases/random/board.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/random/function.h"

#define D1    1u
#define D2    2u
#define D3HOT 3u

static bool both_have(const struct agpu_gen *g, uint32_t what)
{
    return (g->plan.common.has & what) != 0;
}

/* The way back to D0 keeps all state, or is a reset. A state that neither offers is not entered. */
void agpu_gen_sleep(struct agpu_gen *g)
{
    const bool resets = both_have(g, AGPU_GEN_HAS_SLEEP_RESET);
    struct agpu_gen_step *step;

    agpu_gen_close(g, true);
    if (both_have(g, AGPU_GEN_LACKS_D1 | AGPU_GEN_LACKS_D2) && agpu_gen_one_in(g, 2)) {
        const bool second =
            both_have(g, AGPU_GEN_LACKS_D2) && (!both_have(g, AGPU_GEN_LACKS_D1) || agpu_gen_one_in(g, 2));

        agpu_gen_do(g, AGPU_GEN_POWER)->value = second ? D2 : D1;
        agpu_gen_compare(g);
        return;
    }
    if (!resets && !both_have(g, AGPU_GEN_HAS_SLEEP)) {
        return;
    }
    if (!resets && (g->scanout_on || g->held_below != 0)) {
        return; /* it is unspecified whether a clock continues meanwhile */
    }
    step = agpu_gen_do(g, AGPU_GEN_POWER);
    step->value = D3HOT;
    step->flags = agpu_gen_below(g, 1000); /* a register write that is lost */
    if (resets) {
        agpu_gen_after_reset(g);
    }
    agpu_gen_compare(g);
}

void agpu_gen_level_reset(struct agpu_gen *g)
{
    if (!both_have(g, AGPU_GEN_HAS_FUNCTION_RESET)) {
        return;
    }
    agpu_gen_close(g, true);
    agpu_gen_do(g, AGPU_GEN_RESET)->size = 1;
    agpu_gen_after_reset(g);
}

/* Switches to another way of delivery, or changes the mask of the current one. */
void agpu_gen_messages(struct agpu_gen *g)
{
    uint32_t way = AGPU_GEN_WAY_LINE;
    struct agpu_gen_step *step;

    if (!both_have(g, AGPU_GEN_HAS_MSI | AGPU_GEN_HAS_MSIX)) {
        return;
    }
    if (agpu_gen_one_in(g, 4)) {
        way = AGPU_GEN_WAY_LINE;
    } else if (both_have(g, AGPU_GEN_HAS_MSI) &&
               (!both_have(g, AGPU_GEN_HAS_MSIX) || agpu_gen_one_in(g, 3))) {
        way = AGPU_GEN_WAY_MSI;
    } else {
        way = agpu_gen_between(g, AGPU_GEN_WAY_MSIX, AGPU_GEN_WAY_MSIX_FUNCTION);
    }
    agpu_gen_close(g, true);
    if (agpu_gen_one_in(g, 2)) { /* something to report by interrupt */
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ENABLE,
                          AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR |
                              (agpu_gen_one_in(g, 2) ? AEROGPU_IRQ_SCANOUT_VBLANK : 0));
    }
    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_MESSAGE_COUNT) || agpu_gen_one_in(g, 2)) {
        agpu_gen_register(g, AEROGPU_MMIO_REG_IRQ_ACK, 0xFFFFFFFF);
    }
    step = agpu_gen_do(g, AGPU_GEN_MESSAGES);
    step->value = way;
    agpu_gen_compare(g);
}
