/* test_state.c: fixed-function state, input assembler and bindings (commands.md 2, 8 to 10, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/sampler.h"
#include "tests/unit/device/packets_short.h"

static struct vgpu_state *state_of(struct fake_driver *driver)
{
    return &driver->machine->device->exec->state;
}

static void expect(struct fake_driver *driver, bool good)
{
    if (good) {
        submit_good(driver);
    } else {
        submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    }
    stream_begin(driver);
}

/* commands.md 8, 15: defaults as D11, blend replacements, short blend packets, unknown cull and depth
 * function. */
static void fixed_function(void **test)
{
    struct fake_driver *driver = *test;
    const struct vgpu_state *state = state_of(driver);

    assert_int_equal(state->depth_stencil.depth_enable, 1);
    assert_int_equal(state->depth_stencil.depth_func, AEROGPU_COMPARE_LESS);
    assert_int_equal(state->rasterizer.cull_mode, AEROGPU_CULL_BACK);
    assert_int_equal(state->topology, AEROGPU_TOPOLOGY_TRIANGLELIST);
    assert_int_equal(state->blend.color_write_mask, 0xF);
    stream_begin(driver);
    struct aerogpu_cmd_set_blend_state *blend = stream_packet(driver, AEROGPU_CMD_SET_BLEND_STATE, 28);
    blend->state.enable = 1;
    blend->state.src_factor = AEROGPU_BLEND_SRC_ALPHA;
    blend->state.dst_factor = 77;
    blend->state.blend_op = 9;
    blend->state.color_write_mask = 5;
    expect(driver, true);
    assert_int_equal(state->blend.src_factor_alpha, AEROGPU_BLEND_SRC_ALPHA);
    assert_int_equal(state->blend.dst_factor, AEROGPU_BLEND_ZERO);
    assert_int_equal(state->blend.dst_factor_alpha, AEROGPU_BLEND_ZERO);
    assert_int_equal(state->blend.blend_op, AEROGPU_BLEND_OP_ADD);
    assert_int_equal(state->blend.sample_mask, 0xFFFFFFFF);
    assert_int_equal(state->blend.blend_constant_rgba_f32[3], f32(1.0f));
    assert_int_equal(state->blend.color_write_mask, 5);
    blend = STREAM_PACKET(driver, SET_BLEND_STATE, aerogpu_cmd_set_blend_state);
    blend->state.src_factor = 8;
    blend->state.src_factor_alpha = 8;
    blend->state.blend_op_alpha = AEROGPU_BLEND_OP_MAX;
    blend->state.sample_mask = 3;
    STREAM_PACKET(driver, SET_DEPTH_STENCIL_STATE, aerogpu_cmd_set_depth_stencil_state)->state.depth_func = 8;
    struct aerogpu_cmd_set_rasterizer_state *raster =
        STREAM_PACKET(driver, SET_RASTERIZER_STATE, aerogpu_cmd_set_rasterizer_state);
    raster->state.cull_mode = 3;
    raster->state.depth_bias = -5;
    STREAM_PACKET(driver, SET_VIEWPORT, aerogpu_cmd_set_viewport)->width_f32 = f32(7);
    STREAM_PACKET(driver, SET_SCISSOR, aerogpu_cmd_set_scissor)->x = -3;
    expect(driver, true);
    assert_int_equal(state->blend.src_factor, AEROGPU_BLEND_ONE);
    assert_int_equal(state->blend.src_factor_alpha, AEROGPU_BLEND_ONE);
    assert_int_equal(state->blend.blend_op_alpha, AEROGPU_BLEND_OP_MAX);
    assert_int_equal(state->blend.sample_mask, 3);
    assert_int_equal(state->depth_stencil.depth_func, AEROGPU_COMPARE_ALWAYS);
    assert_int_equal(state->rasterizer.cull_mode, AEROGPU_CULL_BACK); /* unchanged */
    assert_int_equal(state->rasterizer.depth_bias, -5);
    assert_true(state->viewport_set && state->scissor_set);
    assert_int_equal(state->viewport.width_f32, f32(7));
    assert_int_equal(state->scissor.x, -3);
    add_targets(driver, 0, 0)->color_count = 9;
    expect(driver, false);
}

/* commands.md 9, 15: vertex and index buffers, topologies. */
static void input_assembler(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    add_buffer(driver, 1, 64, 0);
    for (uint32_t i = 0; i < 5; i++) {
        struct aerogpu_cmd_set_vertex_buffers *set =
            stream_packet(driver, AEROGPU_CMD_SET_VERTEX_BUFFERS, sizeof *set + 32);
        struct aerogpu_vertex_buffer_binding *bindings = (void *)(set + 1);
        set->start_slot = i == 0 ? 30 : i == 1 ? 31 : i == 2 ? 0xFFFFFFFF : i == 4 ? 99 : 0;
        set->buffer_count = i == 3 ? 3 : i == 4 ? 0 : 2;
        bindings[1] =
            (struct aerogpu_vertex_buffer_binding){.buffer = 1, .stride_bytes = 12, .offset_bytes = 8};
        expect(driver, i == 0 || i == 4);
    }
    assert_int_equal(state_of(driver)->vertex_buffers[31].slot.handle, 1);
    assert_int_equal(state_of(driver)->vertex_buffers[31].extra, 12);
    const struct {
        uint32_t buffer, format, offset;
        bool good;
    } indices[] = {{1, 0, 2, true},  {1, 1, 4, true},   {1, 1, 64, true}, {1, 2, 0, false}, {1, 0, 1, false},
                   {1, 1, 2, false}, {1, 1, 68, false}, {0, 9, 3, true},  {55, 0, 0, true}};
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        struct aerogpu_cmd_set_index_buffer *set =
            STREAM_PACKET(driver, SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer);
        set->buffer = indices[i].buffer;
        set->format = indices[i].format;
        set->offset_bytes = indices[i].offset;
        expect(driver, indices[i].good);
    }
    for (uint32_t topology = 0; topology < 70; topology++) {
        const bool good = (topology >= 1 && topology <= 6) || (topology >= 10 && topology <= 13) ||
                          (topology >= 33 && topology <= 64);

        STREAM_PACKET(driver, SET_PRIMITIVE_TOPOLOGY, aerogpu_cmd_set_primitive_topology)->topology =
            topology;
        expect(driver, good);
    }
}

/* commands.md 10, 15: samplers. */
static void samplers(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    for (unsigned i = 0; i < 6; i++) {
        struct aerogpu_cmd_create_sampler *create =
            STREAM_PACKET(driver, CREATE_SAMPLER, aerogpu_cmd_create_sampler);
        create->sampler_handle = i == 0 ? 0 : 1;
        create->filter = i == 1 ? 2 : 1;
        create->address_u = i == 2 ? 3 : 1;
        create->address_v = i == 3 ? 3 : 2;
        create->address_w = i == 4 ? 0xFFFFFFFF : 2;
        expect(driver, i == 5);
    }
    for (unsigned i = 0; i < 5; i++) {
        struct aerogpu_cmd_set_samplers *set =
            stream_packet(driver, AEROGPU_CMD_SET_SAMPLERS, sizeof *set + 8);
        ((uint32_t *)(void *)(set + 1))[1] = 1;
        set->shader_stage = i == 1 ? 8 : AEROGPU_SHADER_STAGE_PIXEL;
        set->start_slot = i == 2 ? 15 : 14;
        set->sampler_count = i == 3 ? 3 : i == 4 ? 0 : 2;
        expect(driver, i == 0 || i == 4);
    }
    const struct vgpu_slot *slot = &state_of(driver)->stages[VGPU_STAGE_PIXEL].samplers[15];
    assert_int_equal(((struct vgpu_sampler *)slot->thing)->address[1], 2);
    STREAM_PACKET(driver, CREATE_SAMPLER, aerogpu_cmd_create_sampler)->sampler_handle =
        1; /* replaces, stays bound */
    expect(driver, true);
    assert_int_equal(((struct vgpu_sampler *)slot->thing)->address[1], 0);
    STREAM_PACKET(driver, DESTROY_SAMPLER, aerogpu_cmd_destroy_sampler)->sampler_handle = 1;
    STREAM_PACKET(driver, DESTROY_SAMPLER, aerogpu_cmd_destroy_sampler)->sampler_handle = 1;
    expect(driver, true);
    assert_int_equal(slot->handle, 0);
}

static struct aerogpu_unordered_access_buffer_binding *
add_buffers(struct fake_driver *driver, uint32_t opcode, uint32_t stage, uint32_t start, uint32_t count)
{
    struct aerogpu_cmd_set_unordered_access_buffers *set = stream_packet(driver, opcode, sizeof *set + 32);

    set->shader_stage = stage;
    set->start_slot = start;
    set->uav_count = count;
    return (void *)(set + 1);
}

/* commands.md 10, 15: slots, stages, alignment of the three buffer bindings and of SET_TEXTURE. */
static void buffer_bindings(void **test)
{
    struct fake_driver *driver = *test;
    const uint32_t cb = AEROGPU_CMD_SET_CONSTANT_BUFFERS;
    const uint32_t srv = AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS;
    const uint32_t uav = AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS;

    const struct {
        uint32_t opcode, stage, start, count, offset, size;
        bool good;
    } rows[] = {
        {cb, 0, 12, 2, 256, 16, true},        {cb, 0, 13, 2, 0, 0, false},  {cb, 1, 0, 1, 4, 3, true},
        {cb, 1, 0, 1, 2, 0, false},           {srv, 1, 126, 2, 4, 8, true}, {srv, 1, 127, 2, 0, 0, false},
        {srv, 1, 0, 1, 2, 0, false},          {srv, 1, 0, 1, 0, 2, false},  {uav, 2, 6, 2, 4, 8, true},
        {uav, 2, 7, 2, 0, 0, false},          {uav, 0, 0, 1, 0, 0, false},  {uav, 1, 0, 1, 0, 0, false},
        {uav, 3, 0, 1, 0, 0, true},           {cb, 9, 0, 1, 0, 0, false},   {srv, 0, 0, 3, 0, 0, false},
        {uav, 2, 0xFFFFFFFF, 2, 0, 0, false}, {cb, 9, 99, 0, 0, 0, true}, /* count 0: no-op */
    };

    stream_begin(driver);
    add_buffer(driver, 1, 1024, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct aerogpu_unordered_access_buffer_binding *binding =
            add_buffers(driver, rows[i].opcode, rows[i].stage, rows[i].start, rows[i].count);
        binding[0].buffer = 1;
        binding[0].offset_bytes = rows[i].offset;
        binding[0].size_bytes = rows[i].size;
        expect(driver, rows[i].good);
    }
    const uint32_t slots[] = {0, 127, 128, 0xFFFFFFFF};
    for (unsigned i = 0; i < 4; i++) {
        struct aerogpu_cmd_set_texture *set = STREAM_PACKET(driver, SET_TEXTURE, aerogpu_cmd_set_texture);

        set->slot = slots[i];
        set->texture = 1;
        expect(driver, i < 2);
    }
    STREAM_PACKET(driver, SET_TEXTURE, aerogpu_cmd_set_texture)->shader_stage = 4;
    expect(driver, false);
}

/* commands.md 8, 10: SRV against UAV, target against SRV: the later binding wins; DESTROY unbinds
 * everywhere. */
static void hazards(void **test)
{
    struct fake_driver *driver = *test;
    const struct vgpu_state *state = state_of(driver);
    const struct vgpu_stage_state *compute = &state->stages[VGPU_STAGE_COMPUTE];
    const struct vgpu_stage_state *pixel = &state->stages[VGPU_STAGE_PIXEL];

    stream_begin(driver);
    add_buffer(driver, 1, 64, 0);
    add_texture(driver, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    add_buffers(driver, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 1, 3, 1)->buffer = 1;
    add_buffers(driver, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 2, 5, 1)->buffer = 1;
    expect(driver, true);
    assert_int_equal(pixel->srvs[3].slot.handle, 0);
    assert_int_equal(compute->uavs[5].slot.handle, 1);
    add_buffers(driver, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, 1, 3, 1)->buffer = 1;
    expect(driver, true);
    assert_int_equal(pixel->srvs[3].slot.handle, 1);
    assert_int_equal(compute->uavs[5].slot.handle, 0);

    struct aerogpu_cmd_set_texture *texture = STREAM_PACKET(driver, SET_TEXTURE, aerogpu_cmd_set_texture);
    texture->shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    texture->texture = 2;
    add_targets(driver, 2, 0);
    expect(driver, true);
    assert_int_equal(pixel->srvs[0].slot.handle, 0);
    assert_int_equal(state->colors[0].handle, 2);
    texture = STREAM_PACKET(driver, SET_TEXTURE, aerogpu_cmd_set_texture);
    texture->shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
    texture->texture = 2;
    expect(driver, true);
    assert_int_equal(pixel->srvs[0].slot.handle, 2);
    assert_int_equal(state->colors[0].handle, 0);

    struct aerogpu_cmd_set_index_buffer *index =
        STREAM_PACKET(driver, SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer);
    index->buffer = 1;
    add_buffers(driver, AEROGPU_CMD_SET_CONSTANT_BUFFERS, 0, 7, 1)->buffer = 1;
    add_destroy(driver, 1);
    add_destroy(driver, 2);
    expect(driver, true);
    assert_int_equal(state->index_buffer.slot.handle, 0);
    assert_int_equal(state->stages[VGPU_STAGE_VERTEX].constant_buffers[7].slot.handle, 0);
    assert_int_equal(pixel->srvs[0].slot.handle, 0);
    assert_int_equal(pixel->srvs[3].slot.handle, 0);
    assert_int_equal(state->unresolved, 0);
}

/* A handle bound before it exists is found later; destroyed before any draw it is unbound like any other. */
static void late_handles(void **test)
{
    struct fake_driver *driver = *test;
    const struct vgpu_state *state = state_of(driver);

    stream_begin(driver);
    add_targets(driver, 2, 0);
    expect(driver, true);
    assert_int_equal(state->unresolved, 1);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
    expect(driver, false); /* unknown target: error at the clear */
    add_texture(driver, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
    add_targets(driver, 3, 0);
    add_texture(driver, 3, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    add_destroy(driver, 3);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 1, 1, 1);
    expect(driver, true);
    assert_int_equal(state->unresolved, 0);
}

/* commands.md 2: state persists across submissions and context ids; a ring reset restores the defaults. */
static void persistence(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    STREAM_PACKET(driver, SET_PRIMITIVE_TOPOLOGY, aerogpu_cmd_set_primitive_topology)->topology = 5;
    expect(driver, true);
    submit_good(driver);
    assert_int_equal(state_of(driver)->topology, 5);
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    assert_int_equal(state_of(driver)->topology, AEROGPU_TOPOLOGY_TRIANGLELIST);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fixed_function), TEST(input_assembler), TEST(samplers),    TEST(buffer_bindings),
        TEST(hazards),        TEST(late_handles),    TEST(persistence),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
