/* state.c: slots of the pipeline state: binding, unbinding, late resolution (commands.md 2, 8, 10, 15). */
#include "tests/device/engine/state.h"

#include <string.h>

#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"

#define ONE_F32 0x3F800000u

void vgpu_state_init(struct vgpu_state *state)
{
    memset(state, 0, sizeof *state);
    state->topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
    state->blend.src_factor = AEROGPU_BLEND_ONE;
    state->blend.src_factor_alpha = AEROGPU_BLEND_ONE;
    state->blend.color_write_mask = 0xF;
    state->blend.sample_mask = ~0u;
    for (unsigned i = 0; i < 4; i++) {
        state->blend.blend_constant_rgba_f32[i] = ONE_F32;
    }
    state->depth_stencil.depth_enable = 1;
    state->depth_stencil.depth_write_enable = 1;
    state->depth_stencil.depth_func = AEROGPU_COMPARE_LESS;
    state->rasterizer.cull_mode = AEROGPU_CULL_BACK;
}

bool vgpu_stage_decode(uint32_t stage, uint32_t stage_ex, uint32_t minor, enum vgpu_stage *out)
{
    switch (stage) {
    case AEROGPU_SHADER_STAGE_VERTEX:
        *out = VGPU_STAGE_VERTEX;
        return true;
    case AEROGPU_SHADER_STAGE_PIXEL:
        *out = VGPU_STAGE_PIXEL;
        return true;
    case AEROGPU_SHADER_STAGE_GEOMETRY:
        *out = VGPU_STAGE_GEOMETRY;
        return true;
    case AEROGPU_SHADER_STAGE_COMPUTE:
        break;
    default:
        return false;
    }
    *out = VGPU_STAGE_COMPUTE;
    if (minor < AEROGPU_STAGE_EX_MIN_ABI_MINOR) {
        return true;
    }
    switch (stage_ex) {
    case AEROGPU_SHADER_STAGE_EX_NONE:
    case AEROGPU_SHADER_STAGE_EX_COMPUTE:
        return true;
    case AEROGPU_SHADER_STAGE_EX_GEOMETRY:
        *out = VGPU_STAGE_GEOMETRY;
        return true;
    case AEROGPU_SHADER_STAGE_EX_HULL:
        *out = VGPU_STAGE_HULL;
        return true;
    case AEROGPU_SHADER_STAGE_EX_DOMAIN:
        *out = VGPU_STAGE_DOMAIN;
        return true;
    default:
        return false;
    }
}

static bool holds_objects(enum vgpu_slot_class class)
{
    return class <= VGPU_SLOT_INDEX;
}

static bool kind_fits(enum vgpu_slot_class class, uint8_t kind)
{
    switch (class) {
    case VGPU_SLOT_TARGET:
        return kind != VGPU_OBJECT_BUFFER;
    case VGPU_SLOT_SRV:
        return true;
    default:
        return kind == VGPU_OBJECT_BUFFER;
    }
}

/* Hint stored in the object for each class. */
static uint8_t bound_hint(enum vgpu_slot_class class)
{
    static const uint8_t hints[VGPU_SLOT_CLASSES] = {
        [VGPU_SLOT_TARGET] = VGPU_BOUND_TARGET, [VGPU_SLOT_SRV] = VGPU_BOUND_SRV,
        [VGPU_SLOT_UAV] = VGPU_BOUND_UAV,       [VGPU_SLOT_CONSTANT] = VGPU_BOUND_OTHER,
        [VGPU_SLOT_VERTEX] = VGPU_BOUND_OTHER,  [VGPU_SLOT_INDEX] = VGPU_BOUND_OTHER,
    };

    return hints[class];
}

/* Returns the object of handle for a slot of this class, NULL when there is none of a suitable kind. */
static void *look_up(struct vgpu_exec *exec, enum vgpu_slot_class class, uint32_t handle)
{
    struct vgpu_object *object;

    switch (class) {
    case VGPU_SLOT_SAMPLER:
        return vgpu_map_find(&exec->samplers, handle);
    case VGPU_SLOT_SHADER:
        return vgpu_map_find(&exec->shaders, handle);
    case VGPU_SLOT_LAYOUT:
        return vgpu_map_find(&exec->layouts, handle);
    default:
        object = vgpu_map_find(&exec->objects, handle);
        if (object == NULL || vgpu_handle_reserved(exec, handle) || vgpu_object_resource(object) == NULL ||
            !kind_fits(class, object->kind)) {
            return NULL;
        }
        vgpu_object_resource(object)->object.bound |= bound_hint(class);
        return object;
    }
}

static void set_slot(struct vgpu_state *state, struct vgpu_slot *slot, uint32_t handle, void *thing)
{
    state->unresolved -= slot->handle != 0 && slot->thing == NULL;
    state->unresolved += handle != 0 && thing == NULL;
    *slot = (struct vgpu_slot){handle, thing};
    state->version++;
}

void vgpu_slot_bind(struct vgpu_exec *exec, struct vgpu_slot *slot, enum vgpu_slot_class class,
                    uint32_t handle)
{
    vgpu_exec_spend(exec, VGPU_COST_LOOKUP);
    if (slot->handle != handle || (handle != 0 && slot->thing == NULL)) {
        set_slot(&exec->state, slot, handle, handle != 0 ? look_up(exec, class, handle) : NULL);
    }
}

/* Slots of one class form runs with equal distance. */
struct slot_run {
    void *first;
    size_t stride;
    uint32_t count;
    int stage; /* -1: not of a shader stage */
};

static struct slot_run stage_run(struct vgpu_stage_state *stage, enum vgpu_slot_class class, int number)
{
    switch (class) {
    case VGPU_SLOT_SRV:
        return (struct slot_run){stage->srvs, sizeof stage->srvs[0], VGPU_MAX_SRVS, number};
    case VGPU_SLOT_UAV:
        return (struct slot_run){stage->uavs, sizeof stage->uavs[0], VGPU_MAX_UAVS, number};
    case VGPU_SLOT_CONSTANT:
        return (struct slot_run){stage->constant_buffers, sizeof stage->constant_buffers[0],
                                 VGPU_MAX_CONSTANT_BUFFERS, number};
    case VGPU_SLOT_SAMPLER:
        return (struct slot_run){stage->samplers, sizeof stage->samplers[0], VGPU_MAX_SAMPLERS, number};
    default:
        return (struct slot_run){&stage->shader, sizeof stage->shader, 1, number};
    }
}

/* Gets run number index. Returns false after the last run. */
static bool get_run(struct vgpu_state *state, enum vgpu_slot_class class, unsigned index,
                    struct slot_run *out)
{
    const struct slot_run fixed[] = {
        {state->colors, sizeof state->colors[0], AEROGPU_MAX_RENDER_TARGETS, -1},
        {&state->depth, sizeof state->depth, 1, -1},
        {state->vertex_buffers, sizeof state->vertex_buffers[0], VGPU_MAX_VERTEX_BUFFERS, -1},
        {&state->index_buffer, sizeof state->index_buffer, 1, -1},
        {&state->input_layout, sizeof state->input_layout, 1, -1},
    };

    switch (class) {
    case VGPU_SLOT_TARGET:
        *out = fixed[index < 2 ? index : 0];
        return index < 2;
    case VGPU_SLOT_VERTEX:
        *out = fixed[2];
        return index == 0;
    case VGPU_SLOT_INDEX:
        *out = fixed[3];
        return index == 0;
    case VGPU_SLOT_LAYOUT:
        *out = fixed[4];
        return index == 0;
    default:
        if (index < VGPU_STAGE_COUNT) {
            *out = stage_run(&state->stages[index], class, (int)index);
        }
        return index < VGPU_STAGE_COUNT;
    }
}

static struct vgpu_slot *run_slot(const struct slot_run *run, uint32_t index)
{
    return (void *)((uint8_t *)run->first + run->stride * index); /* every buffer slot begins with a slot */
}

void vgpu_state_unbind_handle(struct vgpu_exec *exec, enum vgpu_slot_class class, uint32_t handle)
{
    struct slot_run run;

    for (unsigned r = 0; get_run(&exec->state, class, r, &run); r++) {
        vgpu_exec_spend(exec, (uint64_t)run.count * VGPU_COST_SLOT);
        for (uint32_t i = 0; i < run.count; i++) {
            if (run_slot(&run, i)->handle == handle) {
                set_slot(&exec->state, run_slot(&run, i), 0, NULL);
            }
        }
    }
}

void vgpu_state_unbind_resource(struct vgpu_exec *exec, enum vgpu_slot_class class,
                                struct vgpu_resource *resource)
{
    struct slot_run run;

    if ((resource->object.bound & bound_hint(class)) == 0) {
        return;
    }
    for (unsigned r = 0; get_run(&exec->state, class, r, &run); r++) {
        vgpu_exec_spend(exec, (uint64_t)run.count * VGPU_COST_SLOT);
        for (uint32_t i = 0; i < run.count; i++) {
            struct vgpu_slot *slot = run_slot(&run, i);

            if (slot->thing != NULL && vgpu_object_resource(slot->thing) == resource) {
                set_slot(&exec->state, slot, 0, NULL);
            }
        }
    }
    if (class != VGPU_SLOT_CONSTANT && class != VGPU_SLOT_VERTEX &&
        class != VGPU_SLOT_INDEX) { /* these three share a hint */
        resource->object.bound &= (uint8_t)~bound_hint(class);
    }
}

void vgpu_state_forget(struct vgpu_exec *exec, uint32_t handle, struct vgpu_resource *resource, bool dies)
{
    if (resource->object.bound == 0 && exec->state.unresolved == 0) {
        return;
    }
    for (unsigned class = 0; holds_objects(class); class ++) {
        if (exec->state.unresolved > 0 || (resource->object.bound & bound_hint(class)) != 0) {
            vgpu_state_unbind_handle(exec, class, handle);
        }
        if (dies) {
            vgpu_state_unbind_resource(exec, class, resource);
        }
    }
}

/* True when a draw or dispatch with these properties uses slots of this run. That includes all slots of its
 * stages: by commands.md 10 an unknown handle is an error at the draw regardless of what the shader reads. */
static bool run_relevant(enum vgpu_slot_class class, const struct slot_run *run, uint32_t stage_mask,
                         bool graphics, bool indexed)
{
    if (run->stage >= 0) {
        return (stage_mask >> run->stage & 1) != 0;
    }
    return class == VGPU_SLOT_INDEX ? indexed : graphics;
}

bool vgpu_state_resolve(struct vgpu_exec *exec, uint32_t stage_mask, bool graphics, bool indexed)
{
    struct vgpu_state *state = &exec->state;
    bool complete = true;
    struct slot_run run;

    if (state->unresolved == 0) {
        return true;
    }
    for (unsigned class = 0; class < VGPU_SLOT_CLASSES; class ++) {
        for (unsigned r = 0; get_run(state, class, r, &run); r++) {
            vgpu_exec_spend(exec, (uint64_t)run.count * VGPU_COST_SLOT);
            for (uint32_t i = 0; i < run.count; i++) {
                struct vgpu_slot *slot = run_slot(&run, i);

                if (slot->handle == 0 || slot->thing != NULL) {
                    continue;
                }
                vgpu_exec_spend(exec, VGPU_COST_LOOKUP);
                set_slot(state, slot, slot->handle, look_up(exec, class, slot->handle));
                if (slot->thing == NULL && run_relevant(class, &run, stage_mask, graphics, indexed)) {
                    complete = false;
                }
            }
        }
    }
    return complete;
}

/* ---- save and restore ---- */

static const struct vgpu_field buffer_slot_fields[] = {
    VGPU_FIELD(vgpu_buffer_slot, offset),
    VGPU_FIELD(vgpu_buffer_slot, size),
    VGPU_FIELD(vgpu_buffer_slot, extra),
};

static const struct vgpu_field state_fields[] = {
    VGPU_FIELD(vgpu_state, index_format), /* any value after an unbinding */
    VGPU_FIELD_UP_TO(vgpu_state, topology, AEROGPU_TOPOLOGY_PATCHLIST_32),
    VGPU_FIELD(vgpu_state, blend.enable),
    VGPU_FIELD_UP_TO(vgpu_state, blend.src_factor, AEROGPU_BLEND_INV_CONSTANT),
    VGPU_FIELD_UP_TO(vgpu_state, blend.dst_factor, AEROGPU_BLEND_INV_CONSTANT),
    VGPU_FIELD_UP_TO(vgpu_state, blend.blend_op, AEROGPU_BLEND_OP_MAX),
    VGPU_FIELD(vgpu_state, blend.color_write_mask),
    VGPU_FIELD_UP_TO(vgpu_state, blend.src_factor_alpha, AEROGPU_BLEND_INV_CONSTANT),
    VGPU_FIELD_UP_TO(vgpu_state, blend.dst_factor_alpha, AEROGPU_BLEND_INV_CONSTANT),
    VGPU_FIELD_UP_TO(vgpu_state, blend.blend_op_alpha, AEROGPU_BLEND_OP_MAX),
    VGPU_FIELD(vgpu_state, blend.blend_constant_rgba_f32),
    VGPU_FIELD(vgpu_state, blend.sample_mask),
    VGPU_FIELD(vgpu_state, depth_stencil.depth_enable),
    VGPU_FIELD(vgpu_state, depth_stencil.depth_write_enable),
    VGPU_FIELD_UP_TO(vgpu_state, depth_stencil.depth_func, AEROGPU_COMPARE_ALWAYS),
    VGPU_FIELD(vgpu_state, depth_stencil.stencil_enable),
    VGPU_FIELD(vgpu_state, depth_stencil.stencil_read_mask),
    VGPU_FIELD(vgpu_state, depth_stencil.stencil_write_mask),
    VGPU_FIELD(vgpu_state, rasterizer.fill_mode),
    VGPU_FIELD_UP_TO(vgpu_state, rasterizer.cull_mode, AEROGPU_CULL_BACK),
    VGPU_FIELD(vgpu_state, rasterizer.front_ccw),
    VGPU_FIELD(vgpu_state, rasterizer.scissor_enable),
    VGPU_FIELD(vgpu_state, rasterizer.depth_bias),
    VGPU_FIELD(vgpu_state, rasterizer.flags),
    VGPU_FIELD(vgpu_state, viewport),
    VGPU_FIELD(vgpu_state, scissor),
    VGPU_FIELD(vgpu_state, viewport_set),
    VGPU_FIELD(vgpu_state, scissor_set),
};

/* An unresolved slot stays so: the object may have been created after the handle was bound. */
static void visit_slot(struct vgpu_exec *exec, struct vgpu_archive *archive, enum vgpu_slot_class class,
                       struct vgpu_slot *slot)
{
    const uint64_t resolved = vgpu_archive_number(archive, "resolved slot", slot->thing != NULL, 1);
    const uint32_t handle =
        (uint32_t)vgpu_archive_number(archive, "handle in a slot", slot->handle, UINT32_MAX);

    if (archive->loading) {
        void *thing = resolved != 0 ? look_up(exec, class, handle) : NULL;

        vgpu_archive_expect(archive, (thing != NULL) == (resolved != 0), "slots with objects of the stream");
        set_slot(&exec->state, slot, handle, thing);
    }
}

void vgpu_state_visit(struct vgpu_exec *exec, struct vgpu_archive *archive)
{
    struct slot_run run;

    for (unsigned class = 0; class < VGPU_SLOT_CLASSES; class ++) {
        for (unsigned r = 0; get_run(&exec->state, class, r, &run); r++) {
            for (uint32_t i = 0; i < run.count; i++) {
                struct vgpu_slot *slot = run_slot(&run, i);

                visit_slot(exec, archive, class, slot);
                if (run.stride == sizeof(struct vgpu_buffer_slot)) {
                    VGPU_ARCHIVE_FIELDS(archive, (struct vgpu_buffer_slot *)(void *)slot, buffer_slot_fields);
                }
            }
        }
    }
    for (unsigned stage = 0; stage < VGPU_STAGE_COUNT; stage++) {
        struct vgpu_stage_state *of = &exec->state.stages[stage];

        vgpu_archive_sparse(archive, of->float_constants, sizeof of->float_constants);
        vgpu_archive_sparse(archive, of->int_constants, sizeof of->int_constants);
        vgpu_archive_sparse(archive, of->bool_constants, sizeof of->bool_constants);
    }
    VGPU_ARCHIVE_FIELDS(archive, &exec->state, state_fields);
}
