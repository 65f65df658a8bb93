/* error_stream.c: faults in the stream header and in packets, and streams that are unusual but valid (commands.md 1,
 * 3). */
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/proof.h"

/* A stream of work, two NOPs of 16 bytes, and work again; damaged after it is complete. */
struct stream_fault {
    void (*damage)(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc);
    uint32_t code;                                             /* AEROGPU_ERROR_NONE: valid */
    enum stream_work { ALL, FIRST, NOTHING, AS_IT_GOES } done; /* the part of the work that is done */
};

#define STREAM_BYTES (sizeof(struct aerogpu_cmd_stream_header) + 2u * AGPU_PROOF_BYTES + 32u)
#define BEHIND       AGPU_PROOF_BYTES /* the second NOP */

static struct aerogpu_cmd_hdr *error_stream_packet(struct aerogpu_cmd_stream_header *header, unsigned index)
{
    return (struct aerogpu_cmd_hdr *)((uint8_t *)(header + 1) + AGPU_PROOF_BYTES + 16 * index);
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

static void error_stream_oldest_minor(struct aerogpu_cmd_stream_header *header,
                                      struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->abi_version = AEROGPU_ABI_MAJOR << 16;
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

static void size_odd(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    header->size_bytes = STREAM_BYTES - 1;
}

static void size_over_buffer(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    header->size_bytes = desc->cmd_size_bytes + 4;
}

static void error_stream_size_over_limit(struct aerogpu_cmd_stream_header *header,
                                         struct aerogpu_submit_desc *desc)
{
    /* The descriptor has the same size, so only the limit of 64 MiB is exceeded. */
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
    header->size_bytes = STREAM_BYTES - 16 - BEHIND;
    error_stream_packet(header, 1)->size_bytes = 3; /* outside the stream: the device must not read it */
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
    error_stream_packet(header, 1)->size_bytes = 16 + BEHIND + 4;
}

static void packet_size_max(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->size_bytes = 0xFFFFFFFC; /* offset + size must not wrap */
}

static void tail_of_four(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->size_bytes = 16 + BEHIND - 4; /* leaves less than a packet header */
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
    error_stream_packet(header, 1)->size_bytes = 16 + BEHIND + 8;
}

static void short_structure(struct aerogpu_cmd_stream_header *header, struct aerogpu_submit_desc *desc)
{
    (void)desc;
    error_stream_packet(header, 1)->opcode = AEROGPU_CMD_CREATE_BUFFER; /* 16 of its 40 bytes */
}

/* Checks that the work was done as far as the fault permits. For a faulty packet, devices differ about the work before
 * it; none does the work after it (commands.md 3). The model stops at the packet; earlier work remains. */
static void check_stream_work(struct agpu_test *t, const struct stream_fault *fault)
{
    enum stream_work done = fault->done;

    if (done == AS_IT_GOES) {
        const uint32_t code = agpu_error_code(t->env);
        const bool stands = agpu_proof_done(t, 0);

        agpu_choice(t, "work_before_a_faulty_packet", stands ? "stands" : "lost");
        agpu_choice(t, "code_of_a_faulty_packet",
                    code == AEROGPU_ERROR_CMD_DECODE ? "CMD_DECODE"
                    : code == AEROGPU_ERROR_BACKEND  ? "BACKEND"
                                                     : "another");
        done = stands || t->env->model ? FIRST : NOTHING;
    }
    if (done == NOTHING) {
        agpu_check_no_proof(t, 0);
    } else {
        agpu_check_proof(t, 0, 0xF1257);
    }
    if (done == ALL) {
        agpu_check_proof(t, 1, 0x5EC02D);
    } else {
        agpu_check_no_proof(t, 1);
    }
}

/* Given one fault in a stream, the device must report the right error and do the work as far as the fault permits. */
static void error_stream_run(struct agpu_test *t)
{
    const struct stream_fault *fault = t->test_case->arg;
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;
    struct aerogpu_submit_desc desc;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_put_proof_memory(t);
    agpu_put_proof(t, 0, 0xF1257);
    agpu_rig_packet(rig, AEROGPU_CMD_NOP, 16);
    agpu_rig_packet(rig, AEROGPU_CMD_NOP, 16);
    agpu_put_proof(t, 1, 0x5EC02D);
    agpu_assert(t, agpu_rig_finish(rig, &submission));
    agpu_assert_ok(t, agpu_ring_describe(&submission, &desc));
    agpu_assert(t, desc.cmd_size_bytes == STREAM_BYTES);
    fault->damage(agpu_rig_stream_header(rig), &desc);
    if (fault->code != AEROGPU_ERROR_NONE) {
        agpu_run_faulty_desc(t, &desc, fault->code);
    } else {
        agpu_return_unless(agpu_submit_wait(t, &submission));
        agpu_check_no_errors_counted(t);
    }
    check_stream_work(t, fault);
    agpu_rig_begin_over(rig);
    agpu_put_proof_memory(t);
    agpu_put_proof(t, 2, 0x7E57);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_proof(t, 2, 0x7E57);
}

/* The device must skip unknown opcodes by their size, whichever known opcode their low bits match. Each carries, where
 * DESTROY_RESOURCE has its handle, a buffer that later work needs. */
static void unknown_opcodes(struct agpu_test *t)
{
    static const uint32_t opcodes[] = {AEROGPU_CMD_DESTROY_RESOURCE | 0x00001000,
                                       AEROGPU_CMD_DESTROY_RESOURCE | 0x00010000,
                                       AEROGPU_CMD_DESTROY_RESOURCE | 0x01000000,
                                       AEROGPU_CMD_DESTROY_RESOURCE | 0x80000000,
                                       AEROGPU_CMD_DESTROY_RESOURCE | 0x00000800,
                                       0x0FF,
                                       0x10F,
                                       0x2FF,
                                       0x7FF,
                                       0xFFFFFFFF,
                                       2};
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(agpu_proof_begin(t));
    for (unsigned i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        agpu_put_proof_memory(t);
        for (uint32_t size = 8; size <= 72; size += 4) {
            uint32_t *words = agpu_rig_packet(rig, opcodes[i], size);

            for (uint32_t word = 2; word < size / 4; word++) {
                words[word] = AGPU_PROOF_HANDLE;
            }
        }
        agpu_put_proof(t, i, opcodes[i]);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_proof(t, i, opcodes[i]));
    }
}

/* The device must not execute a known packet that is four bytes shorter than its structure and otherwise valid, with
 * the missing bytes after it. */
static void short_structures(struct agpu_test *t)
{
    static const struct {
        uint32_t opcode, size;
    } packets[] = {
        {AEROGPU_CMD_DESTROY_RESOURCE, sizeof(struct aerogpu_cmd_destroy_resource)},
        {AEROGPU_CMD_CREATE_BUFFER, sizeof(struct aerogpu_cmd_create_buffer)},
        {AEROGPU_CMD_RESOURCE_DIRTY_RANGE, sizeof(struct aerogpu_cmd_resource_dirty_range)},
        {AEROGPU_CMD_COPY_BUFFER, sizeof(struct aerogpu_cmd_copy_buffer)},
        {AEROGPU_CMD_CREATE_TEXTURE2D, sizeof(struct aerogpu_cmd_create_texture2d)},
        {AEROGPU_CMD_CLEAR, sizeof(struct aerogpu_cmd_clear)},
    };
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(agpu_proof_begin(t));
    for (uint32_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        uint32_t *words = agpu_rig_packet(rig, packets[i].opcode, packets[i].size - 4);

        words[2] = i == 0 ? AGPU_PROOF_HANDLE : 0x77;
        agpu_put_proof_memory(t);
        agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
        agpu_put_proof_memory(t);
        agpu_put_proof(t, i, i);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_proof(t, i, i));
    }
}

/* Packets without effect must cause no error: NOP of any size, a marker without text, FLUSH, and known packets with
 * extra bytes after their structure. */
static void idle_packets(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_put_proof_memory(t);
    for (uint32_t size = 8; size <= 64; size += 4) {
        agpu_rig_packet(rig, AEROGPU_CMD_NOP, size);
        agpu_rig_packet(rig, AEROGPU_CMD_DEBUG_MARKER, size);
    }
    agpu_rig_packet(rig, AEROGPU_CMD_NOP, AGPU_RIG_PACKET_MAX);
    for (uint32_t size = sizeof(struct aerogpu_cmd_flush); size <= 64; size += 4) {
        agpu_rig_packet(rig, AEROGPU_CMD_FLUSH, size);
    }
    for (uint32_t more = 0; more < 24; more += 4) { /* destroys nothing */
        agpu_rig_packet(rig, AEROGPU_CMD_DESTROY_RESOURCE,
                        (uint32_t)sizeof(struct aerogpu_cmd_destroy_resource) + more);
    }
    agpu_put_proof(t, 0, 0x1D7E);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_proof(t, 0, 0x1D7E);
}

#define WORK (AEROGPU_FEATURE_ERROR_INFO | AEROGPU_FEATURE_TRANSFER)
#define STREAM_CASE(name, function, expected, done)                                                          \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 1", .needs = AGPU_NEED_RING, .features = WORK,                    \
        .run = error_stream_run, .arg = &(const struct stream_fault){function, expected, done},              \
    }

static const struct agpu_case ring_error_stream_cases[] = {
    STREAM_CASE("error.stream.baseline", error_stream_nothing, AEROGPU_ERROR_NONE, ALL),
    STREAM_CASE("error.stream.oldest_minor_is_fine", error_stream_oldest_minor, AEROGPU_ERROR_NONE, ALL),
    STREAM_CASE("error.stream.newer_minor_is_fine", error_stream_newer_minor, AEROGPU_ERROR_NONE, ALL),
    STREAM_CASE("error.stream.ignored_fields_are_fine", error_stream_ignored_fields, AEROGPU_ERROR_NONE, ALL),
    STREAM_CASE("error.stream.empty_is_fine", empty_stream, AEROGPU_ERROR_NONE, NOTHING),
    STREAM_CASE("error.stream.bytes_behind_are_fine", bytes_behind, AEROGPU_ERROR_NONE, FIRST),
    STREAM_CASE("error.stream.bad_magic", error_stream_bad_magic, AEROGPU_ERROR_CMD_DECODE, NOTHING),
    STREAM_CASE("error.stream.bad_major", error_stream_bad_major, AEROGPU_ERROR_CMD_DECODE, NOTHING),
    STREAM_CASE("error.stream.size_below_header", error_stream_size_below_header, AEROGPU_ERROR_CMD_DECODE,
                NOTHING),
    STREAM_CASE("error.stream.size_zero", size_zero, AEROGPU_ERROR_CMD_DECODE, NOTHING),
    STREAM_CASE("error.stream.size_unaligned", size_unaligned, AEROGPU_ERROR_CMD_DECODE, NOTHING),
    STREAM_CASE("error.stream.size_odd", size_odd, AEROGPU_ERROR_CMD_DECODE, NOTHING),
    STREAM_CASE("error.stream.size_over_buffer", size_over_buffer, AEROGPU_ERROR_OOB, NOTHING),
    STREAM_CASE("error.stream.size_over_limit", error_stream_size_over_limit, AEROGPU_ERROR_CMD_DECODE,
                NOTHING),
    STREAM_CASE("error.packet.size_zero", packet_size_zero, AEROGPU_ERROR_CMD_DECODE, AS_IT_GOES),
    STREAM_CASE("error.packet.below_header", packet_below_header, AEROGPU_ERROR_CMD_DECODE, AS_IT_GOES),
    STREAM_CASE("error.packet.unaligned", packet_unaligned, AEROGPU_ERROR_CMD_DECODE, AS_IT_GOES),
    STREAM_CASE("error.packet.past_end", packet_past_end, AEROGPU_ERROR_CMD_DECODE, AS_IT_GOES),
    STREAM_CASE("error.packet.size_wraps", packet_size_max, AEROGPU_ERROR_CMD_DECODE, AS_IT_GOES),
    STREAM_CASE("error.packet.partial_header_at_end", tail_of_four, AEROGPU_ERROR_CMD_DECODE, AS_IT_GOES),
    STREAM_CASE("error.packet.unknown_opcode_is_skipped", unknown_opcode, AEROGPU_ERROR_NONE, ALL),
    STREAM_CASE("error.packet.unknown_opcode_past_end", unknown_opcode_past_end, AEROGPU_ERROR_CMD_DECODE,
                AS_IT_GOES),
    STREAM_CASE("error.packet.short_structure", short_structure, AEROGPU_ERROR_CMD_DECODE, AS_IT_GOES),
    {.id = "error.packet.unknown_opcodes",
     .spec = "commands.md 1",
     .needs = AGPU_NEED_RING,
     .features = WORK,
     .run = unknown_opcodes},
    {.id = "error.packet.short_structures",
     .spec = "commands.md 1",
     .needs = AGPU_NEED_RING,
     .features = WORK,
     .run = short_structures},
    {.id = "error.packet.idle_are_fine",
     .spec = "commands.md 11",
     .needs = AGPU_NEED_RING,
     .features = WORK,
     .run = idle_packets},
};

AGPU_CASE_TABLE(agpu_cases_ring_error_stream, ring_error_stream_cases);
