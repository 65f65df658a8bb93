/* write_combining.c: uses EFI_PCI_IO.SetBarAttributes, which few root bridges implement, or
 * EFI_CPU_ARCH_PROTOCOL.SetMemoryAttributes (Platform Initialization specification, volume 2, 12.3), which
 * sets memory type range registers. */
#include "efi/write_combining.h"

#define MEMORY_UNCACHED       UINT64_C(1) /* EFI_MEMORY_UC, EFI_MEMORY_WC */
#define MEMORY_WRITE_COMBINED UINT64_C(2)
#define BAR_WRITE_COMBINED    UINT64_C(0x80) /* EFI_PCI_IO_ATTRIBUTE_MEMORY_WRITE_COMBINE */

/* The member in use, after the unused ones. */
struct cpu_memory {
    void *others[7];
    EFI_STATUS(EFIAPI *set_memory_attributes)
    (struct cpu_memory *This, EFI_PHYSICAL_ADDRESS base, UINT64 bytes, UINT64 attributes);
};

static struct {
    uint64_t address, bytes; /* bytes 0: nothing was requested */
    bool combined;
    bool by_cpu; /* set by the processor's driver, which must also undo it */
} area;

static EFI_STATUS set_by_cpu(uint64_t attributes)
{
    void *found = NULL;

    if (EFI_ERROR(agpu_boot->LocateProtocol(&agpu_guid_cpu_arch, NULL, &found))) {
        return EFI_UNSUPPORTED;
    }
    struct cpu_memory *cpu = found;
    return cpu->set_memory_attributes(cpu, area.address, area.bytes, attributes);
}

bool agpu_write_combining_set(EFI_PCI_IO *io, unsigned bar, uint64_t address, uint64_t bytes)
{
    UINT64 offset = 0, length = bytes;

    if (area.bytes != 0 && area.address == address && area.bytes == bytes) {
        return area.combined;
    }
    agpu_write_combining_clear();
    area.address = address;
    area.bytes = bytes;
    area.combined = !EFI_ERROR(io->SetBarAttributes(io, BAR_WRITE_COMBINED, (UINT8)bar, &offset, &length));
    if (!area.combined) {
        area.combined = area.by_cpu = !EFI_ERROR(set_by_cpu(MEMORY_WRITE_COMBINED));
    }
    return area.combined;
}

void agpu_write_combining_clear(void)
{
    if (area.by_cpu) {
        agpu_write_combining_order(NULL);
        set_by_cpu(MEMORY_UNCACHED);
    }
    area.bytes = 0;
    area.combined = area.by_cpu = false;
}

void agpu_write_combining_order(void *ctx)
{
    (void)ctx;
    __asm__ volatile("mfence" ::: "memory");
}
