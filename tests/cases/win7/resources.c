/* resources.c: buffers, textures and maps through each of the three interfaces, as in the Windows 7 test programs of
 * the driver (required behaviours W; those that need shaders are elsewhere). */
#include <string.h>

#include "pci/machine/wait.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/umd_views.h"

#define RGBA DXGI_FORMAT_R8G8B8A8_UNORM
#define BGRA DXGI_FORMAT_B8G8R8A8_UNORM
#define EDGE 64u

#define POLL_BOUND_NS  (2ull * 1000 * 1000 * 1000)
#define BLOCK_BOUND_NS (30ull * 1000 * 1000 * 1000)

static uint64_t resources_now(struct agpu_test *t)
{
    return t->env->platform->now_ns(t->env->platform->ctx);
}

static bool is_red(struct agpu_test *t, const D3D10DDI_MAPPED_SUBRESOURCE *mapped)
{
    static const uint8_t red[4] = {0, 0, 255, 255};

    return agpu_check(t, mapped->pData != NULL) && agpu_check(t, mapped->RowPitch >= EDGE * 4) &&
           agpu_check_eq_mem(t, mapped->pData, red, 4) &&
           agpu_check_eq_mem(t, (uint8_t *)mapped->pData + (EDGE - 1) * mapped->RowPitch + (EDGE - 1) * 4,
                             red, 4);
}

/* W-02: a poll for a copied target must answer at once, with busy or with the picture; a blocking map returns the
 * picture. */
static void map_do_not_wait(struct agpu_test *t)
{
    struct agpu_resource_desc staging_desc = agpu_staging_desc(BGRA, EDGE, EDGE, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE target = agpu_make_target(t, BGRA, EDGE, EDGE);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(t, target);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &staging_desc, 0);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    uint64_t started;
    unsigned checks;
    HRESULT hr;

    agpu_assert(t, view.pDrvPrivate && staging.pDrvPrivate);
    agpu_bind_targets_of(t, &view, 1);
    agpu_clear_view(t, view, 1, 0, 0, 1);
    agpu_umd_copy(t, staging, target);
    started = resources_now(t);
    hr = agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped);
    agpu_check(t, resources_now(t) - started <= POLL_BOUND_NS);
    agpu_metric(t, "poll_ns", resources_now(t) - started, "ns");
    checks = t->checks;
    if (hr == S_OK) {
        is_red(t, &mapped);
        agpu_umd_unmap(t, staging);
    } else {
        agpu_check_hr(t, hr, DXGI_ERROR_WAS_STILL_DRAWING);
    }
    agpu_check_drop(t, checks); /* either answer is right, and they count alike */
    started = resources_now(t);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, 0, &mapped), S_OK));
    agpu_check(t, resources_now(t) - started <= BLOCK_BOUND_NS);
    is_red(t, &mapped);
    agpu_umd_unmap(t, staging);
}

/* W-03: given staging for reading and writing, a written checkerboard must be read back by CPU and device, and the CPU
 * must read what the device writes over it. */
static void map_round_trip(struct agpu_test *t)
{
    struct agpu_resource_desc desc =
        agpu_staging_desc(BGRA, EDGE, EDGE, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
    struct agpu_resource_desc source_desc = agpu_texture_desc(BGRA, EDGE, EDGE);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &desc, 0);
    D3D10DDI_HRESOURCE source;
    uint8_t *board = agpu_scratch(0);

    for (uint32_t i = 0; i < EDGE * EDGE; i++) {
        memset(board + i * 4, ((i % EDGE) / 8 + i / EDGE / 8) % 2 ? 0xFF : 0x20, 4);
    }
    agpu_return_unless(agpu_write_image(t, staging, &desc, 0, D3D10_DDI_MAP_WRITE, board));
    agpu_return_unless(agpu_check_mapped_image(t, staging, &desc, 0, board));
    /* The device has read it; then the CPU reads what the device writes over it. */
    agpu_return_unless(agpu_check_image(t, staging, &desc, 0, board));
    source = agpu_make_texture(t, &source_desc, 6);
    agpu_assert(t, source.pDrvPrivate != NULL);
    agpu_umd_copy(t, staging, source);
    agpu_fill_image(&desc, 0, 6, board);
    agpu_check_mapped_image(t, staging, &desc, 0, board);
}

/* W-05: given two discards of a dynamic buffer without a flush, the copy after each must read the bytes of its time. */
static void dynamic_buffer(struct agpu_test *t)
{
    const uint32_t bind = *(const uint32_t *)agpu_stack_case(t)->variant;
    uint8_t a[256], b[256];
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, sizeof a, bind);
    D3D10DDI_HRESOURCE staging_a = agpu_make_staging(t, sizeof a, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE staging_b = agpu_make_staging(t, sizeof b, D3D10_DDI_CPU_ACCESS_READ);

    agpu_fill_pattern(a, sizeof a, 1);
    agpu_fill_pattern(b, sizeof b, 2);
    agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, a, (uint32_t)sizeof a));
    agpu_umd_copy(t, staging_a, dynamic);
    /* No flush in between. */
    agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, b, (uint32_t)sizeof b));
    if (bind != D3D10_DDI_BIND_CONSTANT_BUFFER) {
        agpu_fill_pattern(b + 64, 32, 3);
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 64, b + 64, 32));
    }
    agpu_umd_copy(t, staging_b, dynamic);
    agpu_return_unless(agpu_check_staging(t, staging_a, a, (uint32_t)sizeof a));
    agpu_check_staging(t, staging_b, b, (uint32_t)sizeof b);
}

/* W-07: a full update with an odd padded pitch, then one of a box, must change exactly their texels. */
static void update_subresource(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(BGRA, 13, 11);
    struct agpu_resource_desc patch_desc = agpu_texture_desc(BGRA, 5, 4);
    const D3D10_DDI_BOX box = {.left = 3, .top = 2, .front = 0, .right = 8, .bottom = 6, .back = 1};
    const D3D10_DDI_BOX all = {.right = 5, .bottom = 4, .back = 1};
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 0);
    struct agpu_image image = agpu_image_of(&desc, 0);
    const uint32_t pitch = image.row_bytes + 17; /* odd */
    uint8_t *expected = agpu_scratch(0);
    uint8_t *source = agpu_scratch(1);

    agpu_assert(t, texture.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 4, expected);
    memset(source, 0xEE, AGPU_IMAGE_BYTES);
    for (uint32_t row = 0; row < image.rows; row++) {
        memcpy(source + row * pitch, expected + row * image.row_bytes, image.row_bytes);
    }
    agpu_umd_update(t, texture, 0, NULL, source, pitch);
    agpu_return_unless(agpu_check_image(t, texture, &desc, 0, expected));
    agpu_fill_image(&patch_desc, 0, 5, source);
    agpu_umd_update(t, texture, 0, &box, source, 20);
    agpu_paste(&desc, 0, expected, 3, 2, &patch_desc, 0, source, &all);
    agpu_check_image(t, texture, &desc, 0, expected);
}

/* W-07: a full update of a constant buffer, then one of a box, must change exactly their bytes. */
static void resources_update_constant_buffer(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    struct agpu_resource_desc desc =
        agpu_buffer_desc(256, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    const D3D10_DDI_BOX box = {.left = 32, .top = 0, .front = 0, .right = 80, .bottom = 1, .back = 1};
    uint8_t data[256];
    D3D10DDI_HRESOURCE buffer;
    HRESULT hr;

    buffer = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_fill_pattern(data, sizeof data, 6);
    umd->context.pfnDefaultConstantBufferUpdateSubresourceUP(umd->device, buffer, 0, NULL, data, 0, 0);
    agpu_return_unless(agpu_check_contents(t, buffer, data, (uint32_t)sizeof data));
    agpu_fill_pattern(data + 32, 48, 7);
    umd->context.pfnDefaultConstantBufferUpdateSubresourceUP(umd->device, buffer, 0, &box, data + 32, 0, 0);
    agpu_check_contents(t, buffer, data, (uint32_t)sizeof data);
}

/* Checks the answers of GetCaps that are no formats, for each size of memory that changes them. */
static void check_other_caps(struct agpu_test *t)
{
    static const struct {
        uint32_t type, size;
        HRESULT result;
        uint32_t words[3]; /* in front of the call */
        uint32_t expected[3];
    } rows[] = {
        {D3D11DDICAPS_FEATURE_LEVELS, 3, E_INVALIDARG, {7, 7, 7}, {7, 7, 7}},
        {D3D11DDICAPS_FEATURE_LEVELS, 4, S_OK, {7, 7, 7}, {0xA000, 7, 7}},
        {D3D11DDICAPS_FEATURE_LEVELS, 8, S_OK, {7, 7, 7}, {1, 0xA000, 7}},
        {D3D11DDICAPS_MULTISAMPLE_QUALITY_LEVELS, 11, E_INVALIDARG, {BGRA, 1, 7}, {BGRA, 1, 7}},
        {D3D11DDICAPS_MULTISAMPLE_QUALITY_LEVELS, 12, S_OK, {BGRA, 1, 7}, {BGRA, 1, 1}},
        {D3D11DDICAPS_MULTISAMPLE_QUALITY_LEVELS, 12, S_OK, {BGRA, 4, 7}, {BGRA, 4, 0}},
        {D3D11DDICAPS_FORMAT_SUPPORT, 7, E_INVALIDARG, {BGRA, 7, 7}, {BGRA, 7, 7}},
        {D3D11DDICAPS_FORMAT_SUPPORT2, 8, S_OK, {BGRA, 7, 7}, {BGRA, 0, 7}},
        {D3D11DDICAPS_D3D10_X_HW_OPTIONS, 4, S_OK, {7, 7, 7}, {1, 7, 7}},
    };
    const struct agpu_umd_rig *umd = &t->env->umd;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t words[3];
        const D3D10_2DDIARG_GETCAPS args = {rows[i].type, rows[i].size, words};

        memcpy(words, rows[i].words, sizeof words);
        agpu_check_hr(t, umd->adapter_funcs.pfnGetCaps(umd->adapter, &args), rows[i].result);
        agpu_return_unless(agpu_check_eq_mem(t, words, rows[i].expected, sizeof words));
    }
    struct {
        uint32_t count, level;
        const uint32_t *levels;
    } list = {7, 7, NULL};
    const D3D10_2DDIARG_GETCAPS args = {D3D11DDICAPS_FEATURE_LEVELS, sizeof list, &list};
    agpu_check_hr(t, umd->adapter_funcs.pfnGetCaps(umd->adapter, &args), S_OK);
    agpu_check(t, list.count == 1 && list.level == 0xA000);
    agpu_check(t, list.levels != NULL && list.levels[0] == 0xA000);
}

/* W-14: capability queries before any draw must answer as documented: formats, multisampling, threading. */
static void resources_caps(struct agpu_test *t)
{
    static const struct {
        uint32_t format, support;
    } rows[] = {
        {BGRA, 0xAC220},
        {RGBA, 0xAC220},
        {DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, 0xAC220},
        {DXGI_FORMAT_B5G6R5_UNORM, 0xAC220},
        {DXGI_FORMAT_BC1_UNORM, 0x20220},
        {DXGI_FORMAT_BC7_UNORM, 0x20220},
        {DXGI_FORMAT_D24_UNORM_S8_UINT, 0x10020},
        {DXGI_FORMAT_R16_UINT, 0x105},
        {DXGI_FORMAT_R32_FLOAT, 0x101},
        {DXGI_FORMAT_R32G32B32A32_FLOAT, 0x103},
        {999, 0},
    };
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t threading[16];
    uint32_t level = 0, support, levels;
    D3D10_2DDIARG_GETCAPS args = {D3D11DDICAPS_FEATURE_LEVELS, sizeof level, &level};

    agpu_return_unless(agpu_reported_minor(t, 2, "sRGB and BC formats (ABI 1.2)"));
    agpu_check_hr(t, umd->adapter_funcs.pfnGetCaps(umd->adapter, &args), S_OK);
    agpu_check_eq_hex(t, level, 0xA000);
    agpu_check_hr(t, umd->adapter_funcs.pfnGetCaps(umd->adapter, NULL), E_INVALIDARG);
    memset(threading, 0xFF, sizeof threading);
    args = (D3D10_2DDIARG_GETCAPS){D3D11DDICAPS_THREADING, sizeof threading, threading};
    agpu_check_hr(t, umd->adapter_funcs.pfnGetCaps(umd->adapter, &args), S_OK);
    agpu_check_filled(t, threading, 0, sizeof threading);
    check_other_caps(t);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t query[2] = {rows[i].format, 0xFFFFFFFFu};

        agpu_part(t, "DXGI format %u (%s)", rows[i].format, agpu_dxgi_name(rows[i].format));
        args = (D3D10_2DDIARG_GETCAPS){D3D11DDICAPS_FORMAT_SUPPORT, sizeof query, query};
        agpu_check_hr(t, umd->adapter_funcs.pfnGetCaps(umd->adapter, &args), S_OK);
        umd->funcs.pfnCheckFormatSupport(umd->device, rows[i].format, &support);
        agpu_check_eq_hex(t, query[1], rows[i].support);
        agpu_check_eq_hex(t, support, rows[i].support);
    }
    agpu_part_end(t);
    umd->funcs.pfnCheckMultisampleQualityLevels(umd->device, BGRA, 1, &levels);
    agpu_check(t, levels >= 1);
    umd->funcs.pfnCheckMultisampleQualityLevels(umd->device, BGRA, 4, &levels);
    agpu_check_eq_u64(t, levels, 0);
}

/* W-17: given a surface that this device produces, the other device must read equal pixels. */
static void shared_surface(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(BGRA, EDGE, EDGE);
    D3D10DDI_HRESOURCE surface, alias;
    D3D10DDI_HRENDERTARGETVIEW view;
    uint64_t token;
    HRESULT hr;

    desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    surface = agpu_make_texture(t, &desc, 0);
    token = agpu_newest_token(t);
    view = agpu_make_rtv(t, surface);
    agpu_assert(t, view.pDrvPrivate != NULL);
    agpu_clear_view(t, view, 0.2f, 0.4f, 0.6f, 1);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_peer_swap(t);
    alias = agpu_umd_open_shared(t, token, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    agpu_check_solid(t, alias, &desc, 0, 153, 102, 51, 255);
}

#define T AEROGPU_FEATURE_TRANSFER
#define ON10(name, function)                                                                                 \
    AGPU_STACK_CASE(name "_d3d10", "umd.md 14", T, 0, .body = function,                                      \
                    .peer = D3D10_0_DDI_INTERFACE_VERSION, .act_as_peer = true)
#define ON10_1(name, function)                                                                               \
    AGPU_STACK_CASE(name "_d3d10_1", "umd.md 14", T, 0, .body = function,                                    \
                    .peer = D3D10_1_DDI_INTERFACE_VERSION, .act_as_peer = true)
#define ON11(name, function) AGPU_STACK_CASE(name "_d3d11", "umd.md 14", T, 0, .body = function)
#define DYNAMIC(name, bind)                                                                                  \
    AGPU_STACK_CASE(name, "umd.md 6.3", T, 0, .body = dynamic_buffer, .variant = &(const uint32_t){bind})

static const struct agpu_case win7_resources_cases[] = {
    ON10("map.win7.do_not_wait", map_do_not_wait),
    ON10_1("map.win7.do_not_wait", map_do_not_wait),
    ON11("map.win7.do_not_wait", map_do_not_wait),
    ON11("map.win7.round_trip", map_round_trip),
    DYNAMIC("map.win7.dynamic_vertex", D3D10_DDI_BIND_VERTEX_BUFFER),
    DYNAMIC("map.win7.dynamic_index", D3D10_DDI_BIND_INDEX_BUFFER),
    DYNAMIC("map.win7.dynamic_constant", D3D10_DDI_BIND_CONSTANT_BUFFER),
    ON10("texture.win7.update", update_subresource),
    ON10_1("texture.win7.update", update_subresource),
    ON11("texture.win7.update", update_subresource),
    ON10("buffer.win7.update_constant", resources_update_constant_buffer),
    ON10_1("buffer.win7.update_constant", resources_update_constant_buffer),
    ON11("buffer.win7.update_constant", resources_update_constant_buffer),
    ON10("umd.win7.caps", resources_caps),
    ON10_1("umd.win7.caps", resources_caps),
    ON11("umd.win7.caps", resources_caps),
    ON10("shared.win7.producer", shared_surface),
    ON10_1("shared.win7.producer", shared_surface),
    AGPU_STACK_CASE("shared.win7.producer_d3d11", "umd.md 14", T, 0, .body = shared_surface,
                    .peer = D3D10_0_DDI_INTERFACE_VERSION),
};

AGPU_CASE_TABLE(agpu_cases_win7_resources, win7_resources_cases);
