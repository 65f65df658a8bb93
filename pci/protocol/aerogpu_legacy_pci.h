/* aerogpu_legacy_pci.h: the retired "ARGP" device (legacy.md 1, 2): identity and registers. */
#ifndef AGPU_PCI_PROTOCOL_AEROGPU_LEGACY_PCI_H
#define AGPU_PCI_PROTOCOL_AEROGPU_LEGACY_PCI_H

/* Identity (legacy.md 1). */
#define AEROGPU_LEGACY_PCI_VENDOR_ID 0x1AEDu
#define AEROGPU_LEGACY_PCI_DEVICE_ID 0x0001u
#define AEROGPU_LEGACY_MMIO_MAGIC    0x41524750u /* "ARGP" read as a number, most significant byte first */
#define AEROGPU_LEGACY_MMIO_VERSION  0x00010000u

/* BAR0 registers (legacy.md 2): identification, ring, interrupt and fence. */
#define AEROGPU_LEGACY_REG_MAGIC            0x0000u
#define AEROGPU_LEGACY_REG_VERSION          0x0004u
#define AEROGPU_LEGACY_REG_RING_BASE_LO     0x0010u /* address of entry 0, there is no ring header */
#define AEROGPU_LEGACY_REG_RING_BASE_HI     0x0014u
#define AEROGPU_LEGACY_REG_RING_ENTRY_COUNT 0x0018u /* a write also sets head = tail = 0 */
#define AEROGPU_LEGACY_REG_RING_HEAD        0x001Cu /* next entry to consume, in [0, count) */
#define AEROGPU_LEGACY_REG_RING_TAIL        0x0020u /* next free entry, in [0, count) */
#define AEROGPU_LEGACY_REG_RING_DOORBELL    0x0024u
#define AEROGPU_LEGACY_REG_INT_STATUS       0x0030u /* AEROGPU_LEGACY_INT_*, unmasked */
#define AEROGPU_LEGACY_REG_INT_ACK          0x0034u /* write 1 to clear */
#define AEROGPU_LEGACY_REG_FENCE_COMPLETED  0x0038u

/* Scanout registers. FB_LO is staged, FB_HI commits both halves. */
#define AEROGPU_LEGACY_REG_SCANOUT_FB_LO  0x0100u
#define AEROGPU_LEGACY_REG_SCANOUT_FB_HI  0x0104u
#define AEROGPU_LEGACY_REG_SCANOUT_PITCH  0x0108u /* bytes a row */
#define AEROGPU_LEGACY_REG_SCANOUT_WIDTH  0x010Cu
#define AEROGPU_LEGACY_REG_SCANOUT_HEIGHT 0x0110u
#define AEROGPU_LEGACY_REG_SCANOUT_FORMAT 0x0114u /* AEROGPU_LEGACY_SCANOUT_X8R8G8B8, else invalid */
#define AEROGPU_LEGACY_REG_SCANOUT_ENABLE 0x0118u

#define AEROGPU_LEGACY_INT_FENCE        0x1u
#define AEROGPU_LEGACY_SCANOUT_X8R8G8B8 0x1u /* bytes B, G, R, X */

/* What device models added to the block (legacy.md 2, "model extension"): use it only when the features have
 * VBLANK. The features mirror the versioned register of the same name. */
#define AEROGPU_LEGACY_REG_FEATURES_LO 0x0008u
#define AEROGPU_LEGACY_REG_FEATURES_HI 0x000Cu
#define AEROGPU_LEGACY_FEATURE_VBLANK  0x8u

/* Maskable causes. Acknowledging FENCE here does not clear INT_STATUS; the other way round it does. */
#define AEROGPU_LEGACY_REG_IRQ_STATUS 0x0300u
#define AEROGPU_LEGACY_REG_IRQ_ENABLE 0x0304u
#define AEROGPU_LEGACY_REG_IRQ_ACK    0x0308u
#define AEROGPU_LEGACY_IRQ_FENCE      0x1u
#define AEROGPU_LEGACY_IRQ_VBLANK     0x2u

#define AEROGPU_LEGACY_REG_VBLANK_SEQ_LO     0x0420u /* edges so far */
#define AEROGPU_LEGACY_REG_VBLANK_SEQ_HI     0x0424u
#define AEROGPU_LEGACY_REG_VBLANK_TIME_NS_LO 0x0428u /* scheduled time of the last edge */
#define AEROGPU_LEGACY_REG_VBLANK_TIME_NS_HI 0x042Cu
#define AEROGPU_LEGACY_REG_VBLANK_PERIOD_NS  0x0430u

#endif
