/* machine.h: the machine that contains the device, and the optional equipment of its PCI function. */
#ifndef VGPU_BUS_MACHINE_H
#define VGPU_BUS_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* Part of each stream that the device executes. */
enum vgpu_executor {
    VGPU_EXECUTOR_COMPLETE,
    VGPU_EXECUTOR_SOFTWARE, /* no texture views; guest memory follows each copy */
    VGPU_EXECUTOR_NONE,     /* no packet */
};

/* Callbacks from the model to the machine. All but send_message are required. */
struct vgpu_device_machine {
    void *ctx;
    /* Returns the host pointer to guest memory [gpa, gpa + size) if all of it lies in one mapped region that
     * allows the access, else NULL. Valid until the current call into the device returns. size > 0 and gpa +
     * size does not wrap. */
    void *(*dma_pointer)(void *ctx, uint64_t gpa, uint64_t size, bool write);
    /* Returns the number of bytes mapped in one piece from gpa for this access; 0 when gpa is not mapped. */
    uint64_t (*dma_extent)(void *ctx, uint64_t gpa, bool write);
    /* Drives the INTA# line. Called on changes only. */
    void (*set_intx)(void *ctx, bool asserted);
    /* Monotonic machine time in nanoseconds; the epoch of the vblank clock (device.md 4.7). */
    uint64_t (*now_ns)(void *ctx);
    /* Sends message `vector` of MSI or MSI-X, whichever is enabled. Returns false when the machine is not
     * ready; the device then tries again at the next service point. NULL: the machine takes no messages. */
    bool (*send_message)(void *ctx, uint32_t vector);
};

/* Parts of configuration space in addition to the table of device.md 1. All zero: none. */
struct vgpu_pci_setup {
    bool power;          /* power management: D0 and D3hot */
    bool keeps_state;    /* with No_Soft_Reset */
    bool express;        /* PCI Express */
    bool function_reset; /* with function level reset */
    uint8_t msi;         /* vectors, a power of two up to 32 (the device uses the first); 0: no MSI */
    uint8_t msix;        /* as msi, up to 64; 0: no MSI-X. The table lies in BAR0 after the registers */
    bool wide_registers; /* BAR0 is a 64-bit BAR, and VRAM uses BAR register 2 */
    bool wide_vram;
    bool no_vram;
};

/* VRAM of BAR1: a memfd that a front end may map directly. The device owns fd and mapping. Size 0 and fd -1
 * when there is no BAR1. */
struct vgpu_device_vram {
    int fd;
    void *bytes;
    uint64_t size;
};

#endif
