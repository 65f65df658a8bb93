/* content.c: contents on deferred contexts, on a device that draws: Map, updates, copies, arguments and constants,
 * which each draw of a list must use in their recorded state (umd.md 15). */
#include <string.h>

#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/expected_images.h"
#include "tests/cases/rig/umd_deferred.h"

#define EDGE AGPU_EDGE
#define SIZE 256u

static void offer_guest_dynamic(struct agpu_runtime_config *config)
{
    agpu_offer_deferred(config);
    config->options.dynamic_guest_backed = 1;
}

/* Maps with this type and writes bytes at offset. */
static bool write_on(struct agpu_test *t, struct agpu_case_recorder recorder, D3D10DDI_HRESOURCE resource,
                     uint32_t type, uint32_t offset, const void *data, uint32_t bytes)
{
    D3D10DDI_HRESOURCE local = agpu_resource_on(t, recorder, resource);
    D3D10DDI_MAPPED_SUBRESOURCE mapped = {0};

    if (!agpu_check_hr(t, recorder.fn->pfnResourceMap(recorder.device, local, 0, type, 0, &mapped), S_OK)) {
        return false;
    }
    agpu_check_eq_u64(t, (uintptr_t)mapped.pData % 16, 0);
    memcpy((uint8_t *)mapped.pData + offset, data, bytes);
    recorder.fn->pfnResourceUnmap(recorder.device, local, 0);
    return true;
}

/* ---- Map ---- */

/* Given discards between the draws of a list, each draw must use the vertices of its time. */
static void content_discards(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_vertex quad[4];
    struct agpu_quads quads;
    D3D10DDI_HRESOURCE vertices;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    vertices = agpu_make_dynamic(t, sizeof quad, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, vertices.pDrvPrivate != NULL);
    agpu_quads_bind(t, dc, &quads);
    for (uint32_t i = 0; i < 2; i++) {
        agpu_scene_quad(quad, 0.5f, i ? 0.0f : 1.0f, i ? 1.0f : 0.0f, 0, 1);
        agpu_return_unless(write_on(t, dc, vertices, D3D10_DDI_MAP_WRITE_DISCARD, 0, quad, sizeof quad));
        agpu_quads_draw(t, dc, vertices, i * EDGE / 2, EDGE / 2);
    }
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* NO_OVERWRITE must continue after the discard of the same list; without one it is refused. An Unmap of what is not
 * mapped must be refused, too. */
static void no_overwrite(struct agpu_test *t)
{
    struct agpu_case_recorder dc;
    struct agpu_vertex quad[4];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    struct agpu_quads quads;
    D3D10DDI_HRESOURCE vertices, local;

    agpu_without_rules(t);
    dc = agpu_defer(t);
    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    vertices = agpu_make_dynamic(t, 2 * sizeof quad, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, vertices.pDrvPrivate != NULL);
    local = agpu_resource_on(t, dc, vertices);
    agpu_check_hr(t, dc.fn->pfnResourceMap(dc.device, local, 0, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0, &mapped),
                  E_INVALIDARG);
    dc.fn->pfnResourceUnmap(dc.device, local, 0);
    agpu_check_recorder_errors(t, dc, 2, E_INVALIDARG);
    agpu_check_hr(t, dc.fn->pfnResourceMap(dc.device, local, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
                  S_OK);
    dc.fn->pfnResourceUnmap(dc.device, local, 1);
    agpu_check_recorder_errors(t, dc, 1, E_INVALIDARG);
    dc.fn->pfnResourceUnmap(dc.device, local, 0);
    agpu_quads_bind(t, dc, &quads);
    agpu_scene_quad(quad, 0.5f, 1, 0, 0, 1);
    agpu_return_unless(write_on(t, dc, vertices, D3D10_DDI_MAP_WRITE_DISCARD, 0, quad, sizeof quad));
    agpu_quads_draw(t, dc, vertices, 0, EDGE);
    agpu_scene_quad(quad, 0.5f, 0, 1, 0, 1);
    agpu_return_unless(
        write_on(t, dc, vertices, D3D10_DDI_MAP_WRITE_NOOVERWRITE, sizeof quad, quad, sizeof quad));
    agpu_quads_columns(dc, EDGE / 2, EDGE / 2);
    dc.fn->pfnDraw(dc.device, 4, 4);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* Given discards of the same buffer by the immediate context before and after a list, each draw must use the last
 * contents in order of execution. */
static void discard_on_both(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t), immediate = agpu_immediate(t);
    struct agpu_vertex quad[4];
    struct agpu_quads quads;
    D3D10DDI_HRESOURCE vertices;
    struct agpu_runtime_list *list;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    vertices = agpu_make_dynamic(t, sizeof quad, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, vertices.pDrvPrivate != NULL);
    agpu_quads_bind(t, dc, &quads);
    agpu_scene_quad(quad, 0.5f, 1, 0, 0, 1);
    agpu_return_unless(write_on(t, dc, vertices, D3D10_DDI_MAP_WRITE_DISCARD, 0, quad, sizeof quad));
    agpu_quads_draw(t, dc, vertices, 0, EDGE / 2);
    list = agpu_finish(t, dc);

    agpu_quads_bind(t, immediate, &quads);
    agpu_scene_quad(quad, 0.5f, 0, 0, 1, 1);
    agpu_return_unless(write_on(t, immediate, vertices, D3D10_DDI_MAP_WRITE_DISCARD, 0, quad, sizeof quad));
    agpu_quads_draw(t, immediate, vertices, 0, EDGE);
    agpu_execute(t, list);
    agpu_quads_bind(t, immediate, &quads);
    agpu_scene_quad(quad, 0.5f, 0, 1, 0, 1);
    agpu_return_unless(write_on(t, immediate, vertices, D3D10_DDI_MAP_WRITE_DISCARD, 0, quad, sizeof quad));
    agpu_quads_draw(t, immediate, vertices, EDGE / 2, EDGE / 2);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* NO_OVERWRITE on the immediate context must continue after the discard of a list. */
static void no_overwrite_after_list(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t), immediate = agpu_immediate(t);
    struct agpu_vertex quad[4];
    struct agpu_quads quads;
    D3D10DDI_HRESOURCE vertices;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    vertices = agpu_make_dynamic(t, 2 * sizeof quad, D3D10_DDI_BIND_VERTEX_BUFFER);
    agpu_assert(t, vertices.pDrvPrivate != NULL);
    agpu_quads_bind(t, dc, &quads);
    agpu_scene_quad(quad, 0.5f, 1, 0, 0, 1);
    agpu_return_unless(write_on(t, dc, vertices, D3D10_DDI_MAP_WRITE_DISCARD, 0, quad, sizeof quad));
    agpu_quads_draw(t, dc, vertices, 0, EDGE / 2);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_quads_bind(t, immediate, &quads);
    agpu_scene_quad(quad, 0.5f, 0, 1, 0, 1);
    agpu_return_unless(
        write_on(t, immediate, vertices, D3D10_DDI_MAP_WRITE_NOOVERWRITE, sizeof quad, quad, sizeof quad));
    agpu_quads_vertices(t, immediate, vertices);
    agpu_quads_columns(immediate, EDGE / 2, EDGE / 2);
    immediate.fn->pfnDraw(immediate.device, 4, 4);
    /* The first quad is still as the list wrote it. */
    const D3D10_DDI_VIEWPORT corner = {0, 0, EDGE / 2, EDGE / 2, 0, 1};
    immediate.fn->pfnSetViewports(immediate.device, 1, 0, &corner);
    immediate.fn->pfnDraw(immediate.device, 4, 0);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* ---- updates and copies ---- */

/* Updates of boxes of a buffer with any start and end must take effect, although the source is freed before the list is
 * executed. */
static void buffer_boxes(struct agpu_test *t)
{
    static const uint16_t boxes[][2] = {{0, 4},     {5, 7},     {9, 40},   {64, 65},
                                        {100, 201}, {203, 204}, {250, 256}};
    struct agpu_case_recorder dc = agpu_defer(t);
    uint8_t expected[SIZE], source[SIZE];
    D3D10DDI_HRESOURCE buffer, local;

    agpu_assert(t, dc.fn != NULL);
    agpu_fill_pattern(expected, SIZE, 1);
    buffer = agpu_make_default(t, SIZE, expected);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    local = agpu_resource_on(t, dc, buffer);
    for (uint32_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        const D3D10_DDI_BOX box = {boxes[i][0], 0, 0, boxes[i][1], 1, 1};
        uint32_t bytes = (uint32_t)boxes[i][1] - boxes[i][0];

        agpu_fill_pattern(source, bytes, 10 + i);
        memcpy(expected + boxes[i][0], source, bytes);
        dc.fn->pfnResourceUpdateSubresourceUP(dc.device, local, 0, &box, source, 0, 0);
        memset(source, 0xEE, sizeof source);
    }
    agpu_execute(t, agpu_finish(t, dc));
    agpu_check_contents(t, buffer, expected, SIZE);
}

/* Updates by the CPU in a list within a list must take effect, although that list's own memory is freed by then. */
static void nested_boxes(struct agpu_test *t)
{
    struct agpu_case_recorder inner = agpu_defer(t), outer = agpu_defer(t);
    const D3D10_DDI_BOX odd = {33, 0, 0, 38, 1, 1}, even = {40, 0, 0, 48, 1, 1}, from = {1, 0, 0, 9, 1, 1};
    uint8_t expected[SIZE], source[8];
    struct agpu_runtime_list *list;
    D3D10DDI_HRESOURCE buffer, second, second_on;

    agpu_assert(t, inner.fn && outer.fn);
    agpu_fill_pattern(expected, SIZE, 6);
    agpu_fill_pattern(source, sizeof source, 7);
    buffer = agpu_make_default(t, SIZE, expected);
    second = agpu_make_default(t, SIZE, expected);
    agpu_assert(t, buffer.pDrvPrivate && second.pDrvPrivate);
    /* The lists number the two buffers in opposite orders. */
    outer.fn->pfnResourceUpdateSubresourceUP(outer.device, agpu_resource_on(t, outer, second), 0, &even,
                                             source, 0, 0);
    for (uint32_t i = 0; i < 2; i++) { /* one before the outer list's work, one after it */
        struct agpu_case_recorder recorder = i ? outer : inner;
        D3D10DDI_HRESOURCE local = agpu_resource_on(t, recorder, buffer);

        recorder.fn->pfnResourceUpdateSubresourceUP(recorder.device, local, 0, i ? &even : &odd, source, 0,
                                                    0);
        agpu_check_hr(t,
                      recorder.fn->pfnResourceCopyRegion(recorder.device, local, 0, 101 + 20 * i, 0, 0, local,
                                                         0, &from),
                      S_OK);
        if (i == 0) {
            second_on = agpu_resource_on(t, inner, second);
            agpu_check_hr(
                t, inner.fn->pfnResourceCopyRegion(inner.device, local, 0, 200, 0, 0, second_on, 0, &even),
                S_OK);
            list = agpu_finish(t, inner);
            agpu_execute_on(t, list, outer);
            agpu_drop_list(t, list);
        }
    }
    memcpy(expected + 33, source, 5);
    memcpy(expected + 101, expected + 1, 8);
    memcpy(expected + 40, source, 8);
    memcpy(expected + 121, expected + 1, 8);
    memcpy(expected + 200, source, 8);
    agpu_execute(t, agpu_finish(t, outer));
    agpu_check_contents(t, buffer, expected, SIZE);
}

/* A box updated in a list must not change the bytes beside it that the device wrote earlier in the same list. */
static void box_after_device_write(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t);
    const D3D10_DDI_BOX box = {101, 0, 0, 103, 1, 1};
    const uint8_t bytes[2] = {0xAB, 0xCD};
    uint8_t old[SIZE], expected[SIZE];
    D3D10DDI_HRESOURCE buffer, source;

    agpu_assert(t, dc.fn != NULL);
    agpu_fill_pattern(old, SIZE, 2);
    agpu_fill_pattern(expected, SIZE, 3);
    buffer = agpu_make_default(t, SIZE, old);
    source = agpu_make_default(t, SIZE, expected);
    agpu_assert(t, buffer.pDrvPrivate && source.pDrvPrivate);
    dc.fn->pfnResourceCopy(dc.device, agpu_resource_on(t, dc, buffer), agpu_resource_on(t, dc, source));
    dc.fn->pfnResourceUpdateSubresourceUP(dc.device, agpu_resource_on(t, dc, buffer), 0, &box, bytes, 0, 0);
    memcpy(expected + 101, bytes, 2);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_check_contents(t, buffer, expected, SIZE);
}

/* Copies of bytes, aligned to 4 or not, must run in order with all other commands of the list. */
static void buffer_regions(struct agpu_test *t)
{
    static const uint8_t regions[][3] = {{0, 0, 16}, {5, 32, 47}, {100, 3, 50}, {201, 200, 201}, {64, 1, 65}};
    struct agpu_case_recorder dc = agpu_defer(t);
    uint8_t from[SIZE], expected[SIZE];
    D3D10DDI_HRESOURCE source, buffer;

    agpu_assert(t, dc.fn != NULL);
    agpu_fill_pattern(from, SIZE, 4);
    agpu_fill_pattern(expected, SIZE, 5);
    source = agpu_make_default(t, SIZE, from);
    buffer = agpu_make_default(t, SIZE, expected);
    agpu_assert(t, source.pDrvPrivate && buffer.pDrvPrivate);
    for (uint32_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        const D3D10_DDI_BOX box = {regions[i][1], 0, 0, regions[i][2], 1, 1};

        memcpy(expected + regions[i][0], from + regions[i][1], (size_t)regions[i][2] - regions[i][1]);
        agpu_check_hr(t,
                      dc.fn->pfnResourceCopyRegion(dc.device, agpu_resource_on(t, dc, buffer), 0,
                                                   regions[i][0], 0, 0, agpu_resource_on(t, dc, source), 0,
                                                   &box),
                      S_OK);
    }
    agpu_execute(t, agpu_finish(t, dc));
    agpu_check_contents(t, buffer, expected, SIZE);
}

/* Boxes and regions of a texture with mips must take effect in a list; a copy into staging within it can be mapped
 * after it. */
static void texture_boxes(struct agpu_test *t)
{
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 32, 16);

    struct agpu_resource_desc staging_desc =
        agpu_staging_desc(DXGI_FORMAT_R8G8B8A8_UNORM, 32, 16, D3D10_DDI_CPU_ACCESS_READ);
    const D3D10_DDI_BOX update = {3, 2, 0, 20, 9, 1}, region = {1, 1, 0, 9, 7, 1};
    uint8_t *whole = agpu_scratch(1), *part = agpu_scratch(2), *small = agpu_scratch(3);
    D3D10DDI_HRESOURCE texture, staging, local;

    agpu_assert(t, dc.fn != NULL);
    desc.MipLevels = staging_desc.MipLevels = 2;
    agpu_return_unless(agpu_asks(t, AGPU_ASKS_MIP_READ));
    texture = agpu_make_texture(t, &desc, 6);
    staging = agpu_make_poisoned(t, &staging_desc);
    agpu_assert(t, texture.pDrvPrivate && staging.pDrvPrivate);
    agpu_fill_image(&desc, 0, 6, whole);
    agpu_fill_image(&desc, 0, 7, part);
    agpu_fill_image(&desc, 1, 6, small);
    local = agpu_resource_on(t, dc, texture);
    dc.fn->pfnResourceUpdateSubresourceUP(dc.device, local, 0, &update, part, 32 * 4, 0);
    const D3D10_DDI_BOX origin = {0, 0, 0, 17, 7, 1};
    agpu_paste(&desc, 0, whole, 3, 2, &desc, 0, part, &origin);
    agpu_check_hr(t, dc.fn->pfnResourceCopyRegion(dc.device, local, 1, 4, 2, 0, local, 0, &region), S_OK);
    agpu_paste(&desc, 1, small, 4, 2, &desc, 0, whole, &region);
    dc.fn->pfnResourceCopy(dc.device, agpu_resource_on(t, dc, staging), local);
    agpu_execute(t, agpu_finish(t, dc));
    agpu_check_mapped_image(t, staging, &staging_desc, 0, whole);
    agpu_return_unless(agpu_check_image(t, texture, &desc, 1, small));
    agpu_check_written_back(t, staging, &staging_desc, 1, small);
}

/* ---- constants, indices, arguments ---- */

/* Updates of constants and index buffers within a list must reach its draws. */
static void constants_and_indices(struct agpu_test *t)
{
    static const uint16_t indices[] = {0, 1, 2, 2, 1, 3};
    static const float colors[2][4] = {{1, 0, 0, 1}, {0, 1, 0, 1}};
    const struct agpu_api_device *funcs = &t->env->umd.funcs;

    struct agpu_resource_desc desc =
        agpu_buffer_desc(16, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    struct agpu_case_recorder dc = agpu_defer(t);
    D3D10DDI_HRESOURCE constants, local, quad;
    D3D10DDI_HSHADER ps;
    struct agpu_quads quads;
    HRESULT hr;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    constants = agpu_umd_create(t, &desc, &hr);
    agpu_assert(t, hr == S_OK);
    quad = agpu_make_quad(t, 1, 1, 1, 1);
    ps = agpu_make_shader(t, funcs->pfnCreatePixelShader, &agpu_ps_constant_4_0);
    agpu_quads_bind(t, dc, &quads);
    dc.fn->pfnPsSetShader(dc.device, agpu_shader_on(t, dc, ps, funcs->pfnCreatePixelShader));
    dc.fn->pfnIaSetTopology(dc.device, AGPU_DRAW_LIST);
    dc.fn->pfnIaSetIndexBuffer(dc.device,
                               agpu_resource_on(t, dc, agpu_make_indices(t, sizeof indices, indices)),
                               DXGI_FORMAT_R16_UINT, 0);
    local = agpu_resource_on(t, dc, constants);
    dc.fn->pfnPsSetConstantBuffers(dc.device, 0, 1, &local);
    for (uint32_t i = 0; i < 2; i++) {
        dc.fn->pfnDefaultConstantBufferUpdateSubresourceUP(dc.device, local, 0, NULL, colors[i], 0, 0);
        agpu_quads_vertices(t, dc, quad);
        agpu_quads_columns(dc, i * EDGE / 2, EDGE / 2);
        dc.fn->pfnDrawIndexed(dc.device, 6, 0, 0);
    }
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* An indirect draw must use the arguments from the time of execution. */
static void content_indirect(struct agpu_test *t)
{
    static const uint32_t none[4] = {0, 0, 0, 0}, four[4] = {4, 1, 0, 0};
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_runtime_list *list;
    D3D10DDI_HRESOURCE arguments;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    arguments = agpu_make_default(t, sizeof none, none);
    agpu_assert(t, arguments.pDrvPrivate != NULL);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_draw(t, dc, agpu_make_quad(t, 0, 1, 0, 1), 0, EDGE);
    agpu_quads_vertices(t, dc, agpu_make_quad(t, 1, 0, 0, 1));
    agpu_quads_columns(dc, 0, EDGE / 2);
    dc.fn->pfnDrawInstancedIndirect(dc.device, agpu_resource_on(t, dc, arguments), 0);
    list = agpu_finish(t, dc);
    agpu_umd_update(t, arguments, 0, NULL, four, 0);
    agpu_execute(t, list);
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

/* A list that writes the arguments of its own draws must use them in order. */
static void indirect_of_the_list(struct agpu_test *t)
{
    static const uint32_t four[4] = {4, 1, 0, 0}, next_four[4] = {4, 1, 4, 0};
    struct agpu_case_recorder dc = agpu_defer(t);
    struct agpu_vertex vertices[8];
    D3D10DDI_HRESOURCE arguments;
    struct agpu_quads quads;

    agpu_assert(t, dc.fn != NULL);
    agpu_return_unless(agpu_quads_begin(t, &quads));
    agpu_scene_quad(vertices, 0.5f, 1, 0, 0, 1);
    agpu_scene_quad(vertices + 4, 0.5f, 0, 1, 0, 1);
    arguments = agpu_make_default(t, sizeof four, NULL);
    agpu_assert(t, arguments.pDrvPrivate != NULL);
    agpu_quads_bind(t, dc, &quads);
    agpu_quads_vertices(t, dc, agpu_make_default(t, sizeof vertices, vertices));
    for (uint32_t i = 0; i < 2; i++) {
        D3D10DDI_HRESOURCE local = agpu_resource_on(t, dc, arguments);

        dc.fn->pfnResourceUpdateSubresourceUP(dc.device, local, 0, NULL, i ? next_four : four, 0, 0);
        agpu_quads_columns(dc, i * EDGE / 2, EDGE / 2);
        dc.fn->pfnDrawInstancedIndirect(dc.device, local, 0);
    }
    agpu_execute(t, agpu_finish(t, dc));
    agpu_draw_expect(t, agpu_expected_red_green, 0);
}

#define DEFERRED(name, function) AGPU_DEFERRED_CASE("umd.deferred." name, "umd.md 15", function)
#define UNDRAWN(name, function)  AGPU_DEFERRED_UNDRAWN_CASE("umd.deferred." name, "umd.md 15", function)
/* Dynamic memory that Discard renames. */
#define RENAMED(name, function)                                                                              \
    AGPU_DEFERRED_CASE_WITH("umd.deferred.renamed_" name, "umd.md 15", function, offer_guest_dynamic)

static const struct agpu_case deferred_content_cases[] = {
    DEFERRED("discards_between_draws", content_discards),
    DEFERRED("no_overwrite", no_overwrite),
    DEFERRED("discard_on_both_contexts", discard_on_both),
    DEFERRED("no_overwrite_after_list", no_overwrite_after_list),
    RENAMED("discards_between_draws", content_discards),
    RENAMED("no_overwrite", no_overwrite),
    RENAMED("discard_on_both_contexts", discard_on_both),
    RENAMED("no_overwrite_after_list", no_overwrite_after_list),
    UNDRAWN("buffer_boxes", buffer_boxes),
    UNDRAWN("nested_boxes", nested_boxes),
    UNDRAWN("box_after_device_write", box_after_device_write),
    UNDRAWN("buffer_regions", buffer_regions),
    UNDRAWN("texture_boxes", texture_boxes),
    DEFERRED("constants_and_indices", constants_and_indices),
    DEFERRED("indirect_arguments", content_indirect),
    DEFERRED("indirect_arguments_of_the_list", indirect_of_the_list),
};

AGPU_CASE_TABLE(agpu_cases_deferred_content, deferred_content_cases);
