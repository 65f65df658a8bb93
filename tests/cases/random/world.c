/* world.c: the generator's records of objects, layout and submissions. */
#include "tests/cases/random/world.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "ring/protocol/packet_table.h"

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};

uint32_t agpu_gen_packet_size(uint32_t opcode)
{
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        if (packets[i].opcode == opcode) {
            return packets[i].size;
        }
    }
    return 8;
}

const struct agpu_gen_format agpu_gen_formats[] = {
#define AEROGPU_FORMAT(NAME, number, edge, bytes) {AEROGPU_FORMAT_##NAME, edge, bytes},
#include "pci/protocol/formats.def"
};
const uint32_t agpu_gen_format_count = sizeof agpu_gen_formats / sizeof agpu_gen_formats[0];

bool agpu_gen_is_depth(const struct agpu_gen_format *format)
{
    return format->number == AEROGPU_FORMAT_D24_UNORM_S8_UINT || format->number == AEROGPU_FORMAT_D32_FLOAT;
}

bool agpu_gen_is_x8(const struct agpu_gen_format *format)
{
    return format->number == AEROGPU_FORMAT_B8G8R8X8_UNORM ||
           format->number == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
           format->number == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB ||
           format->number == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

bool agpu_gen_is_srgb(const struct agpu_gen_format *format)
{
    return format->number >= AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB &&
           format->number <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

uint32_t agpu_gen_mip(uint32_t edge, uint32_t mip)
{
    return edge >> mip > 0 ? edge >> mip : 1;
}

uint32_t agpu_gen_tight(const struct agpu_gen_format *format, uint32_t width, uint32_t mip)
{
    return (agpu_gen_mip(width, mip) + format->edge - 1) / format->edge * format->bytes;
}

uint32_t agpu_gen_rows(const struct agpu_gen_format *format, uint32_t height, uint32_t mip)
{
    return (agpu_gen_mip(height, mip) + format->edge - 1) / format->edge;
}

static uint64_t mip_bytes(const struct agpu_gen_resource *texture, uint32_t mip)
{
    const uint32_t pitch = mip == 0 && texture->pitch != 0
                               ? texture->pitch
                               : agpu_gen_tight(texture->format, texture->width, mip);

    return (uint64_t)pitch * agpu_gen_rows(texture->format, texture->height, mip);
}

static uint64_t layer_bytes(const struct agpu_gen_resource *texture)
{
    uint64_t sum = 0;

    for (uint32_t mip = 0; mip < texture->mips; mip++) {
        sum += mip_bytes(texture, mip);
    }
    return sum;
}

uint64_t agpu_gen_texture_bytes(const struct agpu_gen_resource *texture)
{
    return layer_bytes(texture) * texture->layers;
}

uint64_t agpu_gen_subresource_at(const struct agpu_gen_resource *texture, uint32_t mip, uint32_t layer,
                                 uint64_t *size)
{
    uint64_t at = layer_bytes(texture) * layer;

    for (uint32_t i = 0; i < mip; i++) {
        at += mip_bytes(texture, i);
    }
    *size = mip_bytes(texture, mip);
    return at;
}

/* ---- life ---- */

void agpu_gen_choose_bytes(struct agpu_gen *g, struct agpu_gen_alloc *alloc)
{
    alloc->skew = agpu_gen_one_in(g, 2) ? 0 : agpu_gen_below(g, 256);
    alloc->size = AGPU_GEN_PLACE - alloc->skew;
    alloc->size = agpu_gen_one_in(g, 4) ? alloc->size : agpu_gen_between(g, 256, alloc->size);
    alloc->readonly = agpu_gen_one_in(g, 6);
}

static void choose_allocs(struct agpu_gen *g)
{
    for (uint32_t i = 0; i < AGPU_GEN_ALLOCS; i++) {
        struct agpu_gen_alloc *alloc = &g->allocs[i];

        alloc->place = i;
        /* Uses both ranges of ids; an index in the low bits keeps them unique. */
        alloc->id = (uint32_t)agpu_gen_random_u64(&g->random);
        alloc->id = (alloc->id & (agpu_gen_one_in(g, 3) ? 0xFFFFFFF0u : 0xFF0u)) + i + 1;
        agpu_gen_choose_bytes(g, alloc);
    }
}

void agpu_gen_clear(struct agpu_gen *g)
{
    memset(g->resources, 0, sizeof g->resources);
    memset(g->views, 0, sizeof g->views);
    memset(g->tokens, 0, sizeof g->tokens);
    memset(g->objects, 0, sizeof g->objects);
    memset(g->colors, 0, sizeof g->colors);
    memset(g->retired, 0, sizeof g->retired);
    g->next_handle = agpu_gen_one_in(g, 2) ? 0 : g->next_handle; /* a reset frees all handles */
    g->long_edges = agpu_gen_one_in(g, 4);
    g->depth = 0;
    g->gone_handle = 0;
    g->open = false;
    choose_allocs(g);
    for (uint32_t i = 0; i < AGPU_GEN_PALETTE; i++) {
        g->palette[i] = &agpu_gen_formats[agpu_gen_below(g, agpu_gen_format_count)];
    }
    if (agpu_gen_one_in(g, 2)) { /* often one that can be cleared */
        g->palette[0] = &agpu_gen_formats[agpu_gen_below(g, 12)];
    }
}

uint32_t agpu_gen_new_handle(struct agpu_gen *g)
{
    if (agpu_gen_one_in(g, 32)) {
        g->next_handle += agpu_gen_below(g, 0x10000000);
    }
    g->next_handle++;
    return g->next_handle == 0 ? ++g->next_handle : g->next_handle;
}

uint32_t agpu_gen_resource_handle(struct agpu_gen *g)
{
    uint32_t *slot = &g->retired[agpu_gen_below(g, AGPU_GEN_RETIRED)];
    const uint32_t handle = *slot;

    *slot = 0;
    return handle != 0 ? handle : agpu_gen_new_handle(g);
}

void agpu_gen_retire(struct agpu_gen *g, uint32_t handle)
{
    g->retired[agpu_gen_below(g, AGPU_GEN_RETIRED)] = handle;
}

uint32_t agpu_gen_limit(struct agpu_gen *g)
{
    const uint32_t power = 1u << agpu_gen_below(g, 32);

    return power - 1 + agpu_gen_below(g, 3);
}

/* ---- submissions ---- */

static uint64_t next_fence(struct agpu_gen *g)
{
    uint32_t shift;

    if (agpu_gen_one_in(g, 40)) {
        return 0; /* signals nothing */
    }
    /* Often while a fence is held: equal and lower ones have rules of their own then (ring.md 4). */
    if (agpu_gen_may(g, AGPU_GEN_CHOICE_STALE_FENCE) && g->fence > 4 &&
        agpu_gen_one_in(g, g->held_below != 0 ? 4 : 40)) {
        return g->fence - agpu_gen_below(g, 4);
    }
    if (agpu_gen_one_in(g, 16)) {
        shift = 20 + agpu_gen_below(g, 40);
        g->fence += agpu_gen_random_u64(&g->random) >> shift;
    } else {
        g->fence++;
    }
    g->fence += agpu_gen_one_in(g, 64) ? UINT64_C(0x100000000) - (g->fence & 0xFFFFFFFF) : 0;
    return ++g->fence;
}

struct agpu_gen_step *agpu_gen_last(struct agpu_gen *g)
{
    return agpu_gen_step_last(g->program);
}

struct agpu_gen_step *agpu_gen_open(struct agpu_gen *g)
{
    struct agpu_gen_step *step;

    if (g->open) {
        return agpu_gen_last(g);
    }
    step = agpu_gen_step_add(g->program, AGPU_GEN_SUBMIT);
    step->fence = next_fence(g);
    step->flags =
        agpu_gen_has(g, AGPU_GEN_AREA_FENCE) && agpu_gen_one_in(g, 4) ? AEROGPU_SUBMIT_FLAG_NO_IRQ : 0;
    step->invalid = g->damaged;
    g->open = true;
    g->submissions++;
    if (g->gone_handle != 0) {
        struct aerogpu_cmd_destroy_resource *packet = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);

        packet->resource_handle = g->gone_handle;
        g->gone_handle = 0;
    }
    return agpu_gen_last(g);
}

void agpu_gen_close(struct agpu_gen *g, bool doorbell)
{
    struct agpu_gen_step *step;

    if (g->open) {
        g->open = false;
        g->posted++;
        g->ring_tail++;
    }
    if (g->posted == 0 || (!doorbell && g->posted < g->batch && g->posted < g->ring_count)) {
        return;
    }
    step = agpu_gen_step_add(g->program, AGPU_GEN_DOORBELL);
    step->value = g->held_below == 0 && !g->damaged ? g->fence : 0;
    step->size = agpu_gen_one_in(g, 8) ? 8 : 4; /* 8: also reads the vblank counters */
    step->flags = agpu_gen_one_in(g, 4) ? (uint32_t)agpu_gen_random_u64(&g->random) : 0;
    g->posted = 0;
    g->batch = agpu_gen_one_in(g, 2) ? 1 : agpu_gen_between(g, 1, agpu_gen_one_in(g, 8) ? 40 : 5);
}

struct agpu_gen_step *agpu_gen_do(struct agpu_gen *g, enum agpu_gen_op op)
{
    agpu_gen_close(g, false);
    return agpu_gen_step_add(g->program, op);
}

void *agpu_gen_packet(struct agpu_gen *g, uint32_t opcode)
{
    uint32_t size = agpu_gen_packet_size(opcode);
    uint32_t more = 0;

    /* The length of BIND_SHADERS and SET_BLEND_STATE has a meaning. */
    if (agpu_gen_has(g, AGPU_GEN_AREA_STREAM) && opcode != AEROGPU_CMD_BIND_SHADERS &&
        opcode != AEROGPU_CMD_SET_BLEND_STATE && agpu_gen_one_in(g, 12)) {
        more = agpu_gen_between(g, 1, 5) * 4;
    }
    agpu_gen_open(g);
    uint8_t *packet = agpu_gen_packet_add(g->program, opcode, size + more);
    memset(packet + size, 0xA5, more);
    return packet;
}

void *agpu_gen_packet_with(struct agpu_gen *g, uint32_t opcode, uint32_t payload)
{
    agpu_gen_open(g);
    return agpu_gen_packet_add(g->program, opcode, agpu_gen_packet_size(opcode) + ((payload + 3) & ~3u));
}

struct aerogpu_input_layout_element_dxgi *agpu_gen_input_layout(struct agpu_gen *g, uint32_t handle,
                                                                uint32_t elements)
{
    const uint32_t bytes = (uint32_t)(sizeof(struct aerogpu_input_layout_blob_header) +
                                      elements * sizeof(struct aerogpu_input_layout_element_dxgi));
    struct aerogpu_cmd_create_input_layout *packet =
        agpu_gen_packet_with(g, AEROGPU_CMD_CREATE_INPUT_LAYOUT, bytes);
    struct aerogpu_input_layout_blob_header *blob = (void *)(packet + 1);

    packet->input_layout_handle = handle;
    packet->blob_size_bytes = bytes;
    *blob = (struct aerogpu_input_layout_blob_header){.magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC,
                                                      .version = AEROGPU_INPUT_LAYOUT_BLOB_VERSION,
                                                      .element_count = elements};
    return (void *)(blob + 1);
}

void agpu_gen_entry(struct agpu_gen *g, int32_t alloc)
{
    const struct agpu_gen_step *step = agpu_gen_open(g);
    const struct agpu_gen_alloc *from;
    struct agpu_gen_entry entry;

    if (alloc < 0) {
        return;
    }
    from = &g->allocs[alloc];
    for (uint32_t i = 0; i < step->entries; i++) {
        if (g->program->entries[step->entries_at + i].id == from->id) {
            return;
        }
    }
    entry = (struct agpu_gen_entry){
        .id = from->id, .flags = from->readonly ? AEROGPU_ALLOC_FLAG_READONLY : 0, .size = from->size};
    agpu_gen_place(g, alloc, &entry.region, &entry.offset);
    agpu_gen_entry_add(g->program, &entry);
    if (agpu_gen_last(g)->entries == 1 && agpu_gen_one_in(g, 4)) { /* a long table: the next one is shorter */
        for (int32_t other = 0; other < (int32_t)AGPU_GEN_ALLOCS; other++) {
            agpu_gen_entry(g, other);
        }
    }
}

void agpu_gen_compare(struct agpu_gen *g)
{
    agpu_gen_close(g, true);
    agpu_gen_do(g, AGPU_GEN_COMPARE);
}

void agpu_gen_register(struct agpu_gen *g, uint32_t offset, uint32_t value)
{
    struct agpu_gen_step *step = agpu_gen_do(g, AGPU_GEN_REGISTER_WRITE);

    step->offset = offset;
    step->value = value;
}

void agpu_gen_read(struct agpu_gen *g, uint32_t offset)
{
    agpu_gen_do(g, AGPU_GEN_REGISTER_READ)->offset = offset;
}

void agpu_gen_place(const struct agpu_gen *g, int32_t alloc, uint32_t *region, uint32_t *offset)
{
    *region = g->allocs[alloc].place / 4;
    *offset = g->allocs[alloc].place % 4 * AGPU_GEN_PLACE + g->allocs[alloc].skew;
}

void agpu_gen_fill(struct agpu_gen *g, int32_t alloc, uint32_t offset, uint32_t size)
{
    struct agpu_gen_step *step;
    uint32_t region, at;

    agpu_gen_place(g, alloc, &region, &at);
    step = agpu_gen_do(g, AGPU_GEN_FILL);
    step->region = (uint8_t)region;
    step->offset = at + offset;
    step->value = size;
    step->fence = agpu_gen_random_u64(&g->random);
}

/* ---- choosing ---- */

struct agpu_gen_resource *agpu_gen_pick(struct agpu_gen *g, unsigned kind)
{
    const uint32_t first = agpu_gen_one_in(g, 4) ? g->named : agpu_gen_below(g, AGPU_GEN_RESOURCES);

    for (uint32_t i = 0; i < AGPU_GEN_RESOURCES; i++) {
        struct agpu_gen_resource *resource = &g->resources[(first + i) % AGPU_GEN_RESOURCES];

        if (resource->handle != 0 && (kind == 0 || (kind == 2) == resource->texture)) {
            return resource;
        }
    }
    return NULL;
}

struct agpu_gen_resource *agpu_gen_free_slot(struct agpu_gen *g)
{
    for (uint32_t i = 0; i < AGPU_GEN_RESOURCES; i++) {
        if (g->resources[i].handle == 0) {
            return &g->resources[i];
        }
    }
    return NULL;
}

uint32_t agpu_gen_name(struct agpu_gen *g, const struct agpu_gen_resource *resource)
{
    g->named = (uint32_t)(resource - g->resources);
    if (resource->original_gone) {
        return resource->alias;
    }
    return resource->alias != 0 && agpu_gen_one_in(g, 2) ? resource->alias : resource->handle;
}
