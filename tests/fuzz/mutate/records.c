/* records.c: records of operations that sessions do not have: races, mappings, service points, accesses of any size. */
#include "tests/fuzz/mutate/records.h"

#include <string.h>

#include "pci/protocol/register_table.h"
#include "tests/fuzz/machine/guest.h"

/* Addresses of the ring and pool of the harness's driver. */
#define RING 0x1000u
#define POOL 0x8000u

#define CHOOSE(random, list) (list)[agpu_gen_random_below(random, sizeof(list) / sizeof(list)[0])]

static struct {
    uint8_t bytes[FUZZ_MADE_BYTES];
    uint32_t size;
} operand;

static void put(uint64_t value, uint32_t size)
{
    memcpy(operand.bytes + operand.size, &value, size); /* little-endian host, as the tree assumes */
    operand.size += size;
}

uint64_t fuzz_any_value(struct agpu_gen_random *random)
{
    static const uint64_t values[] = {0x18,
                                      0x40,
                                      0x406,
                                      0x1000,
                                      0x04000000,
                                      0x7FFFFFFF,
                                      UINT32_MAX,
                                      (uint32_t)FUZZ_BASE + RING,
                                      FUZZ_BASE >> 32,
                                      UINT64_MAX};

    switch (agpu_gen_random_below(random, 3)) {
    case 0:
        return agpu_gen_random_below(random, 16);
    case 1:
        return agpu_gen_random_u64(random) >> agpu_gen_random_below(random, 64);
    default:
        return CHOOSE(random, values);
    }
}

/* Returns an interesting offset: header, the first slots, structures in the pool, an allocation. */
static uint32_t any_offset(struct agpu_gen_random *random)
{
    static const uint32_t starts[] = {RING, RING + 64, POOL, FUZZ_OWN_BYTES};

    return CHOOSE(random, starts) + 4 * agpu_gen_random_below(random, 32);
}

static uint32_t any_register(struct agpu_gen_random *random)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(fuzz_guest_is_legacy(), &count);

    return registers[agpu_gen_random_below(random, (uint32_t)count)].offset;
}

static void put_operand(struct agpu_gen_random *random, enum fuzz_op op)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 4, 4, 0, 3, 16};
    uint32_t count = agpu_gen_random_between(random, 1, 8);

    switch (op) {
    case FUZZ_OP_MEMORY:
        put(any_offset(random), 4);
        for (; count > 0; count--) {
            put(fuzz_any_value(random), 4);
        }
        break;
    case FUZZ_OP_WRITE:
        put(any_register(random), 2);
        put(fuzz_any_value(random), 8);
        break;
    case FUZZ_OP_BAR:
        put(agpu_gen_random_below(random, 3), 1);
        put(CHOOSE(random, sizes), 1);
        put(agpu_gen_random_one_in(random, 4) ? fuzz_any_value(random) : any_register(random) + count, 8);
        put(fuzz_any_value(random), 8);
        break;
    case FUZZ_OP_CONFIG:
        put(agpu_gen_random_one_in(random, 2) ? 4 : agpu_gen_random_below(random, 260), 2);
        put(CHOOSE(random, sizes), 1);
        put(fuzz_any_value(random), 4);
        break;
    case FUZZ_OP_ALTER:
        for (; count > 0; count--) {
            put(any_offset(random), 4);
            put(fuzz_any_value(random), 4);
            put(agpu_gen_random_below(random, 12), 2);
        }
        break;
    case FUZZ_OP_MAP:
        put(any_offset(random) / FUZZ_PAGE, 4);
        put(count, 4);
        break;
    case FUZZ_OP_ALLOC:
        put(agpu_gen_random_below(random, 4), 4);
        put(agpu_gen_random_below(random, 2), 4);
        put(fuzz_any_value(random), 8);
        put(fuzz_any_value(random), 8);
        break;
    case FUZZ_OP_SUBMIT:
        put(fuzz_any_value(random), 1);
        for (; count > 5; count--) {
            put(agpu_gen_random_below(random, FUZZ_PATCHES), 1);
            put(agpu_gen_random_below(random, 16) * 4, 1);
            put(fuzz_any_value(random), 4);
        }
        break;
    case FUZZ_OP_TIME:
        put(fuzz_any_value(random), 4);
        break;
    case FUZZ_OP_PACKET:
    case FUZZ_OP_READ:
    case FUZZ_OP_SERVICE:
    case FUZZ_OP_IDLE:
    case FUZZ_OP_RESET:
    case FUZZ_OP_DEVICE:
    case FUZZ_OP_BRINGUP:
    case FUZZ_OPS:
    default:
        break;
    }
}

void fuzz_make_record(struct agpu_gen_random *random, fuzz_take *take)
{
    struct fuzz_record record = {.op = (uint8_t)agpu_gen_random_below(random, FUZZ_OPS),
                                 .argument = (uint8_t)agpu_gen_random_below(random, 256),
                                 .bytes = operand.bytes};

    operand.size = 0;
    put_operand(random, (enum fuzz_op)record.op);
    record.length = (uint16_t)operand.size;
    take(&record);
}
