/* aerogpu_pci.h: identity, configuration space and BAR0 registers of the versioned AeroGPU device, ABI 1.4
 * (device.md 1 to 5), for the driver side and the device model alike. */
#ifndef AGPU_PCI_PROTOCOL_AEROGPU_PCI_H
#define AGPU_PCI_PROTOCOL_AEROGPU_PCI_H

#include <stdint.h>

/* ABI version, major << 16 | minor: BAR0 register, ring header, tables, streams (device.md 4, commands.md
 * 13). */
#define AEROGPU_ABI_MAJOR       0x1u
#define AEROGPU_ABI_MINOR       0x4u
#define AEROGPU_ABI_VERSION_U32 0x00010004u

/* Configuration-space identity (device.md 1). The numbers are project-local, not assigned by the PCI-SIG. */
#define AEROGPU_PCI_VENDOR_ID                     0xA3A0u
#define AEROGPU_PCI_DEVICE_ID                     0x0001u
#define AEROGPU_PCI_SUBSYSTEM_VENDOR_ID           0xA3A0u
#define AEROGPU_PCI_SUBSYSTEM_ID                  0x0001u
#define AEROGPU_PCI_CLASS_CODE_DISPLAY_CONTROLLER 0x03u
#define AEROGPU_PCI_SUBCLASS_VGA_COMPATIBLE       0x00u
#define AEROGPU_PCI_PROG_IF                       0x00u
/* Vendor id of retired prototypes with any device id: a driver must not bind to them. */
#define AEROGPU_RETIRED_PCI_VENDOR_ID 0x1AE0u

/* BARs (device.md 1, 5): BAR0 holds the registers; BAR1 is the VRAM aperture, with its reference size and the offset of
 * the VBE framebuffer, after the VGA memory. */
#define AEROGPU_PCI_BAR0_INDEX                0x0u
#define AEROGPU_PCI_BAR0_SIZE_BYTES           0x00010000u
#define AEROGPU_PCI_BAR1_INDEX                0x1u
#define AEROGPU_PCI_BAR1_SIZE_BYTES           0x04000000u
#define AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES 0x00040000u

/* Offsets of the BAR0 registers (device.md 4): AEROGPU_MMIO_REG_NAME. */
enum aerogpu_mmio_reg {
#define AEROGPU_REGISTER(NAME, name, offset, ...) AEROGPU_MMIO_REG_##NAME = (offset),
#include "pci/protocol/registers.def"
};

#define AEROGPU_MMIO_MAGIC 0x55504741u /* bytes "AGPU" in memory order */

/* Feature bits (device.md 4.1): a register block may be used only when its bit is set. */
#define AEROGPU_FEATURE_FENCE_PAGE 0x01u /* FENCE_GPA registers, fence-page writes */
#define AEROGPU_FEATURE_CURSOR     0x02u /* cursor registers */
#define AEROGPU_FEATURE_SCANOUT    0x04u /* scanout registers */
#define AEROGPU_FEATURE_VBLANK     0x08u /* vblank IRQ and registers, vsync fence pacing */
#define AEROGPU_FEATURE_TRANSFER   0x10u /* copies and writeback, ABI 1.1 */
#define AEROGPU_FEATURE_ERROR_INFO 0x20u /* ERROR_* registers, ABI 1.3 */

/* RING_CONTROL (device.md 4.2). */
#define AEROGPU_RING_CONTROL_ENABLE 0x1u /* the only bit that reads back */
#define AEROGPU_RING_CONTROL_RESET  0x2u /* write-only strobe, handled before ENABLE */

/* Interrupt causes (device.md 4.4): IRQ_STATUS, IRQ_ENABLE, IRQ_ACK. */
#define AEROGPU_IRQ_FENCE          0x00000001u /* completed fence advanced; latches only while enabled */
#define AEROGPU_IRQ_SCANOUT_VBLANK 0x00000002u /* vblank edge; latches only while enabled */
#define AEROGPU_IRQ_ERROR          0x80000000u /* an error was recorded; latches always */

/* ERROR_CODE (device.md 4.6): AEROGPU_ERROR_NAME. */
enum aerogpu_error {
#define AEROGPU_ERROR(NAME, number) AEROGPU_ERROR_##NAME = (number),
#include "pci/protocol/errors.def"
};

/* Surface formats (commands.md 5, device.md 4.8): AEROGPU_FORMAT_NAME. */
enum aerogpu_format {
    AEROGPU_FORMAT_INVALID = 0,
#define AEROGPU_FORMAT(NAME, number, edge, bytes) AEROGPU_FORMAT_##NAME = (number),
#include "pci/protocol/formats.def"
};

#endif
