/* test_port_threads.c: threads of a device use each host function that any thread may call, while the machine unmaps
 * and maps memory, and the driver switches Bus Master. Built with ThreadSanitizer if available. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/device/plugin/port.h"
#include "tests/unit/test.h"

#define RAM_BASE  UINT64_C(0x100000)
#define PIECE     0x1000u
#define WORKERS   4u
#define RAM_BYTES (2 * PIECE * WORKERS)
#define ROUNDS    2000

static struct {
    uint8_t ram[RAM_BYTES];
    bool mapped; /* protected by vgpu_port_lock_memory() */
    atomic_uint wakes, messages;
    atomic_ullong now;
    unsigned edges;      /* owner's thread only */
    atomic_uint entries; /* copies so far that overlap(); 0: they do not */
} world;

/* A copy lasts until the next one has begun, so that the lock is never free of readers, unless the lock makes the
 * next one wait for a writer. */
#define OVERLAP_YIELDS 200u
#define ENTRIES_MAX    2000000u

static void overlap(void)
{
    const unsigned mine = atomic_fetch_add(&world.entries, 1) + 1;

    for (unsigned i = 0; i < OVERLAP_YIELDS && atomic_load(&world.entries) == mine; i++) {
        sched_yield();
    }
}

static struct {
    const struct agpu_device_host *host;
    void *machine;
    uint32_t command;
    pthread_t workers[WORKERS];
    atomic_bool stop;
    atomic_uint copied, refused;
} device;

static void *world_pointer(void *ctx, uint64_t address, uint64_t size, bool write)
{
    (void)ctx;
    (void)write;
    if (!world.mapped || address < RAM_BASE || address - RAM_BASE >= RAM_BYTES ||
        size > PIECE - address % PIECE) {
        return NULL;
    }
    return world.ram + (address - RAM_BASE);
}

static uint64_t world_extent(void *ctx, uint64_t address, bool write)
{
    if (atomic_load(&world.entries) != 0) {
        overlap();
    }
    return world_pointer(ctx, address, 1, write) != NULL ? PIECE - address % PIECE : 0;
}

static void world_intx(void *ctx, bool asserted)
{
    (void)ctx;
    (void)asserted;
    world.edges++;
}

static bool world_msi(void *ctx, uint32_t vector)
{
    (void)ctx;
    atomic_fetch_add(&world.messages, 1);
    return vector == 0;
}

static uint64_t world_now(void *ctx)
{
    (void)ctx;
    return atomic_fetch_add(&world.now, 1);
}

static void world_wake(void *ctx)
{
    (void)ctx;
    atomic_fetch_add(&world.wakes, 1);
}

static void world_log(void *ctx, const char *line)
{
    (void)ctx;
    (void)line;
}

/* Each thread has two pages of its own, and copies across their border. */
static void *work(void *arg)
{
    const struct agpu_device_host *host = device.host;
    const uint64_t page = RAM_BASE + (uintptr_t)arg * 2 * PIECE;
    uint8_t out[64], in[64];

    for (unsigned i = 0; !atomic_load(&device.stop); i++) {
        memset(out, (int)(i + (uintptr_t)arg), sizeof out);
        if (host->dma_write(device.machine, page + PIECE - 32, out, sizeof out)) {
            atomic_fetch_add(&device.copied, 1);
            if (host->dma_read(device.machine, page + PIECE - 32, in, sizeof in)) {
                assert_memory_equal(in, out, sizeof in);
            }
        } else {
            atomic_fetch_add(&device.refused, 1);
        }
        assert_false(host->dma_read(device.machine, UINT64_MAX - 8, in, sizeof in));
        assert_null(host->dma_map(device.machine, page, 16, true)); /* not during a call */
        assert_int_equal(host->dma_extent(device.machine, page, true), 0);
        host->set_interrupt(device.machine, i % 2 == 0);
        host->send_msi(device.machine, i % 3);
        host->wake(device.machine);
        host->now_ns(device.machine);
        host->log(device.machine, "a line");
    }
    return NULL;
}

static void *threads_create(const struct agpu_device_host *host, void *machine, const char *options,
                            char *message, size_t message_size)
{
    (void)options;
    (void)message;
    (void)message_size;
    device.host = host;
    device.machine = machine;
    return &device;
}

static void threads_destroy(void *opaque)
{
    (void)opaque;
    atomic_store(&device.stop, true);
    for (size_t i = 0; i < WORKERS; i++) {
        pthread_join(device.workers[i], NULL);
    }
}

static void threads_describe(void *opaque, struct agpu_device_info *info)
{
    (void)opaque;
    info->config_bytes = 256;
    info->msi_vectors = 1;
}

static void threads_reset(void *opaque, enum agpu_device_reset kind)
{
    (void)opaque;
    (void)kind;
    device.command = 0;
}

static uint32_t threads_config_read(void *opaque, uint32_t offset, uint32_t size)
{
    (void)opaque;
    (void)size;
    return offset == 4 ? device.command : 0;
}

static void threads_config_write(void *opaque, uint32_t offset, uint32_t size, uint32_t value)
{
    (void)opaque;
    (void)size;
    if (offset == 4) {
        device.command = value;
    }
}

static uint64_t threads_bar_read(void *opaque, uint32_t bar, uint64_t offset, uint32_t size)
{
    (void)opaque;
    (void)bar;
    (void)offset;
    (void)size;
    return 0;
}

static void threads_bar_write(void *opaque, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    (void)opaque;
    (void)bar;
    (void)offset;
    (void)size;
    (void)value;
}

/* The owner's DMA during a call, concurrent with that of the threads: in the first half of the first page. */
static uint64_t threads_poll(void *opaque, uint64_t now_ns)
{
    uint8_t bytes[16] = {0};

    (void)opaque;
    (void)now_ns;
    device.host->dma_read(device.machine, RAM_BASE, bytes, sizeof bytes);
    return AGPU_DEVICE_NEVER;
}

static struct vgpu_port *create_port(void)
{
    static const struct agpu_device_plugin table = {
        .major = AGPU_DEVICE_PLUGIN_MAJOR,
        .size = sizeof table,
        .name = "threads",
        .create = threads_create,
        .destroy = threads_destroy,
        .describe = threads_describe,
        .reset = threads_reset,
        .config_read = threads_config_read,
        .config_write = threads_config_write,
        .bar_read = threads_bar_read,
        .bar_write = threads_bar_write,
        .poll = threads_poll,
    };
    static const struct vgpu_port_machine machine = {
        .dma_pointer = world_pointer,
        .dma_extent = world_extent,
        .set_intx = world_intx,
        .send_msi = world_msi,
        .now_ns = world_now,
        .wake = world_wake,
        .log = world_log,
        .trust_description = true, /* its configuration space has no MSI capability */
    };
    char message[256];
    struct vgpu_port *port = vgpu_port_create(&machine, &table, NULL, message, sizeof message);

    assert_non_null(port);
    return port;
}

static void start_workers(void *(*run)(void *))
{
    atomic_store(&device.stop, false);
    for (uintptr_t i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_create(&device.workers[i], NULL, run, (void *)i), 0);
    }
}

TEST(threads_of_a_device)
{
    struct vgpu_port *port = create_port();

    start_workers(work);
    for (unsigned i = 0; i < ROUNDS || atomic_load(&device.copied) == 0 || atomic_load(&device.refused) == 0;
         i++) {
        vgpu_port_lock_memory(port);
        world.mapped = i % 4 != 0;
        vgpu_port_unlock_memory(port);
        vgpu_port_config_write(port, 4, 2, i % 8 < 6 ? 4 : 0);
        if (vgpu_port_is_woken(port)) {
            vgpu_port_service(port);
        }
    }
    vgpu_port_destroy(port);
    assert_true(atomic_load(&world.wakes) > 0 && atomic_load(&world.messages) > 0);
}

static void *copy_without_pause(void *arg)
{
    uint8_t byte;

    (void)arg;
    while (!atomic_load(&device.stop) && atomic_load(&world.entries) < ENTRIES_MAX) {
        device.host->dma_read(device.machine, RAM_BASE, &byte, 1);
    }
    return NULL;
}

TEST(owner_is_not_locked_out)
{
    struct vgpu_port *port = create_port();
    unsigned entries;

    world.mapped = true;
    vgpu_port_config_write(port, 4, 2, 4);
    atomic_store(&world.entries, 1);
    start_workers(copy_without_pause);
    while (atomic_load(&world.entries) < WORKERS) {
        sched_yield();
    }
    vgpu_port_lock_memory(port);
    entries = atomic_load(&world.entries);
    vgpu_port_unlock_memory(port);
    vgpu_port_destroy(port);
    atomic_store(&world.entries, 0);
    assert_true(entries < ENTRIES_MAX); /* else the lock was free only because the threads had ended */
}
