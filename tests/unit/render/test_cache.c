/* test_cache.c: files in the cache directory of translated shaders, damaged or planted, neither stop the renderer nor
 * are used for drawing. */

#include <fcntl.h>
#include <glob.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/device/engine/state.h"
#include "tests/device/render/translate.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/render/scene.h"
#include "tests/unit/test.h"

/* SIGALRM ends a test that takes longer. */
enum { SECONDS = 60, HEADER_BYTES = 72, SEAL_AT = 40, ROOM = 1 << 16 };

struct cache_world {
    char dir[32];
    char right[256];     /* cache file of ps_color_4_0 */
    char other[256];     /* cache file of ps_constant_4_0 */
    uint8_t spirv[ROOM]; /* translation of ps_color_4_0 */
    uint32_t spirv_size;
};

static struct vgpu_translator *open_translator(const char *dir)
{
    const struct vgpu_translator_config config = {.cache_dir = dir};
    struct vgpu_translator *translator = vgpu_translator_create(&config);

    assert_non_null(translator);
    return translator;
}

static struct vgpu_spirv translate(struct vgpu_translator *translator, const struct agpu_shader_blob *shader)
{
    static struct vgpu_dxbc dxbc;
    struct vgpu_spirv spirv = {NULL, 0};
    const char *why;

    assert_null(vgpu_dxbc_read(shader->words, shader->size_bytes, &dxbc));
    if (!vgpu_translate(translator, shader->words, shader->size_bytes, &dxbc, NULL,
                        dxbc.type == VGPU_DXBC_VERTEX ? VGPU_STAGE_VERTEX : VGPU_STAGE_PIXEL, &spirv, &why)) {
        fail_msg("a good shader is not translated: %s", why);
    }
    return spirv;
}

static uint32_t read_bytes(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    assert_non_null(file);
    size = fread(bytes, 1, ROOM, file);
    fclose(file);
    return (uint32_t)size;
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void run(const char *format, const char *first, const char *second)
{
    char command[1024];

    snprintf(command, sizeof command, format, first, second);
    assert_int_equal(system(command), 0);
}

/* Finds the one cache file that is not known yet. */
static void only_new_file(const char *dir, const char *known, char path[256])
{
    char pattern[64];
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/*.spv", dir);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, known != NULL ? 2 : 1);
    snprintf(path, 256, "%s", found.gl_pathv[known != NULL && strcmp(found.gl_pathv[0], known) == 0 ? 1 : 0]);
    globfree(&found);
}

static int open_world(void **state)
{
    struct cache_world *world = calloc(1, sizeof *world);
    struct vgpu_translator *translator;
    struct vgpu_spirv spirv;

    alarm(SECONDS);
    memcpy(world->dir, "/tmp/agpu-cache-XXXXXX", 23);
    if (mkdtemp(world->dir) == NULL) {
        return -1;
    }
    translator = open_translator(world->dir);
    spirv = translate(translator, &agpu_ps_color_4_0);
    memcpy(world->spirv, spirv.words, spirv.size);
    world->spirv_size = spirv.size;
    only_new_file(world->dir, NULL, world->right);
    translate(translator, &agpu_ps_constant_4_0);
    only_new_file(world->dir, world->right, world->other);
    vgpu_translator_destroy(translator);
    *state = world;
    return 0;
}

static int close_world(void **state)
{
    struct cache_world *world = *state;

    remove_tree(world->dir);
    free(world);
    alarm(0);
    return 0;
}

/* Whatever the cache entry contains, the shader is correct. from_disk: 1 if it was read from the cache. */
static void expect_right(struct cache_world *world, const char *what, uint64_t from_disk)
{
    struct vgpu_translator *translator = open_translator(world->dir);
    const struct vgpu_spirv spirv = translate(translator, &agpu_ps_color_4_0);
    const struct vgpu_translator_counts counts = vgpu_translator_counts(translator);

    if (spirv.size != world->spirv_size || memcmp(spirv.words, world->spirv, spirv.size) != 0) {
        fail_msg("%s: what was planted is used", what);
    }
    if (counts.disk_hits != from_disk || counts.translated != 1 - from_disk) {
        fail_msg("%s: expected %u from disk, found %u, and %u translated", what, (unsigned)from_disk,
                 (unsigned)counts.disk_hits, (unsigned)counts.translated);
    }
    vgpu_translator_destroy(translator);
}

static void plant_garbage(struct cache_world *world)
{
    run("head -c 5000 /dev/urandom >%s%s", world->right, "");
}

static void plant_nothing(struct cache_world *world)
{
    write_bytes(world->right, "", 0);
}

static void plant_half(struct cache_world *world)
{
    run("truncate -s 200 %s%s", world->right, "");
}

static void plant_longer(struct cache_world *world)
{
    run("echo more >>%s%s", world->right, "");
}

static void plant_enormous(struct cache_world *world)
{
    run("truncate -s 4G %s%s", world->right, "");
}

static void plant_renamed(struct cache_world *world)
{
    run("cp %s %s", world->other, world->right);
}

/* Stores the other shader under the name and key of this one. */
static void plant_forged(struct cache_world *world)
{
    static uint8_t right[ROOM], other[ROOM];
    const uint32_t size = read_bytes(world->other, other);

    read_bytes(world->right, right);
    memcpy(other + 8, right + 8, 32);
    write_bytes(world->right, other, size);
}

static void plant_link(struct cache_world *world)
{
    run("mv %s %s/kept", world->right, world->dir);
    run("ln -s %s/kept %s", world->dir, world->right);
}

static void plant_fifo(struct cache_world *world)
{
    run("rm %s && mkfifo %s", world->right, world->right);
}

static void plant_folder(struct cache_world *world)
{
    run("rm %s && mkdir -p %s/inside", world->right, world->right);
}

static void plant_terminal(struct cache_world *world)
{
    run("rm %s && ln -s /dev/zero %s", world->right, world->right);
}

GROUP_FIXTURE(scene_required, NULL);

FIXTURE(open_world, close_world);

TEST(believes_nothing_planted)
{
    struct cache_world *world = *state;
    static const struct {
        const char *what;
        void (*plant)(struct cache_world *world);
        bool stays; /* cannot be replaced */
    } rows[] = {
        {"garbage", plant_garbage, false},
        {"an empty file", plant_nothing, false},
        {"half of it", plant_half, false},
        {"more than it", plant_longer, false},
        {"another one's file", plant_renamed, false},
        {"another one's shader", plant_forged, false},
        {"a link to the right file", plant_link, false},
        {"a FIFO", plant_fifo, false},
        {"a link to a device", plant_terminal, false},
        {"4 GiB", plant_enormous, false}, /* makes the directory too large: all its files are removed */
        {"a folder", plant_folder, true},
    };

    expect_right(world, "as it was", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        rows[i].plant(world);
        expect_right(world, rows[i].what, 0);
        expect_right(world, rows[i].what, rows[i].stays ? 0 : 1);
    }
}

/* Seals a file as the renderer does: key, size and words, with the directory's secret. */
static void seal(struct cache_world *world, const uint8_t *words, uint32_t size)
{
    static uint8_t file[ROOM], secret[ROOM];
    char path[64];
    crypto_auth_hmacsha256_state hash;

    snprintf(path, sizeof path, "%s/secret", world->dir);
    assert_int_equal(read_bytes(path, secret), crypto_auth_hmacsha256_KEYBYTES);
    read_bytes(world->right, file);
    memcpy(file + 4, &size, sizeof size);
    crypto_auth_hmacsha256_init(&hash, secret, crypto_auth_hmacsha256_KEYBYTES);
    crypto_auth_hmacsha256_update(&hash, file + 8, 32);
    crypto_auth_hmacsha256_update(&hash, (const uint8_t *)&size, sizeof size);
    crypto_auth_hmacsha256_update(&hash, words, size);
    crypto_auth_hmacsha256_final(&hash, file + SEAL_AT);
    memcpy(file + HEADER_BYTES, words, size);
    write_bytes(world->right, file, HEADER_BYTES + size);
}

/* Invalid SPIR-V does not reach a driver, even with a correct seal. */
TEST(validates_what_it_finds)
{
    struct cache_world *world = *state;
    static uint8_t words[ROOM];
    struct vgpu_translator *translator;

    seal(world, world->spirv, world->spirv_size); /* shows that the test seals as the renderer does */
    expect_right(world, "sealed again", 1);
    memcpy(words, world->spirv, world->spirv_size);
    memset(words + world->spirv_size / 2, 0xA5, 64);
    seal(world, words, world->spirv_size);
    translator = open_translator(world->dir);
    translate(translator, &agpu_ps_color_4_0);
    assert_int_equal(vgpu_translator_counts(translator).distrusted, 1);
    assert_int_equal(vgpu_translator_counts(translator).translated, 1);
    vgpu_translator_destroy(translator);
    expect_right(world, "after invalid words", 1);
}

/* Valid, but of another stage: the draw fails once, the file is removed, and the next draw is correct. */
TEST(forgets_what_failed)
{
    struct cache_world *world = *state;
    static uint8_t other[ROOM];
    const struct vgpu_render_config config = {.cache_dir = world->dir, .time_limit_ms = 20000};
    struct render_scene scene = {.driver = driver_create(), .render = vgpu_render_create(&config)};
    struct vgpu_translator *translator = open_translator(NULL);
    const struct vgpu_spirv vs = translate(translator, &agpu_vs_vertex_id_4_0);

    memcpy(other, vs.words, vs.size);
    seal(world, other, vs.size);
    vgpu_translator_destroy(translator);
    assert_non_null(scene.render);
    vgpu_device_set_renderer(scene.driver->machine->device, vgpu_render_interface(scene.render));
    stream_begin(scene.driver);
    add_texture(scene.driver, COLOR, AEROGPU_FORMAT_R8G8B8A8_UNORM, TARGET, TARGET, 0);
    add_targets(scene.driver, COLOR, 0);
    scene_raster(&scene, AEROGPU_CULL_NONE, 0, 0);
    scene_shaders(&scene, &agpu_vs_vertex_id_4_0, &agpu_ps_color_4_0);
    scene_run(&scene);
    scene_draw(&scene, 3);
    scene_fail(&scene, AEROGPU_ERROR_BACKEND);
    assert_int_not_equal(access(world->right, F_OK), 0);
    add_targets(scene.driver, COLOR, 0);
    scene_draw(&scene, 3);
    scene_expect_all(&scene, WHITE, 0);
    driver_destroy(scene.driver);
    vgpu_render_destroy(scene.render);
    expect_right(world, "after the failure", 1);
}

static void expect_not_kept(const char *dir, const char *why)
{
    struct vgpu_translator *translator = open_translator(dir);

    assert_non_null(vgpu_translator_not_kept(translator));
    assert_non_null(strstr(vgpu_translator_not_kept(translator), why));
    translate(translator, &agpu_ps_color_4_0);
    assert_int_equal(vgpu_translator_counts(translator).translated, 1);
    vgpu_translator_destroy(translator);
}

/* Directories that other users could have written to, and a secret that they could have read. */
TEST(uses_no_folder_of_others)
{
    struct cache_world *world = *state;
    struct stat about;
    char path[64];

    run("chmod 0770 %s%s", world->dir, "");
    expect_not_kept(world->dir, "chmod");
    run("chmod 0700 %s%s", world->dir, "");
    snprintf(path, sizeof path, "%s/link", world->dir);
    assert_int_equal(symlink(world->dir, path), 0);
    expect_not_kept(path, "link");
    if (geteuid() == 0) {
        assert_int_equal(chown(world->dir, 1, 0), 0);
        expect_not_kept(world->dir, "another user");
        assert_int_equal(chown(world->dir, 0, 0), 0);
    }
    expect_right(world, "again ours", 1);
    snprintf(path, sizeof path, "%s/secret", world->dir);
    assert_int_equal(chmod(path, 0644), 0);
    expect_right(world, "after a secret that was open", 0);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    run("rm %s && mkfifo %s", path, path);
    expect_right(world, "after a FIFO for a secret", 0);
    expect_right(world, "after a new secret", 1);
}
