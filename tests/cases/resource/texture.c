/* texture.c: textures at packet level: memory layout, uploads, copies with write-back, clears
 * (commands.md 5, 6, 11). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"

#define RGBA   AEROGPU_FORMAT_R8G8B8A8_UNORM
#define EDGE   32u
#define PITCH  256u /* wider than a row of 128 bytes */
#define POISON 0xAB

static uint8_t *resource_texture_texel(uint8_t *base, uint32_t x, uint32_t y)
{
    return base + y * PITCH + x * 4;
}

/* Guest-backed texture over rig memory, whose bytes are there already. */
static void put_guest_texture(struct agpu_test *t, uint32_t handle, unsigned memory, uint32_t flags)
{
    agpu_rig_alloc(agpu_rig_of(t), 10 + memory, &agpu_rig_of(t)->memory[memory], flags);
    agpu_put_create_texture(agpu_rig_of(t), handle, RGBA, EDGE, EDGE, PITCH, 10 + memory);
    agpu_put_dirty(agpu_rig_of(t), handle, 0, EDGE * PITCH);
}

/* Source 1 over memory 1 with a pattern, destination 2 over memory 0, poisoned. */
static void put_pair(struct agpu_test *t)
{
    agpu_fill_pattern(agpu_rig_of(t)->memory[1].cpu, agpu_rig_of(t)->memory[1].size, 3);
    memset(agpu_rig_of(t)->memory[0].cpu, POISON, agpu_rig_of(t)->memory[0].size);
    put_guest_texture(t, 1, 1, AEROGPU_ALLOC_FLAG_READONLY);
    put_guest_texture(t, 2, 0, AEROGPU_ALLOC_FLAG_NONE);
}

/* Memory 0 holds the source's rectangle at (x, y) and poison everywhere else, row padding included. */
static void check_rectangle(struct agpu_test *t, uint32_t x, uint32_t y, uint32_t src_x, uint32_t src_y,
                            uint32_t width, uint32_t height)
{
    uint8_t *actual = agpu_rig_of(t)->memory[0].cpu;
    uint8_t *expected = agpu_rig_of(t)->memory[2].cpu;

    memset(expected, POISON, agpu_rig_of(t)->memory[2].size);
    for (uint32_t row = 0; row < height; row++) {
        memcpy(resource_texture_texel(expected, x, y + row),
               resource_texture_texel(agpu_rig_of(t)->memory[1].cpu, src_x, src_y + row), width * 4);
    }
    agpu_check_eq_mem(t, actual, expected, agpu_rig_of(t)->memory[0].size);
}

static void copy_whole(struct agpu_test *t)
{
    put_pair(t);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    check_rectangle(t, 0, 0, 0, 0, EDGE, EDGE);
}

static void copy_rectangle(struct agpu_test *t)
{
    struct aerogpu_cmd_copy_texture2d *copy;

    put_pair(t);
    copy = agpu_put_copy_texture(agpu_rig_of(t), 2, 1, 17, 9, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    copy->src_x = 3;
    copy->src_y = 5;
    copy->dst_x = 15; /* ends at the right edge */
    copy->dst_y = 23; /* ends at the bottom edge */
    agpu_return_unless(agpu_run_clean(t));
    check_rectangle(t, 15, 23, 3, 5, 17, 9);
}

static void copy_one_texel(struct agpu_test *t)
{
    put_pair(t);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, 1, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    check_rectangle(t, 0, 0, 0, 0, 1, 1);
}

static void copy_nothing(struct agpu_test *t)
{
    put_pair(t);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, 0, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, EDGE, 0, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    check_rectangle(t, 0, 0, 0, 0, 0, 0);
}

static void upload_host_owned(struct agpu_test *t)
{
    uint8_t *data = agpu_rig_of(t)->memory[1].cpu;

    /* Tight rows in the upload, PITCH in the destination's memory. */
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

/* A packet that must be refused; put() adds it to a stream in which the pair exists. */
struct texture_fault {
    void (*put)(struct agpu_rig *rig);
};

static void beyond_source(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 2, 1, 8, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST)->src_x = EDGE - 7;
}

static void beyond_destination(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 2, 1, 8, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST)->dst_y = EDGE - 7;
}

static void origin_wraps(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 2, 1, 8, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST)->src_x = UINT32_MAX - 3;
}

static void bad_mip(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 2, 1, 1, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST)->src_mip_level = 1;
}

static void bad_layer(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 2, 1, 1, 1, AEROGPU_COPY_FLAG_WRITEBACK_DST)->src_array_layer = 1;
}

static void unknown_source(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 2, 99, 8, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void other_format(struct agpu_rig *r)
{
    agpu_put_create_texture(r, 3, AEROGPU_FORMAT_B8G8R8A8_UNORM, EDGE, EDGE, 0, 0);
    agpu_put_copy_texture(r, 2, 3, 8, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void to_readonly(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, 1, 2, 8, 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

static void bad_format(struct agpu_rig *r)
{
    agpu_put_create_texture(r, 3, 0x1234, EDGE, EDGE, 0, 0);
}

static void pitch_too_small(struct agpu_rig *r)
{
    agpu_put_create_texture(r, 3, RGBA, EDGE, EDGE, EDGE * 4 - 4, 0);
}

static void backing_too_small(struct agpu_rig *r)
{
    agpu_put_create_texture(r, 3, RGBA, EDGE, AGPU_RIG_MEMORY_BYTES / PITCH + 1, PITCH, 10);
}

static void resource_texture_upload_beyond(struct agpu_rig *r)
{
    static const uint8_t data[8];

    agpu_put_create_texture(r, 3, RGBA, 4, 4, 0, 0);
    agpu_put_upload(r, 3, 60, data, 8);
}

static void resource_texture_refused(struct agpu_test *t)
{
    const struct texture_fault *fault = t->test_case->arg;

    put_pair(t);
    agpu_return_unless(agpu_run_clean(t));
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(agpu_rig_of(t), 11, &agpu_rig_of(t)->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    memcpy(agpu_rig_of(t)->memory[2].cpu, agpu_rig_of(t)->memory[1].cpu, agpu_rig_of(t)->memory[1].size);
    fault->put(agpu_rig_of(t));
    agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    agpu_check_filled(t, agpu_rig_of(t)->memory[0].cpu, POISON, agpu_rig_of(t)->memory[0].size);
    agpu_check_eq_mem(t, agpu_rig_of(t)->memory[1].cpu, agpu_rig_of(t)->memory[2].cpu,
                      agpu_rig_of(t)->memory[1].size);
}

static uint32_t float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Clears a device-owned target and reads it back. */
static void resource_texture_clear(struct agpu_test *t, uint32_t format, const uint8_t expected[4])
{
    static const float color[4] = {1.0f, 0.5f, 0.25f, 0.0f};
    struct aerogpu_cmd_set_render_targets *targets;
    struct aerogpu_cmd_clear *packet;
    uint32_t bits[4];
    uint8_t *memory = agpu_rig_of(t)->memory[0].cpu;

    memset(memory, POISON, agpu_rig_of(t)->memory[0].size);
    agpu_rig_alloc(agpu_rig_of(t), 10, &agpu_rig_of(t)->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(agpu_rig_of(t), 1, format, EDGE, EDGE, 0, 0)->usage_flags |=
        AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
    agpu_put_create_texture(agpu_rig_of(t), 2, format, EDGE, EDGE, PITCH, 10);
    agpu_put_dirty(agpu_rig_of(t), 2, 0, EDGE * PITCH);
    targets = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *targets);
    targets->color_count = 1;
    targets->colors[0] = 1;
    packet = agpu_rig_packet(agpu_rig_of(t), AEROGPU_CMD_CLEAR, sizeof *packet);
    packet->flags = AEROGPU_CLEAR_COLOR;
    for (unsigned i = 0; i < 4; i++) {
        bits[i] = float_bits(color[i]);
    }
    memcpy(packet->color_rgba_f32, bits, sizeof bits);
    agpu_put_copy_texture(agpu_rig_of(t), 2, 1, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t y = 0; y < EDGE; y++) {
        for (uint32_t x = 0; x < EDGE; x++) {
            agpu_return_unless(agpu_check_eq_mem(t, resource_texture_texel(memory, x, y), expected, 4));
        }
    }
    agpu_check_filled(t, memory + EDGE * 4, POISON, PITCH - EDGE * 4);
}

static void clear_rgba(struct agpu_test *t)
{
    resource_texture_clear(t, AEROGPU_FORMAT_R8G8B8A8_UNORM, (const uint8_t[]){255, 128, 64, 0});
}

static void clear_bgra(struct agpu_test *t)
{
    resource_texture_clear(t, AEROGPU_FORMAT_B8G8R8A8_UNORM, (const uint8_t[]){64, 128, 255, 0});
}

#define TEXTURE_CASE(name, section, function)                                                                \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = AEROGPU_FEATURE_TRANSFER,      \
        .run = (function)                                                                                    \
    }
#define TEXTURE_FAULT(name, choice, function)                                                                \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 6", .needs = AGPU_NEED_RING, .flags = (choice),                   \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = resource_texture_refused,  \
        .arg = &(const struct texture_fault){function},                                                      \
    }

static const struct agpu_case cases[] = {
    TEXTURE_CASE("texture.copy.whole", "commands.md 6.4", copy_whole),
    TEXTURE_CASE("texture.copy.rectangle", "commands.md 6.4", copy_rectangle),
    TEXTURE_CASE("texture.copy.one_texel", "commands.md 6.4", copy_one_texel),
    TEXTURE_CASE("texture.copy.nothing", "commands.md 6.4", copy_nothing),
    TEXTURE_CASE("texture.upload.host_owned", "commands.md 6.3", upload_host_owned),
    TEXTURE_CASE("texture.dirty.rows", "commands.md 6.2", dirty_rows),
    TEXTURE_FAULT("texture.copy_fault.beyond_source", 0, beyond_source),
    TEXTURE_FAULT("texture.copy_fault.beyond_destination", 0, beyond_destination),
    TEXTURE_FAULT("texture.copy_fault.origin_wraps", 0, origin_wraps),
    TEXTURE_FAULT("texture.copy_fault.mip_out_of_range", 0, bad_mip),
    TEXTURE_FAULT("texture.copy_fault.layer_out_of_range", 0, bad_layer),
    TEXTURE_FAULT("texture.copy_fault.unknown_source", 0, unknown_source),
    TEXTURE_FAULT("texture.copy_fault.other_format", 0, other_format),
    TEXTURE_FAULT("texture.copy_fault.writeback_to_readonly", 0, to_readonly),
    TEXTURE_FAULT("texture.create_fault.unknown_format", AGPU_CASE_MODEL_CHOICE, bad_format),
    TEXTURE_FAULT("texture.create_fault.pitch_below_row", 0, pitch_too_small),
    TEXTURE_FAULT("texture.create_fault.backing_too_small", 0, backing_too_small),
    TEXTURE_FAULT("texture.upload_fault.beyond_end", 0, resource_texture_upload_beyond),
    TEXTURE_CASE("render.clear.rgba", "commands.md 11", clear_rgba),
    TEXTURE_CASE("render.clear.bgra", "commands.md 11", clear_bgra),
};

AGPU_CASE_TABLE(agpu_cases_resource_texture, cases);
