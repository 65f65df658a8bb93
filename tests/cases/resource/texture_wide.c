/* texture_wide.c: write-backs of rows of thousands of texels: every texel is treated alike, X bytes too (commands.md
 * 6.4). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/scene.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texture_read.h"

#define WIDTH 4099u /* above 4096, odd */
#define ROWS  2u
#define PITCH (WIDTH * 4 + 12)
#define KNOWN (PITCH * ROWS + 64)

/* A write-back of rows of 4099 texels must write every texel, treat all X bytes alike, and leave the padding of the
 * rows. */
static void copied_wide(struct agpu_test *t)
{
    const uint32_t format = *(const uint32_t *)t->test_case->arg;
    const bool x8 = format != AEROGPU_FORMAT_R8G8B8A8_UNORM;
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *memory = r->memory[0].cpu;
    uint8_t *source = r->memory[1].cpu;
    uint8_t *expected = r->memory[2].cpu;

    agpu_return_unless(executor != NULL);
    agpu_fill_origin(memory, KNOWN, 1, AGPU_FROM_GUEST);
    agpu_fill_origin(source, PITCH * ROWS, 2, AGPU_FROM_SOURCE);
    agpu_rig_alloc(r, 8, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_rig_alloc(r, 9, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, format, WIDTH, ROWS, PITCH, 8);
    agpu_put_dirty(r, 1, 0, PITCH * ROWS);
    agpu_put_create_texture(r, 2, format, WIDTH, ROWS, PITCH, 9);
    agpu_put_dirty(r, 2, 0, PITCH * ROWS);
    agpu_put_copy_texture(r, 2, 1, WIDTH, ROWS, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_origin(expected, KNOWN, 1, AGPU_FROM_GUEST);
    for (uint32_t y = 0; y < ROWS; y++) {
        memcpy(expected + y * PITCH, source + y * PITCH, WIDTH * 4);
        /* X bytes are FF, or as in the source; a device must treat all like the first (commands.md 6.4). */
        for (uint32_t x = 0; x8 && (t->env->model || memory[3] == 0xFF) && x < WIDTH; x++) {
            expected[y * PITCH + x * 4 + 3] = 0xFF;
        }
    }
    agpu_check_origins(t, memory, expected, KNOWN, "guest memory after a write-back of 4099 texels a row");
}

/* A write-back must reach rows whose distance needs more than 16 bits. */
static void copied_far_rows(struct agpu_test *t)
{
    enum { TEXELS = 5, LINES = 3, APART = 0x10000 + 20 };
    const uint32_t format = AEROGPU_FORMAT_R8G8B8A8_UNORM, size = APART * LINES;
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t image[TEXELS * 4 * LINES];
    struct agpu_dma *memory = agpu_rig_more(r, 2 * size);
    uint8_t *expected;

    if (memory == NULL) {
        agpu_error(t, "no memory for far rows");
        return;
    }
    expected = (uint8_t *)memory->cpu + size;
    agpu_fill_origin(image, sizeof image, 1, AGPU_FROM_SOURCE);
    agpu_fill_origin(memory->cpu, size, 2, AGPU_FROM_GUEST);
    memcpy(expected, memory->cpu, size);
    for (uint32_t y = 0; y < LINES; y++) {
        memcpy(expected + y * APART, image + y * TEXELS * 4, TEXELS * 4);
    }
    agpu_rig_alloc(r, 9, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, format, TEXELS, LINES, 0, 0);
    agpu_put_upload(r, 1, 0, image, sizeof image);
    agpu_put_create_texture(r, 2, format, TEXELS, LINES, APART, 9);
    agpu_put_dirty(r, 2, 0, size);
    agpu_put_copy_texture(r, 2, 1, TEXELS, LINES, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, memory->cpu, expected, size,
                       "guest memory after a write-back of rows 64 KiB apart");
}

/* A copy must write back rows of more than 64 KiB. A device may refuse so wide a texture (commands.md 16), but not
 * accept it in part. */
static void copied_widest(struct agpu_test *t)
{
    enum { TEXELS = 16400, LINES = 2, APART = TEXELS * 4 + 12, BYTES = APART * LINES };
    const uint32_t format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
    struct agpu_rig *r = agpu_rig_of(t);
    struct agpu_dma *memory = agpu_rig_more(r, 3 * BYTES);
    uint8_t *source, *expected;
    bool refused = false;

    if (memory == NULL) {
        agpu_error(t, "no memory for a wide texture");
        return;
    }
    source = (uint8_t *)memory->cpu + BYTES;
    expected = source + BYTES;
    agpu_fill_origin(memory->cpu, BYTES, 1, AGPU_FROM_GUEST);
    agpu_fill_origin(source, BYTES, 2, AGPU_FROM_SOURCE);
    memcpy(expected, memory->cpu, BYTES);
    for (uint32_t y = 0; y < LINES; y++) {
        memcpy(expected + y * APART, source + y * APART, TEXELS * 4);
    }
    agpu_rig_alloc(r, 9, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, format, TEXELS, LINES, APART, 9)->backing_offset_bytes = BYTES;
    agpu_put_create_texture(r, 2, format, TEXELS, LINES, APART, 9);
    if (t->env->model) {
        agpu_return_unless(agpu_run_clean(t));
    } else {
        agpu_return_unless(agpu_run_either(t, AEROGPU_ERROR_BACKEND, &refused));
    }
    agpu_choice(t, "texture_of_16400_texels", refused ? "refused" : "made");
    if (refused) {
        return;
    }
    agpu_rig_alloc(r, 9, memory, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(r, 1, 0, BYTES);
    agpu_put_dirty(r, 2, 0, BYTES);
    agpu_put_copy_texture(r, 2, 1, TEXELS, LINES, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, memory->cpu, expected, BYTES,
                       "guest memory after a write-back of 16400 texels a row");
}

#define EDGE  4096u
#define MIPS  13u
#define FIRST 3u

/* Given a chain of 13 mips, uploads to the smaller ones, from the last to that of 512 texels, must arrive. */
static void uploaded_long_chain(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t rows[(EDGE >> FIRST) * 4];
    uint32_t offset = 0;

    agpu_put_create_texture(r, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, EDGE, 1, 0, 0)->mip_levels = MIPS;
    agpu_reads_begin(r);
    for (uint32_t mip = 0; mip < MIPS; mip++) {
        if (mip >= FIRST) {
            agpu_fill_origin(rows, sizeof rows, mip, AGPU_FROM_SOURCE);
            agpu_put_upload(r, 1, offset, rows, (EDGE >> mip) * 4);
            agpu_put_texture_read(r, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, mip, 0, EDGE >> mip, 1);
        }
        offset += (EDGE >> mip) * 4;
    }
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t mip = FIRST; mip < MIPS; mip++) {
        agpu_fill_origin(rows, sizeof rows, mip, AGPU_FROM_SOURCE);
        agpu_return_unless(agpu_check_texture_read(t, mip - FIRST, rows, 0, "a mip of a chain of 13"));
    }
}

/* Each format must accept views in its own format and in its sRGB or linear counterpart. */
static void views_of_twins(struct agpu_test *t)
{
    static const uint8_t twins[][2] = {{AEROGPU_FORMAT_B8G8R8A8_UNORM, AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB},
                                       {AEROGPU_FORMAT_B8G8R8X8_UNORM, AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB},
                                       {AEROGPU_FORMAT_R8G8B8A8_UNORM, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB},
                                       {AEROGPU_FORMAT_R8G8B8X8_UNORM, AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB},
                                       {AEROGPU_FORMAT_BC1_RGBA_UNORM, AEROGPU_FORMAT_BC1_RGBA_UNORM_SRGB},
                                       {AEROGPU_FORMAT_BC2_RGBA_UNORM, AEROGPU_FORMAT_BC2_RGBA_UNORM_SRGB},
                                       {AEROGPU_FORMAT_BC3_RGBA_UNORM, AEROGPU_FORMAT_BC3_RGBA_UNORM_SRGB},
                                       {AEROGPU_FORMAT_BC7_RGBA_UNORM, AEROGPU_FORMAT_BC7_RGBA_UNORM_SRGB}};
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL);
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS));
    for (uint32_t i = 0; i < sizeof twins / sizeof twins[0]; i++) {
        for (uint32_t form = 0; form < 2; form++) {
            agpu_put_create_texture(r, 1 + 2 * i + form, twins[i][form], 8, 8, 0, 0);
            agpu_put_view(r, 100 + 4 * i + 2 * form, 1 + 2 * i + form, twins[i][0]);
            agpu_put_view(r, 101 + 4 * i + 2 * form, 1 + 2 * i + form, twins[i][1]);
            agpu_return_unless(agpu_run_clean(t));
        }
    }
}

static const uint32_t rgba = AEROGPU_FORMAT_R8G8B8A8_UNORM;
static const uint32_t rgbx = AEROGPU_FORMAT_R8G8B8X8_UNORM;
static const uint32_t bgrx = AEROGPU_FORMAT_B8G8R8X8_UNORM;

#define WIDE_CASE(name, format)                                                                              \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 6.4", .needs = AGPU_NEED_RING,                                    \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = copied_wide,               \
        .arg = &(format)                                                                                     \
    }

static const struct agpu_case resource_texture_wide_cases[] = {
    WIDE_CASE("texture.copy.wide_rgba", rgba),
    WIDE_CASE("texture.copy.wide_rgbx", rgbx),
    WIDE_CASE("texture.copy.wide_bgrx", bgrx),
    {.id = "texture.copy.far_rows",
     .spec = "commands.md 6.1",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = copied_far_rows},
    {.id = "texture.copy.widest_row",
     .spec = "commands.md 6.4",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = copied_widest},
    {.id = "texture.upload.chain_of_13",
     .spec = "commands.md 6.1",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = uploaded_long_chain},
    {.id = "texture.view.twins",
     .spec = "commands.md 6.1",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = views_of_twins},
};

AGPU_CASE_TABLE(agpu_cases_resource_texture_wide, resource_texture_wide_cases);
