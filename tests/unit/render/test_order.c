/* test_order.c: draws among uploads, clears, copies and guest memory: everything happens in stream
 * order. */
#include "tests/unit/render/scene.h"

#include <string.h>

static const struct vertex quad[] = {{-1, 1, 0.5f, 1, 1, 0, 0, 1},
                                     {1, 1, 0.5f, 1, 1, 0, 0, 1},
                                     {-1, -1, 0.5f, 1, 1, 0, 0, 1},
                                     {1, -1, 0.5f, 1, 1, 0, 0, 1}};

static void begin(struct render_scene *scene)
{
    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    scene_vertices(scene, quad, 4);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
}

static uint32_t left_red(uint32_t x, uint32_t y)
{
    (void)y;
    return x < 8 ? RED : GREEN;
}

/* Vertices that change between two draws of one stream. */
static void upload_between_draws(void **state)
{
    struct render_scene *scene = *state;
    struct vertex green[4];

    memcpy(green, quad, sizeof green);
    for (uint32_t i = 0; i < 4; i++) {
        green[i].r = 0;
        green[i].g = 1;
    }
    begin(scene);
    scene_viewport(scene, 0, 0, 8, 16, 0, 1);
    scene_draw(scene, 4);
    add_upload(scene->driver, VERTICES, 0, green, sizeof green);
    scene_viewport(scene, 8, 0, 8, 16, 0, 1);
    scene_draw(scene, 4);
    scene_expect(scene, left_red, 0);
}

static void clear_after_draw(void **state)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_draw(scene, 4);
    add_clear(scene->driver, 1, 0, 1, 0, 1);
    scene_viewport(scene, 0, 0, 8, 16, 0, 1);
    scene_draw(scene, 4);
    scene_expect(scene, left_red, 0);
}

/* Part of a drawn target is uploaded: the rest keeps what was drawn. */
static uint32_t one_green(uint32_t x, uint32_t y)
{
    return x == 3 && y == 1 ? GREEN : RED;
}

static void upload_into_target(void **state)
{
    struct render_scene *scene = *state;
    static const uint32_t green = GREEN;

    begin(scene);
    scene_draw(scene, 4);
    add_upload(scene->driver, COLOR, (TARGET + 3) * 4, &green, 4);
    scene_expect(scene, one_green, 0);
}

/* A drawn target is copied, and the copy is sampled, all in one stream. */
static void copy_of_target_is_sampled(void **state)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_draw(scene, 4);
    add_texture(scene->driver, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, TARGET, TARGET, 0);
    add_texture_copy(scene->driver, 30, COLOR, TARGET, TARGET);
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    scene_shader(scene, 50, &agpu_vs_vertex_id_4_0);
    scene_shader(scene, 51, &agpu_ps_load_4_0);
    scene_bind(scene, 50, 51, 0, 0, 0, 0);
    scene_texture(scene, 1, 0, 30);
    scene_draw(scene, 3);
    scene_expect_all(scene, RED, 0);
}

/* A drawn target becomes a texture without a copy. */
static void target_is_sampled(void **state)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_draw(scene, 4);
    add_texture(scene->driver, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, TARGET, TARGET, 0);
    add_targets(scene->driver, 30, 0);
    scene_shader(scene, 50, &agpu_vs_vertex_id_4_0);
    scene_shader(scene, 51, &agpu_ps_load_4_0);
    scene_bind(scene, 50, 51, 0, 0, 0, 0);
    scene_texture(scene, 1, 0, COLOR);
    scene_draw(scene, 3);
    add_targets(scene->driver, COLOR, 0);
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    scene_texture(scene, 1, 0, 30);
    scene_draw(scene, 3);
    scene_expect_all(scene, RED, 0);
}

/* Vertices in guest memory: a dirty range brings what the CPU wrote, nothing else does. */
static void guest_backed_vertices(void **state)
{
    struct render_scene *scene = *state;
    struct fake_driver *driver = scene->driver;
    struct vertex *guest = (void *)alloc_bytes(driver, 3);

    memcpy(guest, quad, sizeof quad);
    scene_shaders(scene, &agpu_vs_color_4_0, &agpu_ps_color_4_0);
    static const struct element elements[] = {{POSITION, 0, 2, 0, 0, 0}, {COLOR_0, 0, 2, 0, 16, 0}};
    scene_layout(scene, LAYOUT, elements, 2);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    table_begin(driver);
    table_add(driver, 3);
    add_buffer(driver, VERTICES, sizeof quad, 3);
    add_dirty(driver, VERTICES, 0, sizeof quad);
    scene_vertex_buffer(scene, 0, VERTICES, sizeof *quad, 0);
    scene_draw(scene, 4);
    scene_expect_all(scene, RED, 0);
    for (uint32_t i = 0; i < 4; i++) {
        guest[i].r = 0;
        guest[i].b = 1;
    }
    table_begin(driver);
    table_add(driver, 3);
    add_dirty(driver, VERTICES, 0, sizeof quad);
    scene_draw(scene, 4);
    scene_expect_all(scene, BLUE, 0);
}

/* What shaders write is a vertex buffer, an index buffer and constants to later draws. */
static void uav_feeds_draws(void **state)
{
    struct render_scene *scene = *state;
    static const float color[4] = {0, 0, 1, 1};
    static const uint32_t one[4] = {1};

    begin(scene);
    scene_buffer(scene, 40, color, 16);
    scene_buffer(scene, 42, one, 16);
    add_buffer(scene->driver, 41, 256, 0);
    scene_shader(scene, CS, &agpu_cs_scale_5_0);
    scene_shader(scene, 51, &agpu_ps_constant_4_0);
    scene_bind(scene, VS, 51, 0, 0, 0, CS);
    scene_srv(scene, 2, 2, 40, 0, 0);
    scene_uav(scene, 1, 41, 0, 0);
    scene_constants(scene, 2, 0, 42, 0, 0);
    scene_dispatch(scene, 1, 1, 1);
    scene_constants(scene, 1, 0, 41, 0, 16);
    scene_draw(scene, 4);
    scene_expect_all(scene, BLUE, 0);
}

/* Resources die in the stream that used them; their handles live again at once. */
static void destroy_and_create(void **state)
{
    struct render_scene *scene = *state;

    begin(scene);
    for (uint32_t i = 0; i < 50; i++) {
        scene_draw(scene, 4);
        add_destroy(scene->driver, VERTICES);
        scene_buffer(scene, VERTICES, quad, sizeof quad);
        scene_vertex_buffer(scene, 0, VERTICES, sizeof *quad, 0);
    }
    scene_expect_all(scene, RED, 0);
}

static void view_of_one_mip(void **state)
{
    struct render_scene *scene = *state;
    static uint32_t texels[32 * 32 + 16 * 16];

    begin(scene);
    /* Mip 1 of a texture of 32x32 has the size of the target; drawn through a view, sampled through
     * another. */
    add_texture(scene->driver, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM, 32, 32, 0)->mip_levels = 2;
    add_upload(scene->driver, 30, 0, texels, sizeof texels);
    for (uint32_t i = 0; i < 2; i++) {
        struct aerogpu_cmd_create_texture_view *view =
            STREAM_PACKET(scene->driver, CREATE_TEXTURE_VIEW, aerogpu_cmd_create_texture_view);
        view->view_handle = 31 + i;
        view->texture_handle = 30;
        view->format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
        view->base_mip_level = 1;
        view->mip_level_count = 1;
        view->array_layer_count = 1;
    }
    add_targets(scene->driver, 31, 0);
    scene_draw(scene, 4);
    scene_shader(scene, 50, &agpu_vs_vertex_id_4_0);
    scene_shader(scene, 51, &agpu_ps_load_4_0);
    scene_bind(scene, 50, 51, 0, 0, 0, 0);
    add_targets(scene->driver, COLOR, 0);
    scene_texture(scene, 1, 0, 32);
    scene_draw(scene, 3);
    scene_expect_all(scene, RED, 0);
}

/* More than a batch can hold goes in several. */
static void many_draws(void **state)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_run(scene);
    for (uint32_t round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < 3000; i++) {
            scene_draw(scene, 4);
        }
        scene_run(scene);
    }
    scene_expect_all(scene, RED, 0);
}

static void big_buffer(void **state)
{
    struct render_scene *scene = *state;

    begin(scene);
    /* Larger than the memory that is shared with the drawing process. */
    add_buffer(scene->driver, 40, 200u << 20, 0);
    add_upload(scene->driver, 40, (200u << 20) - sizeof quad, quad, sizeof quad);
    scene_vertex_buffer(scene, 0, 40, sizeof *quad, (200u << 20) - (uint32_t)sizeof quad);
    scene_draw(scene, 4);
    scene_expect_all(scene, RED, 0);
}

int main(void)
{
#define SCENE(name) cmocka_unit_test_setup_teardown(name, scene_setup, scene_teardown)
    const struct CMUnitTest tests[] = {
        SCENE(upload_between_draws), SCENE(clear_after_draw),
        SCENE(upload_into_target),   SCENE(copy_of_target_is_sampled),
        SCENE(target_is_sampled),    SCENE(guest_backed_vertices),
        SCENE(uav_feeds_draws),      SCENE(destroy_and_create),
        SCENE(view_of_one_mip),      SCENE(many_draws),
        SCENE(big_buffer),
    };
    return scene_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
