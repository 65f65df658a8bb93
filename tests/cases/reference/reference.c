/* reference.c: the interface of the reference: BAR0 of the versioned device, its vblank clock and ring reset
 * (device.md 2 to 4), and the values that comparisons read. */
#include "tests/cases/reference/reference.h"

#include <string.h>

#include "pci/protocol/register_table.h"
#include "tests/cases/reference/content.h"
#include "tests/cases/reference/fence.h"
#include "tests/cases/reference/layout.h"
#include "tests/cases/reference/memory.h"
#include "tests/cases/reference/objects.h"
#include "tests/cases/reference/ring.h"

#define COMMAND_MEMORY  0x2u
#define COMMAND_MASTER  0x4u
#define COMMAND_NO_INTX 0x400u
/* Edges replayed in one pass before the schedule restarts (device.md 4.7). */
#define EDGES_REPLAYED 1024u

static void set_pair(struct agpu_ref *ref, enum aerogpu_mmio_reg low, uint64_t value)
{
    ref->registers[low / 4] = (uint32_t)value;
    ref->registers[low / 4 + 1] = (uint32_t)(value >> 32);
}

static bool has(const struct agpu_ref *ref, uint32_t features)
{
    return (ref->config.features & features) == features;
}

void agpu_ref_power_on(struct agpu_ref *ref)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);
    const struct agpu_ref_config config = ref->config;
    const struct agpu_ref_heap heap = {.base = ref->heap.base, .size = ref->heap.size};
    const struct agpu_ref_counts counts = ref->counts;

    memset(ref, 0, sizeof *ref);
    ref->config = config;
    ref->heap = heap;
    ref->counts = counts;
    for (size_t i = 0; i < count; i++) {
        ref->registers[registers[i].offset / 4] =
            has(ref, (uint32_t)registers[i].feature) ? registers[i].reset : 0;
    }
    ref->registers[AEROGPU_MMIO_REG_ABI_VERSION / 4] = config.abi_version;
    ref->registers[AEROGPU_MMIO_REG_FEATURES_LO / 4] = config.features;
    agpu_ref_clear_objects(ref);
}

struct agpu_ref *agpu_ref_create(const struct agpu_ref_config *config)
{
    struct agpu_ref *ref = config->arena;
    const size_t own = (sizeof *ref + 15u) & ~(size_t)15u;

    if (config->arena_bytes < own) {
        return NULL;
    }
    memset(ref, 0, sizeof *ref);
    ref->config = *config;
    ref->heap.base = (uint8_t *)config->arena + own;
    ref->heap.size = config->arena_bytes - own;
    agpu_ref_power_on(ref);
    return ref;
}

const struct agpu_ref_counts *agpu_ref_counts(const struct agpu_ref *ref)
{
    return &ref->counts;
}

bool agpu_ref_line(const struct agpu_ref *ref)
{
    return (ref->command & COMMAND_NO_INTX) == 0 && (ref->registers[AEROGPU_MMIO_REG_IRQ_STATUS / 4] &
                                                     ref->registers[AEROGPU_MMIO_REG_IRQ_ENABLE / 4]) != 0;
}

/* Handles the edges that are due. */
static void catch_up(struct agpu_ref *ref, uint64_t now_ns)
{
    const uint32_t period = *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
    unsigned edges = 0;

    if (*agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) == 0 || period == 0) {
        return;
    }
    while (ref->next_edge_ns <= now_ns) {
        if (edges++ == EDGES_REPLAYED) {
            ref->next_edge_ns = now_ns + period;
            return;
        }
        set_pair(ref, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO,
                 agpu_ref_pair(ref, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO) + 1);
        set_pair(ref, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO, ref->next_edge_ns);
        ref->next_edge_ns += period;
        agpu_ref_interrupt(ref, AEROGPU_IRQ_SCANOUT_VBLANK);
        agpu_ref_edge(ref);
    }
}

void agpu_ref_advance(struct agpu_ref *ref, uint64_t now_ns)
{
    const bool master = (ref->command & COMMAND_MASTER) != 0;

    if (master && ref->reset_due) {
        ref->reset_due = false;
        agpu_ref_ring_reset(ref);
    }
    agpu_ref_complete(ref);
    catch_up(ref, now_ns);
    agpu_ref_complete(ref);
    if (master) {
        agpu_ref_ring(ref);
    }
    set_pair(ref, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO, ref->completed);
}

void agpu_ref_command(struct agpu_ref *ref, uint32_t command)
{
    ref->command = command;
}

/* Starts a ring reset: the registers now, memory at the next service point with Bus Master (device.md 4.2). */
static void start_reset(struct agpu_ref *ref)
{
    ref->completed = 0;
    ref->fence_count = 0;
    ref->doorbell = false;
    ref->batch.head = ref->batch.end;
    ref->reset_due = true;
    ref->code_open = false;
    ref->unresolved = 0;
    *agpu_ref_register(ref, AEROGPU_MMIO_REG_IRQ_STATUS) = 0;
    *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_CODE) = 0;
    *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_COUNT) = 0;
    set_pair(ref, AEROGPU_MMIO_REG_ERROR_FENCE_LO, 0);
    agpu_ref_clear_objects(ref);
}

/* The address pairs whose low half is staged (device.md 4.5). */
static struct agpu_ref_address *address_of(struct agpu_ref *ref, uint32_t offset)
{
    return offset < AEROGPU_MMIO_REG_CURSOR_ENABLE ? &ref->scanout : &ref->cursor;
}

/* A write to SCANOUT0_ENABLE or CURSOR_ENABLE. */
static void switch_to(struct agpu_ref *ref, uint64_t now_ns, uint32_t offset, bool on)
{
    const bool scanout = offset == AEROGPU_MMIO_REG_SCANOUT0_ENABLE;
    struct agpu_ref_address *address = address_of(ref, offset);
    const bool before = ref->registers[offset / 4] != 0;

    ref->registers[offset / 4] = on;
    if (before && !on) {
        address->staged = false;
        ref->registers[(scanout ? AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO : AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO) /
                       4] = (uint32_t)address->committed;
    }
    if (before && !on && scanout) {
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_IRQ_STATUS) &= ~AEROGPU_IRQ_SCANOUT_VBLANK;
        agpu_ref_release(ref);
    }
    if (!before && on && scanout) {
        ref->next_edge_ns = now_ns + *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS);
    }
}

/* The high half commits both; without a staged low half the old one stays. */
static void commit(struct agpu_ref *ref, uint32_t offset, uint32_t value)
{
    struct agpu_ref_address *address = address_of(ref, offset);
    const uint32_t low = address->staged ? ref->registers[offset / 4 - 1] : (uint32_t)address->committed;

    address->committed = low | (uint64_t)value << 32;
    address->staged = false;
}

static void write_register(struct agpu_ref *ref, uint64_t now_ns, const struct aerogpu_register *reg,
                           uint32_t value)
{
    uint32_t *stored = &ref->registers[reg->offset / 4];
    uint32_t edge, bytes;

    if (reg->access == AEROGPU_REGISTER_RO || !has(ref, (uint32_t)reg->feature)) {
        return;
    }
    /* The device handles an edge that is already due after the write, unless the write changes whether edges count or
     * latch. The fence of the edge always completes after the write. */
    if (reg->offset == AEROGPU_MMIO_REG_SCANOUT0_ENABLE ||
        (reg->offset == AEROGPU_MMIO_REG_IRQ_ENABLE &&
         (~*stored & value & AEROGPU_IRQ_SCANOUT_VBLANK) != 0)) {
        catch_up(ref, now_ns);
    }
    switch (reg->kind) {
    case AEROGPU_REGISTER_SWITCH:
        switch_to(ref, now_ns, reg->offset, value != 0);
        return;
    case AEROGPU_REGISTER_FORMAT:
        *stored = agpu_ref_format(value, &edge, &bytes) ? value : 0;
        return;
    case AEROGPU_REGISTER_CONTROL:
        *stored = value & AEROGPU_RING_CONTROL_ENABLE;
        if ((value & AEROGPU_RING_CONTROL_RESET) != 0) {
            start_reset(ref);
        }
        return;
    case AEROGPU_REGISTER_ORDER:
        if (reg->offset == AEROGPU_MMIO_REG_DOORBELL) {
            ref->doorbell = true;
        } else {
            *agpu_ref_register(ref, AEROGPU_MMIO_REG_IRQ_STATUS) &= ~value;
        }
        return;
    default:
        *stored = value;
        break;
    }
    if (reg->kind == AEROGPU_REGISTER_STAGED) {
        address_of(ref, reg->offset)->staged = true;
    } else if (reg->offset == AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI ||
               reg->offset == AEROGPU_MMIO_REG_CURSOR_FB_GPA_HI) {
        commit(ref, reg->offset, value);
    } else if (reg->offset == AEROGPU_MMIO_REG_IRQ_ENABLE) {
        /* Disabling a cause drops a pending one (device.md 4.4). */
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_IRQ_STATUS) &=
            ~(~value & (AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK));
    }
}

/* A narrow write is merged into the dword, write-only registers as 0; what crosses a dword is cut (device.md 3). */
static void write_lanes(struct agpu_ref *ref, uint64_t now_ns, uint64_t offset, uint32_t size, uint32_t value)
{
    const struct aerogpu_register *reg = aerogpu_register_at(false, offset & ~UINT64_C(3));
    const uint32_t shift = size == 4 ? 0 : (uint32_t)(offset & 3) * 8;
    const uint32_t mask = (size == 4 ? UINT32_MAX : (UINT32_C(1) << size * 8) - 1) << shift;

    if (reg != NULL) {
        const uint32_t old = reg->access == AEROGPU_REGISTER_WO ? 0 : ref->registers[reg->offset / 4];

        write_register(ref, now_ns, reg, (old & ~mask) | (value << shift & mask));
    }
}

void agpu_ref_write(struct agpu_ref *ref, uint64_t now_ns, uint64_t offset, uint32_t size, uint64_t value)
{
    if ((ref->command & COMMAND_MEMORY) != 0) {
        write_lanes(ref, now_ns, offset, size < 4 ? size : 4, (uint32_t)value);
        if (size == 8) {
            agpu_ref_advance(ref, now_ns);
            write_lanes(ref, now_ns, offset + 4, 4, (uint32_t)(value >> 32));
        }
    }
    agpu_ref_advance(ref, now_ns);
}

struct agpu_ref_word agpu_ref_read(const struct agpu_ref *ref, uint32_t offset)
{
    const uint32_t value = offset < sizeof ref->registers ? ref->registers[offset / 4] : 0;
    struct agpu_ref_word word = {.value = value, .most = value, .known = UINT32_MAX};

    if (ref->code_open && offset == AEROGPU_MMIO_REG_ERROR_CODE) {
        word.value = AEROGPU_ERROR_CMD_DECODE;
        word.most = AEROGPU_ERROR_BACKEND;
    }
    if (ref->unresolved != 0 || ref->lost) {
        switch (offset) {
        case AEROGPU_MMIO_REG_ERROR_COUNT:
            word.most =
                !ref->lost && UINT32_MAX - value > ref->unresolved ? value + ref->unresolved : UINT32_MAX;
            break;
        case AEROGPU_MMIO_REG_ERROR_CODE:
        case AEROGPU_MMIO_REG_ERROR_FENCE_LO:
        case AEROGPU_MMIO_REG_ERROR_FENCE_HI:
            word.known = 0;
            break;
        case AEROGPU_MMIO_REG_IRQ_STATUS:
            word.known = ~AEROGPU_IRQ_ERROR;
            break;
        default:
            break;
        }
    }
    return word;
}

/* ---- comparison ---- */

void agpu_ref_writes(const struct agpu_ref *ref, void *ctx,
                     void (*take)(void *ctx, uint64_t address, const uint8_t *bytes, const uint8_t *states))
{
    for (const struct agpu_ref_chunk *chunk = ref->last_chunk; chunk != NULL; chunk = chunk->earlier) {
        take(ctx, chunk->address, chunk->bytes, chunk->states);
    }
}

enum agpu_ref_byte agpu_ref_byte_at(const struct agpu_ref *ref, uint64_t address)
{
    const struct agpu_ref_chunk *chunk = agpu_ref_chunk_at(ref, address / AGPU_REF_CHUNK * AGPU_REF_CHUNK);

    return ref->lost       ? AGPU_REF_ANY
           : chunk != NULL ? (enum agpu_ref_byte)chunk->states[address % AGPU_REF_CHUNK]
                           : AGPU_REF_UNWRITTEN;
}

void agpu_ref_forget(struct agpu_ref *ref)
{
    while (ref->last_chunk != NULL) {
        struct agpu_ref_chunk *chunk = ref->last_chunk;

        ref->last_chunk = chunk->earlier;
        ref->chunks[chunk->address / AGPU_REF_CHUNK % AGPU_REF_BUCKETS] = NULL;
        agpu_ref_free(ref, chunk, sizeof *chunk);
    }
}

bool agpu_ref_is_lost(const struct agpu_ref *ref)
{
    return ref->lost;
}

/* Decides the writes after a draw whose success was not known. */
static void decide_writes(struct agpu_ref *ref, enum agpu_ref_byte state)
{
    for (struct agpu_ref_chunk *chunk = ref->last_chunk; chunk != NULL; chunk = chunk->earlier) {
        for (unsigned i = 0; i < AGPU_REF_CHUNK; i++) {
            if (chunk->states[i] == AGPU_REF_MAYBE) {
                chunk->states[i] = (uint8_t)state;
            }
        }
    }
}

void agpu_ref_settle(struct agpu_ref *ref, uint32_t error_count, uint32_t error_code, uint64_t error_fence)
{
    uint32_t *count = agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_COUNT);
    const bool refused = error_count > *count && (ref->lost || error_count - *count <= ref->unresolved);
    const bool uncounted = (ref->config.features & AEROGPU_FEATURE_ERROR_INFO) == 0;

    if (ref->unresolved == 0 && !ref->lost) {
        return;
    }
    ref->unresolved = 0;
    if (refused) {
        *count = error_count;
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_CODE) = error_code;
        ref->code_open = ref->config.any;
        set_pair(ref, AEROGPU_MMIO_REG_ERROR_FENCE_LO, error_fence);
        agpu_ref_interrupt(ref, AEROGPU_IRQ_ERROR);
    }
    if (refused || uncounted) {
        ref->lost = ref->lost || ref->structure_touched;
        decide_writes(ref, AGPU_REF_ANY);
    } else {
        decide_writes(ref, AGPU_REF_EXACT);
    }
    for (struct agpu_ref_resource *resource = ref->resources; resource != NULL; resource = resource->next) {
        if (resource->touched && (refused || uncounted)) {
            agpu_ref_mark(ref, resource, 0, resource->size, AGPU_REF_ANY);
        }
        resource->touched = false;
    }
    ref->structure_touched = false;
}
