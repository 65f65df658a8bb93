/* test_capability.c: the walk of an invalid capability list is bounded and reports the error. Resets use the bridge
 * only if no other function would be affected. */
#include "pci/power.h"
#include "tests/unit/pci/spaces.h"

/* Walks the list. Expects this many entries and this report. */
static void expect(const struct agpu_function *function, unsigned count, const char *said)
{
    struct agpu_capability list[AGPU_CAPABILITIES_MAX];
    char buffer[300];
    struct agpu_text why;

    agpu_text_begin(&why, buffer, sizeof buffer);
    assert_int_equal(agpu_capabilities(function, list, &why), count);
    assert_string_equal(buffer, said);
}

TEST(good_lists)
{
    struct spaces m;
    struct agpu_function function = spaces_open(&m);

    expect(&function, 0, "");
    spaces_put(&m, 0x40, AGPU_CAPABILITY_POWER, 0x48);
    spaces_put(&m, 0x48, AGPU_CAPABILITY_MSIX, 0x54);
    spaces_put(&m, 0x54, 0x09, 0xC4);
    spaces_put(&m, 0xC4, AGPU_CAPABILITY_EXPRESS, 0);
    m.bytes[0][0xC6] = 2;
    expect(&function, 4, "");
    assert_int_equal(agpu_capability_find(&function, AGPU_CAPABILITY_MSIX), 0x48);
    assert_int_equal(agpu_capability_find(&function, AGPU_CAPABILITY_MSI), 0);
    m.bytes[0][6] = 0; /* unannounced capabilities are ignored */
    expect(&function, 0, "");
    assert_int_equal(agpu_capability_find(&function, AGPU_CAPABILITY_MSIX), 0);
}

TEST(wrong_lists)
{
    struct spaces m;
    struct agpu_function function = spaces_open(&m);

    spaces_put(&m, 0x40, 0x09, 0x44);
    spaces_put(&m, 0x44, 0x09, 0x40);
    expect(&function, 2, "capability at 0x40 appears twice: the list does not end");
    spaces_put(&m, 0x44, 0x09, 0x44);
    expect(&function, 2, "capability at 0x44 appears twice: the list does not end");
    spaces_put(&m, 0x44, 0x09, 0x3C);
    expect(&function, 2, "capability at 0x3c lies in the header");
    spaces_put(&m, 0x44, 0x09, 0x4A);
    expect(&function, 2,
           "capability at 0x4a is not aligned to 4 bytes: the two lowest bits of a pointer are to be 0");
    spaces_put(&m, 0x44, 0xFF, 0);
    expect(&function, 2, "capability at 0x44 has id 0xff");
    spaces_put(&m, 0x40, AGPU_CAPABILITY_POWER, 0x44);
    spaces_put(&m, 0x44, 0x09, 0);
    expect(&function, 2, "capability at 0x44 overlaps another");
    spaces_put(&m, 0x40, 0x09, 0xF8);
    spaces_put(&m, 0xF8, AGPU_CAPABILITY_MSIX, 0);
    expect(&function, 2, "capability at 0xf8 does not fit configuration space");
}

/* Capabilities may touch each other and the end of the space. */
TEST(neighbours)
{
    struct spaces m;
    struct agpu_function function = spaces_open(&m);

    spaces_put(&m, 0x48, 0x09, 0x40);
    spaces_put(&m, 0x40, AGPU_CAPABILITY_POWER, 0xF4);
    spaces_put(&m, 0xF4, AGPU_CAPABILITY_MSIX, 0);
    expect(&function, 3, "");
    spaces_put(&m, 0x48, 0x09, 0x44);
    spaces_put(&m, 0x44, AGPU_CAPABILITY_POWER, 0x4C); /* two do not fit: both are reported */
    spaces_put(&m, 0x4C, AGPU_CAPABILITY_MSIX, 0x58);
    spaces_put(&m, 0x58, 0x09, 0);
    expect(&function, 4, "capability at 0x44 overlaps another");
    spaces_put(&m, 0x58, 0xFF, 0x54);
    spaces_put(&m, 0x54, 0x09, 0x50);
    spaces_put(&m, 0x50, 0x09, 0);
    expect(&function, 6,
           "capability at 0x44 overlaps another; capability at 0x58 has id 0xff; "
           "capability at 0x54 overlaps another; capability at 0x50 overlaps another");
}

/* Known sizes of capabilities. */
TEST(sizes)
{
    static const struct {
        uint8_t id;
        uint16_t control;
        uint8_t bytes;
    } known[] = {
        {AGPU_CAPABILITY_POWER, 0xFFFF, 8},
        {AGPU_CAPABILITY_MSI, 0, 10},
        {AGPU_CAPABILITY_MSI, 0x80, 14},
        {AGPU_CAPABILITY_MSI, 0x100, 20},
        {AGPU_CAPABILITY_MSI, 0x180, 24},
        {AGPU_CAPABILITY_EXPRESS, 0xF1, 20},
        {AGPU_CAPABILITY_EXPRESS, 2, 60},
        {AGPU_CAPABILITY_MSIX, 0xFFFF, 12},
        {0x09, 0xFFFF, 2},
    };
    struct agpu_capability list[AGPU_CAPABILITIES_MAX];
    char buffer[100];
    struct agpu_text why;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct spaces m;
        struct agpu_function function = spaces_open(&m);

        spaces_put(&m, 0x60, known[i].id, 0);
        spaces_set(&m, 0x62, 2, known[i].control);
        agpu_text_begin(&why, buffer, sizeof buffer);
        assert_int_equal(agpu_capabilities(&function, list, &why), 1);
        assert_int_equal(list[0].id, known[i].id);
        assert_int_equal(list[0].at, 0x60);
        assert_int_equal(list[0].bytes, known[i].bytes);
    }
}

/* A capability at each possible place. */
TEST(as_many_as_fit)
{
    struct spaces m;
    struct agpu_function function = spaces_open(&m);

    for (unsigned at = 0x40; at < 0x100; at += 4) {
        spaces_put(&m, at, 0x09, at == 0xFC ? 0 : (uint8_t)(at + 4));
    }
    expect(&function, AGPU_CAPABILITIES_MAX, "");
    spaces_put(&m, 0xFC, 0x09, 0x40);
    expect(&function, AGPU_CAPABILITIES_MAX, "capability at 0x40 appears twice: the list does not end");
}

/* A removed function reads as all ones. */
TEST(a_gone_function_ends_the_walk)
{
    struct spaces m;
    struct agpu_function function = spaces_open(&m);

    memset(m.bytes[0], 0xFF, sizeof m.bytes[0]);
    expect(&function, 0,
           "capability at 0xff is not aligned to 4 bytes: the two lowest bits of a pointer are to be 0");
    assert_int_equal(agpu_power_state(&function), AGPU_POWER_D0);
    assert_int_equal(agpu_power_set(&function, AGPU_POWER_D0), AGPU_ERR_INVALID);
    assert_false(agpu_reset_has_function_level(&function));
    assert_int_equal(agpu_reset_function(&function), AGPU_ERR_INVALID);
}

TEST(resets_wait_until_it_answers)
{
    struct spaces m;
    struct agpu_function function = spaces_open(&m);

    spaces_put(&m, 0x40, AGPU_CAPABILITY_EXPRESS, 0);
    m.bytes[0][0x47] = 0x10;
    assert_true(agpu_reset_has_function_level(&function));
    assert_int_equal(agpu_reset_function(&function), AGPU_OK);
    assert_int_equal(m.bytes[0][0x49] & 0x80, 0x80);
    m.bytes[0][0] = m.bytes[0][1] = 0xFF;
    assert_int_equal(agpu_reset_function(&function), AGPU_ERR_TIMEOUT);
}

TEST(a_bus_is_reset_for_one_alone)
{
    struct spaces m;
    struct agpu_function function = spaces_open(&m);
    struct agpu_pci_ref bridge;

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
    m.bytes[1][0x1A] = 3;                         /* there may be another bus beyond it */
    assert_false(agpu_reset_find_bridge(&function, &bridge));
    m.bytes[1][0x1A] = 2;
    m.count = 3;
    m.at[2] = (struct agpu_pci_location){.bus = 2, .device = 1};
    assert_false(agpu_reset_find_bridge(&function, &bridge));
}
