/* draw.c: draws and dispatches: brings everything they use up to date, writes changed state, then the draw
 * itself. */
#include "tests/device/render/draw.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/view.h"
#include "tests/device/render/bindings.h"
#include "tests/device/render/engine_link.h"
#include "tests/device/render/fixed.h"
#include "tests/device/render/shaders.h"
#include "tests/device/render/upload.h"
#include "tests/device/render/vertices.h"

/* Space for the messages of one draw: bounded by the bindings of five stages. */
#define DRAW_MESSAGE_BYTES (64u << 10)

/* Data of a draw besides its state. */
struct draw_call {
    const struct vgpu_draw *draw;
    struct vgpu_render_shader *stages[5];
    struct vgpu_wire_targets targets;
    struct vgpu_wire_pipeline pipeline;
    struct vgpu_wire_input input;
    struct vgpu_wire_dynamic dynamic;
    struct vgpu_wire_vertex_buffer vertex_buffers[VGPU_DXBC_REGISTERS];
    uint64_t constant_bytes;
};

static uint32_t load_shaders(struct vgpu_render *render, struct draw_call *call)
{
    const struct vgpu_state *state = call->draw->state;
    const struct vgpu_shader *shaders[5];
    uint32_t error = AEROGPU_ERROR_NONE;

    for (uint32_t i = 0; i < 5; i++) {
        shaders[i] = state->stages[i].shader.thing;
    }
    for (uint32_t i = 0; i < 5 && !error; i++) {
        if (shaders[i] != NULL) {
            error = vgpu_render_read_shader(render, state->stages[i].shader.thing, &call->stages[i]);
        }
    }
    if (!error && memcmp(shaders, render->linked, sizeof shaders) != 0) {
        error = vgpu_render_link(render, call->stages);
        if (!error) {
            memcpy(render->linked, shaders, sizeof shaders);
        }
    }
    for (uint32_t i = 0; i < 5 && !error; i++) {
        if (shaders[i] != NULL) {
            error = vgpu_render_load_shader(render, shaders[i],
                                            i == VGPU_STAGE_DOMAIN ? call->stages[VGPU_STAGE_HULL] : NULL);
        }
    }
    return error;
}

/* Brings everything up to date in the drawing process and collects what the draw will write. */
static uint32_t gather_inputs(struct vgpu_render *render, struct draw_call *call)
{
    const struct vgpu_state *state = call->draw->state;

    memset(call->stages, 0, sizeof call->stages);
    call->constant_bytes = 0;
    uint32_t error = load_shaders(render, call);
    if (!error) {
        error = vgpu_render_targets(render, state, &call->targets);
    }
    if (!error) {
        error = vgpu_render_pipeline(render, state, call->stages, &call->pipeline);
    }
    if (!error) {
        error = vgpu_render_vertices(render, state, call->stages[VGPU_STAGE_VERTEX], &call->input,
                                     call->vertex_buffers);
    }
    if (!error) {
        error = vgpu_render_dynamic(render, call->draw, &call->targets, &call->dynamic);
    }
    if (!error && call->draw->indexed) {
        error = vgpu_render_use(render, state->index_buffer.slot.thing);
    }
    for (uint32_t i = 0; i < 5 && !error; i++) {
        if (call->stages[i] != NULL) {
            error = vgpu_render_use_bindings(render, &state->stages[i], &call->stages[i]->dxbc,
                                             &call->constant_bytes);
        }
    }
    return error;
}

/* Writes a message of fixed size when it differs from the last one sent. */
static void write_if_changed(struct vgpu_render *render, enum vgpu_wire_op op, void *last, const void *now,
                             uint32_t size)
{
    enum { HEADER = sizeof(struct vgpu_wire_header) };
    const uint8_t *body = (const uint8_t *)now + HEADER;
    if (!render->sent.valid || memcmp((uint8_t *)last + HEADER, body, size - HEADER) != 0) {
        uint8_t *message = vgpu_engine_message(render, op, size);

        memcpy(message + HEADER, body, size - HEADER);
        memcpy((uint8_t *)last + HEADER, body, size - HEADER);
    }
}

static void write_vertex_buffers(struct vgpu_render *render, const struct draw_call *call)
{
    struct vgpu_sent *sent = &render->sent;
    uint32_t count = call->input.binding_count, bytes = count * (uint32_t)sizeof *call->vertex_buffers;

    if (sent->valid && sent->vertex_buffer_count == count &&
        memcmp(sent->vertex_buffers, call->vertex_buffers, bytes) == 0) {
        return;
    }
    struct vgpu_wire_vertex_buffers *message =
        vgpu_engine_message(render, VGPU_WIRE_VERTEX_BUFFERS, (uint32_t)sizeof *message + bytes);
    message->count = count;
    memcpy(message->buffers, call->vertex_buffers, bytes);
    sent->vertex_buffer_count = count;
    memcpy(sent->vertex_buffers, call->vertex_buffers, bytes);
}

static void write_state(struct vgpu_render *render, const struct draw_call *call)
{
    struct vgpu_sent *sent = &render->sent;

    write_if_changed(render, VGPU_WIRE_TARGETS, &sent->targets, &call->targets, sizeof call->targets);
    write_if_changed(render, VGPU_WIRE_PIPELINE, &sent->pipeline, &call->pipeline, sizeof call->pipeline);
    write_if_changed(render, VGPU_WIRE_INPUT, &sent->input, &call->input, sizeof call->input);
    write_if_changed(render, VGPU_WIRE_DYNAMIC, &sent->dynamic, &call->dynamic, sizeof call->dynamic);
    write_vertex_buffers(render, call);
    sent->valid = true;
    for (uint32_t i = 0; i < 5; i++) {
        if (call->stages[i] != NULL) {
            vgpu_render_write_bindings(render, (enum vgpu_stage)i, &call->draw->state->stages[i],
                                       call->stages[i]);
        }
    }
}

/* Indices of a draw beyond the end of the index buffer: the missing ones are 0, in a copy. */
struct draw_indices {
    bool copied;
    uint64_t bytes; /* of the copy */
    uint32_t width;
};

static uint32_t plan_indices(struct vgpu_render *render, const struct vgpu_draw *draw,
                             struct draw_indices *indices)
{
    const struct vgpu_buffer_slot *slot = &draw->state->index_buffer;
    struct vgpu_resource *buffer = slot->slot.thing;

    *indices =
        (struct draw_indices){.width = draw->state->index_format == AEROGPU_INDEX_FORMAT_UINT32 ? 4 : 2};
    uint64_t end = slot->offset + ((uint64_t)draw->first + draw->count) * indices->width;
    if (!draw->indexed || end <= buffer->size) {
        return AEROGPU_ERROR_NONE;
    }
    indices->copied = true;
    indices->bytes = (uint64_t)draw->count * indices->width;
    if (indices->bytes > VGPU_WIRE_SHARED_BYTES / 2) {
        return vgpu_render_failed(render, "%u indices, most of them outside the index buffer", draw->count);
    }
    if (buffer->renderer_newer) {
        buffer->renderer_newer = false;
        vgpu_render_read_back(render, buffer);
    }
    return AEROGPU_ERROR_NONE;
}

static uint32_t copy_indices(struct vgpu_render *render, const struct vgpu_draw *draw,
                             const struct draw_indices *indices)
{
    const struct vgpu_buffer_slot *slot = &draw->state->index_buffer;
    const struct vgpu_resource *buffer = slot->slot.thing;
    uint32_t at = vgpu_engine_data(render, (uint32_t)indices->bytes);
    uint64_t begin = slot->offset + (uint64_t)draw->first * indices->width, size = 0;

    if (begin < buffer->size) {
        size = buffer->size - begin < indices->bytes ? buffer->size - begin : indices->bytes;
        memcpy(render->shared + at, buffer->data + begin, size);
    }
    memset(render->shared + at + size, 0, indices->bytes - size);
    return at;
}

static void write_draw(struct vgpu_render *render, const struct vgpu_draw *draw,
                       const struct draw_indices *indices)
{
    struct vgpu_wire_draw *message = vgpu_engine_message(render, VGPU_WIRE_DRAW, sizeof *message);

    message->count = draw->count;
    message->instance_count = draw->instance_count;
    message->first = draw->first;
    message->first_instance = draw->first_instance;
    if (draw->indexed) {
        message->indexed = 1;
        message->base_vertex = draw->base_vertex;
        message->index_wide = indices->width == 4;
        if (indices->copied) {
            message->first = 0;
            message->index_offset = copy_indices(render, draw, indices);
        } else {
            message->index_buffer = vgpu_render_number(draw->state->index_buffer.slot.thing);
            message->index_offset = draw->state->index_buffer.offset;
        }
    }
    for (uint32_t i = 0; i < render->written_count; i++) {
        vgpu_render_wrote(render->written[i], render->written_mip[i], render->written_layer[i]);
    }
}

/* Records the subresources that draws to these targets change. */
static void note_targets(struct vgpu_render *render, const struct vgpu_state *state)
{
    for (uint32_t i = 0; i <= AEROGPU_MAX_RENDER_TARGETS; i++) {
        const struct vgpu_slot *slot = i < AEROGPU_MAX_RENDER_TARGETS ? &state->colors[i] : &state->depth;
        struct vgpu_object *object = slot->thing;
        const struct vgpu_view *view = (const void *)object;

        if (slot->handle && object != NULL) {
            bool is_view = object->kind == VGPU_OBJECT_VIEW;

            render->written_mip[render->written_count] = is_view ? view->base_mip : 0;
            render->written_layer[render->written_count] = is_view ? view->base_layer : 0;
            render->written[render->written_count++] = vgpu_object_resource(object);
        }
    }
}

/* True when nothing that the state uses has changed since everything was sent. */
static bool all_told(const struct vgpu_render *render, const struct vgpu_draw *draw)
{
    if (render->state != draw->state || render->state_version != draw->state->version ||
        render->state_indexed != draw->indexed) {
        return false;
    }
    for (uint32_t i = 0; i < render->use_count; i++) {
        if (render->uses[i].resource->version != render->uses[i].version) {
            return false;
        }
    }
    return true;
}

/* No limit allows this many vertices, so larger draws are refused at once. */
#define MOST_VERTICES (UINT64_C(1) << 36)

uint32_t vgpu_render_draw(void *ctx, const struct vgpu_draw *draw)
{
    struct vgpu_render *render = ctx;
    struct draw_indices indices;
    uint32_t error;

    if (!vgpu_engine_ready(render)) {
        return AEROGPU_ERROR_BACKEND;
    }
    if ((uint64_t)draw->count * draw->instance_count > MOST_VERTICES) {
        return vgpu_render_failed(render, "%u vertices of each of %u instances", draw->count,
                                  draw->instance_count);
    }
    error = plan_indices(render, draw, &indices);
    if (error) {
        return error;
    }
    if (!vgpu_engine_reserve(render, 256, indices.bytes)) {
        return AEROGPU_ERROR_BACKEND;
    }
    if (all_told(render, draw)) {
        write_draw(render, draw, &indices);
        return AEROGPU_ERROR_NONE;
    }
    render->state = NULL;
    render->use_count = 0;
    render->written_count = 0;
    struct draw_call call; /* large, and compilers that zero locals do it here */
    call.draw = draw;
    error = gather_inputs(render, &call);
    if (error) {
        return error;
    }
    note_targets(render, draw->state);
    if (!vgpu_engine_reserve(render, DRAW_MESSAGE_BYTES,
                             call.constant_bytes + vgpu_engine_data_room(indices.bytes))) {
        return AEROGPU_ERROR_BACKEND;
    }
    write_state(render, &call);
    write_draw(render, draw, &indices);
    render->state = draw->state;
    render->state_version = draw->state->version;
    render->state_indexed = draw->indexed;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_render_dispatch(void *ctx, const struct vgpu_dispatch *dispatch)
{
    struct vgpu_render *render = ctx;
    const struct vgpu_stage_state *stage = &dispatch->state->stages[dispatch->stage];
    struct vgpu_render_shader *shader;
    uint64_t constant_bytes = 0;

    if (dispatch->stage != VGPU_STAGE_COMPUTE) {
        return vgpu_render_refused(render, "a dispatch of a stage that is not compute");
    }
    if (!vgpu_engine_ready(render)) {
        return AEROGPU_ERROR_BACKEND;
    }
    uint32_t error = vgpu_render_read_shader(render, stage->shader.thing, &shader);
    if (!error) {
        error = vgpu_render_load_shader(render, stage->shader.thing, NULL);
    }
    if (error) {
        return error;
    }
    render->state = NULL;
    render->use_count = 0;
    render->written_count = 0;
    error = vgpu_render_use_bindings(render, stage, &shader->dxbc, &constant_bytes);
    if (error) {
        return error;
    }
    if (!vgpu_engine_reserve(render, DRAW_MESSAGE_BYTES, constant_bytes)) {
        return AEROGPU_ERROR_BACKEND;
    }
    vgpu_render_write_bindings(render, VGPU_STAGE_COMPUTE, stage, shader);
    struct vgpu_wire_dispatch *message = vgpu_engine_message(render, VGPU_WIRE_DISPATCH, sizeof *message);
    message->shader = shader->number;
    memcpy(message->groups, dispatch->groups, sizeof message->groups);
    for (uint32_t i = 0; i < render->written_count; i++) {
        vgpu_render_wrote(render->written[i], 0, 0);
    }
    return AEROGPU_ERROR_NONE;
}
