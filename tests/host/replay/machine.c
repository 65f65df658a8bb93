/* machine.c: memory, time and interrupt line of a replayed device. */
#include "tests/host/replay/machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/device/plugin/printable.h"

/* A device that needs more consecutive service calls than this never comes to rest: continue with the next access. */
#define ROUNDS_MOST 100000u

/* Real time per step for a device with threads of its own. */
#define REAL_STEP_NS 20000

static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER; /* the device's threads write, too */

void agpu_replay_machine_note(struct agpu_replay_machine *machine, uint64_t address, uint64_t size)
{
    pthread_mutex_lock(&noting);
    if (machine->written_count != 0) {
        struct agpu_replay_range *last = &machine->written[machine->written_count - 1];

        /* Usually a range continues the previous one, or repeats it. */
        if (address >= last->address && address - last->address <= last->size) {
            const uint64_t end = address - last->address + size;

            last->size = end > last->size ? end : last->size;
            pthread_mutex_unlock(&noting);
            return;
        }
    }
    if (machine->written_count == machine->written_capacity) {
        const size_t capacity = machine->written_capacity != 0 ? 2 * machine->written_capacity : 256;
        void *grown =
            capacity <= 1u << 20 ? realloc(machine->written, capacity * sizeof *machine->written) : NULL;

        if (grown == NULL) {
            machine->lost_range = true;
            pthread_mutex_unlock(&noting);
            return;
        }
        machine->written = grown;
        machine->written_capacity = capacity;
    }
    machine->written[machine->written_count++] = (struct agpu_replay_range){address, size};
    pthread_mutex_unlock(&noting);
}

static void *replay_pointer(void *ctx, uint64_t address, uint64_t size, bool write)
{
    struct agpu_replay_machine *machine = ctx;
    const struct agpu_capture_region *region = agpu_capture_memory_find(machine->memory, address);
    void *place = region != NULL && region->kind != AGPU_CAPTURE_BAR &&
                          size <= region->size - (address - region->address)
                      ? region->bytes + (address - region->address)
                      : NULL;

    if (place != NULL && write) {
        agpu_replay_machine_note(machine, address, size);
    }
    return place;
}

static uint64_t replay_extent(void *ctx, uint64_t address, bool write)
{
    const struct agpu_replay_machine *machine = ctx;
    const struct agpu_capture_region *region = agpu_capture_memory_find(machine->memory, address);

    (void)write;
    return region != NULL && region->kind != AGPU_CAPTURE_BAR ? region->size - (address - region->address)
                                                              : 0;
}

static void replay_set_line(void *ctx, bool asserted)
{
    ((struct agpu_replay_machine *)ctx)->line = asserted;
}

/* The replay has enabled messages in configuration space and table. */
static bool replay_send_msi(void *ctx, uint32_t vector)
{
    struct agpu_replay_machine *machine = ctx;

    (void)vector;
    atomic_fetch_add_explicit(&machine->messages, 1, memory_order_release);
    return true;
}

static uint64_t replay_now(void *ctx)
{
    return ((const struct agpu_replay_machine *)ctx)->now_ns;
}

static void replay_log(void *ctx, const char *line)
{
    (void)ctx;
    vgpu_print_log(line);
}

static void keep_quiet(void *ctx, const char *line)
{
    (void)ctx;
    (void)line;
}

bool agpu_replay_machine_open(struct agpu_replay_machine *machine, const struct agpu_device_plugin *table,
                              const char *options, bool trusted, char *message, size_t message_size)
{
    const struct vgpu_port_machine seen = {
        .ctx = machine,
        .dma_pointer = replay_pointer,
        .dma_extent = replay_extent,
        .set_intx = replay_set_line,
        .send_msi = replay_send_msi,
        .now_ns = replay_now,
        .log = trusted ? keep_quiet : replay_log,
        .trust_description = trusted,
    };

    *machine = (struct agpu_replay_machine){.deadline_ns = UINT64_MAX, .trusted = trusted};
    machine->memory = agpu_capture_memory_create(AGPU_CAPTURE_TOUCHED_MOST);
    if (machine->memory == NULL) {
        snprintf(message, message_size, "no memory");
        return false;
    }
    machine->port = vgpu_port_create(&seen, table, options, message, message_size);
    if (machine->port == NULL) {
        agpu_replay_machine_close(machine);
        return false;
    }
    return true;
}

void agpu_replay_machine_close(struct agpu_replay_machine *machine)
{
    vgpu_port_destroy(machine->port);
    agpu_capture_memory_destroy(machine->memory);
    free(machine->written);
    *machine = (struct agpu_replay_machine){0};
}

void agpu_replay_machine_settle(struct agpu_replay_machine *machine)
{
    for (unsigned round = 0; round < ROUNDS_MOST; round++) {
        machine->deadline_ns = vgpu_port_service(machine->port);
        if (machine->deadline_ns > machine->now_ns && !vgpu_port_is_woken(machine->port)) {
            return;
        }
    }
}

void agpu_replay_machine_wait(struct agpu_replay_machine *machine, uint64_t step_ns)
{
    const struct timespec real = {.tv_nsec = REAL_STEP_NS};

    if (machine->deadline_ns != UINT64_MAX && machine->deadline_ns > machine->now_ns) {
        machine->now_ns = machine->deadline_ns;
    } else {
        /* Nothing is due: anything pending is being done by a thread of the device. Our model has none. */
        if (!machine->trusted) {
            clock_nanosleep(CLOCK_MONOTONIC, 0, &real, NULL);
        }
        machine->now_ns += step_ns;
    }
    agpu_replay_machine_settle(machine);
}
