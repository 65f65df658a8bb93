/* bad.c: generates invalid work: packets, structures and rings with a defined outcome, and arbitrary damage
 * (ring.md 2, 3.1; commands.md 3, 6, 12, 15). */
#include "tests/cases/random/bad.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/random/function.h"

#define UNKNOWN_HANDLE 0xFFF0F0F0u

static uint32_t any_handle(struct agpu_gen *g, unsigned kind, bool backed)
{
    for (uint32_t tries = 0; tries < 8; tries++) {
        const struct agpu_gen_resource *resource = agpu_gen_pick(g, kind);

        if (resource != NULL && (resource->alloc >= 0) == backed && !resource->original_gone) {
            return resource->handle;
        }
    }
    return UNKNOWN_HANDLE;
}

/* ---- one packet that is wrong ---- */

static void bad_create_buffer(struct agpu_gen *g)
{
    struct aerogpu_cmd_create_buffer *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);

    packet->buffer_handle = agpu_gen_new_handle(g);
    packet->size_bytes = 64;
    switch (agpu_gen_below(g, 5)) {
    case 0:
        packet->buffer_handle = 0;
        break;
    case 1:
        packet->size_bytes = 0;
        break;
    case 2:
        packet->size_bytes = agpu_gen_between(g, 1, 3);
        break;
    case 3:
        packet->backing_alloc_id = g->allocs[agpu_gen_below(g, AGPU_GEN_ALLOCS)].id; /* of another table */
        break;
    default:
        packet->size_bytes = UINT64_C(1) << agpu_gen_between(g, 40, 63);
        packet->backing_alloc_id = g->allocs[0].id;
        agpu_gen_entry(g, 0);
        break;
    }
}

static void bad_backing(struct agpu_gen *g)
{
    const int32_t alloc = (int32_t)agpu_gen_below(g, AGPU_GEN_ALLOCS);
    struct aerogpu_cmd_create_buffer *packet;

    agpu_gen_entry(g, alloc);
    packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);
    packet->buffer_handle = agpu_gen_new_handle(g);
    packet->size_bytes = (g->allocs[alloc].size & ~3u) + (agpu_gen_one_in(g, 2) ? 4 : 0);
    packet->backing_alloc_id = g->allocs[alloc].id;
    packet->backing_offset_bytes = agpu_gen_one_in(g, 4) ? UINT32_MAX : 4;
}

static void bad_create_texture(struct agpu_gen *g)
{
    static const uint32_t invalid[] = {0, 11, 31, 34, 63, 72, 0xFFFF};
    struct aerogpu_cmd_create_texture2d *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);

    packet->texture_handle = agpu_gen_new_handle(g);
    packet->format = g->palette[0]->number;
    packet->width = packet->height = 8;
    packet->mip_levels = packet->array_layers = 1;
    switch (agpu_gen_below(g, 8)) {
    case 0:
        packet->texture_handle = 0;
        break;
    case 1:
        packet->format = invalid[agpu_gen_below(g, 7)];
        break;
    case 2:
        packet->width = 0;
        break;
    case 3:
        packet->height = 0;
        break;
    case 4:
        packet->mip_levels = agpu_gen_one_in(g, 2) ? 0 : 5;
        break;
    case 5:
        packet->array_layers = 0;
        break;
    case 6:
        packet->row_pitch_bytes = agpu_gen_tight(g->palette[0], 8, 0) - 1;
        break;
    default: /* guest memory has no natural pitch */
        packet->backing_alloc_id = g->allocs[1].id;
        agpu_gen_entry(g, 1);
        break;
    }
}

static void bad_create_again(struct agpu_gen *g)
{
    const uint32_t handle = any_handle(g, agpu_gen_below(g, 3), false);
    struct aerogpu_cmd_create_buffer *packet;

    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_REBIND) || handle == UNKNOWN_HANDLE) {
        return;
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);
    packet->buffer_handle = handle;
    packet->size_bytes = 0x7FFC;
}

static void bad_upload(struct agpu_gen *g)
{
    const bool backed = agpu_gen_one_in(g, 2);
    const uint32_t handle = agpu_gen_one_in(g, 6) ? UNKNOWN_HANDLE : any_handle(g, backed ? 0 : 1, backed);
    struct aerogpu_cmd_upload_resource *packet = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, 16);

    packet->resource_handle = handle;
    packet->size_bytes = 4;
    if (backed &&
        agpu_gen_may(g, AGPU_GEN_CHOICE_BYTE_UPLOAD)) { /* an upload to guest memory is a fault by itself */
        return;
    }
    switch (agpu_gen_below(g, 5)) {
    case 0:
        packet->offset_bytes = 0x10000000;
        break;
    case 1:
        packet->offset_bytes = 1;
        break;
    case 2:
        packet->size_bytes = 20;
        break;
    case 3:
        packet->offset_bytes = UINT64_MAX - 1;
        break;
    default:
        packet->size_bytes = UINT64_MAX - 2;
        break;
    }
}

static void bad_dirty(struct agpu_gen *g)
{
    const struct agpu_gen_resource *resource = agpu_gen_pick(g, 0);
    struct aerogpu_cmd_resource_dirty_range *packet;

    if (resource == NULL || resource->alloc < 0) {
        return;
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_RESOURCE_DIRTY_RANGE);
    packet->resource_handle = agpu_gen_name(g, resource);
    packet->size_bytes = resource->size;
    if (agpu_gen_one_in(g, 2)) { /* else it is in the tables of other submissions only */
        packet->offset_bytes = agpu_gen_one_in(g, 2) ? resource->size : 1;
        packet->size_bytes = agpu_gen_one_in(g, 4) ? UINT64_MAX : resource->size;
        agpu_gen_entry(g, resource->alloc);
    }
}

static void bad_copy_buffer(struct agpu_gen *g)
{
    const struct agpu_gen_resource *from = agpu_gen_pick(g, 1), *to = agpu_gen_pick(g, 1);
    struct aerogpu_cmd_copy_buffer *packet;
    const uint32_t way = agpu_gen_below(g, 9);

    if (from == NULL || from == to) {
        return;
    }
    if (to->alloc >= 0 && way != 4) {
        agpu_gen_entry(g, to->alloc);
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_COPY_BUFFER);
    packet->dst_buffer = way == 0 ? UNKNOWN_HANDLE : agpu_gen_name(g, to);
    packet->src_buffer = way == 1 ? UNKNOWN_HANDLE : way == 2 ? packet->dst_buffer : agpu_gen_name(g, from);
    packet->size_bytes = 4;
    packet->flags = way == 3 ? 1u << agpu_gen_between(g, 1, 31) : 0;
    switch (way) {
    case 4: /* no entry, no backing, or READONLY: mostly cannot be written back */
        packet->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
        break;
    case 5:
        packet->dst_offset_bytes = to->size;
        break;
    case 6:
        packet->src_offset_bytes = agpu_gen_one_in(g, 2) ? from->size : UINT64_MAX - 3;
        break;
    case 7:
        packet->size_bytes = agpu_gen_between(g, 1, 3);
        break;
    case 8:
        packet->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
        break;
    default:
        break;
    }
}

static void bad_copy_texture(struct agpu_gen *g)
{
    const struct agpu_gen_resource *from = agpu_gen_pick(g, 2), *to = agpu_gen_pick(g, 2);
    struct aerogpu_cmd_copy_texture2d *packet;
    const uint32_t way = agpu_gen_below(g, 10);

    if (from == NULL || from == to) {
        return;
    }
    if (to->alloc >= 0 && way != 7) {
        agpu_gen_entry(g, to->alloc);
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);
    packet->dst_texture = way == 0   ? UNKNOWN_HANDLE
                          : way == 9 ? any_handle(g, 1, false)
                                     : agpu_gen_name(g, to);
    packet->src_texture = way == 1 ? packet->dst_texture : agpu_gen_name(g, from);
    packet->width = packet->height = from->format->edge;
    packet->dst_mip_level = way == 2 ? to->mips : 0;
    packet->src_mip_level = way == 3 ? from->mips : 0;
    packet->dst_array_layer = way == 4 ? to->layers : 0;
    packet->src_array_layer = way == 5 ? from->layers : 0;
    packet->dst_x = way == 6 ? (agpu_gen_one_in(g, 2) ? to->width : UINT32_MAX) : 0;
    packet->src_y = way == 8 ? (agpu_gen_one_in(g, 2) ? from->height : 1) : 0;
    packet->flags = way == 7 ? (agpu_gen_one_in(g, 2) ? 2 : AEROGPU_COPY_FLAG_WRITEBACK_DST) : 0;
}

static void bad_share(struct agpu_gen *g)
{
    const struct agpu_gen_token *token = &g->tokens[agpu_gen_below(g, AGPU_GEN_TOKENS)];
    struct aerogpu_cmd_export_shared_surface *packet;
    const struct agpu_gen_resource *resource = agpu_gen_pick(g, 2);
    const uint32_t way = agpu_gen_below(g, 7);

    if (resource == NULL) {
        return;
    }
    packet = agpu_gen_packet(g, way < 4 || way == 6 ? AEROGPU_CMD_EXPORT_SHARED_SURFACE
                                                    : AEROGPU_CMD_IMPORT_SHARED_SURFACE);
    packet->resource_handle = way == 0 ? 0 : way == 1 ? UNKNOWN_HANDLE : agpu_gen_name(g, resource);
    packet->share_token = token->token;        /* token of another resource, retired, or 0 */
    if (way == 6 && g->views[0].handle != 0) { /* a view is for binding only */
        packet->resource_handle = g->views[0].handle;
        packet->share_token = agpu_gen_random_u64(&g->random);
    }
    if (way == 4) {
        packet->resource_handle = agpu_gen_new_handle(g);
        packet->share_token = agpu_gen_random_u64(&g->random);
    }
}

static void bad_view(struct agpu_gen *g)
{
    const struct agpu_gen_resource *texture = agpu_gen_pick(g, 2);
    struct aerogpu_cmd_create_texture_view *packet;
    const uint32_t way = agpu_gen_below(g, 7);

    if (texture == NULL || !agpu_gen_may(g, AGPU_GEN_CHOICE_VIEWS)) {
        return;
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE_VIEW);
    packet->view_handle = way == 0 ? 0 : way == 1 ? texture->handle : agpu_gen_new_handle(g);
    packet->texture_handle = way == 2 ? UNKNOWN_HANDLE : agpu_gen_name(g, texture);
    packet->format = way == 3 ? 5 : texture->format->number;
    packet->mip_level_count = way == 4 ? texture->mips + 1 : 1;
    packet->array_layer_count = way == 5 ? 0 : 1;
    packet->base_mip_level = way == 6 ? UINT32_MAX : 0;
}

static void bad_state(struct agpu_gen *g)
{
    struct aerogpu_cmd_set_primitive_topology *topology;

    switch (agpu_gen_below(g, 8)) {
    case 0:
        ((struct aerogpu_cmd_set_render_targets *)agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS))
            ->color_count = 9;
        break;
    case 1:
        topology = agpu_gen_packet(g, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY);
        topology->topology = agpu_gen_one_in(g, 2) ? 0 : 7;
        break;
    case 2: {
        struct aerogpu_cmd_set_index_buffer *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_INDEX_BUFFER);

        packet->buffer = any_handle(g, 1, false);
        packet->format = agpu_gen_below(g, 3);
        packet->offset_bytes = 1;
        break;
    }
    case 3: {
        struct aerogpu_cmd_create_sampler *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_SAMPLER);

        packet->sampler_handle = agpu_gen_one_in(g, 2) ? 0 : agpu_gen_new_handle(g);
        packet->filter = agpu_gen_below(g, 3);
        packet->address_v = 3;
        break;
    }
    case 4: {
        struct aerogpu_cmd_set_vertex_buffers *packet =
            agpu_gen_packet_with(g, AEROGPU_CMD_SET_VERTEX_BUFFERS, 32);

        packet->start_slot = agpu_gen_one_in(g, 2) ? 31 : UINT32_MAX;
        packet->buffer_count = 2;
        break;
    }
    case 5: {
        struct aerogpu_cmd_set_texture *packet = agpu_gen_packet(g, AEROGPU_CMD_SET_TEXTURE);

        packet->shader_stage = agpu_gen_one_in(g, 2) ? agpu_gen_between(g, 4, 9) : 0;
        packet->slot = 128;
        break;
    }
    case 6: {
        struct aerogpu_cmd_set_samplers *packet = agpu_gen_packet_with(g, AEROGPU_CMD_SET_SAMPLERS, 8);

        packet->start_slot = 15;
        packet->sampler_count = agpu_gen_one_in(g, 2) ? 2 : 0x40000000;
        break;
    }
    default: {
        struct aerogpu_cmd_set_shader_constants_f *packet =
            agpu_gen_packet_with(g, AEROGPU_CMD_SET_SHADER_CONSTANTS_F, 16);

        packet->start_register = agpu_gen_one_in(g, 2) ? 4096 : UINT32_MAX;
        packet->vec4_count = 1;
        break;
    }
    }
}

static void bad_short(struct agpu_gen *g)
{
    static const uint32_t opcodes[] = {AEROGPU_CMD_CREATE_BUFFER, AEROGPU_CMD_UPLOAD_RESOURCE,
                                       AEROGPU_CMD_COPY_BUFFER,   AEROGPU_CMD_SET_RENDER_TARGETS,
                                       AEROGPU_CMD_CLEAR,         AEROGPU_CMD_DRAW,
                                       AEROGPU_CMD_PRESENT,       AEROGPU_CMD_EXPORT_SHARED_SURFACE,
                                       AEROGPU_CMD_SET_SCISSOR,   AEROGPU_CMD_COPY_TEXTURE2D};
    const uint32_t opcode = opcodes[agpu_gen_below(g, 10)], size = agpu_gen_packet_size(opcode);

    agpu_gen_open(g);
    agpu_gen_packet_add(g->program, opcode, 8 + agpu_gen_below(g, (size - 8) / 4) * 4);
}

static void bad_framing(struct agpu_gen *g)
{
    static const uint32_t sizes[] = {0, 4, 7, 9, 10, 12, 0x80, 0xFFFFFFFC, 0xFFFFFFFF};
    uint32_t *packet;

    agpu_gen_open(g);
    packet = agpu_gen_packet_add(g->program, AEROGPU_CMD_NOP, 8);
    if (agpu_gen_one_in(g, 3)) { /* too small for a packet */
        agpu_gen_bytes_add(g->program, 4);
    } else {
        packet[1] = sizes[agpu_gen_below(g, 9)];
    }
}

void agpu_gen_bad_packet(struct agpu_gen *g)
{
    static agpu_gen_action *const actions[] = {
        bad_create_buffer, bad_backing,     bad_create_texture, bad_create_again, bad_upload,
        bad_dirty,         bad_copy_buffer, bad_copy_texture,   bad_share,        bad_view,
        bad_state,         bad_short,       bad_framing};
    const bool with_others = agpu_gen_may(g, AGPU_GEN_CHOICE_AFTER_ERROR);

    if (!with_others) {
        agpu_gen_close(g, true);
    }
    agpu_gen_open(g)->invalid = true;
    actions[agpu_gen_below(g, sizeof actions / sizeof actions[0])](g);
    if (g->open && with_others && agpu_gen_one_in(g, 3)) { /* must not be executed any more */
        const uint32_t handle = any_handle(g, 1, false);
        struct aerogpu_cmd_upload_resource *packet = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, 4);

        packet->resource_handle = handle;
        packet->size_bytes = 4;
        memset(packet + 1, 0xEE, 4);
    }
    agpu_gen_close(g, !with_others);
}

/* ---- structures around a stream ---- */

#define PATCH(in, tag, member, number)                                                                       \
    {                                                                                                        \
        {                                                                                                    \
            in, sizeof(((struct tag *)0)->member), offsetof(struct tag, member), number                      \
        }                                                                                                    \
    }

static const struct {
    struct agpu_gen_patch patch;
} wrong[] = {
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, desc_size_bytes, 63),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, desc_size_bytes, 0),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, desc_size_bytes, 0x1000),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, flags, 0xFFFFFFFC),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, context_id, 77),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, engine_id, 3),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, reserved0, UINT64_MAX),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, cmd_gpa, 0),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, cmd_gpa, UINT64_MAX - 7),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, cmd_gpa, 0x123000),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, cmd_size_bytes, 0),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, cmd_size_bytes, 23),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, cmd_size_bytes, 24),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, alloc_table_gpa, 0),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, alloc_table_gpa, UINT64_MAX - 31),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, alloc_table_size_bytes, 0),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, alloc_table_size_bytes, 23),
    PATCH(AGPU_GEN_IN_DESC, aerogpu_submit_desc, alloc_table_size_bytes, 55),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, magic, 0x444D4342),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, abi_version, 0x00020004),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, abi_version, 0x00010000),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, abi_version, 0x0001FFFF),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, size_bytes, 20),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, size_bytes, 26),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, size_bytes, 24),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, size_bytes, 0x10000),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, size_bytes, 0x4000004),
    PATCH(AGPU_GEN_IN_STREAM, aerogpu_cmd_stream_header, flags, 0xFFFFFFFF),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, magic, 0),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, abi_version, 0x00020000),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, abi_version, 0x00010009),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, size_bytes, 20),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, size_bytes, 0x10000),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, entry_count, 0),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, entry_count, 1000),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, entry_count, 0xFFFFFFFF),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, entry_stride_bytes, 31),
    PATCH(AGPU_GEN_IN_TABLE, aerogpu_alloc_table_header, entry_stride_bytes, 0),
};
#define WRONG_COUNT (uint32_t)(sizeof wrong / sizeof wrong[0])
#define DESC_SIZES  3u /* the first ones: desc_size_bytes */

/* Damages the first entry of a table. */
static void bad_entry(struct agpu_gen *g)
{
    const uint16_t at = sizeof(struct aerogpu_alloc_table_header);
    struct agpu_gen_patch patch = {.where = AGPU_GEN_IN_TABLE, .size = 4, .offset = at};

    switch (agpu_gen_below(g, 5)) {
    case 0: /* alloc_id 0 */
        break;
    case 1: /* twice the same entry */
        agpu_gen_entry(g, 0);
        agpu_gen_entry(g, 1);
        patch.value = g->program->entries[agpu_gen_last(g)->entries_at + 1].id;
        break;
    case 2:
        patch.offset = (uint16_t)(at + offsetof(struct aerogpu_alloc_entry, size_bytes));
        patch.size = 8;
        break;
    case 3:
        patch.offset = (uint16_t)(at + offsetof(struct aerogpu_alloc_entry, gpa));
        patch.size = 8;
        patch.value = UINT64_MAX - 0xFFF;
        break;
    default: /* unknown flags */
        patch.offset = (uint16_t)(at + offsetof(struct aerogpu_alloc_entry, flags));
        patch.value = 0xFFFFFFFE;
        break;
    }
    agpu_gen_patch_add(g->program, &patch);
}

static bool breaks_table(const struct agpu_gen_patch *patch)
{
    return patch->where == AGPU_GEN_IN_TABLE ||
           (patch->where == AGPU_GEN_IN_DESC &&
            patch->offset >= offsetof(struct aerogpu_submit_desc, alloc_table_gpa) &&
            patch->offset < offsetof(struct aerogpu_submit_desc, signal_fence));
}

void agpu_gen_bad_structure(struct agpu_gen *g)
{
    const uint32_t first = agpu_gen_may(g, AGPU_GEN_CHOICE_DESC_SIZE) ? 0 : DESC_SIZES;
    const uint32_t which = agpu_gen_between(g, first, WRONG_COUNT + 7);
    const uint32_t handle = any_handle(g, 1, false);
    struct aerogpu_cmd_upload_resource *packet;

    agpu_gen_close(g, true);
    agpu_gen_open(g)->invalid = true;
    agpu_gen_entry(g, (int32_t)agpu_gen_below(g, AGPU_GEN_ALLOCS));
    if (which >= WRONG_COUNT) {
        bad_entry(g);
    } else {
        agpu_gen_patch_add(g->program, &wrong[which].patch);
    }
    if (breaks_table(&g->program->patches[agpu_gen_last(g)->patches_at]) &&
        !agpu_gen_may(g, AGPU_GEN_CHOICE_BAD_TABLE)) {
        agpu_gen_close(g, true);
        return;
    }
    packet =
        agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, 4); /* shows whether the stream was executed */
    packet->resource_handle = handle;
    packet->size_bytes = 4;
    memset(packet + 1, (int)agpu_gen_below(g, 256), 4);
    agpu_gen_close(g, true);
}

/* ---- the ring itself ---- */

void agpu_gen_bad_ring(struct agpu_gen *g)
{
    static const struct agpu_gen_patch patches[] = {
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, magic), 0x12345678},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, abi_version), 0x00020004},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, abi_version), 0x00010099},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, size_bytes), 63},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, size_bytes), 0xFFFFFFFF},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, entry_count), 0},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, entry_count), 3},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, entry_count), 0x80000000},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, entry_stride_bytes), 63},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, entry_stride_bytes), 0xFFFFFFFF},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, flags), 0xFFFFFFFF},
        {AGPU_GEN_IN_RING, 4, offsetof(struct aerogpu_ring_header, tail), 0x7FFFFFFF},
    };
    const uint32_t way = agpu_gen_below(g, 15);

    agpu_gen_close(g, true);
    if (g->held_below != 0) {
        return;
    }
    if (way >= 12) { /* registers instead of the header */
        static const uint32_t registers[] = {AEROGPU_MMIO_REG_RING_SIZE_BYTES, AEROGPU_MMIO_REG_RING_GPA_LO,
                                             AEROGPU_MMIO_REG_RING_GPA_HI};
        const uint32_t value = way == 12   ? (agpu_gen_one_in(g, 2) ? 0 : 64)
                               : way == 13 ? 0xFFFFFFF0
                                           : 0xFFFFFFFF;

        agpu_gen_register(g, registers[way - 12], value);
        if (way == 13) {
            agpu_gen_register(g, AEROGPU_MMIO_REG_RING_GPA_HI, agpu_gen_one_in(g, 2) ? 0xFFFFFFFF : 0);
        }
    }
    agpu_gen_open(g)->invalid = true;
    if (way < 12) {
        agpu_gen_patch_add(g->program, &patches[way]);
    }
    g->open = false;
    agpu_gen_do(g, AGPU_GEN_DOORBELL);
    agpu_gen_ring_set(g); /* a valid one again; what was not consumed is lost */
}

/* ---- damage ---- */

static uint32_t odd_value(struct agpu_gen *g, uint32_t before)
{
    switch (agpu_gen_below(g, 8)) {
    case 0:
        return 0;
    case 1:
        return UINT32_MAX;
    case 2:
        return before + 1;
    case 3:
        return before - 1;
    case 4:
        return before ^ 1u << agpu_gen_below(g, 32);
    case 5: { /* another object's name */
        const struct agpu_gen_resource *resource = agpu_gen_pick(g, 0);

        return resource != NULL ? resource->handle : before;
    }
    case 6:
        return agpu_gen_below(g, 64);
    default:
        return (uint32_t)agpu_gen_random_u64(&g->random);
    }
}

/* Damages one word of the last submission's packets, or of the structures around them. From here on the generator's
 * knowledge of the session is unreliable. */
void agpu_gen_damage(struct agpu_gen *g)
{
    struct agpu_gen_step *step;

    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_DAMAGED) || !g->open || g->submissions < g->plan.submissions / 2) {
        return;
    }
    g->damaged = true;
    step = agpu_gen_last(g);
    step->invalid = true;
    if (agpu_gen_one_in(g, 4) || step->bytes < 12) {
        struct agpu_gen_patch patch = {.size = 4};

        patch.where = (uint8_t)agpu_gen_below(g, 3);
        patch.offset = (uint16_t)(4 * agpu_gen_below(g, 16));
        patch.value = odd_value(g, 4);
        /* Never damages the fence: later ones count on from it. */
        if (patch.where != AGPU_GEN_IN_DESC ||
            patch.offset < offsetof(struct aerogpu_submit_desc, signal_fence)) {
            agpu_gen_patch_add(g->program, &patch);
        }
    } else {
        uint32_t *words = (uint32_t *)(void *)(g->program->bytes + step->bytes_at);
        const uint32_t word = agpu_gen_below(g, step->bytes / 4);

        words[word] = odd_value(g, words[word]);
    }
    agpu_gen_close(g, false);
}
