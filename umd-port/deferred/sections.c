/* sections.c: a growing array of sections (uses.h). */
#include "umd-port/deferred/sections.h"

#include <string.h>

#include "umd-port/ddi/environment.h"

#define FIRST_ENTRIES 64u

static bool reserve(struct agpu_uses *uses, const struct agpu_umd_environment *env, uint32_t more)
{
    if (more <= uses->room - uses->count) {
        return true;
    }
    uint32_t room = uses->room ? 2 * uses->room : FIRST_ENTRIES;
    if (room < uses->count + more) {
        room = uses->count + more;
    }
    struct agpu_use *at = env->heap_alloc(env->ctx, room * sizeof *at);
    if (at == NULL) {
        return false;
    }
    if (uses->count) {
        memcpy(at, uses->at, uses->count * sizeof *at);
    }
    env->heap_free(env->ctx, uses->at);
    uses->at = at;
    uses->room = room;
    return true;
}

bool agpu_uses_close(struct agpu_uses *uses, const struct agpu_umd_environment *env,
                     const struct agpu_alloc_list *list, uint32_t end)
{
    if (!reserve(uses, env, list->count + 1)) {
        return false;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        uses->at[uses->count++] = (struct agpu_use){list->entries[i].handle, list->entries[i].write != 0};
    }
    uses->at[uses->count++] = (struct agpu_use){0, end};
    return true;
}

uint32_t agpu_uses_in_section(const struct agpu_uses *uses, uint32_t first)
{
    uint32_t count = 0;

    while (uses->at[first + count].reference) {
        count++;
    }
    return count;
}

void agpu_uses_release(struct agpu_uses *uses, const struct agpu_umd_environment *env)
{
    env->heap_free(env->ctx, uses->at);
    *uses = (struct agpu_uses){.at = NULL};
}
