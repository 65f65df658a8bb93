/* test_capability.c: the capability list of wrong functions is walked with a bound, and what is wrong is said; resets find the
 * bridge only where nobody else would be hurt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pci/power.h"
#include "tests/host_platform/base_platform.h"

#define FUNCTIONS 4

/* A machine that is nothing but configuration spaces. */
struct spaces {
    struct agpu_platform platform;
    uint8_t bytes[FUNCTIONS][256];
    struct agpu_pci_location at[FUNCTIONS];
    unsigned count;
    uint64_t now;
};

static bool space_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    struct spaces *m = ctx;

    if (index >= m->count) {
        return false;
    }
    *out = (struct agpu_pci_ref){.handle = m->bytes[index], .location = m->at[index]};
    return true;
}

static uint32_t space_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size)
{
    uint32_t value = 0;

    (void)ctx;
    assert_true(offset + size <= 256);
    memcpy(&value, (uint8_t *)function->handle + offset, size);
    return value;
}

static void space_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                        uint32_t value)
{
    (void)ctx;
    memcpy((uint8_t *)function->handle + offset, &value, size);
}

static uint64_t space_now(void *ctx)
{
    struct spaces *m = ctx;

    return m->now += 1000000;
}

static struct agpu_function open_machine(struct spaces *m)
{
    *m = (struct spaces){.platform = agpu_base_platform, .count = 1};
    m->platform.ctx = m;
    m->platform.pci_function = space_function;
    m->platform.config_read = space_read;
    m->platform.config_write = space_write;
    m->platform.now_ns = space_now;
    m->bytes[0][0] = 0xA0;
    m->bytes[0][1] = 0xA3;
    return (struct agpu_function){.platform = &m->platform,
                                  .found = {.vendor = 0xA3A0, .ref = {.handle = m->bytes[0]}}};
}

static void put(struct spaces *m, unsigned at, uint8_t id, uint8_t next)
{
    m->bytes[0][6] |= 0x10;
    if (m->bytes[0][0x34] == 0) {
        m->bytes[0][0x34] = (uint8_t)at;
    }
    m->bytes[0][at] = id;
    m->bytes[0][at + 1] = next;
}

/* Walks, and expects so many entries and what is said. */
static void expect(const struct agpu_function *function, unsigned count, const char *said)
{
    struct agpu_capability list[AGPU_CAPABILITIES_MAX];
    char buffer[300];
    struct agpu_text why;

    agpu_text_begin(&why, buffer, sizeof buffer);
    assert_int_equal(agpu_capabilities(function, list, &why), count);
    assert_string_equal(buffer, said);
}

static void good_lists(void **state)
{
    struct spaces m;
    struct agpu_function function = open_machine(&m);

    (void)state;
    expect(&function, 0, "");
    put(&m, 0x40, AGPU_CAPABILITY_POWER, 0x48);
    put(&m, 0x48, AGPU_CAPABILITY_MSIX, 0x54);
    put(&m, 0x54, 0x09, 0xC4);
    put(&m, 0xC4, AGPU_CAPABILITY_EXPRESS, 0);
    m.bytes[0][0xC6] = 2;
    expect(&function, 4, "");
    assert_int_equal(agpu_capability_find(&function, AGPU_CAPABILITY_MSIX), 0x48);
    assert_int_equal(agpu_capability_find(&function, AGPU_CAPABILITY_MSI), 0);
    m.bytes[0][6] = 0; /* what is not announced is not there */
    expect(&function, 0, "");
    assert_int_equal(agpu_capability_find(&function, AGPU_CAPABILITY_MSIX), 0);
}

static void wrong_lists(void **state)
{
    struct spaces m;
    struct agpu_function function = open_machine(&m);

    (void)state;
    put(&m, 0x40, 0x09, 0x44);
    put(&m, 0x44, 0x09, 0x40);
    expect(&function, 2, "capability at 0x40 comes twice: the list does not end");
    put(&m, 0x44, 0x09, 0x44);
    expect(&function, 2, "capability at 0x44 comes twice: the list does not end");
    put(&m, 0x44, 0x09, 0x3C);
    expect(&function, 2, "capability at 0x3c lies in the header");
    put(&m, 0x44, 0x09, 0x4A);
    expect(&function, 2, "capability at 0x4a is not aligned to 4 bytes");
    put(&m, 0x44, 0xFF, 0);
    expect(&function, 2, "capability at 0x44 has id 0xff");
    put(&m, 0x40, AGPU_CAPABILITY_POWER, 0x44);
    put(&m, 0x44, 0x09, 0);
    expect(&function, 2, "capability at 0x44 reaches into another");
    put(&m, 0x40, 0x09, 0xF8);
    put(&m, 0xF8, AGPU_CAPABILITY_MSIX, 0);
    expect(&function, 2, "capability at 0xf8 does not fit configuration space");
}

/* All ones everywhere: what a function reads that is gone. */
static void a_gone_function_ends_the_walk(void **state)
{
    struct spaces m;
    struct agpu_function function = open_machine(&m);

    (void)state;
    memset(m.bytes[0], 0xFF, sizeof m.bytes[0]);
    expect(&function, 0, "capability at 0xff is not aligned to 4 bytes");
    assert_int_equal(agpu_power_state(&function), AGPU_POWER_D0);
    assert_int_equal(agpu_power_set(&function, AGPU_POWER_D0), AGPU_ERR_INVALID);
    assert_false(agpu_reset_has_function_level(&function));
    assert_int_equal(agpu_reset_function(&function), AGPU_ERR_INVALID);
}

static void resets_wait_until_it_answers(void **state)
{
    struct spaces m;
    struct agpu_function function = open_machine(&m);

    (void)state;
    put(&m, 0x40, AGPU_CAPABILITY_EXPRESS, 0);
    m.bytes[0][0x47] = 0x10;
    assert_true(agpu_reset_has_function_level(&function));
    assert_int_equal(agpu_reset_function(&function), AGPU_OK);
    assert_int_equal(m.bytes[0][0x49] & 0x80, 0x80);
    m.bytes[0][0] = m.bytes[0][1] = 0xFF;
    assert_int_equal(agpu_reset_function(&function), AGPU_ERR_TIMEOUT);
}

static void a_bus_is_reset_for_one_alone(void **state)
{
    struct spaces m;
    struct agpu_function function = open_machine(&m);
    struct agpu_pci_ref bridge;

    (void)state;
    assert_false(agpu_reset_find_bridge(&function, &bridge));
    m.count = 2;
    m.at[0] = function.found.ref.location = (struct agpu_pci_location){.bus = 2};
    m.at[1] = (struct agpu_pci_location){.device = 1};
    m.bytes[1][0x0E] = 0x81;
    m.bytes[1][0x19] = m.bytes[1][0x1A] = 2;
    assert_true(agpu_reset_find_bridge(&function, &bridge));
    assert_ptr_equal(bridge.handle, m.bytes[1]);
    assert_int_equal(agpu_reset_bus(&function, &bridge), AGPU_OK);
    assert_int_equal(m.bytes[1][0x3E] & 0x40, 0); /* not left in reset */
    m.bytes[1][0x1A] = 3;                         /* there may be more behind it */
    assert_false(agpu_reset_find_bridge(&function, &bridge));
    m.bytes[1][0x1A] = 2;
    m.count = 3;
    m.at[2] = (struct agpu_pci_location){.bus = 2, .device = 1};
    assert_false(agpu_reset_find_bridge(&function, &bridge));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_lists),
        cmocka_unit_test(wrong_lists),
        cmocka_unit_test(a_gone_function_ends_the_walk),
        cmocka_unit_test(resets_wait_until_it_answers),
        cmocka_unit_test(a_bus_is_reset_for_one_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
