/* buffer_fault.c: buffer packets that must be refused, each alone in its submission (commands.md 3, 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"

#define SIZE 1024u

/* Handles that exist before the faulty packet: 1 host-owned, 2 guest-backed by allocation 7 (memory 0), both of SIZE
 * bytes. The faulty submission's table has allocation 7 too; 8 is memory 1, READONLY, backing buffer 3. */
#define HOST     1u
#define GUEST    2u
#define READONLY 3u
#define ABSENT   77u
#define GATHER   78u   /* target of the copies of both, to read them back at once */
#define KNOWN    4096u /* bytes of memory 1 to check */

static const uint8_t data[128];

/* The contents of the buffers and of memory 0. */
struct fault_contents {
    uint8_t host[SIZE];
    uint8_t guest[SIZE];
    uint8_t memory[SIZE];
};
static struct fault_contents expected_contents;

struct packet_fault {
    void (*put)(struct agpu_rig *rig);
    /* A device like one of these LIKE_* may accept it, with this effect (NULL: none). memory is guest memory as
     * found. */
    uint32_t like;
    void (*passed)(struct fault_contents *contents, const uint8_t *memory);
    bool without_host; /* destroy buffer HOST first */
};

#define LIKE_SW  1u
#define LIKE_D11 2u

static void put_fault_buffers(struct agpu_rig *r)
{
    agpu_rig_alloc(r, 7, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(r, HOST, SIZE, 0, 0);
    agpu_put_create_buffer(r, GUEST, SIZE, 7, 0);
    agpu_put_dirty(r, GUEST, 0, SIZE);
    agpu_put_create_buffer(r, READONLY, SIZE, 8, 0);
    agpu_put_dirty(r, READONLY, 0, SIZE);
    for (uint32_t at = 0; at < SIZE; at += sizeof data) {
        agpu_put_upload(r, HOST, at, expected_contents.host + at, sizeof data);
    }
}

/* Checks the contents of both buffers through one read-back. */
static bool fault_buffers_hold(struct agpu_test *t, bool without_host)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *both = r->memory[2].cpu;

    /* A device may fetch at the first use (ring.md 8). */
    agpu_rig_alloc(r, 7, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(r, GATHER, 2 * SIZE, 0, 0);
    if (!without_host) {
        agpu_put_copy_buffer(r, GATHER, 0, HOST, 0, SIZE, AEROGPU_COPY_FLAG_NONE);
    }
    agpu_put_copy_buffer(r, GATHER, SIZE, GUEST, 0, SIZE, AEROGPU_COPY_FLAG_NONE);
    agpu_put_readback(r, GATHER, 0, 2 * SIZE);
    if (without_host) {
        memset(both, 0, SIZE);
    } else {
        memcpy(both, expected_contents.host, SIZE);
    }
    memcpy(both + SIZE, expected_contents.guest, SIZE);
    if (!agpu_run_clean(t) || !agpu_check_readback(t, both, 2 * SIZE)) {
        return false;
    }
    agpu_put_readback_done(r);
    agpu_put_destroy(r, GATHER);
    return agpu_run_clean(t);
}

/* Creates the buffers, each with its own bytes, and reads them once, so that a later read-back is known to work. */
static bool fault_begin(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_fill_origin(expected_contents.host, SIZE, 1, AGPU_FROM_SOURCE);
    agpu_fill_origin(expected_contents.guest, SIZE, 2, AGPU_FROM_DEVICE);
    memcpy(expected_contents.memory, expected_contents.guest, SIZE);
    agpu_fill_origin(r->memory[1].cpu, KNOWN, 3, AGPU_FROM_DEVICE);
    memset(r->memory[0].cpu, 0x5A, r->memory[0].size);
    memcpy(r->memory[0].cpu, expected_contents.guest, SIZE);
    put_fault_buffers(r);
    return agpu_run_clean(t) && fault_buffers_hold(t, false);
}

/* Checks both buffers and all guest memory. */
static void fault_end(struct agpu_test *t, bool without_host)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[0].cpu;
    uint8_t *second = r->memory[2].cpu;

    agpu_check_origins(t, memory, expected_contents.memory, SIZE,
                       "guest memory of the buffer after the refused packet");
    agpu_check_filled(t, memory + SIZE, 0x5A, r->memory[0].size - SIZE);
    agpu_fill_origin(second, KNOWN, 3, AGPU_FROM_DEVICE);
    agpu_check_origins(t, r->memory[1].cpu, second, KNOWN, "memory that is READONLY");
    fault_buffers_hold(t, without_host);
}

/* Given one faulty buffer packet, the device must refuse it and change neither buffers nor guest memory. */
static void buffer_fault_run(struct agpu_test *t)
{
    const struct packet_fault *fault = t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    bool passed = false;

    agpu_return_unless(executor != NULL && fault_begin(t));
    if (fault->without_host) {
        agpu_put_destroy(r, HOST);
        agpu_return_unless(agpu_run_clean(t));
    }
    agpu_rig_alloc(r, 7, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    fault->put(r);
    if ((executor->implicit && (fault->like & LIKE_SW) != 0) ||
        (executor->first_only && (fault->like & LIKE_D11) != 0)) {
        agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed);
    } else {
        agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    }
    if (passed && fault->passed != NULL) {
        fault->passed(&expected_contents, r->memory[0].cpu);
    }
    fault_end(t, fault->without_host);
}

static void create_handle_zero(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 0, 64, 0, 0);
}

static void create_size_zero(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 10, 0, 0, 0);
}

static void create_size_unaligned(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 10, 66, 0, 0);
}

static void create_alive_other_size(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, HOST, SIZE * 2, 0, 0);
}

static void create_unknown_alloc(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 10, 64, 99, 0);
}

static void create_beyond_alloc(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 10, AGPU_RIG_MEMORY_BYTES + 4, 7, 0);
}

static void create_offset_beyond_alloc(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 10, 64, 7, AGPU_RIG_MEMORY_BYTES - 60);
}

static void create_size_wraps(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 10, UINT64_MAX - 3, 7, 0xFFFFFFF0);
}

/* Fields of 64 bits whose low half alone would be valid. */
#define ABOVE_4_GIB (UINT64_C(1) << 32)

static void create_size_above_4_gib(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 10, ABOVE_4_GIB + 64, 7, 0);
}

static void dirty_offset_above_4_gib(struct agpu_rig *r)
{
    agpu_put_dirty(r, GUEST, ABOVE_4_GIB, 64);
}

static void dirty_size_above_4_gib(struct agpu_rig *r)
{
    agpu_put_dirty(r, GUEST, 0, ABOVE_4_GIB + 64);
}

static void upload_offset_above_4_gib(struct agpu_rig *r)
{
    agpu_put_upload(r, HOST, ABOVE_4_GIB, data, 64);
}

static void upload_size_above_4_gib(struct agpu_rig *r)
{
    agpu_put_upload(r, HOST, 0, data, 64)->size_bytes = ABOVE_4_GIB + 64;
}

static void copy_source_above_4_gib(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, ABOVE_4_GIB, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_destination_above_4_gib(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, ABOVE_4_GIB, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_size_above_4_gib(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, ABOVE_4_GIB + 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

/* The last multiple of 4 that is out of range, and an offset that is out of range in its top bit only. */
static void copy_one_word_too_far(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, SIZE - 60, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_offset_top_bit(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, UINT64_C(1) << 63, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void create_alive_other_usage(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, HOST, SIZE, 0, 0)->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
}

static void create_as_texture(struct agpu_rig *r)
{
    agpu_put_create_texture(r, HOST, AEROGPU_FORMAT_R8G8B8A8_UNORM, 16, 16, 0, 0);
}

static void dirty_unknown(struct agpu_rig *r)
{
    agpu_put_dirty(r, ABSENT, 0, 4);
}

static void dirty_beyond(struct agpu_rig *r)
{
    agpu_put_dirty(r, GUEST, SIZE - 4, 8);
}

static void dirty_wraps(struct agpu_rig *r)
{
    agpu_put_dirty(r, GUEST, UINT64_MAX - 3, 8);
}

static void upload_unknown(struct agpu_rig *r)
{
    agpu_put_upload(r, ABSENT, 0, data, 4);
}

static void buffer_fault_upload_beyond(struct agpu_rig *r)
{
    agpu_put_upload(r, HOST, SIZE - 32, data, 64);
}

static void upload_wraps(struct agpu_rig *r)
{
    agpu_put_upload(r, HOST, UINT64_MAX - 3, data, 64);
}

static void upload_unaligned(struct agpu_rig *r)
{
    agpu_put_upload(r, HOST, 2, data, 4);
}

static void upload_unaligned_passed(struct fault_contents *c, const uint8_t *memory)
{
    (void)memory;
    memset(c->host + 2, 0, 4);
}

static void upload_guest_backed(struct agpu_rig *r)
{
    agpu_put_upload(r, GUEST, 0, data, 64);
}

/* The device's copy receives it; guest memory may. */
static void upload_guest_backed_passed(struct fault_contents *c, const uint8_t *memory)
{
    memset(c->guest, 0, 64);
    if (memory[0] == 0) {
        memset(c->memory, 0, 64);
    }
}

static void upload_short_payload(struct agpu_rig *r)
{
    agpu_put_upload(r, HOST, 0, data, 64)->size_bytes = 65;
}

static void upload_size_huge(struct agpu_rig *r)
{
    agpu_put_upload(r, HOST, 0, data, 64)->size_bytes = UINT64_MAX;
}

static void copy_unknown_source(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, HOST, 0, ABSENT, 0, 4, 0);
}

static void copy_unknown_destination(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, ABSENT, 0, HOST, 0, 4, 0);
}

static void copy_source_beyond(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, SIZE - 4, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_destination_beyond(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, SIZE - 4, HOST, 0, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_source_wraps(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, UINT64_MAX - 3, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_size_huge(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 4, HOST, 4, UINT64_MAX - 3, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_unaligned_source(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 2, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_unaligned_source_passed(struct fault_contents *c, const uint8_t *memory)
{
    (void)memory;
    memcpy(c->guest, c->host + 2, 4);
    memcpy(c->memory, c->host + 2, 4);
}

static void copy_unaligned_destination_passed(struct fault_contents *c, const uint8_t *memory)
{
    (void)memory;
    memcpy(c->guest + 2, c->host, 4);
    memcpy(c->memory + 2, c->host, 4);
}

static void copy_unaligned_destination(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 2, HOST, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_unaligned_size(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, 6, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_unaligned_size_passed(struct fault_contents *c, const uint8_t *memory)
{
    (void)memory;
    memcpy(c->guest, c->host, 6);
    memcpy(c->memory, c->host, 6);
}

static void copy_same_handle(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, HOST, 512, HOST, 0, 64, 0);
}

static void copy_same_handle_passed(struct fault_contents *c, const uint8_t *memory)
{
    (void)memory;
    memcpy(c->host + 512, c->host, 64);
}

static void copy_unknown_flag(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, 64, 0x80 | AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_unknown_flag_passed(struct fault_contents *c, const uint8_t *memory)
{
    (void)memory;
    memcpy(c->guest, c->host, 64);
    memcpy(c->memory, c->host, 64);
}

static void writeback_to_host_owned(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, HOST, 0, GUEST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void writeback_to_readonly(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, READONLY, 0, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void use_after_destroy(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

/* Given a destination whose allocation is not in this submission's table, or no table, the device must refuse the
 * packet. */
static void alloc_missing(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    bool with_table = t->test_case->arg != NULL;

    agpu_return_unless(fault_begin(t));
    if (with_table) {
        agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    }
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    fault_end(t, false);
}

/* Given an allocation that is smaller than the buffer needs, at its end or by its backing offset, the device must
 * refuse the packet. */
static void alloc_shrunk(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(fault_begin(t));
    agpu_rig_alloc_range(r, 7, r->memory[0].device_address, SIZE - 64, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(r, GUEST, SIZE - 64, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    fault_end(t, false);
}

#define NEEDS                                                                                                \
    .spec = "commands.md 6", .needs = AGPU_NEED_RING,                                                        \
    .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO
#define FAULT_CASE(name, ...)                                                                                \
    {                                                                                                        \
        .id = (name), NEEDS, .run = buffer_fault_run, .arg = &(const struct packet_fault){__VA_ARGS__},      \
    }
#define FAULT(name, function) FAULT_CASE(name, .put = (function))
#define TOLERATED(name, devices, function, effect)                                                           \
    FAULT_CASE(name, .put = (function), .like = (devices), .passed = (effect))

static const struct agpu_case resource_buffer_fault_cases[] = {
    TOLERATED("buffer.create_fault.handle_zero", LIKE_SW, create_handle_zero, NULL),
    TOLERATED("buffer.create_fault.size_zero", LIKE_SW, create_size_zero, NULL),
    TOLERATED("buffer.create_fault.size_unaligned", LIKE_SW | LIKE_D11, create_size_unaligned, NULL),
    FAULT("buffer.create_fault.alive_with_other_size", create_alive_other_size),
    FAULT("buffer.create_fault.alive_with_other_usage", create_alive_other_usage),
    FAULT("buffer.create_fault.alive_as_texture", create_as_texture),
    FAULT("buffer.create_fault.size_above_4_gib", create_size_above_4_gib),
    TOLERATED("buffer.dirty_fault.offset_above_4_gib", LIKE_SW | LIKE_D11, dirty_offset_above_4_gib, NULL),
    TOLERATED("buffer.dirty_fault.size_above_4_gib", LIKE_SW | LIKE_D11, dirty_size_above_4_gib, NULL),
    FAULT("buffer.upload_fault.offset_above_4_gib", upload_offset_above_4_gib),
    FAULT("buffer.upload_fault.size_above_4_gib", upload_size_above_4_gib),
    FAULT("buffer.copy_fault.source_above_4_gib", copy_source_above_4_gib),
    FAULT("buffer.copy_fault.destination_above_4_gib", copy_destination_above_4_gib),
    FAULT("buffer.copy_fault.size_above_4_gib", copy_size_above_4_gib),
    FAULT("buffer.copy_fault.one_word_too_far", copy_one_word_too_far),
    FAULT("buffer.copy_fault.offset_top_bit", copy_offset_top_bit),
    FAULT("buffer.create_fault.unknown_alloc", create_unknown_alloc),
    FAULT("buffer.create_fault.size_beyond_alloc", create_beyond_alloc),
    FAULT("buffer.create_fault.offset_beyond_alloc", create_offset_beyond_alloc),
    FAULT("buffer.create_fault.size_wraps", create_size_wraps),
    TOLERATED("buffer.dirty_fault.unknown_handle", LIKE_SW | LIKE_D11, dirty_unknown, NULL),
    TOLERATED("buffer.dirty_fault.beyond_end", LIKE_SW | LIKE_D11, dirty_beyond, NULL),
    TOLERATED("buffer.dirty_fault.range_wraps", LIKE_SW | LIKE_D11, dirty_wraps, NULL),
    TOLERATED("buffer.upload_fault.unknown_handle", LIKE_SW | LIKE_D11, upload_unknown, NULL),
    FAULT("buffer.upload_fault.beyond_end", buffer_fault_upload_beyond),
    FAULT("buffer.upload_fault.range_wraps", upload_wraps),
    TOLERATED("buffer.upload_fault.unaligned", LIKE_SW, upload_unaligned, upload_unaligned_passed),
    TOLERATED("buffer.upload_fault.guest_backed", LIKE_SW | LIKE_D11, upload_guest_backed,
              upload_guest_backed_passed),
    FAULT("buffer.upload_fault.short_payload", upload_short_payload),
    FAULT("buffer.upload_fault.size_huge", upload_size_huge),
    FAULT("buffer.copy_fault.unknown_source", copy_unknown_source),
    FAULT("buffer.copy_fault.unknown_destination", copy_unknown_destination),
    FAULT("buffer.copy_fault.source_beyond_end", copy_source_beyond),
    FAULT("buffer.copy_fault.destination_beyond_end", copy_destination_beyond),
    FAULT("buffer.copy_fault.source_wraps", copy_source_wraps),
    FAULT("buffer.copy_fault.size_huge", copy_size_huge),
    TOLERATED("buffer.copy_fault.unaligned_source", LIKE_SW, copy_unaligned_source,
              copy_unaligned_source_passed),
    TOLERATED("buffer.copy_fault.unaligned_destination", LIKE_SW, copy_unaligned_destination,
              copy_unaligned_destination_passed),
    TOLERATED("buffer.copy_fault.unaligned_size", LIKE_SW, copy_unaligned_size, copy_unaligned_size_passed),
    TOLERATED("buffer.copy_fault.same_handle", LIKE_SW, copy_same_handle, copy_same_handle_passed),
    TOLERATED("buffer.copy_fault.unknown_flag", LIKE_SW, copy_unknown_flag, copy_unknown_flag_passed),
    FAULT("buffer.copy_fault.writeback_to_host_owned", writeback_to_host_owned),
    FAULT("buffer.copy_fault.writeback_to_readonly", writeback_to_readonly),
    FAULT_CASE("buffer.destroy_fault.use_after", .put = use_after_destroy, .without_host = true),
    {.id = "buffer.alloc_fault.no_table", NEEDS, .run = alloc_missing},
    {.id = "buffer.alloc_fault.not_in_table", NEEDS, .run = alloc_missing, .arg = data},
    {.id = "buffer.alloc_fault.shrunk", NEEDS, .run = alloc_shrunk},
};

AGPU_CASE_TABLE(agpu_cases_resource_buffer_fault, resource_buffer_fault_cases);
