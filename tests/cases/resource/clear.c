/* clear.c: CLEAR of colour targets, read back by copies, so that devices that draw nothing are tested too: values and
 * formats, slots, subresources, views, sizes, and state that must not affect a clear (commands.md 11). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM
#define SRGB AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB

/* A component value of a clear, and the value that each kind of component stores. */
struct clear_value {
    uint32_t bits;
    uint8_t unorm8, srgb8, unorm5, unorm6, unorm1;
};

enum {
    V0,
    V1,
    V025,
    V02,
    V04,
    V06,
    V08,
    V071,
    V0998,
    V0002,
    V00005,
    V0001,
    V094,
    V001,
    V002,
    V0035,
    NEGATIVE,
    TWO,
    NAN_,
    INF
};

/* None is within 1e-5 of a rounding tie. */
static const struct clear_value values[] = {
    [V0] = {0x00000000, 0, 0, 0, 0, 0},          [V1] = {0x3F800000, 255, 255, 31, 63, 1},
    [V025] = {0x3E800000, 64, 137, 8, 16, 0},    [V02] = {0x3E4CCCCD, 51, 124, 6, 13, 0},
    [V04] = {0x3ECCCCCD, 102, 170, 12, 25, 0},   [V06] = {0x3F19999A, 153, 203, 19, 38, 1},
    [V08] = {0x3F4CCCCD, 204, 231, 25, 50, 1},   [V071] = {0x3F35C28F, 181, 219, 22, 45, 1},
    [V0998] = {0x3F7F7CEE, 254, 255, 31, 63, 1}, [V0002] = {0x3B03126F, 1, 7, 0, 0, 0},
    [V00005] = {0x3A03126F, 0, 2, 0, 0, 0},      [V0001] = {0x3A83126F, 0, 3, 0, 0, 0},
    [V094] = {0x3F70A3D7, 240, 248, 29, 59, 1},  [NEGATIVE] = {0xBF400000, 0, 0, 0, 0, 0},
    [V001] = {0x3C23D70A, 3, 25, 0, 1, 0},       [V002] = {0x3CA3D70A, 5, 39, 1, 1, 0},
    [V0035] = {0x3D0F5C29, 9, 53, 1, 2, 0},      [TWO] = {0x40200000, 255, 255, 31, 63, 1}, /* 2.5 */
    [NAN_] = {0x7FC00000, 0, 0, 0, 0, 0},        [INF] = {0x7F800000, 255, 255, 31, 63, 1},
};

static const uint8_t colors[][4] = {
    {V1, V02, V04, V08},        {V0, V0, V0, V0},         {V0998, V0002, V071, V025},
    {NEGATIVE, TWO, NAN_, V04}, {V00005, V0001, V06, V1}, {TWO, V094, V1, NEGATIVE},
    {V025, V04, V02, V06},      {V1, V1, V1, V1},         {INF, V08, NEGATIVE, NAN_},
    {V001, V002, V0035, V06},
};
#define COLORS (sizeof colors / sizeof colors[0])

static void put_clear_flags(struct agpu_rig *r, uint32_t flags, const uint8_t color[4])
{
    struct aerogpu_cmd_clear *packet = agpu_rig_packet(r, AEROGPU_CMD_CLEAR, sizeof *packet);

    packet->flags = flags;
    for (uint32_t i = 0; i < 4; i++) {
        packet->color_rgba_f32[i] = values[color[i]].bits;
    }
    packet->depth_f32 = values[V025].bits;
    packet->stencil = 0x77;
}

/* Returns the texel of a target in this format after a clear, as bytes. */
static uint32_t cleared_texel(uint32_t format, const uint8_t color[4])
{
    const struct clear_value *r = &values[color[0]];
    const struct clear_value *g = &values[color[1]];
    const struct clear_value *b = &values[color[2]];
    const struct clear_value *a = &values[color[3]];

    switch (format) {
    case AEROGPU_FORMAT_B8G8R8A8_UNORM:
        return b->unorm8 | (uint32_t)g->unorm8 << 8 | (uint32_t)r->unorm8 << 16 | (uint32_t)a->unorm8 << 24;
    case AEROGPU_FORMAT_B8G8R8X8_UNORM:
        return b->unorm8 | (uint32_t)g->unorm8 << 8 | (uint32_t)r->unorm8 << 16 | 0xFFu << 24;
    case AEROGPU_FORMAT_R8G8B8A8_UNORM:
        return r->unorm8 | (uint32_t)g->unorm8 << 8 | (uint32_t)b->unorm8 << 16 | (uint32_t)a->unorm8 << 24;
    case AEROGPU_FORMAT_R8G8B8X8_UNORM:
        return r->unorm8 | (uint32_t)g->unorm8 << 8 | (uint32_t)b->unorm8 << 16 | 0xFFu << 24;
    case AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB:
        return b->srgb8 | (uint32_t)g->srgb8 << 8 | (uint32_t)r->srgb8 << 16 | (uint32_t)a->unorm8 << 24;
    case AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB:
        return b->srgb8 | (uint32_t)g->srgb8 << 8 | (uint32_t)r->srgb8 << 16 | 0xFFu << 24;
    case AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB:
        return r->srgb8 | (uint32_t)g->srgb8 << 8 | (uint32_t)b->srgb8 << 16 | (uint32_t)a->unorm8 << 24;
    case AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB:
        return r->srgb8 | (uint32_t)g->srgb8 << 8 | (uint32_t)b->srgb8 << 16 | 0xFFu << 24;
    case AEROGPU_FORMAT_B5G6R5_UNORM:
        return (uint32_t)(b->unorm5 | g->unorm6 << 5 | r->unorm5 << 11);
    default: /* B5G5R5A1 */
        return (uint32_t)(b->unorm5 | g->unorm5 << 5 | r->unorm5 << 10 | a->unorm1 << 15);
    }
}

/* Returns unpadded texels of one value. */
static const void *clear_image(uint32_t texel, uint32_t bytes, uint32_t texels)
{
    static uint8_t image[64 * 64 * 4];

    for (uint32_t i = 0; i < texels; i++) {
        memcpy(image + i * bytes, &texel, bytes);
    }
    return image;
}

/* Clears targets of one format to each colour in several sizes: one texel, odd sizes, more than 4 KiB. */
static void clear_format(struct agpu_test *t, uint32_t format)
{
    static const uint32_t sizes[][2] = {{5, 3}, {1, 1}, {2, 1}, {33, 37}, {7, 5}};
    const uint32_t bytes = agpu_block_bytes(format);
    const uint32_t tolerance =
        format >= AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB ? 1 : 0; /* the encoding is not exact */
    struct agpu_rig *r = agpu_rig_of(t);
    uint32_t read;

    agpu_reads_begin(r);
    for (uint32_t i = 0; i < 5; i++) {
        agpu_put_target(r, 1 + i, format, sizes[i][0], sizes[i][1]);
    }
    for (uint32_t c = 0; c < COLORS; c++) {
        const uint32_t size = c % 5;

        agpu_put_targets(r, 1 + size, 0);
        put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[c]);
        agpu_put_texture_read(r, 1 + size, format, 0, 0, sizes[size][0], sizes[size][1]);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (read = 0; read < COLORS; read++) {
        const uint32_t size = read % 5;
        const uint32_t texel = cleared_texel(format, colors[read]);

        if (!agpu_check_texture_read(t, read, clear_image(texel, bytes, sizes[size][0] * sizes[size][1]),
                                     tolerance, "cleared target")) {
            break;
        }
    }
    for (uint32_t i = 0; i < 5; i++) {
        agpu_put_destroy(r, 1 + i);
    }
    agpu_put_reads_done(r);
    agpu_run_clean(t);
}

/* A clear of RGBA and RGBX targets must store each colour, at each size. */
static void clear_rgba(struct agpu_test *t)
{
    clear_format(t, AEROGPU_FORMAT_R8G8B8A8_UNORM);
    clear_format(t, AEROGPU_FORMAT_R8G8B8X8_UNORM);
}

/* A clear of BGRA and BGRX targets must store each colour, at each size. */
static void clear_bgra(struct agpu_test *t)
{
    clear_format(t, AEROGPU_FORMAT_B8G8R8A8_UNORM);
    clear_format(t, AEROGPU_FORMAT_B8G8R8X8_UNORM);
}

/* A clear of sRGB targets must store the encoded colour. */
static void clear_srgb(struct agpu_test *t)
{
    for (uint32_t format = AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB; format <= AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
         format++) {
        clear_format(t, format);
    }
}

/* A clear of 16-bit targets must store the colour at their precision. */
static void clear_16_bit(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, AEROGPU_FORMAT_B5G6R5_UNORM));
    clear_format(t, AEROGPU_FORMAT_B5G6R5_UNORM);
    clear_format(t, AEROGPU_FORMAT_B5G5R5A1_UNORM);
}

/* ---- slots ---- */

static void put_slots(struct agpu_rig *r, uint32_t mask)
{
    struct aerogpu_cmd_set_render_targets *packet =
        agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *packet);

    for (uint32_t i = 0; i < 8; i++) {
        if (mask >> i & 1) {
            packet->colors[i] = 1 + i;
            packet->color_count = i + 1;
        }
    }
}

/* A clear must reach every bound target and no other, including the last slot and slots after gaps. */
static void clear_slots(struct agpu_test *t)
{
    static const uint8_t masks[] = {0xFF, 0x80, 0x81, 0xAA, 0x02, 0x55, 0xC4, 0x01, 0x00};
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t last[8];

    agpu_return_unless(executor != NULL);
    if (executor->implicit) {
        agpu_skip_because(t, AGPU_SKIP_NO_TARGETS,
                          "the device clears the first target only, as one known executor does");
        return;
    }
    for (uint32_t i = 0; i < 8; i++) {
        agpu_put_target(r, 1 + i, RGBA, 5, 5);
        last[i] = 1; /* zeros */
    }
    for (uint32_t m = 0; m < sizeof masks; m++) {
        const uint8_t color = m % 2 == 0 ? 2 : 6;

        if (masks[m] == 0 && (executor->no_depth || executor->six_layers)) {
            break; /* some devices report an error for a clear without a target (commands.md 11) */
        }

        agpu_reads_begin(r);
        put_slots(r, masks[m]);
        put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[color]);
        for (uint32_t i = 0; i < 8; i++) {
            last[i] = masks[m] >> i & 1 ? color : last[i];
            agpu_put_texture_read(r, 1 + i, RGBA, 0, 0, 5, 5);
        }
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t i = 0; i < 8; i++) {
            static const char *const names[8] = {"target in slot 0", "target in slot 1", "target in slot 2",
                                                 "target in slot 3", "target in slot 4", "target in slot 5",
                                                 "target in slot 6", "target in slot 7"};

            agpu_return_unless(agpu_check_texture_read(
                t, i, clear_image(cleared_texel(RGBA, colors[last[i]]), 4, 25), 0, names[i]));
        }
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* Given targets of different formats, each must store the clear colour in its own format. */
static void clear_mixed_formats(struct agpu_test *t)
{
    enum { FORMATS = 10 }; /* each beside three others, and first once */
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, AEROGPU_FORMAT_B5G6R5_UNORM));
    for (uint32_t first = 0; first < FORMATS; first++) {
        agpu_reads_begin(r);
        for (uint32_t i = 0; i < 4; i++) {
            agpu_put_target(r, 1 + i, 1 + (first + 3 * i) % FORMATS, 5, 5);
        }
        put_slots(r, 15);
        put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[6]);
        for (uint32_t i = 0; i < 4; i++) {
            agpu_put_texture_read(r, 1 + i, 1 + (first + 3 * i) % FORMATS, 0, 0, 5, 5);
        }
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t format = 1 + (first + 3 * i) % FORMATS;
            const bool srgb = format >= AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB;

            agpu_return_unless(agpu_check_texture_read(
                t, i, clear_image(cleared_texel(format, colors[6]), agpu_block_bytes(format), 25), srgb,
                "one of four targets of different formats"));
            agpu_put_destroy(r, 1 + i);
        }
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* ---- subresources ---- */

#define WIDTH  9u
#define HEIGHT 9u
#define MIPS   4u

static uint32_t clear_layers(const struct agpu_executor *executor)
{
    return executor->six_layers ? 6 : 3;
}

/* Texture 1 with every subresource filled; known_texels[] has its packed bytes, `pitch` is that of mip 0. */
static uint8_t known_texels[6 * (HEIGHT * 64 + 4 * 4 * 4 + 2 * 2 * 4 + 4)];

static uint32_t clear_offset(uint32_t pitch, uint32_t layer, uint32_t mip)
{
    const uint32_t sizes[MIPS] = {HEIGHT * pitch, 4 * 4 * 4, 2 * 2 * 4, 4};
    uint32_t offset = layer * (sizes[0] + sizes[1] + sizes[2] + sizes[3]);

    for (uint32_t i = 0; i < mip; i++) {
        offset += sizes[i];
    }
    return offset;
}

static void put_known_texture(struct agpu_rig *r, uint32_t pitch, uint32_t layers)
{
    struct aerogpu_cmd_create_texture2d *texture = agpu_put_target(r, 1, RGBA, WIDTH, HEIGHT);

    texture->mip_levels = MIPS;
    texture->array_layers = layers;
    texture->row_pitch_bytes = pitch;
    agpu_fill_origin(known_texels, sizeof known_texels, 9, AGPU_FROM_DEVICE);
    for (uint32_t layer = 0; layer < layers; layer++) {
        for (uint32_t mip = 0; mip < MIPS; mip++) {
            const uint32_t edge = agpu_mip_edge(WIDTH, mip);
            const uint32_t bytes = mip == 0 ? HEIGHT * pitch : edge * edge * 4;
            const uint32_t at = clear_offset(pitch, layer, mip);

            agpu_put_upload(r, 1, at, known_texels + at, bytes);
        }
    }
}

/* Checks that the cleared subresource has the colour, and every other one its own bytes. */
static bool check_known_texture(struct agpu_test *t, uint32_t pitch, uint32_t layers, uint32_t cleared_layer,
                                uint32_t cleared_mip, uint32_t texel, uint32_t tolerance)
{
    uint8_t rows[WIDTH * HEIGHT * 4];
    uint32_t number = 0;

    for (uint32_t layer = 0; layer < layers; layer++) {
        for (uint32_t mip = 0; mip < MIPS; mip++, number++) {
            const bool cleared = layer == cleared_layer && mip == cleared_mip;
            const uint32_t edge = agpu_mip_edge(WIDTH, mip);
            const uint32_t from = mip == 0 ? pitch : edge * 4;

            for (uint32_t y = 0; y < edge; y++) {
                memcpy(rows + y * edge * 4, known_texels + clear_offset(pitch, layer, mip) + y * from,
                       edge * 4);
            }
            if (!agpu_check_texture_read(
                    t, number, cleared ? clear_image(texel, 4, edge * edge) : rows, cleared ? tolerance : 0,
                    cleared ? "the cleared subresource" : "a subresource beside the cleared one")) {
                return false;
            }
        }
    }
    return true;
}

static void put_known_reads(struct agpu_rig *r, uint32_t layers)
{
    for (uint32_t layer = 0; layer < layers; layer++) {
        for (uint32_t mip = 0; mip < MIPS; mip++) {
            agpu_put_texture_read(r, 1, RGBA, mip, layer, agpu_mip_edge(WIDTH, mip),
                                  agpu_mip_edge(HEIGHT, mip));
        }
    }
}

/* A clear of a texture bound as target must change mip 0 of layer 0 only. */
static void clear_one_subresource(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL);
    if (executor->no_depth) {
        agpu_skip_because(t, AGPU_SKIP_EXECUTOR,
                          "the device has targets of one mip only, as one known executor does");
        return;
    }
    for (uint32_t pitch = WIDTH * 4; pitch <= 64; pitch += 64 - WIDTH * 4) {
        agpu_reads_begin(r);
        put_known_texture(r, pitch, clear_layers(executor));
        agpu_put_targets(r, 1, 0);
        put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[2]);
        put_known_reads(r, clear_layers(executor));
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(
            check_known_texture(t, pitch, clear_layers(executor), 0, 0, cleared_texel(RGBA, colors[2]), 0));
        agpu_put_destroy(r, 1);
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* A clear through a view must reach the view's subresource only: of smaller mips, later layers, and with the sRGB or
 * linear reading of the format. */
static void clear_views(struct agpu_test *t)
{
    static const struct {
        uint32_t mip, layer, format;
    } views[] = {{1, 0, RGBA}, {0, 1, RGBA}, {3, 2, RGBA}, {2, 1, SRGB}, {0, 0, SRGB}};
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL);
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS));
    for (uint32_t i = 0; i < sizeof views / sizeof views[0]; i++) {
        struct aerogpu_cmd_create_texture_view *view;

        agpu_reads_begin(r);
        put_known_texture(r, 64, clear_layers(executor));
        view = agpu_put_view(r, 20, 1, views[i].format);
        view->base_mip_level = views[i].mip;
        view->base_array_layer = views[i].layer;
        agpu_put_targets(r, 20, 0);
        put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[6]);
        put_known_reads(r, clear_layers(executor));
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(check_known_texture(t, 64, clear_layers(executor), views[i].layer, views[i].mip,
                                               cleared_texel(views[i].format, colors[6]),
                                               views[i].format == SRGB ? 1 : 0));
        agpu_put_targets(r, 0, 0);
        agpu_put_destroy(r, 1);
        ((struct aerogpu_cmd_destroy_texture_view *)agpu_rig_packet(
             r, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, sizeof(struct aerogpu_cmd_destroy_texture_view)))
            ->view_handle = 20;
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* ---- state that must not affect a clear ---- */

/* Viewport, scissor, blending and masks must not affect a clear. */
static void clear_ignores_state(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL);
    agpu_reads_begin(r);
    agpu_put_target(r, 1, RGBA, 21, 19);
    agpu_put_targets(r, 1, 0);
    /* In sequence, each state reset before the next; each clear has another colour. */
    agpu_put_viewport(r, &(struct agpu_viewport){3, 2, 5, 4, 0, 1});
    put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[0]);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, 21, 19);
    agpu_put_viewport(r, &(struct agpu_viewport){0, 0, 21, 19, 0, 1});
    agpu_put_blend(r)->color_write_mask = 0;
    put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[2]);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, 21, 19);
    agpu_put_blend(r)->color_write_mask = 5;
    put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[4]);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, 21, 19);
    agpu_put_blend(r)->sample_mask = 0;
    put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[6]);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, 21, 19);
    agpu_put_blend(r)->enable = 1;
    put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[5]);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, 21, 19);
    agpu_put_blend(r);
    agpu_put_rasterizer(r)->scissor_enable = executor->six_layers ? 0 : 1;
    agpu_put_scissor(r, 4, 3, 6, 5);
    put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[2]);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, 21, 19);
    /* No flag, and flags of targets that are not bound. */
    put_clear_flags(r, 0, colors[0]);
    put_clear_flags(r, AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL, colors[0]);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, 21, 19);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 7; i++) {
        static const uint8_t expected[7] = {0, 2, 4, 6, 5, 2, 2};
        static const char *const names[7] = {"clear under a small viewport",
                                             "clear under a write mask of 0",
                                             "clear under a write mask of 5",
                                             "clear under a sample mask of 0",
                                             "clear under blending",
                                             "clear under a scissor",
                                             "clear without the flag of colour"};

        agpu_return_unless(agpu_check_texture_read(
            t, i, clear_image(cleared_texel(RGBA, colors[expected[i]]), 4, 21 * 19), 0, names[i]));
    }
}

/* Given 70 clears of the same target, a copy after each must read its colour. */
static void clear_again_and_again(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_reads_begin(r);
    agpu_put_target(r, 1, RGBA, 3, 3);
    agpu_put_targets(r, 1, 0);
    for (uint32_t i = 0; i < 70; i++) {
        put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[i * 2 % 7]);
        agpu_put_texture_read(r, 1, RGBA, 0, 0, 3, 3);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 70; i++) {
        agpu_return_unless(agpu_check_texture_read(
            t, i, clear_image(cleared_texel(RGBA, colors[i * 2 % 7]), 4, 9), 0, "one of 70 clears"));
    }
}

/* A clear of a guest-backed target may or may not change its memory, but must not change its row padding or bytes after
 * it. */
static void clear_guest_backed(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    const uint32_t texel = cleared_texel(RGBA, colors[6]);
    const uint32_t pitch = 48;
    uint8_t *memory = r->memory[0].cpu;
    uint8_t *expected = r->memory[2].cpu;
    uint32_t first;

    agpu_reads_begin(r);
    agpu_fill_origin(memory, r->memory[0].size, 5, AGPU_FROM_DEVICE);
    memcpy(expected, memory, r->memory[0].size);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, RGBA, 9, 7, pitch, 10)->usage_flags |= AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    agpu_put_dirty(r, 1, 0, 7 * pitch);
    agpu_put_targets(r, 1, 0);
    put_clear_flags(r, AEROGPU_CLEAR_COLOR, colors[6]);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, 9, 7);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_texture_read(t, 0, clear_image(texel, 4, 63), 0, "a cleared guest-backed target");
    memcpy(&first, memory, sizeof first);
    for (uint32_t y = 0; y < 7 && first == texel; y++) { /* written back by the device: permitted */
        memcpy(expected + y * pitch, clear_image(texel, 4, 9), 36);
    }
    agpu_check_origins(t, memory, expected, r->memory[0].size, "guest memory of a cleared target");
}

#define CLEAR_CASE(name, section, function)                                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_TRANSFER,      \
        .run = (function)                                                                                    \
    }

static const struct agpu_case resource_clear_cases[] = {
    CLEAR_CASE("render.clear.rgba", "commands.md 11", clear_rgba),
    CLEAR_CASE("render.clear.bgra", "commands.md 11", clear_bgra),
    CLEAR_CASE("render.clear.srgb", "commands.md 11", clear_srgb),
    CLEAR_CASE("render.clear.sixteen_bit", "commands.md 11", clear_16_bit),
    CLEAR_CASE("render.clear.slots", "commands.md 11", clear_slots),
    CLEAR_CASE("render.clear.mixed_formats", "commands.md 11", clear_mixed_formats),
    CLEAR_CASE("render.clear.one_subresource", "commands.md 11", clear_one_subresource),
    CLEAR_CASE("render.clear.views", "commands.md 15", clear_views),
    CLEAR_CASE("render.clear.ignores_state", "commands.md 11", clear_ignores_state),
    CLEAR_CASE("render.clear.again_and_again", "commands.md 11", clear_again_and_again),
    CLEAR_CASE("render.clear.guest_backed", "commands.md 6.4", clear_guest_backed),
};

AGPU_CASE_TABLE(agpu_cases_resource_clear, resource_clear_cases);
