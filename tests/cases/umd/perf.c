/* perf.c: measures the time in which the driver encodes a call; checks only that the work is done (umd.md 4). */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/samples.h"
#include "tests/cases/rig/umd_buffers.h"

#define CALLS 32u /* calls of one kind per sample: each is short compared with the clock's resolution */
#define SIZE  256u

struct encode_scene {
    D3D10DDI_HRESOURCE from, to;
    uint8_t data[SIZE];
};

typedef void encode_call(const struct agpu_umd_rig *umd, struct encode_scene *scene, unsigned number);

/* A different state each time, which the driver cannot omit. */
static void encode_state(const struct agpu_umd_rig *umd, struct encode_scene *scene, unsigned number)
{
    const D3D10_DDI_VIEWPORT viewport = {.Width = (float)(number % 2 + 1), .Height = 1, .MaxDepth = 1};

    (void)scene;
    umd->context.pfnSetViewports(umd->device, 1, 0, &viewport);
}

static void encode_update(const struct agpu_umd_rig *umd, struct encode_scene *scene, unsigned number)
{
    scene->data[0] = (uint8_t)number;
    umd->context.pfnResourceUpdateSubresourceUP(umd->device, scene->from, 0, NULL, scene->data, 0, 0);
}

static void encode_copy(const struct agpu_umd_rig *umd, struct encode_scene *scene, unsigned number)
{
    (void)number;
    umd->context.pfnResourceCopy(umd->device, scene->to, scene->from);
}

static bool measure_encode(struct agpu_test *t, enum agpu_figure figure, encode_call *call,
                           struct encode_scene *scene)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_samples samples = {0};

    while (agpu_samples_go_on(t, &samples)) {
        const uint64_t before = t->platform->now_ns(t->platform->ctx);

        for (unsigned i = 0; i < CALLS; i++) {
            call(umd, scene, i);
        }
        agpu_samples_add(&samples, (t->platform->now_ns(t->platform->ctx) - before) / CALLS);
        /* Outside the measurement; otherwise the command buffer would be full for the next calls. */
        if (!agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK) ||
            !agpu_check(t, agpu_runtime_wait_idle(umd->runtime))) {
            return false;
        }
    }
    agpu_samples_send(t, figure, &samples);
    return true;
}

/* Measures the driver's time for a state, an update of 256 bytes, and a copy, which must have the bytes. */
static void encode_cost(struct agpu_test *t)
{
    struct encode_scene scene;

    agpu_fill_pattern(scene.data, SIZE, 1);
    scene.from = agpu_make_default(t, SIZE, scene.data);
    scene.to = agpu_make_default(t, SIZE, NULL);
    agpu_assert(t, scene.from.pDrvPrivate != NULL && scene.to.pDrvPrivate != NULL);
    agpu_return_unless(measure_encode(t, AGPU_FIGURE_encode_state_ns, encode_state, &scene));
    agpu_return_unless(measure_encode(t, AGPU_FIGURE_encode_update_ns, encode_update, &scene));
    agpu_return_unless(measure_encode(t, AGPU_FIGURE_encode_copy_ns, encode_copy, &scene));
    agpu_check_contents(t, scene.to, scene.data, SIZE);
}

static const struct agpu_case umd_perf_cases[] = {
    {.id = "perf.encode.cost",
     .spec = "umd.md 4",
     .needs = AGPU_NEED_UMD,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = encode_cost},
};

AGPU_CASE_TABLE(agpu_cases_umd_perf, umd_perf_cases);
