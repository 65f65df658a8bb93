/* exec.h: the command executor as the packet handlers see it: resources, state, memory and work (commands.md 2, 3). */
#ifndef VGPU_ENGINE_EXEC_H
#define VGPU_ENGINE_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/bus/bus.h"
#include "tests/device/engine/map.h"
#include "tests/device/engine/pipeline.h"

struct vgpu_alloc_table;
struct vgpu_renderer;
struct vgpu_trace;

/* Memory that a guest can make the model hold: contents of resources and every object with its bookkeeping.
 * What exceeds it is refused with BACKEND: the device ran out, the guest broke no rule. */
#define VGPU_EXEC_MEMORY_LIMIT (1ull << 30)

/* What work costs beyond the bytes it moves, some five units a nanosecond. */
#define VGPU_COST_SUBMISSION 256
#define VGPU_COST_PACKET     64
#define VGPU_COST_ROW        128 /* of a copy, clear or present that goes row by row */
#define VGPU_COST_SLOT       4   /* looked at in a search through bindings */
#define VGPU_COST_LOOKUP     64  /* of a handle in such a search */
#define VGPU_COST_OBJECT     512 /* made */
#define VGPU_COST_ALLOC      128 /* entry of an allocation table */

struct vgpu_exec {
    struct vgpu_bus *bus;
    struct vgpu_trace *trace;
    const struct vgpu_alloc_table *table; /* of the submission that runs, as are the next two */
    uint32_t flags;                       /* AEROGPU_SUBMIT_FLAG_* */
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

/* Zeroed memory charged against the limit; NULL when either is exhausted. free takes the same size. */
void *vgpu_exec_alloc(struct vgpu_exec *exec, uint64_t size);
void vgpu_exec_free(struct vgpu_exec *exec, void *memory, uint64_t size);

/* Charges bookkeeping that is allocated elsewhere; false when the limit is reached. */
bool vgpu_exec_charge(struct vgpu_exec *exec, uint64_t size);

/* Charges the work budget of the service point with bytes that a packet moved. */
void vgpu_exec_spend(struct vgpu_exec *exec, uint64_t bytes);

#endif
