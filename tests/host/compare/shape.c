/* shape.c: walks the capability list like a driver that trusts nothing. */
#include "tests/host/compare/shape.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/host/monotonic.h"

#define REGISTERS       0u
#define CONFIG_BYTES    256u
#define CONFIG_COMMAND  0x04u
#define CONFIG_POINTER  0x34u
#define STATUS_LIST     (1u << 20) /* bit of the command and status dword */
#define FIRST_PLACE     0x40u
#define LATE_NS         UINT64_C(10000000) /* device.md 2 */
#define VENDOR_SPECIFIC 0x09u

#define MSIX_ENTRY   16u
#define MSIX_CONTROL 12u /* offset in an entry */
#define MSIX_MASKED  1u

struct shape_reading {
    struct vgpu_port *port;
    struct agpu_cmp_shape *shape;
    struct agpu_cmp_wrongs *wrongs;
    uint32_t config[CONFIG_BYTES / 4];
};

static void __attribute__((format(printf, 3, 4)))
note_wrong(struct shape_reading *reading, const char *section, const char *format, ...)
{
    struct agpu_cmp_wrong *wrong = &reading->wrongs->list[reading->wrongs->count];
    va_list arguments;

    if (reading->wrongs->count == AGPU_CMP_WRONGS) {
        return;
    }
    reading->wrongs->count++;
    wrong->section = section;
    va_start(arguments, format);
    vsnprintf(wrong->text, sizeof wrong->text, format, arguments);
    va_end(arguments);
}

static uint32_t read_config(struct shape_reading *reading, uint32_t offset)
{
    const uint64_t before = agpu_monotonic_ns();
    const uint32_t value = vgpu_port_config_read(reading->port, offset, 4);
    const uint64_t took = agpu_monotonic_ns() - before;

    reading->shape->config_ns = took < reading->shape->config_ns ? took : reading->shape->config_ns;
    return value;
}

static const struct {
    const char *name;
    uint8_t id, bytes; /* minimum size */
} known_capabilities[AGPU_CMP_CAPABILITIES] = {
    [AGPU_CMP_POWER_CAP] = {"PM", 0x01, 8},
    [AGPU_CMP_MSI_CAP] = {"MSI", 0x05, 10},
    [AGPU_CMP_EXPRESS_CAP] = {"PCI Express", 0x10, 20},
    [AGPU_CMP_MSIX_CAP] = {"MSI-X", 0x11, 12},
};

const char *agpu_cmp_capability_name(enum agpu_cmp_capability capability)
{
    return known_capabilities[capability].name;
}

uint8_t agpu_cmp_capability_id(enum agpu_cmp_capability capability)
{
    return known_capabilities[capability].id;
}

static uint32_t word_at(const struct shape_reading *reading, uint32_t offset)
{
    return reading->config[offset / 4];
}

/* Returns the size of the capability at offset. */
static uint32_t length_of(const struct shape_reading *reading, uint32_t offset)
{
    const uint32_t first = word_at(reading, offset), id = first & 0xFF;
    uint32_t bytes = 4;

    if (id == VENDOR_SPECIFIC) {
        return (first >> 16 & 0xFF) > 4 ? first >> 16 & 0xFF : 4;
    }
    for (uint32_t i = 0; i < AGPU_CMP_CAPABILITIES; i++) {
        bytes = known_capabilities[i].id == id ? known_capabilities[i].bytes : bytes;
    }
    if (id == known_capabilities[AGPU_CMP_MSI_CAP].id) {
        bytes += (first >> 23 & 1) * 4u + (first >> 24 & 1) * 10u;
    } else if (id == known_capabilities[AGPU_CMP_EXPRESS_CAP].id && (first >> 16 & 0xF) >= 2) {
        bytes = 60;
    }
    return bytes;
}

/* Returns true when the walk can continue from the entry. */
static bool take_entry(struct shape_reading *reading, uint32_t offset)
{
    struct agpu_cmp_shape *shape = reading->shape;
    const uint32_t id = word_at(reading, offset) & 0xFF, end = offset + length_of(reading, offset);

    for (uint32_t i = 0; i < shape->listed; i++) {
        const uint32_t other = shape->list[i], other_end = other + length_of(reading, other);

        if (other == offset) {
            note_wrong(reading, "device.md 1.1", "the capability list does not end: it comes back to 0x%x",
                       offset);
            return false;
        }
        if (offset < other_end && other < end) {
            note_wrong(reading, "device.md 1.1",
                       "the capabilities at 0x%x (%u bytes) and 0x%x (%u bytes) overlap", other,
                       other_end - other, offset, end - offset);
        }
    }
    if (end > CONFIG_BYTES) {
        note_wrong(reading, "device.md 1.1", "the capability at 0x%x ends past configuration space", offset);
    }
    for (uint32_t i = 0; i < AGPU_CMP_CAPABILITIES; i++) {
        if (known_capabilities[i].id != id) {
            continue;
        }
        if (shape->at[i] != 0) {
            note_wrong(reading, "device.md 1.1", "%s stands in the capability list twice, at 0x%x and 0x%x",
                       known_capabilities[i].name, shape->at[i], offset);
        } else if (end <= CONFIG_BYTES) {
            shape->at[i] = (uint8_t)offset;
        }
    }
    if (shape->listed == AGPU_CMP_SHAPE_LIST) {
        return false;
    }
    shape->list[shape->listed++] = (uint8_t)offset;
    return true;
}

static void walk(struct shape_reading *reading)
{
    const bool stated = (word_at(reading, CONFIG_COMMAND) & STATUS_LIST) != 0;
    uint32_t offset = word_at(reading, CONFIG_POINTER) & 0xFF;

    if (stated != (offset != 0)) {
        note_wrong(reading, "device.md 1.1", "Status announces %s capability list, but its pointer is 0x%x",
                   stated ? "a" : "no", offset);
    }
    while (stated && offset != 0) {
        if (offset < FIRST_PLACE || offset % 4 != 0) {
            note_wrong(reading, "device.md 1.1", "the capability list goes to 0x%x: expected 0x40 to 0xfc",
                       offset);
            return;
        }
        if (!take_entry(reading, offset)) {
            return;
        }
        offset = word_at(reading, offset) >> 8 & 0xFF;
    }
}

/* ---- what the capabilities say ---- */

static void read_power(struct shape_reading *reading, uint32_t at)
{
    const uint32_t offers = word_at(reading, at) >> 16, control = word_at(reading, at + 4);

    reading->shape->d1 = (offers >> 9 & 1) != 0;
    reading->shape->d2 = (offers >> 10 & 1) != 0;
    reading->shape->keeps_state = (control >> 3 & 1) != 0;
    if ((offers & 7) < 1 || (offers & 7) > 3) {
        note_wrong(reading, "device.md 1.1", "PM has version %u: expected 1 to 3", offers & 7);
    }
    if ((control & 3) != 0) {
        note_wrong(reading, "device.md 1.1", "its power state is D%u at the start: expected D0", control & 3);
    }
}

static void read_msi(struct shape_reading *reading, uint32_t at)
{
    const uint32_t control = word_at(reading, at) >> 16, code = control >> 1 & 7;

    reading->shape->msi_vectors = code <= 5 ? 1u << code : 0;
    reading->shape->msi_wide = (control >> 7 & 1) != 0;
    reading->shape->msi_masks = (control >> 8 & 1) != 0;
    if (code > 5) {
        note_wrong(reading, "device.md 1.1",
                   "MSI announces %u for the number of its vectors: expected 5 at most", code);
    }
    if ((control & 1) != 0) {
        note_wrong(reading, "device.md 1.1", "MSI is enabled at the start: expected disabled");
    }
}

static void read_express(struct shape_reading *reading, uint32_t at)
{
    const uint32_t version = word_at(reading, at) >> 16 & 0xF, type = word_at(reading, at) >> 20 & 0xF;

    reading->shape->function_reset = (word_at(reading, at + 4) >> 28 & 1) != 0;
    if (version < 1 || version > 2) {
        note_wrong(reading, "device.md 1.1", "PCI Express has version %u: expected 1 or 2", version);
    }
    if (type != 0 && type != 1 && type != 9) {
        note_wrong(reading, "device.md 1.1", "PCI Express has port type %u: expected an endpoint (0, 1, 9)",
                   type);
    }
}

static bool is_inside(struct shape_reading *reading, const char *what, const struct agpu_cmp_place *place,
                      uint32_t bytes)
{
    const uint64_t size = place->bar < AGPU_CMP_SHAPE_BARS ? reading->shape->bars[place->bar].size : 0;

    if (place->offset >= size || bytes > size - place->offset) {
        note_wrong(reading, "device.md 1.1",
                   "the %s of MSI-X, %u bytes at 0x%x of BAR%u, is not inside the BAR of %" PRIu64 " bytes",
                   what, bytes, place->offset, place->bar, size);
        return false;
    }
    if (place->bar == REGISTERS && place->offset < AEROGPU_PCI_BAR0_SIZE_BYTES) {
        note_wrong(reading, "device.md 1.1", "the %s of MSI-X lies among the registers, at 0x%x", what,
                   place->offset);
        return false;
    }
    return true;
}

static void read_msix(struct shape_reading *reading, uint32_t at)
{
    struct agpu_cmp_shape *shape = reading->shape;
    const uint32_t control = word_at(reading, at) >> 16, vectors = (control & 0x7FF) + 1;
    const uint32_t table_bytes = vectors * MSIX_ENTRY, pending_bytes = (vectors + 63) / 64 * 8;
    bool good;

    shape->table = (struct agpu_cmp_place){word_at(reading, at + 4) & 7, word_at(reading, at + 4) & ~7u};
    shape->pending = (struct agpu_cmp_place){word_at(reading, at + 8) & 7, word_at(reading, at + 8) & ~7u};
    good = is_inside(reading, "table", &shape->table, table_bytes);
    good = is_inside(reading, "pending bits", &shape->pending, pending_bytes) && good;
    if (shape->table.bar == shape->pending.bar &&
        shape->table.offset < (uint64_t)shape->pending.offset + pending_bytes &&
        shape->pending.offset < (uint64_t)shape->table.offset + table_bytes) {
        note_wrong(reading, "device.md 1.1", "table and pending bits of MSI-X overlap, at 0x%x and 0x%x",
                   shape->table.offset, shape->pending.offset);
        good = false;
    }
    if ((control & 0x8000) != 0) {
        note_wrong(reading, "device.md 1.1", "MSI-X is enabled at the start: expected disabled");
    }
    for (uint32_t i = 0; i < vectors && good; i++) {
        const uint64_t entry =
            vgpu_port_bar_read(reading->port, shape->table.bar,
                               shape->table.offset + (uint64_t)i * MSIX_ENTRY + MSIX_CONTROL, 4);

        if ((entry & MSIX_MASKED) == 0) {
            note_wrong(reading, "device.md 1.1", "vector %u of MSI-X is not masked at the start", i);
            break;
        }
    }
    shape->msix_vectors = good ? vectors : 0; /* a structure at an invalid location is not used */
}

/* ---- BARs and registers ---- */

/* Returns true when the device describes its messages. One with an injected fault may have capabilities that it does
 * not describe; the machine would not receive their messages. */
static bool has_described_messages(const struct shape_reading *reading)
{
    return vgpu_port_info(reading->port)->msi_vectors > 0 || vgpu_port_msix(reading->port)->vectors > 0;
}

static void read_bars(struct shape_reading *reading)
{
    const struct agpu_device_info *info = vgpu_port_info(reading->port);
    struct agpu_cmp_shape *shape = reading->shape;
    const uint32_t aperture = info->bars[REGISTERS].is_64_bit != 0 ? 2 : 1;

    for (uint32_t i = 0; i < AGPU_CMP_SHAPE_BARS; i++) {
        shape->bars[i] = (struct agpu_cmp_shape_bar){info->bars[i].size, info->bars[i].is_64_bit != 0,
                                                     info->bars[i].prefetchable != 0};
    }
    if (shape->bars[REGISTERS].size < AEROGPU_PCI_BAR0_SIZE_BYTES) {
        note_wrong(reading, "device.md 1", "BAR0 has %" PRIu64 " bytes: expected 64 KiB at the least",
                   shape->bars[REGISTERS].size);
    }
    if (shape->bars[REGISTERS].prefetchable) {
        note_wrong(reading, "device.md 1", "BAR0, the registers, is prefetchable");
    }
    if (shape->bars[aperture].size != 0 && shape->bars[aperture].size < 512u << 10 &&
        shape->vendor != AEROGPU_LEGACY_PCI_VENDOR_ID) {
        note_wrong(reading, "device.md 1",
                   "the VRAM aperture has %" PRIu64 " bytes: expected 512 KiB at the least",
                   shape->bars[aperture].size);
    }
}

static uint32_t register_at(const struct shape_reading *reading, uint32_t offset)
{
    return (uint32_t)vgpu_port_bar_read(reading->port, REGISTERS, offset, 4);
}

static void read_registers(struct shape_reading *reading)
{
    struct agpu_cmp_shape *shape = reading->shape;

    shape->abi = register_at(reading, AEROGPU_MMIO_REG_ABI_VERSION);
    shape->features = register_at(reading, AEROGPU_MMIO_REG_FEATURES_LO) |
                      (uint64_t)register_at(reading, AEROGPU_MMIO_REG_FEATURES_HI) << 32;
    if (shape->vendor == AEROGPU_LEGACY_PCI_VENDOR_ID) {
        return;
    }
    if (register_at(reading, AEROGPU_MMIO_REG_MAGIC) == AEROGPU_MMIO_MAGIC &&
        shape->abi >> 16 != AEROGPU_ABI_MAJOR) {
        note_wrong(reading, "device.md 4.1", "its ABI is %u.%u: expected 1 and any minor", shape->abi >> 16,
                   shape->abi & 0xFFFF);
    }
    if ((shape->features & AEROGPU_FEATURE_VBLANK) != 0) {
        shape->period_ns = register_at(reading, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
    }
}

void agpu_cmp_shape_read(struct vgpu_port *port, struct agpu_cmp_shape *shape, struct agpu_cmp_wrongs *wrongs)
{
    static void (*const readers[AGPU_CMP_CAPABILITIES])(struct shape_reading *, uint32_t) = {
        [AGPU_CMP_POWER_CAP] = read_power,
        [AGPU_CMP_MSI_CAP] = read_msi,
        [AGPU_CMP_EXPRESS_CAP] = read_express,
        [AGPU_CMP_MSIX_CAP] = read_msix,
    };
    struct shape_reading reading = {.port = port, .shape = shape, .wrongs = wrongs};

    memset(shape, 0, sizeof *shape);
    memset(wrongs, 0, sizeof *wrongs);
    shape->config_ns = UINT64_MAX;
    for (uint32_t i = 0; i < CONFIG_BYTES / 4; i++) {
        reading.config[i] = read_config(&reading, 4 * i);
    }
    shape->vendor = reading.config[0] & 0xFFFF;
    if (shape->config_ns >= LATE_NS) {
        note_wrong(&reading, "device.md 2",
                   "the fastest of %u reads of configuration space took %" PRIu64
                   " ms: expected less than 10",
                   CONFIG_BYTES / 4, shape->config_ns / 1000000);
    }
    shape->delivers = has_described_messages(&reading);
    read_bars(&reading);
    read_registers(&reading);
    walk(&reading);
    for (uint32_t i = 0; i < AGPU_CMP_CAPABILITIES; i++) {
        if (shape->at[i] != 0) {
            readers[i](&reading, shape->at[i]);
        }
    }
}
