/* exec.h: the command executor: resources, state and the packet handlers' common ground (commands.md). */
#ifndef AGPU_TESTS_DEVICE_EXEC_H
#define AGPU_TESTS_DEVICE_EXEC_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/map.h"
#include "tests/device/state.h"

struct agpu_alloc_table;
struct agpu_device;
struct agpu_renderer;

/* Memory that a guest can make the model hold: contents of resources and every object with its bookkeeping.
 * What exceeds it is refused with BACKEND: the device ran out, the guest broke no rule. */
#define AGPU_EXEC_MEMORY_LIMIT (1ull << 30)

struct agpu_exec {
    struct agpu_device *device;
    const struct agpu_alloc_table *table; /* of the submission that runs */
    uint32_t minor;                       /* ABI minor of its stream */
    uint64_t memory_used;                 /* charged against AGPU_EXEC_MEMORY_LIMIT */
    struct agpu_resource *resources;      /* all of them */
    struct agpu_map objects;              /* handle -> agpu_object: buffers, textures, views */
    struct agpu_map shaders;              /* handle -> agpu_shader */
    struct agpu_map layouts;              /* handle -> agpu_input_layout */
    struct agpu_map samplers;             /* handle -> agpu_sampler */
    struct agpu_map tokens;               /* share token -> agpu_token */
    struct agpu_state state;
    const struct agpu_renderer *renderer; /* NULL = draws that pass validation fail with BACKEND */
};

/* Bookkeeping that one handle costs, charged with the object behind it. */
#define AGPU_HANDLE_COST (4 * sizeof(struct agpu_map_slot))

/* An executor without resources and with default state; NULL when memory is exhausted. */
struct agpu_exec *agpu_exec_create(struct agpu_device *device);
void agpu_exec_destroy(struct agpu_exec *exec);

/* Ring or device reset: back to how it was created. */
void agpu_exec_reset(struct agpu_exec *exec);

/* Zeroed memory charged against the limit; NULL when either is exhausted. free takes the same size. */
void *agpu_exec_alloc(struct agpu_exec *exec, uint64_t size);
void agpu_exec_free(struct agpu_exec *exec, void *memory, uint64_t size);

/* Charges bookkeeping that is allocated elsewhere; false when the limit is reached. */
bool agpu_exec_charge(struct agpu_exec *exec, uint64_t size);

/* Charges the work budget of the service point with bytes that a packet moved. */
void agpu_exec_spend(struct agpu_exec *exec, uint64_t bytes);

#endif
