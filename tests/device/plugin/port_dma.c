/* port_dma.c: a device's accesses to memory, limited to what the bus allows. */
#include "tests/device/plugin/port_dma.h"

#include <stdio.h>
#include <string.h>

#include "tests/device/plugin/port_call.h"
#include "tests/device/plugin/port_private.h"

static bool masters_bus(const struct vgpu_port *port)
{
    return atomic_load_explicit(&port->bus_master, memory_order_relaxed);
}

static void *refuse(struct vgpu_port *port, bool write, uint64_t address, uint64_t size)
{
    char line[400];

    if (vgpu_refusals_add(&port->refusals, port->table->name, write, address, size, line, sizeof line)) {
        port->machine.log(port->machine.ctx, line);
    }
    return NULL;
}

void *vgpu_port_dma_map(void *machine, uint64_t address, uint64_t size, bool write)
{
    struct vgpu_port *port = machine;
    void *place;

    if (!vgpu_port_is_alive(port)) {
        return NULL;
    }
    if (!vgpu_port_is_inside_of(port) && !atomic_exchange(&port->outside_reported, true)) {
        char line[300];

        snprintf(line, sizeof line,
                 "device %s" VGPU_CONTRACT_WORDS
                 "it called dma_map() on a thread of its own or between calls: expected only inside a call; "
                 "it was refused; dma_read() and dma_write() work on any thread",
                 port->table->name);
        port->machine.log(port->machine.ctx, line);
    }
    if (!vgpu_port_is_inside_of(port) || !masters_bus(port) || size == 0 || size - 1 > UINT64_MAX - address) {
        return refuse(port, write, address, size);
    }
    place = port->machine.dma_pointer(port->machine.ctx, address, size, write);
    return place != NULL ? place : refuse(port, write, address, size);
}

uint64_t vgpu_port_dma_extent(void *machine, uint64_t address, bool write)
{
    struct vgpu_port *port = machine;

    return vgpu_port_is_alive(port) && vgpu_port_is_inside_of(port) && masters_bus(port)
               ? port->machine.dma_extent(port->machine.ctx, address, write)
               : 0;
}

/* A range may consist of several pieces: checks that all of them exist before the first byte is copied. */
static bool is_memory(struct vgpu_port *port, uint64_t address, uint64_t size, bool write)
{
    while (size > 0) {
        const uint64_t piece = port->machine.dma_extent(port->machine.ctx, address, write);

        if (piece == 0) {
            return false;
        }
        if (piece >= size) {
            return true;
        }
        address += piece;
        size -= piece;
    }
    return true;
}

static bool copy_pieces(struct vgpu_port *port, uint64_t address, uint8_t *to, const uint8_t *from,
                        uint64_t size)
{
    const bool write = from != NULL;

    if (size == 0) {
        return true;
    }
    if (size - 1 > UINT64_MAX - address || !masters_bus(port) || !is_memory(port, address, size, write)) {
        return refuse(port, write, address, size) != NULL;
    }
    while (size > 0) {
        uint64_t piece = port->machine.dma_extent(port->machine.ctx, address, write);
        void *place;

        piece = piece < size ? piece : size;
        place = port->machine.dma_pointer(port->machine.ctx, address, piece, write);
        if (place == NULL) {
            return refuse(port, write, address, size) != NULL;
        }
        if (write) {
            memcpy(place, from, piece);
            from += piece;
        } else {
            memcpy(to, place, piece);
            to += piece;
        }
        address += piece;
        size -= piece;
    }
    return true;
}

/* Only the owner changes the memory map, so its own copies need no lock. */
static bool copy(struct vgpu_port *port, uint64_t address, uint8_t *to, const uint8_t *from, uint64_t size)
{
    bool done;

    if (!vgpu_port_is_alive(port)) {
        return false;
    }
    if (vgpu_port_is_owner(port)) {
        return copy_pieces(port, address, to, from, size);
    }
    pthread_rwlock_rdlock(&port->memory);
    done = copy_pieces(port, address, to, from, size);
    pthread_rwlock_unlock(&port->memory);
    return done;
}

bool vgpu_port_dma_read(void *machine, uint64_t address, void *to, uint64_t size)
{
    return copy(machine, address, to, NULL, size);
}

bool vgpu_port_dma_write(void *machine, uint64_t address, const void *from, uint64_t size)
{
    return copy(machine, address, NULL, from, size);
}
