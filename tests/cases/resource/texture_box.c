/* texture_box.c: texture copies of rectangles in every corner, between textures of different sizes and pitches, of
 * texels of every size and of blocks; texels beside them must not change (commands.md 6.4). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/texture_read.h"

/* The last blocks of both sizes are partial in the same way, so that rectangles may reach both edges. */
#define SRC_WIDTH  29u
#define SRC_HEIGHT 23u
#define DST_WIDTH  33u
#define DST_HEIGHT 27u
#define BACKING    0x30u /* of the guest-backed destination */
#define KNOWN      8192u /* bytes of guest memory around it to check */

#define HOST_SOURCE  1u
#define GUEST_SOURCE 2u
#define TARGET       3u
#define HOST_TARGET  4u

struct box {
    uint8_t sx, sy, dx, dy, width, height;
};

/* For every format: whole blocks, and edges that are partial in both. */
static const struct box boxes[] = {
    {0, 0, 0, 0, 4, 4},     {24, 0, 28, 0, 5, 4},  {0, 16, 0, 20, 8, 7},  {24, 16, 28, 20, 5, 7},
    {0, 0, 28, 20, 4, 4},   {24, 16, 0, 0, 4, 4},  {4, 8, 16, 4, 12, 8},  {28, 20, 32, 24, 1, 3},
    {12, 0, 16, 4, 17, 23}, {0, 20, 4, 24, 29, 3}, {28, 0, 32, 4, 1, 23}, {0, 0, 4, 4, 29, 23},
};

/* For texel formats: at any place. */
static const struct box fine[] = {
    {0, 0, 32, 26, 1, 1}, {28, 22, 0, 0, 1, 1},  {1, 2, 3, 5, 7, 9},    {5, 0, 0, 4, 3, 23},
    {0, 11, 4, 0, 29, 1}, {28, 0, 31, 2, 1, 23}, {13, 1, 2, 26, 15, 1}, {3, 3, 20, 14, 13, 13},
};

struct box_format {
    uint32_t format;
    bool blocks;
};

static uint8_t source_rows[SRC_HEIGHT * SRC_WIDTH * 4];
static uint8_t target_rows[DST_HEIGHT * DST_WIDTH * 4];

/* Copies a box between images; pitches in bytes. */
static void move_box(uint8_t *to, uint32_t to_pitch, const uint8_t *from, uint32_t from_pitch,
                     uint32_t format, const struct box *box)
{
    const uint32_t edge = agpu_block_edge(format);
    const uint32_t bytes = agpu_block_bytes(format);

    for (uint32_t y = 0; y < agpu_block_rows(format, box->height); y++) {
        memcpy(to + (box->dy / edge + y) * to_pitch + box->dx / edge * bytes,
               from + (box->sy / edge + y) * from_pitch + box->sx / edge * bytes,
               agpu_tight_bytes(format, box->width));
    }
}

static void put_box(struct agpu_rig *r, uint32_t to, uint32_t from, const struct box *box, uint32_t flags)
{
    struct aerogpu_cmd_copy_texture2d *copy =
        agpu_put_copy_texture(r, to, from, box->width, box->height, flags);

    copy->src_x = box->sx;
    copy->src_y = box->sy;
    copy->dst_x = box->dx;
    copy->dst_y = box->dy;
}

static void put_box_textures(struct agpu_rig *r, uint32_t format, uint32_t src_pitch, uint32_t dst_pitch)
{
    const uint32_t tight = agpu_tight_bytes(format, SRC_WIDTH);
    uint8_t *guest = r->memory[1].cpu;

    agpu_fill_origin(source_rows, sizeof source_rows, 1, AGPU_FROM_SOURCE);
    agpu_fill_origin(guest, KNOWN, 2, AGPU_FROM_GUEST); /* the row padding */
    for (uint32_t y = 0; y < agpu_block_rows(format, SRC_HEIGHT); y++) {
        memcpy(guest + y * src_pitch, source_rows + y * tight, tight);
    }
    agpu_fill_origin(r->memory[0].cpu, KNOWN, 3, AGPU_FROM_DEVICE);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_rig_alloc(r, 9, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, HOST_SOURCE, format, SRC_WIDTH, SRC_HEIGHT, 0, 0);
    agpu_put_upload(r, HOST_SOURCE, 0, source_rows, tight * agpu_block_rows(format, SRC_HEIGHT));
    agpu_put_create_texture(r, GUEST_SOURCE, format, SRC_WIDTH, SRC_HEIGHT, src_pitch, 8);
    agpu_put_dirty(r, GUEST_SOURCE, 0, src_pitch * agpu_block_rows(format, SRC_HEIGHT));
    agpu_put_create_texture(r, TARGET, format, DST_WIDTH, DST_HEIGHT, dst_pitch, 9)->backing_offset_bytes =
        BACKING;
    agpu_put_dirty(r, TARGET, 0, dst_pitch * agpu_block_rows(format, DST_HEIGHT));
    agpu_put_create_texture(r, HOST_TARGET, format, DST_WIDTH, DST_HEIGHT, 0, 0);
    agpu_put_copy_texture(r, HOST_TARGET, TARGET, DST_WIDTH, DST_HEIGHT, AEROGPU_COPY_FLAG_NONE);
}

static const struct box *box_of(uint32_t number, bool blocks)
{
    const uint32_t coarse = sizeof boxes / sizeof boxes[0];

    if (number < coarse) {
        return &boxes[number];
    }
    number -= coarse;
    return !blocks && number < sizeof fine / sizeof fine[0] ? &fine[number] : NULL;
}

/* Copies of rectangles at every corner, between textures of different sizes and pitches, must change exactly their
 * texels, in guest memory and in the device. */
static void copied_boxes(struct agpu_test *t)
{
    const struct box_format *arg = t->test_case->arg;
    const uint32_t format = arg->format;
    const uint32_t src_pitch = agpu_tight_bytes(format, SRC_WIDTH) + agpu_block_bytes(format);
    const uint32_t dst_pitch = agpu_tight_bytes(format, DST_WIDTH) + 2 * agpu_block_bytes(format);
    const uint32_t tight = agpu_tight_bytes(format, DST_WIDTH);
    const uint32_t rows = agpu_block_rows(format, DST_HEIGHT);
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[0].cpu;
    uint8_t *expected = r->memory[2].cpu;
    const struct box *box;

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, format));
    put_box_textures(r, format, src_pitch, dst_pitch);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t y = 0; y < rows; y++) {
        memcpy(target_rows + y * tight, memory + BACKING + y * dst_pitch, tight);
    }
    /* One at a time with write-back: guest memory has other bytes than the device by then. */
    for (uint32_t i = 0; (box = box_of(i, arg->blocks)) != NULL; i++) {
        const uint32_t source = i % 2 == 0 ? HOST_SOURCE : GUEST_SOURCE;

        if (!executor->implicit) {
            agpu_fill_origin(memory, KNOWN, 10 + i, AGPU_FROM_GUEST);
        }
        memcpy(expected, memory, KNOWN);
        move_box(expected + BACKING, dst_pitch, source_rows, agpu_tight_bytes(format, SRC_WIDTH), format,
                 box);
        move_box(target_rows, tight, source_rows, agpu_tight_bytes(format, SRC_WIDTH), format, box);
        agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
        agpu_rig_alloc(r, 9, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
        put_box(r, TARGET, source, box, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        put_box(r, HOST_TARGET, source, box, AEROGPU_COPY_FLAG_NONE);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_origins(t, memory, expected, KNOWN,
                                              "guest memory after the write-back of a rectangle"));
    }
    /* The device's own copies of both targets. */
    agpu_reads_begin(r);
    agpu_rig_alloc(r, 9, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_texture_read(r, TARGET, format, 0, 0, DST_WIDTH, DST_HEIGHT);
    agpu_put_texture_read(r, HOST_TARGET, format, 0, 0, DST_WIDTH, DST_HEIGHT);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_texture_read(t, 0, target_rows, 0, "a guest-backed texture after copies of rectangles");
    agpu_check_texture_read(t, 1, target_rows, 0, "a host-owned texture after copies of rectangles");
}

/* Copies must work for long rows, for many rows, and for more than 64 KiB of texels. */
static void texture_long_and_tall(struct agpu_test *t)
{
    static const uint32_t sizes[][2] = {{3001, 3}, {3, 1501}, {701, 23}, {3001, 4}};
    static const uint8_t formats[] = {AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8A8_UNORM,
                                      AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_B8G8R8X8_UNORM};
    struct agpu_rig *r = agpu_rig_of(t);
    const struct agpu_dma *from = agpu_rig_more(r, 0x20000);
    const struct agpu_dma *to = agpu_rig_more(r, 0x20000);

    if (from == NULL || to == NULL) {
        agpu_error(t, "no memory for textures of more than 64 KiB");
        return;
    }
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t bytes = sizes[i][0] * sizes[i][1] * 4;

        agpu_fill_origin(from->cpu, bytes, i, AGPU_FROM_SOURCE);
        for (uint32_t x = 3; x < bytes && i == 3; x += 4) {
            ((uint8_t *)from->cpu)[x] = 0xFF; /* X is written back as this */
        }
        agpu_part(t, "%s, %ux%u", agpu_texel_name(formats[i]), sizes[i][0], sizes[i][1]);
        agpu_fill_origin(to->cpu, 0x20000, i, AGPU_FROM_GUEST);
        agpu_rig_alloc(r, 8, from, AEROGPU_ALLOC_FLAG_READONLY);
        agpu_rig_alloc(r, 9, to, AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_texture(r, 10 + i, formats[i], sizes[i][0], sizes[i][1], sizes[i][0] * 4, 8);
        agpu_put_dirty(r, 10 + i, 0, bytes);
        agpu_put_create_texture(r, 20 + i, formats[i], sizes[i][0], sizes[i][1], sizes[i][0] * 4, 9);
        agpu_put_dirty(r, 20 + i, 0, bytes);
        agpu_put_copy_texture(r, 20 + i, 10 + i, sizes[i][0], sizes[i][1], AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_origins(t, to->cpu, from->cpu, bytes, "a long or tall texture"));
        agpu_fill_origin(from->cpu, 0x20000, i, AGPU_FROM_GUEST);
        agpu_return_unless(agpu_check_origins(t, (uint8_t *)to->cpu + bytes, (uint8_t *)from->cpu + bytes,
                                              0x20000 - bytes, "guest memory behind a long or tall texture"));
    }
}

/* Given 70 uploads and copies one after the other, each copy must have the texels of its time. */
static void texture_copy_again_and_again(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t texels[64];

    agpu_reads_begin(r);
    agpu_put_create_texture(r, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0, 0);
    agpu_put_create_texture(r, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0, 0);
    for (uint32_t i = 0; i < 70; i++) {
        agpu_fill_origin(texels, sizeof texels, i, AGPU_FROM_SOURCE);
        agpu_put_upload(r, 1, 0, texels, sizeof texels);
        agpu_put_copy_texture(r, 2, 1, 4, 4, AEROGPU_COPY_FLAG_NONE);
        agpu_put_texture_read(r, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0, 0, 4, 4);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 70; i++) {
        agpu_fill_origin(texels, sizeof texels, i, AGPU_FROM_SOURCE);
        agpu_return_unless(agpu_check_texture_read(t, i, texels, 0, "one of 70 copies in a row"));
    }
}

#define BOX_NEEDS                                                                                            \
    .spec = "commands.md 6.4", .needs = AGPU_NEED_RING,                                                      \
    .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO
#define BOX_CASE(name, texel_format, of_blocks)                                                              \
    {                                                                                                        \
        .id = (name), BOX_NEEDS, .run = copied_boxes,                                                        \
        .arg = &(const struct box_format){.format = (texel_format), .blocks = (of_blocks)},                  \
    }

static const struct agpu_case resource_texture_box_cases[] = {
    BOX_CASE("texture.box.rgba", AEROGPU_FORMAT_R8G8B8A8_UNORM, false),
    BOX_CASE("texture.box.b5g6r5", AEROGPU_FORMAT_B5G6R5_UNORM, false),
    BOX_CASE("texture.box.d24s8", AEROGPU_FORMAT_D24_UNORM_S8_UINT, false),
    BOX_CASE("texture.box.bc1", AEROGPU_FORMAT_BC1_RGBA_UNORM, true),
    BOX_CASE("texture.box.bc3", AEROGPU_FORMAT_BC3_RGBA_UNORM, true),
    {.id = "texture.copy.long_and_tall", BOX_NEEDS, .run = texture_long_and_tall},
    {.id = "texture.copy.again_and_again", BOX_NEEDS, .run = texture_copy_again_and_again},
};

AGPU_CASE_TABLE(agpu_cases_resource_texture_box, resource_texture_box_cases);
