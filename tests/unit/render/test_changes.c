/* test_changes.c: what changes in the model's memory reaches the drawing process: all of it, and little
 * more. */
#include "tests/device/render/engine_link.h"
#include "tests/device/render/upload.h"
#include "tests/unit/render/scene.h"

#include <stdlib.h>
#include <string.h>

#include "tests/device/device_private.h"
#include "tests/device/render/render_private.h"

static const struct vertex quad[] = {{-1, 1, 0.5f, 1, 1, 0, 0, 1},
                                     {1, 1, 0.5f, 1, 1, 0, 0, 1},
                                     {-1, -1, 0.5f, 1, 1, 0, 0, 1},
                                     {1, -1, 0.5f, 1, 1, 0, 0, 1}};

static struct vgpu_resource *find(const struct render_scene *scene, uint32_t handle)
{
    return vgpu_resource_find(scene->driver->machine->device->exec, handle);
}

/* Runs the stream and returns how much it uploaded. */
static uint64_t run_uploads(struct render_scene *scene)
{
    uint64_t before = scene->render->uploaded;

    scene_run(scene);
    return scene->render->uploaded - before;
}

/* A megabyte of vertices of which one in the middle changes. */
static void part_of_a_buffer(void **state)
{
    enum { BYTES = 1 << 20, AT = BYTES / 2 };
    struct render_scene *scene = *state;
    struct vertex green[4];
    memcpy(green, quad, sizeof green);
    for (uint32_t i = 0; i < 4; i++) {
        green[i].r = 0;
        green[i].g = 1;
    }
    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    scene_vertices(scene, quad, 4);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    add_buffer(scene->driver, 40, BYTES, 0);
    add_upload(scene->driver, 40, AT, quad, sizeof quad);
    scene_vertex_buffer(scene, 0, 40, sizeof *quad, AT);
    scene_draw(scene, 4);
    assert_true(run_uploads(scene) >= BYTES);
    scene_expect_all(scene, RED, 0);
    add_upload(scene->driver, 40, AT, green, sizeof green);
    scene_draw(scene, 4);
    assert_in_range(run_uploads(scene), sizeof green, 2 * sizeof green);
    scene_expect_all(scene, GREEN, 0);
    /* Both ends: not what lies between. */
    add_upload(scene->driver, 40, 0, green, 4);
    add_upload(scene->driver, 40, BYTES - 4, green, 4);
    scene_draw(scene, 4);
    assert_in_range(run_uploads(scene), 8, 512);
    /* Nothing changed, nothing moves. */
    scene_draw(scene, 4);
    assert_int_equal(run_uploads(scene), 0);
}

/* Of a texture the rows that changed, of the mip and layer that they are in. */
static void rows_of_a_texture(void **state)
{
    enum { EDGE = 256, ROW = EDGE * 4, LAYER = EDGE * ROW + EDGE / 2 * ROW / 2 };
    struct render_scene *scene = *state;
    static uint32_t texels[EDGE];
    struct aerogpu_cmd_create_texture2d *create;
    scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_load_4_0);
    create = add_texture(scene->driver, 40, AEROGPU_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE, 0);
    create->mip_levels = 2;
    create->array_layers = 2;
    scene_texture(scene, 1, 0, 40);
    scene_draw(scene, 3);
    assert_int_equal(run_uploads(scene), 2 * LAYER + TARGET * TARGET * 4); /* and the target */
    for (uint32_t i = 0; i < EDGE; i++) {
        texels[i] = WHITE;
    }
    add_upload(scene->driver, 40, 5 * ROW + 8, texels, 4); /* one texel: its row */
    scene_draw(scene, 3);
    assert_int_equal(run_uploads(scene), ROW);
    add_upload(scene->driver, 40, LAYER - 8, texels, 16); /* the last of mip 1, the first of layer 1 */
    scene_draw(scene, 3);
    assert_int_equal(run_uploads(scene), ROW / 2 + ROW);
    for (uint32_t i = 0; i < EDGE * 4; i += 4) { /* a column: near enough to be one range of all rows */
        add_upload(scene->driver, 40, i / 4 * ROW, texels, 4);
    }
    scene_draw(scene, 3);
    assert_in_range(run_uploads(scene), ROW, EDGE * ROW);
}

/* After changes of every kind at random places the drawing process has what the model has. */
static void compare(struct render_scene *scene, uint32_t handle)
{
    struct vgpu_resource *resource = find(scene, handle);
    struct vgpu_render_resource *data = resource->renderer_data;
    uint8_t *model = malloc(resource->size);

    assert_non_null(model);
    assert_non_null(data);
    assert_int_equal(data->version, resource->version);
    memcpy(model, resource->data, resource->size);
    memset(resource->data, 0xEE, resource->size);
    data->all_newer = true;
    vgpu_render_read_back(scene->render, resource);
    assert_memory_equal(resource->data, model, resource->size);
    free(model);
}

static void random_changes(struct render_scene *scene, uint32_t format, uint32_t edge, uint32_t mips,
                           uint32_t layers)
{
    static uint8_t bytes[4096];
    struct aerogpu_cmd_create_texture2d *create;
    uint32_t seed = format * 977 + edge;

    scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_load_4_0);
    for (uint32_t i = 0; i < 2; i++) {
        create = add_texture(scene->driver, 40 + i, format, edge, edge, 0);
        create->mip_levels = mips;
        create->array_layers = layers;
    }
    scene_texture(scene, 1, 0, 40);
    scene_draw(scene, 3);
    scene_run(scene);
    uint32_t size = (uint32_t)find(scene, 40)->size;
    for (uint32_t round = 0; round < 40; round++) {
        for (uint32_t k = 0; k <= round % 12; k++) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t at = (seed >> 7) % size, count = 1 + (seed >> 3) % sizeof bytes;
            count = count < size - at ? count : size - at;
            for (uint32_t i = 0; i < count; i++) {
                bytes[i] = (uint8_t)(seed >> 16) ^ (uint8_t)(i * 7);
            }
            add_upload(scene->driver, 40 + k % 2, at, bytes, count);
            if (k % 4 == 3) {
                struct aerogpu_cmd_copy_texture2d *copy =
                    STREAM_PACKET(scene->driver, COPY_TEXTURE2D, aerogpu_cmd_copy_texture2d);
                copy->dst_texture = 40;
                copy->src_texture = 41;
                copy->dst_mip_level = copy->src_mip_level = seed >> 11 & (mips - 1);
                copy->dst_array_layer = (seed >> 14) % layers;
                copy->dst_x = copy->dst_y = copy->src_x = copy->src_y = 4;
                copy->width = copy->height = 4;
            }
        }
        scene_draw(scene, 3);
        scene_run(scene);
        compare(scene, 40);
    }
}

static void random_changes_of_texels(void **state)
{
    random_changes(*state, AEROGPU_FORMAT_R8G8B8A8_UNORM, 64, 2, 3);
}

static void random_changes_of_16_bits(void **state)
{
    random_changes(*state, AEROGPU_FORMAT_B5G6R5_UNORM, 48, 2, 2);
}

static void random_changes_of_blocks(void **state)
{
    random_changes(*state, AEROGPU_FORMAT_BC1_RGBA_UNORM, 64, 2, 2);
}

/* A drawing process that died holds nothing: all is uploaded again, with the changes. */
static void after_a_crash(void **state)
{
    struct render_scene *scene = *state;
    static const uint32_t white = WHITE;

    scene_shaders(scene, &agpu_vs_vertex_id_4_0, &agpu_ps_load_4_0);
    add_texture(scene->driver, 40, AEROGPU_FORMAT_R8G8B8A8_UNORM, 64, 64, 0);
    scene_texture(scene, 1, 0, 40);
    scene_draw(scene, 3);
    scene_run(scene);
    vgpu_engine_stop(scene->render);
    add_upload(scene->driver, 40, 0, &white, 4);
    scene_draw(scene, 3);
    assert_true(run_uploads(scene) >= 64 * 64 * 4);
    compare(scene, 40);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(part_of_a_buffer),          SCENE(rows_of_a_texture),        SCENE(random_changes_of_texels),
        SCENE(random_changes_of_16_bits), SCENE(random_changes_of_blocks), SCENE(after_a_crash),
    };
    return scene_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
