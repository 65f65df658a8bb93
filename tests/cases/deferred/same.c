/* same.c: a list has the same effect as the same calls on the immediate context: random programs of draws, clears,
 * maps, updates, copies and dispatches (umd.md 15). */
#include <string.h>

#include "tests/cases/rig/rounds.h"
#include "tests/cases/rig/umd_deferred.h"

#define EDGE   AGPU_EDGE
#define TEXELS (EDGE * EDGE)
#define QUADS  4u
#define CALLS  60u

static uint32_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % bound;
}

static float random_channel(void)
{
    return (float)random_below(5) / 4;
}

struct things {
    struct agpu_quads quads;
    D3D10DDI_HRESOURCE vertices[QUADS], dynamic, other;
    /* Only this one is updated in boxes: on the immediate context a box transfers whole rows of guest memory, which
     * lacks the device's writes (umd.md 7.1). */
    D3D10DDI_HRESOURCE updated;
    D3D10DDI_HBLENDSTATE add;
};

static bool make_things(struct agpu_test *t, struct things *things)
{
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);

    if (!agpu_quads_begin(t, &things->quads)) {
        return false;
    }
    for (uint32_t i = 0; i < QUADS; i++) {
        things->vertices[i] = agpu_make_quad(t, 0, 0, 0, 1);
    }
    things->dynamic = agpu_make_dynamic(t, 4 * sizeof(struct agpu_vertex), D3D10_DDI_BIND_VERTEX_BUFFER);
    things->other = agpu_make_texture(t, &desc, 0);
    things->updated = agpu_make_texture(t, &desc, 0);
    things->add = agpu_make_blend(t, &agpu_additive);
    return things->dynamic.pDrvPrivate != NULL && things->other.pDrvPrivate != NULL &&
           things->updated.pDrvPrivate != NULL && things->add.pDrvPrivate != NULL;
}

/* Gives both recorders the same contents. */
static void reset_things(struct agpu_test *t, const struct things *things)
{
    struct agpu_vertex quad[4];

    agpu_draw_clear(t, 0, 0, 0, 0);
    memset(agpu_scratch(1), 0x40, TEXELS * 4);
    agpu_umd_update(t, things->other, 0, NULL, agpu_scratch(1), EDGE * 4);
    agpu_umd_update(t, things->updated, 0, NULL, agpu_scratch(1), EDGE * 4);
    for (uint32_t i = 0; i < QUADS; i++) {
        agpu_scene_quad(quad, 0.5f, i & 1 ? 0.5f : 0.0f, i & 2 ? 0.5f : 0.0f, 0.25f, 1);
        agpu_umd_update(t, things->vertices[i], 0, NULL, quad, 0);
    }
}

static void draw_columns(struct agpu_test *t, struct agpu_case_recorder recorder, D3D10DDI_HRESOURCE vertices)
{
    uint32_t left = random_below(EDGE - 1);

    agpu_quads_draw(t, recorder, vertices, left, 1 + random_below(EDGE - left));
}

static void draw_discarded(struct agpu_test *t, struct agpu_case_recorder recorder,
                           const struct things *things)
{
    D3D10DDI_HRESOURCE local = agpu_resource_on(t, recorder, things->dynamic);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    if (!agpu_check_hr(
            t,
            recorder.fn->pfnResourceMap(recorder.device, local, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
            S_OK)) {
        return;
    }
    agpu_scene_quad(mapped.pData, 0.5f, random_channel(), random_channel(), random_channel(),
                    random_channel());
    recorder.fn->pfnResourceUnmap(recorder.device, local, 0);
    draw_columns(t, recorder, things->dynamic);
}

/* Returns a random rectangle; the same extent fits at *x, *y. */
static D3D10_DDI_BOX random_box(uint32_t *x, uint32_t *y)
{
    uint32_t width = 1 + random_below(EDGE - 1), height = 1 + random_below(EDGE - 1);
    uint32_t left = random_below(EDGE - width + 1), top = random_below(EDGE - height + 1);

    *x = random_below(EDGE - width + 1);
    *y = random_below(EDGE - height + 1);
    return (D3D10_DDI_BOX){
        (int32_t)left, (int32_t)top, 0, (int32_t)(left + width), (int32_t)(top + height), 1};
}

/* Copies from one texture to another or within one. */
static void copy_box(struct agpu_test *t, struct agpu_case_recorder recorder, const struct things *things)
{
    D3D10DDI_HRESOURCE all[3] = {agpu_resource_on(t, recorder, agpu_draw_target()),
                                 agpu_resource_on(t, recorder, things->other),
                                 agpu_resource_on(t, recorder, things->updated)};
    uint32_t from = random_below(3), to = random_below(2), x, y;
    const D3D10_DDI_BOX box = random_box(&x, &y);

    agpu_check_hr(
        t, recorder.fn->pfnResourceCopyRegion(recorder.device, all[to], 0, x, y, 0, all[from], 0, &box),
        S_OK);
}

static void same_update_box(struct agpu_test *t, struct agpu_case_recorder recorder,
                            const struct things *things)
{
    uint32_t x, y;
    const D3D10_DDI_BOX box = random_box(&x, &y);

    memset(agpu_scratch(1), (int)random_below(256), TEXELS * 4);
    recorder.fn->pfnResourceUpdateSubresourceUP(recorder.device,
                                                agpu_resource_on(t, recorder, things->updated), 0, &box,
                                                agpu_scratch(1), EDGE * 4, 0);
}

/* Updates the colour of one vertex of a buffer that draws use. */
static void update_vertices(struct agpu_test *t, struct agpu_case_recorder recorder,
                            const struct things *things)
{
    const float color[4] = {random_channel(), random_channel(), random_channel(), random_channel()};
    int32_t at = (int32_t)(random_below(4) * sizeof(struct agpu_vertex) + 16);
    const D3D10_DDI_BOX box = {at, 0, 0, at + 16, 1, 1};

    recorder.fn->pfnResourceUpdateSubresourceUP(
        recorder.device, agpu_resource_on(t, recorder, things->vertices[random_below(QUADS)]), 0, &box, color,
        0, 0);
}

static void make_calls(struct agpu_test *t, struct agpu_case_recorder recorder, const struct things *things,
                       uint32_t seed)
{
    random_state = seed;
    agpu_quads_bind(t, recorder, &things->quads);
    for (uint32_t i = 0; i < CALLS; i++) {
        switch (random_below(9)) {
        case 0:
            recorder.fn->pfnClearRenderTargetView(
                recorder.device, agpu_rtv_on(t, recorder, agpu_draw_target_view(), agpu_draw_target()),
                (const float[4]){random_channel(), random_channel(), random_channel(), random_channel()});
            break;
        case 1:
        case 2:
            draw_discarded(t, recorder, things);
            break;
        case 3:
            recorder.fn->pfnSetBlendState(recorder.device, agpu_blend_on(t, recorder, things->add), NULL,
                                          0xFFFFFFFFu);
            break;
        case 4:
            recorder.fn->pfnSetBlendState(recorder.device, (D3D10DDI_HBLENDSTATE){NULL}, NULL, 0xFFFFFFFFu);
            break;
        case 5:
            copy_box(t, recorder, things);
            break;
        case 6:
            same_update_box(t, recorder, things);
            break;
        case 7:
            update_vertices(t, recorder, things);
            break;
        default:
            draw_columns(t, recorder, things->vertices[random_below(QUADS)]);
            break;
        }
    }
    recorder.fn->pfnClearState(recorder.device);
}

static bool read_texels(struct agpu_test *t, D3D10DDI_HRESOURCE texture, uint32_t texels[TEXELS])
{
    struct agpu_resource_desc desc =
        agpu_staging_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &desc, 0);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    if (!agpu_check(t, staging.pDrvPrivate != NULL)) {
        return false;
    }
    agpu_umd_copy(t, staging, texture);
    if (!agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, 0, &mapped), S_OK)) {
        return false;
    }
    for (uint32_t y = 0; y < EDGE; y++) {
        memcpy(texels + y * EDGE, (const uint8_t *)mapped.pData + y * mapped.RowPitch, EDGE * 4);
    }
    agpu_umd_unmap(t, staging);
    agpu_umd_destroy(t, staging);
    return true;
}

/* Random calls made at once, and the same calls recorded in two lists, must give the same contents. */
static void random_programs(struct agpu_test *t)
{
    static uint32_t direct[2][TEXELS], listed[2][TEXELS];
    struct agpu_case_recorder dc = agpu_defer(t), immediate = agpu_immediate(t);
    struct things things;
    struct agpu_rounds rounds;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(make_things(t, &things));
    for (agpu_rounds_begin(&rounds, t, 8); agpu_rounds_next(&rounds);) {
        const uint32_t seed = rounds.number;
        struct agpu_runtime_list *lists[2];

        reset_things(t, &things);
        for (uint32_t i = 0; i < 2; i++) {
            make_calls(t, immediate, &things, 2 * seed + i);
        }
        agpu_return_unless(read_texels(t, agpu_draw_target(), direct[0]) &&
                           read_texels(t, things.other, direct[1]));
        reset_things(t, &things);
        for (uint32_t i = 0; i < 2; i++) {
            make_calls(t, dc, &things, 2 * seed + i);
            lists[i] = agpu_finish(t, dc);
        }
        for (uint32_t i = 0; i < 2; i++) {
            agpu_execute(t, lists[i]);
        }
        agpu_return_unless(read_texels(t, agpu_draw_target(), listed[0]) &&
                           read_texels(t, things.other, listed[1]));
        for (uint32_t i = 0; i < 2; i++) {
            agpu_return_unless(agpu_check_image_texels(t, listed[i], direct[i], EDGE, EDGE, 0, AGPU_HERE));
        }
        for (uint32_t i = 0; i < 2; i++) {
            agpu_drop_list(t, lists[i]);
        }
    }
}

static void same_offer_short_lists(struct agpu_runtime_config *config)
{
    agpu_offer_deferred(config);
    config->allocation_list = 5;
    config->command_buffer_bytes = 4096;
}

static void offer_renamed(struct agpu_runtime_config *config)
{
    agpu_offer_deferred(config);
    config->options.dynamic_guest_backed = 1;
}

/* ---- dispatches ---- */

static D3D10DDI_HRESOURCE same_shader_buffer(struct agpu_test *t, uint32_t bind, const void *data)
{
    D3D10_DDIARG_SUBRESOURCE_UP initial = {.pSysMem = data};
    struct agpu_resource_desc desc = agpu_buffer_desc(128, D3D10_DDI_USAGE_DEFAULT, bind, 0);
    HRESULT hr;

    desc.pInitialDataUP = data != NULL ? &initial : NULL;
    desc.InitialDataCount = data != NULL ? 1 : 0;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

/* Given two dispatches in one list with different constants, the second must use the result of the first; the same for
 * a second list, which binds no lower slots. */
static void same_dispatches(struct agpu_test *t)
{
    static const uint32_t keep_count = UINT32_MAX;
    const struct agpu_api_device *funcs = &t->env->umd.funcs;
    struct agpu_case_recorder dc = agpu_defer(t);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW srv = {.NumElements = 32};
    D3D11DDIARG_CREATEUNORDEREDACCESSVIEW uav = {.NumElements = 32};
    /* After the first, each does nothing. */
    static const uint32_t groups[] = {2, 3, 5, 0, 1, 1, 1, 0, 1, 1, 1, 0};
    D3D10DDI_HRESOURCE buffers[2], constants, arguments;
    D3D10DDI_HSHADERRESOURCEVIEW in[2];
    D3D11DDI_HUNORDEREDACCESSVIEW out[2];
    uint32_t source[32], middle[32], expected[32];
    D3D10DDI_HSHADER cs;

    agpu_assert(t, dc.fn != NULL);
    for (uint32_t i = 0; i < 32; i++) {
        source[i] = i * 1000003;
        middle[i] = source[i] * 5 * 7 * 5;
        expected[i] = middle[i] * 7;
    }
    for (uint32_t i = 0; i < 2; i++) {
        buffers[i] = same_shader_buffer(t, D3D10_DDI_BIND_SHADER_RESOURCE | D3D11_DDI_BIND_UNORDERED_ACCESS,
                                        i ? NULL : source);
        srv.hDrvResource = uav.hDrvResource = buffers[i];
        in[i] = agpu_make_srv(t, &srv);
        out[i] = agpu_make_uav(t, &uav);
        agpu_assert(t, in[i].pDrvPrivate && out[i].pDrvPrivate);
    }
    constants = agpu_make_dynamic(t, 16, D3D10_DDI_BIND_CONSTANT_BUFFER);
    arguments = agpu_make_default(t, sizeof groups, groups);
    cs = agpu_make_shader(t, funcs->pfnCreateComputeShader, &agpu_cs_scale_5_0);
    agpu_assert(t, constants.pDrvPrivate && arguments.pDrvPrivate && cs.pDrvPrivate);

    D3D10DDI_HRESOURCE local = agpu_resource_on(t, dc, constants);
    for (uint32_t i = 0; i < 4; i++) {
        if (i % 2 == 0) {
            agpu_execute(t, i != 0 ? agpu_finish(t, dc) : NULL);
            dc.fn->pfnCsSetShader(dc.device, agpu_shader_on(t, dc, cs, funcs->pfnCreateComputeShader));
            dc.fn->pfnCsSetConstantBuffers(dc.device, 0, 1, &local);
        }
        const uint32_t factor[4] = {i % 2 ? 7 : 5};
        const D3D10DDI_HSHADERRESOURCEVIEW none = {NULL};
        D3D10DDI_HSHADERRESOURCEVIEW from = agpu_srv_on(t, dc, in[i % 2], buffers[i % 2]);
        D3D11DDI_HUNORDEREDACCESSVIEW to = agpu_uav_on(t, dc, out[1 - i % 2], buffers[1 - i % 2]);
        D3D10DDI_MAPPED_SUBRESOURCE mapped;

        agpu_assert(t, agpu_check_hr(t,
                                     dc.fn->pfnDynamicConstantBufferMapDiscard(
                                         dc.device, local, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
                                     S_OK));
        memcpy(mapped.pData, factor, sizeof factor);
        dc.fn->pfnDynamicConstantBufferUnmap(dc.device, local, 0);
        dc.fn->pfnCsSetShaderResources(dc.device, 2, 1, &none);
        dc.fn->pfnCsSetUnorderedAccessViews(dc.device, 1, 1, &to, &keep_count);
        dc.fn->pfnCsSetShaderResources(dc.device, 2, 1, &from);
        if (i % 2 == 0) {
            dc.fn->pfnDispatch(dc.device, 2, 1, 1);
        } else {
            for (uint32_t offset = 0; offset < sizeof groups; offset += 12) {
                dc.fn->pfnDispatchIndirect(dc.device, agpu_resource_on(t, dc, arguments), offset);
            }
        }
    }
    agpu_execute(t, agpu_finish(t, dc));
    agpu_return_unless(agpu_check_dispatched(t, buffers[1], middle, 128));
    agpu_check_contents(t, buffers[0], expected, 128); /* it dispatches */
}

#define SAME(name, function, options)                                                                        \
    AGPU_DEFERRED_CASE_WITH("umd.deferred." name, "umd.md 15", function, options)

static const struct agpu_case deferred_same_cases[] = {
    SAME("random_programs", random_programs, agpu_offer_deferred),
    SAME("random_programs_short_lists", random_programs, same_offer_short_lists),
    SAME("random_programs_renamed", random_programs, offer_renamed),
    SAME("dispatches", same_dispatches, agpu_offer_deferred),
};

AGPU_CASE_TABLE(agpu_cases_deferred_same, deferred_same_cases);
