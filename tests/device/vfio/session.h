/* session.h: the device for one vfio-user client: handles whole messages, makes replies, drives the device and
 * its service points. It does no socket I/O and never waits. */
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

/* Creates the device and its session, which the calling thread owns. Returns NULL with the reason in message
 * on failure. */
struct vgpu_vfio_session *vgpu_vfio_session_create(const struct vgpu_vfio_session_config *config,
                                                   char *message, size_t message_size);
void vgpu_vfio_session_destroy(struct vgpu_vfio_session *session);

/* Returns the device, for inspection between two calls of this header. */
struct vgpu_port *vgpu_vfio_session_port(struct vgpu_vfio_session *session);

/* Call when a client connects. Messages may be handled between connect and disconnect. */
void vgpu_vfio_session_connect(struct vgpu_vfio_session *session);
/* Call when the client is gone: unmaps its memory, closes its descriptors and resets the device. The protocol
 * document would keep the device's state for a client that reconnects. Here one connection is one machine: a
 * device that continued would write into the memory of the next one. */
void vgpu_vfio_session_disconnect(struct vgpu_vfio_session *session);

/* Handles one whole message with its descriptors; those that it takes are replaced by -1. reply->length is 0
 * when there is no reply. Send the reply before calling service, since the client waits. Returns false when
 * the client must be disconnected (after sending the reply). */
bool vgpu_vfio_session_handle(struct vgpu_vfio_session *session, const uint8_t *bytes, size_t length,
                              int *fds, size_t fd_count, struct vgpu_vfio_reply *reply);

/* Handles a message that the framer refused (errno value `error`): writes the error reply, if one is due.
 * Disconnect afterwards. */
void vgpu_vfio_session_refuse(struct vgpu_vfio_session *session, const uint8_t *header, int error,
                              struct vgpu_vfio_reply *reply);

/* Gives the device a service point if a message or the time requires one. Returns the machine time of the next
 * one, UINT64_MAX when only a message can cause it. */
uint64_t vgpu_vfio_session_service(struct vgpu_vfio_session *session);

/* Descriptor to poll: readable means that a thread of the device wants a service point. Call
 * vgpu_vfio_session_wake_event() then. */
int vgpu_vfio_session_wake_fd(const struct vgpu_vfio_session *session);
void vgpu_vfio_session_wake_event(struct vgpu_vfio_session *session);

/* Descriptor to poll: readable means "the guest ended the interrupt". -1 = none. */
int vgpu_vfio_session_unmask_fd(const struct vgpu_vfio_session *session);
void vgpu_vfio_session_unmask_event(struct vgpu_vfio_session *session);

/* True once the current client has negotiated a version. */
bool vgpu_vfio_session_negotiated(const struct vgpu_vfio_session *session);

struct vgpu_vfio_stats vgpu_vfio_session_stats(struct vgpu_vfio_session *session);
struct vgpu_vfio_log *vgpu_vfio_session_log(struct vgpu_vfio_session *session);

#endif
