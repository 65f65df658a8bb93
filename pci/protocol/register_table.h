/* register_table.h: the registers of both generations as data, from registers.def and legacy_registers.def, for driver,
 * cases and host (device.md 4, legacy.md 2). The device model expands its own table. */
#ifndef AGPU_PCI_PROTOCOL_REGISTER_TABLE_H
#define AGPU_PCI_PROTOCOL_REGISTER_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"

enum aerogpu_register_access {
    AEROGPU_REGISTER_RO,
    AEROGPU_REGISTER_RW,
    AEROGPU_REGISTER_WO, /* reads 0 */
};

enum aerogpu_register_kind {
    AEROGPU_REGISTER_CONSTANT, /* read-only, never changes */
    AEROGPU_REGISTER_LIVE,     /* read-only, follows the device */
    AEROGPU_REGISTER_STORAGE,  /* all 32 bits */
    AEROGPU_REGISTER_STAGED, /* low half of an address: reads back at once, takes effect with the high half */
    AEROGPU_REGISTER_FORMAT, /* a format that the device supports */
    AEROGPU_REGISTER_SWITCH, /* 0 or 1 */
    AEROGPU_REGISTER_CONTROL, /* bit 0; bit 1 is a strobe */
    AEROGPU_REGISTER_ORDER,   /* write-only */
};

struct aerogpu_register {
    const char *name; /* as in the specification */
    uint32_t offset;
    uint8_t access; /* enum aerogpu_register_access */
    uint8_t kind;   /* enum aerogpu_register_kind */
    uint32_t reset;
    uint64_t feature;
    const char *section;
};

/* Expands a row to an initializer of struct aerogpu_register. */
#define AEROGPU_REGISTER_RECORD(NAME, lower_name, at, ACCESS, KIND, value, bits, where)                      \
    {#NAME, at, AEROGPU_REGISTER_##ACCESS, AEROGPU_REGISTER_##KIND, value, bits, where},

/* Returns the registers of a generation in order of their offsets, and their number in *count. */
static inline const struct aerogpu_register *aerogpu_registers(bool legacy, size_t *count)
{
    static const struct aerogpu_register versioned[] = {
#define AEROGPU_REGISTER AEROGPU_REGISTER_RECORD
#include "pci/protocol/registers.def"
    };
    static const struct aerogpu_register retired[] = {
#define AEROGPU_REGISTER AEROGPU_REGISTER_RECORD
#include "pci/protocol/legacy_registers.def"
    };

    *count = legacy ? sizeof retired / sizeof retired[0] : sizeof versioned / sizeof versioned[0];
    return legacy ? retired : versioned;
}

/* Returns the register at this offset, or NULL. */
static inline const struct aerogpu_register *aerogpu_register_at(bool legacy, uint64_t offset)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(legacy, &count);

    for (size_t i = 0; i < count; i++) {
        if (registers[i].offset == offset) {
            return &registers[i];
        }
    }
    return NULL;
}

#endif
