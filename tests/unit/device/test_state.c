/* test_state.c: shaders, constants, stages, layouts, fixed-function state and bindings (commands.md 4, 7 to
 * 10, 15). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/input_layout.h"
#include "tests/device/sampler.h"
#include "tests/device/shader.h"
#include "tests/unit/device/packets_short.h"

static struct agpu_state *state_of(struct fake_driver *driver)
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

static struct aerogpu_cmd_create_shader_dxbc *add_shader(struct fake_driver *driver, uint32_t handle,
                                                         uint32_t stage, uint32_t bytes)
{
    struct aerogpu_cmd_create_shader_dxbc *create =
        stream_packet(driver, AEROGPU_CMD_CREATE_SHADER_DXBC, sizeof *create + ((bytes + 3) & ~3u));

    create->shader_handle = handle;
    create->stage = stage;
    create->dxbc_size_bytes = bytes;
    memset(create + 1, 0x5A, bytes);
    return create;
}

/* 4: the table of stage and stage_ex, for minor 4 and minor 2. */
static void stages(void **unused)
{
    const int bad = -1;
    const struct {
        uint32_t stage, ex;
        int minor4, minor2;
    } rows[] = {
        {0, 0, AGPU_STAGE_VERTEX, AGPU_STAGE_VERTEX},
        {0, 9, AGPU_STAGE_VERTEX, AGPU_STAGE_VERTEX},
        {1, 4, AGPU_STAGE_PIXEL, AGPU_STAGE_PIXEL},
        {3, 5, AGPU_STAGE_GEOMETRY, AGPU_STAGE_GEOMETRY},
        {2, 0, AGPU_STAGE_COMPUTE, AGPU_STAGE_COMPUTE},
        {2, 2, AGPU_STAGE_GEOMETRY, AGPU_STAGE_COMPUTE},
        {2, 3, AGPU_STAGE_HULL, AGPU_STAGE_COMPUTE},
        {2, 4, AGPU_STAGE_DOMAIN, AGPU_STAGE_COMPUTE},
        {2, 5, AGPU_STAGE_COMPUTE, AGPU_STAGE_COMPUTE},
        {2, 1, bad, AGPU_STAGE_COMPUTE},
        {2, 6, bad, AGPU_STAGE_COMPUTE},
        {2, 0xFFFFFFFF, bad, AGPU_STAGE_COMPUTE},
        {4, 0, bad, bad},
        {5, 0, bad, bad},
        {0xFFFFFFFF, 0, bad, bad},
    };

    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum agpu_stage stage;

        assert_int_equal(agpu_stage_decode(rows[i].stage, rows[i].ex, 4, &stage) ? (int)stage : bad,
                         rows[i].minor4);
        assert_int_equal(agpu_stage_decode(rows[i].stage, rows[i].ex, 3, &stage) ? (int)stage : bad,
                         rows[i].minor4);
        assert_int_equal(agpu_stage_decode(rows[i].stage, rows[i].ex, 2, &stage) ? (int)stage : bad,
                         rows[i].minor2);
    }
}

/* 4, 13: the minor of the stream header gates stage_ex. */
static void minor_gates(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    stream_header(driver)->abi_version = 0x00010002;
    add_shader(driver, 1, AEROGPU_SHADER_STAGE_COMPUTE, 8)->reserved0 = 1;
    expect(driver, true);
    add_shader(driver, 1, AEROGPU_SHADER_STAGE_COMPUTE, 8)->reserved0 = 1;
    expect(driver, false);
}

/* 7, 15: CREATE_SHADER_DXBC: errors; re-creation replaces and keeps the binding; DESTROY unbinds. */
static void shaders(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    add_shader(driver, 0, 0, 8);
    expect(driver, false);
    add_shader(driver, 1, 0, 8)->dxbc_size_bytes = 0;
    expect(driver, false);
    add_shader(driver, 1, 0, 8)->dxbc_size_bytes = 12;
    expect(driver, false);
    add_shader(driver, 1, 0, 8)->dxbc_size_bytes = 0xFFFFFFFF;
    expect(driver, false);
    add_shader(driver, 1, 7, 8);
    expect(driver, false);
    add_shader(driver, 1, AEROGPU_SHADER_STAGE_VERTEX, 5);
    STREAM_PACKET(driver, BIND_SHADERS, aerogpu_cmd_bind_shaders)->vs = 1;
    add_buffer(driver, 1, 64, 0); /* another namespace */
    expect(driver, true);
    const struct agpu_shader *shader = state_of(driver)->stages[AGPU_STAGE_VERTEX].shader.thing;
    assert_int_equal(shader->size, 5);
    add_shader(driver, 1, AEROGPU_SHADER_STAGE_PIXEL, 16);
    expect(driver, true);
    assert_ptr_equal(state_of(driver)->stages[AGPU_STAGE_VERTEX].shader.thing, shader);
    assert_int_equal(shader->stage, AGPU_STAGE_PIXEL);
    STREAM_PACKET(driver, DESTROY_SHADER, aerogpu_cmd_destroy_shader)->shader_handle = 1;
    STREAM_PACKET(driver, DESTROY_SHADER, aerogpu_cmd_destroy_shader)->shader_handle = 1;
    expect(driver, true);
    assert_int_equal(state_of(driver)->stages[AGPU_STAGE_VERTEX].shader.handle, 0);
}

/* 7: the forms of BIND_SHADERS; every stage is replaced every time. */
static void bind_shaders(void **test)
{
    struct fake_driver *driver = *test;
    const struct {
        size_t size;
        uint32_t gs, hs, ds;
    } forms[] = {{24, 4, 0, 0}, {28, 0, 0, 0}, {32, 0, 0, 0}, {36, 5, 6, 7}, {48, 5, 6, 7}};
    const struct agpu_stage_state *bound = state_of(driver)->stages;

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        stream_begin(driver);
        uint32_t *words = stream_packet(driver, AEROGPU_CMD_BIND_SHADERS, forms[i].size);
        for (uint32_t word = 2; word < forms[i].size / 4; word++) {
            words[word] = (uint32_t[]){0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}[word];
        }
        if (forms[i].size >= 28) {
            words[6] = 5;
        }
        submit_good(driver);
        assert_int_equal(bound[AGPU_STAGE_VERTEX].shader.handle, 1);
        assert_int_equal(bound[AGPU_STAGE_PIXEL].shader.handle, 2);
        assert_int_equal(bound[AGPU_STAGE_COMPUTE].shader.handle, 3);
        assert_int_equal(bound[AGPU_STAGE_GEOMETRY].shader.handle, forms[i].gs);
        assert_int_equal(bound[AGPU_STAGE_HULL].shader.handle, forms[i].hs);
        assert_int_equal(bound[AGPU_STAGE_DOMAIN].shader.handle, forms[i].ds);
    }
}

static struct aerogpu_cmd_set_shader_constants_f *add_constants(struct fake_driver *driver, uint32_t opcode,
                                                                uint32_t start, uint32_t count)
{
    struct aerogpu_cmd_set_shader_constants_f *set = stream_packet(driver, opcode, sizeof *set + 32);
    uint32_t *values = (void *)(set + 1);

    set->stage = AEROGPU_SHADER_STAGE_PIXEL;
    set->start_register = start;
    set->vec4_count = count;
    for (uint32_t i = 0; i < 8; i++) {
        values[i] = i + 100;
    }
    return set;
}

/* 7, 15: limits F 4096, I 256, B 256; the payload must be there; count 0 is a no-op. */
static void constants(void **test)
{
    struct fake_driver *driver = *test;
    const uint32_t opcodes[] = {AEROGPU_CMD_SET_SHADER_CONSTANTS_F, AEROGPU_CMD_SET_SHADER_CONSTANTS_I,
                                AEROGPU_CMD_SET_SHADER_CONSTANTS_B};
    const uint32_t limits[] = {4096, 256, 256};
    const struct agpu_stage_state *pixel = &state_of(driver)->stages[AGPU_STAGE_PIXEL];

    stream_begin(driver);
    for (unsigned i = 0; i < 3; i++) {
        add_constants(driver, opcodes[i], limits[i] - 2, 2);
        expect(driver, true);
        add_constants(driver, opcodes[i], limits[i] - 1, 2);
        expect(driver, false);
        add_constants(driver, opcodes[i], 0xFFFFFFFF, 2);
        expect(driver, false);
        add_constants(driver, opcodes[i], 0, 3);
        expect(driver, false);
        add_constants(driver, opcodes[i], 0, 0xFFFFFFFF);
        expect(driver, false);
        add_constants(driver, opcodes[i], 0, 1)->stage = 9;
        expect(driver, false);
        add_constants(driver, opcodes[i], 0xFFFFFFFF, 0);
        expect(driver, true);
    }
    assert_int_equal(pixel->float_constants[4094][3], 103);
    assert_int_equal(pixel->int_constants[255][0], 104);
    assert_int_equal(pixel->bool_constants[255], 1); /* 16 bytes a register, non-zero = true */
    assert_int_equal(pixel->bool_constants[253], 0);
}

static struct aerogpu_input_layout_element_dxgi *add_layout(struct fake_driver *driver, uint32_t handle,
                                                            uint32_t elements)
{
    struct aerogpu_cmd_create_input_layout *create =
        stream_packet(driver, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *create + 16 + elements * 28);
    struct aerogpu_input_layout_blob_header *blob = (void *)(create + 1);

    create->input_layout_handle = handle;
    create->blob_size_bytes = 16 + elements * 28;
    blob->magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    blob->version = 1;
    blob->element_count = elements;
    return (void *)(blob + 1);
}

/* 7, 15: ILAY rules, the append rule, step rate 0. */
static void layouts(void **test)
{
    struct fake_driver *driver = *test;

    stream_begin(driver);
    struct aerogpu_input_layout_element_dxgi *elements = add_layout(driver, 1, 4);
    elements[0] = (struct aerogpu_input_layout_element_dxgi){.dxgi_format = 6, .aligned_byte_offset = 4};
    elements[1] = (struct aerogpu_input_layout_element_dxgi){.dxgi_format = 54, .aligned_byte_offset = ~0u};
    elements[2] = (struct aerogpu_input_layout_element_dxgi){.dxgi_format = 2, .aligned_byte_offset = ~0u};
    elements[3] = (struct aerogpu_input_layout_element_dxgi){
        .dxgi_format = 28, .aligned_byte_offset = ~0u, .input_slot = 31, .input_slot_class = 1};
    STREAM_PACKET(driver, SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout)->input_layout_handle = 1;
    expect(driver, true);
    const struct agpu_input_layout *layout = state_of(driver)->input_layout.thing;
    assert_true(layout->usable);
    assert_int_equal(layout->elements[1].aligned_byte_offset, 16);
    assert_int_equal(layout->elements[2].aligned_byte_offset, 20); /* after 2 bytes, aligned to 4 */
    assert_int_equal(layout->elements[3].aligned_byte_offset, 0);
    assert_int_equal(layout->elements[3].instance_data_step_rate, 1);
    add_layout(driver, 1, 1)->dxgi_format = 9; /* not in the list: an error only at the draw; replaces 1 */
    expect(driver, true);
    assert_false(layout->usable);
    add_layout(driver, 2, 32)->dxgi_format = 2;
    expect(driver, true);
    STREAM_PACKET(driver, DESTROY_INPUT_LAYOUT, aerogpu_cmd_destroy_input_layout)->input_layout_handle = 1;
    STREAM_PACKET(driver, DESTROY_INPUT_LAYOUT, aerogpu_cmd_destroy_input_layout)->input_layout_handle = 99;
    expect(driver, true);
    assert_int_equal(state_of(driver)->input_layout.handle, 0);
    for (unsigned i = 0; i < 7; i++) {
        elements = add_layout(driver, i == 0 ? 0 : 3, i == 1 ? 33 : 2);
        struct aerogpu_input_layout_blob_header *blob = (void *)((uint8_t *)elements - 16);
        struct aerogpu_cmd_create_input_layout *create = (void *)((uint8_t *)blob - 20);
        elements[1].input_slot = i == 2 ? 32 : 0;
        blob->version = i == 3 ? 2 : 1;
        blob->element_count = i == 4 ? 3 : blob->element_count;
        blob->magic = i == 5 ? 1 : blob->magic; /* neither ILAY nor a D3D9 declaration */
        create->blob_size_bytes += i == 6 ? 4 : 0;
        expect(driver, false);
    }
}

/* 7, 15: D3D9 declarations are accepted when they have an end. */
static void d3d9_declaration(void **test)
{
    struct fake_driver *driver = *test;
    const uint8_t end[8] = {0xFF, 0, 0, 0, 17, 0, 0, 0};

    for (unsigned i = 0; i < 3; i++) {
        stream_begin(driver);
        struct aerogpu_cmd_create_input_layout *create =
            stream_packet(driver, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *create + 16);
        create->input_layout_handle = 1;
        create->blob_size_bytes = i == 2 ? 12 : 16;
        if (i != 1) {
            memcpy((uint8_t *)(create + 1) + 8, end, 8);
        }
        expect(driver, i == 0);
    }
    stream_begin(driver);
    STREAM_PACKET(driver, CREATE_INPUT_LAYOUT, aerogpu_cmd_create_input_layout)->input_layout_handle = 1;
    expect(driver, false); /* empty */
}

/* 8, 15: defaults as D11, blend replacements, short blend packets, unknown cull and depth function. */
static void fixed_function(void **test)
{
    struct fake_driver *driver = *test;
    const struct agpu_state *state = state_of(driver);

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

/* 9, 15: vertex and index buffers, topologies. */
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

/* 10, 15: samplers. */
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
    const struct agpu_slot *slot = &state_of(driver)->stages[AGPU_STAGE_PIXEL].samplers[15];
    assert_int_equal(((struct agpu_sampler *)slot->thing)->address[1], 2);
    STREAM_PACKET(driver, CREATE_SAMPLER, aerogpu_cmd_create_sampler)->sampler_handle =
        1; /* replaces, stays bound */
    expect(driver, true);
    assert_int_equal(((struct agpu_sampler *)slot->thing)->address[1], 0);
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

/* 10, 15: slots, stages, alignment of the three buffer bindings and of SET_TEXTURE. */
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

/* 8, 10: SRV against UAV, target against SRV: the later binding wins; DESTROY unbinds everywhere. */
static void hazards(void **test)
{
    struct fake_driver *driver = *test;
    const struct agpu_state *state = state_of(driver);
    const struct agpu_stage_state *compute = &state->stages[AGPU_STAGE_COMPUTE];
    const struct agpu_stage_state *pixel = &state->stages[AGPU_STAGE_PIXEL];

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
    assert_int_equal(state->stages[AGPU_STAGE_VERTEX].constant_buffers[7].slot.handle, 0);
    assert_int_equal(pixel->srvs[0].slot.handle, 0);
    assert_int_equal(pixel->srvs[3].slot.handle, 0);
    assert_int_equal(state->unresolved, 0);
}

/* A handle bound before it exists is found later; destroyed before any draw it is unbound like any other. */
static void late_handles(void **test)
{
    struct fake_driver *driver = *test;
    const struct agpu_state *state = state_of(driver);

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

/* 2: state persists across submissions and context ids; a ring reset restores the defaults. */
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
        cmocka_unit_test(stages), TEST(minor_gates), TEST(shaders),          TEST(bind_shaders),
        TEST(constants),          TEST(layouts),     TEST(d3d9_declaration), TEST(fixed_function),
        TEST(input_assembler),    TEST(samplers),    TEST(buffer_bindings),  TEST(hazards),
        TEST(late_handles),       TEST(persistence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
