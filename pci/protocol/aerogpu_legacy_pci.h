/* aerogpu_legacy_pci.h: the retired "ARGP" device (legacy.md 1, 2): identity and registers. */
#ifndef AGPU_PCI_PROTOCOL_AEROGPU_LEGACY_PCI_H
#define AGPU_PCI_PROTOCOL_AEROGPU_LEGACY_PCI_H

/* Identity (legacy.md 1). */
#define AEROGPU_LEGACY_PCI_VENDOR_ID 0x1AEDu
#define AEROGPU_LEGACY_PCI_DEVICE_ID 0x0001u
#define AEROGPU_LEGACY_MMIO_MAGIC    0x41524750u /* "ARGP" read as a number, most significant byte first */
#define AEROGPU_LEGACY_MMIO_VERSION  0x00010000u

/* Offsets of the BAR0 registers (legacy.md 2): AEROGPU_LEGACY_REG_NAME. */
enum aerogpu_legacy_reg {
#define AEROGPU_REGISTER(NAME, name, offset, ...) AEROGPU_LEGACY_REG_##NAME = (offset),
#include "pci/protocol/legacy_registers.def"
};

#define AEROGPU_LEGACY_INT_FENCE        0x1u
#define AEROGPU_LEGACY_SCANOUT_X8R8G8B8 0x1u /* bytes B, G, R, X */
#define AEROGPU_LEGACY_FEATURE_VBLANK   0x8u
#define AEROGPU_LEGACY_IRQ_FENCE        0x1u
#define AEROGPU_LEGACY_IRQ_VBLANK       0x2u

#endif
