/* texture_fault.c: texture packets that must be refused, each alone in its submission, and change nothing (commands.md
 * 3, 6). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA  AEROGPU_FORMAT_R8G8B8A8_UNORM
#define BC1   AEROGPU_FORMAT_BC1_RGBA_UNORM
#define EDGE  16u
#define PITCH 72u
#define BYTES (EDGE * PITCH)
#define KNOWN 4096u /* bytes of each memory to check */

/* Resources that exist: 1 over memory 1, READONLY, and 2 over memory 0, guest-backed; 3 and 4 host-owned, of two
 * formats; 5 a buffer; for blocks, 6 and 7 of BC1. Allocations 10 and 11 are in the faulty submission's table. */
#define READONLY 1u
#define GUEST    2u
#define HOST     3u
#define OTHER    4u
#define BUFFER   5u
#define BLOCKS   6u
#define BLOCKS_2 7u
#define ABSENT   99u
#define VIEW     8u  /* of HOST, for rows with views */
#define TWIN     9u  /* of HOST, in the sRGB format */
#define FULL     10u /* with two mips and layers, for rows with views */
#define FRESH    20u

#define WRITE AEROGPU_COPY_FLAG_WRITEBACK_DST

#define LIKE_SW  1u
#define LIKE_D11 2u
#define LIKE_D9  4u

struct texture_fault {
    void (*put)(struct agpu_rig *rig);
    uint32_t like; /* a device like one of these LIKE_* may accept it, without effect on the resources */
    bool copies;   /* and copies then: its destination is not checked */
    bool blocks;   /* needs the textures of blocks */
    bool views;    /* needs views */
};

static uint8_t host_texels[EDGE * EDGE * 4];
static uint8_t guest_texels[EDGE * EDGE * 4];

static void put_fault_textures(struct agpu_rig *r)
{
    agpu_fill_origin(r->memory[1].cpu, KNOWN, 1, AGPU_FROM_DEVICE);
    agpu_fill_origin(r->memory[0].cpu, KNOWN, 2, AGPU_FROM_DEVICE);
    for (uint32_t y = 0; y < EDGE; y++) {
        memcpy(guest_texels + y * EDGE * 4, (uint8_t *)r->memory[0].cpu + y * PITCH, EDGE * 4);
    }
    agpu_fill_origin(host_texels, sizeof host_texels, 3, AGPU_FROM_SOURCE);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    agpu_put_create_texture(r, READONLY, RGBA, EDGE, EDGE, PITCH, 11);
    agpu_put_dirty(r, READONLY, 0, BYTES);
    agpu_put_create_texture(r, GUEST, RGBA, EDGE, EDGE, PITCH, 10);
    agpu_put_dirty(r, GUEST, 0, BYTES);
    agpu_put_create_texture(r, HOST, RGBA, EDGE, EDGE, 0, 0);
    agpu_put_upload(r, HOST, 0, host_texels, sizeof host_texels);
    agpu_put_create_texture(r, OTHER, AEROGPU_FORMAT_B8G8R8A8_UNORM, EDGE, EDGE, 0, 0);
    agpu_put_create_texture(r, TWIN, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, EDGE, EDGE, 0, 0);
    agpu_put_create_buffer(r, BUFFER, BYTES, 0, 0);
}

static void put_fault_reads(struct agpu_rig *r)
{
    agpu_reads_begin(r);
    agpu_put_texture_read(r, HOST, RGBA, 0, 0, EDGE, EDGE);
    agpu_put_texture_read(r, GUEST, RGBA, 0, 0, EDGE, EDGE);
}

static bool check_fault_reads(struct agpu_test *t, bool without_guest)
{
    return agpu_check_texture_read(t, 0, host_texels, 0, "the host-owned texture") &&
           (without_guest || agpu_check_texture_read(t, 1, guest_texels, 0, "the guest-backed texture"));
}

/* Given one faulty texture packet, alone in its submission, the device must refuse it and change neither textures nor
 * guest memory. */
static void texture_fault_run(struct agpu_test *t)
{
    const struct texture_fault *fault = t->test_case->arg;
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *expected = r->memory[2].cpu;
    bool passed = false;

    agpu_return_unless(executor != NULL);
    agpu_return_unless(!fault->views || agpu_asks(t, AGPU_ASKS_VIEWS));
    put_fault_textures(r);
    if (fault->views) {
        struct aerogpu_cmd_create_texture2d *full = agpu_put_create_texture(r, FULL, RGBA, EDGE, EDGE, 0, 0);

        full->mip_levels = 2;
        full->array_layers = executor->six_layers ? 6 : 2;
        agpu_put_view(r, VIEW, HOST, RGBA);
    }
    if (fault->blocks) {
        agpu_put_create_texture(r, BLOCKS, BC1, EDGE - 2, EDGE - 2, 0, 0);
        agpu_put_create_texture(r, BLOCKS_2, BC1, EDGE - 2, EDGE - 2, 0, 0);
    }
    put_fault_reads(r);
    agpu_return_unless(agpu_run_clean(t) && check_fault_reads(t, false));
    agpu_put_reads_done(r);
    agpu_return_unless(agpu_run_clean(t));

    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(r, 11, &r->memory[1], AEROGPU_ALLOC_FLAG_READONLY);
    fault->put(r);
    if ((executor->implicit && (fault->like & LIKE_SW) != 0) ||
        (executor->first_only && (fault->like & LIKE_D11) != 0) ||
        (executor->six_layers && (fault->like & LIKE_D9) != 0)) {
        agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed);
    } else {
        agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE);
    }
    passed = passed && fault->copies;
    agpu_fill_origin(expected, KNOWN, 2, AGPU_FROM_DEVICE);
    if (!passed) {
        agpu_check_origins(t, r->memory[0].cpu, expected, KNOWN,
                           "guest memory of the texture after the refused packet");
    }
    agpu_fill_origin(expected, KNOWN, 1, AGPU_FROM_DEVICE);
    agpu_check_origins(t, r->memory[1].cpu, expected, KNOWN, "memory that is READONLY");
    put_fault_reads(r);
    agpu_return_unless(agpu_run_clean(t));
    check_fault_reads(t, passed);
}

/* ---- copies ---- */

static void beyond_source(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 8, 8, WRITE)->src_x = EDGE - 7;
}

static void beyond_source_bottom(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 8, 8, WRITE)->src_y = EDGE - 7;
}

static void beyond_destination(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 8, 8, WRITE)->dst_y = EDGE - 7;
}

static void beyond_destination_right(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 8, 8, WRITE)->dst_x = EDGE - 7;
}

static void wider_than_both(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, EDGE + 1, 1, WRITE);
}

static void origin_wraps(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 8, 8, WRITE)->src_x = UINT32_MAX - 3;
}

static void destination_wraps(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 8, 8, WRITE)->dst_y = UINT32_MAX - 7;
}

static void bad_mip(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 1, 1, WRITE)->src_mip_level = 1;
}

static void bad_destination_mip(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 1, 1, WRITE)->dst_mip_level = 1;
}

static void bad_layer(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 1, 1, WRITE)->src_array_layer = 1;
}

static void bad_destination_layer(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 1, 1, WRITE)->dst_array_layer = 1;
}

static void unknown_source(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, ABSENT, 8, 8, WRITE);
}

static void unknown_destination(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, ABSENT, HOST, 8, 8, WRITE);
}

static void source_is_buffer(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, BUFFER, 8, 8, WRITE);
}

static void buffer_copy_of_textures(struct agpu_rig *r)
{
    agpu_put_copy_buffer(r, GUEST, 0, HOST, 0, 64, WRITE);
}

static void other_format(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, OTHER, 8, 8, WRITE);
}

static void srgb_twin(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, TWIN, 8, 8, WRITE);
}

static void to_readonly(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, READONLY, HOST, 8, 8, WRITE);
}

static void to_host_owned(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, HOST, GUEST, 8, 8, WRITE);
}

static void onto_itself(struct agpu_rig *r)
{
    struct aerogpu_cmd_copy_texture2d *copy = agpu_put_copy_texture(r, GUEST, GUEST, 4, 4, WRITE);

    copy->dst_x = 8;
    copy->dst_y = 8;
}

static void unknown_flag(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, HOST, 8, 8, WRITE | 0x80);
}

static void blocks_source_misaligned(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, BLOCKS_2, BLOCKS, 4, 4, 0)->src_x = 2;
}

static void blocks_destination_misaligned(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, BLOCKS_2, BLOCKS, 4, 4, 0)->dst_y = 1;
}

static void blocks_partial(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, BLOCKS_2, BLOCKS, 6, 4, 0);
}

/* ---- creation ---- */

static void bad_format(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, 0x1234, EDGE, EDGE, 0, 0);
}

static void format_zero(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, 0, EDGE, EDGE, 0, 0);
}

static void create_texture_zero(struct agpu_rig *r)
{
    agpu_put_create_texture(r, 0, RGBA, EDGE, EDGE, 0, 0);
}

static void no_width(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, 0, EDGE, 0, 0);
}

static void no_height(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, 0, 0, 0);
}

static void no_mips(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, EDGE, 0, 0)->mip_levels = 0;
}

static void too_many_mips(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, 4, 0, 0)->mip_levels = 6; /* five down to one texel */
}

static void no_layers(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, EDGE, 0, 0)->array_layers = 0;
}

static void pitch_too_small(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, EDGE, EDGE * 4 - 4, 0);
}

static void backing_without_pitch(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, EDGE, 0, 10);
}

static void backing_too_small(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, AGPU_RIG_MEMORY_BYTES / PITCH + 1, PITCH, 10);
}

static void backing_passes_end(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, EDGE, PITCH, 10)->backing_offset_bytes =
        AGPU_RIG_MEMORY_BYTES - BYTES + 4;
}

static void layers_pass_end(struct agpu_rig *r)
{
    struct aerogpu_cmd_create_texture2d *texture = agpu_put_create_texture(r, FRESH, RGBA, 128, 64, 512, 10);

    texture->array_layers = 6; /* two of them fit */
}

static void texture_unknown_alloc(struct agpu_rig *r)
{
    agpu_put_create_texture(r, FRESH, RGBA, EDGE, EDGE, PITCH, 12);
}

static void alive_with_other_width(struct agpu_rig *r)
{
    agpu_put_create_texture(r, HOST, RGBA, EDGE * 2, EDGE, 0, 0);
}

static void alive_with_other_height(struct agpu_rig *r)
{
    agpu_put_create_texture(r, HOST, RGBA, EDGE, EDGE / 2, 0, 0);
}

static void alive_with_other_format(struct agpu_rig *r)
{
    agpu_put_create_texture(r, HOST, AEROGPU_FORMAT_R8G8B8A8_UNORM_SRGB, EDGE, EDGE, 0, 0);
}

static void alive_with_other_mips(struct agpu_rig *r)
{
    agpu_put_create_texture(r, HOST, RGBA, EDGE, EDGE, 0, 0)->mip_levels = 2;
}

static void alive_with_other_layers(struct agpu_rig *r)
{
    agpu_put_create_texture(r, HOST, RGBA, EDGE, EDGE, 0, 0)->array_layers = 6;
}

static void alive_with_other_pitch(struct agpu_rig *r)
{
    agpu_put_create_texture(r, HOST, RGBA, EDGE, EDGE, EDGE * 4 + 16, 0);
}

static void alive_with_other_usage(struct agpu_rig *r)
{
    agpu_put_create_texture(r, HOST, RGBA, EDGE, EDGE, 0, 0)->usage_flags |=
        AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
}

static void alive_as_buffer(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, HOST, BYTES, 0, 0);
}

/* ---- uploads and dirty ranges ---- */

static void resource_texture_upload_beyond(struct agpu_rig *r)
{
    static const uint8_t data[8];

    agpu_put_upload(r, HOST, sizeof host_texels - 4, data, 8);
}

static void texture_upload_wraps(struct agpu_rig *r)
{
    static const uint8_t data[8];

    agpu_put_upload(r, HOST, UINT64_MAX - 3, data, 8);
}

static void texture_upload_above_4_gib(struct agpu_rig *r)
{
    static const uint8_t data[8];

    agpu_put_upload(r, HOST, UINT64_C(1) << 32, data, 8);
}

static void texture_dirty_beyond(struct agpu_rig *r)
{
    agpu_put_dirty(r, GUEST, BYTES - 4, 8);
}

/* ---- views ---- */

static void view_layers_beyond(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, HOST, RGBA)->array_layer_count = 2;
}

static void view_layer_beyond(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, HOST, RGBA)->base_array_layer = 1;
}

static void view_mips_beyond(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, HOST, RGBA)->mip_level_count = 2;
}

static void view_mip_wraps(struct agpu_rig *r)
{
    struct aerogpu_cmd_create_texture_view *view = agpu_put_view(r, FRESH, HOST, RGBA);

    view->base_mip_level = UINT32_MAX;
    view->mip_level_count = 2;
}

static void view_mips_wrap(struct agpu_rig *r)
{
    struct aerogpu_cmd_create_texture_view *view = agpu_put_view(r, FRESH, FULL, RGBA);

    view->base_mip_level = 1;
    view->mip_level_count = UINT32_MAX;
}

static void view_layers_wrap(struct agpu_rig *r)
{
    struct aerogpu_cmd_create_texture_view *view = agpu_put_view(r, FRESH, FULL, RGBA);

    view->base_array_layer = 1;
    view->array_layer_count = UINT32_MAX;
}

static void view_of_no_mips(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, HOST, RGBA)->mip_level_count = 0;
}

static void view_of_no_layers(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, HOST, RGBA)->array_layer_count = 0;
}

static void view_of_absent(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, ABSENT, RGBA);
}

static void view_of_buffer(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, BUFFER, RGBA);
}

static void view_of_view(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, VIEW, RGBA);
}

static void view_of_other_format(struct agpu_rig *r)
{
    agpu_put_view(r, FRESH, HOST, AEROGPU_FORMAT_B8G8R8A8_UNORM);
}

static void view_of_taken_handle(struct agpu_rig *r)
{
    agpu_put_view(r, OTHER, HOST, RGBA);
}

static void buffer_over_view(struct agpu_rig *r)
{
    agpu_put_create_buffer(r, VIEW, 64, 0, 0);
}

static void texture_over_view(struct agpu_rig *r)
{
    agpu_put_create_texture(r, VIEW, RGBA, EDGE, EDGE, 0, 0);
}

static void import_over_view(struct agpu_rig *r)
{
    agpu_put_export(r, HOST, AGPU_TOKEN);
    agpu_put_import(r, VIEW, AGPU_TOKEN);
}

static void copy_to_view(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, VIEW, GUEST, 8, 8, 0);
}

static void copy_from_view(struct agpu_rig *r)
{
    agpu_put_copy_texture(r, GUEST, VIEW, 8, 8, WRITE);
}

static void upload_to_view(struct agpu_rig *r)
{
    static const uint8_t data[8];

    agpu_put_upload(r, VIEW, 0, data, 8);
}

#define TEXTURE_FAULT(name, function, ...)                                                                   \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 6", .needs = AGPU_NEED_RING,                                      \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = texture_fault_run,         \
        .arg = &(const struct texture_fault){.put = (function), __VA_ARGS__},                                \
    }
#define VIEW_FAULT(name, function)       TEXTURE_FAULT(name, function, .views = true)
#define STRICT(name, function)           TEXTURE_FAULT(name, function, .like = 0)
#define TOLERATED(name, function)        TEXTURE_FAULT(name, function, .like = LIKE_SW)
#define TOLERATED_COPIES(name, function) TEXTURE_FAULT(name, function, .like = LIKE_SW, .copies = true)

static const struct agpu_case resource_texture_fault_cases[] = {
    /* the source rectangle ends one texel right of the texture */
    STRICT("texture.copy_fault.beyond_source", beyond_source),
    STRICT("texture.copy_fault.beyond_source_bottom", beyond_source_bottom),
    /* the destination rectangle ends one texel below the texture */
    STRICT("texture.copy_fault.beyond_destination", beyond_destination),
    STRICT("texture.copy_fault.beyond_destination_right", beyond_destination_right),
    STRICT("texture.copy_fault.wider_than_both", wider_than_both),
    /* src_x plus width passes 2^32 */
    STRICT("texture.copy_fault.origin_wraps", origin_wraps),
    /* dst_y plus height is 2^32 */
    STRICT("texture.copy_fault.destination_wraps", destination_wraps),
    STRICT("texture.copy_fault.mip_out_of_range", bad_mip),
    STRICT("texture.copy_fault.destination_mip_out_of_range", bad_destination_mip),
    STRICT("texture.copy_fault.layer_out_of_range", bad_layer),
    STRICT("texture.copy_fault.destination_layer_out_of_range", bad_destination_layer),
    STRICT("texture.copy_fault.unknown_source", unknown_source),
    STRICT("texture.copy_fault.unknown_destination", unknown_destination),
    STRICT("texture.copy_fault.source_is_buffer", source_is_buffer),
    /* COPY_BUFFER between two textures */
    STRICT("texture.copy_fault.textures_as_buffers", buffer_copy_of_textures),
    STRICT("texture.copy_fault.other_format", other_format),
    /* a source of the sRGB format, whose bytes would be the same */
    STRICT("texture.copy_fault.srgb_twin", srgb_twin),
    STRICT("texture.copy_fault.writeback_to_readonly", to_readonly),
    STRICT("texture.copy_fault.writeback_to_host_owned", to_host_owned),
    /* a copy between two places of one texture */
    TEXTURE_FAULT("texture.copy_fault.same_handle", onto_itself, .like = LIKE_SW | LIKE_D11 | LIKE_D9,
                  .copies = true),
    TOLERATED_COPIES("texture.copy_fault.unknown_flag", unknown_flag),
    TEXTURE_FAULT("texture.copy_fault.blocks_source_misaligned", blocks_source_misaligned, .like = LIKE_SW,
                  .blocks = true),
    TEXTURE_FAULT("texture.copy_fault.blocks_destination_misaligned", blocks_destination_misaligned,
                  .like = LIKE_SW, .blocks = true),
    /* a partial block that is not at the edge */
    TEXTURE_FAULT("texture.copy_fault.blocks_partial", blocks_partial, .like = LIKE_SW, .blocks = true),
    TOLERATED("texture.create_fault.unknown_format", bad_format),
    TOLERATED("texture.create_fault.format_zero", format_zero),
    TOLERATED("texture.create_fault.handle_zero", create_texture_zero),
    TOLERATED("texture.create_fault.no_width", no_width),
    TOLERATED("texture.create_fault.no_height", no_height),
    TOLERATED("texture.create_fault.no_mips", no_mips),
    TOLERATED("texture.create_fault.too_many_mips", too_many_mips),
    TOLERATED("texture.create_fault.no_layers", no_layers),
    STRICT("texture.create_fault.pitch_below_row", pitch_too_small),
    TOLERATED("texture.create_fault.backing_without_pitch", backing_without_pitch),
    STRICT("texture.create_fault.backing_too_small", backing_too_small),
    STRICT("texture.create_fault.backing_passes_end", backing_passes_end),
    STRICT("texture.create_fault.layers_pass_end", layers_pass_end),
    STRICT("texture.create_fault.unknown_alloc", texture_unknown_alloc),
    STRICT("texture.create_fault.alive_with_other_width", alive_with_other_width),
    STRICT("texture.create_fault.alive_with_other_height", alive_with_other_height),
    STRICT("texture.create_fault.alive_with_other_format", alive_with_other_format),
    STRICT("texture.create_fault.alive_with_other_mips", alive_with_other_mips),
    STRICT("texture.create_fault.alive_with_other_layers", alive_with_other_layers),
    STRICT("texture.create_fault.alive_with_other_pitch", alive_with_other_pitch),
    STRICT("texture.create_fault.alive_with_other_usage", alive_with_other_usage),
    STRICT("texture.create_fault.alive_as_buffer", alive_as_buffer),
    STRICT("texture.upload_fault.beyond_end", resource_texture_upload_beyond),
    STRICT("texture.upload_fault.range_wraps", texture_upload_wraps),
    STRICT("texture.upload_fault.offset_above_4_gib", texture_upload_above_4_gib),
    TEXTURE_FAULT("texture.dirty_fault.beyond_end", texture_dirty_beyond, .like = LIKE_SW | LIKE_D11),
    VIEW_FAULT("texture.view_fault.layers_beyond", view_layers_beyond),
    VIEW_FAULT("texture.view_fault.layer_beyond", view_layer_beyond),
    VIEW_FAULT("texture.view_fault.mips_beyond", view_mips_beyond),
    VIEW_FAULT("texture.view_fault.mip_wraps", view_mip_wraps),
    /* first plus count of mips is 0 in 32 bits */
    VIEW_FAULT("texture.view_fault.mips_wrap", view_mips_wrap),
    /* first plus count of layers is 0 in 32 bits */
    VIEW_FAULT("texture.view_fault.layers_wrap", view_layers_wrap),
    VIEW_FAULT("texture.view_fault.no_mips", view_of_no_mips),
    VIEW_FAULT("texture.view_fault.no_layers", view_of_no_layers),
    VIEW_FAULT("texture.view_fault.unknown_texture", view_of_absent),
    VIEW_FAULT("texture.view_fault.of_buffer", view_of_buffer),
    VIEW_FAULT("texture.view_fault.of_view", view_of_view),
    VIEW_FAULT("texture.view_fault.other_format", view_of_other_format),
    VIEW_FAULT("texture.view_fault.handle_taken", view_of_taken_handle),
    /* a buffer created with the handle of a view */
    VIEW_FAULT("texture.view_fault.buffer_over_view", buffer_over_view),
    /* a texture created with the handle of a view */
    VIEW_FAULT("texture.view_fault.texture_over_view", texture_over_view),
    /* a shared surface imported into the handle of a view */
    VIEW_FAULT("texture.view_fault.import_over_view", import_over_view),
    VIEW_FAULT("texture.view_fault.copy_to_view", copy_to_view),
    VIEW_FAULT("texture.view_fault.copy_from_view", copy_from_view),
    VIEW_FAULT("texture.view_fault.upload_to_view", upload_to_view),
};

AGPU_CASE_TABLE(agpu_cases_resource_texture_fault, resource_texture_fault_cases);
