/* list_body.c: memory and references of command lists. */
#include "umd-port/deferred/list_body.h"

#include <string.h>

#include "umd-port/ddi/environment.h"

#define FIRST_ENTRIES 64u

struct agpu_list_body *agpu_list_new(const struct agpu_umd_environment *env)
{
    struct agpu_list_body *body = env->heap_alloc(env->ctx, sizeof *body);

    if (body != NULL) {
        *body = (struct agpu_list_body){.references = 1, .env = env};
    }
    return body;
}

void agpu_list_ref(struct agpu_list_body *body)
{
    /* Relaxed: the caller has a reference through another handle. */
    __atomic_fetch_add(&body->references, 1, __ATOMIC_RELAXED);
}

bool agpu_list_is_sole(const struct agpu_list_body *body)
{
    /* Acquire: another handle's last use of the list happens before its memory is reused. */
    return __atomic_load_n(&body->references, __ATOMIC_ACQUIRE) == 1;
}

void agpu_list_empty(struct agpu_list_body *body)
{
    for (uint32_t i = 0; i < body->ref_count; i++) {
        if (body->refs[i].object != NULL) {
            agpu_shared_object_unref(body->refs[i].object);
        }
    }
    body->ref_count = body->fixup_count = body->sections.count = 0;
    body->stream_bytes = 0;
    agpu_arena_reset(&body->arena);
}

void agpu_list_unref(struct agpu_list_body *body)
{
    const struct agpu_umd_environment *env = body->env;

    /* Release and acquire: all uses through any handle happen before the last one frees the list. */
    if (__atomic_sub_fetch(&body->references, 1, __ATOMIC_ACQ_REL)) {
        return;
    }
    agpu_list_empty(body);
    agpu_arena_free(&body->arena, env);
    agpu_sections_free(&body->sections, env);
    env->heap_free(env->ctx, body->stream);
    env->heap_free(env->ctx, body->refs);
    env->heap_free(env->ctx, body->handles);
    env->heap_free(env->ctx, body->fixups);
    env->heap_free(env->ctx, body);
}

/* Returns a block of twice the entries, with the present ones copied, and frees the old one. NULL: no memory. */
static void *enlarge_array(const struct agpu_umd_environment *env, void *old, uint32_t used, uint32_t room,
                           size_t entry_bytes)
{
    void *memory = env->heap_alloc(env->ctx, room * entry_bytes);

    if (memory == NULL) {
        return NULL;
    }
    if (used) {
        memcpy(memory, old, used * entry_bytes);
    }
    env->heap_free(env->ctx, old);
    return memory;
}

bool agpu_list_add_fixup(struct agpu_list_body *body, uint32_t offset, enum agpu_fixup kind)
{
    if (body->fixup_count == body->fixup_room) {
        uint32_t room = body->fixup_room ? 2 * body->fixup_room : FIRST_ENTRIES;
        uint32_t *fixups = enlarge_array(body->env, body->fixups, body->fixup_count, room, sizeof *fixups);

        if (fixups == NULL) {
            return false;
        }
        body->fixups = fixups;
        body->fixup_room = room;
    }
    body->fixups[body->fixup_count++] = offset | (uint32_t)kind;
    return true;
}

uint32_t agpu_list_add_reference(struct agpu_list_body *body, struct agpu_shared_object *object,
                                 enum agpu_shared_kind kind)
{
    if (body->ref_count == body->ref_room) {
        uint32_t room = body->ref_room ? 2 * body->ref_room : FIRST_ENTRIES;
        uint32_t *handles = enlarge_array(body->env, body->handles, 0, room, sizeof *handles);

        if (handles == NULL) {
            return 0;
        }
        body->handles = handles;
        struct agpu_list_reference *refs =
            enlarge_array(body->env, body->refs, body->ref_count, room, sizeof *refs);
        if (refs == NULL) {
            return 0;
        }
        body->refs = refs;
        body->ref_room = room;
    }
    body->refs[body->ref_count] = (struct agpu_list_reference){.object = object, .kind = (uint32_t)kind};
    return ++body->ref_count;
}

void agpu_list_ref_objects(struct agpu_list_body *body)
{
    for (uint32_t i = 0; i < body->ref_count; i++) {
        if (body->refs[i].object != NULL) {
            agpu_shared_object_ref(body->refs[i].object);
        }
    }
}
