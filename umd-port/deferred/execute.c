/* execute.c: CommandListExecute on the immediate context (umd.md 15), section by section. A list of one section without
 * CPU work is executed completely or not at all. */
#include "umd-port/deferred/execute.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/base/query.h"
#include "umd-port/base/submit.h"
#include "umd-port/deferred/default_state.h"
#include "umd-port/deferred/ops_cpu.h"
#include "umd-port/deferred/ops_replay.h"
#include "umd-port/base/packet_info.h"

static const struct agpu_op_header *fixup_op(const struct agpu_list_body *body, uint32_t fixup)
{
    return (const struct agpu_op_header *)(const void *)(body->stream + agpu_fixup_offset(fixup));
}

static bool is_op_fixup(uint32_t fixup)
{
    return (fixup & AGPU_FIXUP_MASK) == AGPU_FIXUP_OP;
}

static uint64_t most_stream_bytes(const struct agpu_list_body *body)
{
    uint64_t bytes = AGPU_DEFAULT_STATE_BYTES + (uint64_t)body->stream_bytes;

    for (uint32_t i = 0; i < body->fixup_count; i++) {
        if (is_op_fixup(body->fixups[i])) {
            bytes += agpu_op_bytes(body, fixup_op(body, body->fixups[i]));
        }
    }
    return bytes;
}

static bool reserve_stream(struct agpu_cmd_writer *cmd, uint64_t bytes)
{
    return bytes <= UINT32_MAX && agpu_cmd_make_room(cmd, (size_t)bytes) != NULL;
}

/* Looks up the protocol handle of every reference. Done at each execution, because rotations exchange handles;
 * temporaries get new ones. */
static void resolve_handles(struct agpu_device *device, const struct agpu_list_body *body)
{
    for (uint32_t i = 0; i < body->ref_count; i++) {
        body->handles[i] = body->refs[i].object != NULL ? agpu_shared_object_handle(body->refs[i].object)
                                                        : agpu_adapter_next_handle(device->adapter);
    }
}

/* True when the packet only sets state. All others use memory. */
static bool sets_state(uint32_t opcode)
{
    const struct aerogpu_packet *info = agpu_packet_info(opcode);

    return info != NULL && info->class == AEROGPU_CLASS_STATE;
}

/* Drops the packets at or after offset that do more than set state. */
static void keep_state_packets(struct agpu_cmd_writer *cmd, size_t offset)
{
    uint8_t *out = cmd->base + offset;
    const uint8_t *end = cmd->base + agpu_cmd_used(cmd);

    for (const uint8_t *at = out; at < end;) {
        const struct aerogpu_cmd_hdr packet = *(const struct aerogpu_cmd_hdr *)(const void *)at;

        if (sets_state(packet.opcode)) {
            memmove(out, at, packet.size_bytes);
            out += packet.size_bytes;
        }
        at += packet.size_bytes;
    }
    agpu_cmd_truncate(cmd, (size_t)(out - cmd->base));
}

/* Copies the packets up to offset `to`, none of which is an op, and fills in handles. False: no room, which happens
 * only when state is repeated after a failure. */
static bool replay_packets(struct agpu_execution *execution, uint32_t to, bool state_only)
{
    const struct agpu_list_body *body = execution->body;
    struct agpu_cmd_writer *cmd = &execution->device->imm.cmd;
    uint32_t from = execution->at.offset;
    uint8_t *out = agpu_cmd_reserve_run(cmd, to - from);

    if (out == NULL) {
        return false;
    }
    memcpy(out, body->stream + from, to - from);
    for (; execution->at.fixup < body->fixup_count; execution->at.fixup++) {
        uint32_t fixup = body->fixups[execution->at.fixup];

        if (agpu_fixup_offset(fixup) >= to) {
            break;
        }
        void *place = out + (agpu_fixup_offset(fixup) - from);
        if ((fixup & AGPU_FIXUP_MASK) == AGPU_FIXUP_HANDLE) {
            uint32_t *handle = place;

            *handle = body->handles[*handle - 1];
        } else if (!state_only) {
            agpu_replay_copy(execution, place);
        }
    }
    if (state_only) {
        keep_state_packets(cmd, (size_t)(out - cmd->base));
    }
    execution->at.offset = to;
    return true;
}

/* Returns the op at the present position; NULL when a packet of the protocol is there. */
static const struct agpu_op_header *op_at_position(const struct agpu_execution *execution)
{
    const struct agpu_list_body *body = execution->body;

    if (execution->at.fixup == body->fixup_count) {
        return NULL;
    }
    uint32_t fixup = body->fixups[execution->at.fixup];
    return is_op_fixup(fixup) && agpu_fixup_offset(fixup) == execution->at.offset ? fixup_op(body, fixup)
                                                                                  : NULL;
}

static void skip_op(struct agpu_execution *execution, const struct agpu_op_header *op)
{
    execution->at.offset += op->hdr.size_bytes;
    execution->at.fixup++;
}

/* Replays packets and ops up to offset `to`, except CPU ops, which are done already. */
static bool replay_until(struct agpu_execution *execution, uint32_t to, bool state_only)
{
    const struct agpu_list_body *body = execution->body;

    while (execution->at.offset < to) {
        const struct agpu_op_header *op = op_at_position(execution);

        if (op != NULL) {
            if (!state_only) {
                agpu_replay_op(execution, op);
            }
            skip_op(execution, op);
            continue;
        }
        uint32_t next = execution->at.fixup, until = to;
        while (next < body->fixup_count && !is_op_fixup(body->fixups[next])) {
            next++;
        }
        if (next < body->fixup_count && agpu_fixup_offset(body->fixups[next]) < to) {
            until = agpu_fixup_offset(body->fixups[next]);
        }
        if (!replay_packets(execution, until, state_only)) {
            return false;
        }
    }
    return true;
}

/* ---- sections ---- */

static HRESULT execute_cpu_ops(struct agpu_execution *execution)
{
    for (;;) {
        const struct agpu_op_header *op = op_at_position(execution);

        if (op == NULL || !agpu_op_is_on_cpu(op->hdr.opcode)) {
            return S_OK;
        }
        HRESULT hr = agpu_execute_cpu_op(execution, op);
        if (FAILED(hr)) {
            return hr;
        }
        skip_op(execution, op);
    }
}

/* Adds the section's references to the allocation list. Submits first when they do not fit. */
static HRESULT list_section(struct agpu_execution *execution)
{
    struct agpu_device *device = execution->device;
    const struct agpu_list_body *body = execution->body;
    const struct agpu_section_entry *entry = &body->sections.entries[execution->at.entry];
    HRESULT hr = agpu_track_room(device, agpu_section_length(&body->sections, execution->at.entry));

    if (FAILED(hr)) {
        return hr;
    }
    if (device->list_oom) { /* the submission is lost, which was already reported */
        return E_OUTOFMEMORY;
    }
    for (; entry->reference; entry++) {
        struct agpu_shared_object *object = body->refs[entry->reference - 1].object;

        if (object == NULL) {
            continue;
        }
        struct agpu_resource *resource = object->object;
        if (!resource->alloc_id || !resource->alloc_handle) {
            continue;
        }
        enum agpu_track_status status =
            agpu_alloc_list_track(&device->allocs, resource->alloc_handle, resource->alloc_id,
                                  resource->share_token, entry->value != 0, &resource->track_slot);
        if (status != AGPU_TRACK_OK) {
            return status == AGPU_TRACK_OUT_OF_MEMORY ? E_OUTOFMEMORY : E_INVALIDARG;
        }
        agpu_note_listed(device, resource);
        if (entry->value) {
            resource->device_ahead = true;
            resource->shadow_current = false;
        }
    }
    return S_OK;
}

/* After a failure within the list: records the state of the rest, and of packets dropped with a failed submission, so
 * that the device has the state that the immediate context assumes. */
static void replay_state_only(struct agpu_execution *execution)
{
    if (execution->device->allocs.epoch != execution->epoch) {
        execution->at = execution->unsent;
    }
    replay_until(execution, execution->body->stream_bytes, true);
}

static HRESULT replay_sections(struct agpu_execution *execution, bool listed)
{
    const struct agpu_list_body *body = execution->body;
    struct agpu_device *device = execution->device;

    while (execution->at.entry < body->sections.count) {
        const struct agpu_place start = execution->at;
        HRESULT hr = execute_cpu_ops(execution);

        if (SUCCEEDED(hr) && !listed) {
            hr = list_section(execution);
        }
        if (FAILED(hr)) {
            replay_state_only(execution);
            return hr;
        }
        listed = false;
        if (device->allocs.epoch != execution->epoch) { /* everything before this section was submitted */
            execution->unsent = start;
            execution->epoch = device->allocs.epoch;
        }
        execution->at.entry += agpu_section_length(&body->sections, execution->at.entry);
        uint32_t end = body->sections.entries[execution->at.entry++].value;
        if (!replay_until(execution, end, false)) {
            return E_OUTOFMEMORY;
        }
    }
    return S_OK;
}

/* Ending a query submits; the first one submits the list, the others find nothing to submit. */
static void end_queries(struct agpu_device *device, const struct agpu_list_body *body)
{
    for (uint32_t i = 0; i < body->fixup_count; i++) {
        if (!is_op_fixup(body->fixups[i]) ||
            fixup_op(body, body->fixups[i])->hdr.opcode != AGPU_OP_END_QUERY) {
            continue;
        }
        void *query = body->refs[fixup_op(body, body->fixups[i])->object - 1].object->object;
        if (query != NULL) {
            agpu_query_end((D3D10DDI_HDEVICE){device}, (D3D10DDI_HQUERY){query});
        }
    }
}

/* Reserves room and lists the first section before anything is recorded, so that a failure changes nothing. */
static HRESULT append_list(struct agpu_device *device, const struct agpu_list_body *body)
{
    struct agpu_context *context = &device->imm;
    struct agpu_execution execution = {
        .device = device, .body = body, .at = {.offset = AGPU_CMD_STREAM_HEADER_BYTES}};

    bool cpu_first = body->sections.count && op_at_position(&execution) != NULL &&
                     agpu_op_is_on_cpu(op_at_position(&execution)->hdr.opcode);
    bool list_now = body->sections.count && !cpu_first;
    HRESULT hr = list_now ? agpu_track_room(device, agpu_section_length(&body->sections, 0)) : S_OK;
    if (FAILED(hr)) {
        return hr;
    }
    const struct agpu_operation operation = agpu_mark_operation(device);
    if (list_now) {
        hr = list_section(&execution);
    }
    if (SUCCEEDED(hr) && !reserve_stream(&context->cmd, most_stream_bytes(body))) {
        hr = E_OUTOFMEMORY;
    }
    if (FAILED(hr)) {
        agpu_undo_operation(device, &operation);
        return hr;
    }
    agpu_record_default_state(context);
    resolve_handles(device, body);
    execution.unsent = execution.at;
    execution.epoch = device->allocs.epoch;
    return replay_sections(&execution, list_now);
}

HRESULT agpu_execute_list(struct agpu_device *device, const struct agpu_list_body *body)
{
    if (device->imm.pending & AGPU_PENDING_FLUSH) { /* the stream is large enough to submit */
        HRESULT hr = agpu_submit(device, NULL);
        if (FAILED(hr)) {
            return hr;
        }
    }
    HRESULT hr = append_list(device, body);
    if (SUCCEEDED(hr)) {
        end_queries(device, body);
    }
    return hr;
}
