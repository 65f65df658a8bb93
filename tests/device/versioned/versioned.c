/* versioned.c: the versioned generation: registers, ring, fences and engine behind struct vgpu_abi. */
#include "tests/device/versioned/versioned.h"

#include <stddef.h>

#include "tests/device/bus/irq.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/fence.h"
#include "tests/device/engine/lifecycle.h"
#include "tests/device/engine/ring.h"
#include "tests/device/engine/visit.h"
#include "tests/device/versioned/registers.h"

static bool versioned_pending(const void *generation)
{
    const struct vgpu_engine *engine = generation;

    return vgpu_ring_pending(engine) || vgpu_fence_ready(&engine->fences);
}

static void versioned_service(void *generation)
{
    struct vgpu_engine *engine = generation;

    engine->fences.page = NULL; /* mappings are valid only within one call */
    vgpu_fence_drain(engine);
    vgpu_ring_service(engine);
    vgpu_fence_drain(engine);
}

static void versioned_vblank_edge(void *generation)
{
    struct vgpu_engine *engine = generation;

    vgpu_fence_edge(&engine->fences);
}

static void versioned_vblank_stopped(void *generation)
{
    struct vgpu_engine *engine = generation;

    vgpu_fence_release_all(&engine->fences);
}

static void versioned_reset(void *generation)
{
    struct vgpu_engine *engine = generation;

    vgpu_engine_reset(engine);
    vgpu_exec_reset(&engine->exec);
    vgpu_irq_set_enable(engine->bus, 0);
    vgpu_ring_power_on(&engine->ring);
    vgpu_fence_reset(&engine->fences);
    engine->fences.page_gpa = 0;
}

static void versioned_visit(void *generation, struct vgpu_archive *archive)
{
    vgpu_engine_visit(generation, archive);
}

const struct vgpu_abi vgpu_abi_versioned = {
    .name = "1.4",
    .register_name = vgpu_register_name,
    .read = vgpu_register_read,
    .write = vgpu_register_write,
    .pending = versioned_pending,
    .service = versioned_service,
    .reset = versioned_reset,
    .visit = versioned_visit,
    .vblank_edge = versioned_vblank_edge,
    .vblank_stopped = versioned_vblank_stopped,
};
