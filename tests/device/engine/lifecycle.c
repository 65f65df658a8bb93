/* lifecycle.c: creates, resets and destroys the engine. */
#include "tests/device/engine/lifecycle.h"

#include <stdlib.h>
#include <sys/random.h>

#include "tests/device/bus/irq.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/fence.h"
#include "tests/device/engine/input_layout.h"
#include "tests/device/engine/release.h"
#include "tests/device/engine/renderer.h"
#include "tests/device/engine/sampler.h"
#include "tests/device/engine/shader.h"
#include "tests/device/engine/shared_surface.h"
#include "tests/device/engine/state.h"
#include "tests/device/engine/submission.h"

struct vgpu_engine *vgpu_engine_create(struct vgpu_bus *bus, struct vgpu_trace *trace)
{
    struct vgpu_engine *engine = calloc(1, sizeof *engine);
    struct vgpu_exec *exec;
    uint64_t seed = 0;

    if (engine == NULL) {
        return NULL;
    }
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed) {
        seed = (uintptr_t)engine; /* early boot of the host: address-space randomness is enough */
    }
    engine->bus = bus;
    engine->trace = trace;
    engine->submission.table.seed = (uint32_t)seed;
    exec = &engine->exec;
    exec->bus = bus;
    exec->trace = trace;
    exec->table = &engine->submission.table;
    vgpu_map_init(&exec->objects, seed);
    vgpu_map_init(&exec->shaders, seed);
    vgpu_map_init(&exec->layouts, seed);
    vgpu_map_init(&exec->samplers, seed);
    vgpu_map_init(&exec->tokens, seed);
    vgpu_state_init(&exec->state);
    return engine;
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

void vgpu_engine_reset(struct vgpu_engine *engine)
{
    vgpu_submission_drop(&engine->submission);
    vgpu_fence_reset(&engine->fences);
    engine->errors = (struct vgpu_errors){0};
    vgpu_exec_reset(&engine->exec);
    vgpu_irq_clear(engine->bus, ~0u);
}

void vgpu_engine_destroy(struct vgpu_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    vgpu_exec_reset(&engine->exec);
    vgpu_submission_free(&engine->submission);
    free(engine);
}
