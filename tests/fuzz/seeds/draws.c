/* draws.c: inputs with pipeline state, draws, presents and packet sizes. */
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/fuzz/seeds/writer.h"

static void shaders(void)
{
    static const uint32_t blob[8] = {0x43425844, 1, 2, 3, 4, 5, 6, 7};

    for (uint32_t stage = 0; stage < 4; stage++) {
        PACKET_WITH(blob, sizeof blob, CREATE_SHADER_DXBC, create_shader_dxbc, .shader_handle = 1 + stage,
                    .stage = stage, .dxbc_size_bytes = sizeof blob);
    }
    for (uint32_t stage_ex = 2; stage_ex < 6; stage_ex++) {
        PACKET_WITH(blob, sizeof blob, CREATE_SHADER_DXBC, create_shader_dxbc, .shader_handle = 4 + stage_ex,
                    .stage = 2, .dxbc_size_bytes = 29, .reserved0 = stage_ex);
    }
}

static void layout(uint32_t handle)
{
    const struct {
        struct aerogpu_input_layout_blob_header header;
        struct aerogpu_input_layout_element_dxgi elements[3];
    } blob = {
        {AEROGPU_INPUT_LAYOUT_BLOB_MAGIC, AEROGPU_INPUT_LAYOUT_BLOB_VERSION, 3, 0},
        {{0x7808E88A, 0, 6, 0, 0, 0, 0},
         {0xE7C308F8, 0, 2, 0, UINT32_MAX, 0, 0},
         {0x0BC45413, 0, 16, 1, 0, 1, 1}},
    };

    PACKET_WITH(&blob, sizeof blob, CREATE_INPUT_LAYOUT, create_input_layout, .input_layout_handle = handle,
                .blob_size_bytes = sizeof blob);
}

static void target(void)
{
    PACKET(CREATE_TEXTURE2D, create_texture2d, .texture_handle = 1, .format = 1, .width = 64, .height = 64,
           .mip_levels = 1, .array_layers = 1);
    PACKET(CREATE_TEXTURE2D, create_texture2d, .texture_handle = 2, .format = 32, .width = 64, .height = 64,
           .mip_levels = 1, .array_layers = 1);
    PACKET(SET_RENDER_TARGETS, set_render_targets, .color_count = 1, .depth_stencil = 2, .colors = {1});
}

static void state(void)
{
    static const uint32_t constants[16] = {0x3F800000, 0, 1, 2};
    static const uint32_t samplers[4] = {5, 5, 0, 6};

    PACKET(
        SET_BLEND_STATE, set_blend_state,
        .state = {.enable = 1, .src_factor = 2, .dst_factor = 3, .color_write_mask = 15, .sample_mask = 1});
    PACKET(SET_DEPTH_STENCIL_STATE, set_depth_stencil_state, .state = {.depth_enable = 1, .depth_func = 1});
    PACKET(SET_RASTERIZER_STATE, set_rasterizer_state, .state = {.cull_mode = 2, .scissor_enable = 1});
    PACKET(SET_VIEWPORT, set_viewport, .width_f32 = 0x42800000, .height_f32 = 0x42800000,
           .max_depth_f32 = 0x3F800000);
    PACKET(SET_SCISSOR, set_scissor, .x = -4, .y = 2, .width = 60, .height = 60);
    PACKET(CREATE_SAMPLER, create_sampler, .sampler_handle = 5, .filter = 1, .address_u = 2);
    PACKET_WITH(samplers, sizeof samplers, SET_SAMPLERS, set_samplers, .shader_stage = 1, .sampler_count = 4);
    PACKET(SET_SAMPLER_STATE, set_sampler_state, .state = 1, .value = 2);
    PACKET(SET_RENDER_STATE, set_render_state, .state = 1, .value = 2);
    PACKET_WITH(constants, sizeof constants, SET_SHADER_CONSTANTS_F, set_shader_constants_f,
                .start_register = 4092, .vec4_count = 4);
    PACKET_WITH(constants, sizeof constants, SET_SHADER_CONSTANTS_I, set_shader_constants_i, .stage = 2,
                .start_register = 252, .vec4_count = 4, .reserved0 = 3);
    PACKET_WITH(constants, sizeof constants, SET_SHADER_CONSTANTS_B, set_shader_constants_b, .stage = 1,
                .bool_count = 4);
    PACKET(SET_PRIMITIVE_TOPOLOGY, set_primitive_topology, .topology = 4);
}

static void draws(void)
{
    const struct aerogpu_vertex_buffer_binding vertices[2] = {{.buffer = 3, .stride_bytes = 20},
                                                              {.buffer = 3, .stride_bytes = 8}};
    const uint32_t more[3] = {6, 7, 8};

    seed_begin("stream", "draws");
    shaders();
    layout(1);
    target();
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 3, .size_bytes = 4096);
    PACKET(SET_INPUT_LAYOUT, set_input_layout, .input_layout_handle = 1);
    PACKET_WITH(vertices, sizeof vertices, SET_VERTEX_BUFFERS, set_vertex_buffers, .buffer_count = 2);
    PACKET(SET_INDEX_BUFFER, set_index_buffer, .buffer = 3, .format = 1, .offset_bytes = 8);
    PACKET(BIND_SHADERS, bind_shaders, .vs = 1, .ps = 2);
    state();
    seed_submit(0);
    PACKET(DRAW, draw, .vertex_count = 3, .instance_count = 1);
    seed_submit(0);
    PACKET(DRAW_INDEXED, draw_indexed, .index_count = 6, .instance_count = 2, .base_vertex = -1);
    seed_submit(0);
    PACKET_WITH(more, sizeof more, BIND_SHADERS, bind_shaders, .vs = 1, .ps = 2, .cs = 3);
    PACKET(SET_PRIMITIVE_TOPOLOGY, set_primitive_topology, .topology = 35);
    PACKET(DRAW, draw, .vertex_count = 3, .instance_count = 1);
    seed_submit(0);
    PACKET(DISPATCH, dispatch, .group_count_x = 1, .group_count_y = 2, .group_count_z = 3);
    seed_submit(0);
    PACKET(DESTROY_SHADER, destroy_shader, .shader_handle = 1);
    PACKET(DESTROY_INPUT_LAYOUT, destroy_input_layout, .input_layout_handle = 1);
    PACKET(DESTROY_SAMPLER, destroy_sampler, .sampler_handle = 5);
    PACKET(DRAW, draw, .vertex_count = 3, .instance_count = 1);
    seed_submit(0);
}

static void scanout(uint32_t offset)
{
    const uint64_t fb = UINT64_C(0x123450000) + offset;

    seed_write(AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 32);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 40);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B5G6R5_UNORM);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 128);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, (uint32_t)fb);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, (uint32_t)(fb >> 32));
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
}

static void presents(void)
{
    seed_begin("stream", "presents");
    seed_write(AEROGPU_MMIO_REG_IRQ_ENABLE, 0x80000003);
    target();
    PACKET(CLEAR, clear, .flags = AEROGPU_CLEAR_COLOR, .color_rgba_f32 = {0x3F800000});
    seed_submit(0);
    scanout(0x4000);
    PACKET(PRESENT, present, .flags = AEROGPU_PRESENT_FLAG_VSYNC);
    seed_submit(FUZZ_SUBMIT_PRESENT);
    seed_submit(0);
    PACKET(PRESENT_EX, present_ex, .flags = AEROGPU_PRESENT_FLAG_VSYNC, .d3d9_present_flags = 7);
    seed_submit(FUZZ_SUBMIT_PRESENT | FUZZ_SUBMIT_NO_IRQ);
    PACKET(PRESENT, present, .flags = AEROGPU_PRESENT_FLAG_VSYNC);
    seed_submit(FUZZ_SUBMIT_SAME_FENCE);
    seed_time(16666666);
    seed_time(1);
    seed_time(40000000);
    for (int i = 0; i < 70; i++) { /* more than fit into a ring */
        PACKET(PRESENT, present, .flags = AEROGPU_PRESENT_FLAG_VSYNC);
        seed_submit(0);
    }
    seed_time(100000000);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, 0); /* no memory there */
    PACKET(PRESENT, present, .flags = 0);
    seed_submit(FUZZ_SUBMIT_PRESENT);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
}

/* Short packets of all opcodes, and of some that do not exist, one a submission. */
static void short_packets(void)
{
    seed_begin("stream", "short-packets");
    for (uint32_t opcode = 0; opcode < 0x740; opcode++) {
        const uint32_t packet[3] = {opcode, 12, 1};

        if ((opcode & 0xFF) < 0x30) {
            seed_record(FUZZ_OP_PACKET, 0, packet, sizeof packet);
            seed_submit(0);
        }
    }
}

static void framing(void)
{
    static const uint32_t bad[][3] = {{0, 4, 0}, {0, 14, 0}, {0, 0x10000, 0}, {0x700, 12, 0}, {0, 0, 0}};
    static const uint8_t tail[6] = {0};

    seed_begin("stream", "framing");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        seed_record(FUZZ_OP_PACKET, FUZZ_ARG_VERBATIM, bad[i], sizeof bad[i]);
        PACKET(PRESENT, present, .flags = AEROGPU_PRESENT_FLAG_VSYNC);
        seed_submit(0);
    }
    PACKET(FLUSH, flush, .reserved0 = 0);
    seed_record(FUZZ_OP_PACKET, FUZZ_ARG_VERBATIM, tail, 4);
    seed_submit(0);
    seed_record(FUZZ_OP_PACKET, FUZZ_ARG_VERBATIM, tail, sizeof tail);
    seed_submit(0);
    seed_submit(0);
}

void seeds_of_draws(void)
{
    draws();
    presents();
    short_packets();
    framing();
}
