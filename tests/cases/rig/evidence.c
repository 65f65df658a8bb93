/* evidence.c: writes the state of device and ring as text (device.md 4, ring.md 1 to 5, 8). */
#include "tests/cases/rig/evidence.h"

#include <string.h>

#include "pci/machine/text.h"
#include "pci/protocol/register_table.h"
#include "pci/registers.h"
#include "ring/protocol/aerogpu_ring.h"
#include "ring/protocol/packet_table.h"
#include "tests/cases/harness/artifact.h"
#include "tests/cases/rig/state.h"

#define SLOTS_SHOWN   6u
#define ENTRIES_SHOWN 24u
#define STREAMS_SHOWN 3u
#define PACKETS_SHOWN 40u /* maximum in one stream */
#define WORDS_SHOWN   12u /* maximum in one packet */

/* One case runs at a time. */
static char evidence[16384];
static uint8_t streams[AGPU_STREAM_FILE_MAX];

static void evidence_registers(struct agpu_text *text, const struct agpu_env *env)
{
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(env->abi.legacy, &count);

    agpu_text_string(text, "registers\n");
    for (size_t i = 0; i < count; i++) {
        if (registers[i].access != AEROGPU_REGISTER_WO) {
            agpu_format(text, "  %s 0x%x\n", registers[i].name,
                        agpu_reg_read(&env->function, registers[i].offset));
        }
    }
}

/* Appends the header words unchanged; ring.md 1 describes which of them the driver or the device writes. */
static void evidence_header(struct agpu_text *text, const struct agpu_ring *ring)
{
    const struct aerogpu_ring_header *header = agpu_ring_header(ring);

    agpu_format(text,
                "ring at 0x%jx: magic 0x%x, abi_version 0x%x, size_bytes %u, entry_count %u, "
                "entry_stride_bytes %u, flags 0x%x, head %u, tail %u\n",
                ring->memory.device_address, header->magic, header->abi_version, header->size_bytes,
                header->entry_count, header->entry_stride_bytes, header->flags, header->head, header->tail);
    agpu_format(text, "last fence submitted 0x%jx, last seen completed 0x%jx", ring->last_submitted,
                ring->last_completed);
    if (ring->page.cpu != NULL) {
        agpu_format(text, ", fence page at 0x%jx holds 0x%jx", ring->page.device_address,
                    agpu_fence_page_value(ring));
    }
    agpu_text_char(text, '\n');
}

/* Reads the back-th last posted descriptor, from 1. Returns false if fewer were posted, or its slot was reused. */
static bool posted_descriptor(const struct agpu_ring *ring, uint32_t back, struct aerogpu_submit_desc *out)
{
    const uint8_t *const slots = (const uint8_t *)ring->memory.cpu + sizeof(struct aerogpu_ring_header);
    const uint32_t index = ring->tail - back;

    if (back > ring->tail - ring->first_index || back > ring->entry_count) {
        return false;
    }
    memcpy(out, slots + (size_t)(index & (ring->entry_count - 1)) * ring->entry_stride, sizeof *out);
    return true;
}

/* Finds the memory of packets and tables of the case or the driver. NULL: it is not, or not completely, in either. */
static const uint8_t *submitted_memory(const struct agpu_env *env, uint64_t address, uint64_t size)
{
    const struct agpu_dma *const of_rig[] = {&env->rig.cmd, &env->rig.table};

    for (size_t i = 0; i < sizeof of_rig / sizeof of_rig[0]; i++) {
        const uint64_t at = address - of_rig[i]->device_address;

        if (of_rig[i]->cpu != NULL && address >= of_rig[i]->device_address && at <= of_rig[i]->size &&
            size <= of_rig[i]->size - at) {
            return (const uint8_t *)of_rig[i]->cpu + at;
        }
    }
    return env->umd.runtime != NULL
               ? agpu_dma_pool_find(&agpu_runtime_kmd(env->umd.runtime)->pool, address, size)
               : NULL;
}

/* Appends the last posted descriptors, newest first; "read" if the head has passed them. */
static void evidence_slots(struct agpu_text *text, const struct agpu_ring *ring)
{
    struct aerogpu_submit_desc desc;

    for (uint32_t i = 1; i <= SLOTS_SHOWN && posted_descriptor(ring, i, &desc); i++) {
        const uint32_t index = ring->tail - i;

        agpu_format(text,
                    "  slot %u (index %u, %s): fence 0x%jx, flags 0x%x, context %u, stream 0x%jx + %u, "
                    "table 0x%jx + %u\n",
                    index & (ring->entry_count - 1), index,
                    (int32_t)(agpu_ring_head(ring) - index) > 0 ? "read" : "not read", desc.signal_fence,
                    desc.flags, desc.context_id, desc.cmd_gpa, desc.cmd_size_bytes, desc.alloc_table_gpa,
                    desc.alloc_table_size_bytes);
    }
}

static void evidence_table(struct agpu_text *text, const uint8_t *bytes, uint32_t size)
{
    struct aerogpu_alloc_table_header header;

    if (bytes == NULL || size < sizeof header) {
        return;
    }
    memcpy(&header, bytes, sizeof header);
    agpu_format(text, "  allocation table: entry_count %u, entry_stride_bytes %u\n", header.entry_count,
                header.entry_stride_bytes);
    for (uint32_t i = 0; i < header.entry_count && i < ENTRIES_SHOWN; i++) {
        const uint64_t place = sizeof header + (uint64_t)i * header.entry_stride_bytes;
        struct aerogpu_alloc_entry entry;

        if (place > size || size - place < sizeof entry) {
            break;
        }
        memcpy(&entry, bytes + place, sizeof entry);
        agpu_format(text, "    alloc_id 0x%x: 0x%jx + %ju%s", entry.alloc_id, entry.gpa, entry.size_bytes,
                    (entry.flags & AEROGPU_ALLOC_FLAG_READONLY) != 0 ? ", read-only\n" : "\n");
    }
}

static void evidence_packet(struct agpu_text *text, const uint8_t *packet, uint32_t opcode, uint32_t size)
{
    agpu_text_string(text, "  ");
    agpu_state_packet_name(text, opcode);
    for (uint32_t at = sizeof(struct aerogpu_cmd_hdr), n = 0; at + 4 <= size && n < WORDS_SHOWN;
         at += 4, n++) {
        uint32_t word;

        memcpy(&word, packet + at, sizeof word);
        agpu_format(text, " 0x%x", word);
    }
    agpu_text_char(text, '\n');
}

/* Appends packet by packet as words; agpu decode has the names of the members. */
static void evidence_stream(struct agpu_text *text, const uint8_t *stream, uint32_t size)
{
    uint32_t at = sizeof(struct aerogpu_cmd_stream_header);

    for (unsigned i = 0; i < PACKETS_SHOWN && at + sizeof(struct aerogpu_cmd_hdr) <= size; i++) {
        struct aerogpu_cmd_hdr header;

        memcpy(&header, stream + at, sizeof header);
        if (header.size_bytes < sizeof header || header.size_bytes > size - at) {
            agpu_format(text, "  byte %u starts no valid packet\n", at);
            return;
        }
        evidence_packet(text, stream + at, header.opcode, header.size_bytes);
        at += header.size_bytes;
    }
    if (at < size) {
        agpu_format(text, "  and more, from byte %u\n", at);
    }
}

/* Returns true if a later one of the shown submissions has overwritten its memory. */
static bool is_written_over(const struct agpu_ring *ring, uint32_t back,
                            const struct aerogpu_submit_desc *desc)
{
    struct aerogpu_submit_desc later;

    for (uint32_t i = 1; i < back; i++) {
        if (posted_descriptor(ring, i, &later) && later.cmd_gpa < desc->cmd_gpa + desc->cmd_size_bytes &&
            desc->cmd_gpa < later.cmd_gpa + later.cmd_size_bytes) {
            return true;
        }
    }
    return false;
}

/* Appends the table of a submission and returns its stream; NULL if it has none, or its memory is unknown. */
static const uint8_t *evidence_submission(const struct agpu_env *env, struct agpu_text *text, uint32_t back,
                                          uint32_t *size)
{
    struct aerogpu_submit_desc desc;
    const uint8_t *stream;

    if (!posted_descriptor(&env->ring, back, &desc) ||
        desc.cmd_size_bytes < sizeof(struct aerogpu_cmd_stream_header)) {
        return NULL;
    }
    stream = submitted_memory(env, desc.cmd_gpa, desc.cmd_size_bytes);
    if (stream == NULL) {
        return NULL;
    }
    agpu_format(text, "submission with fence 0x%jx", desc.signal_fence);
    if (is_written_over(&env->ring, back, &desc)) {
        agpu_text_string(text, ": later packets are in its memory\n");
        return NULL;
    }
    agpu_format(text, ", stream of bytes %u\n", desc.cmd_size_bytes);
    evidence_table(text, submitted_memory(env, desc.alloc_table_gpa, desc.alloc_table_size_bytes),
                   desc.alloc_table_size_bytes);
    evidence_stream(text, stream, desc.cmd_size_bytes);
    *size = desc.cmd_size_bytes;
    return stream;
}

static void evidence_memory(struct agpu_text *text, const struct agpu_rig *rig)
{
    for (unsigned i = 0; i < AGPU_RIG_MEMORY_COUNT && rig->cmd.cpu != NULL; i++) {
        agpu_format(text, "  guest memory %u: 0x%jx + %zu\n", i, rig->memory[i].device_address,
                    rig->memory[i].size);
    }
}

/* Returns true if the size in the header is right: a stream followed by others in one file needs it. */
static bool says_its_end(const uint8_t *stream, uint32_t size)
{
    struct aerogpu_cmd_stream_header header;

    memcpy(&header, stream, sizeof header);
    return header.magic == AEROGPU_CMD_STREAM_MAGIC && header.size_bytes == size;
}

/* Copies the newest available stream, and as many before it as fit, in order of submission: earlier streams often
 * create the objects of later handles. Returns the number of bytes. */
static size_t gather_streams(const uint8_t *const found[STREAMS_SHOWN], const uint32_t sizes[STREAMS_SHOWN])
{
    size_t first = AGPU_STREAM_FILE_MAX;

    for (unsigned i = 0; i < STREAMS_SHOWN; i++) {
        const bool newest = first == AGPU_STREAM_FILE_MAX;

        if (found[i] == NULL) {
            continue;
        }
        if (newest && sizes[i] > AGPU_STREAM_FILE_MAX) { /* alone, and cut */
            memcpy(streams, found[i], AGPU_STREAM_FILE_MAX);
            return AGPU_STREAM_FILE_MAX;
        }
        if (!newest && (sizes[i] > first || !says_its_end(found[i], sizes[i]))) {
            break;
        }
        first -= sizes[i];
        memcpy(streams + first, found[i], sizes[i]);
    }
    memmove(streams, streams + first, AGPU_STREAM_FILE_MAX - first);
    return AGPU_STREAM_FILE_MAX - first;
}

static void evidence_ring(struct agpu_test *test, struct agpu_text *text)
{
    const struct agpu_env *env = test->env;
    const uint8_t *found[STREAMS_SHOWN] = {NULL};
    uint32_t sizes[STREAMS_SHOWN] = {0};
    size_t size;

    if (env->abi.legacy || env->ring.memory.cpu == NULL) {
        return;
    }
    evidence_header(text, &env->ring);
    evidence_slots(text, &env->ring);
    evidence_memory(text, &env->rig);
    for (uint32_t back = 1; back <= STREAMS_SHOWN; back++) {
        found[back - 1] = evidence_submission(env, text, back, &sizes[back - 1]);
    }
    size = gather_streams(found, sizes);
    if (size != 0) {
        agpu_format(text,
                    "these streams, the newest last, are stream.bin%s; agpu decode, or stream.txt beside it, "
                    "prints every member and the errors\n",
                    size == AGPU_STREAM_FILE_MAX ? ", as far as there was room" : "");
        agpu_artifact_send(test, "stream.bin", streams, size);
    }
}

void agpu_evidence_send(struct agpu_test *test)
{
    struct agpu_env *env = test->env;
    struct agpu_text text;

    if (test->test_case->needs < AGPU_NEED_FUNCTION || test->unplanned ||
        (!env->all_evidence && env->evidence_sent >= AGPU_EVIDENCE_CASES)) {
        return;
    }
    env->evidence_sent++;
    agpu_text_begin(&text, evidence, sizeof evidence);
    agpu_format(&text, "%s: %s\n", test->test_case->id, test->reason);
    if (agpu_reg_gone(&env->function)) {
        agpu_text_string(&text, "every register reads all ones: the function is gone, or decodes nothing\n");
    } else {
        evidence_registers(&text, env);
    }
    evidence_ring(test, &text);
    agpu_artifact_send(test, "evidence.txt", evidence, text.length);
}
