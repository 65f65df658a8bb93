/* state.h: binding, unbinding and late resolution of the pipeline's slots (commands.md 2, 7 to 10). */
#ifndef VGPU_ENGINE_STATE_H
#define VGPU_ENGINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/pipeline.h"
#include "tests/device/engine/resource.h"

struct vgpu_exec;
struct vgpu_archive;

/* Sets the defaults before the first packet (commands.md 8, 15: as D11). Nothing is bound. */
void vgpu_state_init(struct vgpu_state *state);

/* Decodes the stage of a packet from its stage field and stage_ex. False = error (commands.md 4). */
bool vgpu_stage_decode(uint32_t stage, uint32_t stage_ex, uint32_t minor, enum vgpu_stage *out);

/* Binds handle (0 unbinds). An unknown handle, or one of another kind than the slot holds, is an error at the
 * draw. A reserved handle (vgpu_handle_reserved) is an error at once; callers check it before they change
 * anything. */
void vgpu_slot_bind(struct vgpu_exec *exec, struct vgpu_slot *slot, enum vgpu_slot_class class,
                    uint32_t handle);

/* Unbinds handle from every slot of the class. */
void vgpu_state_unbind_handle(struct vgpu_exec *exec, enum vgpu_slot_class class, uint32_t handle);

/* Unbinds a resource, under any handle or view, from the slots of the class. */
void vgpu_state_unbind_resource(struct vgpu_exec *exec, enum vgpu_slot_class class,
                                struct vgpu_resource *resource);

/* Call when a resource handle is destroyed: unbinds the handle everywhere and, if dies, every other handle of
 * the resource. */
void vgpu_state_forget(struct vgpu_exec *exec, uint32_t handle, struct vgpu_resource *resource, bool dies);

/* Looks up unresolved handles again. Returns false when a handle remains unresolved that the stages in
 * stage_mask or, if graphics, the fixed-function slots would use. indexed: the index buffer counts. */
bool vgpu_state_resolve(struct vgpu_exec *exec, uint32_t stage_mask, bool graphics, bool indexed);

/* Visits slots, constants and fixed-function state for save and restore, after the objects. */
void vgpu_state_visit(struct vgpu_exec *exec, struct vgpu_archive *archive);

#endif
