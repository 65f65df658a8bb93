/* gpt.c: reads and verifies a GUID partition table. */
#include "tests/host/run/gpt.h"

#include <string.h>

#define SECTOR      512u
#define ENTRIES_MAX 1024u

/* C12A7328-F81F-11D2-BA4B-00A0C93EC93B in its on-disk byte order. */
static const uint8_t esp_type[16] = {0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11,
                                     0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b};

static uint32_t gpt_load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t gpt_load64(const uint8_t *p)
{
    return (uint64_t)gpt_load32(p + 4) << 32 | gpt_load32(p);
}

static uint32_t crc32_add(uint32_t crc, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return crc;
}

struct table {
    uint64_t first_byte;
    uint32_t entries;
    uint32_t entry_size;
    uint32_t crc;
};

static const char *read_header(agpu_disk_read *read, void *ctx, uint64_t disk_size, struct table *out)
{
    uint8_t header[SECTOR];

    if (disk_size < 34 * SECTOR || !read(ctx, SECTOR, header, sizeof header)) {
        return "too small for a partition table, or unreadable";
    }
    if (memcmp(header, "EFI PART", 8) != 0) {
        return "no GUID partition table (signature \"EFI PART\" missing in sector 1)";
    }
    uint32_t size = gpt_load32(header + 12);
    uint32_t crc = gpt_load32(header + 16);
    if (size < 92 || size > SECTOR) {
        return "the partition table's header size is out of range";
    }
    memset(header + 16, 0, 4);
    if ((crc32_add(UINT32_MAX, header, size) ^ UINT32_MAX) != crc) {
        return "the partition table's header has a wrong checksum";
    }
    uint64_t lba = gpt_load64(header + 72);
    out->entries = gpt_load32(header + 80);
    out->entry_size = gpt_load32(header + 84);
    out->crc = gpt_load32(header + 88);
    if (out->entries == 0 || out->entries > ENTRIES_MAX || out->entry_size < 128 || out->entry_size > 4096 ||
        (out->entry_size & (out->entry_size - 1)) != 0) {
        return "the partition table has an impossible number or size of entries";
    }
    if (lba < 2 || lba > (disk_size - (uint64_t)out->entries * out->entry_size) / SECTOR) {
        return "the partition entries lie outside the disk";
    }
    out->first_byte = lba * SECTOR;
    return NULL;
}

const char *agpu_gpt_find_esp(agpu_disk_read *read, void *ctx, uint64_t disk_size, struct agpu_partition *out)
{
    struct table table;
    const char *wrong = read_header(read, ctx, disk_size, &table);

    if (wrong != NULL) {
        return wrong;
    }
    uint32_t crc = UINT32_MAX;
    bool found = false;
    for (uint32_t i = 0; i < table.entries; i++) {
        uint8_t entry[4096];

        if (!read(ctx, table.first_byte + (uint64_t)i * table.entry_size, entry, table.entry_size)) {
            return "the partition entries cannot be read";
        }
        crc = crc32_add(crc, entry, table.entry_size);
        if (found || memcmp(entry, esp_type, sizeof esp_type) != 0) {
            continue;
        }
        uint64_t first = gpt_load64(entry + 32);
        uint64_t last = gpt_load64(entry + 40);
        if (first < 34 || last < first || last >= disk_size / SECTOR) {
            return "the EFI system partition lies outside the disk";
        }
        found = true;
        *out = (struct agpu_partition){.offset = first * SECTOR, .size = (last - first + 1) * SECTOR};
    }
    if ((crc ^ UINT32_MAX) != table.crc) {
        return "the partition entries have a wrong checksum";
    }
    return found ? NULL : "no EFI system partition";
}
