/* fuzz_vfio.c: fuzz target of the vfio-user server: a hostile client's bytes and descriptors, through framer,
 * codec, session and device.
 *
 * An input is a list of pieces: a control byte, a 16-bit little-endian length, and that many bytes of the
 * stream. The bits of the control byte:
 *   0-2  descriptors sent with the piece (enum piece_fds)
 *   3    20 ms pass before it
 *   4    the unmask eventfd ends the interrupt before it
 *   5    the bytes are written to guest memory, not sent
 *   7    the client disconnects and a new one connects before it */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/device/plugin/model.h"
#include "tests/device/vfio/framer.h"
#include "tests/device/vfio/session.h"

#define RAM_BYTES 0x10000u

enum piece_fds { NONE, RAM, EVENT, UNSEALED, PIPE, RAM_AND_EVENT, TOO_MANY };

/* Created once: creating a device costs more than a whole input. */
static struct {
    struct vgpu_vfio_session *session;
    struct vgpu_vfio_framer framer;
    struct vgpu_vfio_reply reply;
    uint64_t now;
    int ram, unsealed, event, pipes[2];
    uint8_t *memory; /* mapping of ram */
} world;

#define require(condition) require_that((condition), #condition)

static void require_that(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "fuzz_vfio: not so: %s\n", what);
        abort();
    }
}

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return world.now;
}

static int new_ram(bool sealed)
{
    const int fd = memfd_create("fuzz-ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    require(fd >= 0 && ftruncate(fd, RAM_BYTES) == 0);
    require(!sealed || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    return fd;
}

/* Returns the number of the next descriptor: it grows when one has leaked. */
static int lowest_free_fd(void)
{
    const int fd = dup(world.ram);

    require(fd >= 0);
    close(fd);
    return fd;
}

static void make_world(void)
{
    const struct vgpu_vfio_session_config config = {
        .device = vgpu_model_plugin(),
        .options = "vram=524288,render=off", /* inputs contain no guest memory to draw from */
        .map_vram = true,
        .now_ns = now_ns,
    };
    char message[256];

    world.session = vgpu_vfio_session_create(&config, message, sizeof message);
    require(world.session != NULL);
    vgpu_vfio_framer_init(&world.framer);
    world.ram = new_ram(true);
    world.memory = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, world.ram, 0);
    require(world.memory != MAP_FAILED);
    world.unsealed = new_ram(false);
    world.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    require(world.event >= 0 && pipe2(world.pipes, O_CLOEXEC) == 0);
}

static void reconnect(void)
{
    vgpu_vfio_framer_next(&world.framer);
    vgpu_vfio_session_disconnect(world.session);
    vgpu_vfio_session_service(world.session);
    vgpu_vfio_session_connect(world.session);
}

static void attach(int fd, int count)
{
    for (int i = 0; i < count; i++) {
        if (!vgpu_vfio_framer_received_fd(&world.framer, dup(fd))) {
            reconnect(); /* as the connection does */
            return;
        }
    }
}

static void attach_fds(enum piece_fds fds)
{
    switch (fds) {
    case RAM:
        attach(world.ram, 1);
        break;
    case EVENT:
        attach(world.event, 1);
        break;
    case UNSEALED:
        attach(world.unsealed, 1);
        break;
    case PIPE:
        attach(world.pipes[1], 1);
        break;
    case RAM_AND_EVENT:
        attach(world.ram, 1);
        attach(world.event, 1);
        break;
    case TOO_MANY:
        attach(world.ram, VGPU_VFIO_MAX_FDS + 1);
        break;
    case NONE:
    default:
        break;
    }
}

static void check_reply(void)
{
    struct vgpu_vfio_header header;

    if (world.reply.length == 0) {
        return;
    }
    require(world.reply.length >= sizeof header && world.reply.length <= sizeof world.reply.bytes);
    memcpy(&header, world.reply.bytes, sizeof header);
    require(header.size == world.reply.length);
    require((header.flags & VGPU_VFIO_TYPE_MASK) == VGPU_VFIO_TYPE_REPLY);
}

/* Receives one bufferful, as the connection would. */
static void receive(const uint8_t *bytes, size_t size)
{
    bool keep = true;
    int error;

    memcpy(vgpu_vfio_framer_space(&world.framer, &(size_t){0}), bytes, size);
    error = vgpu_vfio_framer_received(&world.framer, size);
    world.reply.length = 0;
    if (error != 0) {
        vgpu_vfio_session_refuse(world.session, world.framer.bytes, error, &world.reply);
        keep = false;
    } else if (vgpu_vfio_framer_complete(&world.framer)) {
        keep = vgpu_vfio_session_handle(world.session, world.framer.bytes, world.framer.length,
                                        world.framer.fds, world.framer.fd_count, &world.reply);
        vgpu_vfio_framer_next(&world.framer);
    }
    check_reply();
    if (keep) {
        vgpu_vfio_session_service(world.session);
    } else {
        reconnect();
    }
}

static void write_memory(const uint8_t *bytes, size_t size)
{
    size_t offset, room;

    if (size < 2) {
        return;
    }
    offset = (size_t)bytes[0] | (size_t)bytes[1] << 8;
    room = RAM_BYTES - offset;
    memcpy(world.memory + offset, bytes + 2, size - 2 < room ? size - 2 : room);
}

static void play_piece(uint8_t control, const uint8_t *bytes, size_t size)
{
    if ((control & 0x80) != 0) {
        reconnect();
    }
    if ((control & 0x08) != 0) {
        world.now += 20000000;
        vgpu_vfio_session_service(world.session);
    }
    if ((control & 0x10) != 0 && vgpu_vfio_session_unmask_fd(world.session) >= 0) {
        vgpu_vfio_session_unmask_event(world.session);
    }
    if ((control & 0x20) != 0) {
        write_memory(bytes, size);
        return;
    }
    attach_fds((enum piece_fds)(control & 7));
    while (size != 0) {
        size_t part;

        vgpu_vfio_framer_space(&world.framer, &part);
        part = part < size ? part : size;
        receive(bytes, part);
        bytes += part;
        size -= part;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int free_before;

    if (world.session == NULL) {
        make_world();
    }
    free_before = lowest_free_fd(); /* libFuzzer opens its own descriptors between inputs */
    /* Each input starts with the same state of the machine. */
    world.now = 0;
    memset(world.memory, 0, RAM_BYTES);
    vgpu_vfio_session_connect(world.session);
    while (size >= 3) {
        const size_t wanted = (size_t)data[1] | (size_t)data[2] << 8;
        const size_t length = wanted < size - 3 ? wanted : size - 3;

        play_piece(data[0], data + 3, length);
        data += 3 + length;
        size -= 3 + length;
    }
    reconnect();
    require(lowest_free_fd() == free_before);
    return 0;
}
