/* sections.c: a growing array of sections (umd.md 12.2, 15). */
#include "umd-port/deferred/sections.h"

#include <string.h>

#include "umd-port/ddi/environment.h"

#define FIRST_ENTRIES 64u

static bool reserve_entries(struct agpu_sections *sections, const struct agpu_umd_environment *env,
                            uint32_t more)
{
    if (more <= sections->room - sections->count) {
        return true;
    }
    uint32_t room = sections->room ? 2 * sections->room : FIRST_ENTRIES;
    if (room < sections->count + more) {
        room = sections->count + more;
    }
    struct agpu_section_entry *entries = env->heap_alloc(env->ctx, room * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    if (sections->count) {
        memcpy(entries, sections->entries, sections->count * sizeof *entries);
    }
    env->heap_free(env->ctx, sections->entries);
    sections->entries = entries;
    sections->room = room;
    return true;
}

bool agpu_sections_add(struct agpu_sections *sections, const struct agpu_umd_environment *env,
                       const struct agpu_alloc_list *list, uint32_t end)
{
    if (!reserve_entries(sections, env, list->count + 1)) {
        return false;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        sections->entries[sections->count++] =
            (struct agpu_section_entry){list->entries[i].handle, list->entries[i].write != 0};
    }
    sections->entries[sections->count++] = (struct agpu_section_entry){0, end};
    return true;
}

uint32_t agpu_section_length(const struct agpu_sections *sections, uint32_t first)
{
    uint32_t count = 0;

    while (sections->entries[first + count].reference) {
        count++;
    }
    return count;
}

void agpu_sections_free(struct agpu_sections *sections, const struct agpu_umd_environment *env)
{
    env->heap_free(env->ctx, sections->entries);
    *sections = (struct agpu_sections){.entries = NULL};
}
