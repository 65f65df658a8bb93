/* binding.c: SET_TEXTURE, SET_CONSTANT_BUFFERS, SET_SHADER_RESOURCE_BUFFERS, SET_UNORDERED_ACCESS_BUFFERS
 * (commands.md 10, 15). */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"
#include "tests/device/engine/state.h"

/* The three packets with buffer bindings, and their elements, have the same layout. */
typedef struct aerogpu_cmd_set_constant_buffers buffers_packet;
typedef struct aerogpu_unordered_access_buffer_binding buffer_element;

/* A later binding removes an earlier conflicting one: an SRV removes UAVs and targets, a UAV removes SRVs. */
static void resolve_hazards(struct vgpu_exec *exec, enum vgpu_slot_class class, const struct vgpu_slot *slot)
{
    struct vgpu_resource *resource = slot->thing != NULL ? vgpu_object_resource(slot->thing) : NULL;

    if (resource == NULL) {
        return;
    }
    if (class == VGPU_SLOT_SRV) {
        vgpu_state_unbind_resource(exec, VGPU_SLOT_UAV, resource);
        vgpu_state_unbind_resource(exec, VGPU_SLOT_TARGET, resource);
    } else if (class == VGPU_SLOT_UAV) {
        vgpu_state_unbind_resource(exec, VGPU_SLOT_SRV, resource);
    }
}

static void bind_buffer(struct vgpu_exec *exec, struct vgpu_buffer_slot *slot, enum vgpu_slot_class class,
                        const buffer_element *element)
{
    vgpu_slot_bind(exec, &slot->slot, class, element->buffer);
    resolve_hazards(exec, class, &slot->slot);
    slot->offset = element->offset_bytes;
    slot->size = element->size_bytes;
    slot->extra = element->initial_count;
    exec->state.version++;
}

/* Offset and size of a buffer view are multiples of 4; for a constant buffer only the offset is. */
static bool element_aligned(enum vgpu_slot_class class, const buffer_element *element)
{
    return element->buffer == 0 ||
           (element->offset_bytes % 4 == 0 && (class == VGPU_SLOT_CONSTANT || element->size_bytes % 4 == 0));
}

static uint32_t set_buffers(struct vgpu_exec *exec, const buffers_packet *set, uint32_t size,
                            enum vgpu_slot_class class)
{
    static const uint32_t limits[VGPU_SLOT_CLASSES] = {
        [VGPU_SLOT_SRV] = VGPU_MAX_SRVS,
        [VGPU_SLOT_UAV] = VGPU_MAX_UAVS,
        [VGPU_SLOT_CONSTANT] = VGPU_MAX_CONSTANT_BUFFERS,
    };
    const buffer_element *elements = (const void *)(set + 1);
    const uint32_t count = set->buffer_count;
    struct vgpu_buffer_slot *slots;
    enum vgpu_stage stage;

    if (count == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!vgpu_stage_decode(set->shader_stage, set->reserved0, exec->minor, &stage) ||
        set->start_slot > limits[class] || count > limits[class] - set->start_slot ||
        count > (size - sizeof *set) / sizeof elements[0]) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    if (class == VGPU_SLOT_UAV && (stage == VGPU_STAGE_VERTEX || stage == VGPU_STAGE_PIXEL)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    slots = class == VGPU_SLOT_SRV   ? exec->state.stages[stage].srvs
            : class == VGPU_SLOT_UAV ? exec->state.stages[stage].uavs
                                     : exec->state.stages[stage].constant_buffers;
    for (uint32_t i = 0; i < count; i++) {
        if (!element_aligned(class, &elements[i]) || vgpu_handle_reserved(exec, elements[i].buffer)) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        bind_buffer(exec, &slots[set->start_slot + i], class, &elements[i]);
    }
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_constant_buffers(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    return set_buffers(exec, packet, size, VGPU_SLOT_CONSTANT);
}

uint32_t vgpu_packet_set_shader_resource_buffers(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    return set_buffers(exec, packet, size, VGPU_SLOT_SRV);
}

uint32_t vgpu_packet_set_unordered_access_buffers(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    return set_buffers(exec, packet, size, VGPU_SLOT_UAV);
}

uint32_t vgpu_packet_set_texture(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_texture *set = packet;
    const buffer_element whole = {.buffer = set->texture};
    enum vgpu_stage stage;

    (void)size;
    if (!vgpu_stage_decode(set->shader_stage, set->reserved0, exec->minor, &stage) ||
        set->slot >= VGPU_MAX_SRVS || vgpu_handle_reserved(exec, set->texture)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    bind_buffer(exec, &exec->state.stages[stage].srvs[set->slot], VGPU_SLOT_SRV, &whole);
    return AEROGPU_ERROR_NONE;
}
