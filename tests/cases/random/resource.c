/* resource.c: generates work on resources: create, destroy, upload, dirty ranges, copies, views
 * (commands.md 5, 6). */
#include "tests/cases/random/resource.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"

#define UPLOAD_MAX 4096u
#define LARGEST    60000u /* limit for buffers and textures in device memory */

static bool is_backed(const struct agpu_gen_resource *resource)
{
    return resource->alloc >= 0;
}

/* Returns true when a packet without writeback may change the resource: the contents of guest memory behind it are
 * then the device's choice (GUEST_COPY). */
static bool may_write(const struct agpu_gen *g, const struct agpu_gen_resource *resource)
{
    return !is_backed(resource) || agpu_gen_may(g, AGPU_GEN_CHOICE_GUEST_COPY);
}

/* Returns true when the unused byte of the texture must be FF at all times: an upload follows its CREATE, and it has
 * no guest memory. */
static bool hides_x(const struct agpu_gen *g, const struct agpu_gen_resource *resource)
{
    return resource->texture && agpu_gen_is_x8(resource->format) && !agpu_gen_may(g, AGPU_GEN_CHOICE_X8);
}

static void send_dirty(struct agpu_gen *g, const struct agpu_gen_resource *resource, uint64_t offset,
                       uint64_t size)
{
    struct aerogpu_cmd_resource_dirty_range *packet;

    agpu_gen_entry(g, resource->alloc);
    packet = agpu_gen_packet(g, AEROGPU_CMD_RESOURCE_DIRTY_RANGE);
    packet->resource_handle = resource->original_gone ? resource->alias : resource->handle;
    packet->offset_bytes = offset;
    packet->size_bytes = size;
}

/* Chooses guest memory for a resource of this size; returns false when none is large enough. */
static bool choose_backing(struct agpu_gen *g, struct agpu_gen_resource *resource)
{
    const uint32_t first = agpu_gen_below(g, AGPU_GEN_ALLOCS);

    for (uint32_t i = 0; i < AGPU_GEN_ALLOCS; i++) {
        const uint32_t alloc = (first + i) % AGPU_GEN_ALLOCS;
        bool taken = false;

        for (uint32_t j = 0; j < AGPU_GEN_RESOURCES; j++) {
            taken |= g->resources[j].handle != 0 && g->resources[j].alloc == (int32_t)alloc;
        }
        if (!taken && agpu_gen_one_in(g, 2)) { /* the same id, other bytes */
            agpu_gen_close(g, false);
            agpu_gen_choose_bytes(g, &g->allocs[alloc]);
        }
        if (g->allocs[alloc].size < resource->size ||
            (taken && (!agpu_gen_may(g, AGPU_GEN_CHOICE_GUEST_COPY) || !agpu_gen_one_in(g, 6)))) {
            continue;
        }
        resource->alloc = (int32_t)alloc;
        resource->offset = agpu_gen_below(g, (uint32_t)(g->allocs[alloc].size - resource->size) + 1);
        resource->offset &= agpu_gen_one_in(g, 2) ? ~0xFFu : ~0u;
        if (agpu_gen_one_in(g, 4)) { /* ends at the last byte */
            resource->offset = g->allocs[alloc].size - (uint32_t)resource->size;
        }
        return true;
    }
    return false;
}

/* Fills guest memory before the submission that reads it. */
static void fill_backing(struct agpu_gen *g, const struct agpu_gen_resource *resource)
{
    if (is_backed(resource)) {
        agpu_gen_close(g, false);
        agpu_gen_fill(g, resource->alloc, resource->offset, (uint32_t)resource->size);
    }
}

static void fill_payload(struct agpu_gen *g, const struct agpu_gen_resource *resource, uint64_t offset,
                         uint8_t *to, uint32_t size)
{
    agpu_gen_pattern(to, size, agpu_gen_random_u64(&g->random));
    if (hides_x(g, resource)) { /* its rows are multiples of 4 bytes */
        for (uint32_t i = 3 - offset % 4; i < size; i += 4) {
            to[i] = 0xFF;
        }
    }
}

static void put_upload(struct agpu_gen *g, const struct agpu_gen_resource *resource, uint64_t offset,
                       uint32_t size)
{
    struct aerogpu_cmd_upload_resource *packet = agpu_gen_packet_with(g, AEROGPU_CMD_UPLOAD_RESOURCE, size);

    packet->resource_handle = agpu_gen_name(g, resource);
    packet->offset_bytes = offset;
    packet->size_bytes = size;
    fill_payload(g, resource, offset, (uint8_t *)(packet + 1), size);
}

static void upload_all(struct agpu_gen *g, const struct agpu_gen_resource *texture)
{
    for (uint32_t i = 0; i < texture->mips * texture->layers; i++) {
        uint64_t size;
        const uint64_t offset = agpu_gen_subresource_at(texture, i % texture->mips, i / texture->mips, &size);

        put_upload(g, texture, offset, (uint32_t)size);
    }
}

static void after_create(struct agpu_gen *g, const struct agpu_gen_resource *resource)
{
    if (is_backed(resource) && (!agpu_gen_may(g, AGPU_GEN_CHOICE_FIRST_LOAD) || agpu_gen_one_in(g, 4))) {
        send_dirty(g, resource, 0, resource->size);
    } else if (hides_x(g, resource)) {
        upload_all(g, resource);
    }
}

static void put_create(struct agpu_gen *g, const struct agpu_gen_resource *resource)
{
    const uint32_t alloc_id = is_backed(resource) ? g->allocs[resource->alloc].id : 0;

    agpu_gen_entry(g, resource->alloc);
    if (resource->texture) {
        struct aerogpu_cmd_create_texture2d *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);

        packet->texture_handle = resource->handle;
        packet->usage_flags = resource->usage;
        packet->format = resource->format->number;
        packet->width = resource->width;
        packet->height = resource->height;
        packet->mip_levels = resource->mips;
        packet->array_layers = resource->layers;
        packet->row_pitch_bytes = resource->pitch;
        packet->backing_alloc_id = alloc_id;
        packet->backing_offset_bytes = resource->offset;
    } else {
        struct aerogpu_cmd_create_buffer *packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);

        packet->buffer_handle = resource->handle;
        packet->usage_flags = resource->usage;
        packet->size_bytes = resource->size;
        packet->backing_alloc_id = alloc_id;
        packet->backing_offset_bytes = resource->offset;
    }
}

void agpu_gen_create_buffer(struct agpu_gen *g)
{
    struct agpu_gen_resource *slot = agpu_gen_free_slot(g);
    struct agpu_gen_resource buffer = {.alloc = -1, .usage = agpu_gen_below(g, 256)};

    if (slot == NULL) {
        agpu_gen_destroy(g);
        return;
    }
    buffer.size = 4 * agpu_gen_between(g, 1,
                                       agpu_gen_one_in(g, 40)  ? LARGEST / 4
                                       : agpu_gen_one_in(g, 8) ? 1024
                                                               : 64);
    if (g->last_size > 4 && agpu_gen_one_in(g, 4)) { /* smaller than the one before */
        buffer.size = g->last_size - 4;
    }
    g->last_size = buffer.size;
    if (agpu_gen_one_in(g, 2)) {
        choose_backing(g, &buffer);
    }
    buffer.handle = agpu_gen_resource_handle(g);
    fill_backing(g, &buffer);
    put_create(g, &buffer);
    *slot = buffer;
    after_create(g, slot);
}

static uint32_t edge(struct agpu_gen *g)
{
    switch (agpu_gen_below(g, 16)) {
    case 0:
        return agpu_gen_one_in(g, 8) ? agpu_gen_between(g, 1000, 2100) : agpu_gen_between(g, 17, 300);
    case 1:
    case 2:
        return agpu_gen_between(g, 9, 64);
    case 3:
        return 1u << agpu_gen_below(g, 7);
    default:
        return agpu_gen_between(g, 1, 12);
    }
}

static void choose_shape(struct agpu_gen *g, struct agpu_gen_resource *texture)
{
    uint32_t longest, most_mips = 1;

    texture->width = edge(g);
    texture->height = agpu_gen_one_in(g, 4) ? texture->width : edge(g);
    if (agpu_gen_one_in(g, g->long_edges ? 2 : 24)) {
        texture->width = agpu_gen_between(g, 1, 5000);
        texture->height = agpu_gen_between(g, 1, 2);
        if (agpu_gen_one_in(g, 2)) {
            texture->height = texture->width;
            texture->width = 1;
        }
    }
    longest = texture->width > texture->height ? texture->width : texture->height;
    while (longest >> most_mips > 0) {
        most_mips++;
    }
    texture->mips = agpu_gen_one_in(g, 2) ? 1 : agpu_gen_between(g, 1, most_mips);
    texture->layers = agpu_gen_one_in(g, 2) || !agpu_gen_may(g, AGPU_GEN_CHOICE_VIEWS)
                          ? 1
                          : agpu_gen_between(g, 1, agpu_gen_one_in(g, 16) ? 600 : 7);
    texture->pitch = 0;
    if (agpu_gen_one_in(g, 2) || is_backed(texture)) {
        texture->pitch = agpu_gen_tight(texture->format, texture->width, 0) + agpu_gen_below(g, 5) * 4;
        texture->pitch += agpu_gen_one_in(g, 8) ? agpu_gen_below(g, 64) : 0;
        texture->pitch &= hides_x(g, texture) ? ~3u : ~0u;
    }
}

void agpu_gen_create_texture(struct agpu_gen *g)
{
    struct agpu_gen_resource *slot = agpu_gen_free_slot(g);
    struct agpu_gen_resource texture = {.texture = true, .alloc = -1, .usage = agpu_gen_below(g, 256)};
    bool backed = agpu_gen_one_in(g, 2);

    if (slot == NULL) {
        agpu_gen_destroy(g);
        return;
    }
    texture.format = agpu_gen_one_in(g, 6) ? &agpu_gen_formats[agpu_gen_below(g, agpu_gen_format_count)]
                                           : g->palette[agpu_gen_below(g, AGPU_GEN_PALETTE)];
    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_WRITEBACK_WHERE) &&
        texture.format->number > AEROGPU_FORMAT_R8G8B8X8_UNORM) {
        texture.format = &agpu_gen_formats[0];
    }
    backed = backed && !hides_x(g, &texture);
    texture.alloc = backed ? 0 : -1;
    do {
        choose_shape(g, &texture);
        texture.size = agpu_gen_texture_bytes(&texture);
    } while (texture.size > (backed ? AGPU_GEN_PLACE / 2 : hides_x(g, &texture) ? UPLOAD_MAX : LARGEST));
    texture.alloc = -1;
    if (backed) {
        choose_backing(g, &texture);
    }
    texture.handle = agpu_gen_resource_handle(g);
    fill_backing(g, &texture);
    put_create(g, &texture);
    *slot = texture;
    after_create(g, slot);
}

/* CREATE of a live handle with the same properties replaces its memory. */
void agpu_gen_rebind(struct agpu_gen *g)
{
    struct agpu_gen_resource *resource = agpu_gen_pick(g, 0);
    struct agpu_gen_resource other;

    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_REBIND) || resource == NULL || !is_backed(resource) ||
        resource->alias != 0) {
        return;
    }
    other = *resource;
    if (choose_backing(g, &other)) {
        put_create(g, &other);
        *resource = other;
    }
}

/* ---- destroying ---- */

static void unbind_targets(struct agpu_gen *g)
{
    agpu_gen_packet(g, AEROGPU_CMD_SET_RENDER_TARGETS);
    memset(g->colors, 0, sizeof g->colors);
    g->depth = 0;
}

static bool is_target(const struct agpu_gen *g, uint32_t handle)
{
    bool is = handle != 0 && g->depth == handle;

    for (uint32_t i = 0; i < AGPU_GEN_TARGETS; i++) {
        is |= handle != 0 && g->colors[i] == handle;
    }
    return is;
}

static void send_destroy_view(struct agpu_gen *g, struct agpu_gen_view *view)
{
    struct aerogpu_cmd_destroy_texture_view *packet;

    if (is_target(g, view->handle)) {
        unbind_targets(g);
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_TEXTURE_VIEW);
    packet->view_handle = view->handle;
    view->handle = 0;
}

void agpu_gen_destroy_view(struct agpu_gen *g)
{
    struct agpu_gen_view *view = &g->views[agpu_gen_below(g, AGPU_GEN_VIEWS)];

    if (view->handle != 0) {
        send_destroy_view(g, view);
    }
}

void agpu_gen_destroy(struct agpu_gen *g)
{
    struct agpu_gen_resource *resource = agpu_gen_pick(g, 0);
    struct aerogpu_cmd_destroy_resource *packet;
    uint32_t handle;

    if (resource == NULL) {
        return;
    }
    for (uint32_t i = 0; i < AGPU_GEN_VIEWS; i++) {
        if (g->views[i].handle != 0 && &g->resources[g->views[i].resource] == resource) {
            send_destroy_view(g, &g->views[i]);
        }
    }
    if (is_target(g, resource->handle) || is_target(g, resource->alias)) {
        if (resource->alias != 0 || !agpu_gen_one_in(g, 4)) {
            unbind_targets(g);
        } else { /* the device unbinds it */
            for (uint32_t i = 0; i < AGPU_GEN_TARGETS; i++) {
                g->colors[i] = g->colors[i] == resource->handle ? 0 : g->colors[i];
            }
            g->depth = g->depth == resource->handle ? 0 : g->depth;
        }
    }
    packet = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);
    handle = agpu_gen_name(g, resource);
    packet->resource_handle = handle;
    if (resource->alias != 0 && !resource->original_gone) {
        resource->original_gone = handle == resource->handle;
        resource->alias = handle == resource->alias ? 0 : resource->alias;
        return;
    }
    for (uint32_t i = 0; i < AGPU_GEN_TOKENS; i++) {
        if (g->tokens[i].token != 0 && g->tokens[i].resource == (int32_t)(resource - g->resources)) {
            g->tokens[i].resource = -1; /* retired */
        }
    }
    memset(resource, 0, sizeof *resource);
    agpu_gen_retire(g, handle);
}

/* ---- contents ---- */

/* Chooses a range of bytes: mostly a small one, aligned as requested, sometimes up to the end. */
static void choose_range(struct agpu_gen *g, uint64_t size, uint32_t align, uint64_t most, uint64_t *offset,
                         uint64_t *length)
{
    const uint64_t units = size / align;
    uint64_t count = 1 + agpu_gen_below(g, (uint32_t)(agpu_gen_one_in(g, 4) || units < 32 ? units : 32));

    count = count * align > most ? most / align : count;
    *length = count * align;
    *offset = agpu_gen_below(g, (uint32_t)(units - count) + 1) * (uint64_t)align;
    if (agpu_gen_one_in(g, 6)) {
        *offset = size - *length;
    }
}

void agpu_gen_upload(struct agpu_gen *g)
{
    const struct agpu_gen_resource *resource = agpu_gen_pick(g, 0);
    uint64_t offset, size;

    if (resource == NULL || is_backed(resource)) {
        return;
    }
    if (!resource->texture) {
        choose_range(g, resource->size, 4, UPLOAD_MAX, &offset, &size);
    } else if (agpu_gen_may(g, AGPU_GEN_CHOICE_BYTE_UPLOAD) && agpu_gen_one_in(g, 2)) {
        choose_range(g, resource->size, 1, UPLOAD_MAX, &offset, &size);
    } else {
        const uint32_t layer = agpu_gen_below(g, resource->layers);

        offset = agpu_gen_subresource_at(resource, agpu_gen_below(g, resource->mips), layer, &size);
    }
    size = agpu_gen_one_in(g, 32) ? 0 : size;
    if (size <= UPLOAD_MAX) {
        put_upload(g, resource, offset, (uint32_t)size);
    }
}

void agpu_gen_dirty(struct agpu_gen *g)
{
    const struct agpu_gen_resource *resource = agpu_gen_pick(g, 0);
    uint64_t offset, size;

    if (resource == NULL || !is_backed(resource)) {
        return;
    }
    choose_range(g, resource->size, 1, resource->size, &offset, &size);
    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_BYTE_UPLOAD)) {
        offset = 0;
        size = resource->size;
    }
    agpu_gen_close(g, false);
    agpu_gen_fill(g, resource->alloc, resource->offset + (uint32_t)offset, (uint32_t)size);
    send_dirty(g, resource, offset, size);
}

/* Returns true when the destination's guest memory follows: for write-back, which the packet may request. */
static bool choose_writeback(struct agpu_gen *g, const struct agpu_gen_resource *to, bool *refused)
{
    const bool can = is_backed(to) && !g->allocs[to->alloc].readonly;
    const bool back = can && (!may_write(g, to) || agpu_gen_one_in(g, 2));

    *refused = !back && !may_write(g, to);
    if (back) {
        agpu_gen_entry(g, to->alloc);
    }
    return back;
}

void agpu_gen_copy_buffer(struct agpu_gen *g)
{
    const struct agpu_gen_resource *from = agpu_gen_pick(g, 1), *to = agpu_gen_pick(g, 1);
    struct aerogpu_cmd_copy_buffer *packet;
    uint64_t size, from_at, to_at;
    uint32_t flags, names[2];
    bool refused;

    if (from == NULL || from == to || agpu_gen_apart(g, AEROGPU_FEATURE_TRANSFER)) {
        return;
    }
    choose_range(g, from->size < to->size ? from->size : to->size, 4, UINT64_MAX, &to_at, &size);
    from_at = agpu_gen_below(g, (uint32_t)(from->size - size) / 4 + 1) * 4ull;
    to_at = agpu_gen_below(g, (uint32_t)(to->size - size) / 4 + 1) * 4ull;
    flags = choose_writeback(g, to, &refused) ? AEROGPU_COPY_FLAG_WRITEBACK_DST : 0;
    if (refused) {
        return;
    }
    agpu_gen_entry(g, from->alloc);
    names[0] = agpu_gen_name(g, to);
    names[1] = agpu_gen_name(g, from);
    packet = agpu_gen_packet(g, AEROGPU_CMD_COPY_BUFFER);
    packet->dst_buffer = names[0];
    packet->src_buffer = names[1];
    packet->dst_offset_bytes = to_at;
    packet->src_offset_bytes = from_at;
    packet->size_bytes = size;
    packet->flags = flags;
}

/* Chooses a part of an edge, in whole blocks except where it reaches the end of both. */
static void choose_span(struct agpu_gen *g, uint32_t block, uint32_t from_edge, uint32_t to_edge,
                        uint32_t *from, uint32_t *to, uint32_t *size)
{
    const uint32_t smaller = from_edge < to_edge ? from_edge : to_edge;

    if (from_edge % block == to_edge % block && agpu_gen_one_in(g, 3)) { /* both to the end */
        *size = smaller - agpu_gen_below(g, (smaller + block - 1) / block) * block;
        *from = from_edge - *size;
        *to = to_edge - *size;
        if (*from % block == 0 && *to % block == 0) {
            return;
        }
    }
    if (smaller < block) { /* a partial block is valid only where it ends both */
        *from = *to = 0;
        *size = from_edge == to_edge ? smaller : 0;
        return;
    }
    *size = agpu_gen_between(g, 1, smaller / block) * block;
    *from = agpu_gen_below(g, (from_edge - *size) / block + 1) * block;
    *to = agpu_gen_below(g, (to_edge - *size) / block + 1) * block;
}

/* Returns a texture, with two names if there is one. */
static const struct agpu_gen_resource *pick_shared(struct agpu_gen *g)
{
    const struct agpu_gen_resource *texture = agpu_gen_pick(g, 2);

    for (uint32_t tries = 0; texture != NULL && texture->alias == 0 && tries < 4; tries++) {
        texture = agpu_gen_pick(g, 2);
    }
    return texture;
}

void agpu_gen_copy_texture(struct agpu_gen *g)
{
    const struct agpu_gen_resource *from = agpu_gen_pick(g, 2), *to = pick_shared(g);
    struct aerogpu_cmd_copy_texture2d copy = {0}, *packet;
    const bool simple = !agpu_gen_may(g, AGPU_GEN_CHOICE_WRITEBACK_WHERE);
    bool refused;

    for (uint32_t tries = 0; from != NULL && tries < 6 && (from == to || from->format != to->format);
         tries++) {
        from = agpu_gen_pick(g, 2);
    }
    if (from == NULL || from == to || from->format != to->format ||
        agpu_gen_apart(g, AEROGPU_FEATURE_TRANSFER)) {
        return;
    }
    copy.src_mip_level = agpu_gen_below(g, from->mips);
    copy.src_array_layer = agpu_gen_below(g, from->layers);
    copy.dst_mip_level = simple && is_backed(to) ? 0 : agpu_gen_below(g, to->mips);
    copy.dst_array_layer = simple && is_backed(to) ? 0 : agpu_gen_below(g, to->layers);
    choose_span(g, from->format->edge, agpu_gen_mip(from->width, copy.src_mip_level),
                agpu_gen_mip(to->width, copy.dst_mip_level), &copy.src_x, &copy.dst_x, &copy.width);
    choose_span(g, from->format->edge, agpu_gen_mip(from->height, copy.src_mip_level),
                agpu_gen_mip(to->height, copy.dst_mip_level), &copy.src_y, &copy.dst_y, &copy.height);
    copy.flags = choose_writeback(g, to, &refused) ? AEROGPU_COPY_FLAG_WRITEBACK_DST : 0;
    if (refused) {
        return;
    }
    agpu_gen_entry(g, from->alloc);
    copy.dst_texture = agpu_gen_name(g, to);
    copy.src_texture = agpu_gen_name(g, from);
    packet = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);
    copy.hdr = packet->hdr;
    *packet = copy;
}

/* ---- views ---- */

void agpu_gen_create_view(struct agpu_gen *g)
{
    const struct agpu_gen_resource *texture = agpu_gen_pick(g, 2);
    struct aerogpu_cmd_create_texture_view *packet;
    struct agpu_gen_view *view = &g->views[agpu_gen_below(g, AGPU_GEN_VIEWS)];

    if (!agpu_gen_may(g, AGPU_GEN_CHOICE_VIEWS) || texture == NULL || view->handle != 0) {
        return;
    }
    view->handle = agpu_gen_new_handle(g);
    view->resource = (uint32_t)(texture - g->resources);
    view->mip = agpu_gen_below(g, texture->mips);
    view->mips = agpu_gen_between(g, 1, texture->mips - view->mip);
    view->layer = agpu_gen_below(g, texture->layers);
    view->layers = agpu_gen_between(g, 1, texture->layers - view->layer);
    packet = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE_VIEW);
    packet->view_handle = view->handle;
    packet->texture_handle = texture->original_gone ? texture->alias : texture->handle;
    packet->format = texture->format->number;
    packet->base_mip_level = view->mip;
    packet->mip_level_count = view->mips;
    packet->base_array_layer = view->layer;
    packet->array_layer_count = view->layers;
}
