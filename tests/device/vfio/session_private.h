/* session_private.h: state of a session, shared by session.c and its command handlers. */
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
    bool touched;           /* an access may have given the device work */
    uint64_t deadline;      /* time of the device's next service point */
    uint64_t pages_missing; /* value of vgpu_vfio_guest_memory_missing() when the client connected */
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
