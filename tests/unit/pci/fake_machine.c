/* fake_machine.c: a machine made of arrays (fake_machine.h). */
#include "tests/unit/pci/fake_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/config.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/host_platform/base_platform.h"

/* Device addresses differ from CPU addresses by this, as with an IOMMU. */
#define TRANSLATION UINT64_C(0x7000000000)

uint32_t fake_config(const struct fake_pci_machine *machine, unsigned index, uint32_t offset, uint32_t size)
{
    uint32_t value = 0;

    memcpy(&value, machine->functions[index].config + offset, size);
    return value;
}

void fake_config_set(struct fake_pci_machine *machine, unsigned index, uint32_t offset, uint32_t size,
                     uint32_t value)
{
    memcpy(machine->functions[index].config + offset, &value, size);
}

static bool pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    const struct fake_pci_machine *machine = ctx;

    if (index >= machine->function_count) {
        return false;
    }
    *out = (struct agpu_pci_ref){.handle = (void *)(uintptr_t)index,
                                 .location = {.device = (uint8_t)(index + 2)}};
    return true;
}

static unsigned index_of(const struct agpu_pci_ref *function)
{
    return (unsigned)(uintptr_t)function->handle;
}

/* Refuses accesses that PCI does not have. */
static void check_config_access(uint32_t offset, uint32_t size)
{
    if ((size != 1 && size != 2 && size != 4) || offset % size != 0 || offset + size > 256) {
        fprintf(stderr, "access of %u bytes to configuration space at 0x%x\n", size, offset);
        abort();
    }
}

static uint32_t config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size)
{
    const struct fake_pci_machine *machine = ctx;

    check_config_access(offset, size);
    if (machine->gone) {
        return size == 4 ? UINT32_MAX : (1u << (8 * size)) - 1;
    }
    return fake_config(machine, index_of(function), offset, size);
}

static void config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                         uint32_t value)
{
    struct fake_pci_machine *machine = ctx;
    unsigned index = index_of(function);

    check_config_access(offset, size);
    if (machine->on_config_write != NULL) {
        machine->on_config_write(machine, index, offset, value);
    }
    if (offset >= 0x10 && offset < 0x28) {
        unsigned bar = (offset - 0x10) / 4;
        uint32_t mask = machine->functions[index].bar_mask[bar];

        value = (value & mask) | (fake_config(machine, index, offset, 4) & ~mask & 0xF);
    }
    fake_config_set(machine, index, offset, size, value);
}

static bool decodes(const struct fake_pci_machine *machine, const struct agpu_pci_ref *function)
{
    return !machine->gone &&
           (fake_config(machine, index_of(function), AGPU_PCI_COMMAND, 2) & AGPU_PCI_COMMAND_MEMORY) != 0;
}

static uint64_t bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                         uint32_t size)
{
    struct fake_pci_machine *machine = ctx;

    if (!decodes(machine, function) || bar != 0 || size != 4) {
        return UINT64_MAX;
    }
    if (machine->on_read != NULL) {
        machine->on_read(machine, (uint32_t)offset);
    }
    return machine->gone ? UINT32_MAX : machine->regs[offset / 4];
}

static void bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                      uint32_t size, uint64_t value)
{
    struct fake_pci_machine *machine = ctx;

    if (!decodes(machine, function) || bar != 0 || size != 4) {
        return;
    }
    machine->regs[offset / 4] = (uint32_t)value;
    if (machine->on_write != NULL) {
        machine->on_write(machine, (uint32_t)offset, (uint32_t)value);
    }
}

static enum agpu_status dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                  struct agpu_dma *out)
{
    struct fake_pci_machine *machine = ctx;
    size_t rounded = (size + 4095) & ~(size_t)4095;

    (void)function;
    if (machine->dma_failing == 1 || machine->dma_live == FAKE_DMA) {
        return AGPU_ERR_NO_MEMORY;
    }
    if (machine->dma_failing > 1) {
        machine->dma_failing--;
    }
    for (unsigned i = 0; i < FAKE_DMA; i++) {
        if (machine->dma[i].cpu != NULL) {
            continue;
        }
        out->cpu = aligned_alloc(4096, rounded);
        memset(out->cpu, 0, rounded);
        out->size = rounded;
        out->device_address = (uint64_t)(uintptr_t)out->cpu + TRANSLATION;
        machine->dma[i] = *out;
        machine->dma_live++;
        return AGPU_OK;
    }
    return AGPU_ERR_NO_MEMORY;
}

static void dma_free(void *ctx, struct agpu_dma *dma)
{
    struct fake_pci_machine *machine = ctx;

    for (unsigned i = 0; i < FAKE_DMA; i++) {
        if (machine->dma[i].cpu != dma->cpu) {
            continue;
        }
        free(dma->cpu);
        machine->dma[i].cpu = NULL;
        machine->dma_live--;
        machine->command_at_free = (uint16_t)fake_config(machine, 0, AGPU_PCI_COMMAND, 2);
        return;
    }
    abort(); /* freed twice, or not allocated */
}

static uint64_t now_ns(void *ctx)
{
    return ((struct fake_pci_machine *)ctx)->now_ns;
}

static void relax(void *ctx, enum agpu_relax_reason reason)
{
    struct fake_pci_machine *machine = ctx;

    (void)reason;
    machine->relaxes++;
    machine->now_ns += machine->step_ns;
    if (machine->on_relax != NULL) {
        machine->on_relax(machine);
    }
}

static void log_text(void *ctx, enum agpu_log_level level, const char *text)
{
    struct fake_pci_machine *machine = ctx;

    (void)level;
    snprintf(machine->log, sizeof machine->log, "%s", text);
}

void fake_machine_init(struct fake_pci_machine *machine)
{
    struct agpu_platform *platform = &machine->platform;

    *machine = (struct fake_pci_machine){.platform = agpu_base_platform, .step_ns = 1000};
    platform->ctx = machine;
    platform->pci_function = pci_function;
    platform->config_read = config_read;
    platform->config_write = config_write;
    platform->bar_read = bar_read;
    platform->bar_write = bar_write;
    platform->dma_alloc = dma_alloc;
    platform->dma_free = dma_free;
    platform->now_ns = now_ns;
    platform->relax = relax;
    platform->log = log_text;
}

unsigned fake_machine_add(struct fake_pci_machine *machine, uint16_t vendor, uint16_t device,
                          uint8_t class_code)
{
    unsigned index = machine->function_count++;

    fake_config_set(machine, index, AGPU_PCI_VENDOR_ID, 2, vendor);
    fake_config_set(machine, index, AGPU_PCI_DEVICE_ID, 2, device);
    fake_config_set(machine, index, AGPU_PCI_CLASS, 1, class_code);
    return index;
}

unsigned fake_machine_add_aerogpu(struct fake_pci_machine *machine)
{
    unsigned index = fake_machine_add(machine, AEROGPU_PCI_VENDOR_ID, AEROGPU_PCI_DEVICE_ID, 3);

    machine->functions[index].bar_mask[0] = 0xFFFF0000;
    machine->functions[index].bar_mask[1] = 0xFC000000;
    fake_config_set(machine, index, AGPU_PCI_BAR(0), 4, 0xFE000000);
    fake_config_set(machine, index, AGPU_PCI_BAR(1), 4, 0xE0000008);
    machine->regs[AEROGPU_MMIO_REG_MAGIC / 4] = AEROGPU_MMIO_MAGIC;
    machine->regs[AEROGPU_MMIO_REG_ABI_VERSION / 4] = AEROGPU_ABI_VERSION_U32;
    machine->regs[AEROGPU_MMIO_REG_FEATURES_LO / 4] = 0x3F;
    return index;
}

void *fake_translate(struct fake_pci_machine *machine, uint64_t device_address)
{
    for (unsigned i = 0; i < FAKE_DMA; i++) {
        const struct agpu_dma *dma = &machine->dma[i];

        if (dma->cpu != NULL && device_address >= dma->device_address &&
            device_address < dma->device_address + dma->size) {
            return (uint8_t *)dma->cpu + (device_address - dma->device_address);
        }
    }
    return NULL;
}

uint64_t fake_reg64(const struct fake_pci_machine *machine, uint32_t lo)
{
    return (uint64_t)machine->regs[lo / 4 + 1] << 32 | machine->regs[lo / 4];
}

void fake_reg64_set(struct fake_pci_machine *machine, uint32_t lo, uint64_t value)
{
    machine->regs[lo / 4] = (uint32_t)value;
    machine->regs[lo / 4 + 1] = (uint32_t)(value >> 32);
}
