/* draw.c: generates random scenes. Mostly keeps the state that earlier scenes have set. */
#include "tests/cases/random/draw.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/input.h"
#include "tests/cases/random/state.h"
#include "tests/cases/random/vary.h"
#include "tests/shaders/shaders.h"

#define BUFFER_SIZE 1024u
#define PIXEL       AEROGPU_SHADER_STAGE_PIXEL
#define VERTEX      AEROGPU_SHADER_STAGE_VERTEX
#define COMPUTE     AEROGPU_SHADER_STAGE_COMPUTE
#define COLORS      6u
#define DEPTHS      2u
#define EDGE        12u    /* largest width and height of a target */
#define READ_BYTES  0x400u /* for one copy of a target */
#define READS       (AGPU_GEN_READ_BACK / READ_BYTES)

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
    {&agpu_vs_slots_5_0, AGPU_GEN_READS_POSITION, false},
};

/* The last three take long to compile. */
static const struct agpu_shader_blob *const color_shaders[] = {
    &agpu_ps_color_4_0,   &agpu_ps_color_5_0,         &agpu_ps_constant_4_0,      &agpu_ps_depth_4_0,
    &agpu_ps_discard_4_0, &agpu_ps_load_4_0,          &agpu_ps_buffer_4_0,        &agpu_ps_integer_4_0,
    &agpu_ps_targets_4_0, &agpu_ps_texture_slots_5_0, &agpu_ps_sampler_slots_5_0, &agpu_ps_constant_slots_5_0,
};
#define COLOR_SHADERS 12u
static const struct agpu_shader_blob *const coordinate_shaders[] = {
    &agpu_ps_textured_4_0, &agpu_ps_textured_5_0, &agpu_ps_two_textures_4_0, &agpu_ps_array_4_0};

/* ---- scenes ---- */

static void put_rectangles(struct agpu_gen *g, uint32_t width, uint32_t height)
{
    if (!agpu_gen_one_in(g, 4)) {
        struct aerogpu_cmd_set_viewport *viewport = agpu_gen_packet(g, AEROGPU_CMD_SET_VIEWPORT);

        viewport->x_f32 = agpu_gen_bits((float)agpu_gen_below(g, width / 2));
        viewport->y_f32 = agpu_gen_bits((float)agpu_gen_below(g, height / 2));
        viewport->width_f32 = agpu_gen_bits((float)agpu_gen_between(g, width / 2, width));
        viewport->height_f32 = agpu_gen_bits((float)agpu_gen_between(g, height / 2, height));
        if (agpu_gen_one_in(g, 8)) { /* up to the largest that any device draws */
            viewport->width_f32 = agpu_gen_bits((float)(agpu_gen_limit(g) % 0x2001));
        }
        viewport->min_depth_f32 = agpu_gen_bits((float)agpu_gen_below(g, 3) / 4.0f);
        viewport->max_depth_f32 = agpu_gen_bits(1.0f);
    } else if (agpu_gen_one_in(g, 2)) {
        agpu_gen_packet(g, AEROGPU_CMD_SET_VIEWPORT); /* zeros: none */
    }
    if (!agpu_gen_one_in(g, 4)) {
        struct aerogpu_cmd_set_scissor *scissor = agpu_gen_packet(g, AEROGPU_CMD_SET_SCISSOR);

        scissor->x = (int32_t)agpu_gen_below(g, width / 2 + 2) - 2;
        scissor->y = (int32_t)agpu_gen_below(g, height / 2 + 2) - 2;
        scissor->width = (int32_t)agpu_gen_between(g, width / 2, width + 2);
        scissor->height = (int32_t)agpu_gen_between(g, height / 2, height + 2);
        if (agpu_gen_one_in(g, 8)) {
            scissor->width = (int32_t)agpu_gen_limit(g);
            scissor->x = (int32_t)agpu_gen_limit(g);
        }
    }
}

/* System values count from the start of the draw on some devices: mostly starts at 0 for shaders that read them. */
static void put_draw(struct agpu_gen *g, enum agpu_gen_reads reads)
{
    const bool whole = reads == AGPU_GEN_READS_NOTHING && !agpu_gen_one_in(g, 16);
    const bool start = whole || (reads == AGPU_GEN_READS_POSITION && !agpu_gen_one_in(g, 16));
    struct aerogpu_cmd_set_primitive_topology *topology =
        agpu_gen_packet(g, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY);

    topology->topology = agpu_gen_field(g, AGPU_GEN_TOPOLOGY, 19);
    topology->topology = topology->topology == 18 ? AEROGPU_TOPOLOGY_POINTLIST + agpu_gen_below(g, 3)
                                                  : AEROGPU_TOPOLOGY_TRIANGLELIST + topology->topology % 3;
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

/* A color or depth target: a texture, or a view of the second mip and layer of a larger one. */
struct target {
    uint32_t name, texture, format, bytes, mip;
};

/* Objects of a scene. The first `bound` color targets are bound to begin with. */
struct scene {
    const struct vertex_shader *vertex;
    const struct agpu_shader_blob *pixel;
    uint32_t format, width, height;
    struct target targets[COLORS + DEPTHS];
    struct agpu_gen_names names;
    uint32_t bound, shaders[2], image;
    uint32_t first_step, reads;
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

        agpu_gen_send_texture(g, from, scene->format, scene->width, scene->height, 1, 1);
        agpu_gen_upload_pattern(g, from, 0, scene->width * scene->height * scene->targets[0].bytes);
        copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);
        copy->dst_texture = scene->targets[0].texture;
        copy->src_texture = from;
        copy->dst_mip_level = copy->dst_array_layer = scene->targets[0].mip;
        copy->width = agpu_gen_between(g, 1, scene->width);
        copy->height = agpu_gen_between(g, 1, scene->height);
        break;
    }
    case 3: { /* another program under the handle of the bound pixel shader */
        const struct agpu_shader_blob *other = scene->vertex->coordinates
                                                   ? coordinate_shaders[agpu_gen_below(g, 4)]
                                                   : color_shaders[agpu_gen_below(g, COLOR_SHADERS - 3)];

        agpu_gen_put_shader(g, scene->shaders[1], PIXEL, other);
        break;
    }
    case 4: /* constants */
        agpu_gen_put_constants(g, PIXEL, 0);
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

/* Makes a target; returns its name. */
static uint32_t put_target(struct agpu_gen *g, const struct scene *scene, struct target *target,
                           uint32_t format)
{
    const bool view = agpu_gen_may(g, AGPU_GEN_CHOICE_VIEWS) && agpu_gen_one_in(g, 4);
    struct aerogpu_cmd_create_texture2d *create;
    struct aerogpu_cmd_create_texture_view *packet;

    *target = (struct target){.texture = agpu_gen_resource_handle(g), .format = format, .mip = view};
    target->name = target->texture;
    target->bytes = format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
    create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);
    create->texture_handle = target->texture;
    create->usage_flags = 0xFF;
    create->format = format;
    create->width = scene->width << view;
    create->height = scene->height << view;
    create->mip_levels = create->array_layers = 1 + view;
    if (view) {
        target->name = agpu_gen_new_handle(g);
        packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE_VIEW);
        packet->view_handle = target->name;
        packet->texture_handle = target->texture;
        packet->format = format;
        packet->base_mip_level = packet->base_array_layer = 1;
        packet->mip_level_count = packet->array_layer_count = 1;
    }
    return target->name;
}

/* Copies a target into the read-back memory. */
static void read_target(struct agpu_gen *g, struct scene *scene, const struct target *target)
{
    const uint32_t handle = agpu_gen_resource_handle(g);
    struct aerogpu_cmd_create_texture2d *create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);
    struct aerogpu_cmd_copy_texture2d *copy;

    create->texture_handle = handle;
    create->format = target->format;
    create->width = scene->width;
    create->height = scene->height;
    create->mip_levels = create->array_layers = 1;
    create->row_pitch_bytes = scene->width * target->bytes;
    create->backing_alloc_id = 0xFFFFFD00u;
    create->backing_offset_bytes = scene->reads++ % READS * READ_BYTES;
    copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);
    copy->dst_texture = handle;
    copy->src_texture = target->texture;
    copy->src_mip_level = copy->src_array_layer = target->mip;
    copy->width = scene->width;
    copy->height = scene->height;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    destroy_retired(g, handle);
}

static void put_clear(struct agpu_gen *g)
{
    struct aerogpu_cmd_clear *clear = agpu_gen_packet(g, AEROGPU_CMD_CLEAR);

    clear->flags = agpu_gen_one_in(g, 4) ? agpu_gen_below(g, 8) : 7;
    for (uint32_t i = 0; i < 4; i++) {
        clear->color_rgba_f32[i] = agpu_gen_palette_value(g);
    }
    clear->depth_f32 = agpu_gen_bits((float)agpu_gen_below(g, 5) / 4.0f);
    clear->stencil = agpu_gen_below(g, 256);
}

/* Sends the objects and bindings of a scene. */
static void put_objects(struct agpu_gen *g, struct agpu_gen_random *pipeline, struct scene *scene,
                        uint32_t depth_format)
{
    const uint32_t colors = scene->bound + agpu_gen_between(g, 1, COLORS - scene->bound);
    const uint32_t other = agpu_gen_between(g, AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM);
    const enum agpu_gen_reads reads = scene->vertex->reads;
    struct aerogpu_cmd_set_render_targets *set;
    struct aerogpu_cmd_bind_shaders *bind;

    scene->names.color_count = colors;
    for (uint32_t i = 0; i < colors; i++) {
        scene->names.colors[i] =
            put_target(g, scene, &scene->targets[i], i < scene->bound ? scene->format : other);
    }
    for (uint32_t i = 0; depth_format != 0 && i < DEPTHS; i++) {
        scene->names.depths[i] = put_target(g, scene, &scene->targets[colors + i], depth_format);
        scene->names.depth_count++;
    }
    set = agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS);
    set->color_count = scene->bound;
    set->depth_stencil = scene->names.depths[0];
    memcpy(set->colors, scene->names.colors, scene->bound * sizeof set->colors[0]);
    put_clear(g);
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
        agpu_gen_put_vertices(g, reads); /* another buffer, to be bound later */
        agpu_gen_put_vertices(g, reads);
    }
    agpu_gen_put_indices(g);
    agpu_gen_put_indices(g);
    swap_random(g, pipeline);
    scene->image = agpu_gen_put_textures(g, PIXEL,
                                         scene->pixel == &agpu_ps_texture_slots_5_0 ||
                                                 scene->pixel == &agpu_ps_sampler_slots_5_0
                                             ? AGPU_GEN_SLOTS
                                             : 4);
    if (scene->vertex->blob == &agpu_vs_slots_5_0) {
        (void)agpu_gen_put_textures(g, VERTEX, AGPU_GEN_SLOTS);
    }
    swap_random(g, pipeline);
    for (uint32_t count = scene->pixel == &agpu_ps_constant_slots_5_0 ? 10 : 2; count > 0; count--) {
        agpu_gen_put_constants(g, PIXEL, count > 2 ? agpu_gen_below(g, 14) : count - 1);
    }
    if (scene->vertex->blob == &agpu_vs_slots_5_0) {
        agpu_gen_put_constants(g, VERTEX, 0);
        agpu_gen_put_constants(g, VERTEX, 13);
        agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, VERTEX, 64,
                             agpu_gen_put_numbers(g, 0), 0);
    }
    if (reads == AGPU_GEN_READS_MATRIX) {
        agpu_gen_put_transform(g);
    }
    if (scene->pixel == &agpu_ps_buffer_4_0) {
        agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, PIXEL, 0,
                             agpu_gen_put_buffer(g, BUFFER_SIZE, true), 0);
    }
}

static void draw_again(struct agpu_gen *g, const struct scene *scene)
{
    const uint32_t first = scene->first_step;
    const uint32_t opcode =
        agpu_gen_one_in(g, 3) && agpu_gen_sent_find(g, first, AEROGPU_CMD_DRAW_INDEXED, true) != NULL
            ? AEROGPU_CMD_DRAW_INDEXED
            : AEROGPU_CMD_DRAW;
    const uint32_t *draw = agpu_gen_sent_find(g, first, opcode, true);
    struct agpu_gen_sent sent = {.words = draw != NULL ? draw[1] / 4 : 0};

    if (sent.words != 0) {
        memcpy(sent.word, draw, sent.words * sizeof *draw);
        agpu_gen_send_again(g, &sent);
    }
}

/* Reads what was drawn, and mostly clears it. */
static void read_scene(struct agpu_gen *g, struct scene *scene)
{
    const uint32_t targets = scene->names.color_count + scene->names.depth_count;

    for (uint32_t reads = agpu_gen_between(g, 1, 2); reads > 0; reads--) {
        read_target(g, scene, &scene->targets[agpu_gen_one_in(g, 2) ? 0 : agpu_gen_below(g, targets)]);
    }
    if (agpu_gen_one_in(g, 2)) { /* new pipelines take long: no wait should be for many of them */
        agpu_gen_close(g, true);
        agpu_gen_open(g);
        put_read_entry(g);
    }
    if (!agpu_gen_one_in(g, 4)) {
        put_clear(g);
    }
}

#define CHANGES 3u

/* Draws, and draws again after a change of one field of up to three packets, mostly with nothing between: a device that
 * compares what two draws use sees only these fields. Then mostly all is as before. */
static void put_two_draws(struct agpu_gen *g, struct scene *scene)
{
    const uint32_t changes = agpu_gen_between(g, 1, CHANGES);
    struct agpu_gen_sent before[CHANGES];

    draw_again(g, scene);
    if (agpu_gen_one_in(g, 6)) {
        read_scene(g, scene);
    }
    for (uint32_t i = 0; i < changes; i++) {
        agpu_gen_vary(g, scene->first_step, &scene->names, &before[i]);
    }
    if (agpu_gen_one_in(g, 6)) {
        put_change(g, scene);
    }
    draw_again(g, scene);
    if (agpu_gen_one_in(g, 3)) {
        read_scene(g, scene);
    }
    for (uint32_t i = changes; i > 0 && !agpu_gen_one_in(g, 8); i--) {
        agpu_gen_send_again(g, &before[i - 1]);
    }
    if (agpu_gen_one_in(g, 2)) {
        draw_again(g, scene);
    }
    read_scene(g, scene);
}

/* The state of the first draw is a row of the covering array. */
static void put_scene(struct agpu_gen *g, struct agpu_gen_random *pipeline, uint32_t row)
{
    const struct vertex_shader *vertex =
        &vertex_shaders[agpu_gen_random_below(pipeline, sizeof vertex_shaders / sizeof *vertex_shaders)];
    struct scene scene = {.vertex = vertex, .first_step = g->program->step_count};
    static const uint32_t depth_formats[] = {0, AEROGPU_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D32_FLOAT};

    scene.bound = agpu_gen_random_one_in(pipeline, 4) ? agpu_gen_random_between(pipeline, 2, 4) : 1;
    scene.pixel = vertex->coordinates
                      ? coordinate_shaders[agpu_gen_random_below(pipeline, 4)]
                      : color_shaders[agpu_gen_random_below(
                            pipeline, COLOR_SHADERS - (agpu_gen_random_one_in(pipeline, 2) ? 3 : 0))];
    g->row = row + 1;
    scene.format = AEROGPU_FORMAT_B8G8R8A8_UNORM + agpu_gen_field(g, AGPU_GEN_COLOR_FORMAT, 10);
    scene.width = agpu_gen_between(g, 4, EDGE);
    scene.height = agpu_gen_between(g, 4, EDGE);
    agpu_gen_close(g, true);
    scene.first_step = g->program->step_count;
    agpu_gen_open(g);
    put_read_entry(g);
    put_objects(g, pipeline, &scene, depth_formats[agpu_gen_field(g, AGPU_GEN_DEPTH_FORMAT, 3)]);
    agpu_gen_states(g);
    put_rectangles(g, scene.width, scene.height);
    put_draw(g, vertex->reads);
    g->row = 0;
    for (uint32_t count = agpu_gen_between(g, 4, 12); count > 0; count--) {
        put_two_draws(g, &scene);
    }
    for (uint32_t i = 0; i < scene.names.color_count + scene.names.depth_count; i++) {
        read_target(g, &scene, &scene.targets[i]);
    }
    if (agpu_gen_one_in(g, 2)) { /* bound objects go, and their handles come back for other kinds */
        destroy_retired(g, scene.targets[0].texture);
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

/* Dispatches the last shader, and copies what it may have written into the read-back memory. */
static void dispatch_again(struct agpu_gen *g, uint32_t first_step, const uint32_t results[4],
                           uint32_t *reads)
{
    const uint32_t *dispatch = agpu_gen_sent_find(g, first_step, AEROGPU_CMD_DISPATCH, true);
    struct agpu_gen_sent sent = {.words = dispatch != NULL ? dispatch[1] / 4 : 0};
    struct aerogpu_cmd_create_buffer *create;
    struct aerogpu_cmd_copy_buffer *copy;

    if (sent.words == 0) { /* the program is full */
        return;
    }
    memcpy(sent.word, dispatch, sent.words * sizeof *dispatch);
    agpu_gen_send_again(g, &sent);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t handle = agpu_gen_resource_handle(g);

        create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);
        create->buffer_handle = handle;
        create->size_bytes = BUFFER_SIZE;
        create->backing_alloc_id = 0xFFFFFD00u;
        create->backing_offset_bytes = (*reads)++ % READS * READ_BYTES;
        copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_BUFFER);
        copy->dst_buffer = handle;
        copy->src_buffer = results[i];
        copy->size_bytes = BUFFER_SIZE;
        copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
        destroy_retired(g, handle);
    }
}

void agpu_gen_compute(struct agpu_gen *g)
{
    static const struct agpu_shader_blob *const blobs[] = {&agpu_cs_fill_4_0, &agpu_cs_scale_4_0,
                                                           &agpu_cs_structured_4_0, &agpu_cs_count_5_0};
    static const struct agpu_gen_names names;
    struct aerogpu_cmd_bind_shaders *bind;
    struct aerogpu_cmd_dispatch *dispatch;
    struct agpu_gen_sent before;
    uint32_t results[4], shader, first_step, reads = 0;

    if (!g->plan.draws) {
        return;
    }
    agpu_gen_close(g, true);
    first_step = g->program->step_count;
    agpu_gen_open(g);
    put_read_entry(g);
    shader = agpu_gen_new_handle(g);
    agpu_gen_put_shader(g, shader, COMPUTE, blobs[agpu_gen_below(g, 4)]);
    bind = agpu_gen_packet(g, AEROGPU_CMD_BIND_SHADERS);
    bind->cs = shader;
    for (uint32_t i = 0; i < 4; i++) {
        results[i] = agpu_gen_put_buffer(g, BUFFER_SIZE, agpu_gen_one_in(g, 2));
        agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, COMPUTE, i, results[i],
                             agpu_gen_one_in(g, 2) ? 0 : 16 * agpu_gen_below(g, 8));
    }
    for (uint32_t i = 0; i < 3; i += 2) {
        const uint32_t offset = 16 * agpu_gen_below(g, 4), buffer = agpu_gen_put_buffer(g, BUFFER_SIZE, true);

        agpu_gen_bind_buffer(g, AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS, COMPUTE, i, buffer, offset);
    }
    agpu_gen_put_constants(g, COMPUTE, 0);
    dispatch = agpu_gen_packet(g, AEROGPU_CMD_DISPATCH);
    dispatch->group_count_x = agpu_gen_between(g, 1, 4);
    dispatch->group_count_y = agpu_gen_between(g, 1, 2);
    dispatch->group_count_z = agpu_gen_between(g, 1, 2);
    for (uint32_t count = agpu_gen_between(g, 2, 5); count > 0; count--) {
        agpu_gen_vary(g, first_step, &names, &before);
        dispatch_again(g, first_step, results, &reads);
        if (agpu_gen_one_in(g, 2)) {
            agpu_gen_send_again(g, &before);
            dispatch_again(g, first_step, results, &reads);
        }
    }
    agpu_gen_close(g, true);
}
