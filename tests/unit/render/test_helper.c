/* A translation process that misbehaves costs the shader, never the renderer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/device/render/translate.h"
#include "tests/shaders/shaders.h"

static bool ask(struct agpu_translator *translator, const char **why)
{
    static struct agpu_dxbc dxbc;
    struct agpu_spirv spirv;
    const struct agpu_shader_blob *shader = &agpu_ps_color_4_0;
    assert_null(agpu_dxbc_read(shader->words, shader->size_bytes, &dxbc));
    return agpu_translate(translator, shader->words, shader->size_bytes, &dxbc, NULL, 0, &spirv, why);
}

static struct agpu_translator *open_fake(const char *mode, uint32_t limit_ms)
{
    const struct agpu_translator_config config = {.helper = AGPU_FAKE_HELPER, .time_limit_ms = limit_ms};
    struct agpu_translator *translator = agpu_translator_create(&config);
    assert_non_null(translator);
    assert_int_equal(setenv("AGPU_FAKE_HELPER", mode, 1), 0);
    return translator;
}

/* One that crashed is not asked the same again, and how it ended is said. */
static void crashes(void **state)
{
    (void)state;
    struct agpu_translator *translator = open_fake("crash", 0);
    const char *why;
    assert_false(ask(translator, &why));
    assert_non_null(strstr(why, "signal 6"));
    assert_false(ask(translator, &why));
    assert_non_null(strstr(why, "failed before"));
    assert_int_equal(agpu_translator_counts(translator).killed, 1);
    agpu_translator_destroy(translator);
}

static void refuses(void **state)
{
    (void)state;
    struct agpu_translator *translator = open_fake("refuse", 0);
    const char *why;
    assert_false(ask(translator, &why));
    assert_string_equal(why, "not this one");
    assert_int_equal(agpu_translator_counts(translator).failed, 1);
    assert_int_equal(agpu_translator_counts(translator).killed, 0);
    assert_false(ask(translator, &why));
    assert_int_equal(agpu_translator_counts(translator).memory_hits, 1);
    agpu_translator_destroy(translator);
}

/* Sizes that are no sizes, and an answer that stops in the middle. */
static void answers_nonsense(void **state)
{
    (void)state;
    static const char *const modes[] = {"huge", "odd", "long_text", "short"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct agpu_translator *translator = open_fake(modes[i], 0);
        const char *why;
        assert_false(ask(translator, &why));
        assert_non_null(strstr(why, "exit status 3"));
        assert_int_equal(agpu_translator_counts(translator).killed, 1);
        agpu_translator_destroy(translator);
    }
}

/* Being late may be the machine's fault: the shader gets another chance. */
static void is_late(void **state)
{
    (void)state;
    struct agpu_translator *translator = open_fake("late", 200);
    const char *why;
    for (uint64_t times = 1; times <= 2; times++) {
        assert_false(ask(translator, &why));
        assert_non_null(strstr(why, "more than 200 ms"));
        assert_int_equal(agpu_translator_counts(translator).killed, times);
    }
    agpu_translator_destroy(translator);
}

static void is_missing(void **state)
{
    (void)state;
    const struct agpu_translator_config config = {0};
    const char *why;
    assert_int_equal(setenv("AGPU_SHADERC", "/nonexistent/agpu-shaderc", 1), 0);
    struct agpu_translator *translator = agpu_translator_create(&config);
    assert_non_null(translator);
    assert_false(ask(translator, &why));
    assert_non_null(strstr(why, "found none"));
    agpu_translator_destroy(translator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crashes), cmocka_unit_test(refuses),    cmocka_unit_test(answers_nonsense),
        cmocka_unit_test(is_late), cmocka_unit_test(is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
