/* texture.c: samplers, mips, views, and the formats that shaders read (commands.md 5, 10). */
#include <string.h>

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/texel.h"

#define EDGE    AGPU_EDGE
#define RGBA    AEROGPU_FORMAT_R8G8B8A8_UNORM
#define PS      AEROGPU_SHADER_STAGE_PIXEL
#define NEAREST AEROGPU_SAMPLER_FILTER_NEAREST
#define LINEAR  AEROGPU_SAMPLER_FILTER_LINEAR
#define CLAMP   AEROGPU_SAMPLER_ADDRESS_CLAMP_TO_EDGE

/* A texture of 2x2, and the result of each addressing mode. */
static const uint32_t four[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE, AGPU_WHITE};

static uint32_t four_squares(uint32_t x, uint32_t y)
{
    return four[(x >= 8) + 2 * (y >= 8)];
}

static uint32_t four_clamped(uint32_t x, uint32_t y)
{
    return four[(x >= 4) + 2 * (y >= 4)];
}

static uint32_t four_repeated(uint32_t x, uint32_t y)
{
    return four[(x / 4 & 1) + 2 * (y / 4 & 1)];
}

static uint32_t four_mirrored(uint32_t x, uint32_t y)
{
    return four[(x >= 4 && x < 12) + 2 * (y >= 4 && y < 12)];
}

static void put_four_textures(struct agpu_test *t)
{
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, 2, 2, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 30, 0, four, sizeof four);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
}

/* A sampler with NEAREST must give each quarter of the target the colour of its texel. */
static void render_texture_nearest(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    put_four_textures(t);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, NEAREST, CLAMP);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, four_squares, 0);
}

/* Without a sampler, the shader must sample the texture as with NEAREST. */
static void unbound_sampler(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    put_four_textures(t);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, four_squares, 0);
}

/* Clamped, repeated and mirrored coordinates must each select the right texels. */
static void render_texture_addresses(struct agpu_test *t)
{
    static agpu_expected *const images[] = {four_clamped, four_repeated, four_mirrored};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_5_0, 2);
    put_four_textures(t);
    for (uint32_t mode = 0; mode < 3; mode++) {
        agpu_put_sampler(agpu_rig_of(t), 0, 50 + mode, NEAREST, mode);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect(t, images[mode], 0));
    }
}

/* u repeats while v is clamped. */
static uint32_t four_apart(uint32_t x, uint32_t y)
{
    return four[(x / 4 & 1) + (y < 4 ? 0 : 2)];
}

/* Given REPEAT in u and CLAMP in v, the sampler must apply each mode to its own axis, also after it is created anew. */
static void addresses_apart(struct agpu_test *t)
{
    struct aerogpu_cmd_create_sampler *create;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 2);
    put_four_textures(t);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, NEAREST, CLAMP);
    create = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_CREATE_SAMPLER, sizeof *create); /* replaces it */
    create->sampler_handle = 50;
    create->filter = NEAREST;
    create->address_u = AEROGPU_SAMPLER_ADDRESS_REPEAT;
    create->address_v = create->address_w = CLAMP;
    agpu_put_sampler_slot(agpu_rig_of(t), PS, 0, 50);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, four_apart, 0);
}

/* A bound sampler that is created again, without another binding, must apply to the next draw. */
static void sampler_created_again(struct agpu_test *t)
{
    static agpu_expected *const images[] = {four_repeated, four_mirrored, four_clamped};
    static const uint32_t modes[] = {AEROGPU_SAMPLER_ADDRESS_REPEAT, AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT,
                                     CLAMP};
    struct aerogpu_cmd_create_sampler *create;

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 2);
    put_four_textures(t);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, NEAREST, CLAMP);
    agpu_put_draw(agpu_rig_of(t), 4);
    for (uint32_t i = 0; i < 3; i++) {
        create = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_CREATE_SAMPLER, sizeof *create);
        create->sampler_handle = 50;
        create->filter = NEAREST;
        create->address_u = create->address_v = create->address_w = modes[i];
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect(t, images[i], 0));
    }
}

/* Lists without elements between binding and draw must change nothing. */
static void empty_lists(struct agpu_test *t)
{
    static const float blue[4] = {0, 0, 1, 1};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 2);
    put_four_textures(t);
    agpu_put_sampler(r, 0, 50, NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_put_empty_lists(r, PS);
    agpu_put_draw(r, 4);
    agpu_return_unless(agpu_expect(t, four_repeated, 0));
    agpu_scene_pixel(t, &agpu_ps_constant_5_0);
    agpu_put_filled_buffer(r, 40, blue, sizeof blue);
    agpu_put_constants(r, PS, 0, 40, 0, 0);
    agpu_put_empty_lists(r, PS);
    agpu_put_draw(r, 3);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

/* Two texels, black and white; their centres are at columns 4 and 12 of the target. */
static uint32_t render_texture_ramp(uint32_t x, uint32_t y)
{
    uint32_t s = 2 * x + 1; /* of 32; centres at 8 and 24 */
    uint32_t v = s <= 8 ? 0 : s >= 24 ? 255 : ((s - 8) * 255 + 8) / 16;

    (void)y;
    return AGPU_RGBA(v, v, v, 255);
}

/* A sampler with LINEAR must interpolate between two texels across. */
static void render_texture_linear(struct agpu_test *t)
{
    static const uint32_t two[] = {AGPU_RGBA(0, 0, 0, 255), AGPU_WHITE};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, 2, 1, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 30, 0, two, sizeof two);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, LINEAR, CLAMP);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, render_texture_ramp, 2);
}

/* The ramp rotated by a quarter. */
static uint32_t render_texture_fall(uint32_t x, uint32_t y)
{
    return render_texture_ramp(y, x);
}

/* A sampler with LINEAR must interpolate between two texels downward. */
static void linear_down(struct agpu_test *t)
{
    static const uint32_t two[] = {AGPU_RGBA(0, 0, 0, 255), AGPU_WHITE};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, 1, 2, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 30, 0, two, sizeof two);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, LINEAR, CLAMP);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, render_texture_fall, 2);
}

/* Coordinates from -1.5 to 2.5, four texels of the target per texel of the texture, with each pair of modes. */
static uint32_t mode_u, mode_v;

static uint32_t addressed(uint32_t place, uint32_t mode)
{
    int texel = (int)place / 2 - 3; /* of 2 */

    switch (mode) {
    case AEROGPU_SAMPLER_ADDRESS_REPEAT:
        return (uint32_t)texel & 1;
    case AEROGPU_SAMPLER_ADDRESS_MIRROR_REPEAT:
        return ((uint32_t)(texel + 8) & 3) == 1 || ((uint32_t)(texel + 8) & 3) == 2;
    default:
        return texel > 0;
    }
}

static uint32_t four_addressed(uint32_t x, uint32_t y)
{
    return four[addressed(x, mode_u) + 2 * addressed(y, mode_v)];
}

/* Given coordinates far outside, each pair of address modes must select the right texels in u and v. */
static void addresses_far(struct agpu_test *t)
{
    const float vertices[4][6] = {{-1, 1, 0, 1, -1.5f, -1.5f},
                                  {1, 1, 0, 1, 2.5f, -1.5f},
                                  {-1, -1, 0, 1, -1.5f, 2.5f},
                                  {1, -1, 0, 1, 2.5f, 2.5f}};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_upload(agpu_rig_of(t), AGPU_VERTICES, 0, vertices, sizeof vertices);
    put_four_textures(t);
    for (uint32_t i = 0; i < 9; i++) {
        struct aerogpu_cmd_create_sampler *create =
            agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_CREATE_SAMPLER, sizeof *create);

        create->sampler_handle = 50;
        create->filter = NEAREST;
        create->address_u = mode_u = i % 3;
        create->address_v = mode_v = i / 3;
        create->address_w = (i + 1) % 3;
        agpu_put_sampler_slot(agpu_rig_of(t), PS, 0, 50);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect(t, four_addressed, 0));
    }
}

/* Given textures and samplers in different slots, the shader must read each texture from its own slot. */
static void render_texture_slots(struct agpu_test *t)
{
    static const uint32_t texels[2] = {AGPU_RED, AGPU_GREEN};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_two_textures_4_0, 1);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_put_create_texture(agpu_rig_of(t), 30 + i, RGBA, 1, 1, 0, 0);
        agpu_put_upload(agpu_rig_of(t), 30 + i, 0, &texels[i], 4);
        agpu_put_texture_slot(agpu_rig_of(t), PS, 1 + 2 * i, 30 + i);
        agpu_put_sampler(agpu_rig_of(t), 2 * i, 50 + i, NEAREST, CLAMP);
    }
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, agpu_expected_red_green, 0);
}

/* A shader that samples an empty slot must get zeros. */
static void unbound_texture(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_clear_color(agpu_rig_of(t), 1, 1, 1, 1);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* Creates 4x4 red, 2x2 green, 1x1 blue. */
static void put_mips(struct agpu_test *t)
{
    uint32_t texels[21];

    for (uint32_t i = 0; i < 21; i++) {
        texels[i] = i < 16 ? AGPU_RED : i < 20 ? AGPU_GREEN : AGPU_BLUE;
    }
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, 4, 4, 0, 0)->mip_levels = 3;
    agpu_put_upload(agpu_rig_of(t), 30, 0, texels, 64);
    agpu_put_upload(agpu_rig_of(t), 30, 64, texels + 16, 16);
    agpu_put_upload(agpu_rig_of(t), 30, 80, texels + 20, 4);
}

/* A shader that samples an explicit mip level must get the colour of that level. */
static void render_texture_mips(struct agpu_test *t)
{
    static const uint32_t colors[] = {AGPU_RED, AGPU_GREEN, AGPU_BLUE};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_sample_level_4_0, 1);
    put_mips(t);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, NEAREST, CLAMP);
    agpu_put_filled_buffer(agpu_rig_of(t), 40, NULL, 16);
    agpu_put_constants(agpu_rig_of(t), PS, 0, 40, 0, 16);
    for (uint32_t i = 0; i < 3; i++) {
        const float level[4] = {(float)i, 0, 0, 0};

        agpu_put_upload(agpu_rig_of(t), 40, 0, level, sizeof level);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_return_unless(agpu_expect_all(t, colors[i], 0));
    }
}

/* The mip must follow the size: one texel per texel of the target reads mip 0, four each way read mip 2. */
static void mip_by_size(struct agpu_test *t)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 4);
    put_mips(t);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, NEAREST, AEROGPU_SAMPLER_ADDRESS_REPEAT);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, AGPU_RED, 0));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 16);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_BLUE, 0);
}

/* Mip 1 of layer 1, drawn through one view, must be readable through another. */
static void view_of_mip_and_layer(struct agpu_test *t)
{
    struct aerogpu_cmd_create_texture2d *create;

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    agpu_scene_solid(t, 0.5f, 1, 0, 0, 1);
    create = agpu_put_target(agpu_rig_of(t), 30, RGBA, 2 * EDGE, 2 * EDGE);
    create->mip_levels = 2;
    create->array_layers = 2;
    for (uint32_t i = 0; i < 3; i++) {
        struct aerogpu_cmd_create_texture_view *view = agpu_put_view(agpu_rig_of(t), 31 + i, 30, RGBA);

        view->base_mip_level = 1;
        view->base_array_layer = i < 2;
    }
    agpu_put_targets(agpu_rig_of(t), 31, 0);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_scene_pixel(t, &agpu_ps_load_4_0);
    agpu_put_targets(agpu_rig_of(t), AGPU_TARGET, 0);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 32);
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_return_unless(agpu_expect_all(t, AGPU_RED, 0));
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 33); /* the other layer is unchanged */
    agpu_put_draw(agpu_rig_of(t), 3);
    agpu_expect_all(t, AGPU_NOTHING, 0);
}

/* One texture must be readable linearly and as sRGB through views: 188 is one half of the light. */
static void srgb_view(struct agpu_test *t)
{
    static const uint32_t texel = AGPU_RGBA(188, 188, 188, 188);

    agpu_return_unless(agpu_scene_views(t) && agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_create_texture(agpu_rig_of(t), 30, RGBA, 1, 1, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 30, 0, &texel, 4);
    agpu_put_view(agpu_rig_of(t), 31, 30, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_return_unless(agpu_expect_all(t, texel, 0));
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 31);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect_all(t, AGPU_RGBA(128, 128, 128, 188), 1);
}

struct texel_row {
    uint32_t format, bytes;
    uint32_t data[4];
    uint32_t color;
};

/* Reads a texel or block of each format, without a sampler, into the whole target. */
static void read_formats(struct agpu_test *t, const struct texel_row *rows, uint32_t count)
{
    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t edge = rows[i].bytes >= 8 ? 4 : 1;

        agpu_put_create_texture(agpu_rig_of(t), 100 + i, rows[i].format, edge, edge, 0, 0);
        agpu_put_upload(agpu_rig_of(t), 100 + i, 0, rows[i].data, rows[i].bytes);
        agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 100 + i);
        agpu_put_draw(agpu_rig_of(t), 4);
        agpu_part(t, "format %s", agpu_texel_name(rows[i].format));
        agpu_return_unless(agpu_expect_all(t, rows[i].color, 1));
    }
}

/* A shader must get the channels of each format expanded to RGBA: order, X bytes as 1, sRGB decoded, 5 and 6 bits
 * scaled. */
static void render_texture_formats(struct agpu_test *t)
{
    static const struct texel_row rows[] = {
        {AEROGPU_FORMAT_B8G8R8A8_UNORM, 4, {AGPU_RGBA(1, 2, 3, 4)}, AGPU_RGBA(3, 2, 1, 4)},
        {AEROGPU_FORMAT_B8G8R8X8_UNORM, 4, {AGPU_RGBA(1, 2, 3, 4)}, AGPU_RGBA(3, 2, 1, 255)},
        {AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, {AGPU_RGBA(1, 2, 3, 4)}, AGPU_RGBA(1, 2, 3, 4)},
        {AEROGPU_FORMAT_R8G8B8X8_UNORM, 4, {AGPU_RGBA(1, 2, 3, 4)}, AGPU_RGBA(1, 2, 3, 255)},
        {AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, 4, {AGPU_RGBA(188, 0, 255, 128)}, AGPU_RGBA(128, 0, 255, 128)},
        {AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB, 4, {AGPU_RGBA(188, 0, 255, 128)}, AGPU_RGBA(255, 0, 128, 128)},
        {AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB, 4, {AGPU_RGBA(188, 0, 255, 128)}, AGPU_RGBA(128, 0, 255, 255)},
        {AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB, 4, {AGPU_RGBA(188, 0, 255, 128)}, AGPU_RGBA(255, 0, 128, 255)},
        {AEROGPU_FORMAT_B5G6R5_UNORM, 2, {31u << 11 | 32u << 5}, AGPU_RGBA(255, 130, 0, 255)},
        {AEROGPU_FORMAT_B5G5R5A1_UNORM, 2, {1u << 15 | 16u << 10 | 31u}, AGPU_RGBA(132, 0, 255, 255)},
        {AEROGPU_FORMAT_B5G5R5A1_UNORM, 2, {31u << 5}, AGPU_RGBA(0, 255, 0, 0)},
    };

    read_formats(t, rows, sizeof rows / sizeof rows[0]);
}

/* Blocks of one colour must decode in every block format: both end colours equal, all indices 0. */
static void block_formats(struct agpu_test *t)
{
    static const struct texel_row rows[] = {
        {AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, {0xF800F800, 0}, AGPU_RED},
        {AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB, 8, {0xF800F800, 0}, AGPU_RED},
        /* Colour 0 below colour 1: index 3 is transparent black. */
        {AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, {0xFFFF0000, UINT32_MAX}, AGPU_NOTHING},
        {AEROGPU_FORMAT_BC2_RGBA_UNORM,
         16,
         {0x88888888, 0x88888888, 0x07E007E0, 0},
         AGPU_RGBA(0, 255, 0, 136)},
        {AEROGPU_FORMAT_BC3_RGBA_UNORM, 16, {0x00008040, 0, 0x001F001F, 0}, AGPU_RGBA(0, 0, 255, 64)},
        /* Mode 5 (bit 5), rotation 0, both colours 127 0 127 of 7 bits, both alphas 170, all indices 0. Bits: r 8-21, g
         * 22-35, b 36-49, a 50-65. */
        {AEROGPU_FORMAT_BC7_RGBA_UNORM,
         16,
         {0x003FFF20, 0xAAABFFF0, 0x00000002, 0},
         AGPU_RGBA(255, 0, 255, 170)},
    };

    read_formats(t, rows, sizeof rows / sizeof rows[0]);
}

/* A block texture of 8x8 must show each block in its place: one colour each. */
static void blocks_in_place(struct agpu_test *t)
{
    static const uint32_t blocks[4][2] = {{0xF800F800, 0}, {0x07E007E0, 0}, {0x001F001F, 0}, {0xFFFFFFFF, 0}};

    agpu_return_unless(agpu_scene_begin(t));
    agpu_scene_textured(t, &agpu_ps_textured_4_0, 1);
    agpu_put_create_texture(agpu_rig_of(t), 30, AEROGPU_FORMAT_BC1_RGBA_UNORM, 8, 8, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 30, 0, blocks, sizeof blocks);
    agpu_put_texture_slot(agpu_rig_of(t), PS, 0, 30);
    agpu_put_sampler(agpu_rig_of(t), 0, 50, NEAREST, CLAMP);
    agpu_put_draw(agpu_rig_of(t), 4);
    agpu_expect(t, four_squares, 0);
}

static const struct agpu_case render_texture_cases[] = {
    AGPU_SCENE_CASE("render.sampler.nearest", "commands.md 10", 0, render_texture_nearest),
    AGPU_SCENE_CASE("render.sampler.linear", "commands.md 10", 0, render_texture_linear),
    AGPU_SCENE_CASE("render.sampler.linear_down", "commands.md 10", 0, linear_down),
    AGPU_SCENE_CASE("render.sampler.addresses_far", "commands.md 10", 0, addresses_far),
    AGPU_SCENE_CASE("render.sampler.addresses", "commands.md 10", 0, render_texture_addresses),
    AGPU_SCENE_CASE("render.sampler.addresses_apart", "commands.md 10", 0, addresses_apart),
    AGPU_SCENE_CASE("render.sampler.created_again", "commands.md 10", 0, sampler_created_again),
    AGPU_SCENE_CASE("render.binding.empty_lists", "commands.md 10", 0, empty_lists),
    AGPU_SCENE_CASE("render.sampler.unbound", "commands.md 10", 0, unbound_sampler),
    AGPU_SCENE_CASE("render.texture.slots", "commands.md 10", 0, render_texture_slots),
    AGPU_SCENE_CASE("render.texture.unbound", "commands.md 10", 0, unbound_texture),
    AGPU_SCENE_CASE("render.texture.mip_levels", "commands.md 10", 0, render_texture_mips),
    AGPU_SCENE_CASE("render.texture.mip_by_size", "commands.md 10", 0, mip_by_size),
    AGPU_SCENE_CASE("render.texture.formats", "commands.md 5", 0, render_texture_formats),
    AGPU_SCENE_CASE("render.texture.block_formats", "commands.md 5", 0, block_formats),
    AGPU_SCENE_CASE("render.texture.blocks_in_place", "commands.md 5", 0, blocks_in_place),
    AGPU_SCENE_CASE("render.view.mip_and_layer", "commands.md 6.1", 0, view_of_mip_and_layer),
    AGPU_SCENE_CASE("render.view.srgb", "commands.md 6.1", 0, srgb_view),
};

AGPU_CASE_TABLE(agpu_cases_render_texture, render_texture_cases);
