/* registers.c: BAR0 access. */
#include "pci/registers.h"

/* HI changes once in 2^32 events, so a second change between two reads of one loop means a faulty device. */
#define STABLE_ROUNDS 4

uint32_t agpu_reg_read(const struct agpu_function *function, uint32_t reg)
{
    const struct agpu_platform *platform = function->platform;

    return (uint32_t)platform->bar_read(platform->ctx, &function->found.ref, AEROGPU_PCI_BAR0_INDEX, reg, 4);
}

void agpu_reg_write(const struct agpu_function *function, uint32_t reg, uint32_t value)
{
    const struct agpu_platform *platform = function->platform;

    platform->bar_write(platform->ctx, &function->found.ref, AEROGPU_PCI_BAR0_INDEX, reg, 4, value);
}

uint64_t agpu_reg_read64(const struct agpu_function *function, uint32_t lo)
{
    uint32_t high = agpu_reg_read(function, lo + 4);
    uint32_t low = 0;

    for (unsigned i = 0; i < STABLE_ROUNDS; i++) {
        uint32_t again;

        low = agpu_reg_read(function, lo);
        again = agpu_reg_read(function, lo + 4);
        if (again == high) {
            break;
        }
        high = again;
    }
    return (uint64_t)high << 32 | low;
}

void agpu_reg_write64(const struct agpu_function *function, uint32_t lo, uint64_t value)
{
    agpu_reg_write(function, lo, (uint32_t)value);
    agpu_reg_write(function, lo + 4, (uint32_t)(value >> 32));
}

bool agpu_reg_gone(const struct agpu_function *function)
{
    return agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC) == UINT32_MAX;
}
