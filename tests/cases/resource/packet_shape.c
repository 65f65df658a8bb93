/* packet_shape.c: packets that are longer than their structures, reserved fields that are not zero, and every structure
 * cut short (commands.md 1, 3). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/submit.h"

#define RGBA  AEROGPU_FORMAT_R8G8B8A8_UNORM
#define EDGE  8u
#define BYTES (EDGE * EDGE * 4)
#define TOKEN UINT64_C(0x5566778811223344)

/* Handles: buffers 1 to 3, the last guest-backed; textures 4 to 6 likewise; 7 is an alias of 4. */
static void put_all_kinds(struct agpu_rig *r, const uint8_t data[BYTES], uint32_t ones)
{
    struct aerogpu_cmd_create_texture2d *texture;
    struct aerogpu_cmd_copy_texture2d *copied;
    struct aerogpu_cmd_copy_buffer *copy;
    struct aerogpu_cmd_export_shared_surface *export;
    struct aerogpu_cmd_import_shared_surface *import;
    struct aerogpu_cmd_release_shared_surface *release;
    struct aerogpu_cmd_destroy_resource *destroy;
    struct aerogpu_cmd_resource_dirty_range *dirty;

    agpu_put_create_buffer(r, 1, BYTES, 0, 0)->reserved0 = ones;
    agpu_put_create_buffer(r, 2, BYTES, 0, 0)->reserved0 = ones;
    agpu_put_create_buffer(r, 3, BYTES, 9, 0)->reserved0 = ones;
    dirty = agpu_rig_packet(r, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, sizeof *dirty);
    dirty->resource_handle = 3;
    dirty->reserved0 = ones;
    dirty->size_bytes = BYTES;
    agpu_put_upload(r, 1, 0, data, BYTES)->reserved0 = ones;
    copy = agpu_put_copy_buffer(r, 2, 0, 1, 0, BYTES, AEROGPU_COPY_FLAG_NONE);
    copy->reserved0 = ones;
    copy = agpu_put_copy_buffer(r, 3, 0, 2, 0, BYTES, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    copy->reserved0 = ones;
    for (uint32_t handle = 4; handle <= 6; handle++) {
        texture = agpu_put_create_texture(r, handle, RGBA, EDGE, EDGE, EDGE * 4, handle == 6 ? 9 : 0);
        texture->usage_flags |= AEROGPU_RESOURCE_USAGE_RENDER_TARGET;
        texture->backing_offset_bytes = handle == 6 ? BYTES : 0;
        texture->reserved0 = ones;
    }
    agpu_put_dirty(r, 6, 0, BYTES);
    export = agpu_rig_packet(r, AEROGPU_CMD_EXPORT_SHARED_SURFACE, sizeof *export);
    export->resource_handle = 4;
    export->reserved0 = ones;
    export->share_token = TOKEN;
    import = agpu_rig_packet(r, AEROGPU_CMD_IMPORT_SHARED_SURFACE, sizeof *import);
    import->out_resource_handle = 7;
    import->reserved0 = ones;
    import->share_token = TOKEN;
    release = agpu_rig_packet(r, AEROGPU_CMD_RELEASE_SHARED_SURFACE, sizeof *release);
    release->share_token = TOKEN;
    release->reserved0 = ones;
    agpu_put_targets(r, 7, 0);
    agpu_put_clear_color(r, 0, 0, 0, 1);
    agpu_put_upload(r, 4, BYTES / 2, data, BYTES / 2)->reserved0 = ones;
    copied = agpu_put_copy_texture(r, 5, 7, EDGE, EDGE, AEROGPU_COPY_FLAG_NONE);
    copied->reserved0 = ones;
    copied = agpu_put_copy_texture(r, 6, 5, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    copied->reserved0 = ones;
    destroy = agpu_rig_packet(r, AEROGPU_CMD_DESTROY_RESOURCE, sizeof *destroy);
    destroy->resource_handle = 1;
    destroy->reserved0 = ones;
}

static void all_kinds(struct agpu_test *t, uint32_t trailer, uint32_t ones)
{
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t *expected = r->memory[2].cpu;
    uint8_t data[BYTES];

    agpu_fill_origin(data, sizeof data, 1, AGPU_FROM_SOURCE);
    agpu_fill_origin(r->memory[0].cpu, r->memory[0].size, 2, AGPU_FROM_GUEST);
    memcpy(expected, r->memory[0].cpu, r->memory[0].size);
    memcpy(expected, data, BYTES);
    for (uint32_t at = BYTES; at < BYTES + BYTES / 2; at += 4) {
        memcpy(expected + at, (const uint8_t[]){0, 0, 0, 255}, 4);
    }
    memcpy(expected + BYTES + BYTES / 2, data, BYTES / 2);
    agpu_rig_alloc(r, 9, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    r->trailer = trailer;
    put_all_kinds(r, data, ones);
    r->trailer = 0;
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_origins(t, r->memory[0].cpu, expected, r->memory[0].size,
                       "a buffer's 256 bytes, then a texture's, written back");
    agpu_put_create_buffer(r, 1, 2 * BYTES, 0, 0); /* it was destroyed */
    agpu_run_clean(t);
}

/* Every packet must work with extra bytes after its structure. */
static void packets_longer(struct agpu_test *t)
{
    all_kinds(t, 20, 0);
}

/* Every packet must work whatever its reserved fields contain. */
static void packets_reserved_fields(struct agpu_test *t)
{
    all_kinds(t, 0, UINT32_MAX);
}

/* ---- short ones ---- */

struct short_packet {
    uint32_t opcode;
    uint32_t size; /* the smallest valid size */
    const char *name;
};

#define AEROGPU_PACKET(NAME, name, tag, smallest, ...)                                                       \
    {AEROGPU_CMD_##NAME, (smallest), #NAME " cut short is refused"},
static const struct short_packet shape_packets[] = {
#include "ring/protocol/packets.def"
};

/* Each packet that is too short for its structure must be refused; known devices may accept those that they do not
 * read. */
static void packets_short(struct agpu_test *t)
{
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL);
    for (uint32_t i = 0; i < sizeof shape_packets / sizeof shape_packets[0]; i++) {
        bool passed = false;

        const bool view = shape_packets[i].opcode == AEROGPU_CMD_CREATE_TEXTURE_VIEW ||
                          shape_packets[i].opcode == AEROGPU_CMD_DESTROY_TEXTURE_VIEW;

        if (shape_packets[i].size <= sizeof(struct aerogpu_cmd_hdr) ||
            (view && agpu_abi_minor(&t->env->abi) < 4)) { /* known devices skip it by its size */
            continue;
        }
        agpu_rig_packet(r, shape_packets[i].opcode, shape_packets[i].size - 4);
        if (executor->implicit || executor->six_layers) {
            agpu_return_unless(agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed));
        } else if (!agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE)) {
            agpu_check_true(t, false, shape_packets[i].name, AGPU_HERE);
            return;
        }
    }
}

#define SHAPE_CASE(name, function)                                                                           \
    {                                                                                                        \
        .id = (name), .spec = "commands.md 1", .needs = AGPU_NEED_RING,                                      \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case resource_packet_shape_cases[] = {
    SHAPE_CASE("error.packet.longer_than_known", packets_longer),
    SHAPE_CASE("error.packet.reserved_fields", packets_reserved_fields),
    SHAPE_CASE("error.packet.every_structure_short", packets_short),
};

AGPU_CASE_TABLE(agpu_cases_resource_packet_shape, resource_packet_shape_cases);
