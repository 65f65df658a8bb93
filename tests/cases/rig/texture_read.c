/* texture_read.c: reads subresources one by one. */
#include "tests/cases/rig/texture_read.h"

#include <string.h>

#include "pci/machine/text.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/rows.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/rows_picture.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texel.h"

#define PADDING 8u /* bytes after each row, which must not change */
#define SEED    77u

struct texture_read {
    uint32_t format;
    uint32_t mip, layer;
    uint32_t row_bytes, rows;
    uint32_t offset;
};

/* One case runs at a time. */
static struct texture_read reads[AGPU_READS_MAX];
static uint32_t reads_count;
static uint32_t reads_used; /* bytes of the memory in use */

uint32_t agpu_block_edge(uint32_t format)
{
    return format >= AEROGPU_FORMAT_BC1_RGBA_UNORM ? 4 : 1;
}

uint32_t agpu_block_bytes(uint32_t format)
{
    if (format >= AEROGPU_FORMAT_BC2_RGBA_UNORM) {
        return 16;
    }
    if (format >= AEROGPU_FORMAT_BC1_RGBA_UNORM) {
        return 8;
    }
    return format == AEROGPU_FORMAT_B5G6R5_UNORM || format == AEROGPU_FORMAT_B5G5R5A1_UNORM ? 2 : 4;
}

uint32_t agpu_mip_edge(uint32_t edge, uint32_t mip)
{
    return edge >> mip > 1 ? edge >> mip : 1;
}

uint32_t agpu_block_rows(uint32_t format, uint32_t height)
{
    return (height + agpu_block_edge(format) - 1) / agpu_block_edge(format);
}

uint32_t agpu_tight_bytes(uint32_t format, uint32_t width)
{
    return agpu_block_rows(format, width) * agpu_block_bytes(format);
}

bool agpu_format_readable(struct agpu_test *test, const struct agpu_executor *executor, uint32_t format)
{
    const bool depth = format == AEROGPU_FORMAT_D24_UNORM_S8_UINT || format == AEROGPU_FORMAT_D32_FLOAT;

    if (depth && executor->no_depth) {
        agpu_skip_because(test, AGPU_SKIP_EXECUTOR,
                          "the device refuses depth formats, as one known executor does");
        return false;
    }
    if (executor->first_only && (depth || agpu_block_edge(format) != 1)) {
        agpu_skip_because(test, AGPU_SKIP_NO_WRITE_BACK,
                          "the device writes back colour only, as one known executor does");
        return false;
    }
    if (executor->implicit && agpu_block_bytes(format) != 4) {
        agpu_skip_because(test, AGPU_SKIP_NO_FORMAT,
                          "the device copies 32-bit formats only, as one known executor does");
        return false;
    }
    return true;
}

void agpu_reads_begin(struct agpu_rig *rig)
{
    reads_count = 0;
    reads_used = 0;
    agpu_rig_alloc(rig, AGPU_READS_ALLOC, &rig->memory[AGPU_READS_MEMORY], AEROGPU_ALLOC_FLAG_NONE);
}

uint32_t agpu_put_texture_read(struct agpu_rig *rig, uint32_t texture, uint32_t format, uint32_t mip,
                               uint32_t layer, uint32_t width, uint32_t height)
{
    struct texture_read *read = &reads[reads_count % AGPU_READS_MAX];
    const uint32_t handle = AGPU_READS_HANDLE + reads_count;
    struct aerogpu_cmd_copy_texture2d *copy;
    uint32_t bytes;

    *read = (struct texture_read){
        .format = format,
        .mip = mip,
        .layer = layer,
        .row_bytes = agpu_tight_bytes(format, width),
        .rows = agpu_block_rows(format, height),
        .offset = (reads_used + 3) & ~3u,
    };
    bytes = (read->row_bytes + PADDING) * read->rows;
    if (reads_count >= AGPU_READS_MAX || read->offset + bytes + PADDING > AGPU_RIG_MEMORY_BYTES) {
        rig->broken = true;
        return 0;
    }
    reads_used = read->offset + bytes + PADDING;
    agpu_fill_origin((uint8_t *)rig->memory[AGPU_READS_MEMORY].cpu + read->offset, bytes, SEED,
                     AGPU_FROM_GUEST);
    agpu_put_create_texture(rig, handle, format, width, height, read->row_bytes + PADDING, AGPU_READS_ALLOC)
        ->backing_offset_bytes = read->offset;
    agpu_put_dirty(rig, handle, 0, bytes);
    copy = agpu_put_copy_texture(rig, handle, texture, width, height, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    copy->src_mip_level = mip;
    copy->src_array_layer = layer;
    return reads_count++;
}

const uint8_t *agpu_texture_read_row(const struct agpu_rig *rig, uint32_t number, uint32_t row)
{
    const struct texture_read *read = &reads[number];

    return (const uint8_t *)rig->memory[AGPU_READS_MEMORY].cpu + read->offset +
           row * (read->row_bytes + PADDING);
}

static bool is_x8(uint32_t format)
{
    return format == AEROGPU_FORMAT_B8G8R8X8_UNORM || format == AEROGPU_FORMAT_R8G8B8X8_UNORM ||
           format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB || format == AEROGPU_FORMAT_R8G8B8X8_UNORM_SRGB;
}

/* Returns the place where a row differs by more than the tolerance; its length if it does not. */
static uint32_t first_wrong(const struct texture_read *read, const uint8_t *actual, const uint8_t *expected,
                            uint32_t tolerance, bool skip_x)
{
    for (uint32_t i = 0; i < read->row_bytes; i++) {
        const uint32_t by = actual[i] > expected[i] ? (uint32_t)(actual[i] - expected[i])
                                                    : (uint32_t)(expected[i] - actual[i]);

        if (by > tolerance && !(skip_x && i % 4 == 3)) {
            return i;
        }
    }
    return read->row_bytes;
}

static void describe_place(struct agpu_text *text, const struct texture_read *read, uint32_t byte,
                           uint32_t row)
{
    agpu_format(text, ": format %s (%u), mip %u, layer %u, x %u, y %u", agpu_texel_name(read->format),
                read->format, read->mip, read->layer,
                byte / agpu_block_bytes(read->format) * agpu_block_edge(read->format),
                row * agpu_block_edge(read->format));
}

/* Appends a description of the whole difference. */
static void mismatch_read(struct agpu_text *text, const struct agpu_test *test, uint32_t number,
                          const void *expected, uint32_t tolerance)
{
    const struct texture_read *read = &reads[number];
    const struct agpu_rows rows = {.actual = agpu_texture_read_row(&test->env->rig, number, 0),
                                   .actual_pitch = read->row_bytes + PADDING,
                                   .expected = expected,
                                   .expected_pitch = read->row_bytes,
                                   .row_bytes = read->row_bytes,
                                   .rows = read->rows,
                                   .unit = agpu_block_bytes(read->format),
                                   .tolerance = tolerance};

    agpu_format(text, "; of %u row%s ", read->rows, read->rows == 1 ? "" : "s");
    agpu_mismatch_rows(text, &rows);
}

static bool is_stored_blue_first(uint32_t format)
{
    return format == AEROGPU_FORMAT_B8G8R8A8_UNORM || format == AEROGPU_FORMAT_B8G8R8X8_UNORM ||
           format == AEROGPU_FORMAT_B8G8R8A8_UNORM_SRGB || format == AEROGPU_FORMAT_B8G8R8X8_UNORM_SRGB;
}

static void show_read(struct agpu_test *test, uint32_t number, const void *expected, uint32_t tolerance)
{
    const struct texture_read *read = &reads[number];
    const struct agpu_rows_picture picture = {
        .rows = {.actual = agpu_texture_read_row(&test->env->rig, number, 0),
                 .actual_pitch = read->row_bytes + PADDING,
                 .expected = expected,
                 .expected_pitch = read->row_bytes,
                 .row_bytes = read->row_bytes,
                 .rows = read->rows,
                 .tolerance = tolerance},
        .colour = agpu_block_edge(read->format) == 1 && agpu_block_bytes(read->format) == 4,
        .blue_first = is_stored_blue_first(read->format),
    };

    agpu_rows_show(test, &picture);
}

bool agpu_check_texture_read_at(struct agpu_test *test, uint32_t number, const void *expected,
                                uint32_t tolerance, const char *what, struct agpu_where where)
{
    const struct texture_read *read = &reads[number];
    const uint8_t *wanted = expected;
    const bool skip_x = is_x8(read->format) && !test->env->model;
    uint8_t poison[PADDING];
    char buffer[380];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, what);
    for (uint32_t row = 0; row < read->rows; row++) {
        const uint8_t *actual = agpu_texture_read_row(&test->env->rig, number, row);
        const uint32_t at = first_wrong(read, actual, wanted, tolerance, skip_x);

        if (at != read->row_bytes) {
            describe_place(&text, read, at, row);
            mismatch_read(&text, test, number, expected, tolerance);
            agpu_check_origins_at(test, actual + at, wanted + at, read->row_bytes - at, buffer, where);
            show_read(test, number, expected, tolerance);
            return false;
        }
        wanted += read->row_bytes;
    }
    /* The padding must be as it was when the read was queued. */
    for (uint32_t row = 0; row < read->rows; row++) {
        const uint32_t at = read->offset + row * (read->row_bytes + PADDING) + read->row_bytes;

        for (uint32_t i = 0; i < PADDING; i++) {
            poison[i] = agpu_origin_at(at - read->offset + i, SEED, AGPU_FROM_GUEST);
        }
        if (memcmp((const uint8_t *)test->env->rig.memory[AGPU_READS_MEMORY].cpu + at, poison, PADDING) !=
            0) {
            describe_place(&text, read, read->row_bytes, row);
            agpu_text_string(&text, ", behind the row");
            return agpu_check_origins_at(test,
                                         (const uint8_t *)test->env->rig.memory[AGPU_READS_MEMORY].cpu + at,
                                         poison, PADDING, buffer, where);
        }
    }
    return true;
}

void agpu_put_reads_done(struct agpu_rig *rig)
{
    for (uint32_t i = 0; i < reads_count; i++) {
        agpu_put_destroy(rig, AGPU_READS_HANDLE + i);
    }
    reads_count = 0;
}
