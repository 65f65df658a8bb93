/* test_message.c: writes, and their order, that enable messages of a function and restore it (device.md 1.1, 4.4). */
#include "pci/capability.h"
#include "pci/message.h"
#include "tests/unit/pci/spaces.h"

#define ADDRESS UINT64_C(0x5FEE01004)

static struct spaces m;
static struct agpu_function function;
static struct agpu_message message;

static int setup(void **state)
{
    (void)state;
    function = spaces_open(&m);
    memset(&message, 0xEE, sizeof message);
    return 0;
}

FIXTURE(setup, NULL);

TEST(none)
{
    assert_false(agpu_message_find(&function, false, &message));
    assert_false(agpu_message_find(&function, true, &message));
    assert_true(message.extended);
    assert_int_equal(message.capability, 0);
    assert_int_equal(message.control, 0);
    spaces_put(&m, 0x50, AGPU_CAPABILITY_MSI, 0);
    assert_false(agpu_message_find(&function, true, &message));
    spaces_put(&m, 0x50, AGPU_CAPABILITY_MSIX, 0);
    assert_false(agpu_message_find(&function, false, &message));
}

TEST(wide_with_masks)
{
    spaces_put(&m, 0x50, AGPU_CAPABILITY_MSI, 0);
    spaces_set(&m, 0x52, 2, 0x01F4); /* other software has allowed many vectors */
    spaces_set(&m, 0x54, 4, 0x11111110);
    spaces_set(&m, 0x58, 4, 0x22222222);
    spaces_set(&m, 0x5C, 4, 0x99993333);
    spaces_set(&m, 0x60, 4, 0x44444445);
    assert_true(agpu_message_find(&function, false, &message));
    assert_int_equal(message.capability, 0x50);
    assert_int_equal(message.control, 0x01F4);
    agpu_message_open(&function, &message, ADDRESS, 0x4321);
    spaces_expect(&m, "54.4=fee01004 58.4=5 5c.2=4321 60.4=44444444 52.2=185 ");
    agpu_message_close(&function, &message);
    spaces_expect(&m, "52.2=1f4 54.4=11111110 58.4=22222222 5c.2=3333 60.4=44444445 ");
}

TEST(narrow)
{
    spaces_put(&m, 0x50, AGPU_CAPABILITY_MSI, 0);
    spaces_set(&m, 0x54, 4, 0x11111110);
    spaces_set(&m, 0x58, 4, 0x22223333);
    spaces_set(&m, 0x5C, 4, 0x55555555); /* belongs to other software */
    assert_true(agpu_message_find(&function, false, &message));
    agpu_message_open(&function, &message, ADDRESS, 0x4321);
    spaces_expect(&m, "54.4=fee01004 58.2=4321 52.2=1 ");
    assert_int_equal(message.found[1], 0);
    assert_int_equal(message.found[3], 0);
    agpu_message_close(&function, &message);
    spaces_expect(&m, "52.2=0 54.4=11111110 58.2=3333 ");
    spaces_set(&m, 0x52, 2, 0x0100);
    assert_true(agpu_message_find(&function, false, &message));
    agpu_message_open(&function, &message, ADDRESS, 0x4321);
    spaces_expect(&m, "54.4=fee01004 58.2=4321 5c.4=55555554 52.2=101 ");
    assert_int_equal(message.found[3], 0x55555555);
}

TEST(extended)
{
    static const uint32_t entry[] = {0x11111110, 0x22222222, 0x33333333, 0x44444445};

    spaces_put(&m, 0x70, AGPU_CAPABILITY_MSIX, 0);
    spaces_set(&m, 0x72, 2, 0x0007);
    spaces_set(&m, 0x74, 4, 0x21); /* table: BAR 1, at 20h */
    spaces_set(&m, 0x78, 4, 0x81);
    memcpy(m.bar1 + 0x20, entry, sizeof entry);
    assert_true(agpu_message_find(&function, true, &message));
    assert_int_equal(message.control, 7);
    agpu_message_open(&function, &message, ADDRESS, 0x4321);
    spaces_expect(
        &m, "72.2=c007 bar1+2c=44444445 bar1+20=fee01004 bar1+24=5 bar1+28=4321 bar1+2c=44444444 72.2=8007 ");
    agpu_message_mask(&function, &message, true);
    spaces_expect(&m, "bar1+2c=44444445 ");
    agpu_message_mask(&function, &message, false);
    spaces_expect(&m, "bar1+2c=44444444 ");
    m.bar1[0x80] = 0xFE;
    assert_false(agpu_message_is_pending(&function, &message));
    m.bar1[0x80] = 0x01;
    assert_true(agpu_message_is_pending(&function, &message));
    agpu_message_close(&function, &message);
    spaces_expect(&m,
                  "72.2=c007 bar1+2c=44444445 bar1+28=33333333 bar1+24=22222222 bar1+20=11111110 72.2=7 ");
}

/* A vector that is unmasked at first is masked while it is written. */
TEST(extended_unmasked)
{
    spaces_put(&m, 0x70, AGPU_CAPABILITY_MSIX, 0);
    spaces_set(&m, 0x72, 2, 0x4000);
    spaces_set(&m, 0x74, 4, 1);
    assert_true(agpu_message_find(&function, true, &message));
    agpu_message_open(&function, &message, 0x1000, 5);
    spaces_expect(&m, "72.2=c000 bar1+0c=1 bar1+00=1000 bar1+04=0 bar1+08=5 bar1+0c=0 72.2=8000 ");
    agpu_message_close(&function, &message);
    spaces_expect(&m, "72.2=c000 bar1+0c=0 bar1+08=0 bar1+04=0 bar1+00=0 72.2=4000 ");
}
