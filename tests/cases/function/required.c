/* required.c: the features that this device must have (device.md 4.1; rig/require.h lists the requirements by
 * device). */
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

/* FEATURES must have the bit of every feature that the run's requirements name. */
static void features_required(struct agpu_test *t)
{
    const uint64_t required = t->env->requirement.required;
    char line[sizeof t->reason];
    struct agpu_text text;

    for (uint64_t bit = 1; bit < AGPU_REQUIRE_VIEWS; bit <<= 1) {
        agpu_text_begin(&text, line, sizeof line);
        agpu_requirement_missing(bit, "and its bit in FEATURES is 0 (device.md 4.1)", &text);
        agpu_check_true(t, (required & bit & ~t->env->abi.features) == 0, line, AGPU_HERE);
    }
}

static const struct agpu_case function_required_cases[] = {
    {.id = "discovery.features.required",
     .spec = "device.md 4.1",
     .needs = AGPU_NEED_FUNCTION,
     .run = features_required},
    {.id = "discovery.features.legacy_required",
     .spec = "legacy.md 1",
     .needs = AGPU_NEED_FUNCTION,
     .flags = AGPU_CASE_LEGACY,
     .run = features_required},
};

AGPU_CASE_TABLE(agpu_cases_function_required, function_required_cases);
