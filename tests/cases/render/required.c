/* required.c: draws, where this device must have them (commands.md 14, 15; rig/require.h). */
#include "tests/cases/rig/scene.h"

static void draws_required(struct agpu_test *t)
{
    char line[sizeof t->reason];
    struct agpu_text text;

    if (agpu_scene_possible(t) || !(t->env->requirement.required & AGPU_REQUIRE_SHADERS)) {
        return;
    }
    agpu_text_begin(&text, line, sizeof line);
    agpu_requirement_missing(AGPU_REQUIRE_SHADERS,
                             t->env->draws == AGPU_DRAWS_REFUSED
                                 ? "and it answers a good triangle with ERROR_BACKEND"
                                 : "and a good triangle leaves its target as it was",
                             &text);
    agpu_check_true(t, false, line, AGPU_HERE);
}

static const struct agpu_case cases[] = {
    AGPU_SCENE_CASE("render.draws.required", "commands.md 14", 0, draws_required),
};

AGPU_CASE_TABLE(agpu_cases_render_required, cases);
