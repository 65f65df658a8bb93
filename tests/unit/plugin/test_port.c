/* test_port.c: the port between a device's table and the machine: DMA limits, allowed threads, allowed times. */
#include <pthread.h>
#include <string.h>

#include "tests/device/plugin/port.h"
#include "tests/unit/test.h"

#define RAM_BASE  UINT64_C(0x123450000)
#define RAM_BYTES 0x4000u
#define PIECE     0x1000u /* the machine maps memory in pieces of a page */

static struct {
    uint8_t ram[RAM_BYTES];
    bool line;
    unsigned edges, wakes;
    char said[400];
    uint64_t now;
} world;

/* The device: one configuration dword of storage, and its creation arguments. */
static struct {
    const struct agpu_device_host *host;
    void *machine;
    uint32_t command;
    uint64_t polled;
    bool wake_in_poll;
    bool save_fails, line_after_load;
    const char *refusal;   /* of load() */
    void (*in_poll)(void); /* called in the device's next poll() */
} probe;

static void *world_pointer(void *ctx, uint64_t address, uint64_t size, bool write)
{
    (void)ctx;
    (void)write;
    if (address < RAM_BASE || address - RAM_BASE >= RAM_BYTES || size > PIECE - address % PIECE) {
        return NULL;
    }
    return world.ram + (address - RAM_BASE);
}

static uint64_t world_extent(void *ctx, uint64_t address, bool write)
{
    return world_pointer(ctx, address, 1, write) != NULL ? PIECE - address % PIECE : 0;
}

static void world_intx(void *ctx, bool asserted)
{
    (void)ctx;
    world.line = asserted;
    world.edges++;
}

static uint64_t world_now(void *ctx)
{
    (void)ctx;
    return world.now;
}

static void world_wake(void *ctx)
{
    (void)ctx;
    world.wakes++;
}

static void world_log(void *ctx, const char *line)
{
    (void)ctx;
    strncpy(world.said, line, sizeof world.said - 1);
}

static void *probe_create(const struct agpu_device_host *host, void *machine, const char *options,
                          char *message, size_t message_size)
{
    (void)message;
    (void)message_size;
    probe.host = host;
    probe.machine = machine;
    return strcmp(options, "none") == 0 ? NULL : &probe;
}

static void probe_destroy(void *device)
{
    (void)device;
    probe.command = 0;
}

static void probe_describe(void *device, struct agpu_device_info *info)
{
    (void)device;
    info->config_bytes = 256;
}

static void probe_reset(void *device, enum agpu_device_reset kind)
{
    (void)device;
    (void)kind;
    probe.command = 0;
}

static uint32_t probe_config_read(void *device, uint32_t offset, uint32_t size)
{
    (void)device;
    (void)size;
    return offset == 4 ? 0xFFFF0000 | probe.command : 0;
}

static void probe_config_write(void *device, uint32_t offset, uint32_t size, uint32_t value)
{
    (void)device;
    (void)size;
    if (offset == 4) {
        probe.command = value;
    }
}

static uint64_t probe_bar_read(void *device, uint32_t bar, uint64_t offset, uint32_t size)
{
    (void)device;
    (void)bar;
    (void)offset;
    (void)size;
    return UINT64_MAX; /* more than the access has */
}

static void probe_bar_write(void *device, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    (void)device;
    (void)bar;
    (void)offset;
    (void)size;
    (void)value;
}

static uint64_t probe_poll(void *device, uint64_t now_ns)
{
    (void)device;
    probe.polled = now_ns;
    if (probe.wake_in_poll) {
        probe.host->wake(probe.machine);
    }
    if (probe.in_poll != NULL) {
        probe.in_poll();
    }
    return now_ns + 100;
}

static bool probe_save(void *device, agpu_device_store *store, void *ctx)
{
    (void)device;
    return !probe.save_fails && store(ctx, &probe.command, 1) && store(ctx, NULL, 0) &&
           store(ctx, (uint8_t *)&probe.command + 1, sizeof probe.command - 1);
}

static bool probe_load(void *device, const void *bytes, uint64_t size, char *message, size_t message_size)
{
    (void)device;
    if (probe.refusal != NULL) {
        strncpy(message, probe.refusal, message_size);
        return false;
    }
    assert_int_equal(size, sizeof probe.command);
    memcpy(&probe.command, bytes, sizeof probe.command);
    probe.host->set_interrupt(probe.machine, probe.line_after_load);
    return true;
}

static const struct agpu_device_plugin probe_table = {
    .major = AGPU_DEVICE_PLUGIN_MAJOR,
    .minor = AGPU_DEVICE_PLUGIN_MINOR,
    .size = sizeof(struct agpu_device_plugin),
    .name = "probe",
    .create = probe_create,
    .destroy = probe_destroy,
    .describe = probe_describe,
    .reset = probe_reset,
    .config_read = probe_config_read,
    .config_write = probe_config_write,
    .bar_read = probe_bar_read,
    .bar_write = probe_bar_write,
    .poll = probe_poll,
    .save = probe_save,
    .load = probe_load,
};

static const struct vgpu_port_machine machine = {
    .dma_pointer = world_pointer,
    .dma_extent = world_extent,
    .set_intx = world_intx,
    .now_ns = world_now,
    .wake = world_wake,
    .log = world_log,
};

static struct vgpu_port *port;

static int open_port(void **state)
{
    char message[256];

    (void)state;
    memset(&world, 0, sizeof world);
    memset(&probe, 0, sizeof probe);
    world.now = 1000;
    port = vgpu_port_create(&machine, &probe_table, NULL, message, sizeof message);
    assert_non_null(port);
    return 0;
}

static int close_port(void **state)
{
    (void)state;
    vgpu_port_destroy(port);
    return 0;
}

static void bus_master(bool on)
{
    vgpu_port_config_write(port, 4, 2, on ? 4 : 0);
}

static void map_without_bus_master(void)
{
    assert_null(probe.host->dma_map(probe.machine, RAM_BASE, 1, true));
    assert_int_equal(probe.host->dma_extent(probe.machine, RAM_BASE, false), 0);
}

static void map_with_bus_master(void)
{
    assert_null(probe.host->dma_map(probe.machine, RAM_BASE + PIECE - 1, 2, false));
    assert_ptr_equal(probe.host->dma_map(probe.machine, RAM_BASE + 5, 7, false), world.ram + 5);
    assert_null(probe.host->dma_map(probe.machine, RAM_BASE, 0, true));
    assert_null(probe.host->dma_map(probe.machine, UINT64_MAX, 2, true));
    assert_int_equal(probe.host->dma_extent(probe.machine, RAM_BASE + 1, true), PIECE - 1);
}

static void poll_with(void (*what)(void))
{
    probe.in_poll = what;
    vgpu_port_service(port);
    probe.in_poll = NULL;
}

static void map_on_a_visit(void *ctx, struct vgpu_port *visited)
{
    *(unsigned *)ctx += 1;
    assert_ptr_equal(visited, port);
    map_with_bus_master();
}

FIXTURE(open_port, close_port);

TEST(dma_is_gated_and_bounded)
{
    const struct agpu_device_host *host = probe.host;
    uint8_t bytes[RAM_BYTES + 1] = {1, 2, 3};
    unsigned visits = 0;

    assert_false(host->dma_write(probe.machine, RAM_BASE, bytes, 3));
    poll_with(map_without_bus_master);
    bus_master(true);
    assert_null(host->dma_map(probe.machine, RAM_BASE, 1, true)); /* only during a call */
    assert_non_null(
        strstr(world.said, "it called dma_map() on a thread of its own or between calls: expected"));
    assert_true(host->dma_write(probe.machine, RAM_BASE + PIECE - 1, bytes, 3)); /* across two pieces */
    assert_memory_equal(world.ram + PIECE - 1, bytes, 3);
    memset(bytes, 0, sizeof bytes);
    assert_true(host->dma_read(probe.machine, RAM_BASE + PIECE - 1, bytes, 3));
    assert_int_equal(bytes[2], 3);
    assert_true(host->dma_read(probe.machine, RAM_BASE, bytes, 0));
    poll_with(map_with_bus_master);
    vgpu_port_visit(port, map_on_a_visit, &visits);
    assert_int_equal(visits, 1);
    assert_null(host->dma_map(probe.machine, RAM_BASE, 1, true));

    /* If part of a range is unmapped, nothing is copied. */
    memset(bytes, 9, sizeof bytes);
    assert_false(host->dma_write(probe.machine, RAM_BASE, bytes, RAM_BYTES + 1));
    assert_int_equal(world.ram[0], 0);
    assert_false(host->dma_write(probe.machine, UINT64_MAX, bytes, 2));
    assert_false(host->dma_write(probe.machine, 0, bytes, UINT64_MAX));
    assert_true(vgpu_port_refused_dma(port) >= 5);
    assert_int_equal(vgpu_port_absurd_dma(port), 1); /* not the range that wraps: its size is possible */
    assert_non_null(strstr(world.said, "asked for absurd DMA: to write 18446744073709551615 bytes at 0x0;"));
    bus_master(false);
    assert_false(host->dma_read(probe.machine, RAM_BASE, bytes, 1));
    bus_master(true);
    vgpu_port_reset(port, AGPU_DEVICE_RESET_FUNCTION); /* the command register is 0 again */
    assert_false(host->dma_read(probe.machine, RAM_BASE, bytes, 1));
}

static void *from_another_thread(void *unused)
{
    static uint8_t byte = 0x5A;

    (void)unused;
    assert_true(probe.host->dma_write(probe.machine, RAM_BASE + 9, &byte, 1));
    assert_null(probe.host->dma_map(probe.machine, RAM_BASE, 1, false)); /* only the owner's thread */
    probe.host->set_interrupt(probe.machine, true);
    return NULL;
}

TEST(threads_copy_and_wake)
{
    pthread_t thread;

    bus_master(true);
    assert_int_equal(pthread_create(&thread, NULL, from_another_thread, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(world.ram[9], 0x5A);
    assert_int_equal(world.wakes, 1);
    assert_false(world.line); /* not before the owner polls */
    vgpu_port_service(port);
    assert_true(world.line);
    assert_int_equal(world.edges, 1);
    probe.host->set_interrupt(probe.machine, true); /* no change */
    assert_int_equal(world.edges, 1);
    probe.host->set_interrupt(probe.machine, false);
    assert_false(world.line);
}

TEST(time_is_the_device_s_own)
{
    world.now = 1500;
    assert_int_equal(vgpu_port_service(port), 1600);
    assert_int_equal(probe.polled, 500);
    assert_int_equal(probe.host->now_ns(probe.machine), 500);
    probe.wake_in_poll = true; /* wakes at once again */
    assert_int_equal(vgpu_port_service(port), 1500);
}

TEST(answers_are_cut_and_remembered)
{
    const struct vgpu_port_call *call = vgpu_port_last_call();

    assert_int_equal(vgpu_port_bar_read(port, 0, 8, 1), 0xFF);
    assert_int_equal(vgpu_port_bar_read(port, 0, 8, 2), 0xFFFF);
    assert_true(vgpu_port_bar_read(port, 0, 8, 8) == UINT64_MAX);
    assert_int_equal(vgpu_port_config_read(port, 4, 2), 0);
    vgpu_port_bar_write(port, 2, 0x40, 4, 77);
    assert_string_equal(call->what, "bar_write");
    assert_int_equal(call->bar, 2);
    assert_int_equal(call->offset, 0x40);
    assert_int_equal(call->value, 77);
    assert_false(call->inside);
}

/* The state passes in pieces; the clock continues; the line changes only if the loaded device drives another level. */
TEST(save_and_restore)
{
    char message[64];

    bus_master(true);
    probe.host->set_interrupt(probe.machine, true);
    probe.line_after_load = true;
    world.now = 5000;
    assert_true(vgpu_port_save_and_restore(port, message, sizeof message));
    assert_int_equal(probe.command, 4);
    assert_int_equal(probe.host->now_ns(probe.machine), 4000);
    assert_int_equal(world.edges, 1);
    assert_true(probe.host->dma_write(probe.machine, RAM_BASE, "x", 1)); /* bus master again */
    probe.line_after_load = false;
    assert_true(vgpu_port_save_and_restore(port, message, sizeof message));
    assert_int_equal(world.edges, 2);
    assert_false(world.line);
}

/* A device that cannot be saved or loaded starts again. */
TEST(not_restored)
{
    char message[64];

    bus_master(true);
    probe.refusal = "expected 8 bytes\n";
    assert_false(vgpu_port_save_and_restore(port, message, sizeof message));
    assert_string_equal(message, "expected 8 bytes?");
    assert_int_equal(probe.command, 0);
    assert_false(probe.host->dma_write(probe.machine, RAM_BASE, "x", 1));
    probe.refusal = NULL;
    probe.save_fails = true;
    bus_master(true);
    assert_false(vgpu_port_save_and_restore(port, message, sizeof message));
    assert_non_null(strstr(message, "save() failed"));
    assert_int_equal(probe.command, 0);
}

FIXTURE(NULL, NULL);

TEST(a_device_that_is_not_made)
{
    char message[256];

    assert_null(vgpu_port_create(&machine, &probe_table, "none", message, sizeof message));
    assert_non_null(strstr(message, "gave no reason"));
}
