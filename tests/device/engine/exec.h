/* exec.h: the command executor: resources, state and the packet handlers' common ground (commands.md 2, 3). */
#ifndef VGPU_ENGINE_EXEC_H
#define VGPU_ENGINE_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/engine/map.h"
#include "tests/device/engine/state.h"

struct vgpu_alloc_table;
struct vgpu_device;
struct vgpu_renderer;

/* Memory that a guest can make the model hold: contents of resources and every object with its bookkeeping.
 * What exceeds it is refused with BACKEND: the device ran out, the guest broke no rule. */
#define VGPU_EXEC_MEMORY_LIMIT (1ull << 30)

struct vgpu_exec {
    struct vgpu_device *device;
    const struct vgpu_alloc_table *table; /* of the submission that runs */
    uint32_t minor;                       /* ABI minor of its stream */
    uint64_t memory_used;                 /* charged against VGPU_EXEC_MEMORY_LIMIT */
    struct vgpu_resource *resources;      /* all of them */
    struct vgpu_map objects;              /* handle -> vgpu_object: buffers, textures, views */
    struct vgpu_map shaders;              /* handle -> vgpu_shader */
    struct vgpu_map layouts;              /* handle -> vgpu_input_layout */
    struct vgpu_map samplers;             /* handle -> vgpu_sampler */
    struct vgpu_map tokens;               /* share token -> vgpu_token */
    struct vgpu_state state;
    const struct vgpu_renderer *renderer; /* NULL = draws that pass validation fail with BACKEND */
};

/* Bookkeeping that one handle costs, charged with the object behind it. */
#define VGPU_HANDLE_COST (4 * sizeof(struct vgpu_map_slot))

/* An executor without resources and with default state; NULL when memory is exhausted. */
struct vgpu_exec *vgpu_exec_create(struct vgpu_device *device);
void vgpu_exec_destroy(struct vgpu_exec *exec);

/* Ring or device reset: back to how it was created. */
void vgpu_exec_reset(struct vgpu_exec *exec);

/* Zeroed memory charged against the limit; NULL when either is exhausted. free takes the same size. */
void *vgpu_exec_alloc(struct vgpu_exec *exec, uint64_t size);
void vgpu_exec_free(struct vgpu_exec *exec, void *memory, uint64_t size);

/* Charges bookkeeping that is allocated elsewhere; false when the limit is reached. */
bool vgpu_exec_charge(struct vgpu_exec *exec, uint64_t size);

/* Charges the work budget of the service point with bytes that a packet moved. */
void vgpu_exec_spend(struct vgpu_exec *exec, uint64_t bytes);

#endif
