/* scene.c: helpers for the rendering tests. */
#include "tests/unit/render/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void hear(void *ctx, const char *text)
{
    (void)ctx;
    print_message("renderer: %s\n", text);
}

int scene_required(void **state)
{
    (void)state;
    struct vgpu_render_config config = {0};
    struct vgpu_render *render = vgpu_render_create(&config);
    const char *text = "memory is exhausted";
    bool possible = render != NULL && vgpu_render_ready(render, &text);

    printf("%s%s\n", possible ? "drawing with " : "SKIP: ", text);
    vgpu_render_destroy(render);
    if (!possible) {
        exit(77);
    }
    return 0;
}

int scene_setup(void **state)
{
    struct render_scene *scene = calloc(1, sizeof *scene);
    /* A busy machine with a cold cache compiles for seconds. A test of time limits sets its own. */
    struct vgpu_render_config config = {.log = hear, .time_limit_ms = 20000};

    assert_non_null(scene);
    scene->driver = driver_create();
    scene->render = vgpu_render_create(&config);
    assert_non_null(scene->render);
    vgpu_device_set_renderer(scene->driver->machine->device, vgpu_render_interface(scene->render));
    stream_begin(scene->driver);
    add_texture(scene->driver, COLOR, AEROGPU_FORMAT_R8G8B8A8_UNORM, TARGET, TARGET, 0);
    add_targets(scene->driver, COLOR, 0);
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    scene_raster(scene, AEROGPU_CULL_NONE, 0, 0);
    *state = scene;
    return 0;
}

int scene_teardown(void **state)
{
    struct render_scene *scene = *state;

    driver_destroy(scene->driver);
    vgpu_render_destroy(scene->render);
    free(scene);
    return 0;
}

void scene_run(struct render_scene *scene)
{
    submit_good(scene->driver);
    stream_begin(scene->driver);
}

void scene_fail(struct render_scene *scene, uint32_t code)
{
    submit_bad(scene->driver, code);
    stream_begin(scene->driver);
}

void scene_shader_bytes(struct render_scene *scene, uint32_t handle, uint32_t stage, uint32_t stage_ex,
                        const void *bytes, uint32_t size)
{
    struct aerogpu_cmd_create_shader_dxbc *create =
        stream_packet(scene->driver, AEROGPU_CMD_CREATE_SHADER_DXBC, sizeof *create + size);
    create->shader_handle = handle;
    create->stage = stage;
    create->reserved0 = stage_ex;
    create->dxbc_size_bytes = size;
    memcpy(create + 1, bytes, size);
}

void scene_shader(struct render_scene *scene, uint32_t handle, const struct agpu_shader_blob *blob)
{
    static const struct {
        const char *name;
        uint32_t stage, stage_ex;
    } stages[] = {{"vs", 0, 0}, {"ps", 1, 0}, {"cs", 2, 0}, {"gs", 3, 0}, {"hs", 2, 3}, {"ds", 2, 4}};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        if (strncmp(blob->name, stages[i].name, 2) == 0) {
            scene_shader_bytes(scene, handle, stages[i].stage, stages[i].stage_ex, blob->words,
                               blob->size_bytes);
        }
    }
}

void scene_bind(struct render_scene *scene, uint32_t vs, uint32_t ps, uint32_t gs, uint32_t hs, uint32_t ds,
                uint32_t cs)
{
    uint32_t *words = stream_packet(scene->driver, AEROGPU_CMD_BIND_SHADERS, 36);

    words[2] = vs;
    words[3] = ps;
    words[4] = cs;
    words[6] = gs;
    words[7] = hs;
    words[8] = ds;
}

void scene_shaders(struct render_scene *scene, const struct agpu_shader_blob *vs,
                   const struct agpu_shader_blob *ps)
{
    scene_shader(scene, VS, vs);
    scene_shader(scene, PS, ps);
    scene_bind(scene, VS, PS, 0, 0, 0, 0);
}

void scene_layout(struct render_scene *scene, uint32_t handle, const struct element *elements, uint32_t count)
{
    struct aerogpu_cmd_create_input_layout *create;
    struct aerogpu_input_layout_blob_header *header;
    uint32_t size = (uint32_t)(sizeof *header + count * sizeof(struct aerogpu_input_layout_element_dxgi));

    create = stream_packet(scene->driver, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *create + size);
    create->input_layout_handle = handle;
    create->blob_size_bytes = size;
    header = (void *)(create + 1);
    header->magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    header->version = 1;
    header->element_count = count;
    struct aerogpu_input_layout_element_dxgi *out = (void *)(header + 1);
    for (uint32_t i = 0; i < count; i++) {
        out[i].semantic_name_hash = elements[i].hash;
        out[i].semantic_index = elements[i].index;
        out[i].dxgi_format = elements[i].format;
        out[i].input_slot = elements[i].slot;
        out[i].aligned_byte_offset = elements[i].offset;
        out[i].input_slot_class = elements[i].step != 0;
        out[i].instance_data_step_rate = elements[i].step;
    }
    STREAM_PACKET(scene->driver, SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout)->input_layout_handle =
        handle;
}

void scene_buffer(struct render_scene *scene, uint32_t handle, const void *bytes, uint32_t size)
{
    add_buffer(scene->driver, handle, size, 0);
    add_upload(scene->driver, handle, 0, bytes, size);
}

void scene_vertex_buffer(struct render_scene *scene, uint32_t slot, uint32_t buffer, uint32_t stride,
                         uint32_t offset)
{
    struct aerogpu_cmd_set_vertex_buffers *set =
        stream_packet(scene->driver, AEROGPU_CMD_SET_VERTEX_BUFFERS, sizeof *set + 16);
    struct aerogpu_vertex_buffer_binding *binding = (void *)(set + 1);
    set->start_slot = slot;
    set->buffer_count = 1;
    binding->buffer = buffer;
    binding->stride_bytes = stride;
    binding->offset_bytes = offset;
}

void scene_vertices(struct render_scene *scene, const struct vertex *vertices, uint32_t count)
{
    static const struct element elements[] = {{POSITION, 0, 2, 0, 0, 0}, {COLOR_0, 0, 2, 0, 16, 0}};

    scene_buffer(scene, VERTICES, vertices, count * (uint32_t)sizeof *vertices);
    scene_vertex_buffer(scene, 0, VERTICES, sizeof *vertices, 0);
    scene_layout(scene, LAYOUT, elements, 2);
}

void scene_indices(struct render_scene *scene, const uint32_t *indices, uint32_t count)
{
    scene_buffer(scene, INDICES, indices, count * 4);
    struct aerogpu_cmd_set_index_buffer *set =
        STREAM_PACKET(scene->driver, SET_INDEX_BUFFER, aerogpu_cmd_set_index_buffer);
    set->buffer = INDICES;
    set->format = AEROGPU_INDEX_FORMAT_UINT32;
}

void scene_topology(struct render_scene *scene, uint32_t topology)
{
    STREAM_PACKET(scene->driver, SET_PRIMITIVE_TOPOLOGY, aerogpu_cmd_set_primitive_topology)->topology =
        topology;
}

void scene_raster(struct render_scene *scene, uint32_t cull, uint32_t front_ccw, uint32_t scissor_enable)
{
    struct aerogpu_rasterizer_state *state =
        &STREAM_PACKET(scene->driver, SET_RASTERIZER_STATE, aerogpu_cmd_set_rasterizer_state)->state;
    state->cull_mode = cull;
    state->front_ccw = front_ccw;
    state->scissor_enable = scissor_enable;
}

void scene_uav(struct render_scene *scene, uint32_t slot, uint32_t buffer, uint32_t offset, uint32_t size)
{
    uint32_t *words = stream_packet(scene->driver, AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS, 24 + 16);

    words[2] = 2;
    words[3] = slot;
    words[4] = 1;
    words[6] = buffer;
    words[7] = offset;
    words[8] = size;
    words[9] = UINT32_MAX;
}

void scene_draw(struct render_scene *scene, uint32_t count)
{
    struct aerogpu_cmd_draw *draw = STREAM_PACKET(scene->driver, DRAW, aerogpu_cmd_draw);

    draw->vertex_count = count;
    draw->instance_count = 1;
}

struct aerogpu_cmd_draw_indexed *scene_draw_indexed(struct render_scene *scene, uint32_t count)
{
    struct aerogpu_cmd_draw_indexed *draw =
        STREAM_PACKET(scene->driver, DRAW_INDEXED, aerogpu_cmd_draw_indexed);
    draw->index_count = count;
    draw->instance_count = 1;
    return draw;
}

void scene_dispatch(struct render_scene *scene, uint32_t x, uint32_t y, uint32_t z)
{
    struct aerogpu_cmd_dispatch *dispatch = STREAM_PACKET(scene->driver, DISPATCH, aerogpu_cmd_dispatch);

    dispatch->group_count_x = x;
    dispatch->group_count_y = y;
    dispatch->group_count_z = z;
}

void scene_read(struct render_scene *scene, uint32_t texture, uint32_t format,
                uint32_t pixels[TARGET * TARGET])
{
    scene_run(scene);
    read_texture(scene->driver, texture, format, TARGET, TARGET, pixels);
    stream_begin(scene->driver);
}

static bool near(uint32_t a, uint32_t b, uint32_t tolerance)
{
    for (uint32_t shift = 0; shift < 32; shift += 8) {
        uint32_t x = a >> shift & 255, y = b >> shift & 255;

        if ((x > y ? x - y : y - x) > tolerance) {
            return false;
        }
    }
    return true;
}

void scene_expect_all(struct render_scene *scene, uint32_t color, uint32_t tolerance)
{
    uint32_t pixels[TARGET * TARGET];

    scene_read(scene, COLOR, AEROGPU_FORMAT_R8G8B8A8_UNORM, pixels);
    for (uint32_t i = 0; i < TARGET * TARGET; i++) {
        if (!near(pixels[i], color, tolerance)) {
            fail_msg("pixel %u, %u: expected %08x, found %08x (alpha, blue, green, red)", i % TARGET,
                     i / TARGET, color, pixels[i]);
        }
    }
}
