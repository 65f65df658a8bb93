/* machine.h: the machine that a device is plugged into, and what its PCI function is equipped with. */
#ifndef VGPU_BUS_MACHINE_H
#define VGPU_BUS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

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

/* The VRAM behind BAR1: a memfd that a front end may hand out for direct mapping. The device owns fd and
 * mapping. Size 0 and fd -1 when there is no BAR1. */
struct vgpu_device_vram {
    int fd;
    void *bytes;
    uint64_t size;
};

#endif
