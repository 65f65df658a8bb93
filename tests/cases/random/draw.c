/* draw.c: generates random scenes. Mostly keeps the state that earlier scenes have set. */
#include "tests/cases/random/draw.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/resource.h"
#include "tests/cases/random/state.h"
#include "tests/shaders/shaders.h"

#define VERTICES    16u
#define STRIDE      32u /* bytes of a vertex: position, and 16 more */
#define POSITION    0x7808E88Au
#define COLOR       0xE7C308F8u
#define TEXCOORD    0x0BC45413u
#define RGBA32F     2u
#define RG32F       16u
#define RGBA8       28u
#define RGBA8UI     30u
#define RGBA32UI    3u
#define BUFFER_SIZE 1024u

/* The inputs of a vertex shader, and the pixel shaders that match its outputs. */
enum reads { READS_NOTHING, READS_POSITION, READS_COLOR, READS_NUMBERS, READS_TEXTURE, READS_MATRIX };
struct vertex_shader {
    const struct agpu_shader_blob *blob;
    enum reads reads;
    bool coordinates; /* outputs texture coordinates, else a colour */
};

static const struct vertex_shader vertex_shaders[] = {
    {&agpu_vs_color_4_0, READS_COLOR, false},          {&agpu_vs_color_5_0, READS_COLOR, false},
    {&agpu_vs_vertex_id_4_0, READS_NOTHING, false},    {&agpu_vs_table_4_0, READS_NOTHING, false},
    {&agpu_vs_instance_id_4_0, READS_POSITION, false}, {&agpu_vs_uint_input_4_0, READS_NUMBERS, false},
    {&agpu_vs_transform_4_0, READS_MATRIX, false},     {&agpu_vs_textured_4_0, READS_TEXTURE, true},
    {&agpu_vs_textured_5_0, READS_TEXTURE, true},
};

static const struct agpu_shader_blob *const color_shaders[] = {
    &agpu_ps_color_4_0,  &agpu_ps_color_5_0,   &agpu_ps_constant_4_0,
    &agpu_ps_depth_4_0,  &agpu_ps_discard_4_0, &agpu_ps_load_4_0,
    &agpu_ps_buffer_4_0, &agpu_ps_integer_4_0, &agpu_ps_targets_4_0,
};
static const struct agpu_shader_blob *const coordinate_shaders[] = {
    &agpu_ps_textured_4_0, &agpu_ps_textured_5_0, &agpu_ps_two_textures_4_0, &agpu_ps_array_4_0};

static uint32_t number_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t put_buffer(struct agpu_gen *g, uint32_t size, bool random)
{
    const uint32_t handle = agpu_gen_resource_handle(g);
    struct aerogpu_cmd_create_buffer *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);
    struct aerogpu_cmd_upload_resource *upload;

    create->buffer_handle = handle;
    create->usage_flags = 0xFF;
    create->size_bytes = size;
    if (random) {
        upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, size);
        upload->resource_handle = handle;
        upload->size_bytes = size;
        agpu_gen_pattern((uint8_t *)(upload + 1), size, agpu_gen_random_u64(&g->random));
    }
    return handle;
}

static uint32_t send_texture(struct agpu_gen *g, uint32_t format, uint32_t width, uint32_t height,
                             uint32_t layers)
{
    const uint32_t handle = agpu_gen_resource_handle(g);
    struct aerogpu_cmd_create_texture2d *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);

    create->texture_handle = handle;
    create->usage_flags = 0xFF;
    create->format = format;
    create->width = width;
    create->height = height;
    create->mip_levels = 1;
    create->array_layers = layers;
    return handle;
}

static uint32_t put_image(struct agpu_gen *g)
{
    const uint32_t layers = agpu_gen_between(g, 1, 3), bytes = 8 * 8 * 4 * layers;
    const uint32_t handle = send_texture(g, agpu_gen_between(g, 1, 4), 8, 8, layers);
    struct aerogpu_cmd_upload_resource *upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, bytes);

    upload->resource_handle = handle;
    upload->size_bytes = bytes;
    agpu_gen_pattern((uint8_t *)(upload + 1), bytes, agpu_gen_random_u64(&g->random));
    return handle;
}

static uint32_t put_shader(struct agpu_gen *g, uint32_t stage, const struct agpu_shader_blob *blob)
{
    const uint32_t handle = agpu_gen_new_handle(g);
    struct aerogpu_cmd_create_shader_dxbc *packet =
        agpu_gen_packet_with(g, AEROGPU_CMD_CREATE_SHADER_DXBC, blob->size_bytes);

    packet->shader_handle = handle;
    packet->stage = stage;
    packet->dxbc_size_bytes = blob->size_bytes;
    memcpy(packet + 1, blob->words, blob->size_bytes);
    return handle;
}

/* ---- input ---- */

static void put_vertices(struct agpu_gen *g, enum reads reads)
{
    const uint32_t offset = agpu_gen_one_in(g, 2) ? 0 : 4 * agpu_gen_below(g, 16),
                   size = offset + VERTICES * STRIDE;
    const uint32_t buffer = put_buffer(g, size, false);
    struct aerogpu_cmd_upload_resource *upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, size);
    uint32_t *words = (void *)(upload + 1);
    struct aerogpu_cmd_set_vertex_buffers *set;
    struct aerogpu_vertex_buffer_binding *binding;

    upload->resource_handle = buffer;
    upload->size_bytes = size;
    words += offset / 4;
    for (uint32_t i = 0; i < VERTICES; i++, words += STRIDE / 4) {
        for (uint32_t axis = 0; axis < 2; axis++) { /* on a grid that extends beyond the target */
            words[axis] = number_bits((float)((int32_t)agpu_gen_below(g, 13) - 6) / 4.0f);
        }
        words[2] = number_bits((float)agpu_gen_below(g, 9) / 8.0f);
        words[3] = number_bits(1.0f);
        for (uint32_t part = 4; part < 8; part++) {
            words[part] = reads == READS_NUMBERS ? (uint32_t)agpu_gen_random_u64(&g->random)
                                                 : number_bits((float)agpu_gen_below(g, 17) / 16.0f);
        }
    }
    set = agpu_gen_packet_with(g, AEROGPU_CMD_SET_VERTEX_BUFFERS, sizeof *binding);
    binding = (void *)(set + 1);
    set->buffer_count = 1;
    set->start_slot = 0;
    binding->buffer = buffer;
    binding->stride_bytes = STRIDE;
    binding->offset_bytes = offset;
}

static void put_layout(struct agpu_gen *g, enum reads reads)
{
    const uint32_t handle = agpu_gen_new_handle(g), count = reads == READS_POSITION ? 1 : 2;
    struct aerogpu_input_layout_element_dxgi *elements = agpu_gen_input_layout(g, handle, count);
    struct aerogpu_cmd_set_input_layout *set;

    elements[0] =
        (struct aerogpu_input_layout_element_dxgi){.semantic_name_hash = POSITION, .dxgi_format = RGBA32F};
    if (count == 2) {
        elements[1].semantic_name_hash = reads == READS_TEXTURE ? TEXCOORD : COLOR;
        elements[1].dxgi_format = reads == READS_TEXTURE   ? RG32F
                                  : reads == READS_NUMBERS ? (agpu_gen_one_in(g, 2) ? RGBA8UI : RGBA32UI)
                                  : agpu_gen_one_in(g, 2)  ? RGBA8
                                                           : RGBA32F;
        elements[1].aligned_byte_offset = agpu_gen_one_in(g, 3) ? UINT32_MAX : 16;
    }
    set = agpu_gen_packet(g, AEROGPU_CMD_SET_INPUT_LAYOUT);
    set->input_layout_handle = handle;
}

static void put_indices(struct agpu_gen *g)
{
    const bool wide = agpu_gen_one_in(g, 2);
    const uint32_t first = 4 * agpu_gen_below(g, 8), size = first + (wide ? 128 : 64);
    const uint32_t buffer = put_buffer(g, size, false);
    struct aerogpu_cmd_upload_resource *upload = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, size);
    struct aerogpu_cmd_set_index_buffer *set;
    uint8_t *bytes = (uint8_t *)(upload + 1) + first;
    const uint32_t width = wide ? 4 : 2;

    upload->resource_handle = buffer;
    upload->size_bytes = size;
    for (uint32_t i = 0; i < 32; i++) {
        const uint32_t index = agpu_gen_one_in(g, 16) ? UINT32_MAX : agpu_gen_below(g, VERTICES);

        memcpy(bytes + i * width, &index, width);
    }
    set = agpu_gen_packet(g, AEROGPU_CMD_SET_INDEX_BUFFER);
    set->buffer = buffer;
    set->format = wide ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16;
    set->offset_bytes = first;
}

/* ---- slots ---- */

static void bind_buffer(struct agpu_gen *g, uint32_t opcode, uint32_t stage, uint32_t slot, uint32_t buffer,
                        uint32_t offset)
{
    struct aerogpu_cmd_set_constant_buffers *packet =
        agpu_gen_packet_with(g, opcode, sizeof(struct aerogpu_constant_buffer_binding));
    struct aerogpu_constant_buffer_binding *binding = (void *)(packet + 1);

    packet->shader_stage = stage;
    packet->start_slot = slot;
    packet->buffer_count = 1;
    binding->buffer = buffer;
    binding->offset_bytes = offset;
    binding->reserved0 = opcode == AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS ? UINT32_MAX : 0;
}

/* Mostly numbers between 0 and 1. */
static void put_constants(struct agpu_gen *g, uint32_t stage)
{
    const uint32_t count = 8;
    uint32_t values[32];

    for (uint32_t i = 0; i < 32; i++) {
        values[i] = number_bits((float)agpu_gen_below(g, 9) / 8.0f);
    }
    if (agpu_gen_one_in(g, 2)) {
        struct aerogpu_cmd_set_shader_constants_f *packet =
            agpu_gen_packet_with(g, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, count * 16);

        packet->stage = stage;
        packet->vec4_count = count;
        memcpy(packet + 1, values, sizeof values);
    } else {
        const uint32_t offset = 256 * agpu_gen_below(g, 2),
                       buffer = put_buffer(g, 256 + sizeof values, false);
        struct aerogpu_cmd_upload_resource *upload =
            agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, sizeof values);

        upload->resource_handle = buffer;
        upload->offset_bytes = offset;
        upload->size_bytes = sizeof values;
        memcpy(upload + 1, values, sizeof values);
        bind_buffer(g, AEROGPU_CMD_SET_CONSTANT_BUFFERS, stage, agpu_gen_below(g, 2), buffer, offset);
    }
}

static void put_textures(struct agpu_gen *g)
{
    for (uint32_t slot = 0; slot < 4; slot++) {
        struct aerogpu_cmd_set_texture *set;
        struct aerogpu_cmd_create_sampler *sampler;
        struct aerogpu_cmd_set_samplers *samplers;
        uint32_t image, handle;

        if (slot > 0 && agpu_gen_one_in(g, 2)) {
            continue;
        }
        image = put_image(g);
        set = agpu_gen_packet(g, AEROGPU_CMD_SET_TEXTURE);
        set->shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
        set->slot = slot;
        set->texture = image;
        handle = agpu_gen_new_handle(g);
        sampler = agpu_gen_packet(g, AEROGPU_CMD_CREATE_SAMPLER);
        sampler->sampler_handle = handle;
        sampler->filter = agpu_gen_below(g, 2);
        sampler->address_u = agpu_gen_below(g, 3);
        sampler->address_v = agpu_gen_below(g, 3);
        samplers = agpu_gen_packet_with(g, AEROGPU_CMD_SET_SAMPLERS, 4);
        samplers->shader_stage = AEROGPU_SHADER_STAGE_PIXEL;
        samplers->start_slot = slot;
        samplers->sampler_count = 1;
        memcpy(samplers + 1, &handle, sizeof handle);
    }
}

/* ---- scenes ---- */

static void put_rectangles(struct agpu_gen *g, uint32_t width, uint32_t height)
{
    if (agpu_gen_one_in(g, 2)) {
        struct aerogpu_cmd_set_viewport *viewport = agpu_gen_packet(g, AEROGPU_CMD_SET_VIEWPORT);

        viewport->x_f32 = number_bits((float)agpu_gen_below(g, width));
        viewport->y_f32 = number_bits((float)agpu_gen_below(g, height));
        viewport->width_f32 = number_bits((float)agpu_gen_between(g, 0, width));
        viewport->height_f32 = number_bits((float)agpu_gen_between(g, 0, height));
        viewport->min_depth_f32 = number_bits((float)agpu_gen_below(g, 3) / 4.0f);
        viewport->max_depth_f32 = number_bits(1.0f);
    } else if (agpu_gen_one_in(g, 2)) {
        agpu_gen_packet(g, AEROGPU_CMD_SET_VIEWPORT); /* zeros: none */
    }
    if (agpu_gen_one_in(g, 2)) {
        struct aerogpu_cmd_set_scissor *scissor = agpu_gen_packet(g, AEROGPU_CMD_SET_SCISSOR);

        scissor->x = (int32_t)agpu_gen_below(g, width) - 4;
        scissor->y = (int32_t)agpu_gen_below(g, height) - 4;
        scissor->width = (int32_t)agpu_gen_below(g, width + 2);
        scissor->height = (int32_t)agpu_gen_below(g, height + 2);
    }
}

static void put_draw(struct agpu_gen *g)
{
    struct aerogpu_cmd_set_primitive_topology *topology =
        agpu_gen_packet(g, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY);

    topology->topology = agpu_gen_one_in(g, 3)
                             ? agpu_gen_between(g, AEROGPU_TOPOLOGY_POINTLIST, AEROGPU_TOPOLOGY_TRIANGLEFAN)
                         : agpu_gen_one_in(g, 2) ? AEROGPU_TOPOLOGY_TRIANGLELIST
                                                 : AEROGPU_TOPOLOGY_TRIANGLESTRIP;
    if (agpu_gen_one_in(g, 3)) {
        struct aerogpu_cmd_draw_indexed *draw = agpu_gen_packet(g, AEROGPU_CMD_DRAW_INDEXED);

        draw->index_count = agpu_gen_between(g, 3, 24);
        draw->instance_count = agpu_gen_between(g, 1, 3);
        draw->first_index = agpu_gen_below(g, 8);
        draw->base_vertex = (int32_t)agpu_gen_below(g, 5) - 2;
        draw->first_instance = agpu_gen_below(g, 2);
    } else {
        struct aerogpu_cmd_draw *draw = agpu_gen_packet(g, AEROGPU_CMD_DRAW);

        draw->vertex_count = agpu_gen_between(g, 3, 12);
        draw->instance_count = agpu_gen_between(g, 1, 3);
        draw->first_vertex = agpu_gen_below(g, 6);
        draw->first_instance = agpu_gen_below(g, 2);
    }
}

/* Copies the whole texture into the read-back memory. */
static void send_read(struct agpu_gen *g, uint32_t texture, uint32_t format, uint32_t bytes, uint32_t width,
                      uint32_t height, uint32_t place)
{
    const uint32_t handle = agpu_gen_resource_handle(g), pitch = width * bytes;
    struct aerogpu_cmd_create_texture2d *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);
    struct aerogpu_cmd_copy_texture2d *copy;
    struct aerogpu_cmd_destroy_resource *destroy;

    create->texture_handle = handle;
    create->format = format;
    create->width = width;
    create->height = height;
    create->mip_levels = create->array_layers = 1;
    create->row_pitch_bytes = pitch;
    create->backing_alloc_id = 0xFFFFFD00u;
    create->backing_offset_bytes = place;
    copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);
    copy->dst_texture = handle;
    copy->src_texture = texture;
    copy->width = width;
    copy->height = height;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    destroy = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);
    destroy->resource_handle = handle;
    agpu_gen_retire(g, handle);
}

static void put_read_entry(struct agpu_gen *g)
{
    agpu_gen_entry_add(g->program,
                       &(struct agpu_gen_entry){.id = 0xFFFFFD00u, .region = 3, .size = AGPU_GEN_READ_BACK});
}

/* A new pipeline must be compiled, which takes longer than a hundred draws. So most scenes use one of a fixed set,
 * with data of their own, and a few are new. */
#define PIPELINES   256u
#define NEW_ONCE_IN 16u

/* Exchanges the random numbers of the scene with those of its pipeline. */
static void swap_random(struct agpu_gen *g, struct agpu_gen_random *with)
{
    const struct agpu_gen_random own = g->random;

    g->random = *with;
    *with = own;
}

static void put_scene(struct agpu_gen *g, struct agpu_gen_random *pipeline)
{
    static const uint32_t formats[] = {1, 2, 3, 4, 7, 9, 5, 6};
    const struct vertex_shader *vertex =
        &vertex_shaders[agpu_gen_random_below(pipeline, sizeof vertex_shaders / sizeof *vertex_shaders)];
    const struct agpu_shader_blob *pixel = vertex->coordinates
                                               ? coordinate_shaders[agpu_gen_random_below(pipeline, 4)]
                                               : color_shaders[agpu_gen_random_below(pipeline, 9)];
    const uint32_t format = formats[agpu_gen_random_below(pipeline, 8)],
                   bytes = format == 5 || format == 6 ? 2 : 4;
    const uint32_t width = agpu_gen_between(g, 4, 24), height = agpu_gen_between(g, 4, 24);
    const uint32_t targets =
        agpu_gen_random_one_in(pipeline, 4) ? agpu_gen_random_between(pipeline, 2, 4) : 1;
    uint32_t colors[4], depth = 0, depth_format = 0, shaders[2];
    struct aerogpu_cmd_set_render_targets *set;
    struct aerogpu_cmd_bind_shaders *bind;
    struct aerogpu_cmd_clear *clear;

    agpu_gen_close(g, true);
    agpu_gen_open(g);
    put_read_entry(g);
    for (uint32_t i = 0; i < targets; i++) {
        colors[i] = send_texture(g, format, width, height, 1);
    }
    if (agpu_gen_random_one_in(pipeline, 2)) {
        depth_format =
            agpu_gen_random_one_in(pipeline, 2) ? AEROGPU_FORMAT_D24_UNORM_S8_UINT : AEROGPU_FORMAT_D32_FLOAT;
        depth = send_texture(g, depth_format, width, height, 1);
    }
    set = agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS);
    set->color_count = targets;
    set->depth_stencil = depth;
    memcpy(set->colors, colors, targets * sizeof colors[0]);
    clear = agpu_gen_packet(g, AEROGPU_CMD_CLEAR);
    clear->flags = 7;
    for (uint32_t i = 0; i < 4; i++) {
        clear->color_rgba_f32[i] = number_bits((float)agpu_gen_below(g, 3) / 2.0f);
    }
    clear->depth_f32 = number_bits((float)agpu_gen_below(g, 5) / 4.0f);
    shaders[0] = put_shader(g, AEROGPU_SHADER_STAGE_VERTEX, vertex->blob);
    shaders[1] = put_shader(g, AEROGPU_SHADER_STAGE_PIXEL, pixel);
    bind = agpu_gen_packet(g, AEROGPU_CMD_BIND_SHADERS);
    bind->vs = shaders[0];
    bind->ps = shaders[1];
    if (vertex->reads != READS_NOTHING) {
        swap_random(g, pipeline);
        put_layout(g, vertex->reads);
        swap_random(g, pipeline);
        put_vertices(g, vertex->reads);
    }
    put_indices(g);
    swap_random(g, pipeline);
    put_textures(g);
    swap_random(g, pipeline);
    put_constants(g, AEROGPU_SHADER_STAGE_PIXEL);
    put_constants(g, AEROGPU_SHADER_STAGE_VERTEX);
    if (pixel == &agpu_ps_buffer_4_0) {
        bind_buffer(g, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, AEROGPU_SHADER_STAGE_PIXEL, 0,
                    put_buffer(g, BUFFER_SIZE, true), 0);
    }
    for (uint32_t count = agpu_gen_random_between(pipeline, 1, 4); count > 0; count--) {
        swap_random(g, pipeline);
        for (uint32_t states = agpu_gen_below(g, 4); states > 0; states--) {
            agpu_gen_fixed(g);
        }
        swap_random(g, pipeline);
        put_rectangles(g, width, height);
        swap_random(g, pipeline);
        put_draw(g);
        swap_random(g, pipeline);
    }
    for (uint32_t i = 0; i < targets; i++) {
        send_read(g, colors[i], format, bytes, width, height, i * 4096);
    }
    if (depth != 0) {
        send_read(g, depth, depth_format, 4, width, height, targets * 4096);
    }
    agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS);
    memset(g->colors, 0, sizeof g->colors);
    g->depth = 0;
    agpu_gen_close(g, true);
}

void agpu_gen_scene(struct agpu_gen *g)
{
    struct agpu_gen_random pipeline = {.state = agpu_gen_one_in(g, NEW_ONCE_IN)
                                                    ? agpu_gen_random_u64(&g->random)
                                                    : agpu_gen_below(g, PIPELINES)};

    if (g->plan.draws) {
        put_scene(g, &pipeline);
    }
}

void agpu_gen_compute(struct agpu_gen *g)
{
    static const struct agpu_shader_blob *const blobs[] = {&agpu_cs_fill_4_0, &agpu_cs_scale_4_0,
                                                           &agpu_cs_structured_4_0, &agpu_cs_count_5_0};
    struct aerogpu_cmd_bind_shaders *bind;
    struct aerogpu_cmd_dispatch *dispatch;
    struct aerogpu_cmd_create_buffer *create;
    struct aerogpu_cmd_copy_buffer *copy;
    struct aerogpu_cmd_destroy_resource *destroy;
    uint32_t results[4], shader;

    if (!g->plan.draws) {
        return;
    }
    agpu_gen_close(g, true);
    agpu_gen_open(g);
    put_read_entry(g);
    shader = put_shader(g, AEROGPU_SHADER_STAGE_COMPUTE, blobs[agpu_gen_below(g, 4)]);
    bind = agpu_gen_packet(g, AEROGPU_CMD_BIND_SHADERS);
    bind->cs = shader;
    for (uint32_t i = 0; i < 4; i++) {
        results[i] = put_buffer(g, BUFFER_SIZE, agpu_gen_one_in(g, 2));
        bind_buffer(g, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, AEROGPU_SHADER_STAGE_COMPUTE, i, results[i],
                    agpu_gen_one_in(g, 2) ? 0 : 16 * agpu_gen_below(g, 8));
    }
    for (uint32_t i = 0; i < 3; i += 2) {
        const uint32_t offset = 16 * agpu_gen_below(g, 4), buffer = put_buffer(g, BUFFER_SIZE, true);

        bind_buffer(g, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, AEROGPU_SHADER_STAGE_COMPUTE, i, buffer,
                    offset);
    }
    put_constants(g, AEROGPU_SHADER_STAGE_COMPUTE);
    dispatch = agpu_gen_packet(g, AEROGPU_CMD_DISPATCH);
    dispatch->group_count_x = agpu_gen_between(g, 1, 4);
    dispatch->group_count_y = agpu_gen_between(g, 1, 2);
    dispatch->group_count_z = agpu_gen_between(g, 1, 2);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t handle = agpu_gen_resource_handle(g);

        create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);
        create->buffer_handle = handle;
        create->size_bytes = BUFFER_SIZE;
        create->backing_alloc_id = 0xFFFFFD00u;
        create->backing_offset_bytes = i * BUFFER_SIZE;
        copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_BUFFER);
        copy->dst_buffer = handle;
        copy->src_buffer = results[i];
        copy->size_bytes = BUFFER_SIZE;
        copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
        destroy = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);
        destroy->resource_handle = handle;
        agpu_gen_retire(g, handle);
    }
    agpu_gen_close(g, true);
}
