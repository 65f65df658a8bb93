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
/* Vendor of retired prototypes, whatever their device id: a driver must not bind to them. */
#define AEROGPU_RETIRED_PCI_VENDOR_ID 0x1AE0u

/* BARs (device.md 1, 5): BAR0 registers; BAR1 VRAM aperture, reference size, VBE framebuffer behind VGA
 * storage. */
#define AEROGPU_PCI_BAR0_INDEX                0x0u
#define AEROGPU_PCI_BAR0_SIZE_BYTES           0x00010000u
#define AEROGPU_PCI_BAR1_INDEX                0x1u
#define AEROGPU_PCI_BAR1_SIZE_BYTES           0x04000000u
#define AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES 0x00040000u

/* Identification registers, RO (device.md 4). */
#define AEROGPU_MMIO_REG_MAGIC       0x0000u /* AEROGPU_MMIO_MAGIC */
#define AEROGPU_MMIO_REG_ABI_VERSION 0x0004u /* major << 16 | minor */
#define AEROGPU_MMIO_REG_FEATURES_LO 0x0008u /* AEROGPU_FEATURE_* */
#define AEROGPU_MMIO_REG_FEATURES_HI 0x000Cu /* 0 so far */

#define AEROGPU_MMIO_MAGIC 0x55504741u /* bytes "AGPU" in memory order */

/* Feature bits (device.md 4.1): a register block may be used only when its bit is set. */
#define AEROGPU_FEATURE_FENCE_PAGE 0x01u /* FENCE_GPA registers, fence-page writes */
#define AEROGPU_FEATURE_CURSOR     0x02u /* cursor registers */
#define AEROGPU_FEATURE_SCANOUT    0x04u /* scanout registers */
#define AEROGPU_FEATURE_VBLANK     0x08u /* vblank IRQ and registers, vsync fence pacing */
#define AEROGPU_FEATURE_TRANSFER   0x10u /* copies and writeback, ABI 1.1 */
#define AEROGPU_FEATURE_ERROR_INFO 0x20u /* ERROR_* registers, ABI 1.3 */

/* Ring registers, RW (device.md 4, 4.2, 4.5): each address half takes effect at once. */
#define AEROGPU_MMIO_REG_RING_GPA_LO     0x0100u /* guest physical address of the ring header */
#define AEROGPU_MMIO_REG_RING_GPA_HI     0x0104u
#define AEROGPU_MMIO_REG_RING_SIZE_BYTES 0x0108u /* bytes mapped at RING_GPA */
#define AEROGPU_MMIO_REG_RING_CONTROL    0x010Cu /* AEROGPU_RING_CONTROL_* */

#define AEROGPU_RING_CONTROL_ENABLE 0x1u /* the only bit that reads back */
#define AEROGPU_RING_CONTROL_RESET  0x2u /* write-only strobe, handled before ENABLE */

/* Fence registers (device.md 4, ring.md 4, 5). */
#define AEROGPU_MMIO_REG_FENCE_GPA_LO       0x0120u /* RW: address of the fence page, 0 = none */
#define AEROGPU_MMIO_REG_FENCE_GPA_HI       0x0124u
#define AEROGPU_MMIO_REG_COMPLETED_FENCE_LO 0x0130u /* RO, live: read HI, LO, HI */
#define AEROGPU_MMIO_REG_COMPLETED_FENCE_HI 0x0134u

/* Doorbell, WO (device.md 4.3): any value makes the device process the ring. */
#define AEROGPU_MMIO_REG_DOORBELL 0x0200u

/* Interrupt registers (device.md 4.4). */
#define AEROGPU_MMIO_REG_IRQ_STATUS 0x0300u /* RO: pending causes */
#define AEROGPU_MMIO_REG_IRQ_ENABLE 0x0304u /* RW: mask, all bits stored */
#define AEROGPU_MMIO_REG_IRQ_ACK    0x0308u /* WO: write 1 to clear */

#define AEROGPU_IRQ_FENCE          0x00000001u /* completed fence advanced; latches only while enabled */
#define AEROGPU_IRQ_SCANOUT_VBLANK 0x00000002u /* vblank edge; latches only while enabled */
#define AEROGPU_IRQ_ERROR          0x80000000u /* an error was recorded; latches always */

/* Error registers, RO (device.md 4.6). */
#define AEROGPU_MMIO_REG_ERROR_CODE     0x0310u /* AEROGPU_ERROR_* of the last error */
#define AEROGPU_MMIO_REG_ERROR_FENCE_LO 0x0314u /* signal_fence of the failing submission, 0 = none */
#define AEROGPU_MMIO_REG_ERROR_FENCE_HI 0x0318u
#define AEROGPU_MMIO_REG_ERROR_COUNT    0x031Cu /* saturates at FFFFFFFF */

#define AEROGPU_ERROR_NONE       0x0000u
#define AEROGPU_ERROR_CMD_DECODE 0x0001u /* malformed ring, descriptor, table, stream or packet */
#define AEROGPU_ERROR_OOB        0x0002u /* address overflow, size larger than its container */
#define AEROGPU_ERROR_BACKEND    0x0003u /* the device itself failed */
#define AEROGPU_ERROR_INTERNAL   0xFFFFu /* unclassified; unknown codes are treated as this */

/* Scanout 0, RW (device.md 4.5, 4.8). FB_GPA_LO is staged, FB_GPA_HI commits both halves. */
#define AEROGPU_MMIO_REG_SCANOUT0_ENABLE      0x0400u /* any non-zero write reads back as 1 */
#define AEROGPU_MMIO_REG_SCANOUT0_WIDTH       0x0404u /* pixels */
#define AEROGPU_MMIO_REG_SCANOUT0_HEIGHT      0x0408u /* lines */
#define AEROGPU_MMIO_REG_SCANOUT0_FORMAT      0x040Cu /* AEROGPU_FORMAT_* */
#define AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES 0x0410u
#define AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO   0x0414u
#define AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI   0x0418u

/* Vblank counters, RO (device.md 4.7). */
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO     0x0420u /* edges so far */
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_HI     0x0424u
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO 0x0428u /* scheduled time of the last edge */
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_HI 0x042Cu
#define AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS  0x0430u /* 0 without the VBLANK feature */

/* Cursor, RW (device.md 4.5, 4.9). FB_GPA is staged as for the scanout. */
#define AEROGPU_MMIO_REG_CURSOR_ENABLE      0x0500u /* any non-zero write reads back as 1 */
#define AEROGPU_MMIO_REG_CURSOR_X           0x0504u /* signed position of the hot spot */
#define AEROGPU_MMIO_REG_CURSOR_Y           0x0508u
#define AEROGPU_MMIO_REG_CURSOR_HOT_X       0x050Cu
#define AEROGPU_MMIO_REG_CURSOR_HOT_Y       0x0510u
#define AEROGPU_MMIO_REG_CURSOR_WIDTH       0x0514u
#define AEROGPU_MMIO_REG_CURSOR_HEIGHT      0x0518u
#define AEROGPU_MMIO_REG_CURSOR_FORMAT      0x051Cu /* AEROGPU_FORMAT_*, 32 bits per pixel */
#define AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO   0x0520u
#define AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI   0x0524u
#define AEROGPU_MMIO_REG_CURSOR_PITCH_BYTES 0x0528u

/* Surface formats (commands.md 5, device.md 4.8); every other value is invalid. Colour, 32 and 16 bits: */
#define AEROGPU_FORMAT_INVALID             0x00u
#define AEROGPU_FORMAT_B8G8R8A8_UNORM      0x01u
#define AEROGPU_FORMAT_B8G8R8X8_UNORM      0x02u /* X8: opaque, stored X is ignored */
#define AEROGPU_FORMAT_R8G8B8A8_UNORM      0x03u
#define AEROGPU_FORMAT_R8G8B8X8_UNORM      0x04u
#define AEROGPU_FORMAT_B5G6R5_UNORM        0x05u /* B in bits 0-4, G 5-10, R 11-15 */
#define AEROGPU_FORMAT_B5G5R5A1_UNORM      0x06u /* B in bits 0-4, G 5-9, R 10-14, A 15 */
#define AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB 0x07u
#define AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB 0x08u
#define AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB 0x09u
#define AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB 0x0Au
/* Depth and stencil: */
#define AEROGPU_FORMAT_D24_UNORM_S8_UINT 0x20u /* depth in bits 0-23, stencil 24-31 */
#define AEROGPU_FORMAT_D32_FLOAT         0x21u
/* Block compressed, 4x4 texels a block: */
#define AEROGPU_FORMAT_BC1_RGBA_UNORM      0x40u /* 8 bytes a block, the others 16 */
#define AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB 0x41u
#define AEROGPU_FORMAT_BC2_RGBA_UNORM      0x42u
#define AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB 0x43u
#define AEROGPU_FORMAT_BC3_RGBA_UNORM      0x44u
#define AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB 0x45u
#define AEROGPU_FORMAT_BC7_RGBA_UNORM      0x46u
#define AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB 0x47u

#endif
