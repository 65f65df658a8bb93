/* registers.h: registers of BAR0 by name, from the tables of pci/protocol (device.md 4, legacy.md 2). */
#ifndef AGPU_HOST_CTL_REGISTERS_H
#define AGPU_HOST_CTL_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* A register, or a 64-bit pair under its name without _LO. */
struct agpu_ctl_register {
    uint32_t offset;
    unsigned width; /* bytes: 4 or 8 */
};

/* Finds a register by name, or by its offset as a number. Returns false when this generation has no such name. */
bool agpu_ctl_register_find(const char *word, bool legacy, struct agpu_ctl_register *out);

/* Returns the name of the register at offset; NULL when it has none. */
const char *agpu_ctl_register_name(uint32_t offset, bool legacy);

/* Calls each with every name, in order of offsets; the name of a pair follows those of its halves. */
void agpu_ctl_register_list(bool legacy,
                            void (*each)(void *ctx, const char *name, uint32_t offset, unsigned width),
                            void *ctx);

#endif
