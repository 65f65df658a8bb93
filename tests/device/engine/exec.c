/* exec.c: life of the command executor and its memory accounting. */
#include "tests/device/engine/exec.h"

#include <stdlib.h>
#include <sys/random.h>

#include "tests/device/device_private.h"
#include "tests/device/engine/input_layout.h"
#include "tests/device/engine/release.h"
#include "tests/device/engine/renderer.h"
#include "tests/device/engine/sampler.h"
#include "tests/device/engine/shader.h"
#include "tests/device/engine/shared_surface.h"

/* Allocations of this size and more are zeroed by the host when they are touched, and paid for then. */
#define LAZY_BYTES (128u << 10)

struct vgpu_exec *vgpu_exec_create(struct vgpu_device *device)
{
    struct vgpu_exec *exec = calloc(1, sizeof *exec);
    uint64_t seed = 0;

    if (exec == NULL) {
        return NULL;
    }
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
        seed = (uintptr_t)exec; /* early boot of the host: address-space randomness will do */
    }
    exec->device = device;
    exec->table = &device->submission.table;
    device->submission.table.seed = (uint32_t)seed;
    vgpu_map_init(&exec->objects, seed);
    vgpu_map_init(&exec->shaders, seed);
    vgpu_map_init(&exec->layouts, seed);
    vgpu_map_init(&exec->samplers, seed);
    vgpu_map_init(&exec->tokens, seed);
    vgpu_state_init(&exec->state);
    return exec;
}

void vgpu_exec_reset(struct vgpu_exec *exec)
{
    vgpu_token_free_all(exec);
    vgpu_resource_free_all(exec);
    vgpu_shader_free_all(exec);
    vgpu_input_layout_free_all(exec);
    vgpu_sampler_free_all(exec);
    vgpu_state_init(&exec->state);
    if (exec->renderer != NULL) {
        exec->renderer->reset(exec->renderer->ctx);
    }
}

void vgpu_exec_destroy(struct vgpu_exec *exec)
{
    if (exec == NULL) {
        return;
    }
    vgpu_exec_reset(exec);
    free(exec);
}

void *vgpu_exec_alloc(struct vgpu_exec *exec, uint64_t size)
{
    void *memory;

    if (size > VGPU_EXEC_MEMORY_LIMIT - exec->memory_used) {
        return NULL;
    }
    vgpu_exec_spend(exec, VGPU_COST_OBJECT + (size < LAZY_BYTES ? size : LAZY_BYTES));
    memory = calloc(1, size > 0 ? size : 1);
    if (memory != NULL) {
        exec->memory_used += size;
    }
    return memory;
}

void vgpu_exec_free(struct vgpu_exec *exec, void *memory, uint64_t size)
{
    if (memory != NULL) {
        exec->memory_used -= size;
        free(memory);
    }
}

bool vgpu_exec_charge(struct vgpu_exec *exec, uint64_t size)
{
    if (size > VGPU_EXEC_MEMORY_LIMIT - exec->memory_used) {
        return false;
    }
    exec->memory_used += size;
    return true;
}

void vgpu_exec_spend(struct vgpu_exec *exec, uint64_t bytes)
{
    exec->device->stats.moved_bytes += bytes;
    exec->device->budget -= (int64_t)(bytes < VGPU_EXEC_MEMORY_LIMIT ? bytes : VGPU_EXEC_MEMORY_LIMIT);
}
