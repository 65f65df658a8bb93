/* test_attach.c: the renderer as programs take it that know devices only: attached, with its cache in the
 * user's folder. */
#include "tests/unit/render/scene.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/device/render/attach.h"

static uint32_t heard;

static void hear(void *ctx, const char *text)
{
    *(uint32_t *)ctx += strstr(text, "index buffer") != NULL;
}

/* A device with an attached renderer draws; what its shaders became is in the cache folder, and what went
 * wrong is heard. */
static void draws_and_keeps_shaders(void **state)
{
    (void)state;
    char dir[] = "/tmp/agpu-attach-XXXXXX", pattern[64], command[64];
    static const uint32_t indices[] = {0, 1, 2};
    glob_t found;
    assert_non_null(mkdtemp(dir));
    setenv("XDG_CACHE_HOME", dir, 1);
    unsetenv("AGPU_RENDER_CACHE");
    struct render_scene scene = {.driver = driver_create(NULL)};
    struct vgpu_device_renderer *renderer =
        vgpu_device_renderer_attach(scene.driver->machine->device, 0, hear, &heard);
    assert_non_null(renderer);
    stream_begin(scene.driver);
    add_texture(scene.driver, COLOR, AEROGPU_FORMAT_R8G8B8A8_UNORM, TARGET, TARGET, 0);
    add_targets(scene.driver, COLOR, 0);
    scene_raster(&scene, AEROGPU_CULL_NONE, 0, 0);
    scene_shaders(&scene, &agpu_vs_vertex_id_4_0, &agpu_ps_color_4_0);
    scene_draw(&scene, 3);
    scene_expect_all(&scene, WHITE, 0);
    assert_int_equal(heard, 0);
    scene_indices(&scene, indices, 3);
    scene_draw_indexed(&scene, UINT32_MAX); /* no device holds so many */
    scene_fail(&scene, AEROGPU_ERROR_BACKEND);
    assert_int_equal(heard, 1);
    driver_destroy(scene.driver);
    vgpu_device_renderer_free(renderer);
    vgpu_device_renderer_free(NULL);
    snprintf(pattern, sizeof pattern, "%s/agpu/spirv/*.spv", dir);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 2);
    globfree(&found);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

/* Where the cache is, as the XDG base directories say; nowhere when nobody says. */
static void finds_the_cache(void **state)
{
    (void)state;
    char path[64], small[8];
    setenv("AGPU_RENDER_CACHE", "/of/its/own", 1);
    assert_true(vgpu_render_cache_dir(path, sizeof path));
    assert_string_equal(path, "/of/its/own");
    unsetenv("AGPU_RENDER_CACHE");
    setenv("XDG_CACHE_HOME", "/cache", 1);
    assert_true(vgpu_render_cache_dir(path, sizeof path));
    assert_string_equal(path, "/cache/agpu/spirv");
    assert_false(vgpu_render_cache_dir(small, sizeof small));
    setenv("XDG_CACHE_HOME", "", 1);
    setenv("HOME", "/home/x", 1);
    assert_true(vgpu_render_cache_dir(path, sizeof path));
    assert_string_equal(path, "/home/x/.cache/agpu/spirv");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_false(vgpu_render_cache_dir(path, sizeof path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_and_keeps_shaders),
        cmocka_unit_test(finds_the_cache),
    };

    return scene_possible() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
