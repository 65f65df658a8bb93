/* texture.c: CREATE_TEXTURE2D (commands.md 6.1). */
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"

static bool same_layout(const struct vgpu_texture_layout *a, const struct vgpu_texture_layout *b)
{
    return a->format == b->format && a->width == b->width && a->height == b->height &&
           a->mip_levels == b->mip_levels && a->array_layers == b->array_layers &&
           a->row_pitch == b->row_pitch;
}

/* Handles CREATE_TEXTURE2D for a live handle with the same immutable properties: only the backing changes, the
 * contents stay. */
static uint32_t rebind_texture(struct vgpu_resource *old, const struct vgpu_resource *properties)
{
    if (old == NULL || old->object.kind != VGPU_OBJECT_TEXTURE || old->usage != properties->usage ||
        !same_layout(&old->layout, &properties->layout)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    old->backing = properties->backing;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_create_texture2d(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_texture2d *create = packet;
    const struct vgpu_alloc *alloc = NULL;
    struct vgpu_resource properties = {
        .object.kind = VGPU_OBJECT_TEXTURE,
        .usage = create->usage_flags,
        .backing = {create->backing_alloc_id, create->backing_offset_bytes},
        .layout =
            {
                .format = create->format,
                .width = create->width,
                .height = create->height,
                .mip_levels = create->mip_levels,
                .array_layers = create->array_layers,
                .row_pitch = create->row_pitch_bytes,
            },
    };

    (void)size;
    if (create->texture_handle == 0 || !vgpu_texture_layout_init(&properties.layout, &properties.size)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (properties.backing.alloc_id != 0) {
        alloc = vgpu_backing_resolve(exec, &properties.backing, properties.size);
        if (alloc == NULL || create->row_pitch_bytes == 0) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    if (vgpu_map_find(&exec->objects, create->texture_handle) != NULL) {
        return rebind_texture(vgpu_resource_find(exec, create->texture_handle), &properties);
    }
    return vgpu_resource_create(exec, create->texture_handle, &properties, alloc);
}
