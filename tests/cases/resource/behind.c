/* behind.c: the state after a refused packet or ring, and rare but valid uses of memory and handles (commands.md 3, 6,
 * 11, 12, 15; ring.md 2, 3.1, 6, 8). */
#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/order.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA    AEROGPU_FORMAT_R8G8B8A8_UNORM
#define ALLOC   7u
#define MISSING 8u /* in no table */
#define BYTES   64u

/* Creates a buffer with this handle, writes and reads back a pattern, and destroys the buffer. */
static bool buffer_works(struct agpu_test *t, uint32_t handle, uint32_t seed)
{
    struct agpu_rig *rig = &t->env->rig;
    uint8_t bytes[BYTES];

    agpu_fill_pattern(bytes, sizeof bytes, seed);
    agpu_put_create_buffer(rig, handle, BYTES, 0, 0);
    agpu_put_upload(rig, handle, 0, bytes, sizeof bytes);
    agpu_put_readback(rig, handle, 0, BYTES);
    if (!agpu_run_clean(t) || !agpu_check_readback(t, bytes, BYTES)) {
        return false;
    }
    agpu_put_readback_done(rig);
    agpu_put_destroy(rig, handle);
    return true;
}

/* A refused creation must create nothing: its handle is free. */
static void refused_create(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;

    for (uint32_t kind = 0; kind < 6; kind++) {
        const uint32_t handle = 30 + kind;
        bool passed;

        agpu_rig_alloc_range(rig, ALLOC, rig->memory[0].device_address, BYTES, 0);
        switch (kind) {
        case 0:
            agpu_put_create_buffer(rig, handle, 2 * BYTES, MISSING, 0);
            break;
        case 1:
            agpu_put_create_buffer(rig, handle, BYTES, ALLOC, 4);
            break;
        case 2:
            agpu_put_create_texture(rig, handle, RGBA, 4, 4, 16, MISSING);
            break;
        case 3:
            agpu_put_create_texture(rig, handle, RGBA, 4, 5, 16, ALLOC);
            break;
        case 4:
            agpu_put_create_texture(rig, handle, RGBA, 4, 4, 12, 0);
            break;
        default:
            agpu_put_import(rig, handle, AGPU_TOKEN);
            break;
        }
        agpu_return_unless(agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed));
        if (passed) { /* a device that checks it later */
            agpu_put_destroy(rig, handle);
            agpu_return_unless(agpu_run_clean(t));
        }
        agpu_return_unless(buffer_works(t, handle, kind));
    }
}

/* Given a ring whose tail overran, the device must drop its entries and keep all objects. */
static void overrun_keeps_objects(struct agpu_test *t)
{
    struct agpu_ring *ring = &t->env->ring;
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_error_info before;
    uint8_t bytes[BYTES];

    agpu_fill_pattern(bytes, sizeof bytes, 5);
    agpu_put_create_buffer(rig, 30, BYTES, 0, 0);
    agpu_put_upload(rig, 30, 0, bytes, sizeof bytes);
    agpu_return_unless(agpu_run_clean(t));
    before = agpu_errors_so_far(t->env);
    ring->tail += ring->entry_count + 1;
    agpu_publish32(&agpu_ring_header(ring)->tail, ring->tail);
    agpu_doorbell(ring);
    agpu_return_unless(agpu_wait_error_count(t, before.count + 1));
    agpu_return_unless(agpu_check_ring_error(t, &before, AEROGPU_ERROR_CMD_DECODE));
    agpu_return_unless(agpu_check_head(t, ring->tail));
    agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    agpu_put_readback(rig, 30, 0, BYTES);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, bytes, BYTES);
}

/* A fault must be recorded whether or not the fence of its submission completes: stale fences 2, 1 and 0 appear in
 * ERROR_FENCE. */
static void stale_fault(struct agpu_test *t)
{
    for (uint64_t fence = 3; fence-- > 0;) {
        for (unsigned i = 0; i < 3; i++) {
            agpu_return_unless(agpu_run_empty(t));
        }
        agpu_return_unless(agpu_run_refused(t, fence, 0));
        agpu_check_u64(t, agpu_error_fence(t->env), fence, "ERROR_FENCE of a fault in a stale submission",
                       true, AGPU_HERE);
        agpu_irq_ack(&t->env->function, AEROGPU_IRQ_ERROR);
    }
}

/* A table without commands must be checked and must cause no error. */
static void table_alone(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;

    for (uint32_t entries = 1; entries <= 3; entries++) {
        for (uint32_t i = 0; i < entries; i++) {
            agpu_rig_alloc(rig, ALLOC + i, &rig->memory[i], i % 2);
        }
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_completed(t, rig->fence));
    }
    agpu_check_no_errors_counted(t);
}

/* Two buffers in one allocation must be independent: copies in both directions give each its own bytes. */
static void one_allocation(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    uint8_t *memory = rig->memory[0].cpu;
    uint8_t expected[3 * BYTES];

    for (uint32_t turn = 0; turn < 2; turn++) {
        const uint32_t from = turn == 0 ? 0 : 2 * BYTES, to = turn == 0 ? 2 * BYTES : 0;

        agpu_fill_pattern(memory, sizeof expected, turn);
        memcpy(expected, memory, sizeof expected);
        memcpy(expected + to, expected + from, BYTES);
        agpu_rig_alloc(rig, ALLOC, &rig->memory[0], 0);
        agpu_put_create_buffer(rig, 30 + 2 * turn, BYTES, ALLOC, from);
        agpu_put_create_buffer(rig, 31 + 2 * turn, BYTES, ALLOC, to);
        agpu_put_dirty(rig, 30 + 2 * turn, 0, BYTES);
        agpu_put_dirty(rig, 31 + 2 * turn, 0, BYTES);
        agpu_put_copy_buffer(rig, 31 + 2 * turn, 0, 30 + 2 * turn, 0, BYTES, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_eq_mem(t, memory, expected, sizeof expected));
    }
}

/* Given a destroyed guest-backed texture, its alias must still be read from and written back to the same memory. */
static void alias_keeps_memory(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    uint8_t *memory = rig->memory[0].cpu;
    uint8_t texels[BYTES];

    agpu_rig_alloc(rig, ALLOC, &rig->memory[0], 0);
    agpu_put_create_texture(rig, 30, RGBA, 4, 4, 16, ALLOC);
    agpu_put_export(rig, 30, AGPU_TOKEN);
    agpu_put_import(rig, 31, AGPU_TOKEN);
    agpu_put_destroy(rig, 30);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_pattern(memory, BYTES, 8);
    memcpy(texels, memory, BYTES);
    agpu_rig_alloc(rig, ALLOC, &rig->memory[0], 0);
    agpu_put_dirty(rig, 31, 0, BYTES);
    agpu_reads_begin(rig);
    agpu_put_texture_read(rig, 31, RGBA, 0, 0, 4, 4);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_texture_read(t, 0, texels, 0, "an alias after its original was destroyed"));
    agpu_put_reads_done(rig);
    agpu_fill_pattern(texels, BYTES, 9);
    agpu_rig_alloc(rig, ALLOC, &rig->memory[0], 0);
    agpu_put_create_texture(rig, 32, RGBA, 4, 4, 0, 0);
    agpu_put_upload(rig, 32, 0, texels, BYTES);
    agpu_put_copy_texture(rig, 31, 32, 4, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, memory, texels, BYTES);
}

/* A dirty range of a host-owned buffer must be refused or ignored; the contents must not change. */
static void dirty_host_owned(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    uint8_t bytes[BYTES];

    agpu_fill_pattern(bytes, sizeof bytes, 3);
    for (uint32_t i = 0; i < 2; i++) {
        bool failed;

        agpu_put_create_buffer(rig, 30 + i, BYTES, 0, 0);
        agpu_put_upload(rig, 30 + i, 0, bytes, sizeof bytes);
        agpu_return_unless(agpu_run_clean(t));
        agpu_put_dirty(rig, 30 + i, i * 16, BYTES - i * 32);
        agpu_return_unless(agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &failed));
        agpu_put_readback(rig, 30 + i, 0, BYTES);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_readback(t, bytes, BYTES));
        agpu_put_readback_done(rig);
    }
}

/* Runs the pending packets and a clear to a unique value, and checks that the target holds nothing else. */
static bool clear_fills(struct agpu_test *t, uint32_t target, uint32_t width, uint32_t height, uint8_t level)
{
    static uint8_t expected[8 * 1024];
    struct agpu_rig *rig = &t->env->rig;
    const float value = (float)level / 255;

    memset(expected, level, (size_t)width * height * 4);
    agpu_put_clear_color(rig, value, value, value, value);
    agpu_reads_begin(rig);
    agpu_put_texture_read(rig, target, RGBA, 0, 0, width, height);
    if (!agpu_run_clean(t) || !agpu_check_texture_read(t, 0, expected, 0, "a target, cleared")) {
        return false;
    }
    agpu_put_reads_done(rig);
    return true;
}

/* A clear must fill targets with padded rows: of one texel, and of row counts at and around a power of two. */
static void clear_padded(struct agpu_test *t)
{
    static const uint16_t sizes[][2] = {{1, 1},   {1, 5},  {1, 256}, {3, 255}, {3, 256},
                                        {2, 257}, {5, 64}, {1, 512}, {3, 512}};
    struct agpu_rig *rig = &t->env->rig;

    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t width = sizes[i][0], height = sizes[i][1];

        agpu_put_target(rig, 30 + i, RGBA, width, height)->row_pitch_bytes = width * 4 + 12;
        agpu_put_targets(rig, 30 + i, 0);
        agpu_return_unless(clear_fills(t, 30 + i, width, height, (uint8_t)(17 + 13 * i)));
    }
}

/* A clear that follows a refused one must work. */
static void clear_behind_refused(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;

    agpu_put_target(rig, 30, RGBA, 8, 8);
    agpu_put_targets(rig, 30, 0);
    agpu_return_unless(clear_fills(t, 30, 8, 8, 10));
    for (uint32_t i = 0; i < 2; i++) {
        bool passed;

        agpu_put_targets(rig, 99, 0);
        agpu_put_clear_color(rig, 1, 1, 1, 1);
        agpu_return_unless(agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed));
        agpu_put_targets(rig, 30, 0);
        agpu_return_unless(clear_fills(t, 30, 8, 8, (uint8_t)(40 + 50 * i)));
    }
}

/* Destroying a bound view must leave its slot empty, for a depth view too. */
static void destroyed_views(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS | AGPU_ASKS_DEPTH));
    agpu_put_target(rig, 30, RGBA, 8, 8);
    agpu_put_target(rig, 31, AEROGPU_FORMAT_D32_FLOAT, 8, 8);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_view(rig, 32, 30, RGBA);
        agpu_put_view(rig, 33, 31, AEROGPU_FORMAT_D32_FLOAT);
        agpu_put_targets(rig, i == 0 ? 30 : 32, 33);
        agpu_return_unless(clear_fills(t, 30, 8, 8, (uint8_t)(20 + i)));
        for (uint32_t view = 32; view < 34; view++) {
            struct aerogpu_cmd_destroy_texture_view *destroy =
                agpu_rig_packet(rig, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, sizeof *destroy);

            destroy->view_handle = view;
        }
        agpu_put_clear_depth(rig, 0.5f, 0);
        agpu_return_unless(agpu_run_clean(t));
        agpu_put_targets(rig, 30, 0);
        agpu_return_unless(clear_fills(t, 30, 8, 8, (uint8_t)(60 + i)));
    }
}

#define BEHIND_CASE(name, section, function)                                                                 \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case resource_behind_cases[] = {
    BEHIND_CASE("buffer.create.behind_refused", "commands.md 3", refused_create),
    BEHIND_CASE("ring.header.overrun_keeps_objects", "ring.md 2", overrun_keeps_objects),
    BEHIND_CASE("error.registers.stale_submission", "ring.md 3.1", stale_fault),
    BEHIND_CASE("error.table.without_commands", "ring.md 6", table_alone),
    BEHIND_CASE("buffer.dirty.host_owned", "commands.md 6.2", dirty_host_owned),
    BEHIND_CASE("copy.buffer.one_allocation", "ring.md 8", one_allocation),
    BEHIND_CASE("shared.alias.keeps_memory", "commands.md 12", alias_keeps_memory),
    BEHIND_CASE("render.clear.padded_sizes", "commands.md 11", clear_padded),
    BEHIND_CASE("render.clear.behind_refused", "commands.md 3", clear_behind_refused),
    BEHIND_CASE("texture.view.destroyed_while_bound", "commands.md 15", destroyed_views),
};

AGPU_CASE_TABLE(agpu_cases_resource_behind, resource_behind_cases);
