/* bad_device.c: the minimal device with one thing wrong, named by the environment variable AGPU_BAD_DEVICE: what the tools
 * do with a plug-in that lies, crashes or hangs. */
#include <agpu_device_plugin.h>

const struct agpu_device_plugin *minimal_plugin(void);

/* Only the function takes the other name: the structure's is not followed by a parenthesis. */
#define agpu_device_plugin(arguments) minimal_plugin(arguments)
#include "tests/device/plugin/examples/minimal.c"
#undef agpu_device_plugin

#include <pthread.h>

static bool is_bad(const char *what)
{
    const char *chosen = getenv("AGPU_BAD_DEVICE");

    return chosen != NULL && strcmp(chosen, what) == 0;
}

static void bad_write(void *opaque, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    struct device *device = opaque;

    if (offset == DOORBELL * 4 && is_bad("crash")) {
        *(volatile uint32_t *)NULL = 1;
    }
    while (offset == DOORBELL * 4 && is_bad("hang")) {
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
    }
}

/* Does each ring's work on a thread of its own: what a device is free to do. */
static pthread_t worker;
static bool working;

static void *work(void *opaque)
{
    poll_device(opaque, 0);
    return NULL;
}

static uint64_t threaded_poll(void *opaque, uint64_t now_ns)
{
    (void)now_ns;
    if (working) {
        pthread_join(worker, NULL);
    }
    working = pthread_create(&worker, NULL, work, opaque) == 0;
    return AGPU_DEVICE_NEVER;
}

static void threaded_destroy(void *opaque)
{
    if (working) {
        pthread_join(worker, NULL);
    }
    destroy(opaque);
}

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    static struct agpu_device_plugin bad;

    bad = *minimal_plugin();
    bad.bar_write = bad_write;
    bad.describe = bad_describe;
    if (is_bad("version")) {
        bad.major = 7;
    } else if (is_bad("short")) {
        bad.size = 40;
    } else if (is_bad("null")) {
        bad.poll = NULL;
    } else if (is_bad("name")) {
        bad.name = "\033[2J";
    } else if (is_bad("threaded")) {
        bad.poll = threaded_poll;
        bad.destroy = threaded_destroy;
    }
    return is_bad("table") ? NULL : &bad;
}
