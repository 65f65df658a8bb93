/* test_broken.c: invalid guest submissions: each fails by itself and does not affect the device. */
#include "tests/device/monotonic.h"
#include "tests/device/render/dxbc.h"
#include "tests/device/render/engine_link.h"
#include "tests/device/render/render.h"
#include "tests/unit/render/scene.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/render/render_private.h"
#include "tests/unit/render/mutate.h"

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

/* The device still draws. */
static void still_draws(struct render_scene *scene)
{
    scene_bind(scene, VS, PS, 0, 0, 0, 0);
    scene_topology(scene, AEROGPU_TOPOLOGY_TRIANGLESTRIP);
    add_targets(scene->driver, COLOR, 0);
    add_clear(scene->driver, 1, 0, 0, 0, 0);
    scene_draw(scene, 4);
    scene_expect_all(scene, RED, 0);
}

GROUP_FIXTURE(scene_required, NULL);

FIXTURE(scene_setup, scene_teardown);

TEST(garbage_shader)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_shader_bytes(scene, 50, 0, 0, "not a shader, 24 bytes..", 24);
    scene_bind(scene, 50, PS, 0, 0, 0, 0);
    scene_run(scene);
    scene_draw(scene, 4);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
    still_draws(scene);
}

TEST(shader_of_another_stage)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_shader_bytes(scene, 50, 1, 0, agpu_vs_color_4_0.words, agpu_vs_color_4_0.size_bytes);
    scene_bind(scene, VS, 50, 0, 0, 0, 0);
    scene_run(scene);
    scene_draw(scene, 4);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
    still_draws(scene);
}

/* The pixel shader needs a texture coordinate, the vertex shader outputs a colour. */
TEST(stages_that_disagree)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_shader(scene, 50, &agpu_ps_textured_4_0);
    scene_bind(scene, VS, 50, 0, 0, 0, 0);
    scene_run(scene);
    scene_draw(scene, 4);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
    still_draws(scene);
}

TEST(layout_without_an_input)
{
    struct render_scene *scene = *state;
    static const struct element elements[] = {{POSITION, 0, 2, 0, 0, 0}, {COLOR_0, 1, 2, 0, 16, 0}};

    begin(scene);
    scene_run(scene);
    scene_layout(scene, 60, elements, 2);
    scene_draw(scene, 4);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
    STREAM_PACKET(scene->driver, SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout)->input_layout_handle = 0;
    scene_draw(scene, 4);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
    STREAM_PACKET(scene->driver, SET_INPUT_LAYOUT, aerogpu_cmd_set_input_layout)->input_layout_handle =
        LAYOUT;
    still_draws(scene);
}

TEST(format_that_the_shader_does_not_read)
{
    struct render_scene *scene = *state;
    static const struct element elements[] = {{POSITION, 0, 2, 0, 0, 0}, {COLOR_0, 0, 30, 0, 16, 0}};

    begin(scene);
    scene_run(scene);
    scene_layout(scene, 60, elements, 2);
    scene_draw(scene, 4);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
}

TEST(hull_without_domain)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_shader(scene, HS, &agpu_hs_triangle_5_0);
    scene_bind(scene, VS, PS, 0, HS, 0, 0);
    scene_run(scene);
    scene_draw(scene, 3);
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
    still_draws(scene);
}

TEST(dispatch_of_a_graphics_shader)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_shader(scene, GS, &agpu_gs_expand_4_0);
    scene_bind(scene, VS, PS, GS, 0, 0, 0);
    scene_run(scene);
    struct aerogpu_cmd_dispatch *dispatch = STREAM_PACKET(scene->driver, DISPATCH, aerogpu_cmd_dispatch);
    dispatch->group_count_x = dispatch->group_count_y = dispatch->group_count_z = 1;
    dispatch->reserved0 = 2; /* stage_ex: geometry */
    scene_fail(scene, AEROGPU_ERROR_CMD_DECODE);
    still_draws(scene);
}

TEST(too_many_groups)
{
    struct render_scene *scene = *state;

    begin(scene);
    add_buffer(scene->driver, 40, 64, 0);
    scene_shader(scene, CS, &agpu_cs_fill_5_0);
    scene_bind(scene, 0, 0, 0, 0, 0, CS);
    scene_uav(scene, 0, 40, 0, 0);
    scene_run(scene);
    scene_dispatch(scene, UINT32_MAX, 1, 1);
    scene_fail(scene, AEROGPU_ERROR_BACKEND);
    still_draws(scene);
}

/* Counts that no device can draw in time: the error is BACKEND when time is over, and the device continues. */
TEST(enormous_counts)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_run(scene);
    struct aerogpu_cmd_draw *draw = STREAM_PACKET(scene->driver, DRAW, aerogpu_cmd_draw);
    draw->vertex_count = UINT32_MAX;
    draw->instance_count = UINT32_MAX;
    scene_fail(scene, AEROGPU_ERROR_BACKEND);
    still_draws(scene);
}

/* Indices, all but a few of which are outside the buffer: more than memory can hold. */
TEST(enormous_index_count)
{
    struct render_scene *scene = *state;
    static const uint32_t indices[] = {0, 1, 2};

    begin(scene);
    scene_indices(scene, indices, 3);
    scene_run(scene);
    scene_draw_indexed(scene, UINT32_MAX);
    scene_fail(scene, AEROGPU_ERROR_BACKEND);
    still_draws(scene);
}

TEST(endless_shader)
{
    struct render_scene *scene = *state;

    begin(scene);
    add_buffer(scene->driver, 40, 64, 0);
    scene_shader(scene, CS, &agpu_cs_endless_5_0);
    scene_bind(scene, 0, 0, 0, 0, 0, CS);
    scene_uav(scene, 0, 40, 0, 0);
    scene_run(scene);
    scene->render->config.time_limit_ms = 1500;
    scene_dispatch(scene, 65535, 60, 1); /* lavapipe ends each loop after 65535 rounds */
    scene_fail(scene, AEROGPU_ERROR_BACKEND);
    assert_non_null(strstr(vgpu_render_reason(scene->render), "took more than"));
    scene->render->config.time_limit_ms = 20000;
    still_draws(scene);
}

static void put_work(struct render_scene *scene, uint32_t groups)
{
    struct aerogpu_cmd_copy_buffer *copy;

    scene_dispatch(scene, groups, 1, 1);
    copy = STREAM_PACKET(scene->driver, COPY_BUFFER, aerogpu_cmd_copy_buffer);
    copy->dst_buffer = 41;
    copy->src_buffer = 40;
    copy->size_bytes = 4;
}

/* The time limit applies to the whole submission, however often the device must wait for results: here for each of 200
 * copies. */
TEST(time_of_a_submission)
{
    struct render_scene *scene = *state;
    uint64_t one = 0;
    uint32_t groups = 16;

    begin(scene);
    add_buffer(scene->driver, 40, 64, 0);
    add_buffer(scene->driver, 41, 64, 0);
    /* Work that ends with any driver. Each group takes longer than the one before. */
    scene_shader(scene, CS, &agpu_cs_loop_5_0);
    scene_bind(scene, 0, 0, 0, 0, 0, CS);
    scene_uav(scene, 0, 40, 0, 0);
    put_work(scene, 1); /* creates the pipeline */
    scene_run(scene);
    while (one < 50000000 && groups <= 1u << 15) {
        groups *= 2;
        one = UINT64_MAX; /* the shorter of two: a busy machine may delay one */
        for (int i = 0; i < 2; i++) {
            put_work(scene, groups);
            uint64_t start = vgpu_monotonic_ns();
            scene_run(scene);
            uint64_t took = vgpu_monotonic_ns() - start;
            one = took < one ? took : one;
        }
    }
    print_message("%u groups take %llu us\n", groups, (unsigned long long)one / 1000);
    scene->render->config.time_limit_ms = (uint32_t)(one * 4 / 1000000);
    for (uint32_t i = 0; i < 200; i++) {
        put_work(scene, groups);
    }
    scene_fail(scene, AEROGPU_ERROR_BACKEND); /* each single copy is well within the limit */
    scene->render->config.time_limit_ms = 20000;
    still_draws(scene);
}

/* The drawing process dies: its resources are lost, and the next submission draws in a new process. */
TEST(lost_device)
{
    struct render_scene *scene = *state;

    begin(scene);
    scene_draw(scene, 4);
    scene_expect_all(scene, RED, 0);
    uint32_t generation = scene->render->generation;
    assert_int_equal(kill(scene->render->worker.pid, SIGKILL), 0);
    scene_draw(scene, 4);
    scene_fail(scene, AEROGPU_ERROR_BACKEND);
    still_draws(scene);
    assert_int_equal(scene->render->generation, generation + 1);
}

/* Drawing processes that fail in each way: the reported reason, and whether the next submission starts another one. */
TEST(failing_processes)
{
    static const struct {
        const char *mode, *reason;
        uint32_t starts; /* processes started for two submissions */
    } rows[] = {{"lost", "the device is lost", 2},
                {"failed", "a message failed", 1},
                {"mute", "crashed: exit status 3", 2},
                {"stranger", "does not start", 2},
                {"unready", "nothing here draws", 1}};
    struct render_scene *scene = *state;
    struct vgpu_render *render = scene->render;
    char real[sizeof render->helper];
    begin(scene);
    scene_draw(scene, 4);
    scene_expect_all(scene, RED, 0);
    memcpy(real, render->helper, sizeof real);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t generation = render->generation;

        setenv("AGPU_RENDER_FAKE", rows[i].mode, 1);
        snprintf(render->helper, sizeof render->helper, "%s", FAKE_RENDER_BUILT);
        vgpu_engine_stop(render);
        for (uint32_t k = 0; k < 2; k++) {
            scene_draw(scene, 4);
            scene_fail(scene, AEROGPU_ERROR_BACKEND);
        }
        if (strstr(vgpu_render_reason(render), rows[i].reason) == NULL) {
            fail_msg("%s: expected \"%s\", found \"%s\"", rows[i].mode, rows[i].reason,
                     vgpu_render_reason(render));
        }
        assert_int_equal(render->generation - generation, rows[i].starts);
        /* With a working process everything is drawn again, from the model's data. */
        memcpy(render->helper, real, sizeof real);
        vgpu_engine_stop(render);
        render->starts_failed = 0;
        still_draws(scene);
    }
    unsetenv("AGPU_RENDER_FAKE");
}

/* Draws with mutants of valid shaders that pass all checks: the device continues, whatever happens. */
TEST(mutants)
{
    struct render_scene *scene = *state;
    static uint32_t words[AGPU_MUTANT_WORDS];
    static struct vgpu_dxbc dxbc;
    const struct agpu_shader_blob *shaders[] = {&agpu_vs_color_4_0,     &agpu_ps_color_4_0,
                                                &agpu_ps_integer_5_0,   &agpu_ps_loop_4_0,
                                                &agpu_vs_transform_5_0, &agpu_ps_discard_4_0};
    uint32_t drawn = 0, refused = 0;

    begin(scene);
    scene_run(scene);
    for (uint32_t seed = 0; drawn + refused < 120; seed++) {
        const struct agpu_shader_blob *shader = shaders[seed % 6];
        bool vertex = shader->name[0] == 'v';
        uint32_t size = agpu_mutant(shader, seed, words);

        if (vgpu_dxbc_read(words, size, &dxbc) != NULL) {
            continue;
        }
        scene_shader_bytes(scene, 1000 + seed, !vertex, 0, words, size);
        scene_bind(scene, vertex ? 1000 + seed : VS, vertex ? PS : 1000 + seed, 0, 0, 0, 0);
        scene_draw(scene, 4);
        uint32_t errors = error_count(scene->driver);
        uint64_t fence = submit(scene->driver);
        assert_int_equal(completed_fence(scene->driver), fence);
        if (error_count(scene->driver) == errors) {
            drawn++;
        } else {
            refused++;
        }
        stream_begin(scene->driver);
    }
    print_message("%u mutants drawn, %u refused\n", drawn, refused);
    still_draws(scene);
}

/* Passes every mutant through the whole device, with little drawing: no crash. */
TEST(unchecked_mutants)
{
    struct render_scene *scene = *state;
    static uint32_t words[AGPU_MUTANT_WORDS];

    begin(scene);
    scene_run(scene);
    for (uint32_t seed = 5000; seed < 5300; seed++) {
        uint32_t size = agpu_mutant(&agpu_ps_color_4_0, seed, words);

        scene_shader_bytes(scene, 1000, 1, 0, words, size);
        scene_bind(scene, VS, 1000, 0, 0, 0, 0);
        scene_draw(scene, 4);
        uint64_t fence = submit(scene->driver);
        assert_int_equal(completed_fence(scene->driver), fence);
        stream_begin(scene->driver);
    }
    still_draws(scene);
}

/* Without a Vulkan driver draws fail with BACKEND, the reason is logged once, and everything else works. */
static uint32_t heard;

static void hear_once(void *ctx, const char *text)
{
    (void)ctx;
    print_message("renderer: %s\n", text);
    heard++;
}

TEST(no_driver)
{
    struct render_scene *scene = *state;
    const char *before = getenv("VK_ICD_FILENAMES");
    char *kept = before != NULL ? strdup(before) : NULL;
    struct vgpu_render_config config = {.log = hear_once};
    struct vgpu_render *render = vgpu_render_create(&config);

    setenv("VK_ICD_FILENAMES", "/nonexistent.json", 1);
    heard = 0;
    vgpu_device_set_renderer(scene->driver->machine->device, vgpu_render_interface(render));
    begin(scene);
    scene_run(scene);
    for (uint32_t i = 0; i < 3; i++) {
        scene_draw(scene, 4);
        scene_fail(scene, AEROGPU_ERROR_BACKEND);
    }
    assert_int_equal(heard, 1);
    assert_non_null(strstr(vgpu_render_reason(render), "no Vulkan"));
    add_clear(scene->driver, 1, 0, 1, 0, 1);
    scene_expect_all(scene, GREEN, 0);
    if (kept != NULL) {
        setenv("VK_ICD_FILENAMES", kept, 1);
    } else {
        unsetenv("VK_ICD_FILENAMES");
    }
    free(kept);
    vgpu_device_set_renderer(scene->driver->machine->device, vgpu_render_interface(scene->render));
    vgpu_render_destroy(render);
}
