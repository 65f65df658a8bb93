/* device.h: the AeroGPU device model as a library: PCI configuration space, BARs, time and DMA in, interrupt
 * line and guest-memory effects out. It knows no transport: the vfio-user front end and the in-process host
 * platform both drive it through this header, and neither sees inside. */
#ifndef VGPU_TESTS_DEVICE_DEVICE_H
#define VGPU_TESTS_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One device. Not thread safe: every call, and every callback it makes, happens on the caller's thread. */
struct vgpu_device;

/* What the model asks of the machine that it is plugged into. All callbacks but send_message are required. */
struct vgpu_device_machine {
    void *ctx;
    /* Host pointer to guest memory [gpa, gpa + size) if all of it lies in one mapped region that allows the
     * access, else NULL. Valid until the current call into the device returns. size > 0 and gpa + size does
     * not wrap. */
    void *(*dma_pointer)(void *ctx, uint64_t gpa, uint64_t size, bool write);
    /* Bytes from gpa on that are mapped in one piece for this access; 0 when gpa is not mapped. */
    uint64_t (*dma_extent)(void *ctx, uint64_t gpa, bool write);
    /* Drives the INTA# line. Called on changes only. */
    void (*set_intx)(void *ctx, bool asserted);
    /* Monotonic machine time in nanoseconds; the epoch of the vblank clock (device.md 4.7). */
    uint64_t (*now_ns)(void *ctx);
    /* Sends the message of MSI or MSI-X `vector`, whichever is enabled; false when the machine is not ready for it: then
     * it is tried again at the next service point. NULL: the machine takes none. */
    bool (*send_message)(void *ctx, uint32_t vector);
};

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

/* What a board's configuration space has beyond the table of device.md 1; all zero: nothing. */
struct vgpu_pci_setup {
    bool power;          /* power management: D0 and D3hot */
    bool keeps_state;    /* with No_Soft_Reset */
    bool express;        /* PCI Express */
    bool function_reset; /* with function level reset */
    uint8_t msi;         /* vectors, a power of two up to 32, of which the first is used; 0: no MSI */
    uint8_t msix;        /* as msi, up to 64; 0: no MSI-X. Their table lies in BAR0 behind the registers */
    bool wide_registers; /* BAR0 is a 64-bit one; VRAM is then behind register 2 */
    bool wide_vram;
    bool no_vram;
};

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

/* The VRAM behind BAR1: a memfd that a front end may hand out for direct mapping. The device owns fd and
 * mapping. Size 0 and fd -1 when there is no BAR1. */
struct vgpu_device_vram {
    int fd;
    void *bytes;
    uint64_t size;
};
struct vgpu_device_vram vgpu_device_vram(struct vgpu_device *device);

/* How the BARs lie: size of BAR0, and the register, 1 or 2, of the VRAM's. Accesses name VGPU_BAR_VRAM all the same. */
struct vgpu_device_bars {
    uint64_t registers_size;
    uint32_t vram_register;
};
struct vgpu_device_bars vgpu_device_bars(const struct vgpu_device *device);

#endif
