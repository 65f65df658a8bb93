/* handles.c: handles of resources, views and shaders (commands.md 2). */
#include "tests/cases/reference/handles.h"

#include "tests/cases/reference/memory.h"

struct agpu_ref_object *agpu_ref_find(struct agpu_ref *ref, enum agpu_ref_table table, uint32_t handle)
{
    struct agpu_ref_object *object = ref->objects[table][handle % AGPU_REF_BUCKETS];

    while (object != NULL && object->handle != handle) {
        object = object->next;
    }
    return object;
}

struct agpu_ref_resource *agpu_ref_named(struct agpu_ref *ref, uint32_t handle)
{
    const struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_RESOURCES, handle);

    return object != NULL && object->kind == AGPU_REF_RESOURCE ? object->resource : NULL;
}

struct agpu_ref_resource *agpu_ref_texture(struct agpu_ref *ref, uint32_t handle,
                                           struct agpu_ref_level *level, uint32_t *format)
{
    const struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_RESOURCES, handle);

    if (object == NULL || object->resource == NULL || !object->resource->texture ||
        (object->kind != AGPU_REF_RESOURCE && object->kind != AGPU_REF_VIEW)) {
        return NULL;
    }
    *format = object->kind == AGPU_REF_VIEW ? object->format : object->resource->format;
    *level = agpu_ref_level_of(object->resource, object->mip, object->layer);
    return object->resource;
}

struct agpu_ref_object *agpu_ref_add(struct agpu_ref *ref, enum agpu_ref_table table, uint32_t handle,
                                     enum agpu_ref_kind kind)
{
    struct agpu_ref_object **bucket = &ref->objects[table][handle % AGPU_REF_BUCKETS];
    struct agpu_ref_object *object = agpu_ref_alloc(ref, sizeof *object);

    agpu_ref_touch(ref);
    if (object == NULL) {
        ref->lost = true;
        return NULL;
    }
    *object = (struct agpu_ref_object){.next = *bucket, .handle = handle, .kind = kind};
    *bucket = object;
    return object;
}

void agpu_ref_remove(struct agpu_ref *ref, enum agpu_ref_table table, uint32_t handle)
{
    struct agpu_ref_object **at = &ref->objects[table][handle % AGPU_REF_BUCKETS];

    while (*at != NULL && (*at)->handle != handle) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        struct agpu_ref_object *object = *at;

        agpu_ref_touch(ref);
        *at = object->next;
        agpu_ref_free(ref, object, sizeof *object);
    }
}

void agpu_ref_empty(uint32_t *slots, size_t count, size_t stride, uint32_t handle)
{
    for (size_t i = 0; i < count; i++) {
        if (slots[i * stride] == handle) {
            slots[i * stride] = 0;
        }
    }
}

void agpu_ref_unbind(struct agpu_ref *ref, uint32_t handle)
{
    struct agpu_ref_pipeline *pipeline = &ref->pipeline;

    agpu_ref_empty(pipeline->colors, AEROGPU_MAX_RENDER_TARGETS, 1, handle);
    agpu_ref_empty(&pipeline->depth, 1, 1, handle);
    agpu_ref_empty(&pipeline->index_buffer, 1, 1, handle);
    agpu_ref_empty(&pipeline->vertices[0].buffer, 32, sizeof pipeline->vertices[0] / 4, handle);
    agpu_ref_empty(&pipeline->textures[0][0], AGPU_REF_STAGES * 128, 1, handle);
    agpu_ref_empty(&pipeline->constants[0][0].buffer, AGPU_REF_STAGES * 14,
                   sizeof pipeline->constants[0][0] / 4, handle);
    agpu_ref_empty(&pipeline->writable[0][0], AGPU_REF_STAGES * 8, 1, handle);
}

uint32_t agpu_ref_stage(const struct agpu_ref *ref, uint32_t stage, uint32_t extended)
{
    static const uint8_t stages[] = {AGPU_REF_COMPUTE, AGPU_REF_STAGES, AGPU_REF_GEOMETRY,
                                     AGPU_REF_HULL,    AGPU_REF_DOMAIN, AGPU_REF_COMPUTE};

    if (stage != AEROGPU_SHADER_STAGE_COMPUTE) {
        return stage <= AEROGPU_SHADER_STAGE_GEOMETRY ? stage : AGPU_REF_STAGES;
    }
    if (ref->work.minor < AEROGPU_STAGE_EX_MIN_ABI_MINOR) {
        return AGPU_REF_COMPUTE;
    }
    return extended <= AEROGPU_SHADER_STAGE_EX_COMPUTE ? stages[extended] : AGPU_REF_STAGES;
}
