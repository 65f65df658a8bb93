/* requester.c: up the tree of buses, by what firmware has written into the bridges. */
#include "tests/qemu/iommu/requester.h"

#include <stddef.h>

#include "efi/machine.h"

#define HEADER_TYPE     0x0Eu
#define HEADER_BRIDGE   0x01u
#define SECONDARY_BUS   0x19u
#define STATUS          0x06u
#define STATUS_HAS_CAPS 0x10u
#define CAPABILITIES    0x34u
#define CAP_EXPRESS     0x10u
#define EXPRESS_TYPE    0x02u /* behind the capability; bits 4 to 7 */
#define EXPRESS_TO_PCI  0x7u
#define CAPS_MAX        48u
#define BUSES_MAX       256u

static uint8_t config_byte(EFI_PCI_IO *io, uint32_t offset)
{
    uint8_t value = 0xFF;

    io->Pci.Read(io, EfiPciIoWidthUint8, offset, 1, &value);
    return value;
}

/* The kind of an Express port; -1: the function is conventional. */
static int express_type(EFI_PCI_IO *io)
{
    uint8_t at = (config_byte(io, STATUS) & STATUS_HAS_CAPS) != 0 ? config_byte(io, CAPABILITIES) : 0;

    for (unsigned i = 0; i < CAPS_MAX && at >= 0x40; i++) {
        if (config_byte(io, at) == CAP_EXPRESS) {
            return config_byte(io, at + EXPRESS_TYPE) >> 4;
        }
        at = config_byte(io, at + 1u);
    }
    return -1;
}

static bool locate_function(EFI_PCI_IO *io, uint16_t *location)
{
    UINTN segment, bus, slot, function;

    if (EFI_ERROR(io->GetLocation(io, &segment, &bus, &slot, &function)) || segment != 0) {
        return false;
    }
    *location = (uint16_t)(bus << 8 | slot << 3 | function);
    return true;
}

/* The bridge behind which the bus is; NULL: it is a root bus. */
static EFI_PCI_IO *bridge_of(uint8_t bus)
{
    UINTN count;
    EFI_HANDLE *handles = agpu_handles(&agpu_guid_pci_io, &count);
    EFI_PCI_IO *found = NULL;
    uint16_t location;

    for (UINTN i = 0; i < count && found == NULL; i++) {
        EFI_PCI_IO *io = agpu_protocol(handles[i], &agpu_guid_pci_io);

        if (io != NULL && locate_function(io, &location) &&
            (config_byte(io, HEADER_TYPE) & 0x7Fu) == HEADER_BRIDGE &&
            config_byte(io, SECONDARY_BUS) == bus) {
            found = io;
        }
    }
    if (handles != NULL) {
        agpu_boot->FreePool(handles);
    }
    return found;
}

bool agpu_iommu_requester(EFI_PCI_IO *io, uint16_t *requester)
{
    uint16_t location;

    if (!locate_function(io, requester)) {
        return false;
    }
    location = *requester;
    for (unsigned i = 0; i < BUSES_MAX; i++) {
        const uint8_t bus = (uint8_t)(location >> 8);
        EFI_PCI_IO *bridge = bridge_of(bus);

        if (bridge == NULL || !locate_function(bridge, &location)) {
            break;
        }
        const int type = express_type(bridge);
        if (type == EXPRESS_TO_PCI) {
            *requester = (uint16_t)(bus << 8);
        } else if (type < 0) {
            *requester = location;
        }
    }
    return true;
}
