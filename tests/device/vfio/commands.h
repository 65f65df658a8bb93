/* commands.h: the commands of the protocol. */
#ifndef VGPU_TESTS_DEVICE_VFIO_COMMANDS_H
#define VGPU_TESTS_DEVICE_VFIO_COMMANDS_H

#include <stddef.h>

#include "tests/device/vfio/codec.h"

struct vgpu_vfio_session;

/* Executes a decoded command and appends to the started reply. Returns 0, or the errno value for an error
 * reply. fds as in vgpu_vfio_session_handle(). */
int vgpu_vfio_execute(struct vgpu_vfio_session *session, const struct vgpu_vfio_request *request, int *fds,
                      size_t fd_count, struct vgpu_vfio_reply *reply);

#endif
