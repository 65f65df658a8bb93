/* exec.c: memory and work accounting of the command executor. */
#include "tests/device/engine/exec.h"

#include <stdlib.h>

/* The host zeroes allocations of at least this size on first access, and that cost is charged then. */
#define LAZY_BYTES (128u << 10)

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
    exec->bus->stats.moved_bytes += bytes;
    exec->bus->budget -= (int64_t)(bytes < VGPU_EXEC_MEMORY_LIMIT ? bytes : VGPU_EXEC_MEMORY_LIMIT);
}
