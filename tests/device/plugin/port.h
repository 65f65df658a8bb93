/* port.h: a device behind the plug-in table, ours or another's, as the front ends drive it: checks what the device says
 * of itself, keeps its DMA within what the bus allows, and remembers the last call for the evidence of a crash. */
#ifndef VGPU_TESTS_DEVICE_PLUGIN_PORT_H
#define VGPU_TESTS_DEVICE_PLUGIN_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/agpu_device_plugin.h"
#include "tests/device/plugin/port_call.h"
#include "tests/device/plugin/port_machine.h"

struct vgpu_port;

/* Creates a device from a table that vgpu_table_check() (table.h) found good. The calling thread becomes the owner, the only one that may use this header
 * (but for what says "any thread"). NULL with the reason in message: the device's own, or what is wrong with what it
 * says of itself: BAR sizes that its sizing does not confirm, a memory file that is too small. */
struct vgpu_port *vgpu_port_create(const struct vgpu_port_machine *machine,
                                   const struct agpu_device_plugin *table, const char *options, char *message,
                                   size_t message_size);
void vgpu_port_destroy(struct vgpu_port *port);

const struct agpu_device_plugin *vgpu_port_table(const struct vgpu_port *port);
const struct agpu_device_info *vgpu_port_info(const struct vgpu_port *port);
const struct vgpu_port_msix *vgpu_port_msix(const struct vgpu_port *port);
/* What the plug-in's create() returned. */
void *vgpu_port_device(const struct vgpu_port *port);

/* As the members of the table. Sizes and offsets must be inside, which front ends check. */
void vgpu_port_reset(struct vgpu_port *port, enum agpu_device_reset kind);
uint32_t vgpu_port_config_read(struct vgpu_port *port, uint32_t offset, uint32_t size);
void vgpu_port_config_write(struct vgpu_port *port, uint32_t offset, uint32_t size, uint32_t value);
uint64_t vgpu_port_bar_read(struct vgpu_port *port, uint32_t bar, uint64_t offset, uint32_t size);
void vgpu_port_bar_write(struct vgpu_port *port, uint32_t bar, uint64_t offset, uint32_t size,
                         uint64_t value);
/* The optional members; false, or NULL, where the device has none. A picture is one that may be read: its size is sane and
 * it has pixels. A name is the plug-in's: cut it, and do not trust its characters. */
bool vgpu_port_picture(struct vgpu_port *port, struct agpu_device_picture *picture);
bool vgpu_port_dump(struct vgpu_port *port, agpu_device_line *line, void *ctx);
/* For who looks at the device from outside of the table: the machine answers its accesses to memory while visit runs. */
void vgpu_port_visit(struct vgpu_port *port, void (*visit)(void *ctx, struct vgpu_port *port), void *ctx);
const char *vgpu_port_register_name(struct vgpu_port *port, uint32_t bar, uint64_t offset);
/* poll(): returns the time at which the device wants the next one, AGPU_DEVICE_NEVER when only an access or a wake can
 * give it work. Also brings a line that another thread moved to the machine. */
uint64_t vgpu_port_service(struct vgpu_port *port);

/* A thread of the device has asked for a service point that was not given yet. */
bool vgpu_port_is_woken(const struct vgpu_port *port);

/* Around a change of what dma_pointer answers: no thread of the device is inside a copy meanwhile. */
void vgpu_port_lock_memory(struct vgpu_port *port);
void vgpu_port_unlock_memory(struct vgpu_port *port);

/* Somebody who looks at what passes between machine and device (tests/host/vdev/wire_capture.h). Called on the owner's
 * thread; all are required. space: number of the BAR, or 0xFF for configuration space. From inside, the port may be asked for
 * more reads, which are not told of. */
struct vgpu_port_tap {
    void *ctx;
    void (*write)(void *ctx, uint32_t space, uint64_t offset, uint32_t size,
                  uint64_t value); /* before it is done */
    void (*read)(void *ctx, uint32_t space, uint64_t offset, uint32_t size,
                 uint64_t value); /* after it was done */
    void (*worked)(void *ctx);    /* the device has had a chance to work */
    void (*line)(void *ctx, bool asserted);
    /* A message went to the machine. Of those that threads of the device sent since the last of these calls, one a vector. */
    void (*message)(void *ctx, uint32_t vector);
    void (*reset)(void *ctx); /* the device was reset */
};
/* NULL: nobody any more. tap must live as long as it is set. */
void vgpu_port_set_tap(struct vgpu_port *port, const struct vgpu_port_tap *tap);

/* Where memory of the machine at address lies and how many bytes from there on are in one piece, for a tap; NULL: nowhere. */
const uint8_t *vgpu_port_peek(struct vgpu_port *port, uint64_t address, uint64_t *size);

/* Accesses outside the machine's memory, or without bus master, that were refused. */
uint64_t vgpu_port_refused_dma(const struct vgpu_port *port);
/* Those of them that no machine could serve (refusal.h). */
uint64_t vgpu_port_absurd_dma(const struct vgpu_port *port);

#endif
