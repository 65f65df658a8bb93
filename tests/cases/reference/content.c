/* content.c: bytes of resources: dirty ranges, uploads, copies, writeback (commands.md 5, 6; ring.md 8). */
#include "tests/cases/reference/content.h"

#include <string.h>

#include "tests/cases/reference/handles.h"
#include "tests/cases/reference/memory.h"
#include "tests/cases/reference/packets.h"

static bool inside(uint64_t offset, uint64_t size, uint64_t whole)
{
    return offset <= whole && size <= whole - offset;
}

/* Returns the states of a resource's bytes, made if all were exact; NULL when the contents are all unspecified. */
static uint8_t *states_of(struct agpu_ref *ref, struct agpu_ref_resource *resource)
{
    if (resource->bytes != NULL && resource->states == NULL) {
        resource->states = agpu_ref_alloc(ref, resource->size);
        if (resource->states == NULL) {
            agpu_ref_free(ref, resource->bytes, resource->size);
            resource->bytes = NULL;
        } else {
            memset(resource->states, AGPU_REF_EXACT, (size_t)resource->size);
        }
    }
    return resource->states;
}

void agpu_ref_mark(struct agpu_ref *ref, struct agpu_ref_resource *resource, uint64_t offset, uint64_t size,
                   enum agpu_ref_byte state)
{
    resource->touched = resource->touched || ref->unresolved != 0;
    if (resource->bytes != NULL && (resource->states != NULL || state != AGPU_REF_EXACT)) {
        uint8_t *states = states_of(ref, resource);

        if (states != NULL) {
            memset(states + offset, (int)state, (size_t)size);
        }
    }
}

bool agpu_ref_backing(struct agpu_ref *ref, uint32_t alloc_id, uint32_t offset, uint64_t size, bool write,
                      uint64_t *address)
{
    for (uint32_t i = 0; i < ref->work.entries; i++) {
        struct aerogpu_alloc_entry entry;

        memcpy(&entry,
               ref->work.table + sizeof(struct aerogpu_alloc_table_header) +
                   (uint64_t)i * ref->work.entry_stride,
               sizeof entry);
        if (entry.alloc_id == alloc_id) {
            *address = entry.gpa + offset;
            return inside(offset, size, entry.size_bytes) &&
                   !(write && (entry.flags & AEROGPU_ALLOC_FLAG_READONLY) != 0);
        }
    }
    return false;
}

static bool backing_of(struct agpu_ref *ref, const struct agpu_ref_resource *resource, bool write,
                       uint64_t *address)
{
    return resource->alloc_id != 0 &&
           agpu_ref_backing(ref, resource->alloc_id, resource->alloc_offset, resource->size, write, address);
}

void agpu_ref_load(struct agpu_ref *ref, struct agpu_ref_resource *resource, uint64_t address,
                   uint64_t offset, uint64_t size)
{
    if (resource->bytes == NULL) {
        return;
    }
    agpu_ref_mark(ref, resource, offset, size, AGPU_REF_EXACT);
    if (!agpu_ref_get(ref, address + offset, resource->bytes + offset, NULL, size)) {
        states_of(ref, resource);
    }
    if (resource->states != NULL) {
        agpu_ref_get(ref, address + offset, resource->bytes + offset, resource->states + offset, size);
    }
}

enum aerogpu_error agpu_ref_dirty(struct agpu_ref *ref, const struct aerogpu_cmd_resource_dirty_range *cmd)
{
    struct agpu_ref_resource *resource = agpu_ref_named(ref, cmd->resource_handle);
    uint64_t address;

    if (cmd->size_bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (resource == NULL) {
        return AGPU_REF_INVALID;
    }
    if (resource->alloc_id == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (!inside(cmd->offset_bytes, cmd->size_bytes, resource->size) ||
        !backing_of(ref, resource, false, &address)) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_load(ref, resource, address, cmd->offset_bytes, cmd->size_bytes);
    return AEROGPU_ERROR_NONE;
}

enum aerogpu_error agpu_ref_upload(struct agpu_ref *ref, const struct aerogpu_cmd_upload_resource *cmd)
{
    struct agpu_ref_resource *resource = agpu_ref_named(ref, cmd->resource_handle);

    if (cmd->size_bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (resource == NULL || resource->alloc_id != 0 ||
        !inside(cmd->offset_bytes, cmd->size_bytes, resource->size) ||
        (!resource->texture && (cmd->offset_bytes | cmd->size_bytes) % 4 != 0)) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_mark(ref, resource, cmd->offset_bytes, cmd->size_bytes, AGPU_REF_EXACT);
    if (resource->bytes != NULL) {
        memcpy(resource->bytes + cmd->offset_bytes, cmd + 1, (size_t)cmd->size_bytes);
    }
    return AEROGPU_ERROR_NONE;
}

/* Copies contents with their states. */
static void copy_bytes(struct agpu_ref *ref, struct agpu_ref_resource *to, uint64_t to_offset,
                       const struct agpu_ref_resource *from, uint64_t from_offset, uint64_t size)
{
    agpu_ref_mark(ref, to, to_offset, size, from->bytes != NULL ? AGPU_REF_EXACT : AGPU_REF_ANY);
    if (to->bytes == NULL || from->bytes == NULL) {
        return;
    }
    memcpy(to->bytes + to_offset, from->bytes + from_offset, (size_t)size);
    if (from->states != NULL && states_of(ref, to) != NULL) {
        memcpy(to->states + to_offset, from->states + from_offset, (size_t)size);
    }
}

/* Writes part of a resource back to its guest memory. */
static void write_back(struct agpu_ref *ref, const struct agpu_ref_resource *resource, uint64_t address,
                       uint64_t offset, uint64_t size)
{
    agpu_ref_put(ref, address + offset, resource->bytes != NULL ? resource->bytes + offset : NULL,
                 resource->states != NULL ? resource->states + offset : NULL,
                 resource->bytes != NULL ? agpu_ref_state(ref) : AGPU_REF_ANY, size);
}

void agpu_ref_open(struct agpu_ref *ref, const struct agpu_ref_resource *resource)
{
    uint64_t address;

    if (ref->config.any && backing_of(ref, resource, true, &address)) {
        agpu_ref_put(ref, address, NULL, NULL, AGPU_REF_ANY, resource->size);
    }
}

enum aerogpu_error agpu_ref_copy_buffer(struct agpu_ref *ref, const struct aerogpu_cmd_copy_buffer *cmd)
{
    struct agpu_ref_resource *to = agpu_ref_named(ref, cmd->dst_buffer);
    struct agpu_ref_resource *from = agpu_ref_named(ref, cmd->src_buffer);
    const bool back = (cmd->flags & AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0;
    uint64_t address = 0;

    if (cmd->size_bytes == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (to == NULL || from == NULL || to == from || to->texture || from->texture ||
        (cmd->flags & ~AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0 ||
        (cmd->dst_offset_bytes | cmd->src_offset_bytes | cmd->size_bytes) % 4 != 0 ||
        !inside(cmd->dst_offset_bytes, cmd->size_bytes, to->size) ||
        !inside(cmd->src_offset_bytes, cmd->size_bytes, from->size) ||
        (back && !backing_of(ref, to, true, &address))) {
        return AGPU_REF_INVALID;
    }
    copy_bytes(ref, to, cmd->dst_offset_bytes, from, cmd->src_offset_bytes, cmd->size_bytes);
    if (back) {
        write_back(ref, to, address, cmd->dst_offset_bytes, cmd->size_bytes);
    } else {
        agpu_ref_open(ref, to);
    }
    return AEROGPU_ERROR_NONE;
}

/* The rectangle of COPY_TEXTURE2D in one texture. */
struct rectangle {
    uint32_t x, y, width, height;
};

static bool covers(const struct agpu_ref_resource *texture, uint32_t mip, uint32_t layer,
                   const struct rectangle *at, struct agpu_ref_level *level)
{
    if (mip >= texture->mips || layer >= texture->layers) {
        return false;
    }
    *level = agpu_ref_level_of(texture, mip, layer);
    return inside(at->x, at->width, level->width) && inside(at->y, at->height, level->height) &&
           at->x % level->edge == 0 && at->y % level->edge == 0;
}

static bool whole_blocks(const struct agpu_ref_level *level, const struct rectangle *at)
{
    return (at->width % level->edge == 0 || at->x + at->width == level->width) &&
           (at->height % level->edge == 0 || at->y + at->height == level->height);
}

enum aerogpu_error agpu_ref_copy_texture(struct agpu_ref *ref, const struct aerogpu_cmd_copy_texture2d *cmd)
{
    struct agpu_ref_resource *to = agpu_ref_named(ref, cmd->dst_texture);
    struct agpu_ref_resource *from = agpu_ref_named(ref, cmd->src_texture);
    const struct rectangle target = {cmd->dst_x, cmd->dst_y, cmd->width, cmd->height};
    const struct rectangle source = {cmd->src_x, cmd->src_y, cmd->width, cmd->height};
    const bool back = (cmd->flags & AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0;
    struct agpu_ref_level to_level, from_level;
    uint64_t address = 0, rows, size;

    if (cmd->width == 0 || cmd->height == 0) {
        return AEROGPU_ERROR_NONE;
    }
    if (to == NULL || from == NULL || to == from || !to->texture || !from->texture ||
        to->format != from->format || (cmd->flags & ~AEROGPU_COPY_FLAG_WRITEBACK_DST) != 0 ||
        !covers(to, cmd->dst_mip_level, cmd->dst_array_layer, &target, &to_level) ||
        !covers(from, cmd->src_mip_level, cmd->src_array_layer, &source, &from_level) ||
        !whole_blocks(&to_level, &target) || !whole_blocks(&from_level, &source) ||
        (back && !backing_of(ref, to, true, &address))) {
        return AGPU_REF_INVALID;
    }
    agpu_ref_open(ref, to);
    rows = ((uint64_t)cmd->height + to_level.edge - 1) / to_level.edge;
    size = ((uint64_t)cmd->width + to_level.edge - 1) / to_level.edge * to_level.block;
    for (uint64_t row = 0; row < rows; row++) {
        const uint64_t to_offset = to_level.offset + (cmd->dst_y / to_level.edge + row) * to_level.pitch +
                                   (uint64_t)(cmd->dst_x / to_level.edge) * to_level.block;
        const uint64_t from_offset = from_level.offset +
                                     (cmd->src_y / from_level.edge + row) * from_level.pitch +
                                     (uint64_t)(cmd->src_x / from_level.edge) * from_level.block;

        copy_bytes(ref, to, to_offset, from, from_offset, size);
        if (back) {
            write_back(ref, to, address, to_offset, size);
        }
        /* The device writes the X of X8 as opaque (commands.md 6.4). */
        for (uint64_t x = 3; back && agpu_ref_is_x8(to->format) && x < size; x += 4) {
            const uint8_t opaque = 0xFF;

            agpu_ref_put(ref, address + to_offset + x, &opaque, NULL,
                         ref->config.any ? AGPU_REF_ANY : agpu_ref_state(ref), 1);
        }
    }
    return AEROGPU_ERROR_NONE;
}
