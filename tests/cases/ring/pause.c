/* pause.c: each kind of packet as the one that exhausts a pass of the device (device.md 0). A batch repeats one stream
 * so often that a pass ends in it. The stream undoes the packet's effect, sends the packet, and appends a word of the
 * result to a list, so that a packet without effect shows although its repetitions are equal. */
#include <string.h>

#include "pci/registers.h"
#include "ring/irq.h"
#include "tests/cases/rig/framebuffer.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/readback.h"

#define RGBA AEROGPU_FORMAT_R8G8B8A8_UNORM

#define PAUSE_ROWS  8192u      /* the most that every device takes (commands.md 16) */
#define PAUSE_BYTES (1u << 20) /* of a large buffer */
#define PAUSE_DATA  49152u     /* of an upload */
#define PAUSE_EDGE  128u       /* of the picture */
#define PAUSE_LAST  (PAUSE_BYTES - 4)
#define PAUSE_WORD  UINT32_MAX /* result of a packet that has worked; otherwise 0 */
#define PAUSE_MOST  720u       /* repetitions */

/* Our model counts 128 bytes for a row, and 512 MiB for a pass (device.md 4.10): the copies in front of the repetitions
 * take 462 MiB of it, and these more than the rest. */
#define PAUSE_COPY_COST ((uint64_t)PAUSE_ROWS * (128 + 4))
#define PAUSE_COPIES    56u
#define PAUSE_FRONT     8u /* streams of so many copies */
#define PAUSE_REST      (UINT64_C(66) << 20)

/* Handles: plain ones are the device's, the others are backed by the memory that the name ends with. */
enum {
    PAUSE_ZERO = 1, /* buffer of a word */
    PAUSE_LIST,
    PAUSE_SHIFTED,
    PAUSE_LARGE,      /* buffer of ones */
    PAUSE_LARGE_MORE, /* buffer of the same size, */
    PAUSE_END_MORE,   /* and its last word */
    PAUSE_UPLOADED,
    PAUSE_ROW, /* texture of one column, of ones */
    PAUSE_TARGET,
    PAUSE_ROW_1,
    PAUSE_TEXEL_ZERO,
    PAUSE_TEXEL_1,
    PAUSE_END_1,  /* last word of ROW_1 */
    PAUSE_WORD_1, /* the memory of TEXEL_1 */
    PAUSE_PICTURE,
    PAUSE_PIXEL_0, /* last pixel of the framebuffer */
};

static void put_word_list(struct agpu_rig *r, uint32_t from, uint64_t offset)
{
    agpu_put_copy_buffer(r, PAUSE_SHIFTED, 4, PAUSE_LIST, 0, 4 * (PAUSE_MOST - 1), 0);
    agpu_put_copy_buffer(r, PAUSE_LIST, 0, PAUSE_SHIFTED, 0, 4 * PAUSE_MOST, 0);
    agpu_put_copy_buffer(r, PAUSE_LIST, 0, from, offset, 4, 0);
}

/* Appends the word that guest memory has. */
static void put_guest_list(struct agpu_rig *r, uint32_t from, uint64_t offset)
{
    agpu_put_dirty(r, from, offset, 4);
    put_word_list(r, from, offset);
}

static void put_last_texel(struct agpu_rig *r, uint32_t to, uint32_t y, uint32_t from, uint32_t from_y,
                           uint32_t flags)
{
    struct aerogpu_cmd_copy_texture2d *copy = agpu_put_copy_texture(r, to, from, 1, 1, flags);

    copy->dst_y = y;
    copy->src_y = from_y;
}

static void pause_copy_buffer(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, PAUSE_LARGE_MORE, PAUSE_LAST, PAUSE_ZERO, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_buffer(r, PAUSE_LARGE_MORE, 0, PAUSE_LARGE, 0, PAUSE_BYTES,
                         AEROGPU_COPY_FLAG_WRITEBACK_DST);
    put_guest_list(r, PAUSE_LARGE_MORE, PAUSE_LAST);
}

static void pause_dirty(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, PAUSE_END_MORE, 0, PAUSE_ZERO, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_dirty(r, PAUSE_LARGE_MORE, PAUSE_LAST, 4);
    agpu_put_copy_buffer(r, PAUSE_END_MORE, 0, PAUSE_LARGE, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_dirty(r, PAUSE_LARGE_MORE, 0, PAUSE_BYTES);
    put_word_list(r, PAUSE_LARGE_MORE, PAUSE_LAST);
}

static void pause_upload(struct agpu_rig *r)
{
    const uint32_t word = PAUSE_WORD, more = PAUSE_DATA - sizeof word;
    struct aerogpu_cmd_upload_resource *upload;

    agpu_put_copy_buffer(r, PAUSE_UPLOADED, more, PAUSE_ZERO, 0, 4, 0);
    upload = agpu_put_upload(r, PAUSE_UPLOADED, 0, &word, sizeof word);
    memset(upload + 1, 0xFF, PAUSE_DATA); /* longer than a packet of the fixture */
    upload->size_bytes += more;
    upload->hdr.size_bytes += more;
    r->cmd_used += more;
    put_word_list(r, PAUSE_UPLOADED, more);
}

static void pause_copy_texture(struct agpu_rig *r)
{
    put_last_texel(r, PAUSE_ROW_1, PAUSE_ROWS - 1, PAUSE_TEXEL_ZERO, 0, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_texture(r, PAUSE_ROW_1, PAUSE_ROW, 1, PAUSE_ROWS, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    put_guest_list(r, PAUSE_END_1, 0);
}

static void pause_clear(struct agpu_rig *r)
{
    put_last_texel(r, PAUSE_TARGET, PAUSE_ROWS - 1, PAUSE_TEXEL_ZERO, 0, 0);
    agpu_put_targets(r, PAUSE_TARGET, 0);
    agpu_put_clear_color(r, 1, 1, 1, 1);
    put_last_texel(r, PAUSE_TEXEL_1, 0, PAUSE_TARGET, PAUSE_ROWS - 1, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    put_guest_list(r, PAUSE_WORD_1, 0);
}

static void pause_present(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, PAUSE_PIXEL_0, 0, PAUSE_ZERO, 0, 4, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_targets(r, PAUSE_PICTURE, 0);
    agpu_put_present(r, 0, 0);
    put_guest_list(r, PAUSE_PIXEL_0, 0);
}

/* A packet after others of the same submission, which may be those that exhaust the pass. */
static void pause_create(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, PAUSE_TARGET, PAUSE_ROW, 1, PAUSE_ROWS, 0);
    agpu_put_create_buffer(r, 99, PAUSE_BYTES, 0, 0);
    agpu_put_copy_buffer(r, 99, 0, PAUSE_LARGE, 0, 4, 0);
    put_word_list(r, 99, 0);
    agpu_put_destroy(r, 99);
    pause_present(r);
}

static const struct pause_kind {
    const char *what;
    void (*put)(struct agpu_rig *r);
    uint32_t cost; /* about, on our model */
    uint32_t words;
    bool presents;
} pause_kinds[] = {
    {"buffer copies with write-back, of which one misses", pause_copy_buffer, PAUSE_BYTES, 1, false},
    {"dirty ranges, of which one misses", pause_dirty, PAUSE_BYTES, 1, false},
    {"uploads, of which one misses", pause_upload, 2 * PAUSE_DATA, 1, false},
    {"texture copies with write-back, of which one misses", pause_copy_texture, PAUSE_COPY_COST, 1, false},
    {"clears, of which one misses", pause_clear, PAUSE_COPY_COST, 1, false},
    {"presents, of which one misses", pause_present, (16 * PAUSE_EDGE + 128) * PAUSE_EDGE, 1, true},
    {"creations and presents, of which one misses", pause_create, PAUSE_COPY_COST + PAUSE_BYTES / 8, 2, true},
};
#define PAUSE_KINDS (sizeof pause_kinds / sizeof pause_kinds[0])

/* Adds the tables' entries. */
static void put_pause_memory(struct agpu_rig *r)
{
    agpu_rig_alloc(r, 1, &r->memory[0], 0);
    agpu_rig_alloc(r, 2, &r->memory[1], 0);
    agpu_rig_alloc(r, 3, &r->more[0], 0);
}

static bool pause_prepare(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_create_buffer(r, PAUSE_ZERO, 4, 0, 0);
    agpu_put_create_buffer(r, PAUSE_LIST, 4 * PAUSE_MOST, 0, 0);
    agpu_put_create_buffer(r, PAUSE_SHIFTED, 4 * PAUSE_MOST, 0, 0);
    agpu_put_create_buffer(r, PAUSE_LARGE, PAUSE_BYTES, 0, 0);
    agpu_put_create_buffer(r, PAUSE_LARGE_MORE, PAUSE_BYTES, 3, 0);
    agpu_put_create_buffer(r, PAUSE_END_MORE, 4, 3, PAUSE_LAST);
    agpu_put_create_buffer(r, PAUSE_UPLOADED, PAUSE_DATA, 0, 0);
    agpu_put_create_texture(r, PAUSE_ROW, RGBA, 1, PAUSE_ROWS, 0, 0);
    agpu_put_target(r, PAUSE_TARGET, RGBA, 1, PAUSE_ROWS);
    agpu_put_create_texture(r, PAUSE_ROW_1, RGBA, 1, PAUSE_ROWS, 4, 2);
    agpu_put_create_texture(r, PAUSE_TEXEL_ZERO, RGBA, 1, 1, 0, 0);
    agpu_put_create_texture(r, PAUSE_TEXEL_1, RGBA, 1, 1, 4, 2)->backing_offset_bytes = 4 * PAUSE_ROWS;
    agpu_put_create_buffer(r, PAUSE_END_1, 4, 2, 4 * (PAUSE_ROWS - 1));
    agpu_put_create_buffer(r, PAUSE_WORD_1, 4, 2, 4 * PAUSE_ROWS);
    agpu_put_target(r, PAUSE_PICTURE, RGBA, PAUSE_EDGE, PAUSE_EDGE);
    agpu_put_create_buffer(r, PAUSE_PIXEL_0, 4, 1, 4 * (PAUSE_EDGE * PAUSE_EDGE - 1));
    agpu_put_targets(r, PAUSE_TARGET, 0);
    agpu_put_clear_color(r, 1, 1, 1, 1);
    agpu_put_copy_texture(r, PAUSE_ROW, PAUSE_TARGET, 1, PAUSE_ROWS, 0);
    agpu_put_targets(r, PAUSE_PICTURE, 0);
    agpu_put_clear_color(r, 1, 1, 1, 1);
    memset(r->more[0].cpu, 0xFF, PAUSE_BYTES);
    agpu_put_dirty(r, PAUSE_LARGE_MORE, 0, PAUSE_BYTES);
    agpu_put_copy_buffer(r, PAUSE_LARGE, 0, PAUSE_LARGE_MORE, 0, PAUSE_BYTES, 0);
    put_pause_memory(r);
    return agpu_run_clean(t);
}

static bool pause_post(struct agpu_test *t, struct agpu_submission *submission, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (agpu_ring_post(&t->env->ring, submission) != AGPU_OK) {
            return agpu_check_place(t, "room in the ring for entry", i, 0, 1);
        }
        submission->fence = ++t->env->rig.fence;
    }
    t->env->rig.fence--;
    return true;
}

/* Posts the copies in front, of which `rows` shift the end of the pass; then the stream of the kind. */
static bool pause_run(struct agpu_test *t, const struct pause_kind *kind, uint32_t rows)
{
    struct agpu_rig *r = agpu_rig_of(t);
    const uint32_t count = (uint32_t)(PAUSE_REST / kind->cost);
    struct agpu_submission front, repeated;

    for (uint32_t i = 0; i < PAUSE_COPIES; i++) {
        agpu_put_copy_texture(r, PAUSE_TARGET, PAUSE_ROW, 1, PAUSE_ROWS, 0);
    }
    if (!agpu_check(t, agpu_rig_finish(r, &front)) || !pause_post(t, &front, PAUSE_FRONT)) {
        return false;
    }
    agpu_rig_begin(r);
    agpu_put_copy_texture(r, PAUSE_TARGET, PAUSE_ROW, 1, rows, 0);
    if (!agpu_check(t, agpu_rig_finish(r, &front)) || !pause_post(t, &front, 1)) {
        return false;
    }
    agpu_rig_begin(r);
    kind->put(r);
    put_pause_memory(r);
    if (!agpu_check(t, agpu_rig_finish(r, &repeated))) {
        return false;
    }
    repeated.flags = kind->presents ? AEROGPU_SUBMIT_FLAG_PRESENT : 0;
    if (!pause_post(t, &repeated, count)) {
        return false;
    }
    agpu_doorbell(&t->env->ring);
    return agpu_check_ok(t, agpu_fence_wait(&t->env->ring, r->fence));
}

/* Given a batch of equal packets, of which one exhausts a pass, each must have its effect. */
static void pause_packets(struct agpu_test *t)
{
    const struct agpu_ring_config config = {.entry_count = 2048};
    const struct agpu_screen screen = {
        .format = RGBA, .width = PAUSE_EDGE, .height = PAUSE_EDGE, .pitch = 4 * PAUSE_EDGE};
    struct agpu_rig *r = agpu_rig_of(t);
    const uint32_t *list = r->memory[AGPU_READBACK_MEMORY].cpu;

    agpu_assert(t, agpu_rig_more(r, PAUSE_BYTES) != NULL);
    agpu_assert_ok(t, agpu_ring_restart(t->env, &config));
    agpu_return_unless(pause_prepare(t));
    agpu_screen_configure(t, &screen);
    for (uint32_t i = 0; i < 2 * PAUSE_KINDS; i++) {
        const struct pause_kind *kind = &pause_kinds[i / 2];
        const uint32_t words = (uint32_t)(PAUSE_REST / kind->cost) * kind->words;
        uint32_t lost = 0;

        if (kind->presents && !t->env->model) { /* another device need not write the framebuffer */
            continue;
        }
        agpu_return_unless(agpu_time_left(t));
        agpu_return_unless(pause_run(t, kind, 1 + i % 2 * kind->cost / 2 / 132));
        agpu_rig_begin_over(r);
        agpu_put_readback(r, PAUSE_LIST, 0, 4 * words);
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t n = 0; n < words; n++) {
            lost += list[n] != PAUSE_WORD;
        }
        agpu_return_unless(agpu_check_u64(t, lost, 0, kind->what, false, AGPU_HERE));
        agpu_put_readback_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

static const struct agpu_case ring_pause_cases[] = {
    {.id = "ring.span.packets",
     .spec = "device.md 0",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_SCANOUT,
     .run = pause_packets},
};

AGPU_CASE_TABLE(agpu_cases_ring_pause, ring_pause_cases);
