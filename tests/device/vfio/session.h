/* session.h: the device as one vfio-user client sees it: takes whole messages, gives replies, drives the
 * device and its service points. It reads and writes no socket and waits for nothing. */
#ifndef VGPU_TESTS_DEVICE_VFIO_SESSION_H
#define VGPU_TESTS_DEVICE_VFIO_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/plugin/port.h"
#include "tests/device/vfio/codec.h"
#include "tests/device/vfio/session_config.h"
#include "tests/device/vfio/stats.h"

struct vgpu_vfio_session;

/* Creates the device inside its session, which the calling thread owns. NULL when that fails, with the reason in message. */
struct vgpu_vfio_session *vgpu_vfio_session_create(const struct vgpu_vfio_session_config *config,
                                                   char *message, size_t message_size);
void vgpu_vfio_session_destroy(struct vgpu_vfio_session *session);

/* The device, for those who look into it between two calls of this header. */
struct vgpu_port *vgpu_vfio_session_port(struct vgpu_vfio_session *session);

/* A client is there. Between connect and disconnect messages may be handled. */
void vgpu_vfio_session_connect(struct vgpu_vfio_session *session);
/* The client is gone: its memory is unmapped, its descriptors are closed, and the device is reset. The
 * protocol document would keep the device's state for a client that comes back; here one connection is one
 * machine, and a device that went on would write into the memory of the next one. */
void vgpu_vfio_session_disconnect(struct vgpu_vfio_session *session);

/* Handles one whole message with the descriptors that came along; takes what it keeps of them by putting -1
 * in their place. reply->length is 0 when nothing is to be sent. Send the reply first, then call service: the
 * client waits. Returns false when the client must be disconnected (after sending the reply). */
bool vgpu_vfio_session_handle(struct vgpu_vfio_session *session, const uint8_t *bytes, size_t length,
                              int *fds, size_t fd_count, struct vgpu_vfio_reply *reply);

/* A message that the framer refused (errno value `error`): writes the error reply, if one is due. Then
 * disconnect. */
void vgpu_vfio_session_refuse(struct vgpu_vfio_session *session, const uint8_t *header, int error,
                              struct vgpu_vfio_reply *reply);

/* Gives the device its service point if a message, or time, made one due. Returns the machine time of the
 * next one, UINT64_MAX when only a message can bring it. */
uint64_t vgpu_vfio_session_service(struct vgpu_vfio_session *session);

/* Descriptor to watch: readable means that a thread of the device wants a service point. The event makes one due. */
int vgpu_vfio_session_wake_fd(const struct vgpu_vfio_session *session);
void vgpu_vfio_session_wake_event(struct vgpu_vfio_session *session);

/* Descriptor to watch: readable means "the guest ended the interrupt". -1 = none. */
int vgpu_vfio_session_unmask_fd(const struct vgpu_vfio_session *session);
void vgpu_vfio_session_unmask_event(struct vgpu_vfio_session *session);

/* True once the current client has negotiated a version. */
bool vgpu_vfio_session_negotiated(const struct vgpu_vfio_session *session);

struct vgpu_vfio_stats vgpu_vfio_session_stats(struct vgpu_vfio_session *session);
struct vgpu_vfio_log *vgpu_vfio_session_log(struct vgpu_vfio_session *session);

#endif
