/* resources.c: inputs with buffers, textures, copies, views and shared surfaces. */
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/fuzz/seeds/writer.h"

static const uint32_t words[64] = {0x11111111, 0x22222222, 0x33333333, 0x44444444, [63] = 0x55555555};

static void buffers(void)
{
    seed_begin("stream", "buffers");
    seed_memory(1u << 20, words, sizeof words);
    seed_alloc(1, 0, 0, 0x1000);
    seed_alloc(2, AEROGPU_ALLOC_FLAG_READONLY, 0x2000, 0x1000);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 1, .size_bytes = 256, .backing_alloc_id = 1);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 2, .size_bytes = 256);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 3, .size_bytes = 512, .backing_alloc_id = 2,
           .backing_offset_bytes = 64);
    PACKET(RESOURCE_DIRTY_RANGE, resource_dirty_range, .resource_handle = 1, .offset_bytes = 4,
           .size_bytes = 128);
    PACKET_WITH(words, 130, UPLOAD_RESOURCE, upload_resource, .resource_handle = 2, .offset_bytes = 126,
                .size_bytes = 130);
    PACKET_WITH(words, 64, UPLOAD_RESOURCE, upload_resource, .resource_handle = 2, .size_bytes = 64);
    PACKET(COPY_BUFFER, copy_buffer, .dst_buffer = 1, .src_buffer = 2, .size_bytes = 64,
           .flags = AEROGPU_COPY_FLAG_WRITEBACK_DST);
    PACKET(COPY_BUFFER, copy_buffer, .dst_buffer = 2, .src_buffer = 3, .size_bytes = 256);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 1, .size_bytes = 256, .backing_alloc_id = 2);
    seed_submit(0);
    PACKET(COPY_BUFFER, copy_buffer, .dst_buffer = 3, .src_buffer = 1, .size_bytes = 64,
           .flags = AEROGPU_COPY_FLAG_WRITEBACK_DST); /* READONLY: refused */
    seed_submit(0);
    PACKET(DESTROY_RESOURCE, destroy_resource, .resource_handle = 1);
    PACKET(DESTROY_RESOURCE, destroy_resource, .resource_handle = 1);
    seed_submit(0);
}

static void texture(uint32_t handle, uint32_t format, uint32_t alloc)
{
    PACKET(CREATE_TEXTURE2D, create_texture2d, .texture_handle = handle, .format = format, .width = 20,
           .height = 12, .mip_levels = 3, .array_layers = 2, .row_pitch_bytes = alloc != 0 ? 128 : 0,
           .backing_alloc_id = alloc);
}

/* Every format: with and without backing, uploaded, copied with write-back, cleared if it can be a target. */
static void formats(void)
{
    static const uint8_t all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 32, 33, 64, 65, 66, 67, 68, 69, 70, 71};
    char name[32] = "format-0000";

    for (size_t i = 0; i < sizeof all; i++) {
        const bool depth = all[i] >= 32 && all[i] < 64;

        name[7] = (char)('a' + i);
        name[8] = '\0';
        seed_begin("stream", name);
        seed_alloc(1, 0, 0x100, 0x8000);
        texture(1, all[i], 0);
        texture(2, all[i], 1);
        PACKET_WITH(words, sizeof words, UPLOAD_RESOURCE, upload_resource, .resource_handle = 1,
                    .offset_bytes = 3, .size_bytes = sizeof words);
        PACKET(COPY_TEXTURE2D, copy_texture2d, .dst_texture = 2, .src_texture = 1, .dst_x = 4, .width = 8,
               .height = 12, .flags = AEROGPU_COPY_FLAG_WRITEBACK_DST);
        PACKET(COPY_TEXTURE2D, copy_texture2d, .dst_texture = 2, .src_texture = 1, .dst_mip_level = 1,
               .src_mip_level = 1, .dst_array_layer = 1, .width = 10, .height = 6,
               .flags = AEROGPU_COPY_FLAG_WRITEBACK_DST);
        PACKET(CREATE_TEXTURE_VIEW, create_texture_view, .view_handle = 3, .texture_handle = 1,
               .format = all[i], .base_mip_level = 1, .mip_level_count = 2, .base_array_layer = 1,
               .array_layer_count = 1);
        PACKET(SET_RENDER_TARGETS, set_render_targets, .color_count = depth ? 0 : 2,
               .depth_stencil = depth ? 1 : 0, .colors = {depth ? 0u : 1u, 0u});
        PACKET(CLEAR, clear, .flags = 7, .color_rgba_f32 = {0x3F000000, 0x3F800000, 0, 0x3E800000},
               .depth_f32 = 0x3F000000, .stencil = 0x5A);
        PACKET(SET_RENDER_TARGETS, set_render_targets, .color_count = depth ? 0 : 1,
               .depth_stencil = depth ? 3 : 0, .colors = {depth ? 0u : 3u});
        PACKET(CLEAR, clear, .flags = AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_COLOR,
               .color_rgba_f32 = {0x7FC00000, 0xBF800000, 0x3C000000, 0x3F800000});
        seed_submit(0);
        PACKET(CLEAR, clear, .flags = AEROGPU_CLEAR_STENCIL, .stencil = 3);
        PACKET(DESTROY_TEXTURE_VIEW, destroy_texture_view, .view_handle = 3);
        PACKET(CREATE_TEXTURE2D, create_texture2d, .texture_handle = 1, .format = all[i], .width = 20,
               .height = 12, .mip_levels = 3, .array_layers = 2, .row_pitch_bytes = 128,
               .backing_alloc_id = 1); /* pitch differs from the live one: refused */
        seed_submit(0);
    }
}

/* Objects destroyed while something still refers to them. */
static void destroyed_while_bound(void)
{
    seed_begin("stream", "destroyed-while-bound");
    texture(1, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 2, .size_bytes = 64);
    PACKET(CREATE_TEXTURE_VIEW, create_texture_view, .view_handle = 3, .texture_handle = 1,
           .format = AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, .mip_level_count = 1, .array_layer_count = 1);
    PACKET(EXPORT_SHARED_SURFACE, export_shared_surface, .resource_handle = 1, .share_token = 5);
    PACKET(IMPORT_SHARED_SURFACE, import_shared_surface, .out_resource_handle = 4, .share_token = 5);
    PACKET(SET_RENDER_TARGETS, set_render_targets, .color_count = 3, .colors = {3, 4, 1});
    PACKET(SET_TEXTURE, set_texture, .shader_stage = 1, .slot = 0, .texture = 4);
    PACKET(SET_TEXTURE, set_texture, .shader_stage = 0, .slot = 127, .texture = 2);
    PACKET(SET_TEXTURE, set_texture, .shader_stage = 2, .slot = 1, .texture = 3);
    const struct aerogpu_constant_buffer_binding binding = {.buffer = 2, .size_bytes = 32};
    PACKET_WITH(&binding, sizeof binding, SET_CONSTANT_BUFFERS, set_constant_buffers, .buffer_count = 1);
    PACKET_WITH(&binding, sizeof binding, SET_SHADER_RESOURCE_BUFFERS, set_shader_resource_buffers,
                .start_slot = 4, .buffer_count = 1);
    PACKET_WITH(&binding, sizeof binding, SET_UNORDERED_ACCESS_BUFFERS, set_unordered_access_buffers,
                .shader_stage = 2, .uav_count = 1);
    const struct aerogpu_vertex_buffer_binding vertices = {.buffer = 2, .stride_bytes = 16};
    PACKET_WITH(&vertices, sizeof vertices, SET_VERTEX_BUFFERS, set_vertex_buffers, .buffer_count = 1);
    PACKET(SET_INDEX_BUFFER, set_index_buffer, .buffer = 2);
    PACKET(DESTROY_RESOURCE, destroy_resource, .resource_handle = 1); /* its alias keeps the resource */
    PACKET(CLEAR, clear, .flags = AEROGPU_CLEAR_COLOR);
    seed_submit(0);
    PACKET(DESTROY_RESOURCE, destroy_resource, .resource_handle = 2);
    PACKET(DESTROY_RESOURCE, destroy_resource, .resource_handle = 4);
    PACKET(CLEAR, clear, .flags = AEROGPU_CLEAR_COLOR);
    seed_submit(0);
    PACKET(DESTROY_TEXTURE_VIEW, destroy_texture_view, .view_handle = 3);
    texture(1, AEROGPU_FORMAT_B8G8R8A8_UNORM, 0);
    PACKET(IMPORT_SHARED_SURFACE, import_shared_surface, .out_resource_handle = 4, .share_token = 5);
    seed_submit(0);
    seed_record(FUZZ_OP_RESET, 0, NULL, 0);
}

static void shared_surfaces(void)
{
    seed_begin("stream", "shared-surfaces");
    texture(1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0);
    for (uint32_t i = 0; i < 40; i++) {
        PACKET(EXPORT_SHARED_SURFACE, export_shared_surface, .resource_handle = 1, .share_token = 100 + i);
        PACKET(IMPORT_SHARED_SURFACE, import_shared_surface, .out_resource_handle = 200 + i,
               .share_token = 100 + i);
        PACKET(RELEASE_SHARED_SURFACE, release_shared_surface, .share_token = 90 + i);
    }
    PACKET(DESTROY_RESOURCE, destroy_resource, .resource_handle = 1);
    for (uint32_t i = 0; i < 40; i++) {
        PACKET(DESTROY_RESOURCE, destroy_resource, .resource_handle = 200 + i);
    }
    texture(1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0);
    seed_submit(0);
    PACKET(EXPORT_SHARED_SURFACE, export_shared_surface, .resource_handle = 1, .share_token = 100);
    seed_submit(0);
    texture(1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0);
    PACKET(EXPORT_SHARED_SURFACE, export_shared_surface, .resource_handle = 1, .share_token = 900);
    PACKET(IMPORT_SHARED_SURFACE, import_shared_surface, .out_resource_handle = 1, .share_token = 900);
    PACKET(IMPORT_SHARED_SURFACE, import_shared_surface, .out_resource_handle = 0, .share_token = 900);
    seed_submit(0);
}

/* Sizes at the limits of arithmetic and of the device's memory. */
static void limits(void)
{
    seed_begin("stream-slow", "limits");
    seed_alloc(1, 0, 0, UINT32_MAX);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 1, .size_bytes = UINT64_MAX - 3);
    seed_submit(0);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 1, .size_bytes = UINT32_MAX - 3,
           .backing_alloc_id = 1);
    seed_submit(0);
    for (uint32_t handle = 1; handle < 6; handle++) {
        PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = handle, .size_bytes = 256u << 20);
    }
    seed_submit(0);
    PACKET(CREATE_TEXTURE2D, create_texture2d, .texture_handle = 9, .format = 1, .width = UINT32_MAX,
           .height = UINT32_MAX, .mip_levels = 32, .array_layers = UINT32_MAX);
    seed_submit(0);
    PACKET(CREATE_TEXTURE2D, create_texture2d, .texture_handle = 9, .format = 70, .width = 65536,
           .height = 65536, .mip_levels = 17, .array_layers = UINT32_MAX, .row_pitch_bytes = UINT32_MAX);
    seed_submit(0);
    PACKET(RESOURCE_DIRTY_RANGE, resource_dirty_range, .resource_handle = 1, .offset_bytes = UINT64_MAX,
           .size_bytes = UINT64_MAX);
    PACKET(UPLOAD_RESOURCE, upload_resource, .resource_handle = 1, .size_bytes = UINT64_MAX);
    seed_submit(0);
    PACKET(COPY_BUFFER, copy_buffer, .dst_buffer = 1, .src_buffer = 2, .dst_offset_bytes = UINT64_MAX - 3,
           .size_bytes = 8);
    seed_submit(0);
}

void seeds_of_resources(void)
{
    buffers();
    formats();
    destroyed_while_bound();
    shared_surfaces();
    limits();
}
