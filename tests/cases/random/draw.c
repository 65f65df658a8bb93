/* draw.c: generates random scenes. Mostly keeps the state that earlier scenes have set. */
#include "tests/cases/random/draw.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/input.h"
#include "tests/cases/random/state.h"
#include "tests/shaders/shaders.h"

#define BUFFER_SIZE 1024u
#define PIXEL       AEROGPU_SHADER_STAGE_PIXEL

/* The inputs of a vertex shader, and the pixel shaders that match its outputs. */
struct vertex_shader {
    const struct agpu_shader_blob *blob;
    enum agpu_gen_reads reads;
    bool coordinates; /* outputs texture coordinates, else a colour */
};

static const struct vertex_shader vertex_shaders[] = {
    {&agpu_vs_color_4_0, AGPU_GEN_READS_COLOR, false},
    {&agpu_vs_color_5_0, AGPU_GEN_READS_COLOR, false},
    {&agpu_vs_vertex_id_4_0, AGPU_GEN_READS_NOTHING, false},
    {&agpu_vs_table_4_0, AGPU_GEN_READS_NOTHING, false},
    {&agpu_vs_instance_id_4_0, AGPU_GEN_READS_POSITION, false},
    {&agpu_vs_uint_input_4_0, AGPU_GEN_READS_NUMBERS, false},
    {&agpu_vs_transform_4_0, AGPU_GEN_READS_MATRIX, false},
    {&agpu_vs_textured_4_0, AGPU_GEN_READS_TEXTURE, true},
    {&agpu_vs_textured_5_0, AGPU_GEN_READS_TEXTURE, true},
};

static const struct agpu_shader_blob *const color_shaders[] = {
    &agpu_ps_color_4_0,  &agpu_ps_color_5_0,   &agpu_ps_constant_4_0,
    &agpu_ps_depth_4_0,  &agpu_ps_discard_4_0, &agpu_ps_load_4_0,
    &agpu_ps_buffer_4_0, &agpu_ps_integer_4_0, &agpu_ps_targets_4_0,
};
static const struct agpu_shader_blob *const coordinate_shaders[] = {
    &agpu_ps_textured_4_0, &agpu_ps_textured_5_0, &agpu_ps_two_textures_4_0, &agpu_ps_array_4_0};

/* ---- scenes ---- */

static void put_rectangles(struct agpu_gen *g, uint32_t width, uint32_t height)
{
    if (agpu_gen_one_in(g, 2)) {
        struct aerogpu_cmd_set_viewport *viewport = agpu_gen_packet(g, AEROGPU_CMD_SET_VIEWPORT);

        viewport->x_f32 = agpu_gen_bits((float)agpu_gen_below(g, width));
        viewport->y_f32 = agpu_gen_bits((float)agpu_gen_below(g, height));
        viewport->width_f32 = agpu_gen_bits((float)agpu_gen_between(g, 0, width));
        viewport->height_f32 = agpu_gen_bits((float)agpu_gen_between(g, 0, height));
        if (agpu_gen_one_in(g, 8)) { /* up to the largest that any device draws */
            viewport->width_f32 = agpu_gen_bits((float)(agpu_gen_limit(g) % 0x2001));
        }
        viewport->min_depth_f32 = agpu_gen_bits((float)agpu_gen_below(g, 3) / 4.0f);
        viewport->max_depth_f32 = agpu_gen_bits(1.0f);
    } else if (agpu_gen_one_in(g, 2)) {
        agpu_gen_packet(g, AEROGPU_CMD_SET_VIEWPORT); /* zeros: none */
    }
    if (agpu_gen_one_in(g, 2)) {
        struct aerogpu_cmd_set_scissor *scissor = agpu_gen_packet(g, AEROGPU_CMD_SET_SCISSOR);

        scissor->x = (int32_t)agpu_gen_below(g, width) - 4;
        scissor->y = (int32_t)agpu_gen_below(g, height) - 4;
        scissor->width = (int32_t)agpu_gen_below(g, width + 2);
        scissor->height = (int32_t)agpu_gen_below(g, height + 2);
        if (agpu_gen_one_in(g, 8)) {
            scissor->width = (int32_t)agpu_gen_limit(g);
            scissor->x = (int32_t)agpu_gen_limit(g);
        }
    }
}

/* System values count from the start of the draw on some devices: mostly starts at 0 for shaders that read them. */
static void put_draw(struct agpu_gen *g, enum agpu_gen_reads reads)
{
    static const uint8_t topologies[] = {4, 5, 6, 4, 5, 6, 1, 2, 3};
    const bool whole = reads == AGPU_GEN_READS_NOTHING && !agpu_gen_one_in(g, 4);
    const bool start = whole || (reads == AGPU_GEN_READS_POSITION && !agpu_gen_one_in(g, 4));
    struct aerogpu_cmd_set_primitive_topology *topology =
        agpu_gen_packet(g, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY);

    topology->topology = topologies[agpu_gen_field(g, AGPU_GEN_TOPOLOGY, sizeof topologies)];
    if (!whole && agpu_gen_one_in(g, 3)) {
        struct aerogpu_cmd_draw_indexed *draw = agpu_gen_packet(g, AEROGPU_CMD_DRAW_INDEXED);

        draw->index_count = agpu_gen_between(g, 3, 24);
        draw->instance_count = agpu_gen_between(g, 1, 3);
        draw->first_index = start ? 0 : agpu_gen_below(g, 8);
        draw->base_vertex = start ? 0 : agpu_gen_one_in(g, 8) ? -1 : (int32_t)agpu_gen_below(g, 3);
        draw->first_instance = start ? 0 : agpu_gen_below(g, 2);
    } else {
        struct aerogpu_cmd_draw *draw = agpu_gen_packet(g, AEROGPU_CMD_DRAW);

        draw->vertex_count = whole ? 3 + agpu_gen_below(g, 2) : agpu_gen_between(g, 3, 12);
        draw->instance_count = agpu_gen_between(g, 1, 3);
        draw->first_vertex = start ? 0 : agpu_gen_below(g, 5);
        draw->first_instance = start ? 0 : agpu_gen_below(g, 2);
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
#define NEW_ONCE_IN 16u

/* Exchanges the random numbers of the scene with those of its pipeline. */
static void swap_random(struct agpu_gen *g, struct agpu_gen_random *with)
{
    const struct agpu_gen_random own = g->random;

    g->random = *with;
    *with = own;
}

/* Objects of a scene that are bound. */
struct scene {
    const struct vertex_shader *vertex;
    const struct agpu_shader_blob *pixel;
    uint32_t format, bytes, width, height;
    uint32_t colors[4], depth, shaders[2], image;
};

/* Changes what is bound, between two draws. */
static void put_change(struct agpu_gen *g, struct scene *scene)
{
    switch (agpu_gen_below(g, 6)) {
    case 0: /* contents of a texture; its size is that of agpu_gen_put_image() */
        agpu_gen_upload_pattern(g, scene->image, 4 * agpu_gen_below(g, 32), 128);
        break;
    case 1: { /* the same handle for another texture: its slot stays empty, or is set again */
        struct aerogpu_cmd_destroy_resource *destroy = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);
        struct aerogpu_cmd_set_texture *set;
        const bool again = agpu_gen_one_in(g, 2);

        destroy->resource_handle = scene->image;
        agpu_gen_put_image(g, scene->image);
        set = agpu_gen_packet(g, AEROGPU_CMD_SET_TEXTURE);
        set->shader_stage = PIXEL;
        set->texture = again ? scene->image : 0;
        break;
    }
    case 2: { /* copies into a bound target */
        const uint32_t from = agpu_gen_resource_handle(g);
        struct aerogpu_cmd_copy_texture2d *copy;

        agpu_gen_send_texture(g, from, scene->format, scene->width, scene->height, 1);
        agpu_gen_upload_pattern(g, from, 0, scene->width * scene->height * scene->bytes);
        copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);
        copy->dst_texture = scene->colors[0];
        copy->src_texture = from;
        copy->width = agpu_gen_between(g, 1, scene->width);
        copy->height = agpu_gen_between(g, 1, scene->height);
        break;
    }
    case 3: { /* another program under the handle of the bound pixel shader */
        const struct agpu_shader_blob *other = scene->vertex->coordinates
                                                   ? coordinate_shaders[agpu_gen_below(g, 4)]
                                                   : color_shaders[agpu_gen_below(g, 9)];

        agpu_gen_put_shader(g, scene->shaders[1], PIXEL, other);
        break;
    }
    case 4: /* constants */
        agpu_gen_put_constants(g, PIXEL);
        break;
    default:
        if (scene->vertex->reads != AGPU_GEN_READS_NOTHING) {
            agpu_gen_put_vertices(g, scene->vertex->reads);
        }
        break;
    }
}

static void destroy_retired(struct agpu_gen *g, uint32_t handle)
{
    struct aerogpu_cmd_destroy_resource *destroy = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);

    destroy->resource_handle = handle;
    agpu_gen_retire(g, handle);
}

/* Sends the objects and bindings of a scene. */
static void put_objects(struct agpu_gen *g, struct agpu_gen_random *pipeline, struct scene *scene,
                        uint32_t targets, uint32_t depth_format)
{
    struct aerogpu_cmd_set_render_targets *set;
    struct aerogpu_cmd_bind_shaders *bind;
    struct aerogpu_cmd_clear *clear;
    const enum agpu_gen_reads reads = scene->vertex->reads;

    for (uint32_t i = 0; i < targets; i++) {
        scene->colors[i] = agpu_gen_resource_handle(g);
        agpu_gen_send_texture(g, scene->colors[i], scene->format, scene->width, scene->height, 1);
    }
    if (depth_format != 0) {
        scene->depth = agpu_gen_resource_handle(g);
        agpu_gen_send_texture(g, scene->depth, depth_format, scene->width, scene->height, 1);
    }
    set = agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS);
    set->color_count = targets;
    set->depth_stencil = scene->depth;
    memcpy(set->colors, scene->colors, targets * sizeof scene->colors[0]);
    clear = agpu_gen_packet(g, AEROGPU_CMD_CLEAR);
    clear->flags = 7;
    for (uint32_t i = 0; i < 4; i++) {
        clear->color_rgba_f32[i] = agpu_gen_palette_value(g);
    }
    clear->depth_f32 = agpu_gen_bits((float)agpu_gen_below(g, 5) / 4.0f);
    scene->shaders[0] = agpu_gen_new_handle(g);
    agpu_gen_put_shader(g, scene->shaders[0], AEROGPU_SHADER_STAGE_VERTEX, scene->vertex->blob);
    scene->shaders[1] = agpu_gen_new_handle(g);
    agpu_gen_put_shader(g, scene->shaders[1], PIXEL, scene->pixel);
    bind = agpu_gen_packet(g, AEROGPU_CMD_BIND_SHADERS);
    bind->vs = scene->shaders[0];
    bind->ps = scene->shaders[1];
    if (reads != AGPU_GEN_READS_NOTHING) {
        swap_random(g, pipeline);
        agpu_gen_put_layout(g, reads);
        swap_random(g, pipeline);
        agpu_gen_put_vertices(g, reads);
    }
    agpu_gen_put_indices(g);
    swap_random(g, pipeline);
    scene->image = agpu_gen_put_textures(g);
    swap_random(g, pipeline);
    agpu_gen_put_constants(g, PIXEL);
    if (reads == AGPU_GEN_READS_MATRIX && !agpu_gen_one_in(g, 4)) {
        agpu_gen_put_transform(g);
    } else {
        agpu_gen_put_constants(g, AEROGPU_SHADER_STAGE_VERTEX);
    }
    if (scene->pixel == &agpu_ps_buffer_4_0) {
        agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, PIXEL, 0,
                             agpu_gen_put_buffer(g, BUFFER_SIZE, true), 0);
    }
}

/* The state of the first draw is a row of the covering array, that of the others differs in a few fields. */
static void put_scene(struct agpu_gen *g, struct agpu_gen_random *pipeline, uint32_t row)
{
    const struct vertex_shader *vertex =
        &vertex_shaders[agpu_gen_random_below(pipeline, sizeof vertex_shaders / sizeof *vertex_shaders)];
    struct scene scene = {.vertex = vertex};
    const uint32_t targets =
        agpu_gen_random_one_in(pipeline, 4) ? agpu_gen_random_between(pipeline, 2, 4) : 1;
    static const uint32_t depth_formats[] = {0, AEROGPU_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D32_FLOAT};
    uint32_t depth_format;

    scene.pixel = vertex->coordinates ? coordinate_shaders[agpu_gen_random_below(pipeline, 4)]
                                      : color_shaders[agpu_gen_random_below(pipeline, 9)];
    g->row = row + 1;
    scene.format = AEROGPU_FORMAT_B8G8R8A8_UNORM + agpu_gen_field(g, AGPU_GEN_COLOR_FORMAT, 10);
    depth_format = depth_formats[agpu_gen_field(g, AGPU_GEN_DEPTH_FORMAT, 3)];
    scene.bytes =
        scene.format == AEROGPU_FORMAT_B5G6R5_UNORM || scene.format == AEROGPU_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
    scene.width = agpu_gen_between(g, 4, 24);
    scene.height = agpu_gen_between(g, 4, 24);
    agpu_gen_close(g, true);
    agpu_gen_open(g);
    put_read_entry(g);
    put_objects(g, pipeline, &scene, targets, depth_format);
    agpu_gen_states(g);
    for (uint32_t count = agpu_gen_random_between(pipeline, 1, 4); count > 0; count--) {
        put_rectangles(g, scene.width, scene.height);
        put_draw(g, vertex->reads);
        g->row = 0;
        swap_random(g, pipeline);
        for (uint32_t states = agpu_gen_below(g, 3); states > 0; states--) {
            agpu_gen_fixed(g);
        }
        swap_random(g, pipeline);
        if (agpu_gen_one_in(g, 3)) {
            put_change(g, &scene);
        }
    }
    for (uint32_t i = 0; i < targets; i++) {
        send_read(g, scene.colors[i], scene.format, scene.bytes, scene.width, scene.height, i * 4096);
    }
    if (scene.depth != 0) {
        send_read(g, scene.depth, depth_format, 4, scene.width, scene.height, targets * 4096);
    }
    if (agpu_gen_one_in(g, 2)) { /* bound objects go, and their handles come back for other kinds */
        destroy_retired(g, scene.colors[0]);
        destroy_retired(g, scene.image);
    }
    agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS);
    memset(g->colors, 0, sizeof g->colors);
    g->depth = 0;
    agpu_gen_close(g, true);
}

void agpu_gen_scene(struct agpu_gen *g)
{
    const uint32_t row = agpu_gen_below(g, AGPU_GEN_ROWS);
    struct agpu_gen_random pipeline = {
        .state = agpu_gen_one_in(g, NEW_ONCE_IN) ? agpu_gen_random_u64(&g->random) : row};

    if (g->plan.draws) {
        put_scene(g, &pipeline, row);
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
    shader = agpu_gen_new_handle(g);
    agpu_gen_put_shader(g, shader, AEROGPU_SHADER_STAGE_COMPUTE, blobs[agpu_gen_below(g, 4)]);
    bind = agpu_gen_packet(g, AEROGPU_CMD_BIND_SHADERS);
    bind->cs = shader;
    for (uint32_t i = 0; i < 4; i++) {
        results[i] = agpu_gen_put_buffer(g, BUFFER_SIZE, agpu_gen_one_in(g, 2));
        agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, AEROGPU_SHADER_STAGE_COMPUTE, i,
                             results[i], agpu_gen_one_in(g, 2) ? 0 : 16 * agpu_gen_below(g, 8));
    }
    for (uint32_t i = 0; i < 3; i += 2) {
        const uint32_t offset = 16 * agpu_gen_below(g, 4), buffer = agpu_gen_put_buffer(g, BUFFER_SIZE, true);

        agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, AEROGPU_SHADER_STAGE_COMPUTE, i,
                             buffer, offset);
    }
    agpu_gen_put_constants(g, AEROGPU_SHADER_STAGE_COMPUTE);
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
