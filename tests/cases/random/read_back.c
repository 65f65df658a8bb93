/* read_back.c: copies resources to guest memory, where the comparison sees their contents (commands.md 6.4). */
#include "tests/cases/random/read_back.h"

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"

#define READ_BACK_REGION 3u
#define READ_BACK_MAX    0xC000u
#define READ_STREAM_MAX  0x4000u

/* Creates a resource over the read-back memory, for one submission. */
static struct agpu_gen_resource read_back_target(struct agpu_gen *g, uint32_t *alloc_id)
{
    *alloc_id = 0xFFFFFF00u - agpu_gen_below(g, 64);
    return (struct agpu_gen_resource){.handle = agpu_gen_resource_handle(g), .alloc = -1};
}

static void put_read_back_entry(struct agpu_gen *g, uint32_t alloc_id)
{
    agpu_gen_entry_add(
        g->program,
        &(struct agpu_gen_entry){.id = alloc_id, .region = READ_BACK_REGION, .size = AGPU_GEN_READ_BACK});
}

static void put_read_back_end(struct agpu_gen *g, uint32_t handle)
{
    if (agpu_gen_may(g, AGPU_GEN_CHOICE_GUEST_COPY)) {
        struct aerogpu_cmd_destroy_resource *packet = agpu_gen_packet(g, AEROGPU_CMD_DESTROY_RESOURCE);

        packet->resource_handle = handle;
        agpu_gen_retire(g, handle);
    } else {
        g->gone_handle = handle;
    }
}

static void read_buffer(struct agpu_gen *g, const struct agpu_gen_resource *buffer)
{
    struct aerogpu_cmd_create_buffer *create;
    struct aerogpu_cmd_copy_buffer *copy;
    uint32_t alloc_id;
    const struct agpu_gen_resource to = read_back_target(g, &alloc_id);
    const uint64_t size = buffer->size > READ_BACK_MAX ? READ_BACK_MAX : buffer->size;

    agpu_gen_entry(g, buffer->alloc);
    put_read_back_entry(g, alloc_id);
    create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_BUFFER);
    create->buffer_handle = to.handle;
    create->size_bytes = size;
    create->backing_alloc_id = alloc_id;
    copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_BUFFER);
    copy->dst_buffer = to.handle;
    copy->src_buffer = buffer->original_gone ? buffer->alias : buffer->handle;
    copy->size_bytes = size;
    copy->src_offset_bytes = buffer->size - size;
    copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    put_read_back_end(g, to.handle);
    agpu_gen_close(g, true);
}

/* Reads all subresources of the texture that fit, each into a texture of its own size. */
static void read_texture(struct agpu_gen *g, const struct agpu_gen_resource *texture)
{
    uint32_t used = 0;

    agpu_gen_close(g, true);
    for (uint32_t i = 0; i < texture->mips * texture->layers && agpu_gen_open(g)->bytes < READ_STREAM_MAX;
         i++) {
        const uint32_t mip = i % texture->mips, layer = i / texture->mips;
        const uint32_t pitch = agpu_gen_tight(texture->format, texture->width, mip);
        const uint32_t size = pitch * agpu_gen_rows(texture->format, texture->height, mip);
        struct aerogpu_cmd_create_texture2d *create;
        struct aerogpu_cmd_copy_texture2d *copy;
        uint32_t alloc_id;
        const struct agpu_gen_resource to = read_back_target(g, &alloc_id);

        if (used + size > READ_BACK_MAX || (i > 0 && !agpu_gen_may(g, AGPU_GEN_CHOICE_GUEST_COPY))) {
            break;
        }
        alloc_id = 0xFFFFFE00u; /* one entry for all of them */
        if (i == 0) {
            agpu_gen_entry(g, texture->alloc);
            put_read_back_entry(g, alloc_id);
        }
        create = agpu_gen_packet(g, AEROGPU_CMD_CREATE_TEXTURE2D);
        create->texture_handle = to.handle;
        create->format = texture->format->number;
        create->width = agpu_gen_mip(texture->width, mip);
        create->height = agpu_gen_mip(texture->height, mip);
        create->mip_levels = create->array_layers = 1;
        create->row_pitch_bytes = pitch;
        create->backing_alloc_id = alloc_id;
        create->backing_offset_bytes = used;
        copy = agpu_gen_packet(g, AEROGPU_CMD_COPY_TEXTURE2D);
        copy->dst_texture = to.handle;
        copy->src_texture = texture->original_gone ? texture->alias : texture->handle;
        copy->src_mip_level = mip;
        copy->src_array_layer = layer;
        copy->width = agpu_gen_mip(texture->width, mip);
        copy->height = agpu_gen_mip(texture->height, mip);
        copy->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
        put_read_back_end(g, to.handle);
        used += size;
    }
    agpu_gen_close(g, true);
}

static void read_resource(struct agpu_gen *g, const struct agpu_gen_resource *resource)
{
    if (agpu_gen_apart(g, AEROGPU_FEATURE_TRANSFER)) {
        return;
    }
    if (agpu_gen_one_in(g, 4)) { /* bytes that are not written keep their value */
        struct agpu_gen_step *step;

        agpu_gen_close(g, true);
        step = agpu_gen_do(g, AGPU_GEN_FILL);
        step->region = READ_BACK_REGION;
        step->value = 0x400;
        step->fence = agpu_gen_random_u64(&g->random);
    }
    agpu_gen_close(g, false);
    if (resource->texture) {
        read_texture(g, resource);
    } else {
        read_buffer(g, resource);
    }
}

void agpu_gen_read_back(struct agpu_gen *g)
{
    const struct agpu_gen_resource *resource = agpu_gen_pick(g, 0);

    if (resource != NULL) {
        read_resource(g, resource);
    }
}

void agpu_gen_read_all(struct agpu_gen *g)
{
    for (uint32_t i = 0; i < AGPU_GEN_RESOURCES; i++) {
        if (g->resources[i].handle != 0) {
            read_resource(g, &g->resources[i]);
        }
    }
}
