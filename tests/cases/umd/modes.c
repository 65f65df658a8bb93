/* modes.c: the driver's portable forms on the device: resources in guest memory, or owned by the device, with callbacks
 * that give every permitted answer (umd.md 4, 5.2, 5.3). */
#include <string.h>

#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/texel.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/umd_textures.h"
#include "tests/cases/rig/umd_views.h"

#define RGBA  DXGI_FORMAT_R8G8B8A8_UNORM
#define PITCH 64u
#define ASKED 16u /* allocations that one case makes */

static void modes_host(struct agpu_runtime_config *config)
{
    config->options.backing_mode = AGPU_BACKING_HOST;
}

static void modes_guest(struct agpu_runtime_config *config)
{
    config->options.backing_mode = AGPU_BACKING_GUEST;
}

/* In these modes only the owner of the callbacks frees memory (umd.md 5.7). */
static struct {
    HRESULT (*allocate)(HANDLE, D3DDDICB_ALLOCATE *);
    uint32_t pitch; /* pitch for textures; 0 = as requested */
    uint32_t count;
    D3DKMT_HANDLE resources[ASKED], allocations[ASKED];
} owner;

/* There is space for the pitch, but the answer does not state the size: exactly what is needed. */
static HRESULT modes_allocate(HANDLE device, D3DDDICB_ALLOCATE *args)
{
    D3DDDI_ALLOCATIONINFO *info = args->pAllocationInfo;
    struct aerogpu_wddm_alloc_priv_v2 *blob = info->pPrivateDriverData;

    if (owner.count == ASKED) {
        return E_OUTOFMEMORY;
    }
    info->Size = blob->size_bytes = info->Size * 4;
    HRESULT hr = owner.allocate(device, args);
    if (FAILED(hr)) {
        return hr;
    }
    owner.resources[owner.count] = args->hKMResource;
    owner.allocations[owner.count++] = info->hAllocation;
    if (blob->kind == AEROGPU_WDDM_ALLOC_KIND_TEXTURE2D && owner.pitch) {
        blob->row_pitch_bytes = owner.pitch;
    }
    info->Size = 0;
    return S_OK;
}

static void modes_begin(uint32_t pitch)
{
    memset(&owner, 0, sizeof owner);
    owner.pitch = pitch;
    owner.allocate = agpu_callback_table()->pfnAllocateCb;
    agpu_callback_table()->pfnAllocateCb = modes_allocate;
}

static void modes_end(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_umd_rig *rig = &t->env->umd;

    while (rig->resource_count != 0) {
        agpu_umd_destroy(t, rig->resources[rig->resource_count - 1]);
    }
    umd->context.pfnFlush(umd->device);
    for (uint32_t i = 0; i < owner.count; i++) {
        const D3DDDICB_DEALLOCATE args = {
            .hKMResource = owner.resources[i], .NumAllocations = 1, .HandleList = &owner.allocations[i]};

        agpu_check_hr(t,
                      agpu_callback_table()->pfnDeallocateCb(
                          agpu_runtime_device_handle(umd->runtime_device).handle, &args),
                      S_OK);
    }
}

/* A resource created with contents must show them, an update, and a copy to the CPU. */
static void modes_round_trip(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 8, 8);
    struct agpu_resource_desc staging_desc =
        agpu_staging_desc(RGBA, 8, 8, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
    const D3D10_DDI_BOX box = agpu_box(2, 3, 6, 7), all = agpu_box(0, 0, 4, 4), part = agpu_box(32, 0, 48, 1);
    struct agpu_resource_desc patch_desc = agpu_texture_desc(RGBA, 4, 4);
    uint8_t *image = agpu_scratch(0), *patch = agpu_scratch(1), bytes[256];
    D3D10DDI_MAPPED_SUBRESOURCE map;

    agpu_fill_image(&desc, 0, 1, image);
    agpu_fill_image(&patch_desc, 0, 2, patch);
    agpu_fill_pattern(bytes, sizeof bytes, 3);
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, &desc, 1);
    D3D10DDI_HRESOURCE staging = agpu_make_texture(t, &staging_desc, 0);
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, sizeof bytes, bytes);
    if (agpu_check(t, texture.pDrvPrivate && staging.pDrvPrivate && buffer.pDrvPrivate)) {
        agpu_umd_update(t, texture, 0, &box, patch, 16);
        agpu_paste(&desc, 0, image, 2, 3, &patch_desc, 0, patch, &all);
        agpu_umd_copy(t, staging, texture);
        if (agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, 0, &map), S_OK)) {
            agpu_check_eq_u64(t, map.RowPitch, owner.pitch ? owner.pitch : 32);
            for (uint32_t row = 0; row < 8; row++) {
                agpu_check_eq_mem(t, (const uint8_t *)map.pData + row * map.RowPitch, image + 32 * row, 32);
            }
            agpu_umd_unmap(t, staging);
        }
        agpu_umd_update(t, buffer, 0, &part, patch, 0);
        memcpy(bytes + 32, patch, 16);
        agpu_check_contents(t, buffer, bytes, sizeof bytes);
    }
}

/* Given callbacks that answer with a larger pitch, a guest-backed texture must be read and mapped with that pitch. */
static void guest_with_pitch(struct agpu_test *t)
{
    modes_begin(PITCH);
    modes_round_trip(t);
    modes_end(t);
}

/* Given callbacks that answer with the requested pitch, a guest-backed texture must show its initial data, an update
 * and a copy to the CPU. */
static void guest_as_asked(struct agpu_test *t)
{
    modes_begin(0);
    modes_round_trip(t);
    modes_end(t);
}

/* Given resources without guest memory, a texture must show its initial data, an update and a copy to the CPU. */
static void host_owned(struct agpu_test *t)
{
    memset(&owner, 0, sizeof owner);
    modes_round_trip(t);
}

/* Given resources without guest memory, a map must show clears of every colour format, rounded as the device rounds,
 * and of the cleared mip and layer alone. */
static void host_clears(struct agpu_test *t)
{
    static const struct {
        uint32_t format, bytes;
        uint8_t texels[2][4]; /* after each of the colours */
    } rows[] = {
        {DXGI_FORMAT_B8G8R8A8_UNORM, 4, {{64, 128, 255, 255}, {128, 255, 64, 64}}},
        {DXGI_FORMAT_B8G8R8X8_UNORM, 4, {{64, 128, 255, 255}, {128, 255, 64, 255}}},
        {RGBA, 4, {{255, 128, 64, 255}, {64, 255, 128, 64}}},
        {DXGI_FORMAT_B5G6R5_UNORM, 2, {{0x08, 0xFC}, {0xF0, 0x47}}},
        {DXGI_FORMAT_B5G5R5A1_UNORM, 2, {{0x08, 0xFE}, {0xF0, 0x23}}},
    };
    static const float colors[2][4] = {{1, 0.5f, 0.25f, 1}, {0.25f, 1, 0.5f, 0.25f}};
    D3D10DDI_MAPPED_SUBRESOURCE map;

    agpu_return_unless(agpu_reported_minor(t, 4, "views of mips and layers (ABI 1.4)"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct agpu_resource_desc desc = agpu_texture_desc(rows[i].format, 9, 3);
        struct agpu_resource_desc staging_desc = desc;
        D3D10DDI_HRENDERTARGETVIEW views[2];
        D3D10DDI_HRESOURCE target, staging;

        agpu_part(t, "DXGI format %s", agpu_dxgi_name(rows[i].format));
        desc.MipLevels = desc.ArraySize = staging_desc.MipLevels = staging_desc.ArraySize = 2;
        desc.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
        staging_desc.Usage = D3D10_DDI_USAGE_STAGING;
        staging_desc.BindFlags = 0;
        staging_desc.CPUAccessFlags = D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE;
        target = agpu_make_texture(t, &desc, 0);
        staging = agpu_make_texture(t, &staging_desc, 0);
        views[0] = agpu_make_rtv(t, target);
        views[1] = agpu_make_rtv_of(t, target, 1, 1);
        agpu_assert(t, staging.pDrvPrivate && views[0].pDrvPrivate && views[1].pDrvPrivate);
        for (uint32_t color = 0; color < 2; color++) {
            agpu_clear_view(t, views[color], colors[color][0], colors[color][1], colors[color][2],
                            colors[color][3]);
        }
        agpu_umd_copy(t, staging, target);
        for (uint32_t sub = 0; sub < 4; sub += 3) { /* mip 0 of layer 0, mip 1 of layer 1 */
            const uint32_t width = sub == 0 ? 9 : 4, height = sub == 0 ? 3 : 1;

            (void)t->env->umd.context.pfnResourceMap(t->env->umd.device, staging, sub, D3D10_DDI_MAP_READ, 0,
                                                     &map);
            agpu_return_unless(agpu_check_errors(t, 0, S_OK));
            for (uint32_t texel = 0; texel < width * height; texel++) {
                agpu_return_unless(agpu_check_eq_mem(
                    t,
                    (const uint8_t *)map.pData + texel / width * map.RowPitch + texel % width * rows[i].bytes,
                    rows[i].texels[sub == 3], rows[i].bytes));
            }
            t->env->umd.context.pfnResourceUnmap(t->env->umd.device, staging, sub);
        }
    }
}

#define MODE(name, how, function)                                                                            \
    AGPU_STACK_CASE(name, "umd.md 5.3", AEROGPU_FEATURE_TRANSFER, 0, .body = (function), .configure = (how))

static const struct agpu_case umd_modes_cases[] = {
    MODE("texture.portable.host_owned", modes_host, host_owned),
    MODE("texture.portable.host_clears", modes_host, host_clears),
    MODE("texture.portable.guest_backed", modes_guest, guest_as_asked),
    MODE("texture.portable.guest_with_pitch", modes_guest, guest_with_pitch),
};

AGPU_CASE_TABLE(agpu_cases_umd_modes, umd_modes_cases);
