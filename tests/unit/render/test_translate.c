/* test_translate.c: the translation process: results, caches, and that no input affects more than the process
 * itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/render/translate.h"
#include "tests/unit/render/mutate.h"
#include "tests/unit/test.h"

static struct vgpu_translator *open_translator(const char *cache_dir)
{
    struct vgpu_translator_config config = {.cache_dir = cache_dir};
    struct vgpu_translator *translator = vgpu_translator_create(&config);

    assert_non_null(translator);
    return translator;
}

static bool translate(struct vgpu_translator *translator, const struct agpu_shader_blob *shader,
                      struct vgpu_spirv *spirv, const char **why)
{
    static struct vgpu_dxbc dxbc, hull;

    assert_null(vgpu_dxbc_read(shader->words, shader->size_bytes, &dxbc));
    assert_null(vgpu_dxbc_read(agpu_hs_triangle_5_0.words, agpu_hs_triangle_5_0.size_bytes, &hull));
    return vgpu_translate(translator, shader->words, shader->size_bytes, &dxbc,
                          dxbc.type == VGPU_DXBC_DOMAIN ? &hull : NULL, dxbc.type, spirv, why);
}

/* Skips the program without the translator. */
static int translator_required(void **state)
{
    (void)state;
    struct vgpu_translator *translator = open_translator(NULL);
    struct vgpu_spirv spirv;
    const char *why;

    if (!translate(translator, &agpu_ps_color_4_0, &spirv, &why) && strstr(why, "found none") != NULL) {
        printf("SKIP: %s\n", why);
        vgpu_translator_destroy(translator);
        exit(77);
    }
    vgpu_translator_destroy(translator);
    return 0;
}

GROUP_FIXTURE(translator_required, NULL);

TEST(translates_test_shaders)
{
    struct vgpu_translator *translator = open_translator(NULL);
    struct vgpu_spirv spirv;
    const char *why;
#define TRANSLATE(name)                                                                                      \
    if (!translate(translator, &agpu_##name, &spirv, &why)) {                                                \
        fail_msg("%s: %s", #name, why);                                                                      \
    }                                                                                                        \
    assert_int_equal(spirv.words[0], 0x07230203);
    AGPU_SHADER_BLOBS(TRANSLATE)
#undef TRANSLATE
    assert_int_equal(vgpu_translator_counts(translator).killed, 0);
    vgpu_translator_destroy(translator);
}

TEST(caches_in_memory_and_on_disk)
{
    char dir[] = "/tmp/agpu-spirv-XXXXXX", inner[64], command[256];
    struct vgpu_spirv spirv;
    const char *why;
    assert_non_null(mkdtemp(dir));
    snprintf(inner, sizeof inner, "%s/a/b", dir);
    for (int round = 0; round < 2; round++) {
        struct vgpu_translator *translator = open_translator(inner);

        for (int again = 0; again < 3; again++) {
            assert_true(translate(translator, &agpu_ps_color_4_0, &spirv, &why));
        }
        struct vgpu_translator_counts counts = vgpu_translator_counts(translator);
        assert_int_equal(counts.translated, round == 0);
        assert_int_equal(counts.disk_hits, round == 1);
        assert_int_equal(counts.memory_hits, 2);
        vgpu_translator_destroy(translator);
    }
    /* A damaged cache file is not used. */
    snprintf(
        command, sizeof command,
        "for f in %s/*; do printf x >>$f; printf y | dd of=$f bs=1 seek=200 conv=notrunc 2>/dev/null; done",
        inner);
    assert_int_equal(system(command), 0);
    struct vgpu_translator *translator = open_translator(inner);
    assert_true(translate(translator, &agpu_ps_color_4_0, &spirv, &why));
    assert_int_equal(vgpu_translator_counts(translator).translated, 1);
    vgpu_translator_destroy(translator);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

TEST(missing_helper_is_reported)
{
    struct vgpu_translator_config config = {.helper = "/nonexistent/agpu-shaderc"};
    struct vgpu_translator *translator = vgpu_translator_create(&config);
    struct vgpu_spirv spirv;
    const char *why = NULL;
    assert_false(translate(translator, &agpu_ps_color_4_0, &spirv, &why));
    assert_non_null(strstr(why, "agpu-shaderc"));
    vgpu_translator_destroy(translator);
}

/* A helper that never answers is killed after its time limit. */
TEST(bounds_the_time)
{
    struct vgpu_translator_config config = {.helper = "/bin/cat", .time_limit_ms = 50};
    struct vgpu_translator *translator = vgpu_translator_create(&config);
    struct vgpu_spirv spirv;
    const char *why = NULL;
    /* cat sends no greeting: the wait for it must end. */
    assert_false(translate(translator, &agpu_ps_color_4_0, &spirv, &why));
    vgpu_translator_destroy(translator);
}

/* Helpers that fail in each way: the reported reason, and whether the shader is stored as bad. */
TEST(failed_helper_is_reported)
{
    static const struct {
        const char *mode, *why;
        bool remembered;
    } rows[] = {{"mute", "does not start", false},
                {"stranger", "does not start", false},
                {"silent", "needed more than 100 ms", false},
                {"exit", "crashed: exit status 3", true},
                {"cut", "crashed: exit status 3", true},
                {"huge", "crashed", true},
                {"odd", "crashed", true},
                {"refuse", "a bad shader.", true}};
    struct vgpu_translator_config config = {.helper = FAKE_SHADERC_BUILT, .time_limit_ms = 100};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vgpu_spirv spirv;
        const char *why = "";

        setenv("AGPU_SHADERC_FAKE", rows[i].mode, 1);
        struct vgpu_translator *translator = vgpu_translator_create(&config);
        assert_non_null(translator);
        bool done = translate(translator, &agpu_ps_color_4_0, &spirv, &why);
        if (done || strstr(why, rows[i].why) == NULL) {
            fail_msg("%s: expected \"%s\", found \"%s\"", rows[i].mode, rows[i].why, why);
        }
        assert_false(translate(translator, &agpu_ps_color_4_0, &spirv, &why));
        if (rows[i].remembered != (strstr(why, "failed before") != NULL)) {
            fail_msg("%s, again: found \"%s\"", rows[i].mode, why);
        }
        struct vgpu_translator_counts counts = vgpu_translator_counts(translator);
        assert_int_equal(counts.translated, 0);
        assert_int_equal(counts.failed, strcmp(rows[i].mode, "refuse") == 0);
        vgpu_translator_destroy(translator);
    }
    unsetenv("AGPU_SHADERC_FAKE");
}

/* A mutant that passes the token check may crash the translator: the parent gets an error and continues. */
TEST(survives_mutants)
{
    static uint32_t words[AGPU_MUTANT_WORDS];
    static struct vgpu_dxbc dxbc;
    struct vgpu_translator *translator = open_translator(NULL);
    struct vgpu_spirv spirv;
    const char *why;
    uint32_t good = 0, bad = 0, rounds = 0;
    for (uint32_t seed = 1000000; rounds < 600; seed++) {
        uint32_t size = agpu_mutant(agpu_any_shader(seed), seed, words);

        if (vgpu_dxbc_read(words, size, &dxbc) != NULL) {
            continue;
        }
        rounds++;
        if (vgpu_translate(translator, words, size, &dxbc, dxbc.type == VGPU_DXBC_DOMAIN ? &dxbc : NULL, 0,
                           &spirv, &why)) {
            good++;
        } else {
            bad++;
        }
    }
    struct vgpu_translator_counts counts = vgpu_translator_counts(translator);
    print_message(
        "of %u mutants that pass the token check %u are translated, %u refused; %llu took the process down\n",
        rounds, good, bad, (unsigned long long)counts.killed);
    /* Afterwards valid shaders still work. */
    assert_true(translate(translator, &agpu_vs_transform_5_0, &spirv, &why));
    vgpu_translator_destroy(translator);
}
