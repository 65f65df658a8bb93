/* inspect.c: counters, names and lists of a device. */
#include "tests/device/inspect/inspect.h"

#include "tests/device/bus/bar0.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/resource.h"

const struct vgpu_device_stats *vgpu_device_stats(const struct vgpu_device *device)
{
    return &device->bus.stats;
}

const char *vgpu_device_abi_name(const struct vgpu_device *device)
{
    return device->bus.abi->name;
}

const char *vgpu_device_register_name(const struct vgpu_device *device, uint64_t offset)
{
    return device->bus.abi->register_name(offset);
}

bool vgpu_device_unmodelled(const struct vgpu_device *device, uint32_t *position, struct vgpu_unmodelled *out)
{
    for (; *position < VGPU_BAR0_DWORDS; ++*position) {
        const uint32_t reads = device->bus.misses->reads[*position];
        const uint32_t writes = device->bus.misses->writes[*position];

        if (reads != 0 || writes != 0) {
            *out = (struct vgpu_unmodelled){*position * 4, reads, writes};
            ++*position;
            return true;
        }
    }
    return false;
}

static void describe_resource(const struct vgpu_resource *resource, struct vgpu_resource_info *out)
{
    const struct vgpu_texture_layout *layout = &resource->layout;

    out->resource = resource->original;
    out->kind = resource->object.kind == VGPU_OBJECT_BUFFER ? VGPU_KIND_BUFFER : VGPU_KIND_TEXTURE;
    out->usage = resource->usage;
    out->references = resource->references;
    out->size = resource->size;
    out->alloc_id = resource->backing.alloc_id;
    out->backing_offset = resource->backing.offset;
    out->version = resource->version;
    out->renderer_newer = resource->renderer_newer;
    out->reserved = resource->original_destroyed && out->handle == resource->original;
    if (out->kind == VGPU_KIND_TEXTURE) {
        out->format = layout->format;
        out->width = layout->width;
        out->height = layout->height;
        out->mip_levels = layout->mip_levels;
        out->array_layers = layout->array_layers;
        out->row_pitch = layout->row_pitch;
    }
}

static void describe_view(const struct vgpu_view *view, struct vgpu_resource_info *out)
{
    if (view->resource != NULL) {
        describe_resource(view->resource, out);
    }
    out->kind = VGPU_KIND_VIEW;
    out->reserved = false;
    out->format = view->format;
    out->mip_levels = view->mips;
    out->array_layers = view->layers;
}

size_t vgpu_device_resources(const struct vgpu_device *device, struct vgpu_resource_info *out,
                             size_t capacity)
{
    const struct vgpu_map_slot *slot;
    size_t position = 0;
    size_t count = 0;

    if (device->engine == NULL) { /* the legacy device executes no commands, so it has no resources */
        return 0;
    }
    while (count < capacity && (slot = vgpu_map_next(&device->engine->exec.objects, &position)) != NULL) {
        const struct vgpu_object *object = slot->value;
        struct vgpu_resource_info *info = &out[count++];

        *info = (struct vgpu_resource_info){.handle = (uint32_t)slot->key};
        if (object->kind == VGPU_OBJECT_VIEW) {
            describe_view((const void *)object, info);
        } else {
            describe_resource((const void *)object, info);
        }
    }
    return device->engine->exec.objects.count;
}

void vgpu_device_set_submission_log(struct vgpu_device *device, const struct vgpu_submission_log *log)
{
    device->trace.log = log != NULL ? *log : (struct vgpu_submission_log){0};
}
