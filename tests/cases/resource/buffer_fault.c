/* buffer_fault.c: buffer packets that must be refused, each alone in its submission (commands.md 3, 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"

#define SIZE 1024u

/* Handles that exist before the faulty packet: 1 host-owned, 2 guest-backed by allocation 7 (memory 0), both
 * SIZE. Allocation 7 is in the faulty submission's table too; 8 is memory 1, READONLY. */
#define HOST   1u
#define GUEST  2u
#define ABSENT 77u

static const uint8_t data[64];

/* arg is the function that puts the faulty packet. */
struct packet_fault {
    void (*put)(struct agpu_rig *rig);
};

static void buffer_fault_run(struct agpu_test *t)
{
    const struct packet_fault *fault = t->test_case->arg;
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    memset(memory->cpu, 0x5A, memory->size);
    memset(agpu_rig_of(t)->memory[1].cpu, 0x5A, memory->size);
    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(agpu_rig_of(t), HOST, SIZE, 0, 0);
    agpu_put_create_buffer(agpu_rig_of(t), GUEST, SIZE, 7, 0);
    agpu_put_dirty(agpu_rig_of(t), GUEST, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));

    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(agpu_rig_of(t), 8, &agpu_rig_of(t)->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    fault->put(agpu_rig_of(t));
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    agpu_check_filled(t, memory->cpu, 0x5A, memory->size);
    agpu_check_filled(t, agpu_rig_of(t)->memory[1].cpu, 0x5A, memory->size);
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

static void upload_guest_backed(struct agpu_rig *r)
{
    agpu_put_upload(r, GUEST, 0, data, 64);
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

static void copy_unaligned_destination(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 2, HOST, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_unaligned_size(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, 6, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void copy_same_handle(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, HOST, 512, HOST, 0, 64, 0);
}

static void copy_unknown_flag(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, 64, 0x80 | AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void writeback_to_host_owned(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, HOST, 0, GUEST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void writeback_to_readonly(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, 10, SIZE, 8, 0);
    agpu_put_dirty(r, 10, 0, SIZE);
    agpu_put_copy_buffer(r, 10, 0, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void use_after_destroy(struct agpu_rig *r)
{
    agpu_put_destroy(r, HOST);
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

/* The destination's allocation is not in this submission's table, or there is none at all. */
static void alloc_missing(struct agpu_test *t)
{
    bool with_table = t->test_case->arg != NULL;
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    memset(memory->cpu, 0x5A, memory->size);
    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(agpu_rig_of(t), HOST, SIZE, 0, 0);
    agpu_put_create_buffer(agpu_rig_of(t), GUEST, SIZE, 7, 0);
    agpu_put_dirty(agpu_rig_of(t), GUEST, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    if (with_table) {
        agpu_rig_alloc(agpu_rig_of(t), 8, &agpu_rig_of(t)->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    }
    agpu_put_copy_buffer(agpu_rig_of(t), GUEST, 0, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    agpu_check_filled(t, memory->cpu, 0x5A, memory->size);
}

/* The allocation is there, but smaller than the buffer needs. */
static void alloc_shrunk(struct agpu_test *t)
{
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    memset(memory->cpu, 0x5A, memory->size);
    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(agpu_rig_of(t), HOST, SIZE, 0, 0);
    agpu_put_create_buffer(agpu_rig_of(t), GUEST, SIZE, 7, 0);
    agpu_put_dirty(agpu_rig_of(t), GUEST, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc_range(agpu_rig_of(t), 7, memory->device_address, SIZE - 64, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(agpu_rig_of(t), GUEST, SIZE - 64, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    agpu_check_filled(t, memory->cpu, 0x5A, memory->size);
}

static void rebind_identical(struct agpu_test *t)
{
    struct agpu_dma *second = &agpu_rig_of(t)->memory[1];

    /* Creating a live buffer again with equal properties only rebinds its backing (commands.md 6.1). */
    memset(agpu_rig_of(t)->memory[0].cpu, 0x11, SIZE);
    memset(second->cpu, 0x22, SIZE);
    agpu_rig_alloc(agpu_rig_of(t), 7, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(agpu_rig_of(t), GUEST, SIZE, 7, 0);
    agpu_put_dirty(agpu_rig_of(t), GUEST, 0, SIZE);
    agpu_put_create_buffer(agpu_rig_of(t), HOST, SIZE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc(agpu_rig_of(t), 8, second, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(agpu_rig_of(t), GUEST, SIZE, 8, 0);
    agpu_put_copy_buffer(agpu_rig_of(t), GUEST, 0, HOST, 0, 64, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_filled(t, agpu_rig_of(t)->memory[0].cpu, 0x11, SIZE);
    agpu_check_filled(t, second->cpu, 0, 64);
    agpu_check_filled(t, (uint8_t *)second->cpu + 64, 0x22, SIZE - 64);
}

#define NEEDS                                                                                                \
    .spec = "commands.md 6", .needs = AGPU_NEED_RING,                                                        \
    .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO
#define FAULT(name, function)                                                                                \
    {                                                                                                        \
        .id = (name), NEEDS, .run = buffer_fault_run, .arg = &(const struct packet_fault){function},         \
    }
/* Devices are known that let this pass. */
#define FAULT_CHOICE(name, function)                                                                         \
    {                                                                                                        \
        .id = (name), NEEDS, .flags = AGPU_CASE_MODEL_CHOICE, .run = buffer_fault_run,                       \
        .arg = &(const struct packet_fault){function},                                                       \
    }

static const struct agpu_case cases[] = {
    FAULT_CHOICE("buffer.create_fault.handle_zero", create_handle_zero),
    FAULT_CHOICE("buffer.create_fault.size_zero", create_size_zero),
    FAULT_CHOICE("buffer.create_fault.size_unaligned", create_size_unaligned),
    FAULT("buffer.create_fault.alive_with_other_size", create_alive_other_size),
    FAULT("buffer.create_fault.unknown_alloc", create_unknown_alloc),
    FAULT("buffer.create_fault.size_beyond_alloc", create_beyond_alloc),
    FAULT("buffer.create_fault.offset_beyond_alloc", create_offset_beyond_alloc),
    FAULT("buffer.create_fault.size_wraps", create_size_wraps),
    FAULT_CHOICE("buffer.dirty_fault.unknown_handle", dirty_unknown),
    FAULT_CHOICE("buffer.dirty_fault.beyond_end", dirty_beyond),
    FAULT_CHOICE("buffer.dirty_fault.range_wraps", dirty_wraps),
    FAULT_CHOICE("buffer.upload_fault.unknown_handle", upload_unknown),
    FAULT("buffer.upload_fault.beyond_end", buffer_fault_upload_beyond),
    FAULT("buffer.upload_fault.range_wraps", upload_wraps),
    FAULT_CHOICE("buffer.upload_fault.unaligned", upload_unaligned),
    FAULT_CHOICE("buffer.upload_fault.guest_backed", upload_guest_backed),
    FAULT("buffer.upload_fault.short_payload", upload_short_payload),
    FAULT("buffer.upload_fault.size_huge", upload_size_huge),
    FAULT("buffer.copy_fault.unknown_source", copy_unknown_source),
    FAULT("buffer.copy_fault.unknown_destination", copy_unknown_destination),
    FAULT("buffer.copy_fault.source_beyond_end", copy_source_beyond),
    FAULT("buffer.copy_fault.destination_beyond_end", copy_destination_beyond),
    FAULT("buffer.copy_fault.source_wraps", copy_source_wraps),
    FAULT("buffer.copy_fault.size_huge", copy_size_huge),
    FAULT("buffer.copy_fault.unaligned_source", copy_unaligned_source),
    FAULT("buffer.copy_fault.unaligned_destination", copy_unaligned_destination),
    FAULT_CHOICE("buffer.copy_fault.unaligned_size", copy_unaligned_size),
    FAULT_CHOICE("buffer.copy_fault.same_handle", copy_same_handle),
    FAULT_CHOICE("buffer.copy_fault.unknown_flag", copy_unknown_flag),
    FAULT("buffer.copy_fault.writeback_to_host_owned", writeback_to_host_owned),
    FAULT("buffer.copy_fault.writeback_to_readonly", writeback_to_readonly),
    FAULT("buffer.destroy_fault.use_after", use_after_destroy),
    {.id = "buffer.alloc_fault.no_table", NEEDS, .run = alloc_missing},
    {.id = "buffer.alloc_fault.not_in_table", NEEDS, .run = alloc_missing, .arg = data},
    {.id = "buffer.alloc_fault.shrunk", NEEDS, .run = alloc_shrunk},
    {.id = "buffer.create.rebind_identical", NEEDS, .flags = AGPU_CASE_MODEL_CHOICE, .run = rebind_identical},
};

AGPU_CASE_TABLE(agpu_cases_resource_buffer_fault, cases);
