/* shared.c: shared surfaces: aliases and their lifetimes (commands.md 12). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/shared_surface.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM

/* An upload through either name of a shared texture must show through the other. */
static void alias_is_the_same(struct agpu_test *t)
{
    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_import(agpu_rig_of(t), 2, AGPU_TOKEN);
    agpu_put_shared_pattern(t, 2, 7);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 1, 7));
    agpu_put_shared_pattern(t, 1, 8);
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_holds(t, 2, 8);
}

/* An alias must keep the contents after the original is destroyed. */
static void alias_outlives_original(struct agpu_test *t)
{
    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_import(agpu_rig_of(t), 2, AGPU_TOKEN);
    agpu_put_shared_pattern(t, 2, 9);
    agpu_put_destroy(agpu_rig_of(t), 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_holds(t, 2, 9);
}

/* Releasing a token must keep the alias and its contents. */
static void released_keeps_alias(struct agpu_test *t)
{
    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_import(agpu_rig_of(t), 2, AGPU_TOKEN);
    agpu_put_shared_pattern(t, 2, 10);
    agpu_put_release(agpu_rig_of(t), AGPU_TOKEN);
    agpu_put_release(agpu_rig_of(t), AGPU_TOKEN);
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_holds(t, 2, 10);
}

/* ---- lifetimes ---- */

/* Given three names of a texture, the last one must hold the contents and keep the first one's handle reserved. */
static void alias_of_alias(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_export(r, 2, AGPU_TOKEN + 1); /* several tokens for one resource, by any of its names */
    agpu_put_import(r, 3, AGPU_TOKEN + 1);
    agpu_put_import(r, 4, AGPU_TOKEN);
    agpu_put_shared_pattern(t, 3, 20);
    agpu_put_destroy(r, 2);
    agpu_put_destroy(r, 2);
    agpu_put_destroy(r, 1);
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 3, 20));
    agpu_return_unless(agpu_shared_holds(t, 4, 20));
    /* Both tokens still name it, and a third one works. */
    agpu_put_import(r, 5, AGPU_TOKEN);
    agpu_put_import(r, 6, AGPU_TOKEN + 1);
    agpu_put_export(r, 4, AGPU_TOKEN + 2);
    agpu_put_import(r, 7, AGPU_TOKEN + 2);
    agpu_put_shared_pattern(t, 5, 21);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, 6, 21));
    agpu_return_unless(agpu_shared_holds(t, 7, 21));
    /* The handle of an alias is free at once. */
    agpu_put_create_texture(r, 2, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_is_zero(t, 2));
    agpu_return_unless(agpu_shared_holds(t, 4, 21));
}

/* The handle of a destroyed original must be unusable until the last alias is destroyed, and free afterwards. */
static void original_reserved(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    bool passed;

    agpu_return_unless(executor != NULL && agpu_shared_begin(t));
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_shared_pattern(t, 2, 22);
    agpu_put_destroy(r, 1);
    agpu_put_destroy(r, 1); /* has no effect any more */
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_create_texture(r, 1, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_create_buffer(r, 1, 64, 0, 0);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_import(r, 1, AGPU_TOKEN);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_shared_pattern(t, 1, 23); /* two known executors ignore uploads to unknown handles */
    agpu_return_unless(executor->implicit || executor->first_only
                           ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                           : agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_export(r, 1, AGPU_TOKEN + 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_targets(r, 1, 0); /* bindings are resolved at once */
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 1);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_targets(r, 0, 0);
    agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_PIXEL, 0, 0);
    agpu_put_create_texture(r, 3, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_copy_texture(r, 3, 1, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_return_unless(agpu_shared_is_zero(t, 3));
    agpu_return_unless(agpu_shared_holds(t, 2, 22));
    agpu_put_destroy(r, 2);
    agpu_put_create_texture(r, 1, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_shared_is_zero(t, 1);
}

/* Puts a handle into the second element of a list of compute bindings; all three kinds have the same layout. */
static void put_second_binding(struct agpu_rig *r, uint32_t opcode, uint32_t handle)
{
    struct aerogpu_constant_buffer_binding *binding;
    struct aerogpu_cmd_set_constant_buffers *set;

    set = agpu_rig_packet(r, opcode, (uint32_t)(sizeof *set + 2 * sizeof *binding));
    set->shader_stage = AEROGPU_SHADER_STAGE_COMPUTE;
    set->buffer_count = 2;
    binding = (void *)(set + 1);
    binding[1].buffer = handle;
}

/* Binds a handle to a slot of each kind; in lists, after a valid one. */
static void put_reserved_binding(struct agpu_rig *r, uint32_t kind, uint32_t handle)
{
    struct aerogpu_cmd_set_vertex_buffers *vertices;
    struct aerogpu_vertex_buffer_binding *binding;
    struct aerogpu_cmd_set_render_targets *targets;

    switch (kind) {
    case 0:
        vertices = agpu_rig_packet(r, AEROGPU_CMD_SET_VERTEX_BUFFERS, sizeof *vertices + 2 * sizeof *binding);
        binding = (void *)(vertices + 1);
        vertices->buffer_count = 2;
        binding[1].buffer = handle;
        binding[1].stride_bytes = 16;
        break;
    case 1:
        agpu_put_index_buffer(r, handle, 0, 0);
        break;
    case 2:
        agpu_put_targets(r, 0, handle);
        break;
    case 3:
        targets = agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *targets);
        targets->color_count = 8;
        targets->colors[7] = handle;
        break;
    case 4:
        agpu_put_texture_slot(r, AEROGPU_SHADER_STAGE_VERTEX, 15, handle);
        break;
    case 5:
        agpu_put_constants(r, AEROGPU_SHADER_STAGE_PIXEL, 1, handle, 0, 0);
        break;
    case 6:
        agpu_put_srv(r, AEROGPU_SHADER_STAGE_PIXEL, 1, handle, 0, 0);
        break;
    case 7:
        agpu_put_uav(r, 1, handle, 0, 0);
        break;
    default:
        put_second_binding(r,
                           kind == 8   ? AEROGPU_CMD_SET_CONSTANT_BUFFERS
                           : kind == 9 ? AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS
                                       : AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS,
                           handle);
        break;
    }
}

/* A reserved handle must be refused in every kind of slot. Known executors ignore the packets of buffer slots. */
static void reserved_in_every_slot(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    bool passed = true;
    bool binds_buffers;

    agpu_return_unless(executor != NULL);
    binds_buffers = !executor->implicit && !executor->six_layers && !executor->no_depth;
    agpu_return_unless(agpu_shared_begin(t));
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_shared_pattern(t, 2, 26);
    agpu_put_destroy(r, 1);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t kind = 0; kind < 11; kind++) {
        put_reserved_binding(r, kind, 1);
        agpu_return_unless(kind < 5 || binds_buffers
                               ? agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE)
                               : agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed));
        put_reserved_binding(r, kind, 0);
        agpu_return_unless(agpu_run_clean(t));
    }
    agpu_shared_holds(t, 2, 26);
}

static void put_clear_of(struct agpu_rig *r, uint32_t target, float red)
{
    agpu_put_targets(r, target, 0);
    agpu_put_clear_color(r, red, 0, 0, 0);
}

/* A destroyed name must be unbound, although its resource lives on under another name. */
static void destroyed_name_is_unbound(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    bool passed = true;

    agpu_return_unless(executor != NULL);
    for (uint32_t victim = 2; victim-- > 0;) { /* the alias, then the original */
        agpu_put_target(r, 10 + 2 * victim, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE);
        agpu_put_export(r, 10 + 2 * victim, AGPU_TOKEN + victim);
        agpu_put_import(r, 11 + 2 * victim, AGPU_TOKEN + victim);
        put_clear_of(r, 10 + 3 * victim, 1);
        agpu_put_shared_pattern(t, 11 + 2 * victim, 25);
        agpu_put_destroy(r, 10 + 3 * victim);
        agpu_return_unless(agpu_run_clean(t));
        /* Without a target a clear does nothing; some devices report an error (commands.md 11). */
        agpu_put_clear_color(r, 1, 1, 1, 1);
        agpu_return_unless(executor->no_depth || executor->six_layers
                               ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                               : agpu_run_clean(t));
        agpu_return_unless(agpu_shared_holds(t, victim == 1 ? 12 : 11, 25));
    }
}

/* Handles of aliases and originals that differ in high bits must be distinct. */
static void shared_high_handles(struct agpu_test *t)
{
    static const uint32_t handles[] = {0x80000001, 1,          0x40000001, 0x00010001,
                                       0x7FFFFFFF, 0xFFFFFFFF, 0x00000007, 0x80000007};
    struct agpu_rig *r = agpu_rig_of(t);

    for (uint32_t i = 0; i < 8; i += 2) {
        agpu_put_create_texture(r, handles[i], RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
        agpu_put_export(r, handles[i], AGPU_TOKEN + i);
        agpu_put_import(r, handles[i + 1], AGPU_TOKEN + i);
        agpu_put_shared_pattern(t, handles[i + 1], 40 + i);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 8; i++) {
        agpu_return_unless(agpu_shared_holds(t, handles[i], 40 + (i & ~1u)));
    }
    agpu_put_destroy(r, handles[0]);
    agpu_put_destroy(r, handles[3]);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_shared_holds(t, handles[1], 40));
    agpu_return_unless(agpu_shared_holds(t, handles[2], 42));
    agpu_put_create_texture(r, handles[0], RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0); /* reserved */
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
}

/* An alias must share the guest memory of its texture: dirty ranges, write-back, rebinding. */
static void alias_of_guest_memory(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[1].cpu;
    uint8_t data[AGPU_SHARED_EDGE * AGPU_SHARED_EDGE * 4];

    agpu_fill_pattern(memory, sizeof data, 50);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE * 4, 11);
    agpu_put_dirty(r, 1, 0, sizeof data);
    agpu_put_export(r, 1, AGPU_TOKEN);
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_return_unless(agpu_shared_holds(t, 2, 50));
    agpu_fill_pattern(memory, sizeof data, 51);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(r, 2, 0, sizeof data);
    agpu_return_unless(agpu_shared_holds(t, 1, 51));
    /* Written back through the alias. */
    agpu_put_create_texture(r, 3, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_put_shared_pattern(t, 3, 52);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_texture(r, 2, 3, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_pattern(data, sizeof data, 52);
    agpu_check_eq_mem(t, memory, data, sizeof data);
}

/* A device that shares buffers must treat their aliases as one buffer; known ones refuse to share them (commands.md
 * 12). */
static void shared_buffer(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t data[64];
    bool passed = true;

    agpu_return_unless(executor != NULL);
    agpu_fill_pattern(data, sizeof data, 53);
    agpu_put_create_buffer(r, 1, sizeof data, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_export(r, 1, AGPU_TOKEN);
    agpu_return_unless(executor->implicit || executor->six_layers
                           ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                           : agpu_run_clean(t));
    agpu_return_unless(passed);
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_put_upload(r, 2, 0, data, sizeof data);
    agpu_put_destroy(r, 2);
    agpu_put_readback(r, 1, 0, sizeof data);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_readback(t, data, sizeof data));
    /* One over guest memory, written back by its other name. */
    memset(r->memory[1].cpu, 0, sizeof data);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(r, 3, sizeof data, 11, 0);
    agpu_put_export(r, 3, AGPU_TOKEN + 1);
    agpu_put_import(r, 4, AGPU_TOKEN + 1);
    agpu_put_copy_buffer(r, 4, 0, 1, 0, sizeof data, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, r->memory[1].cpu, data, sizeof data);
    if (t->env->model) { /* rebound by its other name, with unchanged contents (commands.md 6.1) */
        agpu_put_create_buffer(r, 4, sizeof data, 0, 0);
        agpu_put_readback(r, 3, 0, sizeof data);
        agpu_return_unless(agpu_run_clean(t));
        agpu_check_readback(t, data, sizeof data);
    }
}

#define SHARED_NEEDS                                                                                         \
    .spec = "commands.md 12", .needs = AGPU_NEED_RING,                                                       \
    .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO
#define SHARED_CASE(name, function)                                                                          \
    {                                                                                                        \
        .id = (name), SHARED_NEEDS, .run = (function)                                                        \
    }
static const struct agpu_case resource_shared_cases[] = {
    SHARED_CASE("shared.alias.is_the_same", alias_is_the_same),
    SHARED_CASE("shared.alias.outlives_original", alias_outlives_original),
    SHARED_CASE("shared.alias.survives_release", released_keeps_alias),
    SHARED_CASE("shared.alias.of_alias", alias_of_alias),
    SHARED_CASE("shared.alias.original_reserved", original_reserved),
    SHARED_CASE("shared.alias.reserved_in_every_slot", reserved_in_every_slot),
    SHARED_CASE("shared.alias.unbound_by_destroy", destroyed_name_is_unbound),
    SHARED_CASE("shared.alias.guest_memory", alias_of_guest_memory),
    SHARED_CASE("shared.alias.of_buffer", shared_buffer),
    SHARED_CASE("shared.alias.high_handles", shared_high_handles),
};

AGPU_CASE_TABLE(agpu_cases_resource_shared, resource_shared_cases);
