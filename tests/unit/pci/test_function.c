/* test_function.c: scanning, opening and identifying functions on a fake machine (device.md 1, 2, 4.1, 6). */
#include <string.h>

#include "pci/config.h"
#include "pci/identify.h"
#include "pci/registers.h"
#include "pci/scan.h"
#include "tests/unit/pci/fake_machine.h"
#include "tests/unit/test.h"

static struct fake_pci_machine machine;
static struct agpu_function function;
static char line[256];
static struct agpu_text why;

static int setup(void **state)
{
    (void)state;
    fake_machine_init(&machine);
    agpu_text_begin(&why, line, sizeof line);
    return 0;
}

static struct agpu_pci_found find_only_function(void)
{
    struct agpu_pci_found found = {0};

    assert_int_equal(agpu_scan_known(&machine.platform, &found, 1), 1);
    return found;
}

FIXTURE(setup, NULL);

TEST(knows_identities)
{
    assert_int_equal(agpu_identity_find(0xA3A0, 0x0001)->kind, AGPU_IDENTITY_VERSIONED);
    assert_int_equal(agpu_identity_find(0x1AED, 0x0001)->kind, AGPU_IDENTITY_LEGACY);
    assert_int_equal(agpu_identity_find(0x1AE0, 0x0001)->kind, AGPU_IDENTITY_RETIRED);
    assert_int_equal(agpu_identity_find(0x1AE0, 0x1234)->kind, AGPU_IDENTITY_RETIRED);
    assert_null(agpu_identity_find(0xA3A0, 0x0002));
    assert_null(agpu_identity_find(0x1AED, 0x0002));
    assert_null(agpu_identity_find(0x8086, 0x0001));
}

TEST(scans_everywhere)
{
    struct agpu_pci_found found[4];

    fake_machine_add(&machine, 0x8086, 0x29C0, 6);
    fake_machine_add(&machine, 0x1234, 0x1111, 3);
    fake_machine_add(&machine, 0xFFFF, 0xFFFF, 0xFF);
    fake_machine_add_aerogpu(&machine);
    fake_machine_add(&machine, 0x1AE0, 0x0001, 3);
    assert_int_equal(agpu_scan_known(&machine.platform, found, 4), 2);
    assert_int_equal(found[0].ref.location.device, 5);
    assert_int_equal(found[1].vendor, 0x1AE0);
    assert_int_equal(agpu_scan_displays(&machine.platform, found, 4), 3);
    assert_null(found[0].identity);
    /* More functions than fit are counted, not stored. */
    assert_int_equal(agpu_scan_displays(&machine.platform, found, 1), 3);
    assert_int_equal(found[0].vendor, 0x1234);
}

TEST(describes)
{
    struct agpu_pci_found found = {.vendor = 0xA3A0, .device = 1};

    found.ref.location = (struct agpu_pci_location){.bus = 0x1F, .device = 3, .function = 7};
    agpu_pci_describe(&why, &found);
    assert_string_equal(line, "A3A0:0001 1F:03.7");
    found.ref.location.segment = 0x12;
    agpu_text_begin(&why, line, sizeof line);
    agpu_pci_describe(&why, &found);
    assert_string_equal(line, "A3A0:0001 0012:1F:03.7");
}

static bool probed_with_decode_on;

static void watch_probe(struct fake_pci_machine *m, unsigned index, uint32_t offset, uint32_t value)
{
    if (offset >= 0x10 && offset < 0x28 && value == UINT32_MAX &&
        (fake_config(m, index, AGPU_PCI_COMMAND, 2) & 3) != 0) {
        probed_with_decode_on = true;
    }
}

TEST(opens_and_closes)
{
    struct agpu_pci_found found;

    fake_machine_add_aerogpu(&machine);
    fake_config_set(&machine, 0, AGPU_PCI_COMMAND, 2, 0x0403);
    machine.on_config_write = watch_probe;
    probed_with_decode_on = false;
    found = find_only_function();
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, &why), AGPU_OK);
    assert_false(probed_with_decode_on);
    assert_int_equal(function.bars[0].size, 0x10000);
    assert_int_equal(function.bars[0].address, 0xFE000000);
    assert_false(function.bars[0].prefetchable);
    assert_int_equal(function.bars[1].size, 0x4000000);
    assert_true(function.bars[1].prefetchable);
    assert_int_equal(function.bars[2].size, 0);
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_BAR(0), 4), 0xFE000000);
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_BAR(1), 4), 0xE0000008);
    assert_int_equal(agpu_command_read(&function), 0x0007);
    agpu_function_close(&function);
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_COMMAND, 2), 0x0403);
}

TEST(restores_after_reset)
{
    struct agpu_pci_found found;

    fake_machine_add_aerogpu(&machine);
    found = find_only_function();
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_OK);
    fake_config_set(&machine, 0, AGPU_PCI_COMMAND, 2, 0);
    fake_config_set(&machine, 0, AGPU_PCI_BAR(0), 4, 0);
    agpu_function_restore(&function);
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_BAR(0), 4), 0xFE000000);
    assert_int_equal(agpu_command_read(&function), AGPU_PCI_COMMAND_MEMORY | AGPU_PCI_COMMAND_MASTER);
}

TEST(sizes_wide_bars)
{
    struct agpu_pci_found found;

    fake_machine_add_aerogpu(&machine);
    machine.functions[0].bar_mask[2] = 0;
    machine.functions[0].bar_mask[3] = 0xFFFFFFF8; /* 32 GiB */
    fake_config_set(&machine, 0, AGPU_PCI_BAR(2), 4, 0xC);
    fake_config_set(&machine, 0, AGPU_PCI_BAR(3), 4, 0x18);
    fake_config_set(&machine, 0, AGPU_PCI_BAR(4), 4, 0x1); /* I/O */
    machine.functions[0].bar_mask[4] = 0xFFFFFF00;
    found = find_only_function();
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_OK);
    assert_true(function.bars[2].is_64bit);
    assert_int_equal(function.bars[2].size, UINT64_C(32) << 30);
    assert_int_equal(function.bars[2].address, UINT64_C(0x1800000000));
    assert_int_equal(function.bars[3].size, 0);
    assert_int_equal(function.bars[4].size, 0);
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_BAR(3), 4), 0x18);
}

/* The address has both halves. The last BAR has no room for an upper half. */
TEST(both_halves_of_wide_bars)
{
    struct agpu_pci_found found;

    fake_machine_add_aerogpu(&machine);
    machine.functions[0].bar_mask[3] = 0xFFF00000;
    machine.functions[0].bar_mask[4] = 0xFFFFFFFF;
    machine.functions[0].bar_mask[5] = 0xFFFFF000;
    fake_config_set(&machine, 0, AGPU_PCI_BAR(3), 4, 0x0450000C);
    fake_config_set(&machine, 0, AGPU_PCI_BAR(4), 4, 0x18);
    fake_config_set(&machine, 0, AGPU_PCI_BAR(5), 4, 0xFD00000C);
    found = find_only_function();
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_OK);
    assert_true(function.bars[3].is_64bit);
    assert_int_equal(function.bars[3].address, UINT64_C(0x1804500000));
    assert_int_equal(function.bars[3].size, 0x100000);
    assert_int_equal(function.bars[4].size | function.bars[4].address, 0);
    assert_false(function.bars[5].is_64bit);
    assert_true(function.bars[5].prefetchable);
    assert_int_equal(function.bars[5].address, 0xFD000000);
    assert_int_equal(function.bars[5].size, 0x1000);
    /* A 64-bit BAR in the last two registers. */
    fake_config_set(&machine, 0, AGPU_PCI_BAR(3), 4, 0);
    fake_config_set(&machine, 0, AGPU_PCI_BAR(4), 4, 0x0450000C);
    fake_config_set(&machine, 0, AGPU_PCI_BAR(5), 4, 0x18);
    machine.functions[0].bar_mask[3] = 0;
    machine.functions[0].bar_mask[4] = 0xFFF00000;
    machine.functions[0].bar_mask[5] = 0xFFFFFFFF;
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_OK);
    assert_int_equal(function.bars[3].size | function.bars[3].address, 0);
    assert_true(function.bars[4].is_64bit);
    assert_int_equal(function.bars[4].address, UINT64_C(0x1804500000));
    assert_int_equal(function.bars[4].size, 0x100000);
    assert_int_equal(function.bars[5].size | function.bars[5].address, 0);
}

static void check_refused(uint16_t vendor, const char *expected)
{
    struct agpu_pci_found found;

    fake_machine_init(&machine);
    fake_machine_add_aerogpu(&machine);
    fake_config_set(&machine, 0, AGPU_PCI_VENDOR_ID, 2, vendor);
    fake_config_set(&machine, 0, AGPU_PCI_COMMAND, 2, 0x0003);
    found = find_only_function();
    agpu_text_begin(&why, line, sizeof line);
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, &why), AGPU_ERR_INVALID);
    assert_non_null(strstr(line, expected));
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_COMMAND, 2), 0x0003);
}

TEST(refuses_others)
{
    struct agpu_pci_found found = {0};

    check_refused(0x1AE0, "must not be bound");
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_ERR_INVALID);
}

TEST(refuses_bad_bar0)
{
    struct agpu_pci_found found;

    fake_machine_add_aerogpu(&machine);
    machine.functions[0].bar_mask[0] = 0xFFFFF000;
    fake_config_set(&machine, 0, AGPU_PCI_COMMAND, 2, 0x0002);
    found = find_only_function();
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, &why), AGPU_ERR_NO_DEVICE);
    assert_string_equal(line, "A3A0:0001 00:02.0: BAR0 should be 64 KiB of memory, has bytes: 4096");
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_COMMAND, 2), 0x0002);

    machine.functions[0].bar_mask[0] = 0xFFFF0000;
    fake_config_set(&machine, 0, AGPU_PCI_BAR(0), 4, 0);
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, &why), AGPU_ERR_NO_DEVICE);
    assert_non_null(strstr(line, "BAR0 has no address: firmware must assign it"));
    assert_int_equal(fake_config(&machine, 0, AGPU_PCI_COMMAND, 2), 0x0002);

    machine.gone = true;
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, &why), AGPU_ERR_NO_DEVICE);
}

static void open_aerogpu(void)
{
    struct agpu_pci_found found;

    fake_machine_add_aerogpu(&machine);
    found = find_only_function();
    assert_int_equal(agpu_function_open(&function, &machine.platform, &found, NULL), AGPU_OK);
}

TEST(identifies)
{
    struct agpu_abi abi;

    open_aerogpu();
    machine.regs[AEROGPU_MMIO_REG_ABI_VERSION / 4] = 0x00010063; /* any minor version */
    machine.regs[AEROGPU_MMIO_REG_FEATURES_HI / 4] = 0x80000000; /* unknown feature bits */
    assert_int_equal(agpu_identify(&function, &abi, &why), AGPU_OK);
    assert_int_equal(agpu_abi_major(&abi), 1);
    assert_int_equal(agpu_abi_minor(&abi), 99);
    assert_int_equal(abi.features, UINT64_C(0x800000000000003F));
}

static bool version_read;

static void watch_version(struct fake_pci_machine *m, uint32_t reg)
{
    (void)m;
    if (reg != AEROGPU_MMIO_REG_MAGIC) {
        version_read = true;
    }
}

TEST(rejects_magic)
{
    struct agpu_abi abi;

    open_aerogpu();
    machine.on_read = watch_version;
    version_read = false;
    machine.regs[0] = 0x47505241;
    assert_int_equal(agpu_identify(&function, &abi, &why), AGPU_ERR_ABI);
    assert_non_null(strstr(line, "expected 0x55504741, found 0x47505241"));
    assert_false(version_read); /* without MAGIC the other registers have no meaning */
    assert_int_equal(abi.magic, 0x47505241);
}

TEST(rejects_major)
{
    struct agpu_abi abi;

    open_aerogpu();
    machine.regs[AEROGPU_MMIO_REG_ABI_VERSION / 4] = 0x00020001;
    assert_int_equal(agpu_identify(&function, &abi, &why), AGPU_ERR_ABI);
    assert_non_null(strstr(line, "expected 0x1, found 0x2"));
    assert_non_null(strstr(line, "0x20001"));
}

TEST(rejects_all_ones)
{
    struct agpu_abi abi;

    open_aerogpu();
    machine.gone = true;
    assert_int_equal(agpu_identify(&function, &abi, &why), AGPU_ERR_NO_DEVICE);
    assert_string_equal(
        line, "MAGIC: expected 0x55504741, found 0xffffffff; the registers do not answer: check memory "
              "decode, the BAR0 address and the bridges above");
    assert_true(agpu_reg_gone(&function));
}

static unsigned torn_reads;

/* The pair moves from 0x0_FFFFFFFF to 0x1_00000000 between the first read of HI and the read of LO. */
static void change_high_word_once(struct fake_pci_machine *m, uint32_t reg)
{
    if (reg == AEROGPU_MMIO_REG_COMPLETED_FENCE_LO && torn_reads++ == 0) {
        fake_reg64_set(m, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, UINT64_C(0x100000000));
    }
}

TEST(reads_torn_pairs)
{
    open_aerogpu();
    fake_reg64_set(&machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 0xFFFFFFFF);
    torn_reads = 0;
    machine.on_read = change_high_word_once;
    assert_int_equal(agpu_reg_read64(&function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO), UINT64_C(0x100000000));
}

static void change_high_word_always(struct fake_pci_machine *m, uint32_t reg)
{
    if (reg == AEROGPU_MMIO_REG_COMPLETED_FENCE_HI) {
        m->regs[reg / 4]++;
    }
    torn_reads++;
}

TEST(torn_pairs_are_bounded)
{
    open_aerogpu();
    torn_reads = 0;
    machine.on_read = change_high_word_always;
    agpu_reg_read64(&function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
    assert_in_range(torn_reads, 3, 20);
}
