/* fixed_function.c: SET_BLEND_STATE, SET_DEPTH_STENCIL_STATE, SET_RASTERIZER_STATE, SET_RENDER_TARGETS,
 * SET_VIEWPORT, SET_SCISSOR (commands.md 8, 15). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/resource.h"
#include "tests/device/engine/state.h"

#define ONE_F32 0x3F800000u

static uint32_t known_factor(uint32_t factor, uint32_t otherwise)
{
    return factor <= AEROGPU_BLEND_INV_CONSTANT ? factor : otherwise;
}

static uint32_t known_op(uint32_t op)
{
    return op <= AEROGPU_BLEND_OP_MAX ? op : AEROGPU_BLEND_OP_ADD;
}

uint32_t vgpu_packet_set_blend_state(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const uint8_t *given = (const uint8_t *)packet + sizeof(struct aerogpu_cmd_hdr);
    size_t given_bytes = size - sizeof(struct aerogpu_cmd_hdr);
    struct aerogpu_blend_state blend = {.sample_mask = ~0u};

    /* Defaults for the members that a short packet omits: alpha factors as colour, constant 1, all samples. */
    memcpy(&blend, given, offsetof(struct aerogpu_blend_state, src_factor_alpha));
    blend.src_factor_alpha = blend.src_factor;
    blend.dst_factor_alpha = blend.dst_factor;
    blend.blend_op_alpha = blend.blend_op;
    for (unsigned i = 0; i < 4; i++) {
        blend.blend_constant_rgba_f32[i] = ONE_F32;
    }
    memcpy(&blend, given, given_bytes < sizeof blend ? given_bytes : sizeof blend);
    blend.src_factor = known_factor(blend.src_factor, AEROGPU_BLEND_ONE);
    blend.dst_factor = known_factor(blend.dst_factor, AEROGPU_BLEND_ZERO);
    blend.blend_op = known_op(blend.blend_op);
    blend.src_factor_alpha = known_factor(blend.src_factor_alpha, AEROGPU_BLEND_ONE);
    blend.dst_factor_alpha = known_factor(blend.dst_factor_alpha, AEROGPU_BLEND_ZERO);
    blend.blend_op_alpha = known_op(blend.blend_op_alpha);
    exec->state.blend = blend;
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_depth_stencil_state(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_depth_stencil_state *set = packet;
    struct aerogpu_depth_stencil_state *state = &exec->state.depth_stencil;

    (void)size;
    *state = set->state;
    if (state->depth_func > AEROGPU_COMPARE_ALWAYS) {
        state->depth_func = AEROGPU_COMPARE_ALWAYS;
    }
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_rasterizer_state(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_rasterizer_state *set = packet;
    struct aerogpu_rasterizer_state *state = &exec->state.rasterizer;
    const uint32_t old_cull = state->cull_mode;

    (void)size;
    *state = set->state;
    if (state->cull_mode > AEROGPU_CULL_BACK) {
        state->cull_mode = old_cull;
    }
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

static void bind_target(struct vgpu_exec *exec, struct vgpu_slot *slot, uint32_t handle)
{
    vgpu_slot_bind(exec, slot, VGPU_SLOT_TARGET, handle);
    if (slot->thing != NULL && vgpu_object_resource(slot->thing) != NULL) { /* the later binding wins */
        vgpu_state_unbind_resource(exec, VGPU_SLOT_SRV, vgpu_object_resource(slot->thing));
    }
}

uint32_t vgpu_packet_set_render_targets(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_render_targets *set = packet;

    (void)size;
    if (set->color_count > AEROGPU_MAX_RENDER_TARGETS || vgpu_handle_reserved(exec, set->depth_stencil)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    for (uint32_t i = 0; i < set->color_count; i++) {
        if (vgpu_handle_reserved(exec, set->colors[i])) {
            return AEROGPU_ERROR_CMD_DECODE;
        }
    }
    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS; i++) {
        bind_target(exec, &exec->state.colors[i], i < set->color_count ? set->colors[i] : 0);
    }
    bind_target(exec, &exec->state.depth, set->depth_stencil);
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_viewport(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    (void)size;
    exec->state.viewport = *(const struct aerogpu_cmd_set_viewport *)packet;
    exec->state.viewport_set = true;
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_scissor(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    (void)size;
    exec->state.scissor = *(const struct aerogpu_cmd_set_scissor *)packet;
    exec->state.scissor_set = true;
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}
