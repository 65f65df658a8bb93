/* usage_records.c: object records of a usage layer (umd.md 19). */
#include "mm/runtime/usage_records.h"

#include <string.h>

bool agpu_usage_refuses(struct agpu_usage *usage, const char *rule)
{
    if (rule == NULL || usage->off) {
        return false;
    }
    if (usage->refusals.count++ == 0) {
        usage->refusals.first = rule;
    }
    return true;
}

/* ---- objects ---- */

static struct agpu_usage_object **find_link(struct agpu_usage *usage, const void *handle)
{
    struct agpu_usage_object **link = &usage->objects[((uintptr_t)handle / 16u) % AGPU_USAGE_BUCKETS];

    while (*link != NULL && (*link)->handle != handle) {
        link = &(*link)->next;
    }
    return link;
}

struct agpu_usage_object *agpu_usage_find(const struct agpu_usage *usage, const void *handle)
{
    struct agpu_usage_object *object = usage->objects[((uintptr_t)handle / 16u) % AGPU_USAGE_BUCKETS];

    while (object != NULL && object->handle != handle) {
        object = object->next;
    }
    return object;
}

struct agpu_usage_object *agpu_usage_resource_behind(const struct agpu_usage *usage, const void *handle)
{
    struct agpu_usage_object *object = agpu_usage_find(usage, handle);

    return object != NULL && object->view ? agpu_usage_find(usage, object->of) : object;
}

struct agpu_usage_object *agpu_usage_add(struct agpu_usage *usage, const void *handle)
{
    agpu_usage_remove(usage, handle);
    struct agpu_usage_object *object = agpu_memory_alloc(usage->memory, sizeof *object);
    if (object != NULL) {
        object->handle = handle;
        *find_link(usage, handle) = object;
    }
    return object;
}

static void empty_slots(const void **slots, uint32_t count, const void *handle)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i] == handle) {
            slots[i] = NULL;
        }
    }
}

void agpu_usage_remove(struct agpu_usage *usage, const void *handle)
{
    struct agpu_usage_object **link = find_link(usage, handle);
    struct agpu_usage_object *object = *link;

    if (object == NULL) {
        return;
    }
    *link = object->next;
    usage->mapped -= object->mapped;
    empty_slots(usage->vertex, AGPU_DDI_VERTEX_BUFFER_SLOTS, handle);
    empty_slots(&usage->index, 1, handle);
    for (uint32_t stage = 0; stage < AGPU_USAGE_STAGES; stage++) {
        empty_slots(usage->constants[stage], AGPU_DDI_CONSTANT_BUFFER_SLOTS, handle);
        empty_slots(usage->views[stage], AGPU_DDI_SHADER_RESOURCE_SLOTS, handle);
    }
    agpu_memory_free(usage->memory, object, sizeof *object);
}

void agpu_usage_forget_bound(struct agpu_usage *usage)
{
    if (usage != NULL) {
        memset(usage->vertex, 0, sizeof usage->vertex);
        memset(usage->constants, 0, sizeof usage->constants);
        memset(usage->views, 0, sizeof usage->views);
        usage->index = NULL;
    }
}

void agpu_usage_leave(struct agpu_usage *usage)
{
    agpu_layer_leave(AGPU_LAYER_USAGE, &usage->layer);
    for (struct agpu_usage_object **link = usage->objects; link != usage->objects + AGPU_USAGE_BUCKETS;
         link++) {
        while (*link != NULL) {
            agpu_usage_remove(usage, (*link)->handle);
        }
    }
}
