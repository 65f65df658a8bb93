/* bad_device.c: the minimal device with one defect or one optional feature, named by the environment variable
 * AGPU_BAD_DEVICE. It shows how the tools handle a plug-in that is inconsistent, crashes, stalls, hangs, or uses
 * everything that a plug-in may use. AGPU_BAD_ONCE names a file that the defect creates; if the file exists, the device
 * works. */
#include <agpu_device_plugin.h>

const struct agpu_device_plugin *minimal_plugin(void);

/* Renames the function only: the name of the structure is not followed by a parenthesis. */
#define agpu_device_plugin(arguments) minimal_plugin(arguments)
#include "tests/device/plugin/examples/minimal.c"
#undef agpu_device_plugin

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

static bool is_bad(const char *what)
{
    const char *chosen = getenv("AGPU_BAD_DEVICE");

    return chosen != NULL && strcmp(chosen, what) == 0;
}

/* Returns whether the defect must occur now: with AGPU_BAD_ONCE only once. */
static bool happens(const char *what)
{
    const char *once = getenv("AGPU_BAD_ONCE");
    int fd;

    if (!is_bad(what)) {
        return false;
    }
    if (once == NULL) {
        return true;
    }
    fd = open(once, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
    }
    return fd >= 0;
}

/* The driver has written the doorbell, and reads a register while it waits. */
static bool rung;

static uint64_t bad_read(void *opaque, uint32_t bar, uint64_t offset, uint32_t size)
{
    if (rung && happens("stall")) {
        sleep(7); /* longer than QEMU waits by itself */
    }
    if (rung && happens("hang_read")) {
        for (;;) {
            pause();
        }
    }
    return bar_read(opaque, bar, offset, size);
}

static const char *name_register(void *device, uint32_t bar, uint64_t offset)
{
    (void)device;
    return bar == 0 && offset == DOORBELL * 4 ? "DOORBELL" : NULL;
}

static bool show_picture(void *device, struct agpu_device_picture *picture)
{
    static const uint8_t pixels[2][3][4] = {{{255, 0, 0, 0}, {0, 255, 0, 0}}, {{0, 0, 255, 0}, {9, 8, 7, 0}}};

    (void)device;
    *picture = (struct agpu_device_picture){.width = 2, .height = 2, .pitch_bytes = 12, .rgba = pixels[0][0]};
    if (is_bad("picture_size")) {
        picture->width = UINT32_MAX;
    } else if (is_bad("picture_pitch")) {
        picture->pitch_bytes = 4;
    }
    return true;
}

static void dump_state(void *opaque, agpu_device_line *line, void *ctx)
{
    const struct device *device = opaque;
    char text[80];

    snprintf(text, sizeof text, "doorbell %d, \033[2J fence %u", device->doorbell,
             device->reg[COMPLETED_FENCE]);
    line(ctx, text);
}

/* Adds a capability for four vectors. */
static void add_msi(struct device *device)
{
    if (is_bad("msi") || is_bad("msi_less")) {
        store(device->config, 0x06, 2, 0x10);
        store(device->config, 0x34, 1, 0x50);
        store(device->config, 0x50, 4, 0x00040005);
    } else if (is_bad("msi_circle")) {
        store(device->config, 0x06, 2, 0x10);
        store(device->config, 0x34, 1, 0x50);
        store(device->config, 0x50, 4, 0x00005009);
    }
}

static void *bad_create(const struct agpu_device_host *host, void *machine, const char *options,
                        char *message, size_t message_size)
{
    struct device *device;

    if (is_bad("escape_message")) {
        snprintf(message, message_size, "\033[2Jno \x9bwish");
        return NULL;
    }
    device = create(host, machine, options, message, message_size);
    if (is_bad("crash_log")) {
        host->log(machine, "all is well");
    }
    if (is_bad("escape_log")) {
        host->log(machine, "\033[2Jall is \r\x9bwell\n");
    }
    if (device != NULL) {
        add_msi(device);
    }
    return device;
}

static void bad_reset(void *device, enum agpu_device_reset kind)
{
    while (is_bad("hang_reset")) {
        pause();
    }
    reset(device, kind);
    add_msi(device);
}

static void bad_write(void *opaque, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    struct device *device = opaque;

    rung = rung || offset == DOORBELL * 4;
    if (offset == DOORBELL * 4 && is_bad("msi")) {
        device->host->send_msi(device->machine, 2);
    } else if (offset == DOORBELL * 4 && is_bad("msi_vector")) {
        device->host->send_msi(device->machine, 3);
    }
    if (offset == DOORBELL * 4 && is_bad("restored")) {
        fputs("vdev: saved and restored 9 times\nrestored 9\n", stderr);
        dprintf(3, "restored 9\n"); /* the descriptor on which the tool reports to its parent */
    }
    if (offset == DOORBELL * 4 && is_bad("exit")) {
        exit(3);
    }
    if (offset == DOORBELL * 4 && is_bad("stop")) {
        raise(SIGSTOP); /* stops the watchdog in this process too */
    }
    if (offset == DOORBELL * 4 && (happens("crash") || is_bad("crash_log"))) {
        *(volatile uint32_t *)NULL = 1;
    }
    if (offset == DOORBELL * 4 && happens("hang")) {
        for (;;) {
        }
    }
    if (offset == DOORBELL * 4 && happens("panic")) {
        fputs("device of a test: this is no report of a crash\n", stderr);
        fputs("thread '<unnamed>' panicked at src/ring.rs:7:5:\nthe ring is empty", stderr);
        abort();
    }
    if (offset == DOORBELL * 4 && is_bad("dma")) {
        static uint8_t bytes[64];

        device->host->dma_write(device->machine, UINT64_MAX - 8, bytes, UINT64_MAX);
        device->host->dma_write(device->machine, 0, bytes, UINT64_MAX / 2);
        device->host->dma_read(device->machine, UINT64_MAX, bytes, 2);
        if (device->host->dma_map(device->machine, 16, UINT64_MAX, true) != NULL ||
            device->host->dma_extent(device->machine, UINT64_MAX, true) != 0) {
            abort();
        }
    }
    bar_write(opaque, bar, offset, size, value);
}

static void bad_describe(void *opaque, struct agpu_device_info *info)
{
    describe(opaque, info);
    if (is_bad("size")) {
        info->bars[0].size *= 2;
    } else if (is_bad("odd_size")) {
        info->bars[0].size = 100;
    } else if (is_bad("config")) {
        info->config_bytes = 100000;
    } else if (is_bad("memory")) {
        info->bars[0].memory_fd = 12345;
    } else if (is_bad("msi")) {
        info->msi_vectors = 4;
    } else if (is_bad("msi_less")) {
        info->msi_vectors = 2;
    } else if (is_bad("msi_none") || is_bad("msi_circle")) {
        info->msi_vectors = 1;
    }
}

/* Executes the work of each doorbell and reset on a thread of its own, as a device may do. */
static pthread_t worker;
static bool working;

static void *work(void *opaque)
{
    const struct device *device = opaque;

    if (is_bad("threaded_late") && device->reset_memory) {
        usleep(3000); /* the registers show the reset already */
    }
    poll_device(opaque, 0);
    return NULL;
}

static uint64_t threaded_poll(void *opaque, uint64_t now_ns)
{
    const struct device *device = opaque;

    (void)now_ns;
    if (working) {
        pthread_join(worker, NULL);
    }
    working = (device->doorbell || device->reset_memory) && pthread_create(&worker, NULL, work, opaque) == 0;
    return AGPU_DEVICE_NEVER;
}

static void threaded_destroy(void *opaque)
{
    if (working) {
        pthread_join(worker, NULL);
    }
    destroy(opaque);
}

/* Threads that read the machine's memory all the time, at mapped and unmapped addresses. */
static pthread_t readers[64];
static atomic_bool stop_reading;
static struct device *read_for;

static void *read_memory(void *arg)
{
    uint64_t address = (uintptr_t)arg * 0x1010101;
    uint8_t bytes[512];

    if (is_bad("thread_crash")) {
        *(volatile uint32_t *)NULL = 1;
    }
    while (!atomic_load(&stop_reading)) {
        for (int i = 0; i < 64; i++) {
            address = address * UINT64_C(6364136223846793005) + 1442695040888963407;
            read_for->host->dma_read(read_for->machine, address >> 31, bytes, address >> 7 & 511);
        }
        read_for->host->now_ns(read_for->machine);
        read_for->host->wake(read_for->machine);
    }
    return NULL;
}

static void *reading_create(const struct agpu_device_host *host, void *machine, const char *options,
                            char *message, size_t message_size)
{
    read_for = bad_create(host, machine, options, message, message_size);
    for (uintptr_t i = 0; read_for != NULL && i < 64; i++) {
        if (pthread_create(&readers[i], NULL, read_memory, (void *)i) != 0) {
            abort();
        }
    }
    return read_for;
}

static void reading_destroy(void *opaque)
{
    atomic_store(&stop_reading, true);
    for (size_t i = 0; i < 64; i++) {
        pthread_join(readers[i], NULL);
    }
    destroy(opaque);
}

static bool cannot_save(void *device, agpu_device_store *store_bytes, void *ctx)
{
    (void)device, (void)store_bytes, (void)ctx;
    return false;
}

static bool cannot_load(void *device, const void *bytes, uint64_t size, char *message, size_t message_size)
{
    (void)device, (void)bytes, (void)size;
    snprintf(message, message_size, "expected no state");
    return false;
}

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    static struct agpu_device_plugin bad;

    bad = *minimal_plugin();
    bad.create = bad_create;
    bad.reset = bad_reset;
    bad.bar_read = bad_read;
    bad.bar_write = bad_write;
    bad.register_name = name_register;
    bad.picture = show_picture;
    bad.dump = dump_state;
    bad.describe = bad_describe;
    if (is_bad("version")) {
        bad.major = 7;
    } else if (is_bad("short")) {
        bad.size = 40;
    } else if (is_bad("null")) {
        bad.poll = NULL;
    } else if (is_bad("name")) {
        bad.name = "\033[2J";
    } else if (is_bad("restored")) {
        bad.save = cannot_save;
        bad.load = cannot_load;
    } else if (is_bad("entry")) {
        abort();
    } else if (is_bad("reading") || is_bad("thread_crash")) {
        bad.create = reading_create;
        bad.destroy = reading_destroy;
    } else if (is_bad("threaded") || is_bad("threaded_late")) {
        bad.poll = threaded_poll;
        bad.destroy = threaded_destroy;
    }
    return is_bad("table") ? NULL : &bad;
}
