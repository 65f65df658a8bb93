/* port_machine.h: what a port asks of the machine around its device. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PORT_MACHINE_H
#define VGPU_TESTS_DEVICE_PLUGIN_PORT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* The machine around the device. All members are required but send_msi and wake. */
struct vgpu_port_machine {
    void *ctx;
    /* Where guest memory [address, address + size) lies, NULL when not in one mapped piece that allows the access;
     * size > 0 and address + size does not wrap. How many bytes from address on do. On any thread, but never while
     * vgpu_port_lock_memory() holds. */
    void *(*dma_pointer)(void *ctx, uint64_t address, uint64_t size, bool write);
    uint64_t (*dma_extent)(void *ctx, uint64_t address, bool write);
    /* Drives the INTA# line; on the owner's thread, on changes only. */
    void (*set_intx)(void *ctx, bool asserted);
    /* Of MSI or of MSI-X, whichever is enabled; false when the machine has enabled neither. Any thread. NULL: the machine
     * has none. */
    bool (*send_msi)(void *ctx, uint32_t vector);
    /* Nanoseconds, monotonic. Any thread. */
    uint64_t (*now_ns)(void *ctx);
    /* Another thread asks that the owner's calls vgpu_port_service() soon: vgpu_port_is_woken() until then. Any thread. NULL:
     * the owner's looks by itself. */
    void (*wake)(void *ctx);
    /* A line of the device's log. Any thread. */
    void (*log)(void *ctx, const char *line);
    /* What the device says of its BARs is taken as it is, though their registers may say something else: for our model made
     * wrong on purpose, where that is for the cases to find. */
    bool trust_description;
};

/* Vectors of MSI-X, 0: none; and where their table is. */
struct vgpu_port_msix {
    uint32_t vectors;
    uint32_t bar;
    uint64_t table;
};

#endif
