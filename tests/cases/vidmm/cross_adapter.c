/* cross_adapter.c: surfaces that two adapters share: layout, who may create them, and permitted uses (vidmm.md 9). The
 * processor stands for the second adapter and reads what that would read. */
#include <string.h>

#include "mm/runtime/standard.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/umd_draw.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/umd_frame.h"
#include "tests/cases/rig/vidmm_client.h"

#define BGRA   DXGI_FORMAT_B8G8R8A8_UNORM
#define WIDTH  50u /* 200 bytes per row: 256 in the surface */
#define HEIGHT 21u /* 24 rows */
#define T      AEROGPU_FEATURE_TRANSFER
#define TIER1  AGPU_CAP_CROSS_ADAPTER_RESOURCE
#define TIER2  (TIER1 | AGPU_CAP_CROSS_ADAPTER_TEXTURE)
#define TIER3  (TIER2 | AGPU_CAP_CROSS_ADAPTER_SCANOUT)

static void tier_1(struct agpu_runtime_config *config)
{
    config->vidmm.version = AGPU_WDDM_WIN8_1;
    config->vidmm.caps.value = TIER1;
}

static void tier_2(struct agpu_runtime_config *config)
{
    config->vidmm.version = AGPU_WDDM_2_9;
    config->vidmm.caps.value = TIER2;
}

static void tier_3(struct agpu_runtime_config *config)
{
    config->vidmm.version = AGPU_WDDM_2_9;
    config->vidmm.caps.value = TIER3;
}

static struct agpu_client_wish good_wish(void)
{
    return (struct agpu_client_wish){.bytes = WIDTH * 4 * HEIGHT,
                                     .width = WIDTH,
                                     .height = HEIGHT,
                                     .dxgi_format = BGRA,
                                     .pitch = WIDTH * 4,
                                     .shared = true,
                                     .cross_adapter = true};
}

/* A cross-adapter surface must have the smallest pitch of a multiple of 128 and rows of a multiple of 4, whole pages, a
 * token, and system memory. */
static void layout_is_common(struct agpu_test *t)
{
    static const struct {
        uint32_t width, height, pitch, rows;
    } sizes[] = {
        {WIDTH, HEIGHT, 256, 24}, {32, 4, 128, 4}, {33, 5, 256, 8}, {64, 8, 256, 8}, {65, 9, 384, 12}};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct agpu_client_wish wish = good_wish();
        struct agpu_client_memory memory;

        wish.width = sizes[i].width;
        wish.height = sizes[i].height;
        wish.pitch = sizes[i].width * 4;
        wish.bytes = wish.pitch * sizes[i].height;
        agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &memory), S_OK));
        agpu_check_eq_u64(t, wish.granted_pitch, sizes[i].pitch);
        agpu_check_eq_u64(t, wish.granted_bytes, sizes[i].pitch * sizes[i].rows);
        agpu_check(t, wish.token != 0);
        agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&memory, AGPU_LOCK_READ), S_OK));
        agpu_check_eq_u64(t, (uintptr_t)memory.data % 4096, 0);
        agpu_check_eq_u64(t, agpu_client_address(&memory) % 4096, 0);
        agpu_check_eq_u64(t, agpu_client_segment(&memory), AGPU_SEGMENT_SYSTEM);
        agpu_check_hr(t, agpu_client_unlock(&memory), S_OK);
    }
}

/* A wish that lacks one of the required properties must be refused, for each property. */
static void rules_hold(struct agpu_test *t)
{
    struct agpu_client_memory memory;
    struct agpu_client_wish wish = good_wish();

    wish.shared = false;
    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), E_INVALIDARG);
    wish = good_wish();
    wish.not_cpu_visible = true;
    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), E_INVALIDARG);
    wish = good_wish();
    wish.segments = 1u << (AGPU_SEGMENT_VRAM - 1);
    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), E_INVALIDARG);
    wish = good_wish();
    wish.pitch = 0; /* not linear */
    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), E_INVALIDARG);
    wish = good_wish();
    wish.bytes = 256 * 24 + 1; /* more than one image */
    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), E_INVALIDARG);
    wish = good_wish();
    wish.texture = true;
    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), E_FAIL);
    wish = good_wish();
    wish.primary = true;
    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), E_FAIL);
}

/* Without the capability, a cross-adapter allocation must be refused, also one of the kernel, while a shared one
 * succeeds. */
static void not_offered(struct agpu_test *t)
{
    struct agpu_standard_surface surface = {.width = WIDTH, .height = HEIGHT, .dxgi_format = BGRA};
    struct agpu_client_wish wish = good_wish();
    struct agpu_client_memory memory;

    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), E_FAIL);
    wish.cross_adapter = false; /* shared as usual */
    agpu_check_hr(t, agpu_client_allocate(&wish, &memory), S_OK);
    agpu_check_hr(t, agpu_runtime_standard_create(t->env->umd.runtime, &surface), E_FAIL);
}

/* The driver opens it as tier 1 permits: a source and a destination of copies. */
static D3D10DDI_HRESOURCE open_for_copies(struct agpu_test *t, uint64_t token)
{
    const D3D10DDIARG_OPENRESOURCE as = {.Usage = D3D10_DDI_USAGE_STAGING,
                                         .CPUAccessFlags =
                                             D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE};
    HRESULT hr;
    D3D10DDI_HRESOURCE alias = agpu_umd_open_shared_as(t, token, &as, &hr);

    agpu_check_hr(t, hr, S_OK);
    return hr == S_OK ? alias : (D3D10DDI_HRESOURCE){NULL};
}

/* Given a surface that the kernel creates, the driver must open it and render into it by a copy, and the other adapter
 * must read it there. */
static void made_by_the_kernel(struct agpu_test *t)
{
    struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_standard_surface surface = {.width = WIDTH, .height = HEIGHT, .dxgi_format = BGRA};
    struct agpu_resource_desc desc = agpu_texture_desc(BGRA, WIDTH, HEIGHT);
    D3D10DDI_HRESOURCE source = agpu_make_texture(t, &desc, 7), alias;
    uint8_t *image = agpu_scratch(0);
    void *seen;

    agpu_assert(t, source.pDrvPrivate != NULL);
    agpu_return_unless(agpu_check_hr(t, agpu_runtime_standard_create(umd->runtime, &surface), S_OK));
    agpu_check_eq_u64(t, surface.pitch, 256);
    agpu_check_eq_u64(t, surface.rows, 24);
    alias = open_for_copies(t, surface.token);
    if (alias.pDrvPrivate != NULL) {
        agpu_umd_copy(t, alias, source);
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
        if (agpu_check_hr(t, agpu_runtime_standard_lock(&surface, &seen), S_OK)) {
            agpu_fill_image(&desc, 0, 7, image);
            for (uint32_t y = 0; y < HEIGHT; y++) {
                agpu_check_eq_mem(t, (const uint8_t *)seen + y * surface.pitch, image + y * WIDTH * 4,
                                  WIDTH * 4);
            }
            agpu_runtime_standard_unlock(&surface);
        }
        /* The other adapter's rendering is a source of copies as well. */
        agpu_check_texture(t, alias, &desc, 7);
        agpu_umd_destroy(t, alias);
    }
    const uint32_t object = surface.object;
    agpu_runtime_standard_destroy(&surface);
    /* The device has destroyed it: another kind of object may have its name. */
    struct aerogpu_cmd_create_buffer *buffer = agpu_client_packet(AEROGPU_CMD_CREATE_BUFFER, sizeof *buffer);
    buffer->buffer_handle = object;
    buffer->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
    buffer->size_bytes = 64;
    agpu_client_submit(t);
    struct aerogpu_cmd_destroy_resource *destroy =
        agpu_client_packet(AEROGPU_CMD_DESTROY_RESOURCE, sizeof *destroy);
    destroy->resource_handle = object;
    agpu_client_submit(t);
}

/* ---- tier 2: sampled from ---- */

#define EDGE 16u

/* Given tier 2, a draw must be able to sample from a cross-adapter surface. */
static void sampled_from(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_standard_surface surface = {
        .width = EDGE, .height = EDGE, .dxgi_format = DXGI_FORMAT_R8G8B8A8_UNORM, .texture = true};
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipLevels = 1};
    uint8_t *image = agpu_scratch(1);
    HRESULT hr;

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_return_unless(agpu_check_hr(t, agpu_runtime_standard_create(umd->runtime, &surface), S_OK));
    args.hDrvResource = agpu_umd_open_shared(t, surface.token, &hr);
    if (agpu_check_hr(t, hr, S_OK)) {
        agpu_umd_copy(t, args.hDrvResource, agpu_make_texture(t, &desc, 12));
        agpu_draw_shaders(t, &agpu_vs_vertex_id_4_0, NULL, &agpu_ps_load_4_0);
        umd->context.pfnIaSetTopology(umd->device, AGPU_DRAW_LIST);
        agpu_draw_view(t, &args);
        umd->context.pfnDraw(umd->device, 3, 0);
        agpu_fill_image(&desc, 0, 12, image);
        agpu_check_image(t, agpu_draw_target(), &desc, 0, image);
    }
    agpu_runtime_standard_destroy(&surface);
}

/* ---- tier 3: scanned out ---- */

static bool read_screen(struct agpu_test *t, const struct agpu_frame *screen, uint32_t y, uint8_t *row)
{
    struct agpu_client_memory *memory = screen->ctx;

    if (!agpu_check_hr(t, agpu_client_lock(memory, AGPU_LOCK_READ), S_OK)) {
        return false;
    }
    memcpy(row, (const uint8_t *)memory->data + (size_t)y * screen->pitch, screen->pitch);
    return agpu_check_hr(t, agpu_client_unlock(memory), S_OK);
}

/* Given tier 3, a cross-adapter primary must be scanned out. */
static void scanned_out(struct agpu_test *t)
{
    struct agpu_client_wish wish = {.bytes = AGPU_FRAME_WIDTH * 4 * AGPU_FRAME_HEIGHT,
                                    .width = AGPU_FRAME_WIDTH,
                                    .height = AGPU_FRAME_HEIGHT,
                                    .dxgi_format = BGRA,
                                    .pitch = AGPU_FRAME_WIDTH * 4,
                                    .shared = true,
                                    .primary = true,
                                    .cross_adapter = true};
    struct agpu_client_memory memory;
    struct agpu_frame screen = {.read_row = read_screen, .ctx = &memory};

    agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &memory), S_OK));
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&memory, AGPU_LOCK_WRITE), S_OK));
    memset(memory.data, AGPU_FRAME_FILL, memory.bytes);
    agpu_check_hr(t, agpu_client_unlock(&memory), S_OK);
    screen.pitch = wish.granted_pitch;
    screen.address = agpu_client_address(&memory);
    agpu_frame_show(t, &screen);
    agpu_frame_check(t, &screen);
    agpu_frame_hide(t);
}

/* Given tier 3, a primary of 1920 x 1080 must be granted, with an address for the scanout, in each format of the list
 * that the device has. All other formats must be refused. */
static void tier_3_formats(struct agpu_test *t)
{
    static const struct {
        uint32_t format, texel_bytes;
        HRESULT result;
    } rows[] = {
        {DXGI_FORMAT_R8G8B8A8_UNORM, 4, S_OK},
        {DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, 4, S_OK},
        {BGRA, 4, S_OK},
        {DXGI_FORMAT_B8G8R8A8_UNORM_SRGB, 4, S_OK},
        {10, 8, E_FAIL}, /* R16G16B16A16_FLOAT */
        {24, 4, E_FAIL}, /* R10G10B10A2_UNORM */
        {89, 4, E_FAIL}, /* R10G10B10_XR_BIAS_A2_UNORM */
        {DXGI_FORMAT_B5G6R5_UNORM, 2, E_FAIL},
        {DXGI_FORMAT_B8G8R8X8_UNORM, 4, E_FAIL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct agpu_client_wish wish = {.width = 1920,
                                        .height = 1080,
                                        .bytes = 1920 * 1080 * rows[i].texel_bytes,
                                        .pitch = 1920 * rows[i].texel_bytes,
                                        .dxgi_format = rows[i].format,
                                        .shared = true,
                                        .primary = true,
                                        .cross_adapter = true};
        struct agpu_client_memory memory;

        agpu_part(t, "DXGI format %s", agpu_dxgi_name(rows[i].format));
        agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &memory), rows[i].result));
        if (rows[i].result == S_OK) {
            agpu_check_eq_u64(t, wish.granted_pitch, 7680);
            agpu_check_eq_u64(t, wish.granted_bytes, 7680 * 1080);
            agpu_check_eq_u64(t, agpu_client_segment(&memory), AGPU_SEGMENT_SYSTEM);
            agpu_check(t, agpu_client_address(&memory) != 0 && agpu_client_address(&memory) % 4096 == 0);
            agpu_client_free(t, &memory);
        }
    }
}

#define CASE_WITH(name, feature_bits, function, how)                                                         \
    AGPU_STACK_CASE("vidmm.cross_adapter." name, "vidmm.md 9", feature_bits, 0, .body = function,            \
                    .client = true, .configure = how)

static const struct agpu_case vidmm_cross_adapter_cases[] = {
    CASE_WITH("not_offered", 0, not_offered, NULL),
    CASE_WITH("layout", 0, layout_is_common, tier_1),
    CASE_WITH("rules", 0, rules_hold, tier_1),
    CASE_WITH("made_by_the_kernel", T, made_by_the_kernel, tier_1),
    {.id = "vidmm.cross_adapter.sampled_from",
     .spec = "vidmm.md 9",
     .needs = AGPU_NEED_RING,
     .features = T | AEROGPU_FEATURE_ERROR_INFO,
     .run = agpu_run_draw_case,
     .arg = &(const struct agpu_draw_case){sampled_from, 0, tier_2}},
    CASE_WITH("scanned_out", T | AEROGPU_FEATURE_SCANOUT, scanned_out, tier_3),
    CASE_WITH("tier_3_formats", 0, tier_3_formats, tier_3),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_cross_adapter, vidmm_cross_adapter_cases);
