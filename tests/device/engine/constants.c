/* constants.c: SET_SHADER_CONSTANTS_F, _I and _B (commands.md 7, 15). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/state.h"

#define ELEMENT_BYTES 16u

/* The three packets differ only in the register file. */
typedef struct aerogpu_cmd_set_shader_constants_f constants_packet;

/* Checks stage, registers and payload. count is not 0. */
static bool constants_valid(const struct vgpu_exec *exec, const constants_packet *packet, uint32_t size,
                            uint32_t registers, enum vgpu_stage *stage)
{
    const uint32_t count = packet->vec4_count;

    return vgpu_stage_decode(packet->stage, packet->reserved0, exec->minor, stage) &&
           packet->start_register <= registers && count <= registers - packet->start_register &&
           count <= (size - sizeof *packet) / ELEMENT_BYTES;
}

uint32_t vgpu_packet_set_shader_constants_f(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const constants_packet *set = packet;
    enum vgpu_stage stage;

    if (set->vec4_count == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!constants_valid(exec, set, size, VGPU_MAX_FLOAT_CONSTANTS, &stage)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    memcpy(exec->state.stages[stage].float_constants[set->start_register], set + 1,
           (size_t)set->vec4_count * ELEMENT_BYTES);
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_shader_constants_i(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const constants_packet *set = packet;
    enum vgpu_stage stage;

    if (set->vec4_count == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!constants_valid(exec, set, size, VGPU_MAX_INT_CONSTANTS, &stage)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    memcpy(exec->state.stages[stage].int_constants[set->start_register], set + 1,
           (size_t)set->vec4_count * ELEMENT_BYTES);
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_shader_constants_b(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const constants_packet *set = packet; /* bool_count has the offset of vec4_count */

    const uint32_t(*elements)[4] = (const void *)(set + 1);
    enum vgpu_stage stage;

    if (set->vec4_count == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!constants_valid(exec, set, size, VGPU_MAX_BOOL_CONSTANTS, &stage)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    for (uint32_t i = 0; i < set->vec4_count; i++) { /* the scalar is replicated in all lanes */
        exec->state.stages[stage].bool_constants[set->start_register + i] = elements[i][0] != 0;
    }
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}
