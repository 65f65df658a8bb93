/* session_private.h: the state behind session.h, shared by the session and its command handlers. */
#ifndef AGPU_TESTS_DEVICE_VFIO_SESSION_PRIVATE_H
#define AGPU_TESTS_DEVICE_VFIO_SESSION_PRIVATE_H

#include "tests/device/vfio/dma.h"
#include "tests/device/vfio/irqs.h"
#include "tests/device/vfio/session.h"

struct agpu_vfio_session {
    struct agpu_device *device;
    struct agpu_vfio_session_config config;
    struct agpu_vfio_irqs irqs;
    struct agpu_vfio_stats stats;
    bool negotiated;
    bool touched;      /* the device was accessed in a way that may have given it work */
    uint64_t deadline; /* when it wants its next service point */
    struct agpu_vfio_dma dma;
};

/* Executes a decoded command; the reply is begun, the handler appends to it. Returns 0 or the errno value to
 * answer with instead. fds as in agpu_vfio_session_handle(). */
int agpu_vfio_execute(struct agpu_vfio_session *session, const struct agpu_vfio_request *request, int *fds,
                      size_t fd_count, struct agpu_vfio_reply *reply);

/* One service point, unconditionally. */
void agpu_vfio_session_service_now(struct agpu_vfio_session *session);

#endif
