/* execute.c: CommandListExecute on the immediate context (umd.md 15). Room and references come first; from
 * then on nothing fails, so a list is executed as a whole or not at all. */
#include <string.h>

#include "umd-port/core/query.h"
#include "umd-port/core/submit.h"
#include "umd-port/core/track.h"
#include "umd-port/deferred/context.h"
#include "umd-port/deferred/ops_replay.h"
#include "umd-port/draw/draw_ddi.h"

static const struct agpu_op_header *op_at(const struct agpu_list_body *body, uint32_t fixup)
{
    return (const struct agpu_op_header *)(const void *)(body->stream + agpu_fixup_offset(fixup));
}

static bool is_op(uint32_t fixup)
{
    return (fixup & AGPU_FIXUP_MASK) == AGPU_FIXUP_OP;
}

static uint32_t argument_words(uint32_t opcode)
{
    switch (opcode) {
    case AGPU_OP_DRAW_INDIRECT:
        return 4;
    case AGPU_OP_DRAW_INDEXED_INDIRECT:
        return 5;
    case AGPU_OP_DISPATCH_INDIRECT:
        return 3;
    default:
        return 0;
    }
}

/* The protocol has no indirect work: arguments are read by the CPU, here, before anything is recorded,
 * because reading may have to submit. What the list itself writes to them it therefore does not see. */
static HRESULT read_arguments(struct agpu_device *device, const struct agpu_list_body *body,
                              uint32_t (*arguments)[5])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->fixup_count; i++) {
        if (!is_op(body->fixups[i]))
            continue;
        const struct agpu_op_indirect *op = (const struct agpu_op_indirect *)op_at(body, body->fixups[i]);
        uint32_t words = argument_words(op->head.hdr.opcode);
        if (!words)
            continue;
        HRESULT hr = agpu_read_arguments(device, agpu_referenced_resource(body, op->head.object), op->offset,
                                         arguments[count++], words);
        if (FAILED(hr))
            return hr;
    }
    return S_OK;
}

static uint64_t stream_bytes(const struct agpu_list_body *body)
{
    uint64_t bytes = AGPU_DEFAULT_STATE_BYTES + (uint64_t)body->stream_bytes;
    for (uint32_t i = 0; i < body->fixup_count; i++)
        if (is_op(body->fixups[i]))
            bytes += agpu_op_bytes(body, op_at(body, body->fixups[i]));
    return bytes;
}

static bool make_room(struct agpu_cmd_writer *cmd, uint64_t bytes)
{
    return bytes <= UINT32_MAX && agpu_cmd_make_room(cmd, (size_t)bytes) != NULL;
}

/* The list's references on the allocation list, merged with what is there. */
static bool track_all(struct agpu_device *device, const struct agpu_list_body *body)
{
    for (uint32_t i = 0; i < body->ref_count; i++)
        if (body->refs[i].listed && body->refs[i].object &&
            !agpu_track(device, body->refs[i].object->object, body->refs[i].write != 0))
            return false;
    return true;
}

/* Handles as they are now: rotations have happened since the list was recorded. */
static void resolve(struct agpu_device *device, const struct agpu_list_body *body)
{
    for (uint32_t i = 0; i < body->ref_count; i++)
        body->handles[i] = body->refs[i].object ? agpu_share_handle(body->refs[i].object)
                                                : agpu_adapter_next_handle(device->adapter);
}

/* Copies the packets from one op to the next and fills in what they name. */
static void replay(struct agpu_execution *execution)
{
    const struct agpu_list_body *body = execution->body;
    struct agpu_cmd_writer *cmd = &execution->device->imm.cmd;
    uint32_t from = AGPU_CMD_STREAM_HEADER_BYTES, next = 0;
    while (from < body->stream_bytes) {
        uint32_t end = next;
        while (end < body->fixup_count && !is_op(body->fixups[end]))
            end++;
        bool op = end < body->fixup_count;
        uint32_t to = op ? agpu_fixup_offset(body->fixups[end]) : body->stream_bytes;
        uint8_t *out = cmd->cursor;
        memcpy(out, body->stream + from, to - from);
        cmd->cursor += to - from;
        for (; next < end; next++) {
            void *place = out + (agpu_fixup_offset(body->fixups[next]) - from);
            if ((body->fixups[next] & AGPU_FIXUP_MASK) == AGPU_FIXUP_COPY) {
                agpu_replay_copy(execution, place);
            } else {
                uint32_t *handle = place;
                *handle = body->handles[*handle - 1];
            }
        }
        from = to;
        if (!op)
            break;
        const struct agpu_op_header *packet = op_at(body, body->fixups[end]);
        agpu_replay_op(execution, packet);
        from += packet->hdr.size_bytes;
        next = end + 1;
    }
}

/* Queries end with a submission; one serves all of the list's. */
static void end_queries(struct agpu_device *device, const struct agpu_list_body *body)
{
    for (uint32_t i = 0; i < body->fixup_count; i++) {
        if (!is_op(body->fixups[i]) || op_at(body, body->fixups[i])->hdr.opcode != AGPU_OP_END_QUERY)
            continue;
        void *query = body->refs[op_at(body, body->fixups[i])->object - 1].object->object;
        if (query)
            agpu_query_end((D3D10DDI_HDEVICE){device}, (D3D10DDI_HQUERY){query});
    }
}

static HRESULT append(struct agpu_device *device, const struct agpu_list_body *body,
                      const uint32_t (*arguments)[5])
{
    struct agpu_context *context = &device->imm;
    HRESULT hr = agpu_track_room(device, body->listed);
    if (FAILED(hr))
        return hr;
    const struct agpu_cmd_checkpoint checkpoint = agpu_cmd_checkpoint(&context->cmd);
    uint32_t listed = device->allocs.count;
    if (!make_room(&context->cmd, stream_bytes(body)) || !track_all(device, body)) {
        agpu_cmd_rollback(&context->cmd, checkpoint);
        agpu_alloc_list_truncate(&device->allocs, listed);
        return E_OUTOFMEMORY;
    }
    agpu_record_default_state(context);
    resolve(device, body);
    struct agpu_execution execution = {.device = device, .body = body, .arguments = arguments};
    replay(&execution);
    return S_OK;
}

HRESULT agpu_execute_list(struct agpu_device *device, const struct agpu_list_body *body)
{
    const struct agpu_umd_environment *env = device->env;
    if (device->imm.pending & AGPU_PENDING_FLUSH) { /* the stream has grown enough */
        HRESULT hr = agpu_submit(device, NULL);
        if (FAILED(hr))
            return hr;
    }
    uint32_t(*arguments)[5] = NULL;
    if (body->indirect_count) {
        arguments = env->heap_alloc(env->ctx, body->indirect_count * sizeof(*arguments));
        if (!arguments)
            return E_OUTOFMEMORY;
    }
    HRESULT hr = read_arguments(device, body, arguments);
    if (SUCCEEDED(hr))
        hr = append(device, body, (const uint32_t(*)[5])arguments);
    env->heap_free(env->ctx, arguments);
    if (SUCCEEDED(hr))
        end_queries(device, body);
    return hr;
}
