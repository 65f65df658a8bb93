/* vblank.c: waiting for a vblank edge (vidmm.md 8). */
#include "mm/runtime/vblank.h"

#include "mm/runtime/types.h"

/* Interval of polls, and so the latest report of an edge; each poll is a trip to the device. */
#define POLL_EVERY_NS UINT32_C(1000000)

NTSTATUS agpu_runtime_wait_vblank(struct agpu_runtime *runtime, struct agpu_display *display, uint64_t *edge)
{
    const struct agpu_platform *platform = runtime->config.platform;
    uint64_t before = agpu_display_edges(display);
    uint64_t now = before;
    struct agpu_wait wait;

    if (before < display->returned) { /* the device was reset: its edges are counted from 0 again */
        display->returned = before;
    }
    agpu_display_watch_vblank(display, true);
    agpu_wait_begin_ns(&wait, platform, AGPU_RELAX_VBLANK, runtime->kmd.config.tdr_timeout_ns * 2u);
    wait.pace_ns = POLL_EVERY_NS;
    while (now == before || now <= display->returned) {
        if (!agpu_wait_again(&wait)) {
            break;
        }
        agpu_runtime_poll(runtime);
        if (agpu_display_edge_came(display, now)) {
            now = agpu_display_edges(display);
        }
    }
    agpu_display_watch_vblank(display, false);
    if (now == before || now <= display->returned) {
        return STATUS_TIMEOUT;
    }
    display->returned = now;
    if (edge != NULL) {
        *edge = now;
    }
    return STATUS_SUCCESS;
}
