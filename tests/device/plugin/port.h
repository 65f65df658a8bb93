/* port.h: a device with a plug-in table (the model or another), as the front ends use it. Checks the device's
 * description of itself, limits its DMA to what the bus allows, and records the last call for the evidence of
 * a crash. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PORT_H
#define VGPU_TESTS_DEVICE_PLUGIN_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"
#include "tests/device/plugin/port_call.h"
#include "tests/device/plugin/port_machine.h"

struct vgpu_port;

/* Creates a device from a table that vgpu_table_check() (table.h) has accepted. The calling thread becomes the
 * owner, the only thread that may use this header unless it says "any thread". Returns NULL with the reason in
 * message: that of the device, or an error in its description. Examples: BAR sizes that differ from the result
 * of sizing, a memory file that is too small. */
struct vgpu_port *vgpu_port_create(const struct vgpu_port_machine *machine,
                                   const struct agpu_device_plugin *table, const char *options, char *message,
                                   size_t message_size);
void vgpu_port_destroy(struct vgpu_port *port);

const struct agpu_device_plugin *vgpu_port_table(const struct vgpu_port *port);
const struct agpu_device_info *vgpu_port_info(const struct vgpu_port *port);
const struct vgpu_port_msix *vgpu_port_msix(const struct vgpu_port *port);
/* Returns the result of the plug-in's create(). */
void *vgpu_port_device(const struct vgpu_port *port);

/* Each calls the member of the table with its name. Front ends check that sizes and offsets are valid. */
void vgpu_port_reset(struct vgpu_port *port, enum agpu_device_reset kind);
uint32_t vgpu_port_config_read(struct vgpu_port *port, uint32_t offset, uint32_t size);
void vgpu_port_config_write(struct vgpu_port *port, uint32_t offset, uint32_t size, uint32_t value);
uint64_t vgpu_port_bar_read(struct vgpu_port *port, uint32_t bar, uint64_t offset, uint32_t size);
void vgpu_port_bar_write(struct vgpu_port *port, uint32_t bar, uint64_t offset, uint32_t size,
                         uint64_t value);
/* Saves the device, destroys it, creates it again and loads it, with vgpu_table_can_save(). The memory files of its
 * BARs are other ones afterwards. Call vgpu_port_service() next. Returns false with the reason in message: then the
 * device is as after create(). Ends the program when it cannot be created again. */
bool vgpu_port_save_and_restore(struct vgpu_port *port, char *message, size_t message_size);
/* The optional members; they return false or NULL when the device lacks them. A returned picture has a valid
 * size and pixels. A register name comes from the plug-in: cut it, and do not trust its characters. */
bool vgpu_port_picture(struct vgpu_port *port, struct agpu_device_picture *picture);
bool vgpu_port_dump(struct vgpu_port *port, agpu_device_line *line, void *ctx);
/* For code that accesses the device outside its table: serves the device's memory accesses while visit
 * runs. */
void vgpu_port_visit(struct vgpu_port *port, void (*visit)(void *ctx, struct vgpu_port *port), void *ctx);
const char *vgpu_port_register_name(struct vgpu_port *port, uint32_t bar, uint64_t offset);
/* Calls poll(). Returns the time at which the device needs the next call, AGPU_DEVICE_NEVER when only an
 * access or a wake can give it work. Also passes on a line level that another thread set. */
uint64_t vgpu_port_service(struct vgpu_port *port);

/* True when a thread of the device has requested a service point that has not happened yet. */
bool vgpu_port_is_woken(const struct vgpu_port *port);

/* Call around a change of the results of dma_pointer: no thread of the device copies memory in between.
 * Owner's thread. The wait counts as a call (guard.h). */
void vgpu_port_lock_memory(struct vgpu_port *port);
void vgpu_port_unlock_memory(struct vgpu_port *port);

/* Observer of the traffic between machine and device (tests/host/vdev/wire_capture.h). Called on the owner's
 * thread; all members are required. space: number of the BAR, or 0xFF for configuration space. A callback may
 * read through the port; those reads are not reported. */
struct vgpu_port_tap {
    void *ctx;
    void (*write)(void *ctx, uint32_t space, uint64_t offset, uint32_t size,
                  uint64_t value); /* before the write */
    void (*read)(void *ctx, uint32_t space, uint64_t offset, uint32_t size,
                 uint64_t value); /* after the read */
    void (*worked)(void *ctx);    /* after poll(), in which a device may do all work */
    void (*line)(void *ctx, bool asserted);
    /* A message was sent. Messages from threads of the device since the last call are reported once for each
     * vector. */
    void (*message)(void *ctx, uint32_t vector);
    void (*reset)(void *ctx); /* the device was reset */
};
/* NULL removes the tap. tap must live while it is set. */
void vgpu_port_set_tap(struct vgpu_port *port, const struct vgpu_port_tap *tap);

/* For a tap: returns the pointer to the machine's memory at address, with the number of contiguous bytes in
 * *size; NULL when there is none. */
const uint8_t *vgpu_port_peek(struct vgpu_port *port, uint64_t address, uint64_t *size);

/* Returns the number of refused accesses: outside the machine's memory, or without bus master. */
uint64_t vgpu_port_refused_dma(const struct vgpu_port *port);
/* Returns how many of them no machine could serve (refusal.h). */
uint64_t vgpu_port_absurd_dma(const struct vgpu_port *port);

#endif
