/* objects.c: handles, resources, texture views, tokens of shared surfaces (commands.md 2, 6.1, 12). */
#include "tests/cases/reference/objects.h"

#include <string.h>

#include "tests/cases/reference/content.h"
#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/memory.h"
#include "tests/cases/reference/packets.h"

static struct agpu_ref_token *find_token(struct agpu_ref *ref, uint64_t number)
{
    struct agpu_ref_token *token = ref->tokens;

    while (token != NULL && token->token != number) {
        token = token->next;
    }
    return token;
}

enum aerogpu_error agpu_ref_export(struct agpu_ref *ref, const struct aerogpu_cmd_export_shared_surface *cmd)
{
    struct agpu_ref_resource *resource = agpu_ref_named(ref, cmd->resource_handle);
    struct agpu_ref_token *token = find_token(ref, cmd->share_token);

    if (resource == NULL || cmd->share_token == 0 || (token != NULL && token->resource != resource)) {
        return AGPU_REF_INVALID;
    }
    if (token == NULL) {
        agpu_ref_touch(ref);
        token = agpu_ref_alloc(ref, sizeof *token);
        if (token == NULL) {
            ref->lost = true;
            return AEROGPU_ERROR_NONE;
        }
        *token =
            (struct agpu_ref_token){.next = ref->tokens, .token = cmd->share_token, .resource = resource};
        ref->tokens = token;
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_import(struct agpu_ref *ref, const struct aerogpu_cmd_import_shared_surface *cmd)
{
    const struct agpu_ref_token *token = find_token(ref, cmd->share_token);
    struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_RESOURCES, cmd->out_resource_handle);

    if (cmd->out_resource_handle == 0 || cmd->share_token == 0 || token == NULL || token->resource == NULL) {
        return AGPU_REF_INVALID;
    }
    if (object != NULL) {
        return object->kind == AGPU_REF_RESOURCE && object->resource == token->resource ? AEROGPU_ERROR_NONE
                                                                                        : AGPU_REF_INVALID;
    }
    object = agpu_ref_add(ref, AGPU_REF_RESOURCES, cmd->out_resource_handle, AGPU_REF_RESOURCE);
    if (object != NULL) {
        object->resource = token->resource;
        object->resource->references++;
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_release_token(struct agpu_ref *ref,
                                          const struct aerogpu_cmd_release_shared_surface *cmd)
{
    struct agpu_ref_token *token = find_token(ref, cmd->share_token);

    if (token != NULL) {
        agpu_ref_touch(ref);
        token->resource = NULL;
    }
    return AEROGPU_ERROR_NONE;
}

/* Retires the tokens of a resource that dies. */
static void retire_tokens(struct agpu_ref *ref, const struct agpu_ref_resource *resource)
{
    for (struct agpu_ref_token *token = ref->tokens; token != NULL; token = token->next) {
        token->resource = token->resource == resource ? NULL : token->resource;
    }
}

/* Contents of all resources; more is BACKEND (device.md 4.10). */
#define CONTENTS_MOST (UINT64_C(1) << 30)

/* The ring reset drops everything at once. Predicted writes that are not compared yet go too: they are in memory. */
void agpu_ref_clear_objects(struct agpu_ref *ref)
{
    ref->heap.used = 0;
    for (unsigned i = 0; i < AGPU_REF_BINS; i++) {
        ref->heap.free[i] = NULL;
    }
    for (unsigned i = 0; i < AGPU_REF_BUCKETS; i++) {
        for (unsigned table = 0; table < AGPU_REF_TABLES; table++) {
            ref->objects[table][i] = NULL;
        }
        ref->chunks[i] = NULL;
    }
    ref->last_chunk = NULL;
    ref->resources = NULL;
    ref->tokens = NULL;
    ref->contents = 0;
    ref->unresolved = 0;
    ref->structure_touched = ref->lost = false;
    memset(&ref->pipeline, 0, sizeof ref->pipeline);
    ref->pipeline.topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
    ref->pipeline.blend.color_write_mask = 0xF;
    ref->pipeline.blend.sample_mask = UINT32_MAX;
    ref->pipeline.depth_state = (struct aerogpu_depth_stencil_state){
        .depth_enable = 1, .depth_write_enable = 1, .depth_func = AEROGPU_COMPARE_LESS};
    ref->pipeline.raster.cull_mode = AEROGPU_CULL_BACK;
}

/* Binds a live handle to other memory. wanted has the immutable properties; false: they differ. */
static bool rebind(struct agpu_ref_resource *resource, const struct agpu_ref_resource *wanted)
{
    if (resource == NULL || resource->texture != wanted->texture || resource->size != wanted->size ||
        resource->usage != wanted->usage || resource->format != wanted->format ||
        resource->width != wanted->width || resource->height != wanted->height ||
        resource->mips != wanted->mips || resource->layers != wanted->layers ||
        resource->pitch != wanted->pitch) {
        return false;
    }
    resource->alloc_id = wanted->alloc_id;
    resource->alloc_offset = wanted->alloc_offset;
    return true;
}

/* Creates or rebinds a resource; wanted is complete but for its contents. */
static enum aerogpu_error create(struct agpu_ref *ref, const struct agpu_ref_resource *wanted)
{
    struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_RESOURCES, wanted->handle);
    struct agpu_ref_resource *resource;
    uint64_t address = 0;

    if (wanted->alloc_id != 0 &&
        !agpu_ref_backing(ref, wanted->alloc_id, wanted->alloc_offset, wanted->size, false, &address)) {
        return AGPU_REF_INVALID;
    }
    if (object != NULL) {
        agpu_ref_touch(ref);
        return object->kind == AGPU_REF_RESOURCE && rebind(object->resource, wanted) ? AEROGPU_ERROR_NONE
                                                                                     : AGPU_REF_INVALID;
    }
    if (wanted->size > CONTENTS_MOST - ref->contents) {
        return AEROGPU_ERROR_BACKEND;
    }
    object = agpu_ref_add(ref, AGPU_REF_RESOURCES, wanted->handle, AGPU_REF_RESOURCE);
    resource = agpu_ref_alloc(ref, sizeof *resource);
    if (object == NULL || resource == NULL) {
        ref->lost = true;
        return AEROGPU_ERROR_NONE;
    }
    *resource = *wanted;
    resource->next = ref->resources;
    ref->resources = resource;
    resource->references = 1;
    resource->bytes = agpu_ref_alloc(ref, resource->size);
    ref->contents += resource->size;
    object->resource = resource;
    if (resource->alloc_id != 0) {
        agpu_ref_load(ref, resource, address, 0, resource->size);
    }
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_create_buffer(struct agpu_ref *ref, const struct aerogpu_cmd_create_buffer *cmd)
{
    const struct agpu_ref_resource wanted = {.handle = cmd->buffer_handle,
                                             .usage = cmd->usage_flags,
                                             .size = cmd->size_bytes,
                                             .alloc_id = cmd->backing_alloc_id,
                                             .alloc_offset = cmd->backing_offset_bytes};

    if (cmd->buffer_handle == 0 || cmd->size_bytes == 0 || cmd->size_bytes % 4 != 0) {
        return AGPU_REF_INVALID;
    }
    return create(ref, &wanted);
}

enum aerogpu_error agpu_ref_create_texture(struct agpu_ref *ref,
                                           const struct aerogpu_cmd_create_texture2d *cmd)
{
    struct agpu_ref_resource wanted = {.handle = cmd->texture_handle,
                                       .texture = true,
                                       .usage = cmd->usage_flags,
                                       .format = cmd->format,
                                       .width = cmd->width,
                                       .height = cmd->height,
                                       .mips = cmd->mip_levels,
                                       .layers = cmd->array_layers,
                                       .pitch = cmd->row_pitch_bytes,
                                       .alloc_id = cmd->backing_alloc_id,
                                       .alloc_offset = cmd->backing_offset_bytes};
    const uint32_t longer = cmd->width > cmd->height ? cmd->width : cmd->height;
    uint32_t edge, bytes, chain = 0;

    while (chain < 32 && longer >> chain != 0) {
        chain++;
    }
    if (cmd->texture_handle == 0 || !agpu_ref_format(cmd->format, &edge, &bytes) || cmd->width == 0 ||
        cmd->height == 0 || cmd->array_layers == 0 || cmd->mip_levels == 0 || cmd->mip_levels > chain ||
        (cmd->row_pitch_bytes != 0 && cmd->row_pitch_bytes < agpu_ref_level_of(&wanted, 0, 0).tight) ||
        (cmd->backing_alloc_id != 0 && cmd->row_pitch_bytes == 0)) {
        return AGPU_REF_INVALID;
    }
    wanted.size = agpu_ref_texture_size(&wanted);
    return create(ref, &wanted);
}

/* Returns the format without sRGB. */
static uint32_t plain(uint32_t format)
{
    if (agpu_ref_is_srgb(format)) {
        return format - (AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB - AEROGPU_FORMAT_B8G8R8A8_UNORM);
    }
    return format >= AEROGPU_FORMAT_BC1_RGBA_UNORM ? format & ~1u : format;
}

enum aerogpu_error agpu_ref_create_view(struct agpu_ref *ref,
                                        const struct aerogpu_cmd_create_texture_view *cmd)
{
    struct agpu_ref_resource *texture = agpu_ref_named(ref, cmd->texture_handle);
    struct agpu_ref_object *view;
    uint32_t edge, bytes;

    if (cmd->view_handle == 0 || agpu_ref_find(ref, AGPU_REF_RESOURCES, cmd->view_handle) != NULL ||
        texture == NULL || !texture->texture || cmd->mip_level_count == 0 || cmd->array_layer_count == 0 ||
        (uint64_t)cmd->base_mip_level + cmd->mip_level_count > texture->mips ||
        (uint64_t)cmd->base_array_layer + cmd->array_layer_count > texture->layers ||
        !agpu_ref_format(cmd->format, &edge, &bytes) || plain(cmd->format) != plain(texture->format)) {
        return AGPU_REF_INVALID;
    }
    view = agpu_ref_add(ref, AGPU_REF_RESOURCES, cmd->view_handle, AGPU_REF_VIEW);
    if (view != NULL) {
        view->resource = texture;
        texture->views++;
        view->format = cmd->format;
        view->mip = cmd->base_mip_level;
        view->layer = cmd->base_array_layer;
    }
    return AEROGPU_ERROR_NONE;
}

/* Frees a resource without references: its tokens retire, the original's number is free, views stay as handles without
 * a texture. */
static void bury(struct agpu_ref *ref, struct agpu_ref_resource *resource)
{
    struct agpu_ref_resource **at = &ref->resources;
    const struct agpu_ref_object *original = agpu_ref_find(ref, AGPU_REF_RESOURCES, resource->handle);

    if (original != NULL && original->kind == AGPU_REF_RESERVED) {
        agpu_ref_remove(ref, AGPU_REF_RESOURCES, resource->handle);
    }
    for (unsigned bucket = 0; resource->views != 0 && bucket < AGPU_REF_BUCKETS; bucket++) {
        for (struct agpu_ref_object *view = ref->objects[0][bucket]; view != NULL; view = view->next) {
            view->resource = view->resource == resource ? NULL : view->resource;
        }
    }
    retire_tokens(ref, resource);
    while (*at != resource) {
        at = &(*at)->next;
    }
    *at = resource->next;
    ref->contents -= resource->size;
    agpu_ref_free(ref, resource->bytes, resource->size);
    agpu_ref_free(ref, resource->states, resource->size);
    agpu_ref_free(ref, resource, sizeof *resource);
}

enum aerogpu_error agpu_ref_destroy(struct agpu_ref *ref, const struct aerogpu_cmd_destroy_resource *cmd)
{
    const uint32_t handle = cmd->resource_handle;
    struct agpu_ref_object *object = agpu_ref_find(ref, AGPU_REF_RESOURCES, handle);
    struct agpu_ref_resource *resource = agpu_ref_named(ref, handle);

    if (resource == NULL) {
        return AEROGPU_ERROR_NONE;
    }
    agpu_ref_unbind(ref, handle);
    if (resource->handle == handle && resource->references > 1) {
        agpu_ref_touch(ref);
        object->kind = AGPU_REF_RESERVED;
        object->resource = NULL;
    } else {
        agpu_ref_remove(ref, AGPU_REF_RESOURCES, handle);
    }
    if (--resource->references == 0) {
        bury(ref, resource);
    }
    return AEROGPU_ERROR_NONE;
}
