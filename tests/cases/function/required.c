/* required.c: what this device must have is there (device.md 4.1, commands.md 13, 14; require.h says what is
 * asked of which device). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/scene.h"

static void fail_missing(struct agpu_test *t, uint64_t bit, const char *what)
{
    char buffer[sizeof t->reason];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_requirement_names(bit, &text);
    agpu_text_string(&text, what);
    agpu_text_string(&text, "; a device that is meant to lack it is run with require=default,-");
    agpu_requirement_word(bit, &text);
    agpu_check_true(t, false, buffer, AGPU_HERE);
}

static void features_required(struct agpu_test *t)
{
    uint64_t missing = t->env->requirement.required & ~t->env->abi.features;

    for (uint64_t bit = 1; bit < AGPU_REQUIRE_RASTER; bit <<= 1) {
        if (missing & bit) {
            fail_missing(t, bit, " is required of this device, and its bit in FEATURES is 0 (device.md 4.1)");
        }
    }
}

static void draws_required(struct agpu_test *t)
{
    uint64_t required = t->env->requirement.required;

    if (!agpu_scene_possible(t) && (required & AGPU_REQUIRE_SHADERS)) {
        fail_missing(t, AGPU_REQUIRE_SHADERS,
                     t->env->draws == AGPU_DRAWS_REFUSED
                         ? " is required of this device, and it answers a good triangle with ERROR_BACKEND"
                         : " is required of this device, and a good triangle leaves its target as it was");
    }
}

static const struct agpu_case cases[] = {
    {.id = "discovery.features.required",
     .spec = "device.md 4.1",
     .needs = AGPU_NEED_FUNCTION,
     .run = features_required},
    {.id = "discovery.features.legacy_required",
     .spec = "legacy.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_LEGACY,
     .run = features_required},
    AGPU_SCENE_CASE("discovery.draws.required", "commands.md 14", 0, draws_required),
};

AGPU_CASE_TABLE(agpu_cases_function_required, cases);
