/* port.c: calls into the table, and the host table that the device is created with. */
#include "tests/device/plugin/port.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/plugin/port_dma.h"
#include "tests/device/plugin/port_private.h"
#include "tests/device/plugin/printable.h"
#include "tests/device/plugin/table.h"

#define COMMAND_OFFSET     4u
#define COMMAND_BUS_MASTER 4u

/* Number of configuration space in calls of a tap. */
#define CONFIG_SPACE 0xFFu

/* ---- the host table ---- */

static void wake_owner(struct vgpu_port *port)
{
    atomic_store_explicit(&port->service, true, memory_order_release);
    if (port->machine.wake != NULL) {
        port->machine.wake(port->machine.ctx);
    }
}

/* Returns true when a tap must be called; the caller ends the call. Accesses that the tap makes meanwhile are
 * not reported. */
static bool begin_tap(struct vgpu_port *port)
{
    if (port->tap == NULL || port->tapping) {
        return false;
    }
    port->tapping = true;
    return true;
}

static void tell_worked(struct vgpu_port *port)
{
    if (begin_tap(port)) {
        port->tap->worked(port->tap->ctx);
        port->tapping = false;
    }
}

static void tell_write(struct vgpu_port *port, uint32_t space, uint64_t offset, uint32_t size, uint64_t value)
{
    if (begin_tap(port)) {
        port->tap->write(port->tap->ctx, space, offset, size, value);
        port->tapping = false;
    }
}

static uint64_t tell_read(struct vgpu_port *port, uint32_t space, uint64_t offset, uint32_t size,
                          uint64_t value)
{
    if (begin_tap(port)) {
        port->tap->read(port->tap->ctx, space, offset, size, value);
        port->tapping = false;
    }
    return value;
}

static void tell_line(struct vgpu_port *port)
{
    const bool asserted = atomic_load_explicit(&port->line, memory_order_acquire);

    if (asserted != port->line_told) {
        port->line_told = asserted;
        if (begin_tap(port)) {
            port->tap->line(port->tap->ctx, asserted);
            port->tapping = false;
        }
        port->machine.set_intx(port->machine.ctx, asserted);
    }
}

static void tell_message(struct vgpu_port *port, uint32_t vector)
{
    if (begin_tap(port)) {
        port->tap->message(port->tap->ctx, vector);
        port->tapping = false;
    }
}

/* Reports the messages that other threads sent. */
static void tell_messages(struct vgpu_port *port)
{
    uint64_t sent = atomic_exchange_explicit(&port->messages, 0, memory_order_acquire);

    for (uint32_t vector = 0; sent != 0; vector++, sent >>= 1) {
        if ((sent & 1) != 0) {
            tell_message(port, vector);
        }
    }
}

static void host_set_interrupt(void *machine, bool asserted)
{
    struct vgpu_port *port = machine;

    if (!vgpu_port_is_alive(port)) {
        return;
    }
    atomic_store_explicit(&port->line, asserted, memory_order_release);
    if (vgpu_port_is_owner(port)) {
        tell_line(port);
    } else {
        wake_owner(port);
    }
}

static bool host_send_msi(void *machine, uint32_t vector)
{
    struct vgpu_port *port = machine;

    if (!vgpu_port_is_alive(port)) {
        return false;
    }
    if (vector >= port->info.msi_vectors && vector >= port->msix.vectors) {
        if (!atomic_exchange(&port->msi_reported, true)) {
            char line[160];

            snprintf(line, sizeof line,
                     "send_msi(%" PRIu32 ") of a device with %" PRIu32
                     " MSI vectors: describe() gives their number; and %" PRIu32 " of MSI-X",
                     vector, port->info.msi_vectors, port->msix.vectors);
            port->machine.log(port->machine.ctx, line);
        }
        return false;
    }
    if (port->machine.send_msi == NULL || !port->machine.send_msi(port->machine.ctx, vector)) {
        return false;
    }
    if (vgpu_port_is_owner(port)) {
        tell_message(port, vector);
    } else {
        atomic_fetch_or_explicit(&port->messages, UINT64_C(1) << vector % 64, memory_order_release);
    }
    return true;
}

static uint64_t host_now_ns(void *machine)
{
    struct vgpu_port *port = machine;

    return vgpu_port_is_alive(port) ? port->machine.now_ns(port->machine.ctx) - port->epoch_ns : 0;
}

static void host_wake(void *machine)
{
    if (vgpu_port_is_alive(machine)) {
        wake_owner(machine);
    }
}

/* Limits of a device's log and of one line, so that a device cannot fill the tester's disk. */
#define LOG_BYTES 16777216u
#define LOG_LINE  1000

static void host_log(void *machine, const char *line)
{
    struct vgpu_port *port = machine;
    const size_t length = strnlen(line, LOG_LINE) + 1;
    const uint64_t before = vgpu_port_is_alive(port) ? atomic_fetch_add(&port->logged, length) : LOG_BYTES;
    char cut[LOG_LINE + 1];

    if (before < LOG_BYTES) {
        const bool last = before + length >= LOG_BYTES;

        snprintf(cut, sizeof cut, "%.*s", LOG_LINE, line);
        vgpu_make_printable(cut);
        port->machine.log(port->machine.ctx, cut);
        if (last) {
            port->machine.log(port->machine.ctx,
                              "the device has logged more than 16 MiB: the rest is dropped");
        }
    }
}

static const struct agpu_device_host host_table = {
    .major = AGPU_DEVICE_PLUGIN_MAJOR,
    .minor = AGPU_DEVICE_PLUGIN_MINOR,
    .size = sizeof(struct agpu_device_host),
    .dma_read = vgpu_port_dma_read,
    .dma_write = vgpu_port_dma_write,
    .dma_map = vgpu_port_dma_map,
    .dma_extent = vgpu_port_dma_extent,
    .set_interrupt = host_set_interrupt,
    .send_msi = host_send_msi,
    .now_ns = host_now_ns,
    .wake = host_wake,
    .log = host_log,
};

/* ---- sizing of the BARs, as firmware does it (PCI Local Bus Specification 3.0, 6.2.5.1) ---- */

#define BAR_OFFSET 0x10u

static void probe_bars(struct vgpu_port *port, uint32_t ones[AGPU_DEVICE_BARS])
{
    for (uint32_t bar = 0; bar < AGPU_DEVICE_BARS; bar++) {
        const uint32_t offset = BAR_OFFSET + 4 * bar;
        const uint32_t before = vgpu_port_config_read(port, offset, 4);

        vgpu_port_config_write(port, offset, 4, UINT32_MAX);
        ones[bar] = vgpu_port_config_read(port, offset, 4);
        vgpu_port_config_write(port, offset, 4, before);
    }
}

#define STATUS_OFFSET       6u
#define STATUS_CAPABILITIES 0x10u
#define CAPABILITIES_OFFSET 0x34u
#define CAPABILITY_MSI      0x05u
#define CAPABILITY_MSIX     0x11u
#define MSIX_COUNT          0x7FFu /* of message control: number of vectors - 1 */
#define MSIX_TABLE          4u
#define MSIX_BAR_MASK       7u
#define MSIX_ENTRY          16u
/* Each capability takes at least 4 bytes, so a longer list is circular. */
#define CAPABILITIES_MAX 48

/* Offset of a capability in configuration space (PCI Local Bus Specification 3.0, 6.7); 0: there is none. */
static uint32_t probe_capability(struct vgpu_port *port, uint32_t id)
{
    uint32_t at = vgpu_port_config_read(port, CAPABILITIES_OFFSET, 1) & ~3u;

    if ((vgpu_port_config_read(port, STATUS_OFFSET, 2) & STATUS_CAPABILITIES) == 0) {
        return 0;
    }
    for (int i = 0; i < CAPABILITIES_MAX && at >= 0x40 && at < 0x100; i++) {
        if (vgpu_port_config_read(port, at, 1) == id) {
            return at;
        }
        at = vgpu_port_config_read(port, at + 1, 1) & ~3u;
    }
    return 0;
}

/* Returns the number of MSI vectors (6.8.1). */
static uint32_t probe_msi(struct vgpu_port *port)
{
    const uint32_t at = probe_capability(port, CAPABILITY_MSI);

    return at != 0 ? 1u << (vgpu_port_config_read(port, at + 2, 2) >> 1 & 7) : 0;
}

/* An MSI-X table outside every BAR has no vector that could be enabled; the cases report that error. */
static void probe_msix(struct vgpu_port *port)
{
    const uint32_t at = probe_capability(port, CAPABILITY_MSIX);
    const uint32_t vectors = at != 0 ? (vgpu_port_config_read(port, at + 2, 2) & MSIX_COUNT) + 1 : 0;
    const uint32_t table = at != 0 ? vgpu_port_config_read(port, at + MSIX_TABLE, 4) : 0;
    const uint32_t bar = table & MSIX_BAR_MASK;
    const uint64_t offset = table & ~MSIX_BAR_MASK, bytes = (uint64_t)vectors * MSIX_ENTRY;

    if (bar < AGPU_DEVICE_BARS && offset <= port->info.bars[bar].size &&
        bytes <= port->info.bars[bar].size - offset) {
        port->msix = (struct vgpu_port_msix){vectors, bar, offset};
    }
}

/* ---- creation and destruction ---- */

/* The last destroyed ports stay allocated: a thread that a device did not end may still call. */
#define GONE_MAX 16u

static void bury(struct vgpu_port *port)
{
    static struct vgpu_port *gone[GONE_MAX];
    static unsigned next;

    atomic_store_explicit(&port->gone, true, memory_order_release);
    if (gone[next] != NULL) {
        pthread_rwlock_destroy(&gone[next]->memory);
        free(gone[next]->options);
        free(gone[next]);
    }
    gone[next] = port;
    next = (next + 1) % GONE_MAX;
}

static void refresh_command(struct vgpu_port *port)
{
    const uint32_t command = port->table->config_read(port->device, COMMAND_OFFSET, 2);

    atomic_store_explicit(&port->bus_master, (command & COMMAND_BUS_MASTER) != 0, memory_order_relaxed);
}

static void describe(struct vgpu_port *port, struct agpu_device_info *info)
{
    const struct vgpu_port *outer;

    *info = (struct agpu_device_info){0};
    for (size_t i = 0; i < AGPU_DEVICE_BARS; i++) {
        info->bars[i].memory_fd = -1;
    }
    outer = vgpu_port_enter(port, "describe", 0, 0, 0, 0);
    port->table->describe(port->device, info);
    vgpu_port_leave(outer);
}

/* The device is asked to describe itself twice: before and after the accesses of probe_bars(). */
static bool describes_the_same(struct vgpu_port *port, char *message, size_t message_size)
{
    struct agpu_device_info again;

    describe(port, &again);
    return vgpu_table_check_same(&port->info, &again, message, message_size);
}

/* Calls create(). Returns false with the reason in message. */
static bool create_device(struct vgpu_port *port, char *message, size_t message_size)
{
    const struct vgpu_port *outer;

    snprintf(message, message_size, "create() failed and gave no reason");
    outer = vgpu_port_enter(port, "create", 0, 0, 0, 0);
    port->device = port->table->create(&host_table, port, port->options, message, message_size);
    vgpu_port_leave(outer);
    message[message_size - 1] = '\0'; /* the plug-in may not have terminated it */
    vgpu_make_printable(message);
    return port->device != NULL;
}

static void destroy_device(struct vgpu_port *port)
{
    const struct vgpu_port *outer = vgpu_port_enter(port, "destroy", 0, 0, 0, 0);

    port->table->destroy(port->device);
    vgpu_port_leave(outer);
}

struct vgpu_port *vgpu_port_create(const struct vgpu_port_machine *machine,
                                   const struct agpu_device_plugin *table, const char *options, char *message,
                                   size_t message_size)
{
    struct vgpu_port *port = calloc(1, sizeof *port);
    pthread_rwlockattr_t fair; /* else threads that copy without pause lock the owner out for ever */
    uint32_t ones[AGPU_DEVICE_BARS];

    if (port != NULL) {
        port->options = strdup(options != NULL ? options : "");
    }
    if (port == NULL || port->options == NULL) {
        snprintf(message, message_size, "no memory");
        free(port);
        return NULL;
    }
    port->table = table;
    port->machine = *machine;
    port->owner = pthread_self();
    port->epoch_ns = machine->now_ns(machine->ctx);
    pthread_rwlockattr_init(&fair);
    pthread_rwlockattr_setkind_np(&fair, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&port->memory, &fair);
    pthread_rwlockattr_destroy(&fair);
    if (!create_device(port, message, message_size)) {
        bury(port);
        return NULL;
    }
    describe(port, &port->info);
    probe_bars(port, ones);
    if (!describes_the_same(port, message, message_size)) {
        vgpu_port_destroy(port);
        return NULL;
    }
    if (!machine->trust_description &&
        (!vgpu_table_check_info(&port->info, ones, message, message_size) ||
         !vgpu_table_check_msi(&port->info, probe_msi(port), message, message_size))) {
        vgpu_port_destroy(port);
        return NULL;
    }
    probe_msix(port);
    refresh_command(port);
    return port;
}

void vgpu_port_destroy(struct vgpu_port *port)
{
    if (port == NULL) {
        return;
    }
    destroy_device(port);
    bury(port);
}

/* ---- save and restore ---- */

/* The limit ends a save() that never ends. */
#define STATE_MOST (UINT64_C(8) << 30)

struct stored_state {
    uint8_t *bytes;
    uint64_t size, room;
};

static bool store_state(void *ctx, const void *bytes, uint64_t size)
{
    struct stored_state *state = ctx;

    if (size > STATE_MOST - state->size) {
        return false;
    }
    if (size > state->room - state->size) {
        const uint64_t room = 2 * (state->size + size);
        uint8_t *grown = realloc(state->bytes, room);

        if (grown == NULL) {
            return false;
        }
        state->bytes = grown;
        state->room = room;
    }
    if (size != 0) {
        memcpy(state->bytes + state->size, bytes, size);
    }
    state->size += size;
    return true;
}

/* Creates the device again, which a tool cannot do without. */
static void create_again(struct vgpu_port *port)
{
    char message[400];

    destroy_device(port);
    atomic_store_explicit(&port->bus_master, false, memory_order_relaxed);
    atomic_store_explicit(&port->line, false, memory_order_relaxed);
    if (!create_device(port, message, sizeof message)) {
        fprintf(stderr, "device %s: expected create() to succeed a second time, found: %s\n",
                port->table->name, message);
        exit(1);
    }
}

static bool load_state(struct vgpu_port *port, const struct stored_state *state, char *message,
                       size_t message_size)
{
    const struct vgpu_port *outer;
    bool loaded;

    snprintf(message, message_size, "load() failed and gave no reason");
    outer = vgpu_port_enter(port, "load", 0, 0, 0, state->size);
    loaded = port->table->load(port->device, state->bytes, state->size, message, message_size);
    vgpu_port_leave(outer);
    message[message_size - 1] = '\0';
    vgpu_make_printable(message);
    return loaded;
}

/* The loaded device describes itself as the saved one, but for the memory files, which are its own. */
static bool describes_again(struct vgpu_port *port, char *message, size_t message_size)
{
    struct agpu_device_info before = port->info;

    describe(port, &port->info);
    for (size_t i = 0; i < AGPU_DEVICE_BARS; i++) {
        if (before.bars[i].memory_fd >= 0 && port->info.bars[i].memory_fd >= 0) {
            before.bars[i].memory_fd = port->info.bars[i].memory_fd;
        }
    }
    return vgpu_table_check_same(&before, &port->info, message, message_size);
}

bool vgpu_port_save_and_restore(struct vgpu_port *port, char *message, size_t message_size)
{
    const struct vgpu_port *outer;
    struct stored_state state = {0};
    bool restored;

    snprintf(message, message_size, "save() failed: expected its state, of at most 8 GiB");
    outer = vgpu_port_enter(port, "save", 0, 0, 0, 0);
    restored = port->table->save(port->device, store_state, &state);
    vgpu_port_leave(outer);
    create_again(port);
    restored = restored && load_state(port, &state, message, message_size);
    if (!restored) {
        create_again(port);
    }
    free(state.bytes);
    restored = describes_again(port, message, message_size) && restored;
    refresh_command(port);
    tell_line(port);
    return restored;
}

const struct vgpu_port_msix *vgpu_port_msix(const struct vgpu_port *port)
{
    return &port->msix;
}

const struct agpu_device_plugin *vgpu_port_table(const struct vgpu_port *port)
{
    return port->table;
}

const struct agpu_device_info *vgpu_port_info(const struct vgpu_port *port)
{
    return &port->info;
}

void *vgpu_port_device(const struct vgpu_port *port)
{
    return port->device;
}

uint64_t vgpu_port_refused_dma(const struct vgpu_port *port)
{
    return atomic_load_explicit(&port->refusals.count, memory_order_relaxed);
}

uint64_t vgpu_port_absurd_dma(const struct vgpu_port *port)
{
    return atomic_load_explicit(&port->refusals.absurd, memory_order_relaxed);
}

/* ---- calls ---- */

void vgpu_port_reset(struct vgpu_port *port, enum agpu_device_reset kind)
{
    const struct vgpu_port *outer;

    outer = vgpu_port_enter(port, "reset", 0, 0, 0, (uint64_t)kind);
    port->table->reset(port->device, kind);
    refresh_command(port);
    vgpu_port_leave(outer);
    if (begin_tap(port)) {
        port->tap->reset(port->tap->ctx);
        port->tapping = false;
    }
}

uint32_t vgpu_port_config_read(struct vgpu_port *port, uint32_t offset, uint32_t size)
{
    const struct vgpu_port *outer;
    uint32_t value;

    outer = vgpu_port_enter(port, "config_read", 0, offset, size, 0);
    value = port->table->config_read(port->device, offset, size);
    vgpu_port_leave(outer);
    value = size == 4 ? value : value & ((1u << size * 8) - 1);
    return (uint32_t)tell_read(port, CONFIG_SPACE, offset, size, value);
}

void vgpu_port_config_write(struct vgpu_port *port, uint32_t offset, uint32_t size, uint32_t value)
{
    const struct vgpu_port *outer;

    tell_write(port, CONFIG_SPACE, offset, size, value);
    outer = vgpu_port_enter(port, "config_write", 0, offset, size, value);
    port->table->config_write(port->device, offset, size, value);
    if (offset < COMMAND_OFFSET + 2 && offset + size > COMMAND_OFFSET) {
        refresh_command(port);
    }
    vgpu_port_leave(outer);
}

uint64_t vgpu_port_bar_read(struct vgpu_port *port, uint32_t bar, uint64_t offset, uint32_t size)
{
    const struct vgpu_port *outer;
    uint64_t value;

    outer = vgpu_port_enter(port, "bar_read", bar, offset, size, 0);
    value = port->table->bar_read(port->device, bar, offset, size);
    vgpu_port_leave(outer);
    return tell_read(port, bar, offset, size, size == 8 ? value : value & ((UINT64_C(1) << size * 8) - 1));
}

void vgpu_port_bar_write(struct vgpu_port *port, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    const struct vgpu_port *outer;

    tell_write(port, bar, offset, size, value);
    outer = vgpu_port_enter(port, "bar_write", bar, offset, size, value);
    port->table->bar_write(port->device, bar, offset, size, value);
    vgpu_port_leave(outer);
}

void vgpu_port_set_tap(struct vgpu_port *port, const struct vgpu_port_tap *tap)
{
    port->tap = tap;
}

const uint8_t *vgpu_port_peek(struct vgpu_port *port, uint64_t address, uint64_t *size)
{
    *size = port->machine.dma_extent(port->machine.ctx, address, false);
    return *size != 0 ? port->machine.dma_pointer(port->machine.ctx, address, *size, false) : NULL;
}

/* A screen of 16K, with rows of at most 64 KiB. */
#define PICTURE_SIDE_MAX  16384u
#define PICTURE_PITCH_MAX (PICTURE_SIDE_MAX * 4u)

bool vgpu_port_picture(struct vgpu_port *port, struct agpu_device_picture *picture)
{
    const struct vgpu_port *outer;
    bool shown;

    *picture = (struct agpu_device_picture){0};
    if (port->table->picture == NULL) {
        return false;
    }
    outer = vgpu_port_enter(port, "picture", 0, 0, 0, 0);
    shown = port->table->picture(port->device, picture);
    vgpu_port_leave(outer);
    return shown && picture->rgba != NULL && picture->width != 0 && picture->height != 0 &&
           picture->width <= PICTURE_SIDE_MAX && picture->height <= PICTURE_SIDE_MAX &&
           picture->pitch_bytes >= (uint64_t)picture->width * 4 && picture->pitch_bytes <= PICTURE_PITCH_MAX;
}

bool vgpu_port_dump(struct vgpu_port *port, agpu_device_line *line, void *ctx)
{
    const struct vgpu_port *outer;

    if (port->table->dump == NULL) {
        return false;
    }
    outer = vgpu_port_enter(port, "dump", 0, 0, 0, 0);
    port->table->dump(port->device, line, ctx);
    vgpu_port_leave(outer);
    return true;
}

void vgpu_port_visit(struct vgpu_port *port, void (*visit)(void *ctx, struct vgpu_port *port), void *ctx)
{
    const struct vgpu_port *outer = vgpu_port_enter(port, "visit", 0, 0, 0, 0);

    visit(ctx, port);
    vgpu_port_leave(outer);
}

const char *vgpu_port_register_name(struct vgpu_port *port, uint32_t bar, uint64_t offset)
{
    const struct vgpu_port *outer;
    const char *name;

    if (port->table->register_name == NULL) {
        return NULL;
    }
    outer = vgpu_port_enter(port, "register_name", bar, offset, 4, 0);
    name = port->table->register_name(port->device, bar, offset);
    vgpu_port_leave(outer);
    return name;
}

bool vgpu_port_is_woken(const struct vgpu_port *port)
{
    return atomic_load_explicit(&port->service, memory_order_acquire);
}

uint64_t vgpu_port_service(struct vgpu_port *port)
{
    const struct vgpu_port *outer;
    uint64_t deadline;

    atomic_store_explicit(&port->service, false, memory_order_relaxed);
    outer = vgpu_port_enter(port, "poll", 0, 0, 0, 0);
    deadline = port->table->poll(port->device, host_now_ns(port));
    vgpu_port_leave(outer);
    tell_line(port);
    tell_messages(port);
    tell_worked(port);
    if (vgpu_port_is_woken(port)) {
        return port->machine.now_ns(port->machine.ctx);
    }
    return deadline > AGPU_DEVICE_NEVER - port->epoch_ns ? AGPU_DEVICE_NEVER : deadline + port->epoch_ns;
}

void vgpu_port_lock_memory(struct vgpu_port *port)
{
    const struct vgpu_port *outer =
        vgpu_port_enter(port, "the wait until its threads have copied memory", 0, 0, 0, 0);

    pthread_rwlock_wrlock(&port->memory);
    vgpu_port_leave(outer);
}

void vgpu_port_unlock_memory(struct vgpu_port *port)
{
    pthread_rwlock_unlock(&port->memory);
}
