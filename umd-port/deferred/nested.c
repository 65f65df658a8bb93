/* nested.c: a finished list recorded into another: references turn back into symbols of the new context. */
#include "umd-port/deferred/nested.h"

#include <string.h>

#include "umd-port/deferred/ops.h"

/* One symbol for each reference, named by symbols; they end with the list under construction. */
static bool name_references(struct agpu_deferred_context *dc, const struct agpu_list_body *body,
                            uint32_t *symbols)
{
    for (uint32_t i = 0; i < body->ref_count; i++) {
        const struct agpu_list_reference *reference = &body->refs[i];
        symbols[i] = agpu_symbol_new(dc, reference->object, (enum agpu_shared_use)reference->use);
        if (!symbols[i])
            return false;
        agpu_symbol_end(dc, symbols[i]);
        if (reference->listed && agpu_alloc_list_track(&dc->recorder.allocs, symbols[i], symbols[i], 0,
                                                       reference->write != 0, NULL) != AGPU_TRACK_OK)
            return false;
    }
    return true;
}

/* The bytes that a write names belong to the other list and may go with it. */
static bool copy_data(struct agpu_deferred_context *dc, struct agpu_op_write *write)
{
    uint8_t *copy = agpu_arena_take(&dc->arena, &dc->env, (size_t)write->bytes);
    if (!copy)
        return false;
    memcpy(copy, write->data, (size_t)write->bytes);
    write->data = copy;
    return true;
}

static bool rename(struct agpu_deferred_context *dc, uint32_t fixup, uint8_t *place, const uint32_t *symbols)
{
    uint32_t *word = (uint32_t *)(void *)place;
    switch (fixup & AGPU_FIXUP_MASK) {
    case AGPU_FIXUP_HANDLE:
        *word = symbols[*word - 1];
        return true;
    case AGPU_FIXUP_COPY:
        word += sizeof(struct aerogpu_cmd_hdr) / sizeof(*word);
        word[0] = symbols[word[0] - 1];
        word[1] = symbols[word[1] - 1];
        return true;
    default: {
        struct agpu_op_header *op = (struct agpu_op_header *)(void *)place;
        op->object = symbols[op->object - 1];
        return op->hdr.opcode != AGPU_OP_WRITE || copy_data(dc, (struct agpu_op_write *)op);
    }
    }
}

static bool record(struct agpu_deferred_context *dc, const struct agpu_list_body *body,
                   const uint32_t *symbols)
{
    struct agpu_cmd_writer *cmd = &dc->recorder.imm.cmd;
    uint32_t bytes = body->stream_bytes - AGPU_CMD_STREAM_HEADER_BYTES;
    uint8_t *out = agpu_cmd_make_room(cmd, bytes);
    if (!out)
        return false;
    memcpy(out, body->stream + AGPU_CMD_STREAM_HEADER_BYTES, bytes);
    for (uint32_t i = 0; i < body->fixup_count; i++) {
        uint32_t offset = agpu_fixup_offset(body->fixups[i]) - AGPU_CMD_STREAM_HEADER_BYTES;
        if (!rename(dc, body->fixups[i], out + offset, symbols))
            return false;
    }
    cmd->cursor = out + bytes;
    dc->indirect_count += body->indirect_count;
    return true;
}

HRESULT agpu_record_list(struct agpu_deferred_context *dc, const struct agpu_list_body *body)
{
    if (!agpu_record_default_state(&dc->recorder.imm))
        return E_OUTOFMEMORY;
    if (!body->stream_bytes)
        return S_OK;
    uint32_t *symbols = agpu_arena_take(&dc->arena, &dc->env, body->ref_count * sizeof(*symbols));
    return symbols && name_references(dc, body, symbols) && record(dc, body, symbols) ? S_OK : E_OUTOFMEMORY;
}
