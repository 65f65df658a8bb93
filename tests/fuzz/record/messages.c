/* messages.c: intercepts calls between the vfio-user server and its session (linker option --wrap) and writes
 * the client's messages as inputs of the vfio target. Each file begins with the set-up of the connection. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/vfio/session.h"
#include "tests/fuzz/record/recorder.h"

#define SETUP_BYTES (6u << 10)

/* Control bytes of fuzz_vfio.c: the descriptor that comes with a piece; time passes before it. */
#define WITH_RAM   1u
#define WITH_EVENT 2u
#define TIME       8u
#define TICK_NS    UINT64_C(20000000)

/* Memory size of the target, and so the maximum of its DMA_MAP. */
#define TARGET_RAM_BYTES UINT64_C(0x10000)

void __real_vgpu_vfio_session_connect(struct vgpu_vfio_session *session);
void __wrap_vgpu_vfio_session_connect(struct vgpu_vfio_session *session);
bool __real_vgpu_vfio_session_handle(struct vgpu_vfio_session *session, const uint8_t *bytes, size_t length,
                                     int *fds, size_t fd_count, struct vgpu_vfio_reply *reply);
bool __wrap_vgpu_vfio_session_handle(struct vgpu_vfio_session *session, const uint8_t *bytes, size_t length,
                                     int *fds, size_t fd_count, struct vgpu_vfio_reply *reply);

static struct {
    uint8_t setup[SETUP_BYTES];
    size_t setup_size;
    FILE *file;
    size_t written;
    unsigned number;
    uint64_t time;
} messages;

static void next_file(void)
{
    if (messages.file != NULL) {
        record_close(messages.file);
    }
    messages.file = record_open("vfio", messages.number++);
    record_bytes(messages.file, messages.setup, messages.setup_size);
    messages.written = messages.setup_size;
}

static void close_last(void)
{
    record_close(messages.file);
}

void __wrap_vgpu_vfio_session_connect(struct vgpu_vfio_session *session)
{
    if (messages.file == NULL) {
        atexit(close_last);
    }
    messages.setup_size = 0;
    next_file();
    __real_vgpu_vfio_session_connect(session);
}

/* Converts a message to a piece of the input, with the memory of the target. Returns its size. */
static size_t make_piece(uint8_t *piece, const uint8_t *bytes, size_t length, size_t fd_count)
{
    struct vgpu_vfio_header header;
    struct vgpu_vfio_dma_map map;
    uint8_t *message = piece + 3;

    memcpy(&header, bytes, sizeof header);
    memcpy(message, bytes, length);
    piece[0] = 0;
    piece[1] = (uint8_t)length;
    piece[2] = (uint8_t)(length >> 8);
    if (fd_count > 0) {
        piece[0] |= header.command == VGPU_VFIO_DMA_MAP ? WITH_RAM : WITH_EVENT;
    }
    if (header.command == VGPU_VFIO_DMA_MAP && length >= sizeof header + sizeof map) {
        memcpy(&map, message + sizeof header, sizeof map);
        map.offset = 0;
        map.size = map.size < TARGET_RAM_BYTES ? map.size : TARGET_RAM_BYTES;
        memcpy(message + sizeof header, &map, sizeof map);
    }
    return 3 + length;
}

static void keep(const uint8_t *bytes, size_t length, size_t fd_count)
{
    static uint8_t piece[3 + VGPU_VFIO_MAX_MESSAGE];
    struct vgpu_vfio_header header;
    const uint64_t now = record_now();
    size_t size;

    if (length < sizeof header || length > UINT16_MAX) {
        return;
    }
    memcpy(&header, bytes, sizeof header);
    size = make_piece(piece, bytes, length, fd_count);
    if (header.command != VGPU_VFIO_REGION_READ && header.command != VGPU_VFIO_REGION_WRITE &&
        size <= SETUP_BYTES - messages.setup_size) {
        memcpy(messages.setup + messages.setup_size, piece, size);
        messages.setup_size += size;
    }
    if (messages.written + size > RECORD_FILE_BYTES) {
        next_file();
    }
    if (now - messages.time >= TICK_NS) {
        messages.time = now;
        piece[0] |= TIME;
    }
    record_bytes(messages.file, piece, size);
    messages.written += size;
}

bool __wrap_vgpu_vfio_session_handle(struct vgpu_vfio_session *session, const uint8_t *bytes, size_t length,
                                     int *fds, size_t fd_count, struct vgpu_vfio_reply *reply)
{
    keep(bytes, length, fd_count);
    return __real_vgpu_vfio_session_handle(session, bytes, length, fds, fd_count, reply);
}
