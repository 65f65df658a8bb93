/* records.c: operands of the operations that are not packets, for both generations of the device. */
#include <string.h>

#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/machine/script.h"
#include "tests/fuzz/mutate/grammar.h"

/* Addresses of the ring, fence page and pool of the harness's driver. */
#define RING  0x1000u
#define FENCE 0x4000u
#define POOL  0x8000u

struct writer {
    uint8_t *out;
    size_t at;
};

static void add(struct writer *writer, uint64_t value, uint32_t size)
{
    memcpy(writer->out + writer->at, &value, size); /* little-endian host, as the tree assumes */
    writer->at += size;
}

uint64_t fuzz_any_gpa(struct fuzz_random *random)
{
    static const uint32_t offsets[] = {RING, FENCE, POOL, FUZZ_OWN_BYTES, FUZZ_OWN_BYTES + 0x10000u};

    return FUZZ_BASE + FUZZ_CHOOSE(random, offsets);
}

static void make_write(struct fuzz_random *random, struct writer *writer)
{
    const uint32_t offset = fuzz_any_register(random);

    add(writer, offset + (fuzz_random_below(random, 16) == 0 ? fuzz_random_below(random, 4) : 0), 2);
    add(writer, fuzz_register_value(random, offset), 8);
}

static void make_bar(struct fuzz_random *random, struct writer *writer)
{
    static const uint8_t sizes[] = {1, 2, 4, 8, 4, 4, 0, 3, 16};
    static const uint64_t edges[] = {0, 0xFFFC, 0x10000, 0x7FFFC, 0x7FFFF, 0x80000, UINT64_MAX, 0x528};
    const uint32_t offset = fuzz_any_register(random);

    add(writer, fuzz_random_below(random, 8) ? fuzz_random_below(random, 2) : fuzz_random_below(random, 256),
        1);
    add(writer, FUZZ_CHOOSE(random, sizes), 1);
    add(writer,
        fuzz_random_below(random, 4) ? offset + fuzz_random_below(random, 8) : FUZZ_CHOOSE(random, edges), 8);
    add(writer, fuzz_register_value(random, offset), 8);
}

static void make_config(struct fuzz_random *random, struct writer *writer)
{
    static const uint8_t offsets[] = {4, 4, 4, 5, 6, 0, 8, 0x10, 0x14, 0x18, 0x30, 0x34, 0x3C, 0x3D, 0xFF};
    static const uint8_t sizes[] = {1, 2, 4, 2, 0, 3, 8};
    static const uint32_t values[] = {6, 2, 4, 0, 0x406, 7, UINT32_MAX, 0xFEB00000, 0xE0000000, 0x23450000};

    add(writer, fuzz_random_below(random, 16) ? FUZZ_CHOOSE(random, offsets) : fuzz_random_next(random), 2);
    add(writer, FUZZ_CHOOSE(random, sizes), 1);
    add(writer, FUZZ_CHOOSE(random, values), 4);
}

/* Interesting offsets: header, the first slots, structures in the pool, an allocation. */
static uint32_t any_offset(struct fuzz_random *random)
{
    switch (fuzz_random_below(random, 4)) {
    case 0:
        return RING + fuzz_random_below(random, 10) * 4;
    case 1:
        return RING + 64 + fuzz_random_below(random, 32) * 4;
    case 2:
        return POOL + fuzz_random_below(random, 64) * 4;
    default:
        return FUZZ_OWN_BYTES + fuzz_random_below(random, 0x10000);
    }
}

static void make_alterations(struct fuzz_random *random, struct writer *writer)
{
    const uint32_t count = 1 + fuzz_random_below(random, 6);

    for (uint32_t i = 0; i < count; i++) {
        add(writer, any_offset(random), 4);
        add(writer,
            fuzz_random_below(random, 2) ? 1u << fuzz_random_below(random, 32) : fuzz_random_next(random), 4);
        add(writer, fuzz_random_below(random, 12), 2);
    }
}

static void make_memory(struct fuzz_random *random, struct writer *writer)
{
    const uint32_t words = 1 + fuzz_random_below(random, 16);

    add(writer, any_offset(random), 4);
    for (uint32_t i = 0; i < words; i++) {
        add(writer, fuzz_random_below(random, 2) ? fuzz_random_next(random) : fuzz_random_below(random, 128),
            4);
    }
}

static void make_alloc(struct fuzz_random *random, uint8_t *argument, struct writer *writer)
{
    static const uint32_t sizes[] = {0x1000, 0x10000, 64, 4, 0x100000, 0, UINT32_MAX};

    add(writer, fuzz_random_below(random, 16) ? 1 + fuzz_random_below(random, 3) : fuzz_random_next(random),
        4);
    add(writer, fuzz_random_below(random, 4) == 0, 4);
    if (fuzz_random_below(random, 8) == 0) {
        *argument |= FUZZ_ARG_VERBATIM;
        add(writer,
            fuzz_random_below(random, 2) ? fuzz_any_gpa(random)
                                         : UINT64_MAX - fuzz_random_below(random, 5000),
            8);
        add(writer, FUZZ_CHOOSE(random, sizes), 8);
    } else {
        add(writer, fuzz_random_below(random, 64) * 0x400, 4);
        add(writer, FUZZ_CHOOSE(random, sizes), 4);
    }
}

static void make_submit(struct fuzz_random *random, uint8_t *argument, struct writer *writer)
{
    static const uint32_t values[] = {0,          1,       0x18,    0x20,       0x40,
                                      UINT32_MAX, 0x10000, 0x20000, 0x04000000, 0x7FFFFFFF};
    const uint32_t patches = fuzz_random_below(random, 4) ? 0 : 1 + fuzz_random_below(random, 3);

    *argument = (uint8_t)(fuzz_random_below(random, 3) ? 0 : fuzz_random_next(random));
    add(writer, fuzz_random_below(random, 8) ? 4 : fuzz_random_below(random, 256), 1);
    for (uint32_t i = 0; i < patches; i++) {
        add(writer, fuzz_random_below(random, FUZZ_PATCHES), 1);
        add(writer, fuzz_random_below(random, 16) * 4, 1);
        add(writer, fuzz_random_below(random, 4) ? FUZZ_CHOOSE(random, values) : fuzz_random_next(random), 4);
    }
}

static void make_map(struct fuzz_random *random, struct writer *writer)
{
    add(writer, any_offset(random) / FUZZ_PAGE, 4);
    add(writer, 1 + fuzz_random_below(random, 3), 4);
}

size_t fuzz_make_record(struct fuzz_random *random, uint8_t op, uint8_t *argument, uint8_t *out)
{
    struct writer writer = {out, 0};

    *argument = 0;
    switch ((enum fuzz_op)op) {
    case FUZZ_OP_PACKET:
        *argument = fuzz_random_below(random, 24) == 0;
        return fuzz_make_packet(random, out);
    case FUZZ_OP_ALLOC:
        *argument = fuzz_random_below(random, 16) == 0 ? FUZZ_ARG_AGAIN : 0;
        make_alloc(random, argument, &writer);
        break;
    case FUZZ_OP_SUBMIT:
        make_submit(random, argument, &writer);
        break;
    case FUZZ_OP_MEMORY:
        make_memory(random, &writer);
        break;
    case FUZZ_OP_WRITE:
    case FUZZ_OP_READ:
        *argument = (uint8_t)(fuzz_random_below(random, 4) ? 0 : fuzz_random_below(random, 8));
        make_write(random, &writer);
        break;
    case FUZZ_OP_BAR:
        *argument = (uint8_t)fuzz_random_below(random, 2);
        make_bar(random, &writer);
        break;
    case FUZZ_OP_CONFIG:
        *argument = fuzz_random_below(random, 4) == 0;
        make_config(random, &writer);
        break;
    case FUZZ_OP_TIME:
        *argument = (uint8_t)fuzz_random_below(random, 24);
        add(&writer, fuzz_random_below(random, 2) ? 16666667 : fuzz_random_next(random), 4);
        break;
    case FUZZ_OP_SERVICE:
        *argument = (uint8_t)fuzz_random_below(random, 4);
        break;
    case FUZZ_OP_ALTER:
        make_alterations(random, &writer);
        break;
    case FUZZ_OP_MAP:
        *argument = (uint8_t)fuzz_random_below(random, 4);
        make_map(random, &writer);
        break;
    case FUZZ_OP_IDLE:
    case FUZZ_OP_RESET:
    case FUZZ_OP_DEVICE:
    case FUZZ_OP_BRINGUP:
    case FUZZ_OPS:
    default:
        break;
    }
    return writer.at;
}
