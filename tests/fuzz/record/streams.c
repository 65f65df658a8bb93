/* streams.c: writes the submissions of a run as records of the stream target. */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/record/place.h"
#include "tests/fuzz/record/recorder.h"

static uint32_t next_index;

static uint64_t ring_gpa(void)
{
    return record_register_value(AEROGPU_MMIO_REG_RING_GPA_LO) |
           (uint64_t)record_register_value(AEROGPU_MMIO_REG_RING_GPA_HI) << 32;
}

void record_submissions_dropped(void)
{
    next_index = 0;
}

static void record_table(const struct aerogpu_submit_desc *desc)
{
    struct aerogpu_alloc_table_header header;
    const uint8_t *table = record_guest(desc->alloc_table_gpa, sizeof header);

    if (desc->alloc_table_size_bytes < sizeof header || table == NULL) {
        return;
    }
    memcpy(&header, table, sizeof header);
    if (header.entry_count > 512 || header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry) ||
        header.entry_stride_bytes > 256) {
        return;
    }
    table = record_guest(desc->alloc_table_gpa,
                         sizeof header + (uint64_t)header.entry_count * header.entry_stride_bytes);
    for (uint32_t i = 0; table != NULL && i < header.entry_count; i++) {
        struct aerogpu_alloc_entry entry;

        memcpy(&entry, table + sizeof header + (size_t)i * header.entry_stride_bytes, sizeof entry);
        const uint32_t operand[] = {entry.alloc_id, entry.flags,
                                    (uint32_t)(place_address(entry.gpa) - FUZZ_BASE - FUZZ_OWN_BYTES),
                                    entry.size_bytes < UINT32_MAX ? (uint32_t)entry.size_bytes : UINT32_MAX};
        record(RECORD_STREAM, FUZZ_OP_ALLOC, 0, operand, sizeof operand);
        record_memory(RECORD_STREAM, entry.gpa, entry.size_bytes);
    }
}

static void record_packets(const struct aerogpu_submit_desc *desc, uint8_t *minor)
{
    const uint8_t *stream = record_guest(desc->cmd_gpa, desc->cmd_size_bytes);
    struct aerogpu_cmd_stream_header header;
    uint32_t at = sizeof header;

    if (desc->cmd_size_bytes < sizeof header || stream == NULL) {
        return;
    }
    memcpy(&header, stream, sizeof header);
    *minor = (uint8_t)header.abi_version;
    while (header.size_bytes <= desc->cmd_size_bytes && at < header.size_bytes) {
        const uint32_t left = header.size_bytes - at;
        struct aerogpu_cmd_hdr packet = {0};

        memcpy(&packet, stream + at, left < sizeof packet ? left : sizeof packet);
        if (packet.size_bytes < sizeof packet || packet.size_bytes > left || packet.size_bytes % 4 != 0) {
            record(RECORD_STREAM, FUZZ_OP_PACKET, FUZZ_ARG_VERBATIM, stream + at, left < 256 ? left : 256);
            return;
        }
        record(RECORD_STREAM, FUZZ_OP_PACKET, 0, stream + at, packet.size_bytes);
        at += packet.size_bytes;
    }
}

void record_submissions(void)
{
    const uint64_t gpa = ring_gpa();
    struct aerogpu_ring_header header;
    const uint8_t *ring = record_guest(gpa, sizeof header);

    if (ring == NULL) {
        return;
    }
    memcpy(&header, ring, sizeof header);
    if (header.magic != AEROGPU_RING_MAGIC || header.entry_count == 0 || header.entry_count > 4096 ||
        header.entry_stride_bytes < sizeof(struct aerogpu_submit_desc)) {
        return;
    }
    if (header.tail - next_index > header.entry_count) {
        next_index = header.head;
    }
    for (; next_index != header.tail && header.tail - next_index <= header.entry_count; next_index++) {
        struct aerogpu_submit_desc desc;
        uint8_t minor = 4;

        const uint8_t *slot =
            record_guest(gpa + sizeof header +
                             (uint64_t)(next_index & (header.entry_count - 1)) * header.entry_stride_bytes,
                         sizeof desc);

        if (slot == NULL) {
            return;
        }
        memcpy(&desc, slot, sizeof desc);
        record_table(&desc);
        record_packets(&desc, &minor);
        record(RECORD_STREAM, FUZZ_OP_SUBMIT,
               (uint8_t)((desc.flags & 3u) | (desc.cmd_gpa == 0 ? FUZZ_SUBMIT_NO_STREAM : 0) |
                         (desc.alloc_table_gpa == 0 ? FUZZ_SUBMIT_NO_TABLE : 0) |
                         (desc.signal_fence == 0 ? FUZZ_SUBMIT_NO_FENCE : 0)),
               &minor, sizeof minor);
    }
}
