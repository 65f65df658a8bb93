/* main.c: a driver that switches the machine's VT-d on, which EDK II for virtual machines leaves off, and maps for each PCI
 * function what is mapped for it and no more. It comes in the ROM of a PCI function, so that any image on any medium is started
 * behind it; firmware runs it before any driver of a device. */
#include <stdbool.h>

#include "efi/machine.h"
#include "tests/qemu/iommu/addresses.h"
#include "tests/qemu/iommu/protocol.h"
#include "tests/qemu/iommu/registers.h"
#include "tests/qemu/iommu/tables.h"

/* As `agpu run` puts them into the machine. */
#define DEBUGCON   0x402
#define DEBUG_EXIT 0x501

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static bool open_done;

/* Whoever asked for this driver is not to take a run without it for one with it: QEMU ends, and its log says why. */
static void give_up(const char *why, const char *more)
{
    const char *parts[] = {"iommu: ", why, more, "\n"};

    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (const char *at = parts[i]; *at != '\0'; at++) {
            agpu_out8(DEBUGCON, (uint8_t)*at);
        }
    }
    agpu_out8(DEBUG_EXIT, 1);
}

/* EDK II's PCI bus driver looks for the protocol when it is started, which it was before this driver was loaded: a second start
 * finds nothing new on the bus, and the protocol. */
static void tell_bus_driver(void)
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

static void open_iommu(void)
{
    const char *unfit;
    uint64_t root;

    if (open_done || !agpu_vtd_find()) {
        return;
    }
    open_done = true;
    unfit = agpu_vtd_unfit();
    if (unfit != NULL) {
        give_up("this VT-d lacks ", unfit);
        return;
    }
    root =
        agpu_iommu_addresses_open() ? agpu_iommu_tables_open(agpu_vtd_levels(), agpu_vtd_is_incoherent()) : 0;
    if (root == 0) {
        give_up("no memory for tables, or no room for device addresses", "");
    } else if (!agpu_vtd_enable(root)) {
        give_up("VT-d does not follow", "");
    } else if (EFI_ERROR(agpu_iommu_protocol_install())) {
        give_up("the firmware refuses the protocol", "");
    } else {
        tell_bus_driver();
    }
}

/* A table of ACPI has been added. */
static void EFIAPI on_acpi_table(EFI_EVENT event, void *ctx)
{
    (void)event;
    (void)ctx;
    open_iommu();
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    static EFI_GUID acpi = ACPI_20_TABLE_GUID;
    EFI_EVENT event;

    agpu_system = system;
    agpu_boot = system->BootServices;
    agpu_image = image;
    open_iommu();
    if (open_done) {
        return EFI_SUCCESS;
    }
    return agpu_boot->CreateEventEx(EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_acpi_table, NULL, &acpi, &event);
}
