/* names.c: other names of a resource: views with any handle, of an alias, of depth; tokens at the ends of their range.
 * Also a live handle that is rebound to no memory (commands.md 2, 6.1, 12, 15). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/contents.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/pipeline_packets.h"
#include "tests/cases/rig/readback.h"
#include "tests/cases/rig/shared_surface.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/texture_read.h"

#define RGBA  AEROGPU_FORMAT_R8G8B8A8_UNORM
#define EDGE  4u
#define FIRST 100u /* of textures */

static void put_destroy_view(struct agpu_rig *r, uint32_t view)
{
    struct aerogpu_cmd_destroy_texture_view *destroy =
        agpu_rig_packet(r, AEROGPU_CMD_DESTROY_TEXTURE_VIEW, sizeof *destroy);

    destroy->view_handle = view;
}

/* Returns texels whose bytes are all the same. */
static const uint8_t *names_filled(uint32_t byte)
{
    static uint8_t texels[EDGE * EDGE * 4];

    memset(texels, (int)byte, sizeof texels);
    return texels;
}

static void put_clear_grey(struct agpu_rig *r, uint32_t target, uint32_t byte)
{
    const float value = (float)byte / 255.0f;

    agpu_put_targets(r, target, 0);
    agpu_put_clear_color(r, value, value, value, value);
}

/* ---- numbers of views ---- */

#define VIEWS 33u

static uint32_t view_number(uint32_t i)
{
    return i < 32 ? 0x2A51Fu ^ 1u << i : 0x2A51Fu;
}

/* Given views whose handles differ in one bit, a clear through each must reach its own texture, and a destroyed one
 * must free its handle. */
static void view_handle_bits(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS | AGPU_ASKS_LAYERS));
    for (uint32_t i = 0; i < VIEWS; i++) {
        agpu_put_target(r, FIRST + i, RGBA, EDGE, EDGE);
        agpu_put_view(r, view_number(i), FIRST + i, RGBA);
    }
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < VIEWS; i++) {
            put_clear_grey(r, view_number(i), 10 + 100 * round + i);
        }
        agpu_reads_begin(r);
        for (uint32_t i = 0; i < VIEWS; i++) {
            agpu_put_texture_read(r, FIRST + i, RGBA, 0, 0, EDGE, EDGE);
        }
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t i = 0; i < VIEWS; i++) {
            agpu_return_unless(agpu_check_texture_read(t, i, names_filled(10 + 100 * round + i), 0,
                                                       "a texture that was cleared through its view"));
        }
        agpu_put_reads_done(r);
        for (uint32_t i = 0; i < VIEWS; i++) { /* created again, of the same texture */
            put_destroy_view(r, view_number(i));
            agpu_put_view(r, view_number(i), FIRST + i, RGBA);
        }
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* Creating a view with a used handle must be refused, also for the same view; a view is no texture, and a texture is no
 * view. */
static void view_and_texture(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS));
    agpu_put_target(r, 1, RGBA, EDGE, EDGE);
    agpu_put_view(r, 2, 1, RGBA);
    agpu_return_unless(agpu_run_clean(t));
    agpu_put_view(r, 2, 1, RGBA);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    agpu_put_export(r, 2, AGPU_TOKEN);
    agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    /* No view has this handle, so the texture that has it must not change. */
    agpu_put_targets(r, 1, 0);
    put_destroy_view(r, 1);
    agpu_put_clear_color(r, 1, 1, 1, 1);
    agpu_reads_begin(r);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, EDGE, EDGE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_return_unless(agpu_check_texture_read(t, 0, names_filled(255), 0,
                                               "a target whose number was named as that of a view"));
    agpu_put_reads_done(r);
    /* A view whose texture is destroyed can still be destroyed. */
    agpu_put_targets(r, 0, 0);
    agpu_put_destroy(r, 1);
    put_destroy_view(r, 2);
    agpu_put_target(r, 2, RGBA, EDGE, EDGE);
    agpu_run_clean(t);
}

/* ---- views of shared textures ---- */

/* A view of an alias must be a view of the texture, and live as long as the texture has a name. */
static void view_of_alias(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS));
    for (uint32_t victim = 1; victim <= 2; victim++) { /* destroys the original first, then the alias */
        const uint32_t original = 10 * victim, alias = original + 1, token = 0x7000 + victim;
        const uint32_t kept = victim == 1 ? alias : original;

        agpu_put_target(r, original, RGBA, EDGE, EDGE);
        agpu_put_export(r, original, token);
        agpu_put_import(r, alias, token);
        agpu_put_view(r, original + 2, alias, RGBA);
        agpu_put_view(r, original + 3, original, RGBA);
        put_clear_grey(r, original + 2, 20);
        agpu_reads_begin(r);
        agpu_put_texture_read(r, original, RGBA, 0, 0, EDGE, EDGE);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_texture_read(t, 0, names_filled(20), 0,
                                                   "a texture cleared through a view of an alias"));
        agpu_put_reads_done(r);
        agpu_put_targets(r, 0, 0);
        agpu_put_destroy(r, victim == 1 ? original : alias);
        for (uint32_t i = 0; i < 2; i++) {
            put_clear_grey(r, original + 2 + i, 30 + i);
            agpu_reads_begin(r);
            agpu_put_texture_read(r, kept, RGBA, 0, 0, EDGE, EDGE);
            agpu_return_unless(agpu_run_clean(t));
            agpu_return_unless(
                agpu_check_texture_read(t, 0, names_filled(30 + i), 0,
                                        "a texture cleared through a view when one of its names was gone"));
            agpu_put_reads_done(r);
        }
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* Checks that a clear of an alias reaches texture 1. */
static bool clear_reaches_it(struct agpu_test *t, uint32_t alias, uint32_t grey, const char *what)
{
    struct agpu_rig *r = agpu_rig_of(t);

    put_clear_grey(r, alias, grey);
    agpu_reads_begin(r);
    agpu_put_texture_read(r, 1, RGBA, 0, 0, EDGE, EDGE);
    if (!agpu_run_clean(t) || !agpu_check_texture_read(t, 0, names_filled(grey), 0, what)) {
        return false;
    }
    agpu_put_reads_done(r);
    return true;
}

/* Tokens of every bit pattern must work, including those that look like none. */
static void token_range(struct agpu_test *t)
{
    static const uint64_t tokens[] = {
        1,
        UINT64_MAX,
        UINT64_MAX - 1,
        UINT64_C(0x8000000000000000),
        UINT64_C(0x7FFFFFFFFFFFFFFF),
        UINT64_C(0x00000000FFFFFFFF),
        UINT64_C(0xFFFFFFFF00000000),
        UINT64_C(0x0000000100000000),
        UINT64_C(0x0000000080000000),
    };
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_target(r, 1, RGBA, EDGE, EDGE);
    for (uint32_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        agpu_put_export(r, 1, tokens[i]);
    }
    for (uint32_t i = 0; i < sizeof tokens / sizeof tokens[0]; i++) {
        agpu_put_import(r, 2 + i, tokens[i]);
        agpu_put_release(r, tokens[i]);
        agpu_return_unless(
            clear_reaches_it(t, 2 + i, 40 + i, "a texture cleared through an imported handle"));
        agpu_put_import(r, 50 + i, tokens[i]);
        agpu_return_unless(agpu_run_fault(t, AEROGPU_ERROR_CMD_DECODE));
    }
}

/* A token must name the resource as long as that exists, however many aliases were created and destroyed. */
static void token_outlives_aliases(struct agpu_test *t)
{
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_target(r, 1, RGBA, EDGE, EDGE);
    agpu_put_export(r, 1, AGPU_TOKEN);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_put_import(r, 2, AGPU_TOKEN);
        agpu_return_unless(
            clear_reaches_it(t, 2, 60 + i, "a texture cleared through one alias after the other"));
        agpu_put_targets(r, 0, 0);
        agpu_put_destroy(r, 2);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* ---- views of depth ---- */

/* Given a depth texture of two layers, a clear through a view of the second must leave the first unchanged. */
static void view_of_depth(struct agpu_test *t)
{
    static const uint32_t formats[] = {AEROGPU_FORMAT_D24_UNORM_S8_UINT, AEROGPU_FORMAT_D32_FLOAT};
    const struct agpu_executor *executor = agpu_executor_of(t);
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_return_unless(executor != NULL &&
                       agpu_asks(t, AGPU_ASKS_VIEWS | AGPU_ASKS_DEPTH_READ | AGPU_ASKS_LAYERS |
                                        AGPU_ASKS_TARGET_MIPS | AGPU_ASKS_MIP_READ));
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t format = formats[i / 2], mip = i % 2, edge = agpu_mip_edge(2 * EDGE, mip);
        const uint32_t whole = format == AEROGPU_FORMAT_D32_FLOAT ? 0x3F800000 : 0x5AFFFFFF;
        struct aerogpu_cmd_create_texture2d *create = agpu_put_target(r, 1, format, 2 * EDGE, 2 * EDGE);
        struct aerogpu_cmd_create_texture_view *view;
        uint32_t image[4 * EDGE * EDGE];

        agpu_part(t, "format %s, mip %u", agpu_texel_name(format), mip);
        create->mip_levels = 2;
        create->array_layers = 2;
        view = agpu_put_view(r, 2, 1, format);
        view->base_mip_level = mip;
        view->base_array_layer = 1;
        agpu_put_targets(r, 0, 2);
        agpu_put_clear_depth(r, 1, 0x5A);
        agpu_reads_begin(r);
        for (uint32_t n = 0; n < 4; n++) {
            agpu_put_texture_read(r, 1, format, n % 2, n / 2, agpu_mip_edge(2 * EDGE, n % 2),
                                  agpu_mip_edge(2 * EDGE, n % 2));
        }
        agpu_return_unless(agpu_run_clean(t));
        for (uint32_t n = 0; n < 4; n++) {
            const bool cleared = n % 2 == mip && n / 2 == 1;

            for (uint32_t at = 0; at < edge * edge || at < 4 * EDGE * EDGE; at++) {
                image[at] = cleared ? whole : 0;
            }
            agpu_return_unless(agpu_check_texture_read(t, n, image, 0,
                                                       cleared ? "the subresource of a view of depth"
                                                               : "one beside that of the view"));
        }
        agpu_put_targets(r, 0, 0);
        put_destroy_view(r, 2);
        agpu_put_destroy(r, 1);
        agpu_put_reads_done(r);
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* ---- bound to nothing ---- */

/* A live buffer or texture that is created again with equal properties and no backing must become host-owned and keep
 * its contents. Known devices refuse it (commands.md 6.1). */
static void rebind_to_none(struct agpu_test *t)
{
    enum { BYTES = EDGE * EDGE * 4 };
    struct agpu_rig *r = agpu_rig_of(t);
    uint8_t expected[BYTES], data[16];

    agpu_fill_origin(data, sizeof data, 3, AGPU_FROM_SOURCE);
    for (uint32_t texture = 0; texture < 2; texture++) {
        const uint32_t handle = 1 + texture;
        uint8_t *memory = r->memory[texture].cpu;
        bool passed = true;

        agpu_fill_origin(memory, 2 * BYTES, 1 + texture, AGPU_FROM_DEVICE);
        agpu_rig_alloc(r, 7, &r->memory[texture], AEROGPU_ALLOC_FLAG_NONE);
        if (texture) {
            agpu_put_create_texture(r, handle, RGBA, EDGE, EDGE, EDGE * 4, 7);
        } else {
            agpu_put_create_buffer(r, handle, BYTES, 7, 0);
        }
        agpu_put_dirty(r, handle, 0, BYTES);
        agpu_put_create_buffer(r, 9, BYTES, 0, 0); /* so that the device has read the contents */
        agpu_put_create_texture(r, 10, RGBA, EDGE, EDGE, 0, 0);
        if (texture) {
            agpu_put_copy_texture(r, 10, handle, EDGE, EDGE, 0);
        } else {
            agpu_put_copy_buffer(r, 9, 0, handle, 0, BYTES, AEROGPU_COPY_FLAG_NONE);
        }
        agpu_put_destroy(r, 9);
        agpu_put_destroy(r, 10);
        agpu_return_unless(agpu_run_clean(t));
        if (texture) {
            agpu_put_create_texture(r, handle, RGBA, EDGE, EDGE, EDGE * 4, 0);
        } else {
            agpu_put_create_buffer(r, handle, BYTES, 0, 0);
        }
        agpu_return_unless(t->env->model ? agpu_run_clean(t)
                                         : agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed));
        if (!passed) {
            continue;
        }
        agpu_put_upload(r, handle, 16, data, sizeof data); /* must not reach any guest memory */
        agpu_reads_begin(r);
        if (texture) {
            agpu_put_texture_read(r, handle, RGBA, 0, 0, EDGE, EDGE);
        } else {
            agpu_put_readback(r, handle, 0, BYTES);
        }
        agpu_return_unless(agpu_run_clean(t));
        agpu_fill_origin(expected, BYTES, 1 + texture, AGPU_FROM_DEVICE);
        memcpy(expected + 16, data, sizeof data);
        agpu_return_unless(texture
                               ? agpu_check_texture_read(t, 0, expected, 0, "a texture bound to no memory")
                               : agpu_check_readback(t, expected, BYTES));
        if (texture) {
            agpu_put_reads_done(r);
        } else {
            agpu_put_readback_done(r);
        }
        agpu_return_unless(agpu_run_clean(t));
    }
}

/* Given a shared texture, either of its names must be able to rebind it to other memory. */
static void rebind_by_alias(struct agpu_test *t)
{
    enum { BYTES = EDGE * EDGE * 4 };
    struct agpu_rig *r = agpu_rig_of(t);
    bool passed = true;

    agpu_put_target(r, 3, RGBA, EDGE, EDGE);
    put_clear_grey(r, 3, 90);
    agpu_put_targets(r, 0, 0);
    agpu_rig_alloc(r, 7, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 1, RGBA, EDGE, EDGE, EDGE * 4, 7);
    agpu_put_dirty(r, 1, 0, BYTES);
    agpu_put_export(r, 1, AGPU_TOKEN);
    agpu_put_import(r, 2, AGPU_TOKEN);
    agpu_return_unless(agpu_run_clean(t));
    for (uint32_t i = 0; i < 2; i++) { /* the alias, then the original */
        uint8_t *memory = r->memory[1 + i].cpu;

        memset(memory, 0xEE, BYTES);
        agpu_rig_alloc(r, 8 + i, &r->memory[1 + i], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_create_texture(r, 2 - i, RGBA, EDGE, EDGE, EDGE * 4, 8 + i);
        agpu_return_unless(t->env->model ? agpu_run_clean(t)
                                         : agpu_run_fault_or_pass(t, AEROGPU_ERROR_CMD_DECODE, &passed));
        if (!passed) {
            return;
        }
        agpu_rig_alloc(r, 8 + i, &r->memory[1 + i], AEROGPU_ALLOC_FLAG_NONE);
        agpu_put_copy_texture(r, 1 + i, 3, EDGE, EDGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_check_eq_mem(t, memory, names_filled(90), BYTES));
    }
}

/* A device must hold a thousand views, input layouts, samplers and shaders at once. */
static void names_of_objects(struct agpu_test *t)
{
    static const struct agpu_element element = {AGPU_POSITION, 0, 2, 0, 0, 0};
    struct agpu_rig *r = agpu_rig_of(t);

    agpu_put_create_texture(r, FIRST, RGBA, EDGE, EDGE, 0, 0);
    for (uint32_t i = 1; i <= 1024; i++) {
        struct aerogpu_cmd_create_sampler *sampler;

        agpu_put_view(r, 2 * FIRST + i, FIRST, RGBA);
        agpu_put_layout_alone(r, 2 * FIRST + i, &element, 1);
        agpu_put_shader(r, 2 * FIRST + i, &agpu_cs_fill_4_0);
        sampler = agpu_rig_packet(r, AEROGPU_CMD_CREATE_SAMPLER, sizeof *sampler);
        sampler->sampler_handle = 2 * FIRST + i;
        if (i % 64 == 0) {
            agpu_return_unless(agpu_run_clean(t));
        }
    }
}

#define NAMES_CASE(name, section, function)                                                                  \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (function)                 \
    }

static const struct agpu_case resource_names_cases[] = {
    NAMES_CASE("buffer.create.rebind_to_none", "commands.md 6.1", rebind_to_none),
    NAMES_CASE("shared.alias.rebinds", "commands.md 6.1", rebind_by_alias),
    NAMES_CASE("texture.view.every_bit", "commands.md 2", view_handle_bits),
    NAMES_CASE("texture.view.and_texture", "commands.md 15", view_and_texture),
    NAMES_CASE("texture.view.of_depth", "commands.md 15", view_of_depth),
    NAMES_CASE("state.objects.thousand", "commands.md 2", names_of_objects),
    NAMES_CASE("shared.alias.views", "commands.md 12", view_of_alias),
    NAMES_CASE("shared.token.outlives_aliases", "commands.md 12", token_outlives_aliases),
    NAMES_CASE("shared.token.range", "commands.md 12", token_range),
};

AGPU_CASE_TABLE(agpu_cases_resource_names, resource_names_cases);
