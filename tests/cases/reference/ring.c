/* ring.c: doorbells, descriptors, allocation tables, streams and their packets (ring.md 1 to 3, 8; device.md 4.2, 4.3;
 * commands.md 1 to 3). */
#include "tests/cases/reference/ring.h"

#include <string.h>

#include "ring/protocol/packet_table.h"
#include "tests/cases/reference/fence.h"
#include "tests/cases/reference/memory.h"
#include "tests/cases/reference/packets.h"

static const struct aerogpu_packet *packet_of(uint32_t opcode)
{
    static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
    };

    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        if (packets[i].opcode == opcode) {
            return &packets[i];
        }
    }
    return NULL;
}

/* Returns whether a packet contains its payload, padded to 4. */
static bool holds_payload(const uint8_t *packet, uint32_t size, const struct aerogpu_packet *row)
{
    uint64_t count = 0, room = size - row->size;

    if (row->payload.kind != AEROGPU_PAYLOAD_BYTES && row->payload.kind != AEROGPU_PAYLOAD_ELEMENTS) {
        return true;
    }
    memcpy(&count, packet + row->payload.count_word * 4u, row->payload.count_words * 4u);
    return count <= room / row->payload.element_bytes;
}

/* Packets that a device without this feature or of an earlier minor skips by their size (device.md 4.1). */
static bool skips(const struct agpu_ref *ref, uint32_t opcode)
{
    const bool copy = opcode == AEROGPU_CMD_COPY_BUFFER || opcode == AEROGPU_CMD_COPY_TEXTURE2D;
    const bool view = opcode == AEROGPU_CMD_CREATE_TEXTURE_VIEW || opcode == AEROGPU_CMD_DESTROY_TEXTURE_VIEW;

    return (copy && (ref->config.features & AEROGPU_FEATURE_TRANSFER) == 0) ||
           (view && (ref->config.abi_version & 0xFFFFu) < 4);
}

static enum aerogpu_error execute_packet(struct agpu_ref *ref, const struct aerogpu_cmd_hdr *cmd)
{
    switch (cmd->opcode) {
#define AGPU_REF_PACKET(NAME, type, function)                                                                \
    case AEROGPU_CMD_##NAME:                                                                                 \
        return function(ref, (const void *)cmd);
#include "tests/cases/reference/handlers.def"
    default:
        return AEROGPU_ERROR_NONE;
    }
}

/* Executes ref->work. Returns the error of the packet that is refused for certain. */
static enum aerogpu_error execute_stream(struct agpu_ref *ref)
{
    const uint32_t size = ref->work.size;
    const uint8_t *last = ref->work.stream;

    for (uint32_t at = sizeof(struct aerogpu_cmd_stream_header); at < size;) {
        const uint8_t *packet = ref->work.stream + at;
        const struct aerogpu_packet *row;
        struct aerogpu_cmd_hdr header;
        enum aerogpu_error error;

        if (size - at < sizeof header) {
            return AGPU_REF_INVALID;
        }
        memcpy(&header, packet, sizeof header);
        if (header.size_bytes < sizeof header || header.size_bytes % 4 != 0 ||
            header.size_bytes > size - at) {
            return AGPU_REF_INVALID;
        }
        row = packet_of(header.opcode);
        if (header.opcode == AEROGPU_CMD_COPY_BUFFER && memcmp(packet, last, header.size_bytes) == 0) {
            at += header.size_bytes; /* the same copy once more changes nothing */
            continue;
        }
        last = packet;
        if (row != NULL && !skips(ref, header.opcode)) {
            ref->counts.packets++;
            if (header.size_bytes < row->smallest || !holds_payload(packet, header.size_bytes, row)) {
                return AGPU_REF_INVALID;
            }
            if (ref->config.packet != NULL) {
                ref->config.packet(ref->config.ctx, (const void *)packet);
            }
            error = execute_packet(ref, (const void *)packet);
            if (error != AEROGPU_ERROR_NONE) {
                ref->lost = ref->lost || ref->work.unresolved; /* the error may be one of an earlier packet */
                return error;
            }
        }
        at += header.size_bytes;
    }
    return AEROGPU_ERROR_NONE;
}

#define STREAM_MOST (UINT64_C(64) << 20)
#define TABLE_MOST  (UINT64_C(16) << 20)

static void put_head(struct agpu_ref *ref, uint64_t ring, uint32_t head)
{
    agpu_ref_put(ref, ring + offsetof(struct aerogpu_ring_header, head), (const uint8_t *)&head, NULL,
                 AGPU_REF_EXACT, sizeof head);
}

/* Sets head to tail. Returns false when one of the two words is not addressable. */
static bool drop_entries(struct agpu_ref *ref, uint64_t ring)
{
    const uint64_t at = ring + offsetof(struct aerogpu_ring_header, tail);
    uint32_t tail;

    if (agpu_ref_wraps(ring, offsetof(struct aerogpu_ring_header, tail) + sizeof tail)) {
        return false;
    }
    agpu_ref_get(ref, at, &tail, NULL, sizeof tail);
    put_head(ref, ring, tail);
    return true;
}

void agpu_ref_ring_reset(struct agpu_ref *ref)
{
    const uint64_t ring = agpu_ref_pair(ref, AEROGPU_MMIO_REG_RING_GPA_LO);

    if (ring != 0 && !drop_entries(ref, ring)) {
        agpu_ref_error(ref, AEROGPU_ERROR_OOB, 0);
    }
    agpu_ref_fence_page(ref);
}

/* Takes the ring's state at a doorbell into ref->batch. */
static void take_batch(struct agpu_ref *ref)
{
    const uint64_t ring = agpu_ref_pair(ref, AEROGPU_MMIO_REG_RING_GPA_LO);
    const uint32_t size = *agpu_ref_register(ref, AEROGPU_MMIO_REG_RING_SIZE_BYTES);
    struct aerogpu_ring_header header;

    if (*agpu_ref_register(ref, AEROGPU_MMIO_REG_RING_CONTROL) == 0) {
        return;
    }
    if (ring == 0 || size == 0) {
        agpu_ref_error(ref, AEROGPU_ERROR_CMD_DECODE, 0);
        return;
    }
    if (agpu_ref_wraps(ring, sizeof header) || agpu_ref_wraps(ring, size)) {
        agpu_ref_error(ref, AEROGPU_ERROR_OOB, 0);
        drop_entries(ref, ring);
        return;
    }
    agpu_ref_get(ref, ring, &header, NULL, sizeof header);
    if (header.magic != AEROGPU_RING_MAGIC || header.abi_version >> 16 != AEROGPU_ABI_MAJOR ||
        header.entry_count == 0 || (header.entry_count & (header.entry_count - 1)) != 0 ||
        header.entry_stride_bytes < sizeof(struct aerogpu_submit_desc) ||
        sizeof header + (uint64_t)header.entry_count * header.entry_stride_bytes > header.size_bytes ||
        header.size_bytes > size) {
        agpu_ref_error(ref, AEROGPU_ERROR_CMD_DECODE, 0);
        return;
    }
    if (header.tail - header.head > header.entry_count) {
        agpu_ref_error(ref, AEROGPU_ERROR_CMD_DECODE, 0);
        drop_entries(ref, ring);
        return;
    }
    ref->batch = (struct agpu_ref_batch){.ring = ring,
                                         .head = header.head,
                                         .end = header.tail,
                                         .count = header.entry_count,
                                         .stride = header.entry_stride_bytes};
}

/* Keeps the graver of two faults of one descriptor (ring.md 3.1). */
static void add_fault(enum aerogpu_error *fault, enum aerogpu_error found)
{
    if (*fault != AEROGPU_ERROR_OOB) {
        *fault = found;
    }
}

/* Checks address and size of a stream or a table; returns whether there is one to read. */
static bool check_range(uint64_t address, uint32_t size, uint32_t least, enum aerogpu_error *fault)
{
    if (address == 0 && size == 0) {
        return false;
    }
    if (address == 0 || size == 0) {
        add_fault(fault, AEROGPU_ERROR_CMD_DECODE);
        return false;
    }
    if (agpu_ref_wraps(address, size)) {
        add_fault(fault, AEROGPU_ERROR_OOB);
        return false;
    }
    if (size < least) {
        add_fault(fault, AEROGPU_ERROR_CMD_DECODE);
        return false;
    }
    return true;
}

/* Reads the stream. The result is to be freed, its size is in work->size; NULL: there is none. */
static uint8_t *read_stream(struct agpu_ref *ref, const struct aerogpu_submit_desc *desc,
                            enum aerogpu_error *fault)
{
    struct aerogpu_cmd_stream_header header;
    uint8_t *stream;

    if (!check_range(desc->cmd_gpa, desc->cmd_size_bytes, sizeof header, fault)) {
        return NULL;
    }
    agpu_ref_get(ref, desc->cmd_gpa, &header, NULL, sizeof header);
    if (header.magic != AEROGPU_CMD_STREAM_MAGIC || header.abi_version >> 16 != AEROGPU_ABI_MAJOR ||
        header.size_bytes < sizeof header || header.size_bytes % 4 != 0) {
        add_fault(fault, AEROGPU_ERROR_CMD_DECODE);
        return NULL;
    }
    if (header.size_bytes > desc->cmd_size_bytes) {
        add_fault(fault, AEROGPU_ERROR_OOB);
        return NULL;
    }
    if (header.size_bytes > STREAM_MOST) {
        add_fault(fault, AEROGPU_ERROR_CMD_DECODE);
        return NULL;
    }
    stream = agpu_ref_alloc(ref, header.size_bytes);
    if (stream == NULL) {
        ref->lost = true;
        return NULL;
    }
    agpu_ref_get(ref, desc->cmd_gpa, stream, NULL, header.size_bytes);
    ref->work.size = header.size_bytes;
    ref->work.minor = header.abi_version & 0xFFFFu;
    return stream;
}

/* Returns whether an id is not new: O(n^2), for tables of the usual sizes. */
static bool id_before(const uint8_t *table, uint32_t stride, uint32_t index, uint32_t id)
{
    for (uint32_t i = 0; i < index; i++) {
        uint32_t other;

        memcpy(&other, table + sizeof(struct aerogpu_alloc_table_header) + (uint64_t)i * stride,
               sizeof other);
        if (other == id) {
            return true;
        }
    }
    return false;
}

static void check_entries(const uint8_t *table, uint32_t count, uint32_t stride, enum aerogpu_error *fault)
{
    for (uint32_t i = 0; i < count; i++) {
        struct aerogpu_alloc_entry entry;

        memcpy(&entry, table + sizeof(struct aerogpu_alloc_table_header) + (uint64_t)i * stride,
               sizeof entry);
        if (entry.alloc_id == 0 || entry.size_bytes == 0 || id_before(table, stride, i, entry.alloc_id)) {
            add_fault(fault, AEROGPU_ERROR_CMD_DECODE);
        } else if (agpu_ref_wraps(entry.gpa, entry.size_bytes)) {
            add_fault(fault, AEROGPU_ERROR_OOB);
        }
    }
}

/* Reads the table, as read_stream(); *bytes gets its size. */
static uint8_t *read_table(struct agpu_ref *ref, const struct aerogpu_submit_desc *desc,
                           enum aerogpu_error *fault, uint64_t *bytes)
{
    struct aerogpu_alloc_table_header header;
    uint8_t *table;

    if (!check_range(desc->alloc_table_gpa, desc->alloc_table_size_bytes, sizeof header, fault)) {
        return NULL;
    }
    agpu_ref_get(ref, desc->alloc_table_gpa, &header, NULL, sizeof header);
    *bytes = sizeof header + (uint64_t)header.entry_count * header.entry_stride_bytes;
    if (header.magic != AEROGPU_ALLOC_TABLE_MAGIC || header.abi_version >> 16 != AEROGPU_ABI_MAJOR ||
        header.size_bytes < sizeof header || header.size_bytes > desc->alloc_table_size_bytes ||
        header.size_bytes > TABLE_MOST || header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry)) {
        add_fault(fault, AEROGPU_ERROR_CMD_DECODE);
        return NULL;
    }
    if (*bytes > header.size_bytes) {
        add_fault(fault, AEROGPU_ERROR_OOB);
        return NULL;
    }
    table = agpu_ref_alloc(ref, *bytes);
    if (table == NULL) {
        ref->lost = true;
        return NULL;
    }
    agpu_ref_get(ref, desc->alloc_table_gpa, table, NULL, *bytes);
    check_entries(table, header.entry_count, header.entry_stride_bytes, fault);
    ref->work.table = table;
    ref->work.entries = header.entry_count;
    ref->work.entry_stride = header.entry_stride_bytes;
    return table;
}

/* Returns whether a PRESENT with VSYNC is in the stream, as far as its framing is valid (ring.md 7). */
static bool is_paced(const uint8_t *stream, uint32_t size)
{
    for (uint32_t at = sizeof(struct aerogpu_cmd_stream_header);
         size - at >= sizeof(struct aerogpu_cmd_hdr);) {
        struct aerogpu_cmd_present present = {.flags = 0};

        memcpy(&present.hdr, stream + at, sizeof present.hdr);
        if (present.hdr.size_bytes < sizeof present.hdr || present.hdr.size_bytes % 4 != 0 ||
            present.hdr.size_bytes > size - at) {
            return false;
        }
        if (present.hdr.opcode == AEROGPU_CMD_PRESENT || present.hdr.opcode == AEROGPU_CMD_PRESENT_EX) {
            if (present.hdr.size_bytes < sizeof present) {
                return false;
            }
            memcpy(&present, stream + at, sizeof present);
            if ((present.flags & AEROGPU_PRESENT_FLAG_VSYNC) != 0) {
                return true;
            }
        }
        at += present.hdr.size_bytes;
    }
    return false;
}

static void run_entry(struct agpu_ref *ref, uint64_t address, uint32_t stride)
{
    struct aerogpu_submit_desc desc;
    enum aerogpu_error fault = AEROGPU_ERROR_NONE;
    uint8_t *stream, *table;
    uint64_t table_bytes = 0;
    bool held = false;

    agpu_ref_get(ref, address, &desc, NULL, sizeof desc);
    ref->counts.submissions++;
    ref->work = (struct agpu_ref_work){.fence = desc.signal_fence,
                                       .present = (desc.flags & AEROGPU_SUBMIT_FLAG_PRESENT) != 0};
    if (desc.desc_size_bytes < sizeof desc || desc.desc_size_bytes > stride) {
        add_fault(&fault, AEROGPU_ERROR_CMD_DECODE);
    }
    stream = read_stream(ref, &desc, &fault);
    table = read_table(ref, &desc, &fault, &table_bytes);
    if (fault == AEROGPU_ERROR_NONE && stream != NULL) {
        ref->work.stream = stream;
        held = is_paced(stream, ref->work.size) &&
               *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS) != 0 &&
               *agpu_ref_register(ref, AEROGPU_MMIO_REG_SCANOUT0_ENABLE) != 0;
        fault = execute_stream(ref);
        /* The device may find no fault, or another one: it has the last word in agpu_ref_settle(). */
        fault = ref->lost ? AEROGPU_ERROR_NONE : fault;
    }
    if (fault != AEROGPU_ERROR_NONE) {
        agpu_ref_error(ref, fault, desc.signal_fence);
        ref->code_open = ref->config.any;
    }
    ref->counts.lost += ref->lost;
    ref->counts.exact += !ref->lost && !ref->work.unresolved;
    ref->counts.partly += !ref->lost && ref->work.unresolved;
    agpu_ref_free(ref, table, table_bytes);
    agpu_ref_free(ref, stream, ref->work.size);
    put_head(ref, ref->batch.ring, ref->batch.head + 1);
    agpu_ref_signal(ref, desc.signal_fence, (desc.flags & AEROGPU_SUBMIT_FLAG_NO_IRQ) == 0, held);
}

void agpu_ref_ring(struct agpu_ref *ref)
{
    struct agpu_ref_batch *batch = &ref->batch;

    do {
        while (batch->head != batch->end) {
            if (ref->fence_count >= AGPU_REF_FENCES) {
                return;
            }
            run_entry(ref,
                      batch->ring + sizeof(struct aerogpu_ring_header) +
                          (uint64_t)(batch->head & (batch->count - 1)) * batch->stride,
                      batch->stride);
            batch->head++;
        }
        if (ref->doorbell) {
            ref->doorbell = false;
            take_batch(ref);
        }
    } while (batch->head != batch->end);
}
