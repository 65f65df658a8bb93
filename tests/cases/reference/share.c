/* share.c: tokens of shared surfaces (commands.md 12). */
#include "tests/cases/reference/share.h"

#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/heap.h"

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

enum aerogpu_error agpu_ref_release_token(struct agpu_ref *ref, uint64_t number)
{
    struct agpu_ref_token *token = find_token(ref, number);

    if (token != NULL) {
        agpu_ref_touch(ref);
        token->resource = NULL;
    }
    return AEROGPU_ERROR_NONE;
}

void agpu_ref_retire(struct agpu_ref *ref, const struct agpu_ref_resource *resource)
{
    for (struct agpu_ref_token *token = ref->tokens; token != NULL; token = token->next) {
        token->resource = token->resource == resource ? NULL : token->resource;
    }
}
