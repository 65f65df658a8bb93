/* clear_depth.c: CLEAR of depth and stencil, read back by copies: values, every combination of flags, and large targets
 * of each texel size (commands.md 11). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA   AEROGPU_FORMAT_R8G8B8A8_UNORM
#define D24    AEROGPU_FORMAT_D24_UNORM_S8_UINT
#define D32    AEROGPU_FORMAT_D32_FLOAT
#define WIDTH  35u /* odd, more than 4 KiB in all */
#define HEIGHT 33u
#define COLOR  1u
#define DEPTH  2u

struct depth_values {
    uint32_t depth; /* bits of a float */
    uint32_t stencil;
    uint32_t d24; /* the stored value */
    uint32_t d32;
};

static const struct depth_values depths[] = {
    {0x3F800000, 0x5A, 0xFFFFFF, 0x3F800000},       /* 1 */
    {0x00000000, 0xFF, 0x000000, 0x00000000},       /* 0 */
    {0x3DCCCCCD, 0x00, 0x19999A, 0x3DCCCCCD},       /* 0.1 */
    {0x40000000, 0x1A5, 0xFFFFFF, 0x3F800000},      /* 2 */
    {0xBF800000, 0xFFFFFF81, 0x000000, 0x00000000}, /* -1 */
    {0x3F333333, 0x80, 0xB33332, 0x3F333333},       /* 0.7 */
    {0x3F7FFFFF, 0x7F, 0xFFFFFE, 0x3F7FFFFF},       /* just below 1 */
    {0x3EAAAAAB, 0x01, 0x555555, 0x3EAAAAAB},       /* a third */
    {0x7F800000, 0x3C, 0xFFFFFF, 0x3F800000},       /* infinity */
    {0x3F000001, 0xC3, 0x800000, 0x3F000001},       /* just above a half */
};
#define DEPTHS (sizeof depths / sizeof depths[0])

static void put_clear_all(struct agpu_rig *r, uint32_t flags, const float color[4],
                          const struct depth_values *values)
{
    struct aerogpu_cmd_clear *packet = agpu_rig_packet(r, AEROGPU_CMD_CLEAR, sizeof *packet);

    packet->flags = flags;
    for (uint32_t i = 0; i < 4; i++) {
        packet->color_rgba_f32[i] = agpu_float_bits(color[i]);
    }
    packet->depth_f32 = values->depth;
    packet->stencil = values->stencil;
}

/* Checks that every texel of a read has this value; depth may differ by one unit of 24 bits unless it must be exact. */
static bool check_depth(struct agpu_test *t, uint32_t number, uint32_t format, uint32_t depth,
                        uint32_t stencil, const char *what)
{
    static uint8_t image[WIDTH * HEIGHT * 4];
    const uint32_t expected = format == D24 ? depth | stencil << 24 : depth;
    const bool exact = format == D32 || depth == 0 || depth == 0xFFFFFF;

    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        uint32_t texel;
        uint32_t wanted = expected;

        memcpy(&texel, agpu_texture_read_row(agpu_rig_of(t), number, i / WIDTH) + i % WIDTH * 4, 4);
        if (!exact && texel - (expected - 1) <= 2) {
            wanted = texel;
        }
        memcpy(image + i * 4, &wanted, 4);
    }
    return agpu_check_texture_read(t, number, image, 0, what);
}

static const float blue[4] = {0, 0, 1, 1};
static const float green[4] = {0, 1, 0, 0};
#define BLUE  0xFFFF0000u
#define GREEN 0x0000FF00u

/* ---- values ---- */

/* A clear must store each depth and stencil value, clamped to the range of the format. */
static void clear_depth_values(struct agpu_test *t)
{
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, format));
    agpu_put_target(r, DEPTH, format, WIDTH, HEIGHT);
    agpu_put_targets(r, 0, DEPTH);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < DEPTHS; i++) {
        agpu_reads_begin(r);
        put_clear_all(r, AEROGPU_CLEAR_DEPTH | AEROGPU_CLEAR_STENCIL, blue, &depths[i]);
        agpu_put_texture_read(r, DEPTH, format, 0, 0, WIDTH, HEIGHT);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(check_depth(t, 0, format, format == D24 ? depths[i].d24 : depths[i].d32,
                                       depths[i].stencil & 0xFF, "a cleared depth target"));
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* ---- flags ---- */

/* Each combination of clear flags must change only the aspects that it names, with depth test and depth writes off and
 * on, with and without a colour target. */
static void clear_flags(struct agpu_test *t)
{
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    const struct depth_values *first = &depths[2];
    const struct depth_values *second = &depths[5];
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t colors[WIDTH * HEIGHT * 4];

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, format));
    agpu_put_target(r, COLOR, RGBA, WIDTH, HEIGHT);
    agpu_put_target(r, DEPTH, format, WIDTH, HEIGHT);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t flags = 0; flags < 16; flags++) {
        const bool with_color = (flags & 8) == 0;
        const uint32_t named = flags & 7;
        const uint32_t texel = with_color && (named & AEROGPU_CLEAR_COLOR) ? GREEN : BLUE;
        const struct depth_values *depth = named & AEROGPU_CLEAR_DEPTH ? second : first;
        const struct depth_values *stencil = named & AEROGPU_CLEAR_STENCIL ? second : first;

        agpu_reads_begin(r);
        agpu_put_targets(r, COLOR, DEPTH);
        put_clear_all(r, 7, blue, first);
        agpu_put_targets(r, with_color ? COLOR : 0, DEPTH);
        agpu_put_depth_state(r, flags & 1, flags >> 1 & 1, AEROGPU_COMPARE_NEVER);
        put_clear_all(r, named, green, second);
        agpu_put_texture_read(r, COLOR, RGBA, 0, 0, WIDTH, HEIGHT);
        agpu_put_texture_read(r, DEPTH, format, 0, 0, WIDTH, HEIGHT);
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
            memcpy(colors + i * 4, &texel, 4);
        }
        agpu_return_unless(agpu_check_texture_read(t, 0, colors, 0, "colour after CLEAR of some flags"));
        agpu_return_unless(check_depth(t, 1, format, format == D24 ? depth->d24 : depth->d32,
                                       stencil->stencil & 0xFF, "depth after CLEAR of some flags"));
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* ---- big ones ---- */

/* A clear must fill targets above 1 MiB with an odd number of texels; also into memory with padded rows. */
static void clear_big(struct agpu_test *t)
{
    enum { ROWS = 509, MOST_PITCH = 4 * 521 + 12 };
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    const uint32_t bytes = agpu_block_bytes(format);
    const uint32_t width = 2084 / bytes | 1;
    const uint32_t pitch = width * bytes + 12;
    const uint32_t texel = format == D24 ? 0xE7FFFFFF : format == RGBA ? GREEN : 0x07E0;
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_dma *big;
    uint8_t row[MOST_PITCH + 12];

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, format));
    big = agpu_rig_more(r, pitch * ROWS);
    if (big == NULL) {
        agpu_error(t, "no memory for a target above 1 MiB");
        return;
    }
    memset(big->cpu, 0xC5, pitch * ROWS);
    for (uint32_t i = 0; i < width; i++) {
        memcpy(row + i * bytes, &texel, bytes);
    }
    memset(row + width * bytes, 0xC5, 12);
    agpu_rig_alloc(r, 10, big, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_target(r, 1, format, width, ROWS);
    agpu_put_create_texture(r, 2, format, width, ROWS, pitch, 10);
    agpu_put_dirty(r, 2, 0, (uint64_t)pitch * ROWS);
    agpu_put_targets(r, format == D24 ? 0 : 1, format == D24 ? 1 : 0);
    if (format == D24) { /* one aspect after the other, and the last one over the bytes of the other */
        put_clear_all(r, AEROGPU_CLEAR_STENCIL, green, &(struct depth_values){.stencil = 0xE7});
        put_clear_all(r, AEROGPU_CLEAR_DEPTH, green, &(struct depth_values){.depth = 0x3F800000});
    } else {
        put_clear_all(r, 7, green, &(struct depth_values){.depth = 0x3F800000, .stencil = 0xE7});
    }
    agpu_put_copy_texture(r, 2, 1, width, ROWS, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t y = 0; y < ROWS; y++) {
        agpu_return_unless(agpu_check_eq_mem(t, (uint8_t *)big->cpu + y * pitch, row, pitch));
    }
}

/* ---- targets of different sizes, and one that comes later ---- */

/* Given targets of different sizes, a clear must fill each as a whole, the larger one too, colour or depth. A device
 * may refuse such targets. */
static void clear_sizes_differ(struct agpu_test *t)
{
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t colors[WIDTH * HEIGHT * 4];
    bool refused;

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, format));
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const uint32_t texel = GREEN;

        memcpy(colors + i * 4, &texel, 4);
    }
    for (uint32_t smaller = 0; smaller < 2; smaller++) { /* the colour target, then the depth target */
        agpu_put_target(r, COLOR, RGBA, smaller == 0 ? 9 : WIDTH, smaller == 0 ? 7 : HEIGHT);
        agpu_put_target(r, DEPTH, format, smaller == 1 ? 9 : WIDTH, smaller == 1 ? 7 : HEIGHT);
        agpu_put_targets(r, COLOR, DEPTH);
        put_clear_all(r, 7, green, &depths[0]);
        agpu_return_unless(agpu_run_either(t, AEROGPU_ERROR_CMD_DECODE, &refused));
        agpu_check(t, !refused || !t->env->model);
        agpu_put_targets(r, 0, 0);
        agpu_return_unless(agpu_run_clean(t));
        if (!refused) {
            agpu_reads_begin(r);
            agpu_put_texture_read(r, COLOR, RGBA, 0, 0, smaller == 0 ? 9 : WIDTH, smaller == 0 ? 7 : HEIGHT);
            if (smaller == 0) {
                agpu_put_texture_read(r, DEPTH, format, 0, 0, WIDTH, HEIGHT);
            }
            agpu_return_unless(agpu_run_clean(t));
            agpu_return_unless(
                agpu_check_texture_read(t, 0, colors, 0, "colour cleared beside depth of another size"));
            agpu_return_unless(smaller == 1 ||
                               check_depth(t, 1, format, format == D24 ? depths[0].d24 : depths[0].d32,
                                           depths[0].stencil,
                                           "depth cleared beside a smaller colour target"));
            agpu_put_reads_done(r);
        }
        agpu_put_destroy(r, COLOR);
        agpu_put_destroy(r, DEPTH);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* The device resolves targets at the clear: targets that are created after they were bound are cleared. */
/* A depth clear beside several colour targets must leave these unchanged. */
static void clear_beside_colors(struct agpu_test *t)
{
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    static const uint8_t zeros[8 * 8 * 4];
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_set_render_targets *set;
    uint32_t texels[8 * 8];

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_DEPTH_READ));
    for (uint32_t i = 0; i < 3; i++) {
        agpu_put_target(r, 10 + i, RGBA, 8, 8);
    }
    agpu_put_target(r, DEPTH, format, 8, 8);
    set = agpu_rig_packet(r, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
    set->color_count = 3;
    for (uint32_t i = 0; i < 3; i++) {
        set->colors[i] = 10 + i;
    }
    set->depth_stencil = DEPTH;
    put_clear_all(r, AEROGPU_CLEAR_DEPTH, (const float[4]){1, 1, 1, 1}, &depths[0]);
    agpu_reads_begin(r);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_put_texture_read(r, i < 3 ? 10 + i : DEPTH, i < 3 ? RGBA : format, 0, 0, 8, 8);
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 3; i++) {
        agpu_return_unless(
            agpu_check_texture_read(t, i, zeros, 0, "a colour target beside a clear of depth"));
    }
    for (uint32_t i = 0; i < 8 * 8; i++) {
        texels[i] = format == D24 ? depths[0].d24 : depths[0].d32;
    }
    agpu_check_texture_read(t, 3, texels, 0, "depth, cleared beside three colour targets");
}

/* A target that is created after it was bound must be cleared. */
static void clear_target_made_later(struct agpu_test *t)
{
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t colors[WIDTH * HEIGHT * 4];

    agpu_return_unless(executor != NULL && agpu_format_readable(t, executor, format));
    agpu_put_targets(r, COLOR, DEPTH);
    agpu_put_target(r, COLOR, RGBA, WIDTH, HEIGHT);
    agpu_put_target(r, DEPTH, format, WIDTH, HEIGHT);
    agpu_reads_begin(r);
    put_clear_all(r, 7, green, &depths[0]);
    agpu_put_texture_read(r, COLOR, RGBA, 0, 0, WIDTH, HEIGHT);
    agpu_put_texture_read(r, DEPTH, format, 0, 0, WIDTH, HEIGHT);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const uint32_t texel = GREEN;

        memcpy(colors + i * 4, &texel, 4);
    }
    agpu_return_unless(agpu_check_texture_read(t, 0, colors, 0, "a colour target made after it was bound"));
    check_depth(t, 1, format, format == D24 ? depths[0].d24 : depths[0].d32, depths[0].stencil,
                "a depth target made after it was bound");
}

static const uint32_t depth_rgba = RGBA;
static const uint32_t b5g6r5 = AEROGPU_FORMAT_B5G6R5_UNORM;
static const uint32_t d24 = D24;
static const uint32_t d32 = D32;

#define CLEAR_DEPTH_CASE(name, function, format)                                                             \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 11", .needs = AGPU_NEED_RING,                                     \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function),                \
        .arg = &(format)                                                                                     \
    }

static const struct agpu_case resource_clear_depth_cases[] = {
    CLEAR_DEPTH_CASE("render.clear.d24_values", clear_depth_values, d24),
    CLEAR_DEPTH_CASE("render.clear.d32_values", clear_depth_values, d32),
    CLEAR_DEPTH_CASE("render.clear.d24_flags", clear_flags, d24),
    CLEAR_DEPTH_CASE("render.clear.d32_flags", clear_flags, d32),
    CLEAR_DEPTH_CASE("render.clear.d24_beside_another_size", clear_sizes_differ, d24),
    CLEAR_DEPTH_CASE("render.clear.d32_beside_another_size", clear_sizes_differ, d32),
    CLEAR_DEPTH_CASE("render.clear.d24_beside_colors", clear_beside_colors, d24),
    CLEAR_DEPTH_CASE("render.clear.d32_beside_colors", clear_beside_colors, d32),
    CLEAR_DEPTH_CASE("render.clear.target_made_later", clear_target_made_later, d32),
    CLEAR_DEPTH_CASE("render.clear.big", clear_big, depth_rgba),
    CLEAR_DEPTH_CASE("render.clear.big_sixteen_bit", clear_big, b5g6r5),
    CLEAR_DEPTH_CASE("render.clear.big_depth", clear_big, d24),
};

AGPU_CASE_TABLE(agpu_cases_resource_clear_depth, resource_clear_depth_cases);
