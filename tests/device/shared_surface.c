/* shared_surface.c: EXPORT, IMPORT and RELEASE_SHARED_SURFACE (commands.md 12). */
#include "tests/device/shared_surface.h"

#include "pci/aerogpu_pci.h"
#include "ring/aerogpu_cmd.h"
#include "tests/device/device_private.h"
#include "tests/device/packets.h"

static void retire(struct agpu_token *token)
{
    if (token->resource != NULL) {
        *token->link = token->next;
        if (token->next != NULL) {
            token->next->link = token->link;
        }
        token->resource = NULL;
    }
}

void agpu_token_retire_all(struct agpu_resource *resource)
{
    while (resource->tokens != NULL) {
        retire(resource->tokens);
    }
}

void agpu_token_free_all(struct agpu_exec *exec)
{
    const struct agpu_map_slot *slot;
    size_t position = 0;

    while ((slot = agpu_map_next(&exec->tokens, &position)) != NULL) {
        agpu_exec_free(exec, slot->value, sizeof(struct agpu_token) + AGPU_HANDLE_COST);
    }
    agpu_map_free(&exec->tokens);
}

static void bind(struct agpu_token *token, struct agpu_resource *resource)
{
    *token = (struct agpu_token){resource, resource->tokens, &resource->tokens};
    if (token->next != NULL) {
        token->next->link = &token->next;
    }
    resource->tokens = token;
}

uint32_t agpu_packet_export_shared_surface(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_export_shared_surface *export = packet;
    struct agpu_resource *resource = agpu_resource_find(exec, export->resource_handle);
    struct agpu_token *token = agpu_map_find(&exec->tokens, export->share_token);

    (void)size;
    if (export->share_token == 0 || resource == NULL) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (token != NULL) {
        if (token->resource == NULL && exec->device->fault == AGPU_FAULT_TOKEN_REUSE) {
            bind(token, resource);
        }
        return token->resource == resource ? AEROGPU_ERROR_NONE : AEROGPU_ERROR_CMD_DECODE;
    }
    token = agpu_exec_alloc(exec, sizeof *token + AGPU_HANDLE_COST);
    if (token == NULL || !agpu_map_set(&exec->tokens, export->share_token, token)) {
        agpu_exec_free(exec, token, sizeof *token + AGPU_HANDLE_COST);
        return AEROGPU_ERROR_BACKEND;
    }
    bind(token, resource);
    return AEROGPU_ERROR_NONE;
}

uint32_t agpu_packet_import_shared_surface(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_import_shared_surface *import = packet;
    const struct agpu_token *token = agpu_map_find(&exec->tokens, import->share_token);
    const uint32_t handle = import->out_resource_handle;

    (void)size;
    if (handle == 0 || token == NULL || token->resource == NULL) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (agpu_map_find(&exec->objects, handle) != NULL) {
        return agpu_resource_find(exec, handle) == token->resource ? AEROGPU_ERROR_NONE
                                                                   : AEROGPU_ERROR_CMD_DECODE;
    }
    return agpu_resource_alias(exec, handle, token->resource);
}

uint32_t agpu_packet_release_shared_surface(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_release_shared_surface *release = packet;
    struct agpu_token *token = agpu_map_find(&exec->tokens, release->share_token);

    (void)size;
    if (token != NULL) {
        retire(token);
    }
    return AEROGPU_ERROR_NONE;
}
