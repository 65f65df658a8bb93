/* exec.h: the command executor as packet handlers use it: resources, state, memory and work (commands.md 2,
 * 3). */
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

/* Maximum memory that a guest can make the model allocate: contents of resources and every object with its
 * bookkeeping. Beyond it the model answers BACKEND: the device is out of memory, the guest broke no rule. */
#define VGPU_EXEC_MEMORY_LIMIT (1ull << 30)

/* Cost of work in addition to the bytes moved; about five units a nanosecond. */
#define VGPU_COST_SUBMISSION 256
#define VGPU_COST_PACKET     64
#define VGPU_COST_ROW        128 /* row of a copy, clear or present */
#define VGPU_COST_SLOT       4   /* slot examined in a search through bindings */
#define VGPU_COST_LOOKUP     64  /* handle looked up in such a search */
#define VGPU_COST_OBJECT     512 /* object created */
#define VGPU_COST_ALLOC      128 /* entry of an allocation table */

struct vgpu_exec {
    struct vgpu_bus *bus;
    struct vgpu_trace *trace;
    const struct vgpu_alloc_table *table; /* table, flags and minor belong to the current submission */
    uint32_t flags;                       /* AEROGPU_SUBMIT_FLAG_* */
    uint32_t minor;                       /* ABI minor of its stream */
    uint64_t memory_used;                 /* charged against VGPU_EXEC_MEMORY_LIMIT */
    struct vgpu_resource *resources;      /* list of all resources */
    struct vgpu_map objects;              /* handle -> vgpu_object: buffers, textures, views */
    struct vgpu_map shaders;              /* handle -> vgpu_shader */
    struct vgpu_map layouts;              /* handle -> vgpu_input_layout */
    struct vgpu_map samplers;             /* handle -> vgpu_sampler */
    struct vgpu_map tokens;               /* share token -> vgpu_token */
    struct vgpu_state state;
    const struct vgpu_renderer *renderer; /* NULL = valid draws fail with BACKEND */
};

/* Bookkeeping of one handle, charged with its object. */
#define VGPU_HANDLE_COST (4 * sizeof(struct vgpu_map_slot))

/* Allocates zeroed memory and charges it; returns NULL when memory or the limit is exhausted. free takes the
 * same size. */
void *vgpu_exec_alloc(struct vgpu_exec *exec, uint64_t size);
void vgpu_exec_free(struct vgpu_exec *exec, void *memory, uint64_t size);

/* Charges bookkeeping that is allocated elsewhere. Returns false when the limit is reached. */
bool vgpu_exec_charge(struct vgpu_exec *exec, uint64_t size);

/* Charges the work budget of the service point with bytes that a packet moved. */
void vgpu_exec_spend(struct vgpu_exec *exec, uint64_t bytes);

#endif
