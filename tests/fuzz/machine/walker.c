/* walker.c: visits the state of each draw, then passes the draw on. It records each resource and shader until
 * the model forgets it: those left at a reset are leaks. */
#include "tests/device/monotonic.h"
#include "tests/fuzz/machine/walker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/input_layout.h"
#include "tests/device/engine/map.h"
#include "tests/device/engine/renderer.h"
#include "tests/device/engine/sampler.h"
#include "tests/device/engine/shader.h"
#include "tests/device/render/render.h"
#include "tests/device/render/worker.h"
#include "tests/fuzz/machine/guest.h"

/* A draw that does not end must not stop the search: time limits of the drawing process for a batch, and for
 * all batches of an input; later draws are skipped. Valid draws need a tenth of it, most of it for new
 * pipelines. */
#define BATCH_MS        300u
#define INPUT_BUDGET_NS UINT64_C(2000000000)

static struct {
    struct vgpu_render *render;
    const struct vgpu_renderer *next; /* the renderer's interface */
    uint64_t spent_ns;                /* used part of the input's budget */
    struct vgpu_map seen;             /* resources and shaders, by address */
    uint64_t calls, drawn, late, crashed;
} walker;

static volatile uint32_t sink; /* keeps the compiler from removing reads */

static void see(void *thing)
{
    fuzz_require(vgpu_map_set(&walker.seen, (uintptr_t)thing, thing));
}

/* Visits a bound buffer, texture or view. */
static void visit_object(void *thing)
{
    struct vgpu_resource *resource = thing != NULL ? vgpu_object_resource(thing) : NULL;

    if (resource == NULL) { /* unbound, or a view whose texture was destroyed */
        return;
    }
    fuzz_require(resource->references > 0 && resource->size > 0);
    sink += resource->data[0] + resource->data[resource->size - 1];
    see(resource);
}

static void visit_shader(const struct vgpu_slot *slot)
{
    struct vgpu_shader *shader = slot->thing;

    if (shader != NULL && shader->size > 0) {
        sink += shader->dxbc[0] + shader->dxbc[shader->size - 1];
        see(shader);
    }
}

static void visit_stage(const struct vgpu_stage_state *stage)
{
    visit_shader(&stage->shader);
    for (uint32_t i = 0; i < VGPU_MAX_SRVS; i++) {
        visit_object(stage->srvs[i].slot.thing);
    }
    for (uint32_t i = 0; i < VGPU_MAX_UAVS; i++) {
        visit_object(stage->uavs[i].slot.thing);
    }
    for (uint32_t i = 0; i < VGPU_MAX_CONSTANT_BUFFERS; i++) {
        visit_object(stage->constant_buffers[i].slot.thing);
    }
    for (uint32_t i = 0; i < VGPU_MAX_SAMPLERS; i++) {
        const struct vgpu_sampler *sampler = stage->samplers[i].thing;

        sink += sampler != NULL ? sampler->filter : 0;
    }
}

static void visit(const struct vgpu_state *state)
{
    const struct vgpu_input_layout *layout = state->input_layout.thing;

    for (uint32_t i = 0; i < VGPU_STAGE_COUNT; i++) {
        visit_stage(&state->stages[i]);
    }
    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS; i++) {
        visit_object(state->colors[i].thing);
    }
    visit_object(state->depth.thing);
    for (uint32_t i = 0; i < VGPU_MAX_VERTEX_BUFFERS; i++) {
        visit_object(state->vertex_buffers[i].slot.thing);
    }
    visit_object(state->index_buffer.slot.thing);
    if (layout != NULL) {
        fuzz_require(layout->count <= VGPU_MAX_INPUT_ELEMENTS);
    }
}

/* A draw target must be marked: the model must read it back before it uses it (renderer.h). */
static void check_announced(const struct vgpu_slot *slot)
{
    const struct vgpu_resource *resource = slot->thing != NULL ? vgpu_object_resource(slot->thing) : NULL;

    fuzz_require(resource == NULL || slot->handle == 0 || resource->renderer_newer);
}

static bool within_budget(void)
{
    return walker.spent_ns < INPUT_BUDGET_NS;
}

static void spend_since(uint64_t start_ns)
{
    walker.spent_ns += vgpu_monotonic_ns() - start_ns;
}

static uint32_t draw(void *ctx, const struct vgpu_draw *call)
{
    const uint64_t start = vgpu_monotonic_ns();
    uint32_t error;

    (void)ctx;
    fuzz_require(call->count != 0 && call->instance_count != 0);
    visit(call->state);
    walker.calls++;
    if (!within_budget()) {
        return AEROGPU_ERROR_BACKEND;
    }
    error = walker.next->draw(walker.next->ctx, call);
    if (error == AEROGPU_ERROR_NONE) {
        walker.drawn++;
        for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS; i++) {
            check_announced(&call->state->colors[i]);
        }
        check_announced(&call->state->depth);
    }
    spend_since(start);
    return error;
}

static uint32_t dispatch(void *ctx, const struct vgpu_dispatch *call)
{
    const uint64_t start = vgpu_monotonic_ns();
    uint32_t error;

    (void)ctx;
    fuzz_require(call->groups[0] != 0 && call->groups[1] != 0 && call->groups[2] != 0);
    visit(call->state);
    walker.calls++;
    if (!within_budget()) {
        return AEROGPU_ERROR_BACKEND;
    }
    error = walker.next->dispatch(walker.next->ctx, call);
    walker.drawn += error == AEROGPU_ERROR_NONE;
    spend_since(start);
    return error;
}

static uint32_t finish(void *ctx)
{
    const uint64_t start = vgpu_monotonic_ns();
    const uint32_t error = walker.next->finish(walker.next->ctx);

    (void)ctx;
    spend_since(start);
    return error;
}

static void read_back(void *ctx, struct vgpu_resource *resource)
{
    const uint64_t start = vgpu_monotonic_ns();

    (void)ctx;
    fuzz_require(vgpu_map_find(&walker.seen, (uintptr_t)resource) == resource);
    walker.next->read_back(walker.next->ctx, resource);
    spend_since(start);
}

static void forget_resource(void *ctx, struct vgpu_resource *resource)
{
    (void)ctx;
    walker.next->forget_resource(walker.next->ctx, resource);
    fuzz_require(resource->renderer_data == NULL);
    vgpu_map_remove(&walker.seen, (uintptr_t)resource);
}

static void forget_shader(void *ctx, struct vgpu_shader *shader)
{
    (void)ctx;
    walker.next->forget_shader(walker.next->ctx, shader);
    fuzz_require(shader->renderer_data == NULL);
    vgpu_map_remove(&walker.seen, (uintptr_t)shader);
}

static void reset(void *ctx)
{
    const uint64_t start = vgpu_monotonic_ns();

    (void)ctx;
    fuzz_require(walker.seen.count == 0);
    vgpu_map_free(&walker.seen);
    walker.next->reset(walker.next->ctx);
    spend_since(start);
}

/* A crashed helper process is not an error of the model, which must survive it; but it is reported. A helper that
 * a sanitizer ended (tests/device/render/vulkan/sanitizer.c) has an error of the project. */
static void hear(void *ctx, const char *text)
{
    (void)ctx;
    fuzz_require(strstr(text, "exit status 99") == NULL);
    if (strstr(text, "was ended") != NULL) {
        walker.late++;
    } else if (strstr(text, "crashed") != NULL) {
        walker.crashed++;
        fprintf(stderr, "renderer: %s\n", text);
    }
}

static void close_renderer(void)
{
    fprintf(stderr, "renderer: %llu of %llu draws and dispatches carried out, %llu too slow, %llu crashes\n",
            (unsigned long long)walker.drawn, (unsigned long long)walker.calls,
            (unsigned long long)walker.late, (unsigned long long)walker.crashed);
    vgpu_render_destroy(walker.render);
}

void fuzz_walker_open(void)
{
    const struct vgpu_render_config config = {.time_limit_ms = BATCH_MS, .log = hear};

    walker.render = vgpu_render_create(&config);
    fuzz_require(walker.render != NULL);
    walker.next = vgpu_render_interface(walker.render);
    atexit(close_renderer);
}

void fuzz_walker_begin(void)
{
    walker.spent_ns = 0;
}

const struct vgpu_renderer *fuzz_walker(void)
{
    static const struct vgpu_renderer interface = {
        .draw = draw,
        .dispatch = dispatch,
        .finish = finish,
        .read_back = read_back,
        .forget_resource = forget_resource,
        .forget_shader = forget_shader,
        .reset = reset,
    };

    return &interface;
}
