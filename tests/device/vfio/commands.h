/* commands.h: the commands of the protocol. */
#ifndef VGPU_TESTS_DEVICE_VFIO_COMMANDS_H
#define VGPU_TESTS_DEVICE_VFIO_COMMANDS_H

#include <stddef.h>

#include "tests/device/vfio/codec.h"

struct vgpu_vfio_session;

/* Executes a decoded command; the reply is begun, the handler appends to it. Returns 0 or the errno value to
 * answer with instead. fds as in vgpu_vfio_session_handle(). */
int vgpu_vfio_execute(struct vgpu_vfio_session *session, const struct vgpu_vfio_request *request, int *fds,
                      size_t fd_count, struct vgpu_vfio_reply *reply);

#endif
