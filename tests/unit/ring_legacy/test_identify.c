/* test_identify.c: legacy devices that may be bound, and the features that count (legacy.md 1). */
#include "tests/unit/ring_legacy/fixture.h"

#include "pci/identify.h"

static char line[300];
static struct agpu_text why;

static enum agpu_status identify(struct agpu_abi *abi)
{
    agpu_text_begin(&why, line, sizeof line);
    return agpu_identify(&fixture.function, abi, &why);
}

FIXTURE(fixture_setup, fixture_teardown);

TEST(table_has_the_header_s_numbers)
{
    const struct agpu_identity *identity =
        agpu_identity_find(AEROGPU_LEGACY_PCI_VENDOR_ID, AEROGPU_LEGACY_PCI_DEVICE_ID);

    assert_non_null(identity);
    assert_int_equal(identity->kind, AGPU_IDENTITY_LEGACY);
    assert_int_equal(identity->magic, AEROGPU_LEGACY_MMIO_MAGIC);
    assert_int_equal(identity->abi_major, AEROGPU_LEGACY_MMIO_VERSION >> 16);
    assert_null(agpu_identity_find(AEROGPU_LEGACY_PCI_VENDOR_ID, 2));
}

TEST(binds)
{
    struct agpu_abi abi;

    assert_int_equal(identify(&abi), AGPU_OK);
    assert_true(abi.legacy);
    assert_int_equal(abi.magic, AEROGPU_LEGACY_MMIO_MAGIC);
    assert_int_equal(abi.version, AEROGPU_LEGACY_MMIO_VERSION);
    assert_int_equal(abi.features, 0);
}

/* MAGIC decides. A PCI identity that contradicts it is reported. */
TEST(magic_decides)
{
    struct agpu_abi abi;

    assert_int_equal(identify(&abi), AGPU_OK);
    assert_false(abi.crossed);
    assert_string_equal(line, "");
    *fixture_reg(AEROGPU_LEGACY_REG_MAGIC) = 0x55504741;
    assert_int_equal(identify(&abi), AGPU_OK);
    assert_false(abi.legacy);
    assert_true(abi.crossed);
    assert_non_null(strstr(line, "expected 0x41524750, found 0x55504741"));
    assert_non_null(strstr(line, "the driver uses it as such"));
    *fixture_reg(AEROGPU_LEGACY_REG_MAGIC) = 0x50475241; /* bytes in reverse order */
    assert_int_equal(identify(&abi), AGPU_ERR_ABI);
}

TEST(major_refused)
{
    struct agpu_abi abi;

    *fixture_reg(AEROGPU_LEGACY_REG_VERSION) = 0x00020000;
    assert_int_equal(identify(&abi), AGPU_ERR_ABI);
    assert_non_null(strstr(line, "expected 0x1, found 0x2"));
}

static uint64_t features(uint32_t low, uint32_t high)
{
    struct agpu_abi abi;

    *fixture_reg(AEROGPU_LEGACY_REG_FEATURES_LO) = low;
    *fixture_reg(AEROGPU_LEGACY_REG_FEATURES_HI) = high;
    assert_int_equal(identify(&abi), AGPU_OK);
    return abi.features;
}

TEST(vblank_only)
{
    assert_int_equal(features(0x8, 0), AEROGPU_LEGACY_FEATURE_VBLANK);
    assert_int_equal(features(0x3F, 0), AEROGPU_LEGACY_FEATURE_VBLANK);
    assert_int_equal(features(0x37, 0), 0);
    assert_int_equal(features(0x48, 0), 0); /* an unknown bit: no mirror of the features */
    assert_int_equal(features(0x8, 1), 0);
    assert_int_equal(features(0xFFFFFFFF, 0xFFFFFFFF), 0);
}
