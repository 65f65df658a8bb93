/* calls.c: compares the calls of a case with its text. */
#include "tests/cases/rig/calls.h"

#include <string.h>

#include "tests/cases/rig/env.h"
#include "tests/cases/rig/spy.h"

#define NEEDED (AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_VBLANK)

static bool is_of(const struct agpu_calls *calls, const char *id)
{
    const size_t length = strlen(calls->id);

    return strncmp(calls->id, id, length) == 0 &&
           (id[length] == '\0' || strncmp(id + length, "_d3d1", 5) == 0);
}

static const char *text_of(const struct agpu_test *test)
{
    for (const struct agpu_calls *calls = agpu_calls; calls->id != NULL; calls++) {
        if (is_of(calls, test->test_case->id)) {
            return calls->text;
        }
    }
    return NULL;
}

/* Returns true if the driver uses all that the texts contain, and no setting or known deviation of the device changes
 * its calls. */
static bool texts_apply(const struct agpu_env *env)
{
    const struct agpu_executor *like = &env->executor;

    return (env->reported.features & NEEDED) == NEEDED && agpu_abi_minor(&env->reported) >= 4 &&
           env->settings.stated == 0 && !like->implicit && !like->first_only && !like->no_depth &&
           !like->six_layers && !like->no_views;
}

void agpu_calls_begin(struct agpu_test *test)
{
    if (text_of(test) != NULL) {
        agpu_spy_begin(AGPU_SPY_ALL & ~AGPU_SPY_WAITS);
    }
}

void agpu_calls_end(struct agpu_test *test)
{
    const char *text = text_of(test);

    if (text != NULL && test->result == AGPU_PASS && texts_apply(test->env)) {
        agpu_check_calls(test, text);
    }
}
