#include "tests/device/vfio/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/vfio/guest_memory.h"
#include "tests/device/vfio/session_private.h"

static void *machine_dma_pointer(void *ctx, uint64_t gpa, uint64_t size, bool write)
{
    struct agpu_vfio_session *session = ctx;
    return agpu_vfio_dma_pointer(&session->dma, gpa, size, write);
}

static uint64_t machine_dma_extent(void *ctx, uint64_t gpa, bool write)
{
    struct agpu_vfio_session *session = ctx;
    return agpu_vfio_dma_extent(&session->dma, gpa, write);
}

static void machine_set_intx(void *ctx, bool asserted)
{
    struct agpu_vfio_session *session = ctx;
    agpu_vfio_irqs_line(&session->irqs, asserted);
}

static uint64_t machine_now_ns(void *ctx)
{
    struct agpu_vfio_session *session = ctx;
    return session->config.now_ns(session->config.now_ctx);
}

struct agpu_vfio_session *agpu_vfio_session_create(const struct agpu_vfio_session_config *config)
{
    struct agpu_vfio_session *session = calloc(1, sizeof(*session));
    struct agpu_device_machine machine = {
        .ctx = session,
        .dma_pointer = machine_dma_pointer,
        .dma_extent = machine_dma_extent,
        .set_intx = machine_set_intx,
        .now_ns = machine_now_ns,
    };
    if (session == NULL) {
        return NULL;
    }
    session->config = *config;
    session->deadline = UINT64_MAX;
    agpu_vfio_dma_init(&session->dma);
    agpu_vfio_irqs_init(&session->irqs);
    session->device = agpu_device_create(&machine, &config->device);
    if (session->device == NULL) {
        free(session);
        return NULL;
    }
    return session;
}

struct agpu_device *agpu_vfio_session_device(struct agpu_vfio_session *session)
{
    return session->device;
}

static void release_client(struct agpu_vfio_session *session)
{
    struct agpu_vfio_map map;
    while (agpu_vfio_dma_pop(&session->dma, &map)) {
        agpu_vfio_guest_memory_unmap(&map);
    }
    agpu_vfio_irqs_release(&session->irqs);
    session->negotiated = false;
}

void agpu_vfio_session_destroy(struct agpu_vfio_session *session)
{
    if (session != NULL) {
        release_client(session);
        agpu_device_destroy(session->device);
        free(session);
    }
}

void agpu_vfio_session_connect(struct agpu_vfio_session *session)
{
    agpu_vfio_log_restart(&session->config.log);
    session->negotiated = false;
}

void agpu_vfio_session_disconnect(struct agpu_vfio_session *session)
{
    release_client(session);
    agpu_device_reset(session->device);
    session->touched = true;
}

/* Asking for an interrupt or region that does not exist is how a client learns that: QEMU does it at every
 * start. */
static bool is_question(const struct agpu_vfio_header *header)
{
    return header->command == AGPU_VFIO_IRQ_INFO || header->command == AGPU_VFIO_REGION_INFO;
}

/* Answers, or swallows, a command that failed. */
static void fail(struct agpu_vfio_session *session, const struct agpu_vfio_header *header, int error,
                 bool wants_reply, struct agpu_vfio_reply *reply)
{
    if (!is_question(header)) {
        session->stats.errors++;
        agpu_vfio_log(&session->config.log, "client: %s (command %u, %u bytes, flags 0x%x) refused: %s",
                      agpu_vfio_command_name(header->command), header->command, header->size, header->flags,
                      strerror(error));
    }
    if (wants_reply) {
        agpu_vfio_reply_error(reply, header, error);
    } else {
        reply->length = 0;
    }
}

bool agpu_vfio_session_handle(struct agpu_vfio_session *session, const uint8_t *bytes, size_t length,
                              int *fds, size_t fd_count, struct agpu_vfio_reply *reply)
{
    struct agpu_vfio_request request;
    int error = agpu_vfio_decode(bytes, length, fd_count, &request);
    const bool is_version = request.header.command == AGPU_VFIO_VERSION;

    session->stats.messages++;
    if (error == 0 && is_version == session->negotiated) {
        error = EPROTO; /* VERSION comes first and once */
    }
    if (error == 0) {
        agpu_vfio_reply_begin(reply, &request.header);
        error = agpu_vfio_execute(session, &request, fds, fd_count, reply);
    }
    if (error != 0) {
        fail(session, &request.header, error, request.wants_reply, reply);
    } else if (!request.wants_reply) {
        reply->length = 0;
    }
    /* Without a version there is no common language: say why, and part. */
    return session->negotiated;
}

void agpu_vfio_session_refuse(struct agpu_vfio_session *session, const uint8_t *header, int error,
                              struct agpu_vfio_reply *reply)
{
    struct agpu_vfio_header decoded;
    memcpy(&decoded, header, sizeof(decoded));
    session->stats.messages++;
    fail(session, &decoded, error,
         (decoded.flags & (AGPU_VFIO_TYPE_MASK | AGPU_VFIO_NO_REPLY)) == AGPU_VFIO_TYPE_COMMAND, reply);
}

void agpu_vfio_session_service_now(struct agpu_vfio_session *session)
{
    session->touched = false;
    session->stats.services++;
    session->deadline = agpu_device_service(session->device);
}

uint64_t agpu_vfio_session_service(struct agpu_vfio_session *session)
{
    if (session->touched || agpu_device_needs_service(session->device) ||
        (session->deadline != UINT64_MAX && machine_now_ns(session) >= session->deadline)) {
        agpu_vfio_session_service_now(session);
    }
    return session->deadline;
}

int agpu_vfio_session_unmask_fd(const struct agpu_vfio_session *session)
{
    return session->irqs.unmask_fd;
}

void agpu_vfio_session_unmask_event(struct agpu_vfio_session *session)
{
    agpu_vfio_irqs_unmask_event(&session->irqs);
}

bool agpu_vfio_session_negotiated(const struct agpu_vfio_session *session)
{
    return session->negotiated;
}

struct agpu_vfio_stats agpu_vfio_session_stats(const struct agpu_vfio_session *session)
{
    struct agpu_vfio_stats stats = session->stats;
    stats.interrupts = session->irqs.signalled;
    return stats;
}

struct agpu_vfio_log *agpu_vfio_session_log(struct agpu_vfio_session *session)
{
    return &session->config.log;
}
