/* bindings.c: bindings of a stage, in the order of the shader's declarations. */
#include "tests/device/render/bindings.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/sampler.h"
#include "tests/device/engine/view.h"
#include "tests/device/render/engine_link.h"
#include "tests/device/render/upload.h"

/* Returns the number of bytes that a slot shows, from slot->offset. Everything is a multiple of 4. */
static uint64_t slot_bytes(const struct vgpu_buffer_slot *slot, const struct vgpu_resource *resource)
{
    if (slot->offset >= resource->size) {
        return 0;
    }
    uint64_t rest = resource->size - slot->offset;
    uint64_t size = slot->size && slot->size < rest ? slot->size : rest;
    return (size < UINT32_MAX ? size : UINT32_MAX) & ~3ull;
}

/* Returns the buffer in a slot, NULL when there is none. */
static struct vgpu_resource *slot_buffer(const struct vgpu_slot *slot)
{
    struct vgpu_object *object = slot->thing;

    return object != NULL && object->kind == VGPU_OBJECT_BUFFER ? (struct vgpu_resource *)(void *)object
                                                                : NULL;
}

static struct vgpu_resource *slot_texture(const struct vgpu_slot *slot)
{
    struct vgpu_object *object = slot->thing;

    return object != NULL && object->kind != VGPU_OBJECT_BUFFER ? vgpu_object_resource(object) : NULL;
}

/* The resource is brought up to date in the drawing process and checked again before the next draw. */
uint32_t vgpu_render_use(struct vgpu_render *render, struct vgpu_resource *resource)
{
    if (render->use_count == VGPU_MAX_USES) {
        return vgpu_render_failed(render, "a draw uses more than %d resources", VGPU_MAX_USES);
    }
    uint32_t error = vgpu_render_upload(render, resource);
    render->uses[render->use_count++] = (struct vgpu_use){resource, resource->version};
    return error;
}

static uint32_t use_constants(struct vgpu_render *render, struct vgpu_resource *buffer)
{
    /* Constants are copied from the model's memory, so the results of shaders must be read back first. */
    if (buffer->renderer_newer) {
        buffer->renderer_newer = false;
        vgpu_render_read_back(render, buffer);
    }
    if (render->use_count == VGPU_MAX_USES) {
        return vgpu_render_failed(render, "a draw uses more than %d resources", VGPU_MAX_USES);
    }
    render->uses[render->use_count++] = (struct vgpu_use){buffer, buffer->version};
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_render_use_bindings(struct vgpu_render *render, const struct vgpu_stage_state *stage,
                                  const struct vgpu_dxbc *dxbc, uint64_t *constant_bytes)
{
    uint32_t error = AEROGPU_ERROR_NONE;

    for (uint32_t i = 0; i < dxbc->binding_count && !error; i++) {
        const struct vgpu_dxbc_binding *declared = &dxbc->bindings[i];
        struct vgpu_resource *resource = NULL;

        switch (declared->kind) {
        case VGPU_DXBC_CONSTANT_BUFFER:
            *constant_bytes += vgpu_engine_data_room(declared->registers * 16ull);
            resource = slot_buffer(&stage->constant_buffers[declared->reg].slot);
            if (resource != NULL) {
                error = use_constants(render, resource);
            }
            continue;
        case VGPU_DXBC_TEXTURE:
            resource = slot_texture(&stage->srvs[declared->reg].slot);
            break;
        case VGPU_DXBC_BUFFER:
            resource = slot_buffer(&stage->srvs[declared->reg].slot);
            break;
        case VGPU_DXBC_UAV_BUFFER:
            resource = slot_buffer(&stage->uavs[declared->reg].slot);
            if (resource != NULL) {
                render->written_mip[render->written_count] = 0;
                render->written_layer[render->written_count] = 0;
                render->written[render->written_count++] = resource;
            }
            break;
        default:
            break;
        }
        if (resource != NULL) {
            error = vgpu_render_use(render, resource);
        }
    }
    return error;
}

/* Copies the constants of a slot, as many as the shader declares; those after the end of the buffer are 0. */
static void fill_constants(const struct vgpu_stage_state *stage, uint32_t slot, uint8_t *to, uint32_t bytes)
{
    const struct vgpu_buffer_slot *bound = &stage->constant_buffers[slot];
    const struct vgpu_resource *buffer = slot_buffer(&bound->slot);
    const uint8_t *from = NULL;
    uint64_t size = 0;

    if (buffer != NULL) {
        from = buffer->data + (bound->offset < buffer->size ? bound->offset : 0);
        size = slot_bytes(bound, buffer);
    } else if (slot == 0) {
        from = (const uint8_t *)stage->float_constants;
        size = sizeof stage->float_constants;
    }
    size = size < bytes ? size : bytes;
    if (size) {
        memcpy(to, from, size);
    }
    memset(to + size, 0, bytes - size);
}

static void write_constants(struct vgpu_render *render, enum vgpu_stage number,
                            const struct vgpu_stage_state *stage, const struct vgpu_dxbc_binding *declared,
                            union vgpu_wire_binding *out)
{
    struct vgpu_snapshot *last = &render->snapshots[number][declared->reg];
    uint32_t bytes = declared->registers * 16, data_bytes = render->data_bytes;
    uint32_t at = vgpu_engine_data(render, bytes);

    fill_constants(stage, declared->reg, render->shared + at, bytes);
    if (last->size == bytes && memcmp(render->shared + last->data, render->shared + at, bytes) == 0) {
        render->data_bytes = data_bytes; /* unchanged: release the space */
    } else {
        *last = (struct vgpu_snapshot){at, bytes};
    }
    out->constants.data = last->data;
    out->constants.size = bytes;
}

static uint16_t clip_to_16_bits(uint32_t value)
{
    return (uint16_t)(value < UINT16_MAX ? value : UINT16_MAX);
}

static void write_texture(const struct vgpu_slot *slot, union vgpu_wire_binding *out)
{
    struct vgpu_object *object = slot->thing;
    const struct vgpu_resource *resource = slot_texture(slot);

    if (resource == NULL) {
        return;
    }
    out->texture.texture = vgpu_render_number(resource);
    if (object->kind == VGPU_OBJECT_VIEW) {
        const struct vgpu_view *view = (const void *)object;

        out->texture.format = view->format;
        out->texture.base_mip = clip_to_16_bits(view->base_mip);
        out->texture.mips = clip_to_16_bits(view->mips);
        out->texture.base_layer = clip_to_16_bits(view->base_layer);
        out->texture.layers = clip_to_16_bits(view->layers);
    } else {
        out->texture.format = resource->layout.format;
        out->texture.mips = clip_to_16_bits(resource->layout.mip_levels);
        out->texture.layers = clip_to_16_bits(resource->layout.array_layers);
    }
}

static void write_buffer(const struct vgpu_buffer_slot *slot, union vgpu_wire_binding *out)
{
    const struct vgpu_resource *resource = slot_buffer(&slot->slot);
    uint64_t size = resource != NULL ? slot_bytes(slot, resource) : 0;

    if (size) {
        out->buffer.buffer = vgpu_render_number(resource);
        out->buffer.offset = slot->offset;
        out->buffer.size = (uint32_t)size;
    }
}

void vgpu_render_write_bindings(struct vgpu_render *render, enum vgpu_stage number,
                                const struct vgpu_stage_state *stage, const struct vgpu_render_shader *shader)
{
    const struct vgpu_dxbc *dxbc = &shader->dxbc;
    struct vgpu_sent_bindings *sent = &render->sent_bindings[number];
    uint32_t bytes = dxbc->binding_count * (uint32_t)sizeof *sent->bindings;
    uint32_t message_bytes = render->message_bytes;
    struct vgpu_wire_bindings *message =
        vgpu_engine_message(render, VGPU_WIRE_BINDINGS, (uint32_t)sizeof *message + bytes);
    union vgpu_wire_binding *bindings = message->bindings;

    for (uint32_t i = 0; i < dxbc->binding_count; i++) {
        const struct vgpu_dxbc_binding *declared = &dxbc->bindings[i];

        switch (declared->kind) {
        case VGPU_DXBC_CONSTANT_BUFFER:
            write_constants(render, number, stage, declared, &bindings[i]);
            break;
        case VGPU_DXBC_TEXTURE:
            write_texture(&stage->srvs[declared->reg].slot, &bindings[i]);
            break;
        case VGPU_DXBC_BUFFER:
            write_buffer(&stage->srvs[declared->reg], &bindings[i]);
            break;
        case VGPU_DXBC_UAV_BUFFER:
            write_buffer(&stage->uavs[declared->reg], &bindings[i]);
            message->writes = 1;
            break;
        case VGPU_DXBC_SAMPLER: {
            const struct vgpu_sampler *sampler = stage->samplers[declared->reg].thing;

            if (sampler != NULL) {
                bindings[i].sampler.filter = sampler->filter;
                memcpy(bindings[i].sampler.address, sampler->address, sizeof sampler->address);
            }
            break;
        }
        default:
            break;
        }
    }
    if (sent->shader == shader->number && memcmp(sent->bindings, bindings, bytes) == 0) {
        render->message_bytes = message_bytes; /* unchanged: release the space */
        return;
    }
    sent->shader = shader->number;
    memcpy(sent->bindings, bindings, bytes);
    message->stage = number;
    message->shader = shader->number;
    message->count = dxbc->binding_count;
}
