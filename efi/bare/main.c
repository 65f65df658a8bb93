/* main.c: makes the machine usable, step by step, and runs agpu.efi on it. */
#include "efi/bare/console.h"
#include "efi/bare/image.h"
#include "efi/bare/loader.h"
#include "efi/bare/memory.h"
#include "efi/bare/nic.h"
#include "efi/bare/paging.h"
#include "efi/bare/pci.h"
#include "efi/bare/processors.h"
#include "efi/bare/services.h"
#include "efi/bare/text_out.h"
#include "efi/bare/time.h"
#include "efi/bare/traps.h"

void agpu_bare_main(uint32_t multiboot, uint32_t loader);

void agpu_bare_main(uint32_t multiboot, uint32_t loader)
{
    agpu_bare_traps_open();
    const struct agpu_bare_info *info = agpu_bare_read_loader(multiboot, loader);
    agpu_bare_memory_open(info);
    agpu_bare_paging_open(info);
    if (info->rsdp != NULL) {
        agpu_bare_map_acpi(info->rsdp);
    } else {
        agpu_bare_print("no ACPI tables found; expected a root pointer from the loader or in the BIOS area");
    }
    EFI_SYSTEM_TABLE *system = agpu_bare_services_open(info);
    agpu_bare_apic_open();
    const uint32_t counts = agpu_bare_time_open();
    agpu_bare_pci_open(info);
    agpu_bare_nics_open();
    agpu_bare_text_out_open();
    agpu_bare_processors_open(info);
    agpu_bare_timer_open(counts);
    const EFI_STATUS status = agpu_bare_run_image(system, info);
    agpu_bare_stop("agpu.efi returned status 0x%jx; nothing is left to run", status);
}
