/* session.c: the state of one client: checks, replies and errors around each command. */
#include "tests/device/vfio/session.h"

#include <errno.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/device/vfio/commands.h"
#include "tests/device/vfio/guest_memory.h"
#include "tests/device/vfio/session_private.h"

static void *machine_dma_pointer(void *ctx, uint64_t gpa, uint64_t size, bool write)
{
    struct vgpu_vfio_session *session = ctx;

    return vgpu_vfio_dma_pointer(&session->dma, gpa, size, write);
}

static uint64_t machine_dma_extent(void *ctx, uint64_t gpa, bool write)
{
    struct vgpu_vfio_session *session = ctx;

    return vgpu_vfio_dma_extent(&session->dma, gpa, write);
}

static void machine_set_intx(void *ctx, bool asserted)
{
    struct vgpu_vfio_session *session = ctx;

    vgpu_vfio_irqs_line(&session->irqs, asserted);
}

static bool machine_send_msi(void *ctx, uint32_t vector)
{
    struct vgpu_vfio_session *session = ctx;

    return vgpu_vfio_irqs_message(&session->irqs, vector);
}

static uint64_t machine_now_ns(void *ctx)
{
    struct vgpu_vfio_session *session = ctx;

    return session->config.now_ns(session->config.now_ctx);
}

/* write() fails when the counter is full: a wake is then already pending. */
static void machine_wake(void *ctx)
{
    const struct vgpu_vfio_session *session = ctx;
    const uint64_t one = 1;
    const ssize_t written = write(session->wake_fd, &one, sizeof one);

    (void)written;
}

static void machine_log(void *ctx, const char *line)
{
    const struct vgpu_vfio_session *session = ctx;

    if (session->config.log.line != NULL) {
        session->config.log.line(session->config.log.ctx, line);
    }
}

struct vgpu_vfio_session *vgpu_vfio_session_create(const struct vgpu_vfio_session_config *config,
                                                   char *message, size_t message_size)
{
    struct vgpu_vfio_session *session = calloc(1, sizeof *session);
    struct vgpu_port_machine machine = {
        .ctx = session,
        .dma_pointer = machine_dma_pointer,
        .dma_extent = machine_dma_extent,
        .set_intx = machine_set_intx,
        .send_msi = machine_send_msi,
        .now_ns = machine_now_ns,
        .wake = machine_wake,
        .log = machine_log,
        .trust_description = config->trust_description,
    };

    snprintf(message, message_size, "no memory");
    if (session == NULL) {
        return NULL;
    }
    session->config = *config;
    session->deadline = UINT64_MAX;
    vgpu_vfio_dma_init(&session->dma);
    vgpu_vfio_irqs_init(&session->irqs);
    session->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (session->wake_fd < 0) {
        snprintf(message, message_size, "eventfd: %s", strerror(errno));
        vgpu_vfio_irqs_destroy(&session->irqs);
        free(session);
        return NULL;
    }
    session->port = vgpu_port_create(&machine, config->device, config->options, message, message_size);
    if (session->port == NULL) {
        close(session->wake_fd);
        vgpu_vfio_irqs_destroy(&session->irqs);
        free(session);
        return NULL;
    }
    if (!vgpu_save_start(&session->config.save, config->device, message, message_size)) {
        vgpu_vfio_session_destroy(session);
        return NULL;
    }
    session->irqs.counts[VFIO_PCI_MSI_IRQ_INDEX] = vgpu_port_info(session->port)->msi_vectors;
    session->irqs.counts[VFIO_PCI_MSIX_IRQ_INDEX] = vgpu_port_msix(session->port)->vectors;
    return session;
}

struct vgpu_port *vgpu_vfio_session_port(struct vgpu_vfio_session *session)
{
    return session->port;
}

static void release_client(struct vgpu_vfio_session *session)
{
    struct vgpu_vfio_map map;

    vgpu_port_lock_memory(session->port);
    while (vgpu_vfio_dma_pop(&session->dma, &map)) {
        vgpu_vfio_guest_memory_unmap(&map);
    }
    vgpu_port_unlock_memory(session->port);
    vgpu_vfio_irqs_release(&session->irqs);
    session->negotiated = false;
}

void vgpu_vfio_session_destroy(struct vgpu_vfio_session *session)
{
    if (session != NULL) {
        release_client(session);
        vgpu_port_destroy(session->port);
        close(session->wake_fd);
        vgpu_vfio_irqs_destroy(&session->irqs);
        free(session);
    }
}

void vgpu_vfio_session_connect(struct vgpu_vfio_session *session)
{
    session->pages_missing = vgpu_vfio_guest_memory_missing();
    vgpu_vfio_log_restart(&session->config.log);
    session->negotiated = false;
}

void vgpu_vfio_session_disconnect(struct vgpu_vfio_session *session)
{
    release_client(session);
    vgpu_port_reset(session->port, AGPU_DEVICE_RESET_FUNCTION);
    session->touched = true;
}

/* Clients ask for an interrupt or region to find out whether it exists: QEMU does so at every start. */
static bool is_question(const struct vgpu_vfio_header *header)
{
    return header->command == VGPU_VFIO_IRQ_INFO || header->command == VGPU_VFIO_REGION_INFO;
}

/* Answers a failed command, or ignores it when no reply is wanted. */
static void fail_message(struct vgpu_vfio_session *session, const struct vgpu_vfio_header *header, int error,
                         bool wants_reply, struct vgpu_vfio_reply *reply)
{
    if (!is_question(header)) {
        session->stats.errors++;
        vgpu_vfio_log(&session->config.log, "client: %s (command %u, %u bytes, flags 0x%x) refused: %s",
                      vgpu_vfio_command_name(header->command), header->command, header->size, header->flags,
                      strerror(error));
    }
    if (wants_reply) {
        vgpu_vfio_reply_error(reply, header, error);
    } else {
        reply->length = 0;
    }
}

bool vgpu_vfio_session_handle(struct vgpu_vfio_session *session, const uint8_t *bytes, size_t length,
                              int *fds, size_t fd_count, struct vgpu_vfio_reply *reply)
{
    struct vgpu_vfio_request request;
    int error = vgpu_vfio_decode(bytes, length, fd_count, &request);
    const bool is_version = request.header.command == VGPU_VFIO_VERSION;

    session->stats.messages++;
    if (vgpu_vfio_guest_memory_missing() != session->pages_missing) {
        /* The device's writes to the page are lost and its reads returned zeros: no later result would be
         * valid. */
        vgpu_vfio_log(
            &session->config.log,
            "guest memory: a page that the client mapped is not there (its file is full or was cut): "
            "the client is put out");
        session->negotiated = false;
        error = EIO;
    }
    if (error == 0 && is_version == session->negotiated) {
        error = EPROTO; /* VERSION must come first, and only once */
    }
    if (error == 0) {
        vgpu_vfio_reply_begin(reply, &request.header);
        error = vgpu_vfio_execute(session, &request, fds, fd_count, reply);
    }
    if (error != 0) {
        fail_message(session, &request.header, error, request.wants_reply, reply);
    } else if (!request.wants_reply) {
        reply->length = 0;
    }
    /* Without a negotiated version, send the error and disconnect. */
    return session->negotiated;
}

void vgpu_vfio_session_refuse(struct vgpu_vfio_session *session, const uint8_t *header, int error,
                              struct vgpu_vfio_reply *reply)
{
    struct vgpu_vfio_header decoded;

    memcpy(&decoded, header, sizeof decoded);
    session->stats.messages++;
    fail_message(session, &decoded, error,
                 (decoded.flags & (VGPU_VFIO_TYPE_MASK | VGPU_VFIO_NO_REPLY)) == VGPU_VFIO_TYPE_COMMAND,
                 reply);
}

/* Ends the program when the device cannot be restored: the client cannot use a device that has started
 * again. */
static void save_and_restore(struct vgpu_vfio_session *session)
{
    char message[400];

    if (!vgpu_port_save_and_restore(session->port, message, sizeof message)) {
        fprintf(stderr, "device %s cannot be restored: expected it as it was saved, found: %s\n",
                session->config.device->name, message);
        exit(1);
    }
    session->stats.restores++;
    vgpu_vfio_session_service_now(session);
}

uint64_t vgpu_vfio_session_service(struct vgpu_vfio_session *session)
{
    if (session->touched ||
        (session->deadline != UINT64_MAX && machine_now_ns(session) >= session->deadline)) {
        vgpu_vfio_session_service_now(session);
        if (session->negotiated && vgpu_save_due(&session->config.save)) {
            save_and_restore(session);
        }
    }
    return session->deadline;
}

int vgpu_vfio_session_wake_fd(const struct vgpu_vfio_session *session)
{
    return session->wake_fd;
}

void vgpu_vfio_session_wake_event(struct vgpu_vfio_session *session)
{
    uint64_t count;

    if (read(session->wake_fd, &count, sizeof count) == (ssize_t)sizeof count) {
        session->touched = true;
    }
}

int vgpu_vfio_session_unmask_fd(const struct vgpu_vfio_session *session)
{
    return session->irqs.unmask_fd;
}

void vgpu_vfio_session_unmask_event(struct vgpu_vfio_session *session)
{
    vgpu_vfio_irqs_unmask_event(&session->irqs);
}

bool vgpu_vfio_session_negotiated(const struct vgpu_vfio_session *session)
{
    return session->negotiated;
}

struct vgpu_vfio_stats vgpu_vfio_session_stats(struct vgpu_vfio_session *session)
{
    struct vgpu_vfio_stats stats = session->stats;

    stats.interrupts = vgpu_vfio_irqs_signalled(&session->irqs);
    return stats;
}

struct vgpu_vfio_log *vgpu_vfio_session_log(struct vgpu_vfio_session *session)
{
    return &session->config.log;
}
