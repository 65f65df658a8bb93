/* device.h: the AeroGPU device model as a library: PCI configuration space, BARs, time and DMA in, interrupt
 * line and guest-memory effects out. It knows no transport: the vfio-user front end and the in-process host
 * platform both drive it through this header, and neither sees inside. */
#ifndef VGPU_TESTS_DEVICE_DEVICE_H
#define VGPU_TESTS_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/bus/machine.h"

struct vgpu_renderer;

/* One device. Not thread safe: every call, and every callback it makes, happens on the caller's thread. */
struct vgpu_device;

/* Generation of the device (device.md 1). */
enum vgpu_device_abi {
    VGPU_ABI_VERSIONED,
    VGPU_ABI_LEGACY,
    /* Registers of one generation behind the PCI identity of the other (legacy.md 1). */
    VGPU_ABI_LEGACY_AS_VERSIONED,
    VGPU_ABI_VERSIONED_AS_LEGACY,
};

/* Whose registers it has. */
static inline bool vgpu_abi_is_legacy(enum vgpu_device_abi abi)
{
    return abi == VGPU_ABI_LEGACY || abi == VGPU_ABI_LEGACY_AS_VERSIONED;
}

struct vgpu_device_config {
    enum vgpu_device_abi abi;
    uint64_t vram_bytes;       /* BAR1, a power of two in the bounds below; 0: 64 MiB, of legacy none */
    struct vgpu_pci_setup pci; /* versioned only */
    /* What an older or smaller device of the versioned generation says of itself, and then does not have either
     * (device.md 4.1, commands.md 13): its ABI version, 0 = the newest; and features that it lacks beside those that
     * its version does not have. */
    uint32_t abi_version;
    uint64_t without;
    const char *fault; /* name of a deliberate fault (faults.h), NULL = none */
};

#define VGPU_VRAM_MIN_BYTES      (UINT64_C(512) << 10)
#define VGPU_VRAM_MAX_BYTES      (UINT64_C(1) << 31) /* a 32-bit BAR */
#define VGPU_VRAM_WIDE_MAX_BYTES (UINT64_C(1) << 36)

/* Bytes behind BAR1, 0 when there is none; false when there can be no such device. */
bool vgpu_device_vram_size(const struct vgpu_device_config *config, uint64_t *size);

enum vgpu_bar { VGPU_BAR_REGISTERS = 0, VGPU_BAR_VRAM = 1 };

/* Creates a device in its power-on state. NULL when memory is exhausted or the configuration is invalid.
 * machine is copied; its ctx must outlive the device. */
struct vgpu_device *vgpu_device_create(const struct vgpu_device_machine *machine,
                                       const struct vgpu_device_config *config);
void vgpu_device_destroy(struct vgpu_device *device);

/* PCI function reset (device.md 2.2): command := 0, BAR contents kept, VRAM cleared, everything else as at
 * power-on. */
void vgpu_device_reset(struct vgpu_device *device);

/* Configuration space (256 bytes). size is 1, 2 or 4; an access that crosses a dword is truncated to it. */
uint32_t vgpu_device_config_read(struct vgpu_device *device, uint32_t offset, uint32_t size);
void vgpu_device_config_write(struct vgpu_device *device, uint32_t offset, uint32_t size, uint32_t value);

/* BAR accesses as the bus delivers them (size 1, 2, 4 or 8), gated by the command register (device.md 2, 3).
 * Register writes take their immediate effect here; DMA work waits for vgpu_device_service(). */
uint64_t vgpu_device_bar_read(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset, uint32_t size);
void vgpu_device_bar_write(struct vgpu_device *device, enum vgpu_bar bar, uint64_t offset, uint32_t size,
                           uint64_t value);

/* A service point (device.md 0): reset memory part, vblank edges that are due, doorbell, completions. Call it
 * after every configuration or BAR0 write and at the deadline it returns. Returns the machine time at which
 * the device next wants service, UINT64_MAX when only a further access can give it work. */
uint64_t vgpu_device_service(struct vgpu_device *device);

/* True when a service point would do DMA work now: lets a front end answer a register access first. */
bool vgpu_device_needs_service(const struct vgpu_device *device);

/* The VRAM behind BAR1, which a front end may hand out for direct mapping. */
struct vgpu_device_vram vgpu_device_vram(struct vgpu_device *device);

/* Gives the device a renderer, which the caller owns and which outlives the device; NULL takes it away. */
void vgpu_device_set_renderer(struct vgpu_device *device, const struct vgpu_renderer *renderer);

/* How the BARs lie: size of BAR0, and the register, 1 or 2, of the VRAM's. Accesses name VGPU_BAR_VRAM all the same. */
struct vgpu_device_bars {
    uint64_t registers_size;
    uint32_t vram_register;
};
struct vgpu_device_bars vgpu_device_bars(const struct vgpu_device *device);

#endif
