/* wire_capture.c: attaches a capture follower to the port's tap. */
#include "tests/host/vdev/wire_capture.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/capture/follower.h"
#include "tests/capture/follower_progress.h"
#include "tests/capture/follower_put.h"
#include "tests/device/plugin/port.h"
#include "tests/host/capture/file.h"
#include "tests/host/monotonic.h"

/* Limit of tracked guest pages. */
#define PAGES 65536u

struct agpu_wire_capture {
    struct vgpu_port *port;
    struct vgpu_port_tap tap;
    struct agpu_capture_file *file;
    struct agpu_follower follower;
    uint64_t start_ns;
    void *storage;
};

static void *wire_alloc(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size); /* 16-byte aligned on every 64-bit Linux */
}

static void wire_free(void *ctx, void *memory)
{
    (void)ctx;
    free(memory);
}

static uint64_t wire_now(void *ctx)
{
    const struct agpu_wire_capture *capture = ctx;

    return agpu_monotonic_ns() - capture->start_ns;
}

static uint32_t wire_register(void *ctx, uint32_t offset)
{
    const struct agpu_wire_capture *capture = ctx;

    return (uint32_t)vgpu_port_bar_read(capture->port, 0, offset, 4);
}

static uint32_t wire_config(void *ctx, uint32_t offset)
{
    const struct agpu_wire_capture *capture = ctx;

    return vgpu_port_config_read(capture->port, offset, 4);
}

static const uint8_t *wire_piece(void *ctx, uint64_t address, uint64_t *size)
{
    const struct agpu_wire_capture *capture = ctx;

    return vgpu_port_peek(capture->port, address, size);
}

static void wire_write(void *ctx, uint32_t space, uint64_t offset, uint32_t size, uint64_t value)
{
    struct agpu_wire_capture *capture = ctx;

    agpu_follower_write(&capture->follower, space, offset, size, value);
}

static void wire_read(void *ctx, uint32_t space, uint64_t offset, uint32_t size, uint64_t value)
{
    struct agpu_wire_capture *capture = ctx;

    agpu_follower_read(&capture->follower, space, offset, size, value);
}

static void wire_worked(void *ctx)
{
    struct agpu_wire_capture *capture = ctx;

    agpu_follower_poll(&capture->follower);
}

static void wire_line(void *ctx, bool asserted)
{
    struct agpu_wire_capture *capture = ctx;

    agpu_follower_line(&capture->follower, 0, asserted);
}

static void wire_message(void *ctx, uint32_t vector)
{
    struct agpu_wire_capture *capture = ctx;

    agpu_follower_line(&capture->follower, vector + 1, true);
}

/* Discards the ring's state, as at the start. */
static void wire_reset(void *ctx)
{
    struct agpu_wire_capture *capture = ctx;

    agpu_follower_begin(&capture->follower);
}

struct agpu_wire_capture *agpu_wire_capture_open(const char *path, struct vgpu_port *port, char *message,
                                                 size_t message_size)
{
    struct agpu_wire_capture *capture = calloc(1, sizeof *capture);
    struct agpu_follower_config config = {.now_ns = wire_now,
                                          .register_read = wire_register,
                                          .config_read = wire_config,
                                          .piece = wire_piece,
                                          .ctx = capture,
                                          .view = AGPU_CAPTURE_WIRE,
                                          .producer = "agpu vdev",
                                          .pages = PAGES,
                                          .heap = {wire_alloc, wire_free, NULL}};

    snprintf(message, message_size, "no memory");
    if (capture == NULL) {
        return NULL;
    }
    config.storage = capture->storage = malloc(agpu_follower_bytes(PAGES));
    if (capture->storage == NULL) {
        goto free_capture;
    }
    capture->file = agpu_capture_file_create(path, message, message_size);
    if (capture->file == NULL) {
        goto free_storage;
    }
    config.encoder = agpu_capture_file_encoder(capture->file);
    capture->port = port;
    capture->start_ns = agpu_monotonic_ns();
    capture->tap = (struct vgpu_port_tap){.ctx = capture,
                                          .write = wire_write,
                                          .read = wire_read,
                                          .worked = wire_worked,
                                          .line = wire_line,
                                          .message = wire_message,
                                          .reset = wire_reset};
    agpu_follower_init(&capture->follower, &config);
    agpu_follower_begin(&capture->follower);
    vgpu_port_set_tap(port, &capture->tap);
    return capture;

free_storage:
    free(capture->storage);
free_capture:
    free(capture);
    return NULL;
}

bool agpu_wire_capture_close(struct agpu_wire_capture *capture, char *message, size_t message_size)
{
    bool complete;

    if (capture == NULL) {
        return true;
    }
    vgpu_port_set_tap(capture->port, NULL);
    agpu_follower_settle(&capture->follower);
    complete = agpu_capture_file_close(capture->file, true, message, message_size);
    agpu_follower_close(&capture->follower);
    free(capture->storage);
    free(capture);
    return complete;
}
