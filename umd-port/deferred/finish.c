/* finish.c: turns a recording into a command list: symbols become references, and every place that execution
 * must change is noted (umd.md 15). Runs on the recording thread. */
#include <string.h>

#include "umd-port/base/walk.h"
#include "umd-port/deferred/context.h"
#include "umd-port/deferred/ops.h"

struct finishing {
    struct agpu_deferred_context *dc;
    struct agpu_list_body *body;
    bool failed;
};

/* Number of the symbol's reference in this list; 0 without memory. */
static uint32_t reference_of(struct finishing *at, uint32_t symbol)
{
    struct agpu_symbol *slot = agpu_symbol_at(at->dc, symbol);

    if (slot->listed_in != at->dc->list_number) {
        slot->reference = agpu_list_add_reference(at->body, slot->object, (enum agpu_shared_use)slot->use);
        slot->listed_in = at->dc->list_number;
        at->failed |= !slot->reference;
    }
    return slot->reference;
}

static void replace(struct finishing *at, uint32_t *symbol)
{
    if (*symbol) {
        *symbol = reference_of(at, *symbol);
    }
}

static void note(struct finishing *at, const void *place, enum agpu_fixup kind)
{
    uint32_t offset = (uint32_t)((const uint8_t *)place - at->dc->recorder.imm.cmd.base);

    at->failed |= !agpu_list_add_fixup(at->body, offset, kind);
}

/* One handle, count of them every stride words. */
static void handles(struct finishing *at, void *first, uint32_t count, uint32_t stride)
{
    uint32_t *word = first;

    for (uint32_t i = 0; i < count; i++, word += stride) {
        if (*word) {
            replace(at, word);
            note(at, word, AGPU_FIXUP_HANDLE);
        }
    }
}

#define BINDING_WORDS 4u /* every buffer binding: handle first, 16 bytes */
_Static_assert(sizeof(struct aerogpu_constant_buffer_binding) == 4 * BINDING_WORDS, "constants");
_Static_assert(sizeof(struct aerogpu_shader_resource_buffer_binding) == 4 * BINDING_WORDS, "views");
_Static_assert(sizeof(struct aerogpu_unordered_access_buffer_binding) == 4 * BINDING_WORDS, "uavs");
_Static_assert(sizeof(struct aerogpu_vertex_buffer_binding) == 4 * BINDING_WORDS, "vertices");

static void bindings(struct finishing *at, void *packet)
{
    switch (((struct aerogpu_cmd_hdr *)packet)->opcode) {
    case AEROGPU_CMD_SET_VERTEX_BUFFERS: {
        struct aerogpu_cmd_set_vertex_buffers *set = packet;

        handles(at, set + 1, set->buffer_count, BINDING_WORDS);
        break;
    }
    case AEROGPU_CMD_SET_CONSTANT_BUFFERS: {
        struct aerogpu_cmd_set_constant_buffers *set = packet;

        handles(at, set + 1, set->buffer_count, BINDING_WORDS);
        break;
    }
    case AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS: {
        struct aerogpu_cmd_set_shader_resource_buffers *set = packet;

        handles(at, set + 1, set->buffer_count, BINDING_WORDS);
        break;
    }
    case AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS: {
        struct aerogpu_cmd_set_unordered_access_buffers *set = packet;

        handles(at, set + 1, set->uav_count, BINDING_WORDS);
        break;
    }
    default: {
        struct aerogpu_cmd_set_samplers *set = packet;

        handles(at, set + 1, set->sampler_count, 1);
        break;
    }
    }
}

static void copy(struct finishing *at, uint32_t *dst_then_src)
{
    replace(at, &dst_then_src[0]);
    replace(at, &dst_then_src[1]);
    note(at, (uint8_t *)dst_then_src - sizeof(struct aerogpu_cmd_hdr), AGPU_FIXUP_COPY);
}

static void op(struct finishing *at, struct agpu_op_header *head)
{
    uint32_t symbol = head->object;

    replace(at, &symbol);
    head->object = symbol;
    if (head->hdr.opcode == AGPU_OP_COPY_ON_CPU) {
        struct agpu_op_copy *copied = (struct agpu_op_copy *)head;

        symbol = copied->source;
        replace(at, &symbol);
        copied->source = symbol;
    }
    note(at, head, AGPU_FIXUP_OP);
}

/* Words of a packet behind its header. */
static uint32_t *words(void *packet)
{
    return (uint32_t *)packet + sizeof(struct aerogpu_cmd_hdr) / sizeof(uint32_t);
}

static void visit(struct finishing *at, void *packet)
{
    switch (((struct aerogpu_cmd_hdr *)packet)->opcode) {
    case AEROGPU_CMD_SET_RENDER_TARGETS: /* color_count, depth_stencil, colors */
        handles(at, words(packet) + 1, 1 + AEROGPU_MAX_RENDER_TARGETS, 1);
        break;
    case AEROGPU_CMD_SET_TEXTURE: /* stage, slot, texture */
        handles(at, words(packet) + 2, 1, 1);
        break;
    case AEROGPU_CMD_SET_INDEX_BUFFER:
    case AEROGPU_CMD_SET_INPUT_LAYOUT:
    case AEROGPU_CMD_CREATE_BUFFER: /* of temporaries only, as are the next two */
    case AEROGPU_CMD_CREATE_TEXTURE2D:
    case AEROGPU_CMD_DESTROY_RESOURCE:
        handles(at, words(packet), 1, 1);
        break;
    case AEROGPU_CMD_BIND_SHADERS: /* vs, ps, cs, gs */
        handles(at, words(packet), 4, 1);
        break;
    case AEROGPU_CMD_SET_VERTEX_BUFFERS:
    case AEROGPU_CMD_SET_CONSTANT_BUFFERS:
    case AEROGPU_CMD_SET_SHADER_RESOURCE_BUFFERS:
    case AEROGPU_CMD_SET_UNORDERED_ACCESS_BUFFERS:
    case AEROGPU_CMD_SET_SAMPLERS:
        bindings(at, packet);
        break;
    case AEROGPU_CMD_COPY_BUFFER:
    case AEROGPU_CMD_COPY_TEXTURE2D:
        copy(at, words(packet));
        break;
    case AGPU_OP_DRAW_INDIRECT:
    case AGPU_OP_DRAW_INDEXED_INDIRECT:
    case AGPU_OP_DISPATCH_INDIRECT:
    case AGPU_OP_WRITE:
    case AGPU_OP_WRITE_ON_CPU:
    case AGPU_OP_COPY_ON_CPU:
    case AGPU_OP_READ_ARGUMENTS:
    case AGPU_OP_CLEARED:
    case AGPU_OP_END_QUERY:
        op(at, packet);
        break;
    case AEROGPU_CMD_SET_BLEND_STATE: /* no handles inside */
    case AEROGPU_CMD_SET_DEPTH_STENCIL_STATE:
    case AEROGPU_CMD_SET_RASTERIZER_STATE:
    case AEROGPU_CMD_SET_VIEWPORT:
    case AEROGPU_CMD_SET_SCISSOR:
    case AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY:
    case AEROGPU_CMD_CLEAR:
    case AEROGPU_CMD_DRAW:
    case AEROGPU_CMD_DRAW_INDEXED:
    case AEROGPU_CMD_DISPATCH:
        break;
    default: /* a packet that might hold symbols must not reach the device with them */
        at->failed = true;
        break;
    }
}

static bool visit_all(struct finishing *at, const struct agpu_cmd_writer *cmd)
{
    struct agpu_cmd_walk walk;
    bool broken = false;

    if (!agpu_cmd_walk_begin(&walk, cmd->base, agpu_cmd_used(cmd))) {
        return false;
    }
    for (const struct aerogpu_cmd_hdr *packet;
         !at->failed && (packet = agpu_cmd_walk_next(&walk, &broken)) != NULL;) {
        visit(at, cmd->base + ((const uint8_t *)packet - cmd->base));
    }
    return !at->failed && !broken;
}

/* What draws, copies and ops of each section referred to, read or written, once each. */
static bool number_uses(struct finishing *at)
{
    struct agpu_uses *uses = &at->dc->uses;

    for (uint32_t i = 0; i < uses->count; i++) {
        if (!uses->at[i].reference) {
            continue;
        }
        uses->at[i].reference = reference_of(at, uses->at[i].reference);
        if (!uses->at[i].reference) {
            return false;
        }
    }
    return true;
}

/* Stream, uses and arena change owners; the recycled list's take their place. */
static void move_recording(struct agpu_deferred_context *dc, struct agpu_list_body *body)
{
    struct agpu_cmd_writer *cmd = &dc->recorder.imm.cmd;
    uint8_t *stream = body->stream;
    size_t room = body->stream_room;
    struct agpu_arena arena = body->arena;
    struct agpu_uses uses = body->uses;

    body->stream = cmd->base;
    body->stream_room = cmd->capacity;
    body->stream_bytes = (uint32_t)agpu_cmd_used(cmd);
    body->arena = dc->arena;
    body->uses = dc->uses;
    cmd->base = stream;
    cmd->capacity = room;
    dc->arena = arena;
    dc->uses = uses;
}

struct agpu_list_body *agpu_deferred_finish(struct agpu_deferred_context *dc)
{
    struct agpu_context *context = &dc->recorder.imm;
    bool empty = agpu_cmd_empty(&context->cmd);

    if (agpu_deferred_removed(dc) || dc->recorder.list_oom || context->cmd.error != AGPU_CMD_OK ||
        (!empty && (!agpu_record_default_state(context) || FAILED(agpu_deferred_split(dc))))) {
        return NULL;
    }
    struct finishing at = {.dc = dc, .body = dc->spare != NULL ? dc->spare : agpu_list_new(dc->device_env)};
    dc->spare = NULL;
    if (at.body == NULL || empty) {
        return at.body;
    }
    agpu_cmd_finalize(&context->cmd);
    if (!visit_all(&at, &context->cmd) || !number_uses(&at)) {
        at.body->ref_count = 0; /* none of them is held yet */
        agpu_list_release(at.body);
        return NULL;
    }
    agpu_list_hold_objects(at.body);
    move_recording(dc, at.body);
    return at.body;
}
