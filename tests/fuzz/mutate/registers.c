/* registers.c: operations and registers of the versioned device, as the mutator chooses them. */
#include "pci/protocol/register_table.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/machine/script.h"
#include "tests/fuzz/mutate/grammar.h"

uint8_t fuzz_any_op(struct fuzz_random *random)
{
    const uint32_t chosen = fuzz_random_below(random, 32);

    if (chosen < 14) {
        return FUZZ_OP_PACKET;
    }
    if (chosen < 17) {
        return FUZZ_OP_SUBMIT;
    }
    if (chosen < 19) {
        return FUZZ_OP_ALLOC;
    }
    return (uint8_t)fuzz_random_below(random, FUZZ_OPS);
}

uint32_t fuzz_any_register(struct fuzz_random *random)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);

    return registers[fuzz_random_below(random, (uint32_t)count)].offset;
}

uint64_t fuzz_register_value(struct fuzz_random *random, uint32_t offset)
{
    switch (offset) {
    case AEROGPU_MMIO_REG_RING_GPA_LO:
    case AEROGPU_MMIO_REG_FENCE_GPA_LO:
    case AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO:
    case AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO:
        return (uint32_t)fuzz_any_gpa(random);
    case AEROGPU_MMIO_REG_RING_GPA_HI:
    case AEROGPU_MMIO_REG_FENCE_GPA_HI:
    case AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI:
    case AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI:
        return fuzz_random_below(random, 4) ? FUZZ_BASE >> 32 : UINT32_MAX;
    case AEROGPU_MMIO_REG_RING_SIZE_BYTES:
        return fuzz_random_below(random, 2) ? 64u + 64u * 64u : fuzz_random_next(random);
    case AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES:
        return 64u << fuzz_random_below(random, 6);
    case AEROGPU_MMIO_REG_IRQ_ENABLE:
    case AEROGPU_MMIO_REG_IRQ_ACK:
        return fuzz_random_below(random, 4) | (uint64_t)fuzz_random_below(random, 2) << 31;
    default:
        return fuzz_random_below(random, fuzz_random_below(random, 2) ? 4 : 300);
    }
}
