/* keep.c: which writes are work; the one reset between two cases. */
#include "tests/cases/rig/keep.h"

#include "pci/protocol/aerogpu_pci.h"
#include "pci/config.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/harness/account.h"

/* What a ring reset undoes, what is undone by one more write, and the rest. */
#define WROTE_WORK   0x1u
#define WROTE_MASK   0x2u
#define WROTE_CONFIG 0x4u
#define WROTE_SCREEN 0x8u
#define WROTE_RING   0x10u
#define WROTE_OTHER  0x20u
#define WROTE_BARS   0x40u
#define WROTE_ACK    0x80u

#define KEPT_IN_A_ROW   128u
#define LOOKED_AT_EVERY 32u
/* Of cases that wrote the mask or the screen's registers: a cause may be left. */
#define MORE_LOOKED_AT_EVERY 4u

/* What agpu_screen_off() undoes, in its order; the rest of the screen is as it was left. */
static const uint32_t screen_registers[] = {
    AEROGPU_MMIO_REG_SCANOUT0_ENABLE,      AEROGPU_MMIO_REG_SCANOUT0_WIDTH,
    AEROGPU_MMIO_REG_SCANOUT0_HEIGHT,      AEROGPU_MMIO_REG_SCANOUT0_FORMAT,
    AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO,
    AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI,   AEROGPU_MMIO_REG_CURSOR_ENABLE,
    AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO,     AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI,
};

#define SCREEN_REGISTERS         (sizeof screen_registers / sizeof screen_registers[0])
#define WROTE_SCREEN_REGISTER(i) (0x10000u << (i))

/* Behind the low half of an address its upper half is written, which makes both effective. */
static uint32_t kind_of_screen(uint64_t offset)
{
    for (unsigned i = 0; i < SCREEN_REGISTERS; i++) {
        if (offset != screen_registers[i]) {
            continue;
        }
        return WROTE_SCREEN | WROTE_SCREEN_REGISTER(i) |
               (offset == AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO || offset == AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO
                    ? WROTE_SCREEN_REGISTER(i + 1)
                    : 0);
    }
    return (offset >= AEROGPU_MMIO_REG_SCANOUT0_ENABLE && offset <= AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI) ||
                   (offset >= AEROGPU_MMIO_REG_CURSOR_ENABLE && offset <= AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES)
               ? WROTE_SCREEN
               : WROTE_OTHER;
}

static uint32_t kind_of_write(uint64_t offset, uint32_t size)
{
    if (size != 4) {
        return WROTE_OTHER;
    }
    switch (offset) {
    case AEROGPU_MMIO_REG_DOORBELL:
    case AEROGPU_MMIO_REG_RING_CONTROL:
        return WROTE_WORK;
    case AEROGPU_MMIO_REG_IRQ_ACK:
        return WROTE_ACK;
    case AEROGPU_MMIO_REG_IRQ_ENABLE:
        return WROTE_MASK;
    case AEROGPU_MMIO_REG_RING_GPA_LO:
    case AEROGPU_MMIO_REG_RING_GPA_HI:
    case AEROGPU_MMIO_REG_RING_SIZE_BYTES:
    case AEROGPU_MMIO_REG_FENCE_GPA_LO:
    case AEROGPU_MMIO_REG_FENCE_GPA_HI:
        return WROTE_RING;
    default:
        return kind_of_screen(offset);
    }
}

/* The command register is restored by one write. */
static uint32_t kind_of_config(uint64_t offset)
{
    return offset == AGPU_PCI_COMMAND ? WROTE_CONFIG : WROTE_CONFIG | WROTE_BARS;
}

void agpu_keep_forget_held(struct agpu_env *env)
{
    env->held = (struct agpu_ring_held){0};
    env->held_lost = false;
}

/* The command register decides whether registers are reached, and no more than that; whatever else is written to configuration
 * space may have moved them or made them lose what they held. */
static void note_held(struct agpu_env *env, const struct agpu_account_write *write)
{
    if (write->config) {
        const bool reached = write->offset == AGPU_PCI_COMMAND && write->size == 2 &&
                             (write->value & AGPU_PCI_COMMAND_MEMORY) != 0;

        env->held_lost |= !reached;
    } else if (write->bar == AEROGPU_PCI_BAR0_INDEX && write->size == 4) {
        agpu_ring_held_note(&env->held, write->offset, (uint32_t)write->value);
    } else if (write->bar == AEROGPU_PCI_BAR0_INDEX) {
        env->held_lost = true;
    }
}

/* What is written to another function is not told apart. */
const struct agpu_ring_held *agpu_keep_held(const struct agpu_env *env)
{
    return env->held_lost || (env->functions != NULL && env->functions->together) ? NULL : &env->held;
}

void agpu_keep_wrote(struct agpu_env *env, const struct agpu_account_write *write)
{
    const uint32_t kind =
        write->config ? kind_of_config(write->offset) : kind_of_write(write->offset, write->size);
    const bool counts = (kind & (WROTE_WORK | WROTE_RING | WROTE_CONFIG | WROTE_OTHER)) != 0;

    note_held(env, write);
    __atomic_fetch_add(&env->writes, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&env->works, counts, __ATOMIC_RELAXED);
    __atomic_fetch_or(&env->wrote, kind, __ATOMIC_RELAXED);
}

void agpu_keep_begin(struct agpu_env *env)
{
    env->wrote = 0;
    if (env->ring.memory.cpu != NULL &&
        !env->keeps_count) { /* it was reset, which clears ERROR_COUNT (device.md 4.2) */
        env->counted_before = env->counted;
        env->counted = 0;
        env->counted_at = env->works;
    }
    env->fault_runs = 0;
    env->clean_runs = 0;
    env->clean_unseen = false;
    env->clean_wrong = false;
    env->pending_unseen = false;
    env->error_pending = false;
    env->vblank_period = 0;
    env->suspect = true; /* until it has ended well */
}

bool agpu_keep_wrote_anything(const struct agpu_env *env)
{
    return env->wrote != 0;
}

bool agpu_keep_wrote_config(const struct agpu_env *env)
{
    return (env->wrote & WROTE_CONFIG) != 0;
}

bool agpu_keep_wrote_bars(const struct agpu_env *env)
{
    return (env->wrote & WROTE_BARS) != 0;
}

static bool wrote_nothing_of(const struct agpu_env *env, uint32_t kinds)
{
    return !env->abi.legacy && !env->dirty && env->ring.memory.cpu != NULL && (env->wrote & kinds) == 0;
}

/* As agpu_screen_off(), of what the case has written. */
static void screen_off(const struct agpu_env *env)
{
    for (unsigned i = 0; i < SCREEN_REGISTERS; i++) {
        if ((env->wrote & WROTE_SCREEN_REGISTER(i)) != 0) {
            agpu_reg_write(&env->function, screen_registers[i], 0);
        }
    }
}

static void mask_and_screen_off(const struct agpu_env *env)
{
    if ((env->wrote & WROTE_MASK) != 0) {
        agpu_irq_enable(&env->function, 0);
    }
    screen_off(env);
}

/* By all that a reset shows: registers and memory (device.md 4.2). */
static bool reset_and_look(struct agpu_env *env)
{
    mask_and_screen_off(env);
    return agpu_ring_reset(&env->ring) == AGPU_OK && agpu_irq_status(&env->function) == 0;
}

bool agpu_keep_renew(struct agpu_env *env)
{
    if (!wrote_nothing_of(env, WROTE_CONFIG | WROTE_SCREEN | WROTE_RING | WROTE_OTHER)) {
        return false;
    }
    /* As it was brought up: nothing was written to it, not even in memory. */
    if (!agpu_keep_wrote_anything(env) && env->ring.tail == env->ring.first_index) {
        return true;
    }
    return reset_and_look(env);
}

/* The ring that was brought up is not where it was, or is another one; or the device was kept from the bus. */
static bool was_moved(const struct agpu_env *env)
{
    return (env->wrote & (WROTE_RING | WROTE_CONFIG)) != 0 || !agpu_ring_is_plain(&env->ring);
}

/* Without a fence page its address is not programmed. */
static bool bring_back(struct agpu_env *env)
{
    const struct agpu_ring_config plain = {0};

    if (env->ring.page.cpu == NULL) {
        return false;
    }
    screen_off(env);
    if (agpu_ring_is_plain(&env->ring)) {
        return agpu_ring_reprogram(&env->ring, agpu_keep_held(env)) == AGPU_OK &&
               agpu_irq_status(&env->function) == 0;
    }
    return agpu_ring_replace(&env->ring, &env->function, env->abi.features, &plain, agpu_keep_held(env)) ==
               AGPU_OK &&
           agpu_irq_status(&env->function) == 0;
}

static bool renew(struct agpu_env *env)
{
    const unsigned every =
        (env->wrote & (WROTE_MASK | WROTE_SCREEN)) != 0 ? MORE_LOOKED_AT_EVERY : LOOKED_AT_EVERY;

    if (++env->kept % every == 1) {
        return reset_and_look(env);
    }
    mask_and_screen_off(env);
    return agpu_ring_renew(&env->ring) == AGPU_OK;
}

bool agpu_keep_ring(struct agpu_env *env)
{
    if (env->suspect || env->kept >= KEPT_IN_A_ROW || !wrote_nothing_of(env, WROTE_OTHER) ||
        !(was_moved(env) ? bring_back(env) : renew(env))) {
        env->kept = 0;
        return false;
    }
    return true;
}

enum agpu_status agpu_keep_silent(struct agpu_env *env, bool stopped)
{
    const uint64_t screen = AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_CURSOR;
    const bool ring_is_quiet = stopped || (env->wrote & (WROTE_WORK | WROTE_RING)) == 0;

    if (!env->abi.legacy && !env->dirty && ring_is_quiet && (env->wrote & WROTE_OTHER) == 0) {
        if ((env->wrote & WROTE_MASK) != 0) {
            agpu_irq_enable(&env->function, 0);
        }
        screen_off(env);
        if ((env->wrote & (WROTE_MASK | WROTE_SCREEN)) != 0) {
            agpu_irq_ack(&env->function, UINT32_MAX);
        }
        if (agpu_irq_status(&env->function) == 0) {
            return AGPU_OK;
        }
    }
    return agpu_kmd_adapter_silence(&env->adapter, (env->wrote & (WROTE_SCREEN | WROTE_OTHER)) != 0
                                                       ? env->abi.features
                                                       : env->abi.features & ~screen);
}

bool agpu_kept_ring_fits(const struct agpu_env *env, bool page)
{
    return env->ring.memory.cpu != NULL && (env->ring.page.cpu != NULL) == page;
}
