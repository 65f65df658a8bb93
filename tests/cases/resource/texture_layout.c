/* texture_layout.c: the place of each texel in each mip and layer of every format, in uploads, in guest memory and in
 * write-backs: odd sizes, partial blocks, padded rows, backing offsets (commands.md 5, 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA    AEROGPU_FORMAT_R8G8B8A8_UNORM
#define TEXTURE 1u
#define SOURCE  2u
#define ALLOC   9u
#define BACKING 0x204u /* of the guest-backed texture */
#define KNOWN   8192u  /* bytes of guest memory around it to check */

struct texture_shape {
    uint32_t width, height, mips, layers;
    uint32_t padding; /* bytes after each row of mip 0 */
};

/* Six layers and squares, or one layer: every known executor accepts these. */
static const struct texture_shape shapes[] = {{13, 13, 4, 6, 0}, {21, 13, 5, 1, 0}, {5, 21, 5, 1, 0}};
static const struct texture_shape padded[] = {{13, 13, 4, 6, 20}, {21, 13, 5, 1, 12}, {7, 17, 5, 1, 4}};
static const struct texture_shape seven_layers = {6, 5, 3, 7, 0};

/* The packed bytes of the texture under test. */
static uint8_t packed[8192];

static uint32_t shape_pitch(const struct texture_shape *s, uint32_t format, uint32_t mip)
{
    return agpu_tight_bytes(format, agpu_mip_edge(s->width, mip)) + (mip == 0 ? s->padding : 0);
}

static uint32_t shape_bytes(const struct texture_shape *s, uint32_t format, uint32_t mip)
{
    return shape_pitch(s, format, mip) * agpu_block_rows(format, agpu_mip_edge(s->height, mip));
}

static uint32_t shape_offset(const struct texture_shape *s, uint32_t format, uint32_t layer, uint32_t mip)
{
    uint32_t whole = 0;
    uint32_t before = 0;

    for (uint32_t i = 0; i < s->mips; i++) {
        before += i < mip ? shape_bytes(s, format, i) : 0;
        whole += shape_bytes(s, format, i);
    }
    return layer * whole + before;
}

static uint32_t shape_total(const struct texture_shape *s, uint32_t format)
{
    return shape_offset(s, format, s->layers, 0);
}

/* Fills in bytes that are valid texels of any format; depths of D32 are 0.5 and above. */
static void fill_texels(uint8_t *bytes, uint32_t size, uint32_t format, uint32_t seed,
                        enum agpu_origin origin)
{
    agpu_fill_origin(bytes, size, seed, origin);
    for (uint32_t at = 0; at + 4 <= size && format == AEROGPU_FORMAT_D32_FLOAT; at += 4) {
        bytes[at + 3] = 0x3F;
        bytes[at + 2] &= 0x7F;
    }
}

static void put_shape(struct agpu_rig *r, uint32_t handle, const struct texture_shape *s, uint32_t format,
                      uint32_t backing)
{
    struct aerogpu_cmd_create_texture2d *texture =
        agpu_put_create_texture(r, handle, format, s->width, s->height, shape_pitch(s, format, 0), backing);

    texture->mip_levels = s->mips;
    texture->array_layers = s->layers;
    texture->backing_offset_bytes = backing != 0 ? BACKING : 0;
}

static void put_shape_uploads(struct agpu_rig *r, uint32_t handle, const struct texture_shape *s,
                              uint32_t format, const uint8_t *bytes)
{
    for (uint32_t layer = 0; layer < s->layers; layer++) {
        for (uint32_t mip = 0; mip < s->mips; mip++) {
            const uint32_t at = shape_offset(s, format, layer, mip);

            agpu_put_upload(r, handle, at, bytes + at, shape_bytes(s, format, mip));
        }
    }
}

static void put_shape_reads(struct agpu_rig *r, uint32_t handle, const struct texture_shape *s,
                            uint32_t format)
{
    agpu_reads_begin(r);
    for (uint32_t layer = 0; layer < s->layers; layer++) {
        for (uint32_t mip = 0; mip < s->mips; mip++) {
            agpu_put_texture_read(r, handle, format, mip, layer, agpu_mip_edge(s->width, mip),
                                  agpu_mip_edge(s->height, mip));
        }
    }
}

/* Sets the X bytes as a write-back does: FF (commands.md 6.4). Reads of devices other than our model ignore them. */
static void set_x_bytes(uint8_t *bytes, uint32_t size, uint32_t format)
{
    if (format == AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
        format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB || format == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB) {
        for (uint32_t i = 3; i < size; i += 4) {
            bytes[i] = 0xFF;
        }
    }
}

/* Checks that every read has the texels that the packed bytes have at its subresource. */
static bool check_shape_reads(struct agpu_test *t, const struct texture_shape *s, uint32_t format,
                              const uint8_t *bytes, const char *what)
{
    uint8_t rows[21 * 17 * 4];
    uint32_t number = 0;

    for (uint32_t layer = 0; layer < s->layers; layer++) {
        for (uint32_t mip = 0; mip < s->mips; mip++, number++) {
            const uint32_t tight = agpu_tight_bytes(format, agpu_mip_edge(s->width, mip));
            const uint32_t count = agpu_block_rows(format, agpu_mip_edge(s->height, mip));

            for (uint32_t y = 0; y < count; y++) {
                memcpy(rows + y * tight,
                       bytes + shape_offset(s, format, layer, mip) + y * shape_pitch(s, format, mip), tight);
            }
            set_x_bytes(rows, count * tight, format);
            if (!agpu_check_texture_read(t, number, rows, 0, what)) {
                return false;
            }
        }
    }
    return true;
}

static bool shape_end(struct agpu_test *t)
{
    agpu_put_destroy(agpu_rig_of(t), TEXTURE);
    agpu_put_destroy(agpu_rig_of(t), SOURCE);
    agpu_put_reads_done(agpu_rig_of(t));
    return agpu_run_clean(t);
}

/* ---- uploads ---- */

static bool upload_shape(struct agpu_test *t, const struct texture_shape *s, uint32_t format)
{
    struct agpu_rig *r = agpu_rig_of(t);

    fill_texels(packed, shape_total(s, format), format, format, AGPU_FROM_SOURCE);
    put_shape(r, TEXTURE, s, format, 0);
    put_shape_uploads(r, TEXTURE, s, format, packed);
    put_shape_reads(r, TEXTURE, s, format);
    return agpu_run_clean(t) && check_shape_reads(t, s, format, packed, "an uploaded texture") &&
           shape_end(t);
}

/* ---- guest memory ---- */

static bool guest_shape(struct agpu_test *t, const struct texture_shape *s, uint32_t format)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = (uint8_t *)r->memory[0].cpu + BACKING;
    const uint32_t total = shape_total(s, format);
    const uint32_t from = shape_bytes(s, format, 0) / 2 & ~3u; /* from the middle of the first mip */

    agpu_fill_origin(r->memory[0].cpu, KNOWN, 8, AGPU_FROM_GUEST);
    fill_texels(memory, total, format, format, AGPU_FROM_DEVICE);
    agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
    put_shape(r, TEXTURE, s, format, ALLOC);
    agpu_put_dirty(r, TEXTURE, 0, total);
    put_shape_reads(r, TEXTURE, s, format);
    if (!agpu_run_clean(t) || !check_shape_reads(t, s, format, memory, "a texture of guest memory")) {
        return false;
    }
    /* One range from there to the last subresource, and then the last one alone. */
    for (uint32_t round = 0; round < 2; round++) {
        const uint32_t last = shape_offset(s, format, s->layers - 1, s->mips - 1);
        const uint32_t begin = round == 0 ? from : last;
        const uint32_t end = round == 0 ? last : total;

        agpu_put_reads_done(r);
        if (!agpu_run_clean(t)) {
            return false;
        }
        fill_texels(memory + begin, end - begin, format, 40 + round, AGPU_FROM_SOURCE);
        agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_READONLY);
        agpu_put_dirty(r, TEXTURE, begin, end - begin);
        put_shape_reads(r, TEXTURE, s, format);
        if (!agpu_run_clean(t) ||
            !check_shape_reads(t, s, format, memory, "a texture after a dirty range over subresources")) {
            return false;
        }
    }
    return shape_end(t);
}

/* ---- write-back ---- */

/* Copies and writes back every subresource: one submission each for the first and the last, and one for all others. Row
 * padding and memory beside the texture must not change. */
static bool write_back_shape(struct agpu_test *t, const struct agpu_executor *executor,
                             const struct texture_shape *s, uint32_t format)
{
    const uint32_t count = s->mips * s->layers;
    struct agpu_rig *r = agpu_rig_of(t);
    struct texture_shape tight = *s;
    uint8_t *memory = r->memory[0].cpu;
    uint8_t *expected = r->memory[2].cpu;

    tight.padding = 0;
    agpu_fill_origin(memory, KNOWN, 8, AGPU_FROM_GUEST);
    fill_texels(memory + BACKING, shape_total(s, format), format, 9, AGPU_FROM_DEVICE);
    fill_texels(packed, shape_total(s, format), format, format, AGPU_FROM_SOURCE);
    agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    put_shape(r, SOURCE, &tight, format, 0);
    put_shape_uploads(r, SOURCE, &tight, format, packed);
    put_shape(r, TEXTURE, s, format, ALLOC);
    agpu_put_dirty(r, TEXTURE, 0, shape_total(s, format));
    put_shape_reads(r, TEXTURE, s, format); /* the device has it now */
    if (!agpu_run_clean(t)) {
        return false;
    }
    if (!executor->implicit) {
        agpu_fill_origin(memory, KNOWN, 10, AGPU_FROM_GUEST);
    }
    memcpy(expected, memory, KNOWN);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t layer = i / s->mips;
        const uint32_t mip = i % s->mips;
        const uint32_t width = agpu_mip_edge(s->width, mip);
        const uint32_t height = agpu_mip_edge(s->height, mip);
        const uint32_t row_bytes = agpu_tight_bytes(format, width);
        struct aerogpu_cmd_copy_texture2d *copy =
            agpu_put_copy_texture(r, TEXTURE, SOURCE, width, height, AEROGPU_COPY_FLAG_WRITEBACK_DST);

        copy->src_mip_level = mip;
        copy->dst_mip_level = mip;
        copy->src_array_layer = layer;
        copy->dst_array_layer = layer;
        for (uint32_t y = 0; y < agpu_block_rows(format, height); y++) {
            memcpy(expected + BACKING + shape_offset(s, format, layer, mip) + y * shape_pitch(s, format, mip),
                   packed + shape_offset(&tight, format, layer, mip) + y * row_bytes, row_bytes);
        }
        if (i == 0 || i + 2 >= count) {
            agpu_rig_alloc(r, ALLOC, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
            if (!agpu_run_clean(t) ||
                !agpu_check_origins(
                    t, memory, expected, r->memory[0].size,
                    "guest memory after write-backs of subresources, from 204h before the texture")) {
                return false;
            }
        }
    }
    return shape_end(t);
}

/* ---- the cases ---- */

enum layout_way { UPLOADED, OF_GUEST, WRITTEN_BACK };

struct layout_case {
    enum layout_way way;
    uint8_t formats[9]; /* 0 ends the list */
};

static void begin_shape(struct agpu_test *t, const struct texture_shape *s, uint32_t format)
{
    agpu_part(t, "format %s, %ux%u", agpu_texel_name(format), s->width, s->height);
}

static bool layout_shape(struct agpu_test *t, const struct agpu_executor *executor, enum layout_way way,
                         uint32_t format)
{
    if (way == UPLOADED) {
        for (unsigned i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
            begin_shape(t, &shapes[i], format);
            if (!upload_shape(t, &shapes[i], format)) {
                return false;
            }
        }
        begin_shape(t, &seven_layers, format);
        return executor->six_layers || upload_shape(t, &seven_layers, format);
    }
    for (unsigned i = 0; i < sizeof padded / sizeof padded[0]; i++) {
        begin_shape(t, &padded[i], format);
        if (!agpu_time_left(t) || !(way == OF_GUEST ? guest_shape(t, &padded[i], format)
                                                    : write_back_shape(t, executor, &padded[i], format))) {
            return false;
        }
    }
    return true;
}

/* Given textures of odd sizes with several mips and layers, each texel must be at the documented place in uploads, in
 * guest memory or after write-backs. */
static void texture_layout_run(struct agpu_test *t)
{
    const struct layout_case *layout = t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, layout->formats[0]));
    if (layout->way == WRITTEN_BACK && executor->first_only) {
        agpu_skip_because(t, AGPU_SKIP_NO_WRITE_BACK,
                          "the device writes back mip 0 of layer 0 only, as one known executor does");
        return;
    }
    for (unsigned i = 0; i < sizeof layout->formats && layout->formats[i] != 0; i++) {
        agpu_return_unless(layout_shape(t, executor, layout->way, layout->formats[i]));
    }
}

/* ---- backing offsets ---- */

#define SMALL_EDGE   8u
#define SMALL_PITCH  40u
#define SMALL_BYTES  (SMALL_EDGE * SMALL_PITCH)
#define SMALL_FIRST  32u
#define MEMORY_BYTES (0x21000u)

/* Textures at several offsets in one allocation must each read and write exactly their own rows. */
static void texture_backing_offsets(struct agpu_test *t)
{
    static const uint32_t offsets[] = {0x0000,
                                       0x0404,
                                       0x0FFC,
                                       0x1801,
                                       0x2FE0,
                                       0x4002,
                                       0x7FFF,
                                       0x10404,
                                       0x11801,
                                       0x14002,
                                       MEMORY_BYTES - SMALL_BYTES};
    const uint32_t count = sizeof offsets / sizeof offsets[0];
    struct agpu_rig *r = agpu_rig_of(t);
    const struct agpu_executor *executor = agpu_executor_of(t);
    const struct agpu_dma *memory;
    struct agpu_dma *expected;
    uint8_t tight[SMALL_EDGE * SMALL_EDGE * 4];

    agpu_return_unless(executor != NULL);
    memory = agpu_rig_more(r, MEMORY_BYTES);
    expected = agpu_rig_more(r, MEMORY_BYTES);
    if (memory == NULL || expected == NULL) {
        agpu_error(t, "no memory for an allocation above 128 KiB");
        return;
    }
    agpu_fill_origin(memory->cpu, MEMORY_BYTES, 1, AGPU_FROM_DEVICE);
    agpu_rig_alloc(r, ALLOC, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_reads_begin(r);
    agpu_put_create_texture(r, SOURCE, RGBA, SMALL_EDGE, SMALL_EDGE, 0, 0);
    agpu_fill_origin(tight, sizeof tight, 2, AGPU_FROM_SOURCE);
    agpu_put_upload(r, SOURCE, 0, tight, sizeof tight);
    for (uint32_t i = 0; i < count; i++) {
        agpu_put_create_texture(r, SMALL_FIRST + i, RGBA, SMALL_EDGE, SMALL_EDGE, SMALL_PITCH, ALLOC)
            ->backing_offset_bytes = offsets[i];
        agpu_put_dirty(r, SMALL_FIRST + i, 0, SMALL_BYTES);
        agpu_put_texture_read(r, SMALL_FIRST + i, RGBA, 0, 0, SMALL_EDGE, SMALL_EDGE);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t y = 0; y < SMALL_EDGE; y++) {
            memcpy(tight + y * SMALL_EDGE * 4, (uint8_t *)memory->cpu + offsets[i] + y * SMALL_PITCH,
                   SMALL_EDGE * 4);
        }
        agpu_return_unless(agpu_check_texture_read(t, i, tight, 0, "a texture at a backing offset"));
    }
    if (!executor->implicit) {
        agpu_fill_origin(memory->cpu, MEMORY_BYTES, 3, AGPU_FROM_GUEST);
    }
    memcpy(expected->cpu, memory->cpu, MEMORY_BYTES);
    agpu_fill_origin(tight, sizeof tight, 2, AGPU_FROM_SOURCE);
    agpu_rig_alloc(r, ALLOC, memory, AEROGPU_ALLOC_FLAG_NONE);
    for (uint32_t i = 0; i < count; i++) {
        agpu_put_copy_texture(r, SMALL_FIRST + i, SOURCE, SMALL_EDGE, SMALL_EDGE,
                              AEROGPU_COPY_FLAG_WRITEBACK_DST);
        for (uint32_t y = 0; y < SMALL_EDGE; y++) {
            memcpy((uint8_t *)expected->cpu + offsets[i] + y * SMALL_PITCH, tight + y * SMALL_EDGE * 4,
                   SMALL_EDGE * 4);
        }
    }
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, memory->cpu, expected->cpu, MEMORY_BYTES,
                       "guest memory after write-backs at backing offsets");
}

#define LAYOUT_CASE(name, section, kind, ...)                                                                \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = texture_layout_run,        \
        .arg = &(const struct layout_case){.way = (kind), .formats = {__VA_ARGS__}},                         \
    }
#define ALL_32   1, 2, 3, 4, 7, 8, 9, 10
#define ALL_16   AEROGPU_FORMAT_B5G6R5_UNORM, AEROGPU_FORMAT_B5G5R5A1_UNORM
#define ALL_DEEP AEROGPU_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D32_FLOAT
#define ALL_BC   64, 65, 66, 67, 68, 69, 70, 71
#define SOME_32  AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB
#define SOME_BC  AEROGPU_FORMAT_BC1_RGBA_UNORM, AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB

static const struct agpu_case resource_texture_layout_cases[] = {
    /* First: the reads of the other cases depend on it. */
    {.id = "texture.backing.offsets",
     .spec = "commands.md 6.1",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = texture_backing_offsets},
    LAYOUT_CASE("texture.layout.colors", "commands.md 5", UPLOADED, ALL_32),
    LAYOUT_CASE("texture.layout.sixteen_bit", "commands.md 5", UPLOADED, ALL_16),
    LAYOUT_CASE("texture.layout.depth", "commands.md 5", UPLOADED, ALL_DEEP),
    LAYOUT_CASE("texture.layout.blocks", "commands.md 5", UPLOADED, ALL_BC),
    LAYOUT_CASE("texture.guest.colors", "commands.md 6.2", OF_GUEST, SOME_32),
    LAYOUT_CASE("texture.guest.sixteen_bit", "commands.md 6.2", OF_GUEST, ALL_16),
    LAYOUT_CASE("texture.guest.depth", "commands.md 6.2", OF_GUEST, ALL_DEEP),
    LAYOUT_CASE("texture.guest.blocks", "commands.md 6.2", OF_GUEST, SOME_BC),
    LAYOUT_CASE("texture.writeback.colors", "commands.md 6.4", WRITTEN_BACK, SOME_32),
    LAYOUT_CASE("texture.writeback.sixteen_bit", "commands.md 6.4", WRITTEN_BACK, ALL_16),
    LAYOUT_CASE("texture.writeback.depth", "commands.md 6.4", WRITTEN_BACK, ALL_DEEP),
    LAYOUT_CASE("texture.writeback.blocks", "commands.md 6.4", WRITTEN_BACK, SOME_BC),
};

AGPU_CASE_TABLE(agpu_cases_resource_texture_layout, resource_texture_layout_cases);
