/* loader.c: reads what PVH (Xen, "x86/HVM direct boot ABI") or Multiboot2 (specification 3.6) pass, and QEMU's
 * fw_cfg ("QEMU Firmware Configuration Device"). Everything is copied, and every length is bounded. */
#include "efi/bare/loader.h"

#include <string.h>

#include "efi/bare/console.h"
#include "efi/bare/vga.h"
#include "efi/machine.h"

#define FOUR_GIB UINT64_C(0x100000000)

#define PVH_MAGIC 0x336EC578u
struct pvh_start {
    uint32_t magic, version, flags, module_count;
    uint64_t modules, command_line, rsdp;
    uint64_t map; /* since version 1 */
    uint32_t map_count, reserved;
};
struct pvh_module {
    uint64_t start, bytes, command_line, reserved;
};
struct pvh_range {
    uint64_t start, bytes;
    uint32_t type, reserved;
};

#define MULTIBOOT_MAGIC 0x36D76289u
enum {
    TAG_END,
    TAG_COMMAND_LINE,
    TAG_MODULE = 3,
    TAG_MAP = 6,
    TAG_SCREEN = 8,
    TAG_RSDP_1 = 14,
    TAG_RSDP_2 = 15
};
#define SCREEN_MIN      30u
#define SCREEN_VGA_TEXT 2u
#define TAG_MAP_ENTRIES 16u
#define MAP_ENTRY_MIN   20u
#define MULTIBOOT_MAX   65536u

#define RANGE_RAM 1u /* as in E820 */
#define RSDP_MAX  36u

#define FW_CFG_SELECT    0x510
#define FW_CFG_DATA      0x511
#define FW_CFG_SIGNATURE 0x00
#define FW_CFG_FILES     0x19
#define FW_CFG_COUNT_MAX 256u
#define FW_CFG_NAME      "opt/agpu/agpu.cfg"
struct fw_cfg_file {
    uint32_t size_be;
    uint16_t select_be, reserved;
    char name[56];
};

static struct agpu_bare_info info;
static uint8_t rsdp_copy[RSDP_MAX];

static const void *loader_data(uint64_t address, uint64_t bytes)
{
    return address != 0 && address < FOUR_GIB && bytes <= FOUR_GIB - address
               ? (const void *)(uintptr_t)address
               : NULL;
}

static void keep_range(uint64_t start, uint64_t bytes, uint32_t type)
{
    const struct agpu_bare_range range = {start, bytes};

    if (start + bytes < start) {
        return;
    }
    if (type == RANGE_RAM && info.ram_count < AGPU_BARE_RANGES_MAX) {
        info.ram[info.ram_count++] = range;
    } else if (type != RANGE_RAM && info.reserved_count < AGPU_BARE_RANGES_MAX) {
        info.reserved[info.reserved_count++] = range;
    }
}

static void keep_words(const char *text, size_t most)
{
    for (size_t i = 0; text != NULL && i < most && i + 1 < sizeof info.command_line && text[i] != '\0'; i++) {
        info.command_line[i] = text[i];
    }
}

static void keep_config(const void *data, uint64_t bytes)
{
    if (data == NULL || bytes > sizeof info.config) {
        agpu_bare_print("the module has 0x%jx bytes; expected agpu.cfg of at most %u: it is not read", bytes,
                        (unsigned)sizeof info.config);
        return;
    }
    memcpy(info.config, data, bytes);
    info.config_size = bytes;
    info.has_config = true;
}

static void read_pvh(uint32_t at)
{
    const struct pvh_start *start = loader_data(at, sizeof *start);

    if (start == NULL || start->magic != PVH_MAGIC || start->version < 1) {
        agpu_bare_stop("expected PVH start information of version 1 at 0x%x: start with QEMU -kernel or by "
                       "Multiboot2",
                       at);
    }
    const struct pvh_range *range = loader_data(start->map, start->map_count * sizeof *range);
    for (uint32_t i = 0; range != NULL && i < start->map_count; i++) {
        keep_range(range[i].start, range[i].bytes, range[i].type);
    }
    keep_words(loader_data(start->command_line, AGPU_BARE_WORDS_MAX), AGPU_BARE_WORDS_MAX);
    info.rsdp = (uint8_t *)(uintptr_t)loader_data(start->rsdp, RSDP_MAX);
    const struct pvh_module *module =
        start->module_count != 0 ? loader_data(start->modules, sizeof *module) : NULL;
    if (module != NULL) {
        keep_config(loader_data(module->start, module->bytes), module->bytes);
    }
}

static uint32_t read_u32(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

static void read_map_tag(const uint8_t *tag, uint32_t size)
{
    const uint32_t step = size >= TAG_MAP_ENTRIES ? read_u32(tag + 8) : 0;

    for (uint32_t at = TAG_MAP_ENTRIES; step >= MAP_ENTRY_MIN && at + step <= size; at += step) {
        uint64_t range[2];

        memcpy(range, tag + at, sizeof range);
        keep_range(range[0], range[1], read_u32(tag + at + 16));
    }
}

static void read_tag(const uint8_t *tag, uint32_t type, uint32_t size)
{
    switch (type) {
    case TAG_COMMAND_LINE:
        keep_words((const char *)tag + 8, size - 8);
        break;
    case TAG_MODULE:
        if (size >= 16 && !info.has_config) {
            const uint64_t bytes = read_u32(tag + 12) - (uint64_t)read_u32(tag + 8);
            keep_config(loader_data(read_u32(tag + 8), bytes), bytes);
        }
        break;
    case TAG_MAP:
        read_map_tag(tag, size);
        break;
    case TAG_SCREEN: /* address, pitch, width, height, depth, kind */
        if (size >= SCREEN_MIN && tag[29] == SCREEN_VGA_TEXT) {
            agpu_bare_vga_open(read_u32(tag + 20), read_u32(tag + 24));
        }
        break;
    case TAG_RSDP_1:
    case TAG_RSDP_2:
        memcpy(rsdp_copy, tag + 8, size - 8 < RSDP_MAX ? size - 8 : RSDP_MAX);
        info.rsdp = rsdp_copy;
        break;
    default:
        break;
    }
}

static void read_multiboot(uint32_t at)
{
    const uint8_t *tags = loader_data(at, MULTIBOOT_MAX);
    const uint32_t total = tags != NULL ? read_u32(tags) : 0;

    for (uint32_t offset = 8; total <= MULTIBOOT_MAX && offset + 8 <= total;) {
        const uint32_t type = read_u32(tags + offset), size = read_u32(tags + offset + 4);

        if (type == TAG_END || size < 8 || size > total - offset) {
            break;
        }
        read_tag(tags + offset, type, size);
        offset += (size + 7) & ~7u;
    }
}

/* The root pointer lies in the BIOS area at a multiple of 16 (ACPI 6.4 section 5.2.5.1). */
static uint8_t *search_rsdp(void)
{
    for (uint8_t *at = (uint8_t *)(uintptr_t)0xE0000; at < (uint8_t *)(uintptr_t)0xFFFF0; at += 16) {
        if (memcmp(at, "RSD PTR ", 8) == 0) {
            return at;
        }
    }
    return NULL;
}

static void fw_cfg_read(void *to, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)to)[i] = agpu_in8(FW_CFG_DATA);
    }
}

static void fw_cfg_select(uint16_t item)
{
    __asm__ volatile("outw %0, %1" : : "a"(item), "Nd"((uint16_t)FW_CFG_SELECT));
}

/* True in a virtual machine: elsewhere the ports of fw_cfg may be those of another device. */
static bool has_hypervisor(void)
{
    uint32_t leaf = 1, ebx, features = 0, edx;

    __asm__ volatile("cpuid" : "+a"(leaf), "=b"(ebx), "+c"(features), "=d"(edx));
    return (features >> 31 & 1) != 0;
}

static void read_fw_cfg(void)
{
    char signature[4];
    uint32_t count;

    fw_cfg_select(FW_CFG_SIGNATURE);
    fw_cfg_read(signature, sizeof signature);
    if (memcmp(signature, "QEMU", sizeof signature) != 0) {
        return;
    }
    fw_cfg_select(FW_CFG_FILES);
    fw_cfg_read(&count, sizeof count);
    count = __builtin_bswap32(count);
    for (uint32_t i = 0; i < count && i < FW_CFG_COUNT_MAX; i++) {
        struct fw_cfg_file file;

        fw_cfg_read(&file, sizeof file);
        const uint32_t size = __builtin_bswap32(file.size_be);
        if (memcmp(file.name, FW_CFG_NAME, sizeof FW_CFG_NAME) == 0 && size <= sizeof info.config) {
            fw_cfg_select(__builtin_bswap16(file.select_be));
            fw_cfg_read(info.config, size);
            info.config_size = size;
            info.has_config = true;
            return;
        }
    }
}

const struct agpu_bare_info *agpu_bare_read_loader(uint32_t multiboot, uint32_t at)
{
    if (multiboot == 0) {
        read_pvh(at);
    } else if (multiboot == MULTIBOOT_MAGIC) {
        read_multiboot(at);
    } else {
        agpu_bare_stop("the loader passed 0x%x; expected Multiboot2 (0x%x)", multiboot, MULTIBOOT_MAGIC);
    }
    if (info.ram_count == 0) {
        agpu_bare_stop("the loader passed no memory map; expected one with at least one range of RAM");
    }
    if (info.rsdp == NULL) {
        info.rsdp = search_rsdp();
    }
    if (!info.has_config && has_hypervisor()) {
        read_fw_cfg();
    }
    return &info;
}
