/* registers.h: access to the BAR0 registers of an opened function: aligned 32-bit only (device.md 3). */
#ifndef AGPU_PCI_REGISTERS_H
#define AGPU_PCI_REGISTERS_H

#include "pci/function.h"
#include "pci/protocol/aerogpu_pci.h"

/* Reads or writes one register; reg is AEROGPU_MMIO_REG_*. A function that is gone reads all ones. */
uint32_t agpu_reg_read(const struct agpu_function *function, uint32_t reg);
void agpu_reg_write(const struct agpu_function *function, uint32_t reg, uint32_t value);

/* Reads a live 64-bit pair whose low half is at lo: HI, LO, HI until HI is stable (device.md 4.5), for at most a few
 * rounds. */
uint64_t agpu_reg_read64(const struct agpu_function *function, uint32_t lo);

/* Writes a 64-bit pair, LO then HI: the order that commits staged pairs (device.md 4.5). */
void agpu_reg_write64(const struct agpu_function *function, uint32_t lo, uint64_t value);

/* True when the function answers all ones instead of its magic: it was removed, or its decode is off. */
bool agpu_reg_gone(const struct agpu_function *function);

#endif
