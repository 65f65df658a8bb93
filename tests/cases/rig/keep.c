/* keep.c: which writes are work; the one reset between two cases. */
#include "tests/cases/rig/keep.h"

#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"

/* What a ring reset undoes, what is undone by one more write, and the rest. */
#define WROTE_WORK   0x1u
#define WROTE_MASK   0x2u
#define WROTE_CONFIG 0x4u
#define WROTE_OTHER  0x8u

#define KEPT_IN_A_ROW 64u

static uint32_t kind_of_write(uint64_t offset, uint32_t size)
{
    if (size != 4) {
        return WROTE_OTHER;
    }
    switch (offset) {
    case AEROGPU_MMIO_REG_DOORBELL:
    case AEROGPU_MMIO_REG_IRQ_ACK:
    case AEROGPU_MMIO_REG_RING_CONTROL:
        return WROTE_WORK;
    case AEROGPU_MMIO_REG_IRQ_ENABLE:
        return WROTE_MASK;
    default:
        return WROTE_OTHER;
    }
}

void agpu_keep_wrote(struct agpu_env *env, bool config, uint64_t offset, uint32_t size)
{
    __atomic_fetch_or(&env->wrote, config ? WROTE_CONFIG : kind_of_write(offset, size), __ATOMIC_RELAXED);
}

void agpu_keep_begin(struct agpu_env *env)
{
    env->wrote = 0;
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

bool agpu_keep_renew(struct agpu_env *env)
{
    if (env->abi.legacy || env->dirty || env->ring.memory.cpu == NULL ||
        (env->wrote & (WROTE_CONFIG | WROTE_OTHER)) != 0) {
        return false;
    }
    if ((env->wrote & WROTE_MASK) != 0) {
        agpu_irq_enable(&env->function, 0);
    }
    return agpu_ring_reset(&env->ring) == AGPU_OK && agpu_irq_status(&env->function) == 0;
}

bool agpu_keep_ring(struct agpu_env *env)
{
    if (env->suspect || ++env->kept >= KEPT_IN_A_ROW || !agpu_keep_renew(env)) {
        env->kept = 0;
        return false;
    }
    return true;
}

bool agpu_kept_ring_fits(const struct agpu_env *env, bool page)
{
    return env->ring.memory.cpu != NULL && (env->ring.page.cpu != NULL) == page;
}
