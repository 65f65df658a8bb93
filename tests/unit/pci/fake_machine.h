/* fake_machine.h: a machine made of arrays, for states that the device model does not have: dead, slow, wrong, with
 * translated addresses. */
#ifndef AGPU_TESTS_UNIT_PCI_FAKE_MACHINE_H
#define AGPU_TESTS_UNIT_PCI_FAKE_MACHINE_H

#include "pci/machine/platform.h"

#define FAKE_FUNCTIONS 8
#define FAKE_REGISTERS (0x600 / 4)
#define FAKE_DMA       16

struct fake_function {
    uint8_t config[256];
    uint32_t bar_mask[6]; /* writable address bits */
};

struct fake_pci_machine {
    struct agpu_platform platform;
    struct fake_function functions[FAKE_FUNCTIONS];
    unsigned function_count;
    uint32_t regs[FAKE_REGISTERS]; /* BAR0 of any function */
    bool gone;                     /* every access reads all ones */
    uint64_t now_ns;
    uint64_t step_ns; /* cost of one relax(), in ns */
    uint64_t relaxes;
    unsigned dma_live, dma_failing; /* this allocation from now on, and all later ones, fail; 0: none */
    struct agpu_dma dma[FAKE_DMA];
    uint16_t command_at_free;
    char log[400];
    /* Optional callbacks: after a register write, before a register read, and in each relax. */
    void (*on_write)(struct fake_pci_machine *machine, uint32_t reg, uint32_t value);
    void (*on_read)(struct fake_pci_machine *machine, uint32_t reg);
    void (*on_relax)(struct fake_pci_machine *machine);
    void (*on_config_write)(struct fake_pci_machine *machine, unsigned index, uint32_t offset,
                            uint32_t value);
    void *user;
};

/* Prepares a machine without functions, 1000 ns per relax. */
void fake_machine_init(struct fake_pci_machine *machine);
/* Adds a type 0 function at 00:<index + 2>.0 with these ids and this class. Returns its index. */
unsigned fake_machine_add(struct fake_pci_machine *machine, uint16_t vendor, uint16_t device,
                          uint8_t class_code);
/* Adds a versioned AeroGPU with assigned BARs and working registers. */
unsigned fake_machine_add_aerogpu(struct fake_pci_machine *machine);

uint32_t fake_config(const struct fake_pci_machine *machine, unsigned index, uint32_t offset, uint32_t size);
void fake_config_set(struct fake_pci_machine *machine, unsigned index, uint32_t offset, uint32_t size,
                     uint32_t value);
/* Returns the CPU pointer of a device address, or NULL if it is in no allocation. */
void *fake_translate(struct fake_pci_machine *machine, uint64_t device_address);
/* Accesses a 64-bit register pair. */
uint64_t fake_reg64(const struct fake_pci_machine *machine, uint32_t lo);
void fake_reg64_set(struct fake_pci_machine *machine, uint32_t lo, uint64_t value);

#endif
