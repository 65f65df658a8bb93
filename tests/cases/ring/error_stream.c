/* error_stream.c: faults in the stream header and in packet framing, and what is no fault (commands.md
 * 1, 3). */
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/submit.h"

/* A stream of two NOPs of 16 bytes each, damaged after it is complete. size_bytes of the stream: 56. */
struct stream_fault {
    void (*damage)(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc);
    uint32_t code; /* AEROGPU_ERROR_NONE: not a fault */
};

#define STREAM_BYTES 56u

static struct aerogpu_cmd_hdr *error_stream_packet(struct aerogpu_cmd_stream_header *header, unsigned index)
{
    return (struct aerogpu_cmd_hdr *)((uint8_t *)(header + 1) + 16 * index);
}

static void error_stream_nothing(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)header;
    (void)desc;
}

static void error_stream_bad_magic(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->magic ^= 0x100;
}

static void error_stream_bad_major(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->abi_version = 0x00020000;
}

static void error_stream_newer_minor(struct aerogpu_cmd_stream_header *header,
                                     struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->abi_version = AEROGPU_ABI_MAJOR << 16 | 0xFFFF;
}

static void error_stream_ignored_fields(struct aerogpu_cmd_stream_header *header,
                                        struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->flags = UINT32_MAX;
    header->reserved0 = UINT32_MAX;
    header->reserved1 = UINT32_MAX;
}

static void error_stream_size_below_header(struct aerogpu_cmd_stream_header *header,
                                           struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->size_bytes = 20;
}

static void size_zero(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->size_bytes = 0;
}

static void size_unaligned(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->size_bytes = STREAM_BYTES - 2;
}

static void size_over_buffer(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    header->size_bytes = desc->cmd_size_bytes + 4;
}

static void error_stream_size_over_limit(struct aerogpu_cmd_stream_header *header,
                                         struct aerogpu_submit_desc *desc)
{
    /* The descriptor claims as much, so that only the limit of 64 MiB is broken. */
    header->size_bytes = (64u << 20) + 4;
    desc->cmd_size_bytes = (64u << 20) + 4;
}

static void empty_stream(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->size_bytes = sizeof *header;
}

static void bytes_behind(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->size_bytes = STREAM_BYTES - 16;
    error_stream_packet(header, 1)->size_bytes = 3; /* outside the stream: must not be looked at */
}

static void packet_size_zero(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->size_bytes = 0;
}

static void packet_below_header(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->size_bytes = 4;
}

static void packet_unaligned(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->size_bytes = 14;
}

static void packet_past_end(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->size_bytes = 20;
}

static void packet_size_max(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->size_bytes = 0xFFFFFFFC; /* offset + size must not wrap */
}

static void tail_of_four(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->size_bytes = 12; /* leaves 4 bytes, less than a packet header */
}

static void unknown_opcode(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 0)->opcode = 0x7FFFFFFF;
    error_stream_packet(header, 1)->opcode = 0x10F;
}

static void unknown_opcode_past_end(struct aerogpu_cmd_stream_header *header,
                                    struct aerogpu_submit_desc *desc)
{
    unknown_opcode(header, desc);
    error_stream_packet(header, 1)->size_bytes = 64;
}

static void short_structure(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->opcode = AEROGPU_CMD_CREATE_BUFFER; /* 16 of its 40 bytes */
}

static void error_stream_run(struct agpu_test *t)
{
    const struct stream_fault *fault = t->test_case->arg;
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;
    struct aerogpu_submit_desc desc;
    struct agpu_error_info before = agpu_error_info(t->env);

    agpu_rig_packet(rig, AEROGPU_CMD_NOP, 16);
    agpu_rig_packet(rig, AEROGPU_CMD_NOP, 16);
    agpu_assert(t, agpu_rig_finish(rig, &submission));
    agpu_assert_ok(t, agpu_ring_describe(&submission, &desc));
    agpu_assert(t, desc.cmd_size_bytes == STREAM_BYTES);
    fault->damage(agpu_rig_stream_header(rig), &desc);
    if (fault->code != AEROGPU_ERROR_NONE) {
        agpu_run_faulty_desc(t, &desc, fault->code);
        return;
    }
    agpu_return_unless(agpu_submit_wait(t, &submission));
    agpu_check_eq_u64(t, agpu_error_info(t->env).count, before.count);
}

#define STREAM_CASE(name, function, expected)                                                                \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 1", .needs = AGPU_NEED_RING,                                      \
        .features = AEROGPU_FEATURE_ERROR_INFO, .run = error_stream_run,                                     \
        .arg = &(const struct stream_fault){function, expected},                                             \
    }

static const struct agpu_case cases[] = {
    STREAM_CASE("error.stream.baseline", error_stream_nothing, AEROGPU_ERROR_NONE),
    STREAM_CASE("error.stream.newer_minor_is_fine", error_stream_newer_minor, AEROGPU_ERROR_NONE),
    STREAM_CASE("error.stream.ignored_fields_are_fine", error_stream_ignored_fields, AEROGPU_ERROR_NONE),
    STREAM_CASE("error.stream.empty_is_fine", empty_stream, AEROGPU_ERROR_NONE),
    STREAM_CASE("error.stream.bytes_behind_are_fine", bytes_behind, AEROGPU_ERROR_NONE),
    STREAM_CASE("error.stream.bad_magic", error_stream_bad_magic, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.stream.bad_major", error_stream_bad_major, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.stream.size_below_header", error_stream_size_below_header, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.stream.size_zero", size_zero, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.stream.size_unaligned", size_unaligned, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.stream.size_over_buffer", size_over_buffer, AEROGPU_ERROR_OOB),
    STREAM_CASE("error.stream.size_over_limit", error_stream_size_over_limit, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.packet.size_zero", packet_size_zero, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.packet.below_header", packet_below_header, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.packet.unaligned", packet_unaligned, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.packet.past_end", packet_past_end, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.packet.size_wraps", packet_size_max, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.packet.partial_header_at_end", tail_of_four, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.packet.unknown_opcode_is_skipped", unknown_opcode, AEROGPU_ERROR_NONE),
    STREAM_CASE("error.packet.unknown_opcode_past_end", unknown_opcode_past_end, AEROGPU_ERROR_CMD_DECODE),
    STREAM_CASE("error.packet.short_structure", short_structure, AEROGPU_ERROR_CMD_DECODE),
};

AGPU_CASE_TABLE(agpu_cases_ring_error_stream, cases);
