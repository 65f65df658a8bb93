/* finish.c: converts a recording to a command list: symbols become references, and every position that execution must
 * change becomes a fixup (umd.md 15). Runs on the recording thread. */
#include "umd-port/deferred/finish.h"

#include <string.h>

#include "umd-port/base/walk.h"
#include "umd-port/deferred/default_state.h"
#include "umd-port/deferred/ops.h"
#include "umd-port/base/packet_info.h"
#include "umd-port/deferred/recording.h"

struct finishing {
    struct agpu_deferred_context *dc;
    struct agpu_list_body *body;
    bool failed;
};

/* Returns the symbol's reference in this list, adding it if it is new; 0 without memory. */
static uint32_t reference_of(struct finishing *at, uint32_t symbol)
{
    struct agpu_symbol *slot = agpu_symbol_at(at->dc, symbol);

    if (slot->listed_in != at->dc->list_number) {
        slot->reference = agpu_list_add_reference(at->body, slot->object, (enum agpu_shared_kind)slot->kind);
        slot->listed_in = at->dc->list_number;
        at->failed |= !slot->reference;
    }
    return slot->reference;
}

/* Replaces a symbol by its reference. */
static void refer_symbol(struct finishing *at, uint32_t *symbol)
{
    if (*symbol) {
        *symbol = reference_of(at, *symbol);
    }
}

static void add_fixup(struct finishing *at, const void *place, enum agpu_fixup kind)
{
    uint32_t offset = (uint32_t)((const uint8_t *)place - at->dc->recorder.imm.cmd.base);

    at->failed |= !agpu_list_add_fixup(at->body, offset, kind);
}

/* Replaces handles in `count` words, `stride` words apart; each is a symbol or 0. */
static void refer_handle_words(struct finishing *at, uint32_t *word, uint32_t count, uint32_t stride)
{
    for (uint32_t i = 0; i < count; i++, word += stride) {
        if (*word) {
            refer_symbol(at, word);
            add_fixup(at, word, AGPU_FIXUP_HANDLE);
        }
    }
}

/* Returns the number of elements after the packet's structure. A count above the packet's size fails the list. */
static uint32_t element_count(struct finishing *at, const struct aerogpu_packet *info, const uint32_t *packet)
{
    uint32_t size = ((const struct aerogpu_cmd_hdr *)packet)->size_bytes;
    uint32_t count = packet[info->payload.count_word];

    if (count > (size - info->size) / info->payload.element_bytes) {
        at->failed = true;
        return 0;
    }
    return count;
}

static void refer_handles(struct finishing *at, const struct aerogpu_packet *info, uint32_t *packet)
{
    uint32_t packet_words = ((const struct aerogpu_cmd_hdr *)packet)->size_bytes / sizeof(uint32_t);

    for (uint32_t i = 0; i < AEROGPU_HANDLE_GROUPS; i++) {
        const struct aerogpu_packet_handles *group = &info->handles[i];

        if (group->kind == AEROGPU_HANDLE_NONE) {
            break;
        }
        if (!group->words) {
            refer_handle_words(at, packet + info->size / sizeof(uint32_t) + group->word,
                               element_count(at, info, packet),
                               info->payload.element_bytes / sizeof(uint32_t));
        } else if ((uint32_t)group->word + group->words <= packet_words) {
            refer_handle_words(at, packet + group->word, group->words, 1);
        }
    }
}

/* Replaces destination and source of a copy. Both have one fixup, because execution also sets the write-back flag. */
static void refer_copy(struct finishing *at, const struct aerogpu_packet *info, uint32_t *packet)
{
    refer_symbol(at, &packet[info->handles[0].word]);
    refer_symbol(at, &packet[info->handles[1].word]);
    add_fixup(at, packet, AGPU_FIXUP_COPY);
}

static void refer_op(struct finishing *at, struct agpu_op_header *head)
{
    uint32_t symbol = head->object;

    refer_symbol(at, &symbol);
    head->object = symbol;
    if (agpu_op_is_copy(head->hdr.opcode)) {
        struct agpu_op_copy *copied = (struct agpu_op_copy *)head;

        symbol = copied->source;
        refer_symbol(at, &symbol);
        copied->source = symbol;
    }
    add_fixup(at, head, AGPU_FIXUP_OP);
}

static void finish_packet(struct finishing *at, struct aerogpu_cmd_hdr *packet)
{
    const struct aerogpu_packet *info;

    if (agpu_is_op(packet->opcode)) {
        refer_op(at, (struct agpu_op_header *)packet);
        return;
    }
    info = agpu_packet_info(packet->opcode);
    /* Other packets might contain symbols, which must not reach the device. */
    if (info == NULL || !info->listed || packet->size_bytes < info->size) {
        at->failed = true;
    } else if (info->class == AEROGPU_CLASS_COPY) {
        refer_copy(at, info, (uint32_t *)packet);
    } else {
        refer_handles(at, info, (uint32_t *)packet);
    }
}

static bool finish_packets(struct finishing *at, const struct agpu_cmd_writer *cmd)
{
    struct agpu_cmd_walk walk;
    bool broken = false;

    if (!agpu_cmd_walk_begin(&walk, cmd->base, agpu_cmd_used(cmd))) {
        return false;
    }
    for (const struct aerogpu_cmd_hdr *packet;
         !at->failed && (packet = agpu_cmd_walk_next(&walk, &broken)) != NULL;) {
        finish_packet(at,
                      (struct aerogpu_cmd_hdr *)(void *)(cmd->base + ((const uint8_t *)packet - cmd->base)));
    }
    return !at->failed && !broken;
}

/* Replaces the symbols of the sections by references. */
static bool refer_sections(struct finishing *at)
{
    struct agpu_sections *sections = &at->dc->sections;

    for (uint32_t i = 0; i < sections->count; i++) {
        if (!sections->entries[i].reference) {
            continue;
        }
        sections->entries[i].reference = reference_of(at, sections->entries[i].reference);
        if (!sections->entries[i].reference) {
            return false;
        }
    }
    return true;
}

/* Moves stream, sections and arena of the recording to the list, and those of the list, recycled or empty, to the
 * recording. */
static void move_recording(struct agpu_deferred_context *dc, struct agpu_list_body *body)
{
    struct agpu_cmd_writer *cmd = &dc->recorder.imm.cmd;
    struct agpu_arena arena = body->arena;
    struct agpu_sections sections = body->sections;

    body->stream_bytes = (uint32_t)agpu_cmd_used(cmd);
    agpu_cmd_swap_memory(cmd, &body->stream, &body->stream_room);
    body->arena = dc->arena;
    body->sections = dc->sections;
    dc->arena = arena;
    dc->sections = sections;
}

struct agpu_list_body *agpu_deferred_finish(struct agpu_deferred_context *dc)
{
    struct agpu_context *context = &dc->recorder.imm;
    bool empty = agpu_cmd_empty(&context->cmd);

    if (agpu_deferred_list_lost(dc) || dc->recorder.list_oom || context->cmd.error != AGPU_CMD_OK ||
        (!empty && (!agpu_record_default_state(context) || FAILED(agpu_deferred_split(dc))))) {
        return NULL;
    }
    struct finishing at = {.dc = dc, .body = dc->spare != NULL ? dc->spare : agpu_list_new(dc->device_env)};
    dc->spare = NULL;
    if (at.body == NULL || empty) {
        return at.body;
    }
    agpu_cmd_finalize(&context->cmd);
    if (!finish_packets(&at, &context->cmd) || !refer_sections(&at)) {
        at.body->ref_count = 0; /* the objects do not count them yet */
        agpu_list_unref(at.body);
        return NULL;
    }
    agpu_list_ref_objects(at.body);
    move_recording(dc, at.body);
    return at.body;
}
