/* injection.c: wraps the machine interface of a host and makes one thing fail. */
#include "tests/inject/injection.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/engine/names.h"

#define REGISTERS_BAR 0u
#define PCI_COMMAND   0x04u
#define MEMORIES_MAX  65536u
#define ENTRIES_MAX   65536u
#define OPCODES_SHOWN 12u

struct known_memory {
    uint8_t *cpu;
    uint64_t address;
    size_t size;
};

static struct {
    const struct agpu_platform *inner;
    struct agpu_platform platform;
    enum agpu_injection_kind kind;
    uint64_t n;
    unsigned variant;
    const char *const *running;
    uint64_t counts[AGPU_INJECT_KINDS];
    bool fired, dead, stopped;
    bool harmless; /* see agpu_injection_is_harmless() */
    size_t heap_refused;
    size_t refused; /* size of the previous allocation, if it was refused */
    char what[400];
    char where[100];
    uint64_t unserved;
    /* Data for finding a submission. */
    struct known_memory memories[MEMORIES_MAX];
    size_t memory_count;
    uint64_t ring_address;
    uint32_t tail_seen;
    bool tail_known;
} state;

static const char *const names[AGPU_INJECT_KINDS] = {
    [AGPU_INJECT_HEAP] = "heap",
    [AGPU_INJECT_DMA] = "dma",
    [AGPU_INJECT_CALLBACK] = "callback",
    [AGPU_INJECT_WORK] = "work",
    [AGPU_INJECT_FENCE] = "fence",
    [AGPU_INJECT_STOP] = "stop",
    [AGPU_INJECT_STOP_LONG] = "stop_long",
    [AGPU_INJECT_DEATH] = "death",
    [AGPU_INJECT_DEATH_LATE] = "death_late",
};

const char *agpu_injection_name(enum agpu_injection_kind kind)
{
    return (unsigned)kind < AGPU_INJECT_KINDS ? names[kind] : NULL;
}

/* Counts an event of kind. Returns true for the one that must fail. */
static bool is_due(enum agpu_injection_kind kind)
{
    state.counts[kind]++;
    return !state.fired && kind == state.kind && state.counts[kind] == state.n;
}

static void fire(const char *what)
{
    state.fired = true;
    snprintf(state.what, sizeof state.what, "%s %" PRIu64 ": %s", names[state.kind], state.n, what);
    snprintf(state.where, sizeof state.where, "%s", *state.running != NULL ? *state.running : "");
}

/* ---- memory ---- */

static void *failing_heap_alloc(void *ctx, size_t size)
{
    if (is_due(AGPU_INJECT_HEAP)) {
        char what[64];

        snprintf(what, sizeof what, "no memory for %zu bytes", size);
        fire(what);
        state.heap_refused = size;
        return NULL;
    }
    if (size == state.heap_refused) {
        state.harmless = true; /* the driver repeats the request at once */
    }
    state.heap_refused = 0;
    return state.inner->heap_alloc(ctx, size);
}

static enum agpu_status failing_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                          struct agpu_dma *out)
{
    enum agpu_status status;

    if (is_due(AGPU_INJECT_DMA)) {
        char what[64];

        snprintf(what, sizeof what, "no DMA memory for %zu bytes", size);
        fire(what);
        state.refused = size;
        return state.variant % 2 ? AGPU_ERR_PLATFORM : AGPU_ERR_NO_MEMORY;
    }
    status = state.inner->dma_alloc(ctx, function, size, out);
    if (status == AGPU_OK && size <= state.refused) {
        state.harmless = true; /* the driver repeats the request at once, perhaps in pieces */
    }
    state.refused = 0;
    if (status == AGPU_OK && state.memory_count < MEMORIES_MAX) {
        state.memories[state.memory_count++] =
            (struct known_memory){out->cpu, out->device_address, out->size};
    }
    return status;
}

static void failing_dma_free(void *ctx, struct agpu_dma *dma)
{
    for (size_t i = 0; i < state.memory_count; i++) {
        if (state.memories[i].cpu == dma->cpu) {
            state.memories[i] = state.memories[--state.memory_count];
            break;
        }
    }
    state.inner->dma_free(ctx, dma);
}

/* Returns guest memory at the device's address; NULL when part of it is unknown. */
static void *guest(uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < state.memory_count; i++) {
        const struct known_memory *m = &state.memories[i];

        if (address >= m->address && address - m->address < m->size &&
            size <= m->size - (address - m->address)) {
            return m->cpu + (address - m->address);
        }
    }
    return NULL;
}

/* ---- submissions ---- */

/* True for commands without an effect that the driver can read. A later fence also completes theirs. */
static bool is_invisible(uint32_t opcode)
{
    return opcode == AEROGPU_CMD_NOP || opcode == AEROGPU_CMD_DEBUG_MARKER || opcode == AEROGPU_CMD_FLUSH ||
           opcode == AEROGPU_CMD_DESTROY_RESOURCE || opcode == AEROGPU_CMD_DESTROY_SHADER ||
           opcode == AEROGPU_CMD_DESTROY_INPUT_LAYOUT || opcode == AEROGPU_CMD_DESTROY_SAMPLER ||
           opcode == AEROGPU_CMD_DESTROY_TEXTURE_VIEW || opcode == AEROGPU_CMD_RELEASE_SHARED_SURFACE ||
           opcode == AEROGPU_CMD_PRESENT || opcode == AEROGPU_CMD_PRESENT_EX;
}

/* Lists the commands of a stream and determines whether their loss can be noticed. */
static void describe_stream(const struct aerogpu_submit_desc *desc, char *out, size_t size)
{
    const uint8_t *stream = guest(desc->cmd_gpa, desc->cmd_size_bytes);
    uint32_t at = sizeof(struct aerogpu_cmd_stream_header);
    unsigned shown = 0;
    size_t used;

    state.harmless = desc->cmd_size_bytes == 0;
    used = (size_t)snprintf(out, size,
                            "%s of %u bytes:", state.kind == AGPU_INJECT_WORK ? "commands" : "submission",
                            desc->cmd_size_bytes);
    if (stream == NULL) {
        return;
    }
    state.harmless = true;
    while (at + sizeof(struct aerogpu_cmd_hdr) <= desc->cmd_size_bytes) {
        struct aerogpu_cmd_hdr packet;

        memcpy(&packet, stream + at, sizeof packet);
        if (packet.size_bytes < sizeof packet) {
            state.harmless = false;
            return;
        }
        state.harmless = state.harmless && is_invisible(packet.opcode);
        if (shown++ < OPCODES_SHOWN && used < size) {
            const char *name = vgpu_opcode_name(packet.opcode);

            used += (size_t)snprintf(out + used, size - used, " %s", name != NULL ? name : "?");
        }
        at += packet.size_bytes;
    }
}

/* Removes the commands of the slot; with AGPU_INJECT_FENCE its fence number too: the last completed value
 * stays. */
static void lose_submission(struct aerogpu_submit_desc *desc, uint64_t completed)
{
    char what[300];

    describe_stream(desc, what, sizeof what);
    fire(what);
    desc->cmd_gpa = desc->alloc_table_gpa = 0;
    desc->cmd_size_bytes = desc->alloc_table_size_bytes = 0;
    if (state.kind == AGPU_INJECT_FENCE) {
        desc->signal_fence = completed;
    }
}

static uint64_t completed_fence(void *ctx, const struct agpu_pci_ref *function)
{
    return state.inner->bar_read(ctx, function, REGISTERS_BAR, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, 4) |
           state.inner->bar_read(ctx, function, REGISTERS_BAR, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI, 4) << 32;
}

/* A case may have put the ring at any address, so nothing is aligned. */
static void look_at_slot(void *ctx, const struct agpu_pci_ref *function, uint8_t *slot)
{
    struct aerogpu_submit_desc desc;

    memcpy(&desc, slot, sizeof desc);
    const bool work_due = desc.cmd_size_bytes != 0 && is_due(AGPU_INJECT_WORK);
    if (is_due(AGPU_INJECT_FENCE) || work_due) {
        lose_submission(&desc, completed_fence(ctx, function));
        memcpy(slot, &desc, sizeof desc);
    }
}

/* Counts the submissions that this doorbell announces, and removes the one that is due. */
static void look_at_ring(void *ctx, const struct agpu_pci_ref *function)
{
    const uint8_t *memory = guest(state.ring_address, sizeof(struct aerogpu_ring_header));
    struct aerogpu_ring_header header;

    if (memory == NULL) {
        return;
    }
    memcpy(&header, memory, sizeof header);
    if (header.entry_count == 0 || header.entry_count > ENTRIES_MAX) {
        return;
    }
    if (!state.tail_known || header.tail - state.tail_seen > header.entry_count) {
        state.tail_seen = header.head;
        state.tail_known = true;
    }
    for (; state.tail_seen != header.tail && header.tail - state.tail_seen <= header.entry_count;
         state.tail_seen++) {
        uint8_t *slot =
            guest(state.ring_address + sizeof header +
                      (uint64_t)(state.tail_seen % header.entry_count) * header.entry_stride_bytes,
                  sizeof(struct aerogpu_submit_desc));

        if (slot != NULL) {
            look_at_slot(ctx, function, slot);
        }
    }
}

static void kill_device(void *ctx, const struct agpu_pci_ref *function)
{
    state.inner->config_write(ctx, function, PCI_COMMAND, 2, 0); /* stops DMA */
    state.dead = true;
}

static void ring_on(void *ctx, const struct agpu_pci_ref *function, uint64_t value)
{
    if (!state.dead && !state.stopped) {
        state.inner->bar_write(ctx, function, REGISTERS_BAR, AEROGPU_MMIO_REG_DOORBELL, 4, value);
    }
}

/* A doorbell that announces no new entry is not counted. */
static void doorbell(void *ctx, const struct agpu_pci_ref *function, uint64_t value)
{
    const uint64_t submissions = state.counts[AGPU_INJECT_FENCE];
    bool late = false;

    look_at_ring(ctx, function);
    if (state.counts[AGPU_INJECT_FENCE] == submissions) {
        ring_on(ctx, function, value);
        return;
    }
    if (is_due(AGPU_INJECT_STOP) || is_due(AGPU_INJECT_STOP_LONG)) {
        fire("the device no longer serves doorbells");
        state.stopped = true;
    }
    if (is_due(AGPU_INJECT_DEATH)) {
        fire("the device is gone before it served the doorbell");
        kill_device(ctx, function);
    }
    if (is_due(AGPU_INJECT_DEATH_LATE)) {
        fire("the device is gone after it served the doorbell");
        late = true;
    }
    state.unserved += state.dead || state.stopped;
    ring_on(ctx, function, value);
    if (late) {
        kill_device(ctx, function);
    }
}

/* ---- the function ---- */

static uint32_t failing_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                    uint32_t size)
{
    return state.dead ? UINT32_MAX >> (32 - 8 * size) : state.inner->config_read(ctx, function, offset, size);
}

static void failing_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size, uint32_t value)
{
    if (!state.dead) {
        state.inner->config_write(ctx, function, offset, size, value);
    }
}

static uint64_t failing_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                                 uint64_t offset, uint32_t size)
{
    return state.dead ? UINT64_MAX >> (64 - 8 * size)
                      : state.inner->bar_read(ctx, function, bar, offset, size);
}

static void failing_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                              uint32_t size, uint64_t value)
{
    if (bar == REGISTERS_BAR && offset == AEROGPU_MMIO_REG_DOORBELL) {
        doorbell(ctx, function, value);
        return;
    }
    if (state.dead) {
        return;
    }
    if (bar == REGISTERS_BAR && offset == AEROGPU_MMIO_REG_RING_GPA_LO) {
        state.ring_address = (state.ring_address & ~UINT64_C(0xFFFFFFFF)) | (uint32_t)value;
        state.tail_known = false;
    } else if (bar == REGISTERS_BAR && offset == AEROGPU_MMIO_REG_RING_GPA_HI) {
        state.ring_address = (uint32_t)state.ring_address | value << 32;
        state.tail_known = false;
    } else if (bar == REGISTERS_BAR && offset == AEROGPU_MMIO_REG_RING_CONTROL &&
               (value & AEROGPU_RING_CONTROL_RESET) != 0) {
        state.tail_known = false;
        state.stopped = state.stopped && state.kind != AGPU_INJECT_STOP;
    }
    state.inner->bar_write(ctx, function, bar, offset, size, value);
}

static int failing_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    return state.dead ? 0 : state.inner->intx_level(ctx, function);
}

const struct agpu_platform *agpu_injection_begin(const struct agpu_platform *machine,
                                                 enum agpu_injection_kind kind, uint64_t n, unsigned variant,
                                                 const char *const *running)
{
    memset(&state, 0, sizeof state);
    state.inner = machine;
    state.kind = kind;
    state.n = n;
    state.variant = variant;
    state.running = running;
    state.platform = *machine; /* with its ctx: functions that are not replaced are called directly */
    state.platform.heap_alloc = failing_heap_alloc;
    state.platform.dma_alloc = failing_dma_alloc;
    state.platform.dma_free = failing_dma_free;
    state.platform.config_read = failing_config_read;
    state.platform.config_write = failing_config_write;
    state.platform.bar_read = failing_bar_read;
    state.platform.bar_write = failing_bar_write;
    state.platform.intx_level = failing_intx_level;
    return &state.platform;
}

uint64_t agpu_injection_count(enum agpu_injection_kind kind)
{
    return state.counts[kind];
}

const char *agpu_injection_what(void)
{
    return state.what;
}

const char *agpu_injection_where(void)
{
    return state.where;
}

bool agpu_injection_device_is_gone(void)
{
    return state.dead;
}

uint64_t agpu_injection_unserved(void)
{
    return state.unserved;
}

bool agpu_injection_is_harmless(void)
{
    return state.harmless;
}

bool agpu_injection_may_be_survived(void)
{
    /* A driver that finds the device hung resets it and continues; the case may not depend on what was
     * lost. */
    const bool recovered = state.kind == AGPU_INJECT_STOP && !state.stopped;

    return state.kind <= AGPU_INJECT_FENCE || recovered;
}

bool agpu_injection_callback_fails(const char *name, unsigned *variant)
{
    *variant = state.variant;
    if (!is_due(AGPU_INJECT_CALLBACK)) {
        return false;
    }
    fire(name);
    /* The driver polls the progress of the device again later. */
    state.harmless = strcmp(name, "agpu_runtime_query_fence") == 0;
    return true;
}
