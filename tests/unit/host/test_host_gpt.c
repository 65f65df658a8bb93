/* test_host_gpt.c: the partition table reader on a table made here, intact and damaged in each field that it must
 * check. */
#include <string.h>
#include "tests/host/run/gpt.h"
#include "tests/unit/test.h"

#define SECTORS 4096u
#define ENTRIES 128u

static uint8_t disk[SECTORS * 512];

static uint32_t crc32(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < size * 8; i++) { /* bit by bit, unlike the code under test */
        uint32_t bit = (crc ^ (uint32_t)(bytes[i / 8] >> (i % 8))) & 1;
        crc = (crc >> 1) ^ (bit ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void put(uint8_t *at, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint8_t *header(void)
{
    return disk + 512;
}

static uint8_t *entry(int i)
{
    return disk + 1024 + 128 * i;
}

static void seal(void)
{
    put(header() + 88, crc32(disk + 1024, 128 * ENTRIES), 4);
    put(header() + 16, 0, 4);
    put(header() + 16, crc32(header(), 92), 4);
}

static int setup(void **state)
{
    (void)state;
    static const uint8_t esp[16] = {0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
                                    0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b};
    memset(disk, 0, sizeof disk);
    memcpy(header(), "EFI PART", 8);
    put(header() + 8, 0x10000, 4);
    put(header() + 12, 92, 4);
    put(header() + 72, 2, 8);
    put(header() + 80, ENTRIES, 4);
    put(header() + 84, 128, 4);
    entry(0)[0] = 1; /* of another partition type */
    put(entry(0) + 32, 40, 8);
    put(entry(0) + 40, 47, 8);
    memcpy(entry(1), esp, 16);
    put(entry(1) + 32, 2048, 8);
    put(entry(1) + 40, 4000, 8);
    seal();
    return 0;
}

static bool read_disk(void *ctx, uint64_t offset, void *bytes, uint32_t size)
{
    (void)ctx;
    if (offset > sizeof disk || size > sizeof disk - offset) {
        return false;
    }
    memcpy(bytes, disk + offset, size);
    return true;
}

static struct agpu_partition found;

static const char *find(void)
{
    return agpu_gpt_find_esp(read_disk, NULL, sizeof disk, &found);
}

FIXTURE(setup, NULL);

TEST(finds_it)
{
    assert_null(find());
    assert_int_equal(found.offset, 1048576);
    assert_int_equal(found.size, (4000 - 2048 + 1) * 512);
}

TEST(checks_signature_and_sums)
{
    header()[0] = 'X';
    assert_non_null(find());
    setup(NULL);
    header()[40] ^= 1; /* a header byte that only the checksum covers */
    assert_non_null(find());
    setup(NULL);
    entry(100)[60] = 1; /* the same in the entries */
    assert_non_null(find());
    setup(NULL);
    assert_non_null(agpu_gpt_find_esp(read_disk, NULL, 512, &found));
}

static void with_field(uint8_t *at, uint64_t value, int size, const char *why)
{
    setup(NULL);
    put(at, value, size);
    seal();
    const char *wrong = find();
    assert_non_null(wrong);
    assert_non_null(strstr(wrong, why));
}

TEST(checks_ranges)
{
    with_field(entry(1) + 40, SECTORS, 8, "outside");
    with_field(entry(1) + 40, 2047, 8, "outside");
    with_field(entry(1) + 32, 1, 8, "outside");
    with_field(entry(1) + 0, 0, 8, "no EFI system partition");
    setup(NULL);
    put(header() + 72, SECTORS, 8);
    put(header() + 16, 0, 4);
    put(header() + 16, crc32(header(), 92), 4);
    assert_non_null(strstr(find(), "outside"));
    static const struct {
        int at;
        uint64_t value;
    } impossible[] = {{80, 0}, {80, 100000}, {84, 127}, {84, 192}, {84, 1u << 20}};
    for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
        setup(NULL);
        put(header() + impossible[i].at, impossible[i].value, 4);
        put(header() + 16, 0, 4);
        put(header() + 16, crc32(header(), 92), 4);
        assert_non_null(strstr(find(), "impossible"));
    }
    setup(NULL);
    put(header() + 12, 600, 4);
    assert_non_null(strstr(find(), "size is out of range"));
}
