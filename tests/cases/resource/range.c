/* range.c: sums and products of packet fields that exceed 32 bits, and blocks that are partial in only one of two
 * textures: refused, each alone in its submission (commands.md 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA  AEROGPU_FORMAT_R8G8B8A8_UNORM
#define FRESH 20u
#define ALLOC 10u

/* Returns true if the stream is refused; with `tolerated`, a device like a known executor may accept it. */
static bool range_refused(struct agpu_test *t, const char *what, uint32_t number, bool tolerated)
{
    const unsigned failed = t->failed_checks;
    bool passed;
    const bool ok = tolerated ? agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed)
                              : agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);

    if (!ok && t->failed_checks != failed) {
        agpu_check_place(t, what, number, 0, 1); /* names the failing one */
    }
    return ok;
}

/* A texture must be refused if it does not fit into its 64 KiB of backing, although a sum or product of its fields does
 * in 32 bits. */
static void sizes_beyond_backing(struct agpu_test *t)
{
    static const struct {
        uint32_t format, width, height, mips, layers, pitch, offset;
    } textures[] = {
        {RGBA, 4096, 4096, 1, 64, 16384, 0},
        {RGBA, 4096, 4096, 1, 65, 16384, 0},
        {RGBA, 16, 16, 1, 0x00400001, 64, 0},
        {RGBA, 16, 16, 1, 0x80000000, 64, 0},
        {RGBA, 16, 0x04000001, 1, 1, 64, 0},
        {RGBA, 0x40000000, 1, 1, 1, 4, 0},
        {RGBA, 0x40000001, 1, 1, 1, 64, 0},
        {AEROGPU_FORMAT_B5G6R5_UNORM, 0x80000001, 1, 1, 1, 64, 0},
        {AEROGPU_FORMAT_BC1_RGBA_UNORM, 0x80000000, 4, 1, 1, 64, 0},
        {AEROGPU_FORMAT_BC1_RGBA_UNORM, UINT32_MAX, 4, 1, 1, 64, 0},
        {AEROGPU_FORMAT_BC3_RGBA_UNORM, 4, UINT32_MAX, 1, 1, 16, 0},
        {RGBA, 16, 16, 1, 1, 0x40000000, 0},
        {RGBA, 16, 16, 1, 1, 64, 0xFFFFFC00},
        {RGBA, 16, 16, 1, 1, 64, 0xFFFFFE00},
        {RGBA, 16, 16, 1, 1, 64, 0x80000000},
    };
    struct agpu_rig *r = agpu_rig_of(t);

    for (uint32_t i = 0; i < sizeof textures / sizeof textures[0]; i++) {
        struct aerogpu_cmd_create_texture2d *create;

        agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
        create = agpu_put_create_texture(r, FRESH, textures[i].format, textures[i].width, textures[i].height,
                                         textures[i].pitch, ALLOC);
        create->mip_levels = textures[i].mips;
        create->array_layers = textures[i].layers;
        create->backing_offset_bytes = textures[i].offset;
        agpu_return_unless(range_refused(t, "texture beyond its backing, number", i, false));
    }
}

/* A buffer that does not fit into its backing must be refused, although its numbers fit in 32 bits. */
static void offsets_beyond_backing(struct agpu_test *t)
{
    static const struct {
        uint64_t size;
        uint32_t offset;
    } buffers[] = {
        {0x200, 0xFFFFFF00},
        {0x100, 0xFFFFFF00},
        {4, 0xFFFFFFFC},
        {4, 0x80000000},
        {AGPU_RIG_MEMORY_BYTES, 4},
        {UINT64_C(0x100000000), 0},
        {UINT64_C(0x100000040), 0},
        {UINT64_C(0x8000000000000000), 0},
        {UINT64_MAX - 3, 0x100},
        {UINT64_C(0xFFFFFFFFFFFFFF00), 0x100},
        {UINT64_C(0xFFFFFFFFFFFFFF00), 0x200},
    };
    struct agpu_rig *r = agpu_rig_of(t);

    for (uint32_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_buffer(r, FRESH, buffers[i].size, ALLOC, buffers[i].offset);
        agpu_return_unless(range_refused(t, "buffer beyond its backing, number", i, false));
    }
}

/* A texture may have as many mips as its longer edge gives, width or height; one more must be refused. */
static void mips_of_both_edges(struct agpu_test *t)
{
    static const struct {
        uint32_t width, height, mips;
    } chains[] = {{64, 4, 7}, {4, 64, 7}, {1, 33, 6}, {33, 1, 6}, {1, 1, 1}, {5, 8, 4}, {8, 5, 4}};
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL);
    for (uint32_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        agpu_put_create_texture(r, FRESH, RGBA, chains[i].width, chains[i].height, 0, 0)->mip_levels =
            chains[i].mips;
        agpu_put_destroy(r, FRESH);
        agpu_return_unless(agpu_run_clean(t));
        agpu_put_create_texture(r, FRESH, RGBA, chains[i].width, chains[i].height, 0, 0)->mip_levels =
            chains[i].mips + 1;
        agpu_return_unless(range_refused(t, "one mip too many, chain", i, executor->implicit));
        agpu_put_destroy(r, FRESH); /* on devices that cut the chain */
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* Textures as large as Direct3D 10 permits must work: edges of 8192 texels, 512 layers. */
static void largest_edges(struct agpu_test *t)
{
    static const uint32_t sizes[][3] = {{8192, 4, 1}, {4, 8192, 1}, {4, 4, 512}};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS | AGPU_ASKS_MIP_READ));
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t x = sizes[i][0] - 4, y = sizes[i][1] - 4, layer = sizes[i][2] - 1;
        struct aerogpu_cmd_copy_texture2d *copy;
        uint8_t texels[4 * 4 * 4];

        agpu_fill_pattern(texels, sizeof texels, 60 + i);
        agpu_put_create_texture(r, 1, RGBA, sizes[i][0], sizes[i][1], 0, 0)->array_layers = sizes[i][2];
        agpu_put_create_texture(r, 2, RGBA, 4, 4, 0, 0);
        agpu_put_upload(r, 2, 0, texels, sizeof texels);
        copy = agpu_put_copy_texture(r, 1, 2, 4, 4, 0);
        copy->dst_x = x;
        copy->dst_y = y;
        copy->dst_array_layer = layer;
        agpu_put_create_texture(r, 3, RGBA, 4, 4, 0, 0);
        copy = agpu_put_copy_texture(r, 3, 1, 4, 4, 0);
        copy->src_x = x;
        copy->src_y = y;
        copy->src_array_layer = layer;
        agpu_reads_begin(r);
        agpu_put_texture_read(r, 3, RGBA, 0, 0, 4, 4);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_texture_read(t, 0, texels, 0, "the last corner of a large texture"));
        for (uint32_t handle = 1; handle <= 3; handle++) {
            agpu_put_destroy(r, handle);
        }
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* A rectangle that ends inside a block must be refused unless both textures end there (commands.md 6.4). */
static void copied_block_edges(struct agpu_test *t)
{
    static const uint32_t formats[] = {AEROGPU_FORMAT_BC1_RGBA_UNORM, AEROGPU_FORMAT_BC3_RGBA_UNORM};
    static const struct {
        uint32_t dst, src, dst_x, dst_y, src_x, src_y, width, height;
    } rects[] = {
        /* 1 has 14x14 texels, 2 has 16x16, 3 has 10x10 */
        {2, 1, 0, 0, 0, 0, 14, 12}, {2, 1, 0, 0, 0, 0, 12, 14}, {1, 2, 0, 0, 0, 0, 14, 12},
        {1, 2, 0, 0, 0, 0, 12, 14}, {1, 2, 12, 0, 4, 0, 2, 4},  {2, 1, 4, 0, 12, 0, 2, 4},
        {2, 1, 0, 4, 0, 12, 4, 2},  {1, 2, 0, 12, 0, 4, 4, 2},  {1, 3, 0, 0, 0, 0, 10, 8},
        {3, 1, 0, 0, 0, 0, 8, 10},  {3, 1, 8, 0, 8, 0, 2, 4},   {3, 1, 0, 8, 0, 8, 4, 2},
    };
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL);
    for (uint32_t f = 0; f < 2; f++) {
        for (uint32_t i = 1; i <= 3; i++) {
            const uint32_t edge = i == 1 ? 14 : i == 2 ? 16 : 10;

            agpu_put_create_texture(r, i, formats[f], edge, edge, 0, 0);
        }
        agpu_part(t, "format %s", agpu_texel_name(formats[f]));
        agpu_put_copy_texture(r, 2, 1, 12, 12, 0); /* valid: whole blocks, and the edges of both */
        agpu_put_copy_texture(r, 1, 3, 4, 8, 0)->src_y = 0;
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t i = f; i < sizeof rects / sizeof rects[0]; i += 2) {
            struct aerogpu_cmd_copy_texture2d *copy =
                agpu_put_copy_texture(r, rects[i].dst, rects[i].src, rects[i].width, rects[i].height, 0);

            copy->dst_x = rects[i].dst_x;
            copy->dst_y = rects[i].dst_y;
            copy->src_x = rects[i].src_x;
            copy->src_y = rects[i].src_y;
            agpu_return_unless(range_refused(t, "copy that cuts a block, rectangle", i, executor->implicit));
        }
        for (uint32_t i = 1; i <= 3; i++) {
            agpu_put_destroy(r, i);
        }
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* A rectangle whose origin wraps in 32 bits must be refused. */
static void copied_origins_wrap(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_create_texture(r, 1, RGBA, 16, 16, 0, 0);
    agpu_put_create_texture(r, 2, RGBA, 16, 16, 0, 0);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 8; i++) {
        struct aerogpu_cmd_copy_texture2d *copy = agpu_put_copy_texture(r, 1, 2, 8, 8, 0);
        uint32_t *const origins[] = {&copy->dst_x, &copy->dst_y, &copy->src_x, &copy->src_y};

        if (i < 4) {
            *origins[i] = 0u - 4;
        } else { /* the size itself */
            *origins[i % 4] = 8;
            copy->width = i % 2 ? 8 : 0u - 4;
            copy->height = i % 2 ? 0u - 4 : 8;
        }
        agpu_return_unless(range_refused(t, "copy with a sum that wraps, number", i, false));
    }
}

/* Our model must accept a resource without usage or with unknown usage bits; another device may refuse it. The next
 * buffer must work. */
static void any_usage(struct agpu_test *t)
{
    static const uint32_t usages[] = {0, 0x100, 0x80000000, UINT32_MAX}, words[] = {1, 2, 3, 4};
    struct agpu_rig *r = agpu_rig_of(t);
    bool refused;

    for (uint32_t i = 0; i < sizeof usages / sizeof usages[0]; i++) {
        agpu_put_create_buffer(r, 1 + i, 64, 0, 0)->usage_flags = usages[i];
        agpu_put_create_texture(r, 10 + i, RGBA, 4, 4, 0, 0)->usage_flags = usages[i];
    }
    agpu_return_unless(agpu_run_unsettled(t, &refused));
    agpu_choice(t, "usage_without_meaning", refused ? "refused" : "taken");
    agpu_put_filled_buffer(r, FRESH, words, sizeof words);
    agpu_put_readback(r, FRESH, 0, sizeof words);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_readback(t, words, sizeof words);
}

/* A write-back of a rectangle in a later mip of a later layer must reach its place and nothing else. */
static void writeback_in_mip(struct agpu_test *t)
{
    enum { SIZE = 32, KNOWN = 16384 };
    static const struct {
        uint32_t format, x, y, width, height;
    } parts[] = {{RGBA, 1, 2, 5, 3},
                 {AEROGPU_FORMAT_B5G6R5_UNORM, 3, 1, 7, 5},
                 {AEROGPU_FORMAT_BC1_RGBA_UNORM, 4, 8, 8, 4},
                 {AEROGPU_FORMAT_D24_UNORM_S8_UINT, 2, 5, 3, 4}};
    static uint8_t expected[KNOWN];
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_LAYERS | AGPU_ASKS_MIP_READ | AGPU_ASKS_BLOCK_READ |
                                        AGPU_ASKS_DEPTH_READ | AGPU_ASKS_OTHER_SIZES));
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const uint32_t format = parts[i].format, edge = agpu_block_edge(format),
                       block = agpu_block_bytes(format);
        const uint32_t pitch[2] = {agpu_tight_bytes(format, SIZE) + 64, agpu_tight_bytes(format, SIZE / 2)};
        const uint32_t mip0 = pitch[0] * agpu_block_rows(format, SIZE);
        const uint32_t mip1 = pitch[1] * agpu_block_rows(format, SIZE / 2);
        const uint32_t row = (parts[i].width / edge) * block, rows = parts[i].height / edge;
        struct aerogpu_cmd_create_texture2d *create;
        struct aerogpu_cmd_copy_texture2d *copy;
        uint8_t texels[SIZE * SIZE];

        agpu_fill_pattern(texels, row * rows, 70 + i);
        memset(r->memory[0].cpu, 0xE7, KNOWN);
        memset(expected, 0xE7, KNOWN);
        agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
        create = agpu_put_create_texture(r, 1, format, SIZE, SIZE, pitch[0], ALLOC);
        create->mip_levels = 2;
        create->array_layers = 2;
        create->backing_offset_bytes = 12;
        agpu_put_create_texture(r, 2, format, parts[i].width, parts[i].height, 0, 0);
        agpu_put_upload(r, 2, 0, texels, row * rows);
        for (uint32_t layer = 0; layer < 2; layer++) {
            copy = agpu_put_copy_texture(r, 1, 2, parts[i].width, parts[i].height,
                                         AEROGPU_COPY_FLAG_WRITEBACK_DST);
            copy->dst_mip_level = 1;
            copy->dst_array_layer = layer;
            copy->dst_x = parts[i].x;
            copy->dst_y = parts[i].y;
            for (uint32_t y = 0; y < rows; y++) {
                memcpy(expected + 12 + layer * (mip0 + mip1) + mip0 + (parts[i].y / edge + y) * pitch[1] +
                           parts[i].x / edge * block,
                       texels + y * row, row);
            }
        }
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_memory(t, r->memory[0].cpu, expected, KNOWN,
                                             "memory past parts of later mips that were written back",
                                             AGPU_HERE));
        agpu_put_destroy(r, 1);
        agpu_put_destroy(r, 2);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* A rectangle that fits into mip 0 but not into the smaller mip that is named must be refused, for source and
 * destination. */
static void copied_beyond_mips(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL);
    for (uint32_t handle = 1; handle <= 2; handle++) {
        agpu_put_create_texture(r, handle, RGBA, 16, 16, 0, 0)->mip_levels = 3;
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 8; i++) {
        struct aerogpu_cmd_copy_texture2d *copy =
            agpu_put_copy_texture(r, 1, 2, i % 2 ? 2 : 5, i % 2 ? 5 : 2, 0);

        *(i / 2 % 2 ? &copy->dst_mip_level : &copy->src_mip_level) = i < 4 ? 2 : 1;
        if (i >= 4) { /* by its origin */
            *(i / 2 % 2 ? i % 2 ? &copy->dst_y : &copy->dst_x : i % 2 ? &copy->src_y : &copy->src_x) = 4;
        }
        agpu_return_unless(range_refused(t, "copy beyond a smaller mip, number", i, false));
    }
}

#define RANGE_CASE(name, section, function)                                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case resource_range_cases[] = {
    RANGE_CASE("buffer.create.offsets_beyond_backing", "commands.md 6.1", offsets_beyond_backing),
    RANGE_CASE("texture.create.sizes_beyond_backing", "commands.md 6.1", sizes_beyond_backing),
    RANGE_CASE("texture.create.mips_of_both_edges", "commands.md 6.1", mips_of_both_edges),
    RANGE_CASE("buffer.create.any_usage", "commands.md 6.1", any_usage),
    RANGE_CASE("texture.writeback.part_of_mip", "commands.md 6.4", writeback_in_mip),
    RANGE_CASE("texture.create.largest_edges", "commands.md 16", largest_edges),
    RANGE_CASE("texture.copy.beyond_mips", "commands.md 6.4", copied_beyond_mips),
    RANGE_CASE("texture.copy.origins_wrap", "commands.md 6.4", copied_origins_wrap),
    RANGE_CASE("texture.copy.cut_blocks", "commands.md 6.4", copied_block_edges),
};

AGPU_CASE_TABLE(agpu_cases_resource_range, resource_range_cases);
