/* fuzz_plugin.c: fuzz target of a plug-in: the input provides its table, description, configuration space and
 * every answer; the target drives it as QEMU would. Whatever the plug-in answers, nothing outside guest memory
 * may be accessed, and the plug-in must be called as agpu_device_plugin.h promises.
 *
 * An input is read from its start: three bytes of table, the description, 64 bytes of configuration space with
 * the answers to sizing, then a list of actions, one byte each with operands. Missing bytes are 0. */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <linux/vfio.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/device/plugin/table.h"
#include "tests/device/vfio/regions.h"
#include "tests/device/vfio/session.h"

#define RAM_BYTES 0x10000u
#define RAM_BASE  0x100000u
#define STEPS_MAX 256

#define require(condition) require_that((condition), #condition)

static void require_that(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "fuzz_plugin: not so: %s\n", what);
        abort();
    }
}

/* ---- the input ---- */

static struct {
    const uint8_t *at;
    size_t left;
} input;

static void take(void *to, size_t size)
{
    const size_t there = size < input.left ? size : input.left;

    memset(to, 0, size);
    if (there != 0) {
        memcpy(to, input.at, there);
    }
    input.at += there;
    input.left -= there;
}

static uint64_t take_number(size_t size)
{
    uint64_t value = 0;

    take(&value, size);
    return value;
}

/* ---- the device ---- */

static struct {
    const struct agpu_device_host *host;
    void *machine;
    struct agpu_device_info told;
    uint8_t config[4096];
    uint32_t ones[AGPU_DEVICE_BARS];
    int files[4]; /* possible values of memory_fd */
    uint8_t *ram;
    int ram_fd, event;
    uint64_t now;
    unsigned depth;
} world;

/* Uses the host table, as a device may do inside any call. */
static void use_host(void)
{
    const struct agpu_device_host *host = world.host;
    uint8_t bytes[64] = {0};
    const uint64_t action = take_number(1);
    /* Half of the addresses are near guest memory. */
    const uint64_t address = (action & 0x80) != 0 ? take_number(8) : RAM_BASE - 32 + take_number(3);
    uint64_t size = (action & 0x40) != 0 ? take_number(8) : take_number(1) % sizeof bytes;
    uint8_t *place;

    require(host->major == AGPU_DEVICE_PLUGIN_MAJOR && host->size == sizeof *host);
    switch (action & 7) {
    case 0:
        size = size < sizeof bytes ? size : sizeof bytes;
        host->dma_read(world.machine, address, bytes, size);
        break;
    case 1:
        size = size < sizeof bytes ? size : sizeof bytes;
        host->dma_write(world.machine, address, bytes, size);
        break;
    case 2:
        place = host->dma_map(world.machine, address, size, (action & 8) != 0);
        if (place != NULL) {
            require(size > 0 && address >= RAM_BASE && size <= RAM_BYTES &&
                    address - RAM_BASE <= RAM_BYTES - size);
            place[0] ^= 1;
            place[size - 1] ^= 1;
        }
        break;
    case 3:
        require(host->dma_extent(world.machine, address, true) <= RAM_BYTES);
        break;
    case 4:
        host->set_interrupt(world.machine, (action & 8) != 0);
        break;
    case 5:
        host->send_msi(world.machine, (uint32_t)address);
        break;
    case 6:
        host->wake(world.machine);
        break;
    default:
        host->log(world.machine, "\033[2J a line");
        require(host->now_ns(world.machine) <= world.now);
        break;
    }
}

static void begin_call(void)
{
    require(world.depth == 0); /* one call at a time, never from inside a callback */
    world.depth++;
    if (input.left > 0) {
        use_host();
    }
}

static void end_call(void)
{
    world.depth--;
}

static void *lying_create(const struct agpu_device_host *host, void *machine, const char *options,
                          char *message, size_t message_size)
{
    require(options != NULL && message != NULL && message_size > 0);
    world.host = host;
    world.machine = machine;
    return take_number(1) == 0xFF ? NULL : &world;
}

static void lying_destroy(void *device)
{
    require(device == &world);
}

static void lying_describe(void *device, struct agpu_device_info *info)
{
    require(device == &world);
    *info = world.told;
}

static void lying_reset(void *device, enum agpu_device_reset kind)
{
    require(device == &world && kind <= AGPU_DEVICE_RESET_FUNCTION);
    begin_call();
    world.config[4] = (uint8_t)take_number(1);
    end_call();
}

/* Checks that an access is within one dword of the 256-byte space that every device has, or of this device's
 * space. */
static void check_config_access(uint32_t offset, uint32_t size)
{
    const uint32_t end = world.told.config_bytes == 4096 ? 4096 : 256;

    require(size == 1 || size == 2 || size == 4);
    require(offset % 4 + size <= 4 && offset + size <= end);
}

static uint32_t lying_config_read(void *device, uint32_t offset, uint32_t size)
{
    uint32_t value = 0;

    require(device == &world);
    check_config_access(offset, size);
    memcpy(&value, world.config + offset, size);
    return value | (uint32_t)world.now << 16; /* unrequested high bits */
}

static void lying_config_write(void *device, uint32_t offset, uint32_t size, uint32_t value)
{
    require(device == &world);
    check_config_access(offset, size);
    if (offset >= 0x10 && offset < 0x28 && size == 4) {
        value = value == UINT32_MAX ? world.ones[(offset - 0x10) / 4] : 0;
    }
    memcpy(world.config + offset, &value, size);
}

static void check_bar_access(uint32_t bar, uint64_t offset, uint32_t size)
{
    require(bar < AGPU_DEVICE_BARS);
    require(size == 1 || size == 2 || size == 4 || size == 8);
    require(size <= world.told.bars[bar].size && offset <= world.told.bars[bar].size - size);
}

static uint64_t lying_bar_read(void *device, uint32_t bar, uint64_t offset, uint32_t size)
{
    uint64_t value;

    require(device == &world);
    check_bar_access(bar, offset, size);
    begin_call();
    value = take_number(8);
    end_call();
    return value;
}

static void lying_bar_write(void *device, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    (void)value;
    require(device == &world);
    check_bar_access(bar, offset, size);
    begin_call();
    end_call();
}

static uint64_t lying_poll(void *device, uint64_t now_ns)
{
    uint64_t deadline;

    require(device == &world && now_ns <= world.now);
    begin_call();
    deadline = take_number(2) == 0 ? AGPU_DEVICE_NEVER : world.now + take_number(2);
    end_call();
    return deadline;
}

static bool lying_picture(void *device, struct agpu_device_picture *picture)
{
    static const uint8_t pixels[4096];

    require(device == &world);
    picture->width = (uint32_t)take_number(2);
    picture->height = (uint32_t)take_number(2);
    picture->pitch_bytes = take_number(3);
    picture->rgba = take_number(1) == 0 ? NULL : pixels;
    return take_number(1) != 0;
}

static void lying_dump(void *device, agpu_device_line *line, void *ctx)
{
    require(device == &world);
    line(ctx, "a line");
}

static const char *lying_name(void *device, uint32_t bar, uint64_t offset)
{
    require(device == &world && bar < AGPU_DEVICE_BARS && offset % 4 == 0);
    return take_number(1) == 0 ? NULL : "NAME";
}

/* ---- the machine ---- */

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return world.now;
}

static void ignore_line(void *ctx, const char *text)
{
    (void)ctx;
    require(text != NULL);
}

struct fuzz_message {
    struct vgpu_vfio_header header;
    uint8_t payload[128];
};

static void send_message(struct vgpu_vfio_session *session, uint16_t command, const void *payload,
                         size_t size, int fd)
{
    static struct vgpu_vfio_reply reply;
    struct fuzz_message message = {
        .header = {.command = command, .size = (uint32_t)(sizeof message.header + size)}};

    if (size != 0) {
        memcpy(message.payload, payload, size);
    }
    vgpu_vfio_session_handle(session, (const uint8_t *)&message, message.header.size, &fd, fd >= 0, &reply);
    if (fd >= 0) {
        close(fd);
    }
    vgpu_vfio_session_service(session);
}

static void map_ram(struct vgpu_vfio_session *session)
{
    const struct vgpu_vfio_dma_map map = {.argsz = sizeof map,
                                          .flags = VGPU_VFIO_DMA_READ | VGPU_VFIO_DMA_WRITE,
                                          .address = RAM_BASE,
                                          .size = RAM_BYTES};

    send_message(session, VGPU_VFIO_DMA_MAP, &map, sizeof map, fcntl(world.ram_fd, F_DUPFD_CLOEXEC, 3));
}

static void access_region(struct vgpu_vfio_session *session, bool write)
{
    struct {
        struct vgpu_vfio_access access;
        uint8_t data[64];
    } message = {0};

    message.access.offset = take_number(1) < 0x80 ? take_number(2) : take_number(8);
    message.access.region = (uint32_t)take_number(1) % 12;
    message.access.count = (uint32_t)take_number(1) % (sizeof message.data + 1);
    send_message(session, write ? VGPU_VFIO_REGION_WRITE : VGPU_VFIO_REGION_READ, &message,
                 sizeof message.access + (write ? message.access.count : 0), -1);
}

static void set_irqs(struct vgpu_vfio_session *session)
{
    struct vgpu_vfio_irq_set set = {.argsz = sizeof set};
    const bool event = take_number(1) != 0;

    set.flags = (uint32_t)take_number(1);
    set.index = (uint32_t)take_number(1) % 5;
    set.start = (uint32_t)take_number(1);
    set.count = (uint32_t)take_number(1);
    send_message(session, VGPU_VFIO_SET_IRQS, &set, sizeof set,
                 event ? fcntl(world.event, F_DUPFD_CLOEXEC, 3) : -1);
}

static void ignore_dump(void *ctx, const char *line)
{
    (void)ctx;
    require(line != NULL);
}

static void one_step(struct vgpu_vfio_session *session)
{
    struct vgpu_port *port = vgpu_vfio_session_port(session);
    struct vgpu_vfio_region_info region = {.argsz = 64};
    struct vgpu_vfio_irq_info irq = {.argsz = sizeof irq};
    struct agpu_device_picture picture;

    world.now += 1000;
    switch (take_number(1) % 9) {
    case 0:
        region.index = (uint32_t)take_number(1);
        send_message(session, VGPU_VFIO_REGION_INFO, &region, sizeof region, -1);
        break;
    case 1:
        irq.index = (uint32_t)take_number(1);
        send_message(session, VGPU_VFIO_IRQ_INFO, &irq, sizeof irq, -1);
        break;
    case 2:
        access_region(session, false);
        break;
    case 3:
        access_region(session, true);
        break;
    case 4:
        set_irqs(session);
        break;
    case 5:
        send_message(session, VGPU_VFIO_DEVICE_RESET, NULL, 0, -1);
        break;
    case 6:
        if (vgpu_port_picture(port, &picture)) {
            require(picture.rgba != NULL && picture.width > 0 && picture.height > 0 &&
                    picture.pitch_bytes >= (uint64_t)picture.width * 4);
        }
        vgpu_port_dump(port, ignore_dump, NULL);
        break;
    case 7:
        vgpu_port_register_name(port, 0, take_number(1) * 4);
        break;
    default:
        vgpu_vfio_session_wake_event(session);
        vgpu_vfio_session_service(session);
        break;
    }
}

/* ---- one input ---- */

static void open_world(void)
{
    int pipes[2];

    world.ram_fd = memfd_create("fuzz-ram", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    require(world.ram_fd >= 0 && ftruncate(world.ram_fd, RAM_BYTES) == 0 &&
            fcntl(world.ram_fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    world.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    world.files[0] = -1;
    world.files[1] = memfd_create("fuzz-bar", MFD_CLOEXEC);
    require(world.event >= 0 && world.files[1] >= 0 && ftruncate(world.files[1], 0x10000) == 0);
    require(pipe2(pipes, O_CLOEXEC) == 0);
    world.files[2] = pipes[0];
    world.files[3] = 123456;
}

static struct agpu_device_plugin take_table(void)
{
    static const char *const names[] = {"liar", "", NULL, "two words", "\033[2J"};
    const uint64_t bits = take_number(1);
    struct agpu_device_plugin table = {
        .major = AGPU_DEVICE_PLUGIN_MAJOR + (bits >> 6 == 3),
        .minor = AGPU_DEVICE_PLUGIN_MINOR,
        .size = sizeof table - (bits >> 6 == 2),
        .name = names[take_number(1) % 64 % 5 * ((bits & 0x20) != 0)],
        .create = lying_create,
        .destroy = lying_destroy,
        .describe = lying_describe,
        .reset = lying_reset,
        .config_read = lying_config_read,
        .config_write = lying_config_write,
        .bar_read = lying_bar_read,
        .bar_write = lying_bar_write,
        .poll = lying_poll,
        .picture = (bits & 1) != 0 ? lying_picture : NULL,
        .dump = (bits & 2) != 0 ? lying_dump : NULL,
        .register_name = (bits & 4) != 0 ? lying_name : NULL,
    };

    if ((bits & 0x10) != 0) {
        table.poll = NULL;
    }
    return table;
}

static void take_description(void)
{
    for (size_t i = 0; i < AGPU_DEVICE_BARS; i++) {
        const uint32_t kind = (uint32_t)take_number(1);

        world.told.bars[i] = (struct agpu_device_bar){
            .size = (kind & 0x40) != 0   ? take_number(8)
                    : (kind & 0x20) != 0 ? UINT64_C(1) << take_number(1) % 64
                                         : 0,
            .is_64_bit = kind & 1,
            .prefetchable = kind >> 1 & 1,
            .memory_fd = world.files[kind >> 2 & 3],
        };
        /* In half of the cases sizing agrees. */
        world.ones[i] = (kind & 0x80) != 0             ? (uint32_t)take_number(4)
                        : world.told.bars[i].size == 0 ? 0
                                                       : (uint32_t)(~world.told.bars[i].size + 1) |
                                                             (kind & 1) << 2 | (kind >> 1 & 1) << 3;
    }
    world.told.config_bytes = (const uint32_t[]){256, 4096, 0, (uint32_t)take_number(2)}[take_number(1) % 4];
    world.told.msi_vectors = (uint32_t)take_number(1);
}

static void run_device(const struct agpu_device_plugin *table)
{
    const struct vgpu_vfio_session_config config = {
        .device = table, .map_vram = true, .now_ns = now_ns, .log = {.line = ignore_line}};
    const struct vgpu_vfio_version version = {VGPU_VFIO_MAJOR, VGPU_VFIO_MINOR};
    char message[512];
    struct vgpu_vfio_session *session = vgpu_vfio_session_create(&config, message, sizeof message);

    if (session == NULL) {
        require(memchr(message, '\0', sizeof message) != NULL && message[0] != '\0');
        return;
    }
    vgpu_vfio_session_connect(session);
    send_message(session, VGPU_VFIO_VERSION, &version, sizeof version, -1);
    map_ram(session);
    for (int i = 0; i < STEPS_MAX && input.left > 0; i++) {
        one_step(session);
    }
    vgpu_vfio_session_disconnect(session);
    vgpu_vfio_session_destroy(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct agpu_device_plugin table;
    char message[512];

    if (world.ram_fd == 0) {
        open_world();
    }
    input.at = data;
    input.left = size;
    world.now = 0;
    world.depth = 0;
    memset(world.config, 0, sizeof world.config);
    table = take_table();
    take_description();
    take(world.config, 64);
    take(world.config + 0x40, 16);
    if (vgpu_table_check(&table, message, sizeof message)) {
        require(table.poll != NULL && strcmp(table.name, "liar") == 0);
        run_device(&table);
    } else {
        require(message[0] != '\0');
    }
    return 0;
}
