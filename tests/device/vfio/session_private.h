/* session_private.h: the state behind session.h, shared by the session and its command handlers. */
#ifndef VGPU_TESTS_DEVICE_VFIO_SESSION_PRIVATE_H
#define VGPU_TESTS_DEVICE_VFIO_SESSION_PRIVATE_H

#include "tests/device/plugin/port.h"
#include "tests/device/vfio/dma.h"
#include "tests/device/vfio/irqs.h"
#include "tests/device/vfio/session_config.h"
#include "tests/device/vfio/stats.h"

struct vgpu_vfio_session {
    struct vgpu_port *port;
    int wake_fd; /* eventfd, written by threads of the device */
    struct vgpu_vfio_session_config config;
    struct vgpu_vfio_irqs irqs;
    struct vgpu_vfio_stats stats;
    bool negotiated;
    bool touched;           /* the device was accessed in a way that may have given it work */
    uint64_t deadline;      /* when it wants its next service point */
    uint64_t pages_missing; /* of guest memory, when the client came */
    struct vgpu_vfio_dma dma;
};

/* One service point, unconditionally. */
static inline void vgpu_vfio_session_service_now(struct vgpu_vfio_session *session)
{
    session->touched = false;
    session->stats.services++;
    if (session->dma.reach != 0) {
        session->stats.reach = session->dma.reach;
    }
    session->deadline = vgpu_port_service(session->port);
}

#endif
