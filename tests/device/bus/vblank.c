/* vblank.c: the vblank clock (device.md 4.7). */
#include "tests/device/bus/vblank.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/bus.h"
#include "tests/device/bus/irq.h"

/* Most edges to replay in one pass after the host stalled; the schedule then restarts from now. */
#define MAX_REPLAYED_EDGES 1024u

static uint64_t vblank_time(const struct vgpu_bus *bus)
{
    return bus->machine.now_ns(bus->machine.ctx);
}

void vgpu_vblank_start(struct vgpu_bus *bus)
{
    if ((bus->features & AEROGPU_FEATURE_VBLANK) == 0) {
        return; /* no edge ever comes (device.md 4.1) */
    }
    bus->vblank.running = true;
    bus->vblank.next_edge_ns = vblank_time(bus) + VGPU_VBLANK_PERIOD_NS;
}

void vgpu_vblank_stop(struct vgpu_bus *bus)
{
    bus->vblank.running = false;
    vgpu_irq_clear(bus, AEROGPU_IRQ_SCANOUT_VBLANK);
    if (bus->abi->vblank_stopped != NULL) {
        bus->abi->vblank_stopped(bus->generation);
    }
}

static void vblank_edge(struct vgpu_bus *bus)
{
    struct vgpu_vblank *vblank = &bus->vblank;

    vblank->sequence++;
    vblank->time_ns = vblank->next_edge_ns;
    bus->stats.vblanks++;
    vgpu_irq_raise(bus, AEROGPU_IRQ_SCANOUT_VBLANK);
    if (bus->abi->vblank_edge != NULL) {
        bus->abi->vblank_edge(bus->generation);
    }
}

void vgpu_vblank_catch_up(struct vgpu_bus *bus)
{
    struct vgpu_vblank *vblank = &bus->vblank;

    if (!vblank->running) {
        return;
    }
    const uint64_t time = vblank_time(bus);
    for (unsigned edges = 0; vblank->next_edge_ns <= time; edges++) {
        if (edges == MAX_REPLAYED_EDGES) {
            vblank->next_edge_ns = time + VGPU_VBLANK_PERIOD_NS;
            return;
        }
        vblank_edge(bus);
        vblank->next_edge_ns += VGPU_VBLANK_PERIOD_NS;
    }
}
