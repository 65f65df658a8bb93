/* texture_part.c: parts of big textures: subresources far after the first, copies from one subresource to another,
 * uploads of a few bytes, and new memory for a live texture (commands.md 5, 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA   AEROGPU_FORMAT_R8G8B8A8_UNORM
#define LAYERS 6u

/* Returns the offset in a square texture of this edge and number of mips, without padding. */
static uint32_t part_offset(uint32_t edge, uint32_t mips, uint32_t layer, uint32_t mip)
{
    uint32_t whole = 0;
    uint32_t before = 0;

    for (uint32_t i = 0; i < mips; i++) {
        const uint32_t texels = agpu_mip_edge(edge, i) * agpu_mip_edge(edge, i);

        before += i < mip ? texels * 4 : 0;
        whole += texels * 4;
    }
    return layer * whole + before;
}

static void part_texels(uint8_t *texels, uint32_t edge, uint32_t layer, uint32_t mip)
{
    agpu_fill_origin(texels, edge * edge * 4, 100 * layer + mip, AGPU_FROM_SOURCE);
}

/* Subresources at offsets above 64 KiB and above 1 MiB must have their own texels, also as the destination of a copy:
 * six layers of 256 x 256 with all mips; the rest is zero. */
static void far_subresources(struct agpu_test *t)
{
    enum { BIG = 256, MIPS = 9, FIRST = 4 /* 16 x 16 and smaller */ };
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_create_texture2d *texture;
    uint8_t texels[16 * 16 * 4];
    uint32_t number = 0;

    agpu_reads_begin(r);
    for (uint32_t handle = 1; handle <= 2; handle++) {
        texture = agpu_put_create_texture(r, handle, RGBA, BIG, BIG, 0, 0);
        texture->mip_levels = MIPS;
        texture->array_layers = LAYERS;
    }
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        for (uint32_t mip = FIRST; mip < MIPS; mip++) {
            const uint32_t edge = agpu_mip_edge(BIG, mip);
            struct aerogpu_cmd_copy_texture2d *copy;

            part_texels(texels, edge, layer, mip);
            agpu_put_upload(r, 1, part_offset(BIG, MIPS, layer, mip), texels, edge * edge * 4);
            copy = agpu_put_copy_texture(r, 2, 1, edge, edge, 0);
            copy->src_mip_level = copy->dst_mip_level = mip;
            copy->src_array_layer = copy->dst_array_layer = layer;
        }
    }
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        agpu_put_texture_read(r, 2, RGBA, FIRST - 1, layer, 8, 8); /* a corner of 32 x 32, empty */
        for (uint32_t mip = FIRST; mip < MIPS; mip++) {
            agpu_put_texture_read(r, 2, RGBA, mip, layer, agpu_mip_edge(BIG, mip), agpu_mip_edge(BIG, mip));
        }
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        memset(texels, 0, sizeof texels);
        agpu_return_unless(agpu_check_texture_read(t, number++, texels, 0, "an empty mip before others"));
        for (uint32_t mip = FIRST; mip < MIPS; mip++) {
            part_texels(texels, agpu_mip_edge(BIG, mip), layer, mip);
            agpu_return_unless(agpu_check_texture_read(t, number++, texels, 0, "a mip far from the first"));
        }
    }
}

/* A copy between subresources must use mip and layer of both sides: each corner goes to another mip and another
 * layer. */
static void across_subresources(struct agpu_test *t)
{
    enum { EDGE = 16, MIPS = 3 };
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_create_texture2d *texture;
    uint8_t texels[EDGE * EDGE * 4];
    uint8_t source[EDGE * EDGE * 4];
    uint32_t number = 0;

    agpu_reads_begin(r);
    for (uint32_t handle = 1; handle <= 2; handle++) {
        texture = agpu_put_create_texture(r, handle, RGBA, EDGE, EDGE, 0, 0);
        texture->mip_levels = MIPS;
        texture->array_layers = LAYERS;
    }
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        for (uint32_t mip = 0; mip < MIPS; mip++) {
            const uint32_t edge = agpu_mip_edge(EDGE, mip);

            part_texels(texels, edge, layer, mip);
            agpu_put_upload(r, 1, part_offset(EDGE, MIPS, layer, mip), texels, edge * edge * 4);
        }
    }
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        for (uint32_t mip = 0; mip < MIPS; mip++) {
            struct aerogpu_cmd_copy_texture2d *copy =
                agpu_put_copy_texture(r, 2, 1, 3, 2, AEROGPU_COPY_FLAG_NONE);

            copy->dst_mip_level = mip;
            copy->dst_array_layer = layer;
            copy->src_mip_level = (mip + 1) % MIPS;
            copy->src_array_layer = (layer + 1 + mip) % LAYERS;
            copy->src_x = 1;
            copy->dst_y = 2;
        }
    }
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        for (uint32_t mip = 0; mip < MIPS; mip++) {
            agpu_put_texture_read(r, 2, RGBA, mip, layer, agpu_mip_edge(EDGE, mip), agpu_mip_edge(EDGE, mip));
        }
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        for (uint32_t mip = 0; mip < MIPS; mip++) {
            const uint32_t edge = agpu_mip_edge(EDGE, mip);
            const uint32_t from = agpu_mip_edge(EDGE, (mip + 1) % MIPS);

            memset(texels, 0, sizeof texels);
            part_texels(source, from, (layer + 1 + mip) % LAYERS, (mip + 1) % MIPS);
            for (uint32_t y = 0; y < 2; y++) {
                memcpy(texels + (2 + y) * edge * 4, source + (y * from + 1) * 4, 12);
            }
            agpu_return_unless(
                agpu_check_texture_read(t, number++, texels, 0, "a copy from another mip and layer"));
        }
    }
}

/* Uploads of rows, and then of single bytes, into a texture must change only these bytes. MIN accepts whole rows only
 * (commands.md 6.3). */
static void upload_parts(struct agpu_test *t)
{
    enum { WIDTH = 11, HEIGHT = 9, ROW = WIDTH * 4, ALL = ROW * HEIGHT };
    static const uint16_t ranges[][2] = {{ROW, ROW},   {3 * ROW, 2 * ROW}, {ALL - ROW, ROW}, {0, ROW},
                                         {2 * ROW, 4}, {5 * ROW - 3, 7},   {6 * ROW + 5, 1}, {ALL - 1, 1},
                                         {7, 13},      {4 * ROW - 8, ROW}};
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t texels[ALL];
    uint8_t data[2 * ROW];

    agpu_return_unless(executor != NULL);
    agpu_reads_begin(r);
    agpu_fill_origin(texels, sizeof texels, 1, AGPU_FROM_DEVICE);
    agpu_put_create_texture(r, 1, RGBA, WIDTH, HEIGHT, 0, 0);
    agpu_put_upload(r, 1, 0, texels, sizeof texels);
    for (uint32_t i = 0; i < (executor->no_depth ? 4 : sizeof ranges / sizeof ranges[0]); i++) {
        agpu_fill_origin(data, sizeof data, 2 + i, AGPU_FROM_SOURCE);
        agpu_put_upload(r, 1, ranges[i][0], data, ranges[i][1]);
        memcpy(texels + ranges[i][0], data, ranges[i][1]);
    }
    agpu_put_upload(r, 1, 3, data, 16)->size_bytes = 0;
    agpu_put_texture_read(r, 1, RGBA, 0, 0, WIDTH, HEIGHT);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_texture_read(t, 0, texels, 0, "a texture after uploads of parts");
}

/* A live texture that is created again with equal properties must only be rebound: the contents stay until a dirty
 * range, and write-backs go to the new memory. Known devices refuse it (commands.md 6.1). */
static void texture_rebind(struct agpu_test *t)
{
    enum { EDGE = 8, PITCH = 40, ALL = EDGE * PITCH };
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t texels[EDGE * EDGE * 4];
    uint8_t expected[ALL + 64];
    bool passed = true;

    agpu_return_unless(executor != NULL);
    agpu_fill_origin(r->memory[0].cpu, 4096, 1, AGPU_FROM_DEVICE);
    agpu_fill_origin(texels, sizeof texels, 2, AGPU_FROM_SOURCE);
    agpu_rig_alloc(r, 7, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, PITCH, 7);
    agpu_put_dirty(r, 1, 0, ALL);
    agpu_put_create_texture(r, 2, RGBA, EDGE, EDGE, 0, 0);
    agpu_put_upload(r, 2, 0, texels, sizeof texels);
    agpu_reads_begin(r);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, EDGE, EDGE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_origin(r->memory[0].cpu, 4096, 3, AGPU_FROM_GUEST);
    agpu_fill_origin(r->memory[1].cpu, 4096, 4, AGPU_FROM_GUEST);
    agpu_put_reads_done(r);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, PITCH, 8)->backing_offset_bytes = 12;
    agpu_return_unless(t->env->model ? agpu_run_clean(t)
                                     : agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed));
    if (!passed || executor->implicit) { /* which writes whole textures back */
        return;
    }
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_texture(r, 1, 2, EDGE, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_origin(expected, sizeof expected, 4, AGPU_FROM_GUEST);
    memcpy(expected + 12, texels, EDGE * 4);
    agpu_check_origins(t, r->memory[1].cpu, expected, sizeof expected,
                       "memory that a texture was bound to anew");
    agpu_fill_origin(expected, sizeof expected, 3, AGPU_FROM_GUEST);
    agpu_check_origins(t, r->memory[0].cpu, expected, sizeof expected, "the first memory of a texture");
    /* A dirty range reads the new memory. */
    agpu_fill_origin((uint8_t *)r->memory[1].cpu + 12, ALL, 5, AGPU_FROM_DEVICE);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(r, 1, 0, ALL);
    agpu_reads_begin(r);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, EDGE, EDGE);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t y = 0; y < EDGE; y++) {
        memcpy(texels + y * EDGE * 4, (uint8_t *)r->memory[1].cpu + 12 + y * PITCH, EDGE * 4);
    }
    agpu_check_texture_read(t, 0, texels, 0, "a rebound texture after a dirty range");
}

#define PART_CASE(name, section, function)                                                                   \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case resource_texture_part_cases[] = {
    PART_CASE("texture.layout.far_subresources", "commands.md 5", far_subresources),
    PART_CASE("texture.copy.across_subresources", "commands.md 6.4", across_subresources),
    PART_CASE("texture.upload.parts", "commands.md 6.3", upload_parts),
    PART_CASE("texture.create.rebind_identical", "commands.md 6.1", texture_rebind),
};

AGPU_CASE_TABLE(agpu_cases_resource_texture_part, resource_texture_part_cases);
