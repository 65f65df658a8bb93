/* nested_list.c: records a finished list into another one: references become symbols of the recording context (umd.md
 * 15). */
#include "umd-port/deferred/nested_list.h"

#include <string.h>

#include "umd-port/base/operation.h"
#include "umd-port/deferred/default_state.h"
#include "umd-port/deferred/ops.h"

/* Fills symbols[n] with a symbol for the list's reference n + 1. They become free with the present list. */
static bool make_symbols(struct agpu_deferred_context *dc, const struct agpu_list_body *body,
                         uint32_t *symbols)
{
    for (uint32_t i = 0; i < body->ref_count; i++) {
        symbols[i] = agpu_symbol_new(dc, body->refs[i].object, (enum agpu_shared_kind)body->refs[i].kind);
        if (!symbols[i]) {
            return false;
        }
        agpu_symbol_free(dc, symbols[i]);
    }
    return true;
}

/* Copies the bytes of a write, because the other list's bytes are freed with it. */
static bool copy_write_data(struct agpu_deferred_context *dc, struct agpu_op_write *write)
{
    uint8_t *copy = agpu_arena_alloc(&dc->arena, &dc->env, (size_t)write->bytes);

    if (copy == NULL) {
        return false;
    }
    memcpy(copy, write->data, (size_t)write->bytes);
    write->data = copy;
    return true;
}

static bool rename_fixup(struct agpu_deferred_context *dc, uint32_t fixup, uint8_t *place,
                         const uint32_t *symbols)
{
    uint32_t *word = (uint32_t *)(void *)place;

    switch (fixup & AGPU_FIXUP_MASK) {
    case AGPU_FIXUP_HANDLE:
        *word = symbols[*word - 1];
        return true;
    case AGPU_FIXUP_COPY:
        word += sizeof(struct aerogpu_cmd_hdr) / sizeof *word;
        word[0] = symbols[word[0] - 1];
        word[1] = symbols[word[1] - 1];
        return true;
    default: {
        struct agpu_op_header *op = (struct agpu_op_header *)(void *)place;

        op->object = symbols[op->object - 1];
        if (agpu_op_is_copy(op->hdr.opcode)) {
            struct agpu_op_copy *copy = (struct agpu_op_copy *)op;

            copy->source = symbols[copy->source - 1];
        }
        return !agpu_op_is_write(op->hdr.opcode) || copy_write_data(dc, (struct agpu_op_write *)op);
    }
    }
}

/* True when the section starts with CPU work: then it must be a section of its own here, too. */
static bool starts_on_cpu(const struct agpu_list_body *body, uint32_t offset, uint32_t fixup)
{
    if (fixup == body->fixup_count || body->fixups[fixup] != (offset | AGPU_FIXUP_OP)) {
        return false;
    }
    const struct agpu_op_header *op = (const struct agpu_op_header *)(const void *)(body->stream + offset);
    return agpu_op_is_on_cpu(op->hdr.opcode);
}

static bool list_nested_section(struct agpu_deferred_context *dc, const struct agpu_section_entry *entry,
                                uint32_t count, const uint32_t *symbols)
{
    if (FAILED(agpu_track_room(&dc->recorder, count))) {
        return false;
    }
    for (; entry->reference; entry++) {
        uint32_t symbol = symbols[entry->reference - 1];

        if (agpu_alloc_list_track(&dc->recorder.allocs, symbol, symbol, 0, entry->value != 0, NULL) !=
            AGPU_TRACK_OK) {
            return false;
        }
    }
    return true;
}

static bool record_sections(struct agpu_deferred_context *dc, const struct agpu_list_body *body,
                            const uint32_t *symbols)
{
    struct agpu_cmd_writer *cmd = &dc->recorder.imm.cmd;
    uint32_t from = AGPU_CMD_STREAM_HEADER_BYTES, fixup = 0;

    for (uint32_t first = 0; first < body->sections.count; first++) {
        uint32_t count = agpu_section_length(&body->sections, first),
                 end = body->sections.entries[first + count].value;

        if (starts_on_cpu(body, from, fixup) && FAILED(agpu_deferred_split(dc))) {
            return false;
        }
        uint8_t *out = list_nested_section(dc, &body->sections.entries[first], count, symbols)
                           ? agpu_cmd_reserve_run(cmd, end - from)
                           : NULL;
        if (out == NULL) {
            return false;
        }
        memcpy(out, body->stream + from, end - from);
        for (; fixup < body->fixup_count && agpu_fixup_offset(body->fixups[fixup]) < end; fixup++) {
            if (!rename_fixup(dc, body->fixups[fixup], out + (agpu_fixup_offset(body->fixups[fixup]) - from),
                              symbols)) {
                return false;
            }
        }
        from = end;
        first += count;
    }
    return true;
}

HRESULT agpu_record_list(struct agpu_deferred_context *dc, const struct agpu_list_body *body)
{
    if (!agpu_record_default_state(&dc->recorder.imm)) {
        return E_OUTOFMEMORY;
    }
    if (!body->stream_bytes) {
        return S_OK;
    }
    uint32_t *symbols = agpu_arena_alloc(&dc->arena, &dc->env, body->ref_count * sizeof *symbols);
    return symbols != NULL && make_symbols(dc, body, symbols) && record_sections(dc, body, symbols)
               ? S_OK
               : E_OUTOFMEMORY;
}
