/* pci.c: EFI_PCI_IO for every function of segment 0, by ECAM where ACPI's MCFG names it, else by ports CF8h and
 * CFCh. */
#include "efi/bare/pci.h"

#include <string.h>

#include "efi/acpi.h"
#include "efi/bare/console.h"
#include "efi/bare/hole.h"
#include "efi/bare/memory.h"
#include "efi/bare/paging.h"
#include "efi/bare/services.h"

#define FUNCTIONS_MAX 1024u /* a server with two processors has some hundred */
#define BAR_MIN       16u
#define BARS_END      UINT64_C(0xFEC00000) /* the I/O APIC */

#define CONFIG_ADDRESS 0xCF8
#define CONFIG_DATA    0xCFC
#define CONFIG_ENABLE  0x80000000u
#define CONFIG_SMALL   0x100u  /* bytes that the ports reach */
#define CONFIG_LARGE   0x1000u /* bytes of a function in ECAM */

/* Layout of the MCFG: an entry has a 64-bit address, the segment, the first and the last bus. */
#define MCFG_ENTRIES     44u
#define MCFG_ENTRY_BYTES 16u

#define HEADER_TYPE_MULTI 0x80u
#define CLASS_BRIDGE      0x06u

#pragma pack(push, 1)
struct address_space {
    uint8_t tag;
    uint16_t length;
    uint8_t resource_type, general_flags, specific_flags;
    uint64_t granularity, first, last, translation, bytes;
    uint8_t end[2];
};
#pragma pack(pop)
#define SPACE_TAG      0x8A
#define SPACE_LENGTH   43
#define SPACE_PREFETCH 0x06
#define SPACE_END      0x79

static struct agpu_bare_function functions[FUNCTIONS_MAX];
static unsigned function_count;
static uint64_t ecam; /* address of bus 0; 0: by ports */
static uint8_t first_bus, last_bus = 255;

static uint32_t location_of(const struct agpu_bare_function *function)
{
    return (uint32_t)function->bus << 8 | (uint32_t)function->device << 3 | function->number;
}

static volatile void *ecam_register(const struct agpu_bare_function *function, uint32_t offset)
{
    return (volatile void *)(uintptr_t)(ecam + ((uint64_t)location_of(function) << 12) + offset);
}

static void select_register(const struct agpu_bare_function *function, uint32_t offset)
{
    const uint32_t address = CONFIG_ENABLE | location_of(function) << 8 | (offset & 0xFC);

    __asm__ volatile("outl %0, %1" : : "a"(address), "Nd"((uint16_t)CONFIG_ADDRESS));
}

/* Reads or writes 1, 2 or 4 bytes at registers or memory, with one access. */
static void access_memory(volatile void *at, uint64_t *value, unsigned size, bool write)
{
    switch (size) {
    case 1:
        write ? (void)(*(volatile uint8_t *)at = (uint8_t)*value) : (void)(*value = *(volatile uint8_t *)at);
        break;
    case 2:
        write ? (void)(*(volatile uint16_t *)at = (uint16_t)*value)
              : (void)(*value = *(volatile uint16_t *)at);
        break;
    case 4:
        write ? (void)(*(volatile uint32_t *)at = (uint32_t)*value)
              : (void)(*value = *(volatile uint32_t *)at);
        break;
    default:
        write ? (void)(*(volatile uint64_t *)at = *value) : (void)(*value = *(volatile uint64_t *)at);
        break;
    }
}

uint32_t agpu_bare_config_read(const struct agpu_bare_function *function, uint32_t offset, unsigned size)
{
    uint64_t value = UINT32_MAX;

    if (ecam != 0) {
        access_memory(ecam_register(function, offset), &value, size, false);
    } else if (offset < CONFIG_SMALL) {
        select_register(function, offset);
        value = agpu_in32(CONFIG_DATA) >> 8 * (offset & 3);
    }
    return (uint32_t)(value & (UINT64_MAX >> (64 - 8 * size)));
}

void agpu_bare_config_write(const struct agpu_bare_function *function, uint32_t offset, unsigned size,
                            uint32_t value)
{
    const uint16_t port = (uint16_t)(CONFIG_DATA + (offset & 3));
    uint64_t wide = value;

    if (ecam != 0) {
        access_memory(ecam_register(function, offset), &wide, size, true);
    } else if (offset < CONFIG_SMALL) {
        select_register(function, offset);
        if (size == 1) {
            agpu_out8(port, (uint8_t)value);
        } else if (size == 2) {
            __asm__ volatile("outw %0, %1" : : "a"((uint16_t)value), "Nd"(port));
        } else {
            __asm__ volatile("outl %0, %1" : : "a"(value), "Nd"(port));
        }
    }
}

static struct agpu_bare_function *function_of(EFI_PCI_IO *io)
{
    return (struct agpu_bare_function *)io;
}

static unsigned bytes_of(EFI_PCI_IO_PROTOCOL_WIDTH width)
{
    return width <= EfiPciIoWidthUint64 ? 1u << width : 0;
}

static bool config_fits(unsigned bytes, uint32_t offset, UINTN count)
{
    return bytes != 0 && bytes <= 4 && offset % bytes == 0 && count <= CONFIG_LARGE / bytes &&
           offset <= CONFIG_LARGE - count * bytes;
}

static EFI_STATUS EFIAPI read_config(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_WIDTH width, UINT32 offset,
                                     UINTN count, VOID *buffer)
{
    const unsigned bytes = bytes_of(width);

    if (!config_fits(bytes, offset, count)) {
        return EFI_UNSUPPORTED;
    }
    for (UINTN i = 0; i < count; i++) {
        const uint32_t value = agpu_bare_config_read(function_of(io), offset + (uint32_t)i * bytes, bytes);
        memcpy((uint8_t *)buffer + i * bytes, &value, bytes);
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI write_config(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_WIDTH width, UINT32 offset,
                                      UINTN count, VOID *buffer)
{
    const unsigned bytes = bytes_of(width);

    if (!config_fits(bytes, offset, count)) {
        return EFI_UNSUPPORTED;
    }
    for (UINTN i = 0; i < count; i++) {
        uint32_t value = 0;
        memcpy(&value, (const uint8_t *)buffer + i * bytes, bytes);
        agpu_bare_config_write(function_of(io), offset + (uint32_t)i * bytes, bytes, value);
    }
    return EFI_SUCCESS;
}

static EFI_STATUS access_bar(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_WIDTH width, UINT8 index, UINT64 offset,
                             UINTN count, VOID *buffer, bool write)
{
    const unsigned bytes = bytes_of(width);
    const struct agpu_bare_bar *bar = index < AGPU_PCI_BAR_COUNT ? &function_of(io)->bars[index] : NULL;

    if (bar == NULL || bytes == 0 || offset % bytes != 0 || bar->bytes < bytes ||
        count > bar->bytes / bytes || offset > bar->bytes - count * bytes) {
        return EFI_UNSUPPORTED;
    }
    for (UINTN i = 0; i < count; i++) {
        uint64_t value = 0;

        memcpy(&value, (const uint8_t *)buffer + i * bytes, write ? bytes : 0);
        access_memory((volatile void *)(uintptr_t)(bar->address + offset + i * bytes), &value, bytes, write);
        memcpy((uint8_t *)buffer + i * bytes, &value, write ? 0 : bytes);
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI read_bar(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_WIDTH width, UINT8 index, UINT64 offset,
                                  UINTN count, VOID *buffer)
{
    return access_bar(io, width, index, offset, count, buffer, false);
}

static EFI_STATUS EFIAPI write_bar(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_WIDTH width, UINT8 index,
                                   UINT64 offset, UINTN count, VOID *buffer)
{
    return access_bar(io, width, index, offset, count, buffer, true);
}

/* Without an IOMMU a device uses the processor's addresses. */
static EFI_STATUS EFIAPI map_buffer_here(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_OPERATION operation, VOID *host,
                                         UINTN *bytes, EFI_PHYSICAL_ADDRESS *device, VOID **mapping)
{
    (void)io, (void)operation, (void)bytes;
    *device = (uintptr_t)host;
    *mapping = host;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI unmap_buffer(EFI_PCI_IO *io, VOID *mapping)
{
    (void)io, (void)mapping;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI allocate_buffer(EFI_PCI_IO *io, EFI_ALLOCATE_TYPE how, EFI_MEMORY_TYPE type,
                                         UINTN pages, VOID **host, UINT64 attributes)
{
    EFI_PHYSICAL_ADDRESS memory = UINT32_MAX;
    const EFI_STATUS status =
        agpu_system->BootServices->AllocatePages(AllocateMaxAddress, type, pages, &memory);

    (void)io, (void)how, (void)attributes;
    *host = (void *)(uintptr_t)memory;
    return status;
}

static EFI_STATUS EFIAPI free_buffer(EFI_PCI_IO *io, UINTN pages, VOID *host)
{
    (void)io;
    return agpu_system->BootServices->FreePages((uintptr_t)host, pages);
}

static EFI_STATUS EFIAPI get_location(EFI_PCI_IO *io, UINTN *segment, UINTN *bus, UINTN *device,
                                      UINTN *number)
{
    const struct agpu_bare_function *function = function_of(io);

    *segment = 0;
    *bus = function->bus;
    *device = function->device;
    *number = function->number;
    return EFI_SUCCESS;
}

/* Nothing between the device and memory depends on an attribute here. */
static EFI_STATUS EFIAPI change_attributes(EFI_PCI_IO *io, EFI_PCI_IO_PROTOCOL_ATTRIBUTE_OPERATION operation,
                                           UINT64 attributes, UINT64 *result)
{
    (void)io, (void)operation, (void)attributes;
    if (result != NULL) {
        *result = EFI_PCI_IO_ATTRIBUTE_DUAL_ADDRESS_CYCLE;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_bar_attributes(EFI_PCI_IO *io, UINT8 index, UINT64 *supports, VOID **resources)
{
    const struct agpu_bare_bar *bar = index < AGPU_PCI_BAR_COUNT ? &function_of(io)->bars[index] : NULL;

    if (bar == NULL || bar->bytes == 0 || resources == NULL ||
        EFI_ERROR(agpu_system->BootServices->AllocatePool(EfiBootServicesData, sizeof(struct address_space),
                                                          resources))) {
        return EFI_UNSUPPORTED;
    }
    if (supports != NULL) {
        *supports = EFI_PCI_IO_ATTRIBUTE_MEMORY_WRITE_COMBINE;
    }
    *(struct address_space *)*resources =
        (struct address_space){.tag = SPACE_TAG,
                               .length = SPACE_LENGTH,
                               .specific_flags = bar->prefetchable ? SPACE_PREFETCH : 0,
                               .granularity = bar->wide ? 64 : 32,
                               .first = bar->address,
                               .last = bar->address + bar->bytes - 1,
                               .bytes = bar->bytes,
                               .end = {SPACE_END}};
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_bar_attributes(EFI_PCI_IO *io, UINT64 attributes, UINT8 index, UINT64 *offset,
                                            UINT64 *length)
{
    const struct agpu_bare_bar *bar = index < AGPU_PCI_BAR_COUNT ? &function_of(io)->bars[index] : NULL;

    if (bar == NULL || bar->bytes == 0 || attributes != EFI_PCI_IO_ATTRIBUTE_MEMORY_WRITE_COMBINE ||
        *offset % AGPU_BARE_PAGE != 0 || *length > bar->bytes || *offset > bar->bytes - *length) {
        return EFI_UNSUPPORTED;
    }
    agpu_bare_map(bar->address + *offset, *length, AGPU_BARE_WRITE_COMBINED);
    return EFI_SUCCESS;
}

/* Reads address and size of a memory BAR, with decoding off meanwhile. Returns the number of registers it takes. */
static unsigned find_bar(struct agpu_bare_function *function, unsigned index)
{
    const uint32_t at = AGPU_PCI_BAR(index), low = agpu_bare_config_read(function, at, 4);
    struct agpu_bare_bar *bar = &function->bars[index];
    uint64_t mask, high = 0;

    if ((low & AGPU_PCI_BAR_IO) != 0) {
        return 1;
    }
    bar->wide = (low & AGPU_PCI_BAR_TYPE_MASK) == AGPU_PCI_BAR_TYPE_64 && index + 1 < AGPU_PCI_BAR_COUNT;
    bar->prefetchable = (low & AGPU_PCI_BAR_PREFETCHABLE) != 0;
    agpu_bare_config_write(function, at, 4, UINT32_MAX);
    mask = agpu_bare_config_read(function, at, 4) & ~AGPU_PCI_BAR_FLAGS;
    agpu_bare_config_write(function, at, 4, low);
    if (mask == 0 && !bar->wide) {
        return 1;
    }
    if (bar->wide) {
        high = agpu_bare_config_read(function, at + 4, 4);
        agpu_bare_config_write(function, at + 4, 4, UINT32_MAX);
        mask |= (uint64_t)agpu_bare_config_read(function, at + 4, 4) << 32;
        agpu_bare_config_write(function, at + 4, 4, (uint32_t)high);
    } else {
        mask |= UINT64_MAX << 32;
    }
    bar->address = high << 32 | (low & ~AGPU_PCI_BAR_FLAGS);
    bar->bytes = ~mask + 1;
    return bar->wide ? 2 : 1;
}

static void find_bars(struct agpu_bare_function *function, uint32_t command)
{
    agpu_bare_config_write(function, AGPU_PCI_COMMAND, 2,
                           command & ~(AGPU_PCI_COMMAND_IO | AGPU_PCI_COMMAND_MEMORY));
    for (unsigned i = 0; i < AGPU_PCI_BAR_COUNT;) {
        i += find_bar(function, i);
    }
    agpu_bare_config_write(function, AGPU_PCI_COMMAND, 2, command);
    for (unsigned i = 0; i < AGPU_PCI_BAR_COUNT; i++) {
        if (function->bars[i].address != 0 && function->bars[i].bytes >= BAR_MIN) {
            agpu_bare_map(function->bars[i].address, function->bars[i].bytes, AGPU_BARE_UNCACHED);
        }
    }
}

/* Returns false when no function is there. */
static bool add_function(unsigned bus, unsigned device, unsigned number, uint32_t *header)
{
    static const EFI_GUID guid = EFI_PCI_IO_PROTOCOL_GUID;
    struct agpu_bare_function *function = &functions[function_count];

    *function = (struct agpu_bare_function){
        .io = {.Mem = {read_bar, write_bar},
               .Pci = {read_config, write_config},
               .Map = map_buffer_here,
               .Unmap = unmap_buffer,
               .AllocateBuffer = allocate_buffer,
               .FreeBuffer = free_buffer,
               .GetLocation = get_location,
               .Attributes = change_attributes,
               .GetBarAttributes = get_bar_attributes,
               .SetBarAttributes = set_bar_attributes},
        .bus = (uint8_t)bus,
        .device = (uint8_t)device,
        .number = (uint8_t)number,
    };
    if (agpu_bare_config_read(function, AGPU_PCI_VENDOR_ID, 2) == 0xFFFF) {
        return false;
    }
    if (function_count == FUNCTIONS_MAX - 1) {
        agpu_bare_stop("expected at most %u PCI functions, found more", FUNCTIONS_MAX - 1);
    }
    *header = agpu_bare_config_read(function, AGPU_PCI_HEADER_TYPE, 1);
    /* Bridges keep their BARs to themselves; memory may be unreachable while a host bridge does not decode. */
    if ((*header & ~HEADER_TYPE_MULTI) == 0 &&
        agpu_bare_config_read(function, AGPU_PCI_CLASS, 1) != CLASS_BRIDGE) {
        find_bars(function, agpu_bare_config_read(function, AGPU_PCI_COMMAND, 2));
    }
    agpu_bare_add_handle(&guid, &function->io);
    function_count++;
    return true;
}

static void find_ecam(void)
{
    uint32_t size;
    const uint8_t *table = agpu_acpi_table("MCFG", &size);

    for (uint32_t at = MCFG_ENTRIES; table != NULL && at + MCFG_ENTRY_BYTES <= size; at += MCFG_ENTRY_BYTES) {
        uint16_t segment;
        uint64_t address;

        memcpy(&segment, table + at + 8, sizeof segment);
        memcpy(&address, table + at, sizeof address);
        if (segment == 0 && address != 0 && table[at + 10] <= table[at + 11]) {
            ecam = address;
            first_bus = table[at + 10];
            last_bus = table[at + 11];
            agpu_bare_map(ecam + ((uint64_t)first_bus << 20), (last_bus - first_bus + 1ull) << 20,
                          AGPU_BARE_UNCACHED);
            return;
        }
    }
}

/* Gives an address to each BAR of the first bus that has none, below the chipset's registers and above memory. */
static void assign_bars(const struct agpu_bare_info *info)
{
    static struct agpu_bare_range taken[2 * AGPU_BARE_RANGES_MAX + FUNCTIONS_MAX * AGPU_PCI_BAR_COUNT + 1];
    uint64_t floor = 0;
    unsigned count = 0;

    for (unsigned i = 0; i < info->ram_count; i++) {
        const uint64_t end = info->ram[i].start + info->ram[i].bytes;

        floor = end > floor && end < BARS_END ? end : floor;
        taken[count++] = info->ram[i];
    }
    for (unsigned i = 0; i < info->reserved_count; i++) {
        taken[count++] = info->reserved[i];
    }
    taken[count++] = (struct agpu_bare_range){ecam, ecam != 0 ? (last_bus + 1ull) << 20 : 0};
    for (unsigned i = 0; i < function_count * AGPU_PCI_BAR_COUNT; i++) {
        const struct agpu_bare_bar *bar = &functions[i / AGPU_PCI_BAR_COUNT].bars[i % AGPU_PCI_BAR_COUNT];

        if (bar->address != 0) {
            taken[count++] = (struct agpu_bare_range){bar->address, bar->bytes};
        }
    }
    for (unsigned i = 0; i < function_count * AGPU_PCI_BAR_COUNT; i++) {
        struct agpu_bare_function *function = &functions[i / AGPU_PCI_BAR_COUNT];
        const unsigned index = i % AGPU_PCI_BAR_COUNT;
        struct agpu_bare_bar *bar = &function->bars[index];

        if (bar->address != 0 || bar->bytes == 0) {
            continue;
        }
        bar->address =
            function->bus == first_bus ? agpu_bare_find_hole(taken, count, bar->bytes, floor, BARS_END) : 0;
        if (bar->address == 0) {
            agpu_bare_print(
                "PCI %02x:%02x.%x: BAR%u of 0x%jx bytes has no address; expected one from the firmware, "
                "or room below 4 GiB: this BAR is not used",
                function->bus, function->device, function->number, index, bar->bytes);
            bar->bytes = 0;
            continue;
        }
        taken[count++] = (struct agpu_bare_range){bar->address, bar->bytes};
        agpu_bare_config_write(function, AGPU_PCI_BAR(index), 4, (uint32_t)bar->address);
        if (bar->wide) {
            agpu_bare_config_write(function, AGPU_PCI_BAR(index + 1), 4, 0);
        }
        agpu_bare_map(bar->address, bar->bytes, AGPU_BARE_UNCACHED);
    }
}

void agpu_bare_pci_open(const struct agpu_bare_info *info)
{
    find_ecam();
    /* All buses are tried: firmware has numbered those behind bridges, and there may be several host bridges. */
    for (unsigned bus = first_bus; bus <= last_bus; bus++) {
        for (unsigned device = 0; device < 32; device++) {
            uint32_t header = 0;

            for (unsigned number = 0; number < 8; number++) {
                const bool found = add_function(bus, device, number, &header);

                if (number == 0 && (!found || (header & HEADER_TYPE_MULTI) == 0)) {
                    break;
                }
            }
        }
    }
    assign_bars(info);
    if (function_count == 0) {
        agpu_bare_print("no PCI function found by %s; expected at least a host bridge",
                        ecam != 0 ? "ECAM" : "CF8h");
    }
}

struct agpu_bare_function *agpu_bare_pci_function(unsigned index)
{
    return index < function_count ? &functions[index] : NULL;
}
