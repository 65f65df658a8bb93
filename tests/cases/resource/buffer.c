/* buffer.c: buffers at packet level: creation, contents, dirty ranges, uploads, lifetime (commands.md 6.1-6.3). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/readback.h"

#define SIZE   4096u
#define ABSENT 77u /* a handle that is never created */

static const uint8_t zeros[SIZE];

/* A new host-owned buffer must read as zero. */
static void host_owned_is_zero(struct agpu_test *t)
{
    agpu_put_create_buffer(agpu_rig_of(t), 1, SIZE, 0, 0);
    agpu_put_readback(agpu_rig_of(t), 1, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, zeros, SIZE);
}

/* An upload of a whole buffer must be read back. */
static void upload_whole(struct agpu_test *t)
{
    uint8_t data[1024];

    agpu_fill_pattern(data, sizeof data, 1);
    agpu_put_create_buffer(agpu_rig_of(t), 1, sizeof data, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 1, 0, data, sizeof data);
    agpu_put_readback(agpu_rig_of(t), 1, 0, sizeof data);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, data, sizeof data);
}

/* An upload of a part, also of the last word, must change exactly its bytes. */
static void upload_part(struct agpu_test *t)
{
    uint8_t data[1024];
    uint8_t part[64];

    agpu_fill_pattern(data, sizeof data, 2);
    agpu_fill_pattern(part, sizeof part, 3);
    agpu_put_create_buffer(agpu_rig_of(t), 1, sizeof data, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 1, 0, data, sizeof data);
    agpu_put_upload(agpu_rig_of(t), 1, 128, part, sizeof part);
    agpu_put_upload(agpu_rig_of(t), 1, sizeof data - 4, part, 4);
    agpu_put_readback(agpu_rig_of(t), 1, 0, sizeof data);
    agpu_return_unless(agpu_run_clean(t));
    memcpy(data + 128, part, sizeof part);
    memcpy(data + sizeof data - 4, part, 4);
    agpu_check_readback(t, data, sizeof data);
}

/* An upload of size 0 must change nothing and not disturb the packets around it. */
static void upload_zero_size(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t data[64];
    uint8_t other[64];

    /* Before, between and after packets with an effect. The packet carries bytes that it does not use. */
    agpu_fill_pattern(data, sizeof data, 70);
    agpu_fill_pattern(other, sizeof other, 71);
    agpu_put_create_buffer(r, 1, 64, 0, 0);
    agpu_put_upload(r, 1, 0, other, 64)->size_bytes = 0;
    agpu_put_upload(r, 1, 0, data, 32);
    agpu_put_upload(r, 1, 32, other, 32)->size_bytes = 0;
    agpu_put_upload(r, 1, 64, other, 0);
    agpu_put_dirty(r, 1, 0, 0);
    agpu_put_upload(r, 1, 32, data + 32, 32);
    agpu_put_upload(r, 1, 0, other, 64)->size_bytes = 0;
    if (t->env->model) { /* before any other check (commands.md 15) */
        agpu_put_upload(r, ABSENT, 0, other, 0);
        agpu_put_upload(r, 1, 1024, other, 0);
    }
    agpu_put_readback(r, 1, 0, 64);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, data, 64);
}

/* A dirty range of size 0 must change nothing and not disturb the packets around it. */
static void dirty_zero_size(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_dma *memory = &r->memory[0];

    /* Neither the packet of size 0 nor the packets after it may be lost. */
    agpu_fill_pattern(memory->cpu, SIZE, 72);
    agpu_rig_alloc(r, 7, memory, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(r, 1, SIZE, 7, 0);
    agpu_put_dirty(r, 1, 0, 0);
    agpu_put_dirty(r, 1, SIZE, 0);
    agpu_put_dirty(r, 1, 0, SIZE);
    agpu_put_dirty(r, 1, 8, 0);
    if (t->env->model) {
        agpu_put_dirty(r, ABSENT, 0, 0);
        agpu_put_dirty(r, 1, 2 * SIZE, 0);
    }
    agpu_put_readback(r, 1, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, memory->cpu, SIZE);
}

/* A guest-backed buffer must have the contents of its memory after a dirty range. */
static void guest_backed_initial(struct agpu_test *t)
{
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    agpu_fill_pattern(memory->cpu, SIZE, 4);
    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(agpu_rig_of(t), 1, SIZE, 7, 0);
    agpu_put_dirty(agpu_rig_of(t), 1, 0, SIZE);
    agpu_put_readback(agpu_rig_of(t), 1, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, memory->cpu, SIZE);
}

/* A buffer with a backing offset must read its memory from that offset. */
static void backing_offset(struct agpu_test *t)
{
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    agpu_fill_pattern(memory->cpu, memory->size, 5);
    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(agpu_rig_of(t), 1, SIZE, 7, 1000);
    agpu_put_dirty(agpu_rig_of(t), 1, 0, SIZE);
    agpu_put_readback(agpu_rig_of(t), 1, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, (uint8_t *)memory->cpu + 1000, SIZE);
}

/* A buffer whose memory ends with its allocation must be read to its end. */
static void backing_to_the_end(struct agpu_test *t)
{
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    agpu_fill_pattern(memory->cpu, memory->size, 6);
    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_buffer(agpu_rig_of(t), 1, SIZE, 7, (uint32_t)memory->size - SIZE);
    agpu_put_dirty(agpu_rig_of(t), 1, 0, SIZE);
    agpu_put_readback(agpu_rig_of(t), 1, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, (uint8_t *)memory->cpu + memory->size - SIZE, SIZE);
}

/* Creates guest-backed buffer 1 over memory 0 with a pattern, and makes the device read it once. */
static bool create_and_read(struct agpu_test *t)
{
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    agpu_fill_pattern(memory->cpu, SIZE, 8);
    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(agpu_rig_of(t), 1, SIZE, 7, 0);
    agpu_put_dirty(agpu_rig_of(t), 1, 0, SIZE);
    agpu_put_readback(agpu_rig_of(t), 1, 0, SIZE);
    if (!agpu_run_clean(t) || !agpu_check_readback(t, memory->cpu, SIZE)) {
        return false;
    }
    agpu_put_readback_done(agpu_rig_of(t));
    return agpu_run_clean(t);
}

/* Each dirty range of a whole buffer must show the bytes that the CPU wrote before it. */
static void dirty_whole(struct agpu_test *t)
{
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    agpu_return_unless(create_and_read(t));
    for (uint32_t round = 20; round < 24; round++) {
        agpu_fill_pattern(memory->cpu, SIZE, round);
        agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_dirty(agpu_rig_of(t), 1, 0, SIZE);
        agpu_put_readback(agpu_rig_of(t), 1, 0, SIZE);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_readback(t, memory->cpu, SIZE));
        agpu_put_readback_done(agpu_rig_of(t));
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* A dirty range must show the bytes that the CPU wrote in it. */
static void resource_buffer_dirty_part(struct agpu_test *t)
{
    struct agpu_dma *memory = &agpu_rig_of(t)->memory[0];

    agpu_return_unless(create_and_read(t));
    agpu_fill_pattern((uint8_t *)memory->cpu + 256, 512, 30);
    agpu_rig_alloc(agpu_rig_of(t), 7, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(agpu_rig_of(t), 1, 256, 512);
    agpu_put_readback(agpu_rig_of(t), 1, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, memory->cpu, SIZE);
}

/* Given an id that names other memory in the next table, a dirty range must read the new memory. */
static void table_moves(struct agpu_test *t)
{
    struct agpu_dma *first = &agpu_rig_of(t)->memory[0];
    struct agpu_dma *second = &agpu_rig_of(t)->memory[1];

    /* The same id names other memory in the next submission: ids are resolved at each use, never cached (ring.md 8). */
    agpu_return_unless(create_and_read(t));
    agpu_fill_pattern(second->cpu, SIZE, 41);
    memset(first->cpu, 0xEE, SIZE);
    agpu_rig_alloc(agpu_rig_of(t), 7, second, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(agpu_rig_of(t), 1, 0, SIZE);
    agpu_put_readback(agpu_rig_of(t), 1, 0, SIZE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, second->cpu, SIZE);
}

/* Given five other submissions after an upload, a readback must find the buffer's bytes unchanged. */
static void survives_submissions(struct agpu_test *t)
{
    uint8_t data[256];

    agpu_fill_pattern(data, sizeof data, 50);
    agpu_put_create_buffer(agpu_rig_of(t), 1, sizeof data, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 1, 0, data, sizeof data);
    agpu_return_unless(agpu_run_clean(t));
    for (unsigned i = 0; i < 5; i++) {
        agpu_return_unless(agpu_run_empty(t));
    }
    agpu_put_readback(agpu_rig_of(t), 1, 0, sizeof data);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, data, sizeof data);
}

/* Creates two buffers whose handles differ from victim's in one bit, or not at all. */
static void put_bystanders(struct agpu_rig *r, uint32_t victim, const uint8_t data[64])
{
    agpu_put_create_buffer(r, victim + 1, 64, 0, 0);
    agpu_put_upload(r, victim + 1, 0, data, 64);
    agpu_put_create_buffer(r, victim | 0x10000, 64, 0, 0);
    agpu_put_upload(r, victim | 0x10000, 0, data, 64);
}

/* Checks that these two buffers kept their contents. */
static bool bystanders_stand(struct agpu_test *t, uint32_t victim, const uint8_t data[64])
{
    const uint32_t handles[] = {victim + 1, victim | 0x10000};

    for (unsigned i = 0; i < 2; i++) {
        agpu_put_readback(agpu_rig_of(t), handles[i], 0, 64);
        if (!agpu_run_clean(t) || !agpu_check_readback(t, data, 64)) {
            return false;
        }
        agpu_put_readback_done(agpu_rig_of(t));
        if (!agpu_run_clean(t)) {
            return false;
        }
    }
    return true;
}

/* Destroying unknown handles must do nothing and leave similar handles unchanged. */
static void destroy_unknown(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t data[64];

    agpu_fill_pattern(data, sizeof data, 61);
    agpu_put_destroy(r, 0x1234);
    put_bystanders(r, 0x1234, data);
    agpu_put_destroy(r, 0x1234);
    agpu_put_destroy(r, 0);
    agpu_put_destroy(r, 0xFFFFFFFF);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(bystanders_stand(t, 0x1234, data));
    /* A handle whose destruction failed can be created. */
    agpu_put_create_buffer(r, 0x1234, 64, 0, 0);
    agpu_put_upload(r, 0x1234, 0, data, 64);
    agpu_put_readback(r, 0x1234, 0, 64);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, data, 64);
}

/* A second destruction must do nothing, also to similar handles and to the next owner of the handle. */
static void destroy_twice(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t data[128];

    agpu_fill_pattern(data, sizeof data, 62);
    put_bystanders(r, 8, data);
    agpu_put_create_buffer(r, 8, 64, 0, 0);
    agpu_put_destroy(r, 8);
    agpu_put_destroy(r, 8);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(bystanders_stand(t, 8, data));
    /* The second one does not apply to the next owner of the handle. */
    agpu_put_create_buffer(r, 8, 128, 0, 0);
    agpu_put_upload(r, 8, 0, data, 128);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_readback(r, 8, 0, 128);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, data, 128);
}

/* A handle must be usable again after a destruction, with another size and without the old contents. */
static void handle_reuse(struct agpu_test *t)
{
    uint8_t data[128];

    agpu_fill_pattern(data, sizeof data, 60);
    agpu_put_create_buffer(agpu_rig_of(t), 1, 64, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 1, 0, data, 64);
    agpu_put_destroy(agpu_rig_of(t), 1);
    agpu_return_unless(agpu_run_clean(t));
    /* The same handle with another size, and none of the old contents. */
    agpu_put_create_buffer(agpu_rig_of(t), 1, 128, 0, 0);
    agpu_put_readback(agpu_rig_of(t), 1, 0, 128);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, zeros, 128);
}

/* Two hundred buffers must each keep their contents. */
static void resource_buffer_many(struct agpu_test *t)
{
    uint8_t data[64];

    for (uint32_t handle = 1; handle <= 200; handle++) {
        agpu_fill_pattern(data, sizeof data, handle);
        agpu_put_create_buffer(agpu_rig_of(t), handle * 3, sizeof data, 0, 0);
        agpu_put_upload(agpu_rig_of(t), handle * 3, 0, data, sizeof data);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t handle = 1; handle <= 200; handle += 33) {
        agpu_fill_pattern(data, sizeof data, handle);
        agpu_put_readback(agpu_rig_of(t), handle * 3, 0, sizeof data);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_readback(t, data, sizeof data));
        agpu_put_readback_done(agpu_rig_of(t));
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* A ring reset must destroy buffers: the handle is free for another size. */
static void reset_forgets(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t data[64];

    agpu_fill_pattern(data, sizeof data, 63);
    agpu_put_create_buffer(r, 1, 64, 0, 0);
    agpu_put_upload(r, 1, 0, data, 64);
    agpu_return_unless(agpu_run_clean(t));
    agpu_assert_ok(t, agpu_ring_reset(&t->env->ring));
    /* Had it survived, creating it with another size would be an error (commands.md 6.1). */
    agpu_put_create_buffer(r, 1, 128, 0, 0);
    agpu_put_readback(r, 1, 0, 128);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, zeros, 128);
}

/* A packet that is longer than its structure must work, and its extra bytes must be ignored. */
static void longer_packets(struct agpu_test *t)
{
    struct aerogpu_cmd_create_buffer *packet;

    /* A packet may be longer than its structure: later versions use the rest (commands.md 1). */
    packet = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_CREATE_BUFFER, sizeof *packet + 16);
    packet->buffer_handle = 1;
    packet->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
    packet->size_bytes = 64;
    memset(packet + 1, 0xFF, 16);
    agpu_put_readback(agpu_rig_of(t), 1, 0, 64);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, zeros, 64);
}

#define BUFFER_CASE(name, section, function)                                                                 \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_TRANSFER,      \
        .run = (function)                                                                                    \
    }

static const struct agpu_case resource_buffer_cases[] = {
    BUFFER_CASE("buffer.create.host_owned_is_zero", "commands.md 6.1", host_owned_is_zero),
    BUFFER_CASE("buffer.create.guest_backed", "commands.md 6.1", guest_backed_initial),
    BUFFER_CASE("buffer.create.backing_offset", "commands.md 6.1", backing_offset),
    BUFFER_CASE("buffer.create.backing_to_the_end", "commands.md 6.1", backing_to_the_end),
    BUFFER_CASE("buffer.create.longer_packet", "commands.md 1", longer_packets),
    BUFFER_CASE("buffer.create.many", "commands.md 2", resource_buffer_many),
    BUFFER_CASE("buffer.upload.whole", "commands.md 6.3", upload_whole),
    BUFFER_CASE("buffer.upload.part", "commands.md 6.3", upload_part),
    BUFFER_CASE("buffer.upload.zero_size", "commands.md 6.3", upload_zero_size),
    BUFFER_CASE("buffer.dirty.zero_size", "commands.md 6.2", dirty_zero_size),
    BUFFER_CASE("buffer.dirty.whole", "commands.md 6.2", dirty_whole),
    BUFFER_CASE("buffer.dirty.part", "commands.md 6.2", resource_buffer_dirty_part),
    BUFFER_CASE("buffer.alloc.table_moves", "ring.md 8", table_moves),
    BUFFER_CASE("buffer.lifetime.across_submissions", "commands.md 2", survives_submissions),
    BUFFER_CASE("buffer.lifetime.reset_forgets", "device.md 4.2", reset_forgets),
    BUFFER_CASE("buffer.destroy.unknown", "commands.md 6.1", destroy_unknown),
    BUFFER_CASE("buffer.destroy.twice", "commands.md 6.1", destroy_twice),
    BUFFER_CASE("buffer.destroy.handle_reuse", "commands.md 6.1", handle_reuse),
};

AGPU_CASE_TABLE(agpu_cases_resource_buffer, resource_buffer_cases);
