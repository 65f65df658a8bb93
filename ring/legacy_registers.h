/* legacy_registers.h: the registers that device models added to the legacy block (legacy.md 2, "model
 * extension"); the legacy header does not name them. Use them only when the features have VBLANK. */
#ifndef AGPU_RING_LEGACY_REGISTERS_H
#define AGPU_RING_LEGACY_REGISTERS_H

/* Mirror of the versioned feature register; pci/identify reads it. Bit of env and ring features. */
#define AGPU_LEGACY_REG_FEATURES_LO 0x0008u
#define AGPU_LEGACY_REG_FEATURES_HI 0x000Cu
#define AGPU_LEGACY_FEATURE_VBLANK  0x8u

/* Maskable causes. Acknowledging FENCE here does not clear INT_STATUS; the other way round it does. */
#define AGPU_LEGACY_REG_IRQ_STATUS 0x0300u
#define AGPU_LEGACY_REG_IRQ_ENABLE 0x0304u
#define AGPU_LEGACY_REG_IRQ_ACK    0x0308u
#define AGPU_LEGACY_IRQ_FENCE      0x1u
#define AGPU_LEGACY_IRQ_VBLANK     0x2u

/* Vblank counters; the 64-bit ones have their high half at + 4. */
#define AGPU_LEGACY_REG_VBLANK_SEQ_LO     0x0420u
#define AGPU_LEGACY_REG_VBLANK_TIME_NS_LO 0x0428u
#define AGPU_LEGACY_REG_VBLANK_PERIOD_NS  0x0430u

#endif
