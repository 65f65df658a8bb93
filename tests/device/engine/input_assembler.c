/* input_assembler.c: SET_VERTEX_BUFFERS, SET_INDEX_BUFFER, SET_PRIMITIVE_TOPOLOGY (commands.md 9, 15). */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"
#include "tests/device/engine/state.h"

uint32_t vgpu_packet_set_vertex_buffers(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_vertex_buffers *set = packet;
    const struct aerogpu_vertex_buffer_binding *bindings = (const void *)(set + 1);
    const uint32_t count = set->buffer_count;

    if (count == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (set->start_slot > VGPU_MAX_VERTEX_BUFFERS || count > VGPU_MAX_VERTEX_BUFFERS - set->start_slot ||
        count > (size - sizeof *set) / sizeof bindings[0]) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (vgpu_handle_reserved(exec, bindings[i].buffer)) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct vgpu_buffer_slot *slot = &exec->state.vertex_buffers[set->start_slot + i];

        vgpu_slot_bind(exec, &slot->slot, VGPU_SLOT_VERTEX, bindings[i].buffer);
        slot->offset = bindings[i].offset_bytes;
        slot->extra = bindings[i].stride_bytes;
    }
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_index_buffer(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_index_buffer *set = packet;
    struct vgpu_buffer_slot *slot = &exec->state.index_buffer;
    const uint32_t index_size = set->format == AEROGPU_INDEX_FORMAT_UINT32 ? 4 : 2;

    (void)size;
    if (set->buffer != 0) { /* an unbinding ignores format and offset */
        const struct vgpu_resource *buffer = vgpu_buffer_find(exec, set->buffer);

        if (set->format > AEROGPU_INDEX_FORMAT_UINT32 || set->offset_bytes % index_size != 0 ||
            vgpu_handle_reserved(exec, set->buffer) || (buffer != NULL && set->offset_bytes > buffer->size)) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    vgpu_slot_bind(exec, &slot->slot, VGPU_SLOT_INDEX, set->buffer);
    slot->offset = set->offset_bytes;
    exec->state.index_format = set->format;
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

static bool topology_valid(uint32_t topology)
{
    return (topology >= AEROGPU_TOPOLOGY_POINTLIST && topology <= AEROGPU_TOPOLOGY_TRIANGLEFAN) ||
           (topology >= AEROGPU_TOPOLOGY_LINELIST_ADJ && topology <= AEROGPU_TOPOLOGY_TRIANGLESTRIP_ADJ) ||
           (topology >= AEROGPU_TOPOLOGY_PATCHLIST_1 && topology <= AEROGPU_TOPOLOGY_PATCHLIST_32);
}

uint32_t vgpu_packet_set_primitive_topology(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_primitive_topology *set = packet;

    (void)size;
    if (!topology_valid(set->topology)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    exec->state.topology = set->topology;
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}
