/* sampler.c: CREATE_SAMPLER, DESTROY_SAMPLER, SET_SAMPLERS (commands.md 10, 15). */
#include "tests/device/engine/sampler.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/state.h"

#define SAMPLER_COST (sizeof(struct vgpu_sampler) + VGPU_HANDLE_COST)

void vgpu_sampler_free_all(struct vgpu_exec *exec)
{
    const struct vgpu_map_slot *slot;
    size_t position = 0;

    while ((slot = vgpu_map_next(&exec->samplers, &position)) != NULL) {
        vgpu_exec_free(exec, slot->value, SAMPLER_COST);
    }
    vgpu_map_free(&exec->samplers);
}

/* NULL = no memory. */
static struct vgpu_sampler *add_sampler(struct vgpu_exec *exec, uint32_t handle)
{
    struct vgpu_sampler *sampler;

    sampler = vgpu_exec_alloc(exec, SAMPLER_COST);
    if (sampler == NULL || !vgpu_map_set(&exec->samplers, handle, sampler)) {
        vgpu_exec_free(exec, sampler, SAMPLER_COST);
        return NULL;
    }
    return sampler;
}

static const struct vgpu_field sampler_fields[] = {
    VGPU_FIELD_UP_TO(vgpu_sampler, filter, AEROGPU_SAMPLER_FILTER_LINEAR),
    VGPU_FIELD_UP_TO(vgpu_sampler, address[0], AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT),
    VGPU_FIELD_UP_TO(vgpu_sampler, address[1], AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT),
    VGPU_FIELD_UP_TO(vgpu_sampler, address[2], AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT),
};

static void visit_sampler(void *ctx, struct vgpu_archive *archive, uint64_t handle, void *value)
{
    struct vgpu_sampler *sampler = value != NULL ? value : add_sampler(ctx, (uint32_t)handle);

    if (vgpu_archive_expect(archive, sampler != NULL, "memory for the samplers")) {
        VGPU_ARCHIVE_FIELDS(archive, sampler, sampler_fields);
    }
}

void vgpu_sampler_visit_all(struct vgpu_exec *exec, struct vgpu_archive *archive)
{
    vgpu_map_visit(&exec->samplers, archive, UINT32_MAX, visit_sampler, exec);
}

uint32_t vgpu_packet_create_sampler(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_sampler *create = packet;
    struct vgpu_sampler *sampler;

    (void)size;
    if (create->sampler_handle == 0 || create->filter > AEROGPU_SAMPLER_FILTER_LINEAR ||
        create->address_u > AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT ||
        create->address_v > AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT ||
        create->address_w > AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    sampler = vgpu_map_find(&exec->samplers, create->sampler_handle);
    if (sampler == NULL) {
        sampler = add_sampler(exec, create->sampler_handle);
    }
    if (sampler == NULL) {
        return AEROGPU_ERROR_BACKEND;
    }
    *sampler =
        (struct vgpu_sampler){create->filter, {create->address_u, create->address_v, create->address_w}};
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_destroy_sampler(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_destroy_sampler *destroy = packet;
    struct vgpu_sampler *sampler = vgpu_map_find(&exec->samplers, destroy->sampler_handle);

    (void)size;
    if (sampler != NULL) {
        vgpu_state_unbind_handle(exec, VGPU_SLOT_SAMPLER, destroy->sampler_handle);
        vgpu_map_remove(&exec->samplers, destroy->sampler_handle);
        vgpu_exec_free(exec, sampler, SAMPLER_COST);
    }
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_samplers(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_samplers *set = packet;
    const uint32_t *handles = (const void *)(set + 1);
    const uint32_t count = set->sampler_count;
    enum vgpu_stage stage;

    if (count == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!vgpu_stage_decode(set->shader_stage, set->reserved0, exec->minor, &stage) ||
        set->start_slot > VGPU_MAX_SAMPLERS || count > VGPU_MAX_SAMPLERS - set->start_slot ||
        count > (size - sizeof *set) / sizeof handles[0]) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    for (uint32_t i = 0; i < count; i++) {
        vgpu_slot_bind(exec, &exec->state.stages[stage].samplers[set->start_slot + i], VGPU_SLOT_SAMPLER,
                       handles[i]);
    }
    return AEROGPU_ERROR_NONE;
}
