/* pci_io.c: EFI_PCI_IO opened with GET_PROTOCOL: a driver that the firmware bound to a function (the AeroGPU
 * is VGA class, a network card has its own) stays bound. */
#include "efi/pci_io.h"

#include "efi/write_combining.h"

/* Some machines have more functions, but no display after this many in scan order. */
#define FUNCTIONS_MAX 512

#define PCI_BAR(bar)    (0x10u + 4u * (bar))
#define PCI_BAR_IO      0x1u
#define PCI_BAR_TYPE    0x6u
#define PCI_BAR_TYPE_64 0x4u
#define PCI_BAR_FLAGS   0xFu

static struct agpu_pci_ref functions[FUNCTIONS_MAX];
static unsigned function_count;
static bool scanned;

EFI_PCI_IO *agpu_pci_io(const struct agpu_pci_ref *function)
{
    return function->handle;
}

static uint64_t scan_key(const struct agpu_pci_location *at)
{
    return (uint64_t)at->segment << 24 | (uint64_t)at->bus << 16 | (uint64_t)at->device << 8 | at->function;
}

/* Inserts in scan order. */
static void add_function(EFI_PCI_IO *io)
{
    UINTN segment, bus, device, number;

    if (function_count == FUNCTIONS_MAX || EFI_ERROR(io->GetLocation(io, &segment, &bus, &device, &number))) {
        return;
    }
    struct agpu_pci_ref ref = {
        .handle = io,
        .location = {(uint16_t)segment, (uint8_t)bus, (uint8_t)device, (uint8_t)number},
    };
    unsigned at = function_count++;
    for (; at && scan_key(&functions[at - 1].location) > scan_key(&ref.location); at--) {
        functions[at] = functions[at - 1];
    }
    functions[at] = ref;
}

/* Firmware that booted fast may not have enumerated every root bridge. Connecting one again is harmless:
 * without recursion it starts only the PCI bus driver, not those of the functions. */
static void connect_root_bridges(void)
{
    UINTN count;
    EFI_HANDLE *bridges = agpu_handles(&agpu_guid_root_bridge, &count);

    for (UINTN i = 0; i < count; i++) {
        agpu_boot->ConnectController(bridges[i], NULL, NULL, FALSE);
    }
    if (bridges != NULL) {
        agpu_boot->FreePool(bridges);
    }
}

static void scan_handles(void)
{
    UINTN count;

    connect_root_bridges();
    EFI_HANDLE *handles = agpu_handles(&agpu_guid_pci_io, &count);
    for (UINTN i = 0; i < count; i++) {
        EFI_PCI_IO *io = agpu_protocol(handles[i], &agpu_guid_pci_io);

        if (io != NULL) {
            add_function(io);
        }
    }
    if (handles != NULL) {
        agpu_boot->FreePool(handles);
    }
    scanned = true;
}

bool agpu_pci_io_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    (void)ctx;
    if (!scanned) {
        scan_handles();
    }
    if (index >= function_count) {
        return false;
    }
    *out = functions[index];
    return true;
}

/* Returns EFI's constant for an access width; false for a size without one. */
static bool width_of(uint32_t size, EFI_PCI_IO_PROTOCOL_WIDTH *out)
{
    switch (size) {
    case 1:
        *out = EfiPciIoWidthUint8;
        return true;
    case 2:
        *out = EfiPciIoWidthUint16;
        return true;
    case 4:
        *out = EfiPciIoWidthUint32;
        return true;
    case 8:
        *out = EfiPciIoWidthUint64;
        return true;
    default:
        return false;
    }
}

static uint64_t all_ones(uint32_t size)
{
    return size >= 8 ? UINT64_MAX : (UINT64_C(1) << size * 8) - 1;
}

uint32_t agpu_pci_io_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size)
{
    EFI_PCI_IO *io = agpu_pci_io(function);
    EFI_PCI_IO_PROTOCOL_WIDTH width;
    uint32_t value = 0;

    (void)ctx;
    if (size > sizeof value || !width_of(size, &width) ||
        EFI_ERROR(io->Pci.Read(io, width, offset, 1, &value))) {
        return (uint32_t)all_ones(size);
    }
    return value;
}

void agpu_pci_io_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                              uint32_t value)
{
    EFI_PCI_IO *io = agpu_pci_io(function);
    EFI_PCI_IO_PROTOCOL_WIDTH width;

    (void)ctx;
    if (size <= sizeof value && width_of(size, &width)) {
        io->Pci.Write(io, width, offset, 1, &value);
    }
}

/* Result of GetBarAttributes (ACPI, QWORD address space descriptor). */
#pragma pack(push, 1)
struct bar_descriptor {
    uint8_t tag; /* BAR_DESCRIPTOR_TAG */
    uint16_t length;
    uint8_t resource_type; /* 0: memory */
    uint8_t general_flags;
    uint8_t specific_flags;
    uint64_t granularity; /* 32 or 64 bits */
    uint64_t host_address;
    uint64_t last_address;
    uint64_t translation; /* bus address minus host address */
    uint64_t bytes;
};
#pragma pack(pop)
_Static_assert(sizeof(struct bar_descriptor) == 46, "as ACPI has it");
#define BAR_DESCRIPTOR_TAG     0x8A
#define BAR_MEMORY_CACHED_MASK 0x06 /* of specific_flags */
#define BAR_MEMORY_PREFETCH    0x06

/* False when the firmware has no memory BAR with this index. */
static bool describe_bar(EFI_PCI_IO *io, unsigned index, struct bar_descriptor *out)
{
    void *resources = NULL;

    if (EFI_ERROR(io->GetBarAttributes(io, (UINT8)index, NULL, &resources)) || resources == NULL) {
        return false;
    }
    *out = *(const struct bar_descriptor *)resources;
    agpu_boot->FreePool(resources);
    return out->tag == BAR_DESCRIPTOR_TAG && out->resource_type == 0 && out->bytes != 0;
}

/* Returns the address in the BAR's register, of 32 or 64 bits; 0 when there is none. */
static uint64_t bar_address(EFI_PCI_IO *io, unsigned bar)
{
    uint32_t value[2] = {0};

    if (EFI_ERROR(io->Pci.Read(io, EfiPciIoWidthUint32, PCI_BAR(bar), bar < 5 ? 2 : 1, value)) ||
        (value[0] & PCI_BAR_IO) != 0) {
        return 0;
    }
    return ((value[0] & PCI_BAR_TYPE) == PCI_BAR_TYPE_64 ? (uint64_t)value[1] << 32 : 0) |
           (value[0] & ~PCI_BAR_FLAGS);
}

/* Returns the firmware's index of a BAR. By the UEFI specification it is the register's number. Firmware
 * based on EDK II counts BARs instead: after a BAR of 64 bits, which takes two registers, its indices are
 * smaller. */
static unsigned bar_index(EFI_PCI_IO *io, unsigned bar)
{
    static struct {
        EFI_PCI_IO *io;
        unsigned bar, index;
    } known; /* cache of the last result: cases repeat the same request */
    struct bar_descriptor found;
    uint64_t address;

    if (bar == 0 || (known.io == io && known.bar == bar)) {
        return bar == 0 ? 0 : known.index;
    }
    known.io = io;
    known.bar = bar;
    known.index = bar;
    address = bar_address(io, bar);
    for (unsigned index = 0; address != 0 && index <= bar; index++) {
        if (describe_bar(io, index, &found) && found.host_address + found.translation == address) {
            known.index = index;
        }
    }
    return known.index;
}

uint64_t agpu_pci_io_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                              uint32_t size)
{
    EFI_PCI_IO *io = agpu_pci_io(function);
    EFI_PCI_IO_PROTOCOL_WIDTH width;
    uint64_t value = 0;

    (void)ctx;
    if (!width_of(size, &width) ||
        EFI_ERROR(io->Mem.Read(io, width, (UINT8)bar_index(io, bar), offset, 1, &value))) {
        return all_ones(size);
    }
    return value;
}

void agpu_pci_io_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                           uint32_t size, uint64_t value)
{
    EFI_PCI_IO *io = agpu_pci_io(function);
    EFI_PCI_IO_PROTOCOL_WIDTH width;

    (void)ctx;
    if (width_of(size, &width)) {
        io->Mem.Write(io, width, (UINT8)bar_index(io, bar), offset, 1, &value);
    }
}

bool agpu_pci_io_bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                         struct agpu_bar_mapping *out)
{
    EFI_PCI_IO *io = agpu_pci_io(function);
    struct bar_descriptor found;

    (void)ctx;
    if (!describe_bar(io, bar_index(io, bar), &found) ||
        (found.specific_flags & BAR_MEMORY_CACHED_MASK) != BAR_MEMORY_PREFETCH) {
        return false;
    }
    /* UEFI maps physical memory one to one. */
    *out = (struct agpu_bar_mapping){
        .cpu = (void *)(uintptr_t)found.host_address,
        .device_address = found.host_address + found.translation,
        .size = found.bytes,
        .write_combined = agpu_write_combining_set(io, bar, found.host_address, found.bytes),
    };
    return true;
}

void agpu_pci_io_close(void)
{
    agpu_write_combining_clear();
    function_count = 0;
    scanned = false;
}
