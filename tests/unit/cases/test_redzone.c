/* test_redzone.c: each write next to a piece of DMA memory is found and reported with its place. */
#include <stdlib.h>
#include <string.h>
#include "tests/cases/harness/redzone.h"
#include "tests/unit/test.h"

#define PIECE 8192u

static _Alignas(4096) uint8_t memory[PIECE + 2 * AGPU_REDZONE_BYTES];

static struct agpu_dma drawn(void)
{
    struct agpu_dma dma = {.cpu = memory, .device_address = 0x10000, .size = sizeof memory};

    memset(memory, 0, sizeof memory);
    agpu_redzone_draw(&dma);
    assert_ptr_equal(dma.cpu, memory + AGPU_REDZONE_BYTES);
    assert_int_equal(dma.device_address, 0x10000 + AGPU_REDZONE_BYTES);
    assert_int_equal(dma.size, PIECE);
    return dma;
}

static struct agpu_redzone_damage checked(struct agpu_dma dma)
{
    struct agpu_redzone_damage damage = {0};

    agpu_redzone_remove(&dma);
    assert_ptr_equal(dma.cpu, memory);
    assert_int_equal(dma.device_address, 0x10000);
    agpu_redzone_check(&dma, &damage);
    return damage;
}

TEST(inside_is_no_matter)
{
    struct agpu_dma dma = drawn();

    memset(dma.cpu, 0xA5, dma.size);
    assert_int_equal(checked(dma).count, 0);
}

TEST(every_byte_outside_is_seen)
{
    for (uint32_t at = 0; at < AGPU_REDZONE_BYTES; at += 37) {
        struct agpu_dma dma = drawn();
        struct agpu_redzone_damage damage;

        ((uint8_t *)dma.cpu)[PIECE + at] ^= 1;
        damage = checked(dma);
        assert_int_equal(damage.count, 1);
        assert_false(damage.before);
        assert_int_equal(damage.distance, at);
        assert_int_equal(damage.bytes, 1);
        assert_int_equal(damage.size, PIECE);

        dma = drawn();
        memory[AGPU_REDZONE_BYTES - 1 - at] ^= 0x80;
        damage = checked(dma);
        assert_true(damage.before);
        assert_int_equal(damage.distance, at + 1);
    }
}

TEST(says_where)
{
    struct agpu_dma dma = drawn();
    struct agpu_redzone_damage damage;
    char buffer[300];
    struct agpu_text text;

    memset((uint8_t *)dma.cpu + PIECE, 0, 8);
    damage = checked(dma);
    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_redzone_describe(&damage, &text);
    assert_non_null(strstr(buffer, "wrote outside its memory"));
    assert_non_null(strstr(buffer, "0 bytes past the end of an allocation of 8192 bytes"));
}
