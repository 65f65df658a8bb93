/* device.h: the AeroGPU device model as a library. The front end passes in accesses to PCI configuration space
 * and BARs, and time; the model drives the interrupt line and accesses guest memory. It knows no transport:
 * the vfio-user front end and the in-process host platform both use only this header. */
#ifndef VGPU_TESTS_DEVICE_DEVICE_H
#define VGPU_TESTS_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/bus/machine.h"

struct vgpu_renderer;

/* One device. Not thread safe: the model makes every callback on the thread of the caller. */
struct vgpu_device;

/* Generation of the device (device.md 1). */
enum vgpu_device_abi {
    VGPU_ABI_VERSIONED,
    VGPU_ABI_LEGACY,
    /* Registers of one generation behind the PCI identity of the other (legacy.md 1). */
    VGPU_ABI_LEGACY_AS_VERSIONED,
    VGPU_ABI_VERSIONED_AS_LEGACY,
};

/* True when the device has the registers of the legacy generation, regardless of its PCI identity. */
static inline bool vgpu_abi_is_legacy(enum vgpu_device_abi abi)
{
    return abi == VGPU_ABI_LEGACY || abi == VGPU_ABI_LEGACY_AS_VERSIONED;
}

struct vgpu_device_config {
    enum vgpu_device_abi abi;
    enum vgpu_executor executor;
    uint64_t
        vram_bytes; /* size of BAR1: a power of two within the bounds below; 0: 64 MiB, or no BAR1 (legacy) */
    struct vgpu_pci_setup pci; /* versioned only */
    /* An older or smaller device of the versioned generation (device.md 4.1, commands.md 13). abi_version: 0 =
     * the newest. without: features that the device lacks in addition to those that its version lacks. The
     * device neither reports nor implements these features. */
    uint32_t abi_version;
    uint64_t without;
};

#define VGPU_VRAM_MIN_BYTES      (UINT64_C(512) << 10)
#define VGPU_VRAM_MAX_BYTES      (UINT64_C(1) << 31) /* a 32-bit BAR */
#define VGPU_VRAM_WIDE_MAX_BYTES (UINT64_C(1) << 36)

/* Stores the size of BAR1 in bytes, 0 when there is no BAR1. Returns false when the configuration is
 * invalid. */
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

/* A service point (device.md 0): the memory part of a reset, vblank edges that are due, the doorbell,
 * completions. Call it after every configuration or BAR0 write and at the deadline that it returned. Returns
 * the machine time at which the device needs service next, UINT64_MAX when only a further access can give it
 * work. */
uint64_t vgpu_device_service(struct vgpu_device *device);

/* True when a service point would do DMA work now: lets a front end answer a register access first. */
bool vgpu_device_needs_service(const struct vgpu_device *device);

/* The VRAM of BAR1, which a front end may map directly. */
struct vgpu_device_vram vgpu_device_vram(struct vgpu_device *device);

/* Sets the renderer of the device; NULL removes it. The caller owns the renderer, which must outlive the
 * device. */
void vgpu_device_set_renderer(struct vgpu_device *device, const struct vgpu_renderer *renderer);

/* Layout of the BARs: size of BAR0, and the BAR register (1 or 2) of the VRAM. Accesses use VGPU_BAR_VRAM in
 * both cases. */
struct vgpu_device_bars {
    uint64_t registers_size;
    uint32_t vram_register;
};
struct vgpu_device_bars vgpu_device_bars(const struct vgpu_device *device);

#endif
