/* function.h: one opened PCI function: its command register and BARs, and restoring both. */
#ifndef AGPU_PCI_FUNCTION_H
#define AGPU_PCI_FUNCTION_H

#include "pci/config.h"
#include "pci/machine/platform.h"
#include "pci/scan.h"

/* A memory BAR as found by probing. size 0: not implemented, or an I/O BAR, or the upper half of a 64-bit
 * one. */
struct agpu_bar_info {
    uint64_t size;    /* bytes */
    uint64_t address; /* as assigned by firmware */
    bool prefetchable;
    bool is_64bit;
};

struct agpu_function {
    const struct agpu_platform *platform;
    struct agpu_pci_found found;
    struct agpu_bar_info bars[AGPU_PCI_BAR_COUNT];
    uint32_t saved_bars[AGPU_PCI_BAR_COUNT]; /* raw, for agpu_function_restore() */
    uint16_t saved_command;                  /* for agpu_function_close() */
};

/* Index of the VRAM aperture: BAR1, or BAR2 when BAR0 has 64 bits (device.md 1). */
static inline unsigned agpu_aperture_index(const struct agpu_function *function)
{
    return function->bars[0].is_64bit ? 2 : 1;
}

/* Opens a found function: saves the command register, sizes the BARs by probing with decode off (device.md 1), then
 * enables memory decode and bus mastering (device.md 6.1). platform must outlive function. AGPU_ERR_NO_DEVICE when the
 * function answers all ones or BAR0 is not a memory BAR of at least 64 KiB; AGPU_ERR_INVALID for an identity that must
 * not be bound (retired, none). On error the function is as it was, and the reason is appended to why, which may be
 * NULL. */
enum agpu_status agpu_function_open(struct agpu_function *function, const struct agpu_platform *platform,
                                    const struct agpu_pci_found *found, struct agpu_text *why);

/* Restores the command register to its value before open. */
void agpu_function_close(struct agpu_function *function);

/* Configuration space of the function; offsets are AGPU_PCI_*. */
uint32_t agpu_config_read(const struct agpu_function *function, uint32_t offset, uint32_t size);
void agpu_config_write(const struct agpu_function *function, uint32_t offset, uint32_t size, uint32_t value);

/* Reads and writes the command register. */
uint16_t agpu_command_read(const struct agpu_function *function);
void agpu_command_write(const struct agpu_function *function, uint16_t command);

/* Restores BARs and command register to what open left, for example after a function reset. */
void agpu_function_restore(const struct agpu_function *function);

/* Writes the command register only: memory decode and bus mastering on, INTx not disabled. */
void agpu_function_enable(const struct agpu_function *function);

#endif
