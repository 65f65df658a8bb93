/* shared_surface.c: EXPORT, IMPORT and RELEASE_SHARED_SURFACE (commands.md 12). */
#include "tests/device/engine/shared_surface.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"

static void retire_token(struct vgpu_token *token)
{
    if (token->resource != NULL) {
        *token->link = token->next;
        if (token->next != NULL) {
            token->next->link = token->link;
        }
        token->resource = NULL;
    }
}

void vgpu_token_retire_all(struct vgpu_resource *resource)
{
    while (resource->tokens != NULL) {
        retire_token(resource->tokens);
    }
}

void vgpu_token_free_all(struct vgpu_exec *exec)
{
    const struct vgpu_map_slot *slot;
    size_t position = 0;

    while ((slot = vgpu_map_next(&exec->tokens, &position)) != NULL) {
        vgpu_exec_free(exec, slot->value, sizeof(struct vgpu_token) + VGPU_HANDLE_COST);
    }
    vgpu_map_free(&exec->tokens);
}

static void bind_token(struct vgpu_token *token, struct vgpu_resource *resource)
{
    *token = (struct vgpu_token){resource, resource->tokens, &resource->tokens};
    if (token->next != NULL) {
        token->next->link = &token->next;
    }
    resource->tokens = token;
}

/* Returns a new token without a resource. NULL = no memory. */
static struct vgpu_token *make_token(struct vgpu_exec *exec, uint64_t share_token)
{
    struct vgpu_token *token;

    token = vgpu_exec_alloc(exec, sizeof *token + VGPU_HANDLE_COST);
    if (token == NULL || !vgpu_map_set(&exec->tokens, share_token, token)) {
        vgpu_exec_free(exec, token, sizeof *token + VGPU_HANDLE_COST);
        return NULL;
    }
    return token;
}

uint32_t vgpu_packet_export_shared_surface(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_export_shared_surface *export = packet;
    struct vgpu_resource *resource = vgpu_resource_find(exec, export->resource_handle);
    struct vgpu_token *token = vgpu_map_find(&exec->tokens, export->share_token);

    (void)size;
    if (export->share_token == 0 || resource == NULL) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (token != NULL) {
        return token->resource == resource ? AEROGPU_ERROR_NONE : AEROGPU_ERROR_CMD_DECODE;
    }
    token = make_token(exec, export->share_token);
    if (token == NULL) {
        return AEROGPU_ERROR_BACKEND;
    }
    bind_token(token, resource);
    return AEROGPU_ERROR_NONE;
}

static void visit_token(void *ctx, struct vgpu_archive *archive, uint64_t key, void *value)
{
    const struct vgpu_token *token = value;
    struct vgpu_resource *resource =
        vgpu_resource_visit_reference(ctx, archive, token != NULL ? token->resource : NULL);

    if (archive->loading && vgpu_archive_expect(archive, value == NULL, "each share token once")) {
        struct vgpu_token *loaded = make_token(ctx, key);

        if (vgpu_archive_expect(archive, loaded != NULL, "memory for the share tokens") && resource != NULL) {
            bind_token(loaded, resource);
        }
    }
}

void vgpu_token_visit_all(struct vgpu_exec *exec, struct vgpu_archive *archive)
{
    vgpu_map_visit(&exec->tokens, archive, UINT64_MAX, visit_token, exec);
}

uint32_t vgpu_packet_import_shared_surface(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_import_shared_surface *import = packet;
    const struct vgpu_token *token = vgpu_map_find(&exec->tokens, import->share_token);
    const uint32_t handle = import->out_resource_handle;

    (void)size;
    if (handle == 0 || token == NULL || token->resource == NULL) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (vgpu_map_find(&exec->objects, handle) != NULL) {
        return vgpu_resource_find(exec, handle) == token->resource ? AEROGPU_ERROR_NONE
                                                                   : AEROGPU_ERROR_CMD_DECODE;
    }
    return vgpu_resource_alias(exec, handle, token->resource);
}

uint32_t vgpu_packet_release_shared_surface(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_release_shared_surface *release = packet;
    struct vgpu_token *token = vgpu_map_find(&exec->tokens, release->share_token);

    (void)size;
    if (token != NULL) {
        retire_token(token);
    }
    return AEROGPU_ERROR_NONE;
}
