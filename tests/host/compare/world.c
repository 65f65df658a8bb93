/* world.c: the generator's records of objects, layout and submissions. */
#include "tests/host/compare/world.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "ring/protocol/packet_table.h"

static const struct aerogpu_packet packets[] = {
#define AEROGPU_PACKET AEROGPU_PACKET_RECORD
#include "ring/protocol/packets.def"
};

uint32_t world_packet_size(uint32_t opcode)
{
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        if (packets[i].opcode == opcode) {
            return packets[i].size;
        }
    }
    return 8;
}

const struct world_format world_formats[] = {
#define AEROGPU_FORMAT(NAME, number, edge, bytes) {AEROGPU_FORMAT_##NAME, edge, bytes},
#include "pci/protocol/formats.def"
};
const uint32_t world_format_count = sizeof world_formats / sizeof world_formats[0];

bool world_is_depth(const struct world_format *format)
{
    return format->number == AEROGPU_FORMAT_D24_UNORM_S8_UINT || format->number == AEROGPU_FORMAT_D32_FLOAT;
}

bool world_is_x8(const struct world_format *format)
{
    return format->number == AEROGPU_FORMAT_B8G8R8X8_UNORM ||
           format->number == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
           format->number == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB ||
           format->number == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

bool world_is_srgb(const struct world_format *format)
{
    return format->number >= AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB &&
           format->number <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

uint32_t world_mip(uint32_t edge, uint32_t mip)
{
    return edge >> mip > 0 ? edge >> mip : 1;
}

uint32_t world_tight(const struct world_format *format, uint32_t width, uint32_t mip)
{
    return (world_mip(width, mip) + format->edge - 1) / format->edge * format->bytes;
}

uint32_t world_rows(const struct world_format *format, uint32_t height, uint32_t mip)
{
    return (world_mip(height, mip) + format->edge - 1) / format->edge;
}

static uint64_t mip_bytes(const struct world_resource *texture, uint32_t mip)
{
    const uint32_t pitch =
        mip == 0 && texture->pitch != 0 ? texture->pitch : world_tight(texture->format, texture->width, mip);

    return (uint64_t)pitch * world_rows(texture->format, texture->height, mip);
}

static uint64_t layer_bytes(const struct world_resource *texture)
{
    uint64_t sum = 0;

    for (uint32_t mip = 0; mip < texture->mips; mip++) {
        sum += mip_bytes(texture, mip);
    }
    return sum;
}

uint64_t world_texture_bytes(const struct world_resource *texture)
{
    return layer_bytes(texture) * texture->layers;
}

uint64_t world_subresource_at(const struct world_resource *texture, uint32_t mip, uint32_t layer,
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

static void choose_allocs(struct agpu_cmp_generator *g)
{
    for (uint32_t i = 0; i < WORLD_ALLOCS; i++) {
        const uint32_t skew = world_one_in(g, 2) ? 0 : world_below(g, 256);

        g->allocs[i] = (struct world_alloc){
            /* Uses both ranges of ids; an index in the low bits keeps them unique. */
            .id =
                (uint32_t)(agpu_random_u64(&g->random) & (world_one_in(g, 3) ? 0xFFFFFFF0u : 0xFF0u)) + i + 1,
            .place = i,
            .skew = skew,
            .size = world_one_in(g, 4) ? WORLD_PLACE - skew : world_between(g, 256, WORLD_PLACE - skew),
            .readonly = world_one_in(g, 6),
        };
    }
}

void world_clear(struct agpu_cmp_generator *g)
{
    memset(g->resources, 0, sizeof g->resources);
    memset(g->views, 0, sizeof g->views);
    memset(g->tokens, 0, sizeof g->tokens);
    memset(g->objects, 0, sizeof g->objects);
    memset(g->colors, 0, sizeof g->colors);
    g->depth = 0;
    g->gone_handle = 0;
    g->open = false;
    choose_allocs(g);
    for (uint32_t i = 0; i < WORLD_PALETTE; i++) {
        g->palette[i] = &world_formats[world_below(g, world_format_count)];
    }
    if (world_one_in(g, 2)) { /* often one that can be cleared */
        g->palette[0] = &world_formats[world_below(g, 12)];
    }
}

uint32_t world_new_handle(struct agpu_cmp_generator *g)
{
    if (world_one_in(g, 32)) {
        g->next_handle += world_below(g, 0x10000000);
    }
    g->next_handle++;
    return g->next_handle == 0 ? ++g->next_handle : g->next_handle;
}

/* ---- submissions ---- */

static uint64_t next_fence(struct agpu_cmp_generator *g)
{
    if (world_one_in(g, 40)) {
        return 0; /* signals nothing */
    }
    if (world_may(g, AGPU_CMP_CHOICE_STALE_FENCE) && g->fence > 4 && world_one_in(g, 40)) {
        return g->fence - world_below(g, 4);
    }
    g->fence += world_one_in(g, 16) ? agpu_random_u64(&g->random) >> (20 + world_below(g, 40)) : 1;
    g->fence += world_one_in(g, 64) ? UINT64_C(0x100000000) - (g->fence & 0xFFFFFFFF) : 0;
    return ++g->fence;
}

struct agpu_cmp_step *world_step(struct agpu_cmp_generator *g)
{
    return agpu_cmp_step_last(g->program);
}

struct agpu_cmp_step *world_open(struct agpu_cmp_generator *g)
{
    struct agpu_cmp_step *step;

    if (g->open) {
        return world_step(g);
    }
    step = agpu_cmp_step_add(g->program, AGPU_CMP_SUBMIT);
    step->fence = next_fence(g);
    step->flags = world_has(g, AGPU_CMP_AREA_FENCE) && world_one_in(g, 4) ? AEROGPU_SUBMIT_FLAG_NO_IRQ : 0;
    step->invalid = g->damaged;
    g->open = true;
    g->submissions++;
    if (g->gone_handle != 0) {
        struct aerogpu_cmd_destroy_resource *packet = world_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);

        packet->resource_handle = g->gone_handle;
        g->gone_handle = 0;
    }
    return world_step(g);
}

void world_close(struct agpu_cmp_generator *g, bool doorbell)
{
    struct agpu_cmp_step *step;

    if (g->open) {
        g->open = false;
        g->posted++;
        g->ring_tail++;
    }
    if (g->posted == 0 || (!doorbell && g->posted < g->batch && g->posted < g->ring_count)) {
        return;
    }
    step = agpu_cmp_step_add(g->program, AGPU_CMP_DOORBELL);
    step->value = g->held_below == 0 && !g->damaged ? g->fence : 0;
    step->size = world_one_in(g, 8) ? 8 : 4; /* 8: also reads the vblank counters */
    step->flags = world_one_in(g, 4) ? (uint32_t)agpu_random_u64(&g->random) : 0;
    g->posted = 0;
    g->batch = world_one_in(g, 2) ? 1 : world_between(g, 1, 5);
}

struct agpu_cmp_step *world_do(struct agpu_cmp_generator *g, enum agpu_cmp_op op)
{
    world_close(g, false);
    return agpu_cmp_step_add(g->program, op);
}

void *world_packet(struct agpu_cmp_generator *g, uint32_t opcode)
{
    uint32_t size = world_packet_size(opcode);
    uint32_t more = 0;

    /* For these two the length has a meaning. */
    if (world_has(g, AGPU_CMP_AREA_STREAM) && opcode != AEROGPU_CMD_BIND_SHADERS &&
        opcode != AEROGPU_CMD_SET_BLEND_STATE && world_one_in(g, 12)) {
        more = world_between(g, 1, 5) * 4;
    }
    world_open(g);
    uint8_t *packet = agpu_cmp_packet_add(g->program, opcode, size + more);
    memset(packet + size, 0xA5, more);
    return packet;
}

void *world_packet_with(struct agpu_cmp_generator *g, uint32_t opcode, uint32_t payload)
{
    world_open(g);
    return agpu_cmp_packet_add(g->program, opcode, world_packet_size(opcode) + ((payload + 3) & ~3u));
}

struct aerogpu_input_layout_element_dxgi *world_input_layout(struct agpu_cmp_generator *g, uint32_t handle,
                                                             uint32_t elements)
{
    const uint32_t bytes = (uint32_t)(sizeof(struct aerogpu_input_layout_blob_header) +
                                      elements * sizeof(struct aerogpu_input_layout_element_dxgi));
    struct aerogpu_cmd_create_input_layout *packet =
        world_packet_with(g, AEROGPU_CMD_CREATE_INPUT_LAYOUT, bytes);
    struct aerogpu_input_layout_blob_header *blob = (void *)(packet + 1);

    packet->input_layout_handle = handle;
    packet->blob_size_bytes = bytes;
    *blob = (struct aerogpu_input_layout_blob_header){.magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC,
                                                      .version = AEROGPU_INPUT_LAYOUT_BLOB_VERSION,
                                                      .element_count = elements};
    return (void *)(blob + 1);
}

void world_entry(struct agpu_cmp_generator *g, int32_t alloc)
{
    const struct agpu_cmp_step *step = world_open(g);
    const struct world_alloc *from;
    struct agpu_cmp_entry entry;

    if (alloc < 0) {
        return;
    }
    from = &g->allocs[alloc];
    for (uint32_t i = 0; i < step->entries; i++) {
        if (g->program->entries[step->entries_at + i].id == from->id) {
            return;
        }
    }
    entry = (struct agpu_cmp_entry){
        .id = from->id, .flags = from->readonly ? AEROGPU_ALLOC_FLAG_READONLY : 0, .size = from->size};
    world_place(g, alloc, &entry.region, &entry.offset);
    agpu_cmp_entry_add(g->program, &entry);
}

void world_look(struct agpu_cmp_generator *g)
{
    world_close(g, true);
    world_do(g, AGPU_CMP_LOOK);
}

void world_register(struct agpu_cmp_generator *g, uint32_t offset, uint32_t value)
{
    struct agpu_cmp_step *step = world_do(g, AGPU_CMP_REGISTER_WRITE);

    step->offset = offset;
    step->value = value;
}

void world_read(struct agpu_cmp_generator *g, uint32_t offset)
{
    world_do(g, AGPU_CMP_REGISTER_READ)->offset = offset;
}

void world_place(const struct agpu_cmp_generator *g, int32_t alloc, uint32_t *region, uint32_t *offset)
{
    *region = g->allocs[alloc].place / 4;
    *offset = g->allocs[alloc].place % 4 * WORLD_PLACE + g->allocs[alloc].skew;
}

void world_fill(struct agpu_cmp_generator *g, int32_t alloc, uint32_t offset, uint32_t size)
{
    struct agpu_cmp_step *step;
    uint32_t region, at;

    world_place(g, alloc, &region, &at);
    step = world_do(g, AGPU_CMP_FILL);
    step->region = (uint8_t)region;
    step->offset = at + offset;
    step->value = size;
    step->fence = agpu_random_u64(&g->random);
}

/* ---- choosing ---- */

struct world_resource *world_pick(struct agpu_cmp_generator *g, unsigned kind)
{
    const uint32_t first = world_below(g, WORLD_RESOURCES);

    for (uint32_t i = 0; i < WORLD_RESOURCES; i++) {
        struct world_resource *resource = &g->resources[(first + i) % WORLD_RESOURCES];

        if (resource->handle != 0 && (kind == 0 || (kind == 2) == resource->texture)) {
            return resource;
        }
    }
    return NULL;
}

struct world_resource *world_free_slot(struct agpu_cmp_generator *g)
{
    for (uint32_t i = 0; i < WORLD_RESOURCES; i++) {
        if (g->resources[i].handle == 0) {
            return &g->resources[i];
        }
    }
    return NULL;
}

uint32_t world_name(struct agpu_cmp_generator *g, const struct world_resource *resource)
{
    if (resource->original_gone) {
        return resource->alias;
    }
    return resource->alias != 0 && world_one_in(g, 2) ? resource->alias : resource->handle;
}
