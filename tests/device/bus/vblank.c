/* vblank.c: the vblank clock (device.md 4.7). */
#include "tests/device/bus/vblank.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"

/* Edges replayed in one pass after the host stalled; the schedule then starts anew. */
#define MAX_REPLAYED_EDGES 1024u

static uint64_t vblank_time(const struct vgpu_device *device)
{
    return device->machine.now_ns(device->machine.ctx);
}

void vgpu_vblank_start(struct vgpu_device *device)
{
    if ((device->features & AEROGPU_FEATURE_VBLANK) == 0) {
        return; /* no edge ever comes (device.md 4.1) */
    }
    device->vblank.running = true;
    device->vblank.next_edge_ns = vblank_time(device) + VGPU_VBLANK_PERIOD_NS;
}

void vgpu_vblank_stop(struct vgpu_device *device)
{
    device->vblank.running = false;
    vgpu_irq_clear(device, AEROGPU_IRQ_SCANOUT_VBLANK);
    if (device->abi->vblank_stopped != NULL) {
        device->abi->vblank_stopped(device);
    }
}

static void vblank_edge(struct vgpu_device *device)
{
    struct vgpu_vblank *vblank = &device->vblank;

    if (device->fault != VGPU_FAULT_VBLANK_STUCK) {
        vblank->sequence++;
        vblank->time_ns = vblank->next_edge_ns;
    }
    device->stats.vblanks++;
    vgpu_irq_raise(device, AEROGPU_IRQ_SCANOUT_VBLANK);
    if (device->abi->vblank_edge != NULL) {
        device->abi->vblank_edge(device);
    }
}

void vgpu_vblank_catch_up(struct vgpu_device *device)
{
    struct vgpu_vblank *vblank = &device->vblank;

    if (!vblank->running) {
        return;
    }
    const uint64_t time = vblank_time(device);
    for (unsigned edges = 0; vblank->next_edge_ns <= time; edges++) {
        if (edges == MAX_REPLAYED_EDGES) {
            vblank->next_edge_ns = time + VGPU_VBLANK_PERIOD_NS;
            return;
        }
        vblank_edge(device);
        vblank->next_edge_ns += VGPU_VBLANK_PERIOD_NS;
    }
}
