/* test_power.c: power states, resets and the state that they clear, as writes to configuration space (device.md
 * 2.2). */
#include "pci/power.h"
#include "tests/unit/pci/spaces.h"

static struct spaces m;
static struct agpu_function function;
static struct agpu_config_saved saved;

static int setup(void **state)
{
    (void)state;
    function = spaces_open(&m);
    memset(&saved, 0xEE, sizeof saved);
    return 0;
}

FIXTURE(setup, NULL);

TEST(states)
{
    assert_false(agpu_power_keeps_state(&function));
    spaces_put(&m, 0x40, AGPU_CAPABILITY_POWER, 0);
    spaces_set(&m, 0x44, 2, 0xA103);
    assert_int_equal(agpu_power_state(&function), AGPU_POWER_D3HOT);
    assert_false(agpu_power_keeps_state(&function));
    assert_int_equal(agpu_power_set(&function, AGPU_POWER_D0), AGPU_OK);
    spaces_expect(&m, "44.2=a100 stall 10000000 ");
    assert_int_equal(agpu_power_state(&function), AGPU_POWER_D0);
    spaces_set(&m, 0x44, 2, 0x0008);
    assert_true(agpu_power_keeps_state(&function));
    assert_int_equal(agpu_power_set(&function, AGPU_POWER_D3HOT), AGPU_OK);
    spaces_expect(&m, "44.2=b stall 10000000 ");
}

static void put_express(unsigned at, uint8_t next, uint32_t version)
{
    spaces_put(&m, at, AGPU_CAPABILITY_EXPRESS, next);
    spaces_set(&m, at + 2, 2, version);
    spaces_set(&m, at + 8, 2, 0xA810); /* with the bit that resets the function */
    spaces_set(&m, at + 0x10, 2, 0x0042);
    spaces_set(&m, at + 0x28, 2, 0x0007);
}

static void put_msi(unsigned at, uint32_t control)
{
    spaces_put(&m, at, AGPU_CAPABILITY_MSI, 0);
    spaces_set(&m, at + 2, 2, control);
    spaces_set(&m, at + 4, 4, 0xFEE01000);
    spaces_set(&m, at + 8, 4, 0x12345678);
    spaces_set(&m, at + 12, 4, 0x9ABC0021);
}

static void save(void)
{
    agpu_config_save(&function, &saved);
    assert_string_equal(m.log, "");
}

TEST(nothing_but_the_header_is_kept)
{
    spaces_set(&m, 0x0C, 2, 0x4008);
    spaces_set(&m, 0x3C, 1, 0x0B);
    save();
    assert_int_equal(saved.express_at | saved.msi_at, 0);
    assert_int_equal(saved.msi[0] | saved.msi[3] | saved.express[0], 0);
    function.saved_bars[0] = 0xFE000000;
    agpu_config_restore(&function, &saved);
    spaces_expect(&m, "0c.2=4008 3c.1=b 10.4=fe000000 04.2=6 ");
}

TEST(all_that_a_reset_takes_is_kept)
{
    put_express(0x80, 0x50, 2);
    put_msi(0x50, 0x0081);
    save();
    assert_int_equal(saved.express_at, 0x80);
    assert_int_equal(saved.msi_at, 0x50);
    agpu_config_restore(&function, &saved);
    spaces_expect(
        &m, "0c.2=0 3c.1=0 88.2=2810 90.2=42 a8.2=7 54.4=fee01000 58.4=12345678 5c.2=21 52.2=81 04.2=6 ");
}

TEST(older_ones_have_less)
{
    spaces_set(&m, 0x28, 4, 0x11223344); /* after the last BAR: no register */
    put_express(0x80, 0x50, 1);
    put_msi(0x50, 0x0001);
    save();
    agpu_config_restore(&function, &saved);
    spaces_expect(&m, "0c.2=0 3c.1=0 88.2=2810 90.2=42 54.4=fee01000 58.2=5678 52.2=1 04.2=6 ");
}

TEST(resets_alone)
{
    put_express(0x80, 0, 2);
    spaces_set(&m, 0x88, 2, 0x2810);
    assert_false(agpu_reset_has_function_level(&function));
    spaces_set(&m, 0x84, 4, 1u << 28);
    assert_true(agpu_reset_has_function_level(&function));
    assert_int_equal(agpu_reset_function(&function), AGPU_OK);
    spaces_expect(&m, "04.2=0 88.2=a810 stall 100000000 ");
    m.silent_until = m.now + 900000000;
    assert_int_equal(agpu_reset_function(&function), AGPU_OK);
    assert_true(m.now >= m.silent_until);
    m.silent_until = m.now + 2000000000;
    assert_int_equal(agpu_reset_function(&function), AGPU_ERR_TIMEOUT);
    assert_in_range(m.silent_until - m.now, 800000000, 900000000); /* one second after the silence */
}

TEST(resets_its_bus)
{
    struct agpu_pci_ref bridge = {.handle = m.bytes[1]};

    m.bytes[1][0x3E] = 0x03;
    assert_int_equal(agpu_reset_bus(&function, &bridge), AGPU_OK);
    spaces_expect(&m, "04.2=0 1:3e.2=43 stall 2000000 1:3e.2=3 stall 100000000 ");
}

static bool has_bridge(struct agpu_pci_location mine, struct agpu_pci_location bridge, uint8_t secondary,
                       uint8_t subordinate, struct agpu_pci_location third)
{
    struct agpu_pci_ref found = {0};
    bool answer;

    m.count = 3;
    m.at[0] = function.found.ref.location = mine;
    m.at[1] = bridge;
    m.at[2] = third;
    m.bytes[1][0x0E] = 0x01;
    m.bytes[1][0x0F] = 0x40; /* unrelated registers */
    m.bytes[1][0x1B] = 0x20;
    m.bytes[1][0x19] = secondary;
    m.bytes[1][0x1A] = subordinate;
    answer = agpu_reset_find_bridge(&function, &found);
    assert_true(!answer || found.handle == m.bytes[1]);
    return answer;
}

TEST(bridges_of_one_alone)
{
    const struct agpu_pci_location mine = {.bus = 2, .device = 3, .function = 1}, bridge = {.device = 1};
    const struct agpu_pci_location far = {.bus = 7};

    assert_true(has_bridge(mine, bridge, 2, 2, far));
    assert_false(has_bridge(mine, bridge, 1, 2, far)); /* only buses in between */
    assert_false(has_bridge(mine, bridge, 2, 3, far));
    assert_false(has_bridge(mine, bridge, 3, 3, far));
    assert_false(has_bridge(mine, (struct agpu_pci_location){.segment = 1}, 2, 2, far));
    /* Other functions on the same bus, or on the same bus number of another segment. */
    assert_false(has_bridge(mine, bridge, 2, 2, (struct agpu_pci_location){.bus = 2, .device = 3}));
    assert_false(
        has_bridge(mine, bridge, 2, 2, (struct agpu_pci_location){.bus = 2, .device = 4, .function = 1}));
    assert_true(has_bridge(mine, bridge, 2, 2, (struct agpu_pci_location){.segment = 1, .bus = 2}));
    /* Bus 0 has no bridge in front of it, whatever the registers of an unconfigured bridge contain. */
    assert_false(
        has_bridge((struct agpu_pci_location){.device = 3}, (struct agpu_pci_location){.bus = 9}, 0, 0, far));
    m.bytes[1][0x0E] = 0;
    m.count = 2;
    assert_false(agpu_reset_find_bridge(&function, &(struct agpu_pci_ref){0}));
}
