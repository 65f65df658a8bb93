/* required.c: drawing, on a device that must support it (commands.md 14, 15; rig/require.h). */
#include "tests/cases/rig/draws.h"
#include "tests/cases/rig/scene.h"

static void missing_draws(struct agpu_test *t, uint64_t bit, const char *what)
{
    char line[sizeof t->reason];
    struct agpu_text text;

    if ((t->env->requirement.required & bit) != 0) {
        agpu_text_begin(&text, line, sizeof line);
        agpu_requirement_missing(bit, what, &text);
        agpu_check_true(t, false, line, AGPU_HERE);
    }
}

/* A device that must draw must draw a valid triangle with its shaders, not refuse or ignore it. */
static void draws_required(struct agpu_test *t)
{
    t->env->draws_shown = false;
    t->env->draws = AGPU_DRAWS_UNKNOWN; /* this case is about the probe */
    switch (agpu_draws_find(t)) {
    case AGPU_DRAWS_TRIANGLES:
        missing_draws(t, AGPU_REQUIRE_SHADERS, "and it draws vertex data without running shaders");
        break;
    case AGPU_DRAWS_REFUSED:
        missing_draws(t, AGPU_REQUIRE_RASTER, "and it answers a good triangle with ERROR_BACKEND");
        break;
    case AGPU_DRAWS_NOTHING:
        missing_draws(t, AGPU_REQUIRE_RASTER, "and a good triangle leaves its target as it was");
        break;
    case AGPU_DRAWS:
        agpu_check_passed(t);
        if (!t->env->draws_shown) {
            missing_draws(t, AGPU_REQUIRE_RASTER, "and it refuses a good triangle");
        }
        break;
    case AGPU_DRAWS_UNKNOWN: /* the probe has recorded the failure */
        break;
    }
}

static const struct agpu_case render_required_cases[] = {
    AGPU_SCENE_CASE("render.draws.required", "commands.md 14", 0, draws_required),
};

AGPU_CASE_TABLE(agpu_cases_render_required, render_required_cases);
