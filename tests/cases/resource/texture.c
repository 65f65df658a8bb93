/* texture.c: textures at packet level: memory layout, uploads, copies with write-back
 * (commands.md 5, 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texture_read.h"
#include "tests/cases/rig/rows_picture.h"

#define RGBA   AEROGPU_FORMAT_R8G8B8A8_UNORM
#define EDGE   32u
#define PITCH  256u /* wider than a row of 128 bytes */
#define POISON 0xAB

static uint8_t *resource_texture_texel(uint8_t *base, uint32_t x, uint32_t y)
{
    return base + y * PITCH + x * 4;
}

/* Creates a guest-backed texture over rig memory that has its bytes already. */
static void put_guest_texture(struct agpu_test *t, uint32_t handle, unsigned memory, uint32_t flags)
{
    agpu_rig_alloc(agpu_rig_of(t), 10 + memory, &agpu_rig_of(t)->memory[memory], flags);
    agpu_put_create_texture(agpu_rig_of(t), handle, RGBA, EDGE, EDGE, PITCH, 10 + memory);
    agpu_put_dirty(agpu_rig_of(t), handle, 0, EDGE * PITCH);
}

/* Creates source 1 over memory 1 with a pattern, and destination 2 over memory 0, poisoned. */
static void put_pair(struct agpu_test *t)
{
    agpu_fill_pattern(agpu_rig_of(t)->memory[1].cpu, agpu_rig_of(t)->memory[1].size, 3);
    memset(agpu_rig_of(t)->memory[0].cpu, POISON, agpu_rig_of(t)->memory[0].size);
    put_guest_texture(t, 1, 1, AEROGPU_ALLOC_FLAG_READONLY);
    put_guest_texture(t, 2, 0, AEROGPU_ALLOC_FLAG_NONE);
}

/* Checks that memory 0 has the source's rectangle at (x, y) and poison everywhere else, including the row padding. */
static bool check_rectangle(struct agpu_test *t, uint32_t x, uint32_t y, uint32_t src_x, uint32_t src_y,
                            uint32_t width, uint32_t height)
{
    uint8_t *actual = agpu_rig_of(t)->memory[0].cpu;
    uint8_t *expected = agpu_rig_of(t)->memory[2].cpu;

    memset(expected, POISON, agpu_rig_of(t)->memory[2].size);
    for (uint32_t row = 0; row < height; row++) {
        memcpy(resource_texture_texel(expected, x, y + row),
               resource_texture_texel(agpu_rig_of(t)->memory[1].cpu, src_x, src_y + row), width * 4);
    }
    if (agpu_check_eq_mem(t, actual, expected, agpu_rig_of(t)->memory[0].size)) {
        return true;
    }
    agpu_rows_show(t, &(struct agpu_rows_picture){.rows = {.actual = actual,
                                                           .actual_pitch = PITCH,
                                                           .expected = expected,
                                                           .expected_pitch = PITCH,
                                                           .row_bytes = EDGE * 4,
                                                           .rows = EDGE},
                                                  .colour = true});
    return false;
}

/* A copy of a whole texture must be written back with its row padding unchanged. */
static void copy_whole(struct agpu_test *t)
{
    put_pair(t);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    check_rectangle(t, 0, 0, 0, 0, EDGE, EDGE);
}

/* A copy of a rectangle that ends at both edges must change exactly its texels. */
static void copy_rectangle(struct agpu_test *t)
{
    struct aerogpu_cmd_copy_texture2d *copy;
    uint8_t rows[EDGE * EDGE * 4];

    put_pair(t);
    copy = agpu_put_copy_texture(agpu_rig_of(t), 2, 1, 17, 9, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    copy->src_x = 3;
    copy->src_y = 5;
    copy->dst_x = 15; /* ends at the right edge */
    copy->dst_y = 23; /* ends at the bottom edge */
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(check_rectangle(t, 15, 23, 3, 5, 17, 9));
    /* The device's copy is the same: the dirty range before the copy does not apply after it. */
    agpu_reads_begin(agpu_rig_of(t));
    agpu_put_texture_read(agpu_rig_of(t), 2, RGBA, 0, 0, EDGE, EDGE);
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t y = 0; y < EDGE; y++) {
        memcpy(rows + y * EDGE * 4, resource_texture_texel(agpu_rig_of(t)->memory[2].cpu, 0, y), EDGE * 4);
    }
    agpu_check_texture_read(t, 0, rows, 0, "the device's copy of a destination");
}

/* A copy of one texel must change exactly that texel. */
static void copy_one_texel(struct agpu_test *t)
{
    put_pair(t);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, 1, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    check_rectangle(t, 0, 0, 0, 0, 1, 1);
}

/* Texture copies without width or height must write nothing and raise no error, alone and between copies with an
 * effect. */
static void copy_nothing(struct agpu_test *t)
{
    put_pair(t);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, 0, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, EDGE, 0, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(check_rectangle(t, 0, 0, 0, 0, 0, 0));
    /* Between copies with an effect. */
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(agpu_rig_of(t), 11, &agpu_rig_of(t)->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, 0, 0, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, 0, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (t->env->model) { /* before any other check (commands.md 15) */
        agpu_put_copy_texture(agpu_rig_of(t), 77, 78, 0, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    }
    agpu_return_unless(agpu_run_clean(t));
    check_rectangle(t, 0, 0, 0, 0, EDGE, EDGE);
}

/* Unpadded rows uploaded into a host-owned texture must appear at the row pitch of the guest-backed copy, with no byte
 * after the last row. */
static void upload_host_owned(struct agpu_test *t)
{
    uint8_t *data = agpu_rig_of(t)->memory[1].cpu;

    /* Unpadded rows in the upload, PITCH in the destination's memory. */
    memset(agpu_rig_of(t)->memory[0].cpu, POISON, agpu_rig_of(t)->memory[0].size);
    agpu_fill_pattern(data, agpu_rig_of(t)->memory[1].size, 4);
    agpu_put_create_texture(agpu_rig_of(t), 1, RGBA, EDGE, 16, 0, 0);
    agpu_put_upload(agpu_rig_of(t), 1, 0, data, EDGE * 16 * 4);
    put_guest_texture(t, 2, 0, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, EDGE, 16, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t row = 0; row < 16; row++) {
        agpu_return_unless(agpu_check_eq_mem(t, resource_texture_texel(agpu_rig_of(t)->memory[0].cpu, 0, row),
                                             data + row * EDGE * 4, EDGE * 4));
    }
    agpu_check_filled(t, resource_texture_texel(agpu_rig_of(t)->memory[0].cpu, 0, 16), POISON, 16 * PITCH);
}

/* Given rows that change in guest memory and a dirty range of exactly these, a copy of the texture must have their new
 * bytes. */
static void dirty_rows(struct agpu_test *t)
{
    put_pair(t);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_pattern(resource_texture_texel(agpu_rig_of(t)->memory[1].cpu, 0, 8), 4 * PITCH, 5);
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(agpu_rig_of(t), 11, &agpu_rig_of(t)->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_dirty(agpu_rig_of(t), 1, 8 * PITCH, 4 * PITCH);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    check_rectangle(t, 0, 0, 0, 0, EDGE, EDGE);
}

/* Given a clear of a guest-backed texture and rows from the CPU after it, a dirty range must show these rows. */
static void dirty_over_clear(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t rows[EDGE * EDGE * 4];
    uint8_t *memory = r->memory[0].cpu;

    memset(memory, POISON, r->memory[0].size);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, PITCH, 10)->usage_flags |=
        AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    agpu_put_dirty(r, 1, 0, EDGE * PITCH);
    agpu_put_targets(r, 1, 0);
    agpu_put_clear_color(r, 1, 1, 1, 1);
    agpu_return_unless(agpu_run_clean(t));
    agpu_fill_pattern(memory + 8 * PITCH, 4 * PITCH, 6);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_dirty(r, 1, 8 * PITCH, 4 * PITCH);
    agpu_reads_begin(r);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, EDGE, EDGE);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t y = 0; y < EDGE; y++) {
        memset(rows + y * EDGE * 4, 0xFF, EDGE * 4);
        if (y >= 8 && y < 12) {
            memcpy(rows + y * EDGE * 4, memory + y * PITCH, EDGE * 4);
        } else if (!t->env->model) { /* the device may read more than the range (commands.md 6.2) */
            memcpy(rows + y * EDGE * 4, agpu_texture_read_row(r, 0, y), EDGE * 4);
        }
    }
    agpu_check_texture_read(t, 0, rows, 0, "a cleared texture after a dirty range");
}

#define TEXTURE_CASE(name, section, function)                                                                \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_TRANSFER,      \
        .run = (function)                                                                                    \
    }
static const struct agpu_case resource_texture_cases[] = {
    TEXTURE_CASE("texture.copy.whole", "commands.md 6.4", copy_whole),
    TEXTURE_CASE("texture.copy.rectangle", "commands.md 6.4", copy_rectangle),
    TEXTURE_CASE("texture.copy.one_texel", "commands.md 6.4", copy_one_texel),
    TEXTURE_CASE("texture.copy.nothing", "commands.md 6.4", copy_nothing),
    TEXTURE_CASE("texture.upload.host_owned", "commands.md 6.3", upload_host_owned),
    TEXTURE_CASE("texture.dirty.rows", "commands.md 6.2", dirty_rows),
    TEXTURE_CASE("texture.dirty.over_clear", "commands.md 6.2", dirty_over_clear),
};

AGPU_CASE_TABLE(agpu_cases_resource_texture, resource_texture_cases);
