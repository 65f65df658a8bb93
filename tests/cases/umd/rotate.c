/* rotate.c: RotateResourceIdentities of textures of every usage, in every pair, destroyed in either order: memory is
 * used and freed according to its new owner's usage (umd.md 13, 3.1). */
#include <string.h>

#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_draw.h"
#include "tests/cases/rig/umd_textures.h"
#include "tests/cases/rig/umd_views.h"

#define RT   D3D10_DDI_BIND_RENDER_TARGET
#define R    D3D10_DDI_CPU_ACCESS_READ
#define W    D3D10_DDI_CPU_ACCESS_WRITE
#define EDGE 8u

static const struct {
    uint32_t usage, bind, cpu;
} kinds[] = {
    {D3D10_DDI_USAGE_DEFAULT, RT, 0},     {D3D10_DDI_USAGE_DEFAULT, RT | D3D10_DDI_BIND_SHADER_RESOURCE, 0},
    {D3D10_DDI_USAGE_IMMUTABLE, RT, 0},   {D3D10_DDI_USAGE_DYNAMIC, RT, W},
    {D3D10_DDI_USAGE_STAGING, RT, R},     {D3D10_DDI_USAGE_STAGING, RT, W},
    {D3D10_DDI_USAGE_STAGING, RT, R | W},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* Creates a texture of this kind with the image of a seed; one that can be mapped for writing has been mapped. */
static D3D10DDI_HRESOURCE rotate_make(struct agpu_test *t, uint32_t kind, uint32_t seed,
                                      struct agpu_resource_desc *desc)
{
    uint8_t *image = agpu_scratch(0);

    *desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    desc->Usage = kinds[kind].usage;
    desc->BindFlags = kinds[kind].bind;
    desc->CPUAccessFlags = kinds[kind].cpu;
    D3D10DDI_HRESOURCE texture = agpu_make_texture(t, desc, seed);
    if (texture.pDrvPrivate != NULL && (kinds[kind].cpu & W)) {
        agpu_fill_image(desc, 0, seed, image);
        agpu_write_image(t, texture, desc, 0,
                         kinds[kind].usage == D3D10_DDI_USAGE_DYNAMIC ? D3D10_DDI_MAP_WRITE_DISCARD
                                                                      : D3D10_DDI_MAP_WRITE,
                         image);
    }
    return texture;
}

static bool rotate_pair(struct agpu_test *t, uint32_t first, uint32_t second, bool first_goes_first)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc descs[2];
    D3D10DDI_HRESOURCE pair[] = {rotate_make(t, first, 1, &descs[0]), rotate_make(t, second, 2, &descs[1])};
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {.pResources = pair, .Resources = 2};

    if (!agpu_check(t, pair[0].pDrvPrivate != NULL && pair[1].pDrvPrivate != NULL) ||
        !agpu_check_hr(t, umd->funcs.pfnRotateResourceIdentities(umd->device, &args), S_OK)) {
        return false;
    }
    /* Windows never asks for mixed kinds, so the contents are checked for equal kinds only. */
    if (first == second &&
        !(agpu_check_texture(t, pair[0], &descs[0], 2) && agpu_check_texture(t, pair[1], &descs[1], 1))) {
        return false;
    }
    agpu_umd_destroy(t, pair[first_goes_first ? 0 : 1]);
    agpu_umd_destroy(t, pair[first_goes_first ? 1 : 0]);
    return agpu_check_errors(t, 0, S_OK);
}

/* A rotation of two textures of any usage must succeed, exchange the contents of equal kinds, and let both be destroyed
 * in either order. */
static void rotate_every_pair(struct agpu_test *t)
{
    agpu_without_rules(t); /* with IMMUTABLE targets too: no call may crash, with any flags */
    for (uint32_t i = 0; i < KINDS * KINDS * 2; i++) {
        agpu_part(t, "usages %zu and %zu", i / 2 / KINDS, i / 2 % KINDS);
        agpu_return_unless(rotate_pair(t, i / 2 / KINDS, i / 2 % KINDS, i % 2));
    }
}

/* A copy that was recorded before a rotation must make the texture busy that has its memory afterwards. */
static void rotate_pending(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM, EDGE, EDGE);
    D3D10DDI_HRESOURCE source = agpu_make_texture(t, &desc, 3);
    D3D10DDI_HRESOURCE three[3];
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {.pResources = three, .Resources = 3};

    agpu_without_rules(t); /* a staging target */
    for (uint32_t i = 0; i < 3; i++) {
        three[i] = rotate_make(t, 4, i, &desc);
    }
    agpu_umd_copy(t, three[0], source);
    agpu_check_hr(t, umd->funcs.pfnRotateResourceIdentities(umd->device, &args), S_OK);
    agpu_gate_hold(t);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    for (uint32_t i = 0; i < 3; i++) {
        agpu_check_eq_u64(t, umd->context.pfnResourceIsStagingBusy(umd->device, three[i]), i == 2);
    }
    agpu_gate_open(t);
    agpu_check_texture(t, three[2], &desc, 3);
}

/* Given targets and inputs of any of the rotated textures, and of others, the driver must bind exactly those of the
 * rotated ones again. */
static void rotate_bound(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10DDI_HSHADERRESOURCEVIEW none = {NULL};
    const D3D10DDI_HDEPTHSTENCILVIEW no_depth = {NULL};
    D3D10DDI_HRESOURCE textures[4];
    D3D10DDI_HSHADERRESOURCEVIEW inputs[4];
    D3D10DDI_HRENDERTARGETVIEW targets[4];
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES args = {.pResources = textures, .Resources = 3};

    for (uint32_t i = 0; i < 4; i++) {
        D3D10DDIARG_CREATESHADERRESOURCEVIEW view = {.ViewDimension = AGPU_DDI_VIEW_TEXTURE2D,
                                                     .MipLevels = 1};
        struct agpu_resource_desc desc;

        view.hDrvResource = textures[i] = rotate_make(t, 1, i, &desc);
        inputs[i] = agpu_make_srv(t, &view);
        targets[i] = agpu_make_rtv(t, textures[i]);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const D3D10DDI_HRENDERTARGETVIEW pair[2] = {targets[3], targets[i]};

        umd->context.pfnSetRenderTargets(umd->device, pair, i == 3 ? 1 : 2, 0, no_depth);
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
        agpu_check_hr(t, umd->funcs.pfnRotateResourceIdentities(umd->device, &args), S_OK);
        umd->context.pfnSetRenderTargets(umd->device, NULL, 0, 0, no_depth);
        umd->context.pfnPsSetShaderResources(umd->device, 2 + i, 1, &inputs[i]);
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
        agpu_check_hr(t, umd->funcs.pfnRotateResourceIdentities(umd->device, &args), S_OK);
        umd->context.pfnPsSetShaderResources(umd->device, 2 + i, 1, &none);
    }
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
}

static const struct agpu_case umd_rotate_cases[] = {
    AGPU_STACK_CASE("present.rotate.every_pair", "umd.md 13", AEROGPU_FEATURE_TRANSFER, 0,
                    .body = rotate_every_pair),
    AGPU_STACK_CASE("present.rotate.pending", "umd.md 13", AEROGPU_FEATURE_TRANSFER, 0,
                    .body = rotate_pending, .gate = true),
    {.id = "present.rotate.bound",
     .spec = "umd.md 13",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER,
     .run = agpu_run_undrawn_case,
     .arg = &(const struct agpu_draw_case){rotate_bound, 0, agpu_spied_config}},
};

AGPU_CASE_TABLE(agpu_cases_umd_rotate, umd_rotate_cases);
