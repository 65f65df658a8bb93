/* test_table.c: validation of the description that a plug-in gives of itself. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/device/plugin/table.h"
#include "tests/unit/test.h"

static char message[512];

/* A placeholder for each function, never called. */
static void somewhere(void)
{
}

static struct agpu_device_plugin good_table(void)
{
    struct agpu_device_plugin table = {
        .major = AGPU_DEVICE_PLUGIN_MAJOR,
        .minor = AGPU_DEVICE_PLUGIN_MINOR,
        .size = sizeof table,
        .name = "a-name.1",
    };
    void (*const function)(void) = somewhere;

    memcpy(&table.create, &function, sizeof function);
    memcpy(&table.destroy, &function, sizeof function);
    memcpy(&table.describe, &function, sizeof function);
    memcpy(&table.reset, &function, sizeof function);
    memcpy(&table.config_read, &function, sizeof function);
    memcpy(&table.config_write, &function, sizeof function);
    memcpy(&table.bar_read, &function, sizeof function);
    memcpy(&table.bar_write, &function, sizeof function);
    memcpy(&table.poll, &function, sizeof function);
    return table;
}

static void refused(const struct agpu_device_plugin *table, const char *text)
{
    assert_false(vgpu_table_check(table, message, sizeof message));
    assert_non_null(strstr(message, text));
}

TEST(tables)
{
    struct agpu_device_plugin table = good_table();

    assert_true(vgpu_table_check(&table, message, sizeof message));
    table.minor = 9; /* newer, with additional members at the end */
    table.size += 64;
    assert_true(vgpu_table_check(&table, message, sizeof message));
    refused(NULL, "no table");
    table.major++;
    refused(&table, "built for version 2.9");
    table = good_table();
    table.size--;
    refused(&table, "set .size");
    table = good_table();
    table.config_write = NULL;
    refused(&table, "config_write is NULL");
    table = good_table();
    table.name = "";
    refused(&table, "one word");
    table.name = "two words";
    refused(&table, "one word");
    table.name = NULL;
    refused(&table, "one word");
}

/* Minor version 0 ends in front of save(); later ones have both functions or neither. */
TEST(saving)
{
    struct agpu_device_plugin table = good_table();
    void (*const function)(void) = somewhere;

    assert_false(vgpu_table_can_save(&table));
    memcpy(&table.save, &function, sizeof function);
    refused(&table, "load is NULL in its table: expected save and load, or neither");
    memcpy(&table.load, &function, sizeof function);
    assert_true(vgpu_table_check(&table, message, sizeof message));
    assert_true(vgpu_table_can_save(&table));
    table.minor = 0;
    table.size = offsetof(struct agpu_device_plugin, save);
    assert_true(vgpu_table_check(&table, message, sizeof message));
    assert_false(vgpu_table_can_save(&table));
    table.size--;
    refused(&table, "its table has");
}

static struct agpu_device_info good_info(uint32_t ones[AGPU_DEVICE_BARS])
{
    struct agpu_device_info info = {.config_bytes = 256};

    for (unsigned i = 0; i < AGPU_DEVICE_BARS; i++) {
        info.bars[i].memory_fd = -1;
        ones[i] = 0;
    }
    info.bars[0].size = 0x10000;
    ones[0] = 0xFFFF0000;
    return info;
}

static void described_wrong(const struct agpu_device_info *info, const uint32_t *ones, const char *text)
{
    assert_false(vgpu_table_check_info(info, ones, message, sizeof message));
    assert_non_null(strstr(message, text));
}

TEST(descriptions)
{
    uint32_t ones[AGPU_DEVICE_BARS];
    struct agpu_device_info info = good_info(ones);

    assert_true(vgpu_table_check_info(&info, ones, message, sizeof message));

    /* 64-bit and prefetchable, larger than 4 GiB. */
    info.bars[2] = (struct agpu_device_bar){
        .size = UINT64_C(1) << 33, .is_64_bit = 1, .prefetchable = 1, .memory_fd = -1};
    ones[2] = 0xC;
    ones[3] = 0xFFFFFFFE;
    assert_true(vgpu_table_check_info(&info, ones, message, sizeof message));
    info.bars[2].size >>= 1;
    described_wrong(&info, ones, "sizing its register gives 0x200000000 bytes, 64-bit, prefetchable");
    info.bars[2].size <<= 1;
    info.bars[2].prefetchable = 0;
    described_wrong(&info, ones, "BAR2");
    info.bars[2].prefetchable = 1;
    info.bars[3].size = 16;
    described_wrong(&info, ones, "BAR2 is 64-bit");

    info = good_info(ones);
    info.bars[0].size = 0;
    described_wrong(&info, ones, "gives BAR0 0x0 bytes");
    info = good_info(ones);
    info.bars[5].size = 4096;
    described_wrong(&info, ones, "gives BAR5 0x1000 bytes");
    info = good_info(ones);
    info.bars[0].size = 24;
    described_wrong(&info, ones, "a power of two from 16 on");
    info = good_info(ones);
    info.config_bytes = 0;
    described_wrong(&info, ones, "256 or 4096");
    info = good_info(ones);
    info.msi_vectors = 3;
    described_wrong(&info, ones, "3 MSI vectors");
}

TEST(memory_files)
{
    uint32_t ones[AGPU_DEVICE_BARS];
    struct agpu_device_info info = good_info(ones);
    const int fd = memfd_create("bar", MFD_CLOEXEC);

    assert_true(fd >= 0);
    info.bars[0].memory_fd = fd;
    assert_int_equal(ftruncate(fd, 0xFFFF), 0);
    described_wrong(&info, ones, "memory file of BAR0");
    assert_int_equal(ftruncate(fd, 0x10000), 0);
    assert_true(vgpu_table_check_info(&info, ones, message, sizeof message));
    close(fd);
    described_wrong(&info, ones, "memory file of BAR0");
}
