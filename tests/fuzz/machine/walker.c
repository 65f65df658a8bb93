/* walker.c: a renderer that visits the state of each draw. It keeps an object of its own for each resource
 * that it saw as a target and each shader: those that the model does not take leave of are leaks. */
#include "tests/fuzz/machine/walker.h"

#include <stdlib.h>
#include <string.h>

#include "pci/aerogpu_pci.h"
#include "tests/device/input_layout.h"
#include "tests/device/renderer.h"
#include "tests/device/sampler.h"
#include "tests/device/shader.h"
#include "tests/fuzz/machine/guest.h"

#define FILL 0xB7

/* Ours behind renderer_data. */
struct copy {
    void *of;
};

static uint32_t copies;
static volatile uint32_t sink; /* so that reads are not left out */

static void *new_copy(void *of)
{
    struct copy *copy = malloc(sizeof *copy);

    fuzz_require(copy != NULL);
    copy->of = of;
    copies++;
    return copy;
}

static void free_copy(void *of, void **data)
{
    struct copy *copy = *data;

    if (copy != NULL) {
        fuzz_require(copy->of == of);
        free(copy);
        copies--;
        *data = NULL;
    }
}

/* A bound buffer, texture or view. A target is changed: what the model knows of it is stale from here on. */
static void visit_object(void *thing, bool target)
{
    struct agpu_resource *resource = thing != NULL ? agpu_object_resource(thing) : NULL;

    if (resource == NULL) { /* unbound, or a view whose texture is gone */
        return;
    }
    fuzz_require(resource->references > 0 && resource->size > 0);
    sink += resource->data[0] + resource->data[resource->size - 1];
    if (target) {
        if (resource->renderer_data == NULL) {
            resource->renderer_data = new_copy(resource);
        }
        resource->renderer_newer = true;
    }
}

static void visit_shader(const struct agpu_slot *slot)
{
    struct agpu_shader *shader = slot->thing;

    if (shader != NULL && shader->size > 0) {
        sink += shader->dxbc[0] + shader->dxbc[shader->size - 1];
        if (shader->renderer_data == NULL) {
            shader->renderer_data = new_copy(shader);
        }
    }
}

static void visit_stage(const struct agpu_stage_state *stage)
{
    visit_shader(&stage->shader);
    for (uint32_t i = 0; i < AGPU_MAX_SRVS; i++) {
        visit_object(stage->srvs[i].slot.thing, false);
    }
    for (uint32_t i = 0; i < AGPU_MAX_UAVS; i++) {
        visit_object(stage->uavs[i].slot.thing, true);
    }
    for (uint32_t i = 0; i < AGPU_MAX_CONSTANT_BUFFERS; i++) {
        visit_object(stage->constant_buffers[i].slot.thing, false);
    }
    for (uint32_t i = 0; i < AGPU_MAX_SAMPLERS; i++) {
        const struct agpu_sampler *sampler = stage->samplers[i].thing;

        sink += sampler != NULL ? sampler->filter : 0;
    }
}

static void visit(const struct agpu_state *state)
{
    const struct agpu_input_layout *layout = state->input_layout.thing;

    for (uint32_t i = 0; i < AGPU_STAGE_COUNT; i++) {
        visit_stage(&state->stages[i]);
    }
    for (uint32_t i = 0; i < AEROGPU_MAX_RENDER_TARGETS; i++) {
        visit_object(state->colors[i].thing, true);
    }
    visit_object(state->depth.thing, true);
    for (uint32_t i = 0; i < AGPU_MAX_VERTEX_BUFFERS; i++) {
        visit_object(state->vertex_buffers[i].slot.thing, false);
    }
    visit_object(state->index_buffer.slot.thing, false);
    if (layout != NULL) {
        fuzz_require(layout->count <= AGPU_MAX_INPUT_ELEMENTS);
    }
}

/* Some fail, as the counts say. */
static uint32_t outcome(uint32_t count)
{
    return count % 16 == 14   ? AEROGPU_ERROR_CMD_DECODE
           : count % 16 == 15 ? AEROGPU_ERROR_BACKEND
                              : AEROGPU_ERROR_NONE;
}

static uint32_t draw(void *ctx, const struct agpu_draw *call)
{
    (void)ctx;
    fuzz_require(call->count != 0 && call->instance_count != 0);
    visit(call->state);
    return outcome(call->count);
}

static uint32_t dispatch(void *ctx, const struct agpu_dispatch *call)
{
    (void)ctx;
    fuzz_require(call->groups[0] != 0 && call->groups[1] != 0 && call->groups[2] != 0);
    visit(call->state);
    return outcome(call->groups[0]);
}

static uint32_t finish(void *ctx)
{
    (void)ctx;
    return AEROGPU_ERROR_NONE;
}

static void read_back(void *ctx, struct agpu_resource *resource)
{
    (void)ctx;
    fuzz_require(resource->renderer_data != NULL);
    memset(resource->data, FILL, resource->size < 4096 ? resource->size : 4096);
}

static void forget_resource(void *ctx, struct agpu_resource *resource)
{
    (void)ctx;
    free_copy(resource, &resource->renderer_data);
}

static void forget_shader(void *ctx, struct agpu_shader *shader)
{
    (void)ctx;
    free_copy(shader, &shader->renderer_data);
}

static void reset(void *ctx)
{
    (void)ctx;
    fuzz_require(copies == 0);
}

const struct agpu_renderer *fuzz_walker(void)
{
    static const struct agpu_renderer walker = {
        .draw = draw,
        .dispatch = dispatch,
        .finish = finish,
        .read_back = read_back,
        .forget_resource = forget_resource,
        .forget_shader = forget_shader,
        .reset = reset,
    };

    return &walker;
}
