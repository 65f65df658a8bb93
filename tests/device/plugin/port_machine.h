/* port_machine.h: callbacks from a port to the machine. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PORT_MACHINE_H
#define VGPU_TESTS_DEVICE_PLUGIN_PORT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* The machine that contains the device. All members are required but send_msi and wake. */
struct vgpu_port_machine {
    void *ctx;
    /* dma_pointer returns the pointer to guest memory [address, address + size), NULL when it is not one
     * mapped piece that allows the access; size > 0 and address + size does not wrap. dma_extent returns the
     * number of bytes in one piece from address. Any thread, but never while vgpu_port_lock_memory() is
     * held. */
    void *(*dma_pointer)(void *ctx, uint64_t address, uint64_t size, bool write);
    uint64_t (*dma_extent)(void *ctx, uint64_t address, bool write);
    /* Drives the INTA# line; on the owner's thread, on changes only. */
    void (*set_intx)(void *ctx, bool asserted);
    /* Sends message `vector` of MSI or MSI-X, whichever is enabled. Returns false when the machine has enabled
     * neither. Any thread. NULL: the machine takes no messages. */
    bool (*send_msi)(void *ctx, uint32_t vector);
    /* Nanoseconds, monotonic. Any thread. */
    uint64_t (*now_ns)(void *ctx);
    /* Another thread requests that the owner call vgpu_port_service() soon; vgpu_port_is_woken() is true until
     * then. Any thread. NULL: the owner polls by itself. */
    void (*wake)(void *ctx);
    /* Writes a line of the device's log. Any thread. */
    void (*log)(void *ctx, const char *line);
    /* Accept the device's description of its BARs even if the registers contradict it: for a model with a
     * deliberate fault, which the cases must find. */
    bool trust_description;
};

/* MSI-X: number of vectors (0: none) and location of the table. */
struct vgpu_port_msix {
    uint32_t vectors;
    uint32_t bar;
    uint64_t table;
};

#endif
