/* registers.c: the retired device for the mutator: its registers and their values. */
#include "pci/protocol/register_table.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/machine/script.h"
#include "tests/fuzz/mutate/grammar.h"

#define RING 0x1000u

uint8_t fuzz_any_op(struct fuzz_random *random)
{
    static const uint8_t often[] = {FUZZ_OP_SUBMIT, FUZZ_OP_SUBMIT, FUZZ_OP_WRITE,  FUZZ_OP_WRITE,
                                    FUZZ_OP_BAR,    FUZZ_OP_MEMORY, FUZZ_OP_BRINGUP};

    return fuzz_random_below(random, 2) ? FUZZ_CHOOSE(random, often)
                                        : (uint8_t)fuzz_random_below(random, FUZZ_OPS);
}

uint32_t fuzz_any_register(struct fuzz_random *random)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(true, &count);

    return registers[fuzz_random_below(random, (uint32_t)count)].offset;
}

uint64_t fuzz_register_value(struct fuzz_random *random, uint32_t offset)
{
    switch (offset) {
    case AEROGPU_LEGACY_REG_RING_BASE_LO:
    case AEROGPU_LEGACY_REG_SCANOUT_FB_LO:
        return (uint32_t)(FUZZ_BASE + (fuzz_random_below(random, 2) ? RING : fuzz_random_next(random)));
    case AEROGPU_LEGACY_REG_RING_BASE_HI:
    case AEROGPU_LEGACY_REG_SCANOUT_FB_HI:
        return fuzz_random_below(random, 4) ? FUZZ_BASE >> 32 : UINT32_MAX;
    case AEROGPU_LEGACY_REG_RING_ENTRY_COUNT: /* a long ring keeps the device, and the search, busy */
        return fuzz_random_below(random, 256) ? fuzz_random_below(random, 40) : fuzz_random_next(random);
    default:
        return fuzz_random_below(random, 16) ? fuzz_random_below(random, 40) : fuzz_random_next(random);
    }
}

/* The retired device has no packets. */
size_t fuzz_make_packet(struct fuzz_random *random, uint8_t *out)
{
    (void)random;
    (void)out;
    return 0;
}

void fuzz_tweak_packet(struct fuzz_random *random, uint8_t *packet, size_t size)
{
    (void)random;
    (void)packet;
    (void)size;
}

void fuzz_note_handle(struct fuzz_random *random, const uint8_t *packet, size_t size)
{
    (void)random;
    (void)packet;
    (void)size;
}
