/* umd_views.c: views and clears (umd_views.h). */
#include "tests/cases/rig/umd_views.h"

#include <string.h>

static uint8_t solid[AGPU_IMAGE_BYTES];

/* One case runs at a time. */
static struct {
    void *memory;
    bool depth;
    D3D10DDI_HDEVICE device; /* owner: cases switch devices */
    void (*destroy_rtv)(D3D10DDI_HDEVICE, D3D10DDI_HRENDERTARGETVIEW);
    void (*destroy_dsv)(D3D10DDI_HDEVICE, D3D10DDI_HDEPTHSTENCILVIEW);
} views[AGPU_VIEWS_MAX];
static uint32_t view_count;

static void *view_memory(struct agpu_test *test, size_t size, bool depth)
{
    const struct agpu_platform *platform = test->env->platform;
    void *memory = NULL;

    if (view_count < AGPU_VIEWS_MAX) {
        memory = platform->heap_alloc(platform->ctx, size);
    }
    if (memory == NULL) {
        agpu_error(test, "no memory for a view");
        return NULL;
    }
    views[view_count].memory = memory;
    views[view_count].depth = depth;
    views[view_count].device = test->env->umd.device;
    views[view_count].destroy_rtv = test->env->umd.funcs.pfnDestroyRenderTargetView;
    views[view_count].destroy_dsv = test->env->umd.funcs.pfnDestroyDepthStencilView;
    view_count++;
    return memory;
}

static D3D10DDI_HRENDERTARGETVIEW make_rtv(struct agpu_test *test,
                                           const D3D10DDIARG_CREATERENDERTARGETVIEW *args)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    D3D10DDI_HRENDERTARGETVIEW view = {NULL};

    if (!agpu_check(test, args->hDrvResource.pDrvPrivate != NULL)) {
        return view;
    }
    view.pDrvPrivate =
        view_memory(test, umd->funcs.pfnCalcPrivateRenderTargetViewSize(umd->device, args), false);
    if (view.pDrvPrivate == NULL) {
        return view;
    }
    if (!agpu_check_hr(test,
                       umd->funcs.pfnCreateRenderTargetView(umd->device, args, view,
                                                            (D3D10DDI_HRTRENDERTARGETVIEW){NULL}),
                       S_OK)) {
        return (D3D10DDI_HRENDERTARGETVIEW){NULL};
    }
    return view;
}

D3D10DDI_HRENDERTARGETVIEW agpu_make_rtv(struct agpu_test *test, D3D10DDI_HRESOURCE texture)
{
    D3D10DDIARG_CREATERENDERTARGETVIEW args = {.hDrvResource = texture,
                                               .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D};

    return make_rtv(test, &args);
}

D3D10DDI_HRENDERTARGETVIEW agpu_make_rtv_of(struct agpu_test *test, D3D10DDI_HRESOURCE texture, uint32_t mip,
                                            uint32_t layer)
{
    D3D10DDIARG_CREATERENDERTARGETVIEW args = {.hDrvResource = texture,
                                               .ViewDimension = AGPU_DDI_VIEW_TEXTURE2DARRAY,
                                               .MipSlice = mip,
                                               .FirstArraySlice = layer,
                                               .ArraySize = 1};

    return make_rtv(test, &args);
}

D3D10DDI_HDEPTHSTENCILVIEW agpu_make_dsv(struct agpu_test *test, D3D10DDI_HRESOURCE texture)
{
    struct agpu_umd_rig *umd = &test->env->umd;
    D3D10DDIARG_CREATEDEPTHSTENCILVIEW args = {.hDrvResource = texture,
                                               .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D};
    D3D10DDI_HDEPTHSTENCILVIEW view = {NULL};

    if (!agpu_check(test, texture.pDrvPrivate != NULL)) {
        return view;
    }
    view.pDrvPrivate =
        view_memory(test, umd->funcs.pfnCalcPrivateDepthStencilViewSize(umd->device, &args), true);
    if (view.pDrvPrivate == NULL) {
        return view;
    }
    if (!agpu_check_hr(test,
                       umd->funcs.pfnCreateDepthStencilView(umd->device, &args, view,
                                                            (D3D10DDI_HRTDEPTHSTENCILVIEW){NULL}),
                       S_OK)) {
        return (D3D10DDI_HDEPTHSTENCILVIEW){NULL};
    }
    return view;
}

void agpu_views_end(struct agpu_test *test)
{
    const struct agpu_platform *platform = test->env->platform;

    while (view_count != 0) {
        view_count--;
        if (views[view_count].depth) {
            views[view_count].destroy_dsv(views[view_count].device,
                                          (D3D10DDI_HDEPTHSTENCILVIEW){views[view_count].memory});
        } else {
            views[view_count].destroy_rtv(views[view_count].device,
                                          (D3D10DDI_HRENDERTARGETVIEW){views[view_count].memory});
        }
        platform->heap_free(platform->ctx, views[view_count].memory);
    }
}

void agpu_views_forget(void)
{
    view_count = 0;
}

D3D10DDI_HRESOURCE agpu_make_target(struct agpu_test *test, uint32_t format, uint32_t width, uint32_t height)
{
    struct agpu_resource_desc desc = agpu_texture_desc(format, width, height);

    desc.BindFlags = D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE;
    return agpu_make_texture(test, &desc, 0);
}

void agpu_clear_view(struct agpu_test *test, D3D10DDI_HRENDERTARGETVIEW view, float r, float g, float b,
                     float a)
{
    const struct agpu_umd_rig *umd = &test->env->umd;
    const float rgba[4] = {r, g, b, a};

    umd->context.pfnClearRenderTargetView(umd->device, view, rgba);
}

void agpu_bind_targets_of(struct agpu_test *test, const D3D10DDI_HRENDERTARGETVIEW *bound, uint32_t count)
{
    const struct agpu_umd_rig *umd = &test->env->umd;

    umd->context.pfnSetRenderTargets(umd->device, bound, count, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
}

bool agpu_check_solid_at(struct agpu_test *test, D3D10DDI_HRESOURCE texture,
                         const struct agpu_resource_desc *desc, uint32_t subresource, const uint8_t *texel,
                         uint32_t texel_bytes, struct agpu_where where)
{
    struct agpu_image image = agpu_image_of(desc, subresource);

    for (uint32_t i = 0; i < image.row_bytes * image.rows; i++) {
        solid[i] = texel[i % texel_bytes];
    }
    return agpu_check_image_at(test, texture, desc, subresource, solid, where);
}
