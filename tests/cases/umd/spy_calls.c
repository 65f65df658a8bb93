/* spy_calls.c: entries with every kind of argument: views, viewports, samplers, inputs, draws, clears. The texts in
 * tests/cases/calls/ have the errors and packets (umd.md 8, 9, 10, 11). */
#include <string.h>

#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/umd_draw.h"

#define EDGE  16u
#define RGBA  DXGI_FORMAT_R8G8B8A8_UNORM
#define BYTES 64u
#define REST  AGPU_DDI_ALL_REMAINING

static uint64_t spied_object[64]; /* memory of the object that a row creates */

/* Ends the case if the driver needs more for an object of this kind. */
#define FITS(kind, args)                                                                                     \
    agpu_assert(t, umd->funcs.pfnCalcPrivate##kind##Size(umd->device, args) <= sizeof spied_object)

static bool calls_flush(struct agpu_test *t)
{
    agpu_runtime_errors_clear(t->env->umd.runtime_device); /* the text has them */
    return agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
}

static D3D10DDI_HRESOURCE calls_buffer(struct agpu_test *t, uint32_t bytes, uint32_t bind)
{
    const struct agpu_resource_desc desc = agpu_buffer_desc(bytes, D3D10_DDI_USAGE_DEFAULT, bind, 0);
    HRESULT hr;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);

    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

static D3D10DDI_HRESOURCE calls_texture(struct agpu_test *t, uint32_t format, uint32_t bind)
{
    struct agpu_resource_desc desc = agpu_texture_desc(format, EDGE, EDGE / 2);

    desc.BindFlags = bind;
    desc.MipLevels = 3;
    desc.ArraySize = 4;
    return agpu_make_texture(t, &desc, 0);
}

/* ---- views ---- */

static void spied_srv(struct agpu_test *t, const D3D10DDIARG_CREATESHADERRESOURCEVIEW *args)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10DDI_HSHADERRESOURCEVIEW view = {spied_object}, none = {NULL};

    FITS(ShaderResourceView, args);
    memset(spied_object, 0, sizeof spied_object);
    (void)umd->funcs.pfnCreateShaderResourceView(umd->device, args, view,
                                                 (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL});
    umd->context.pfnPsSetShaderResources(umd->device, 1, 1, &view);
    umd->context.pfnPsSetShaderResources(umd->device, 1, 1, &none);
    umd->funcs.pfnDestroyShaderResourceView(umd->device, view);
}

static void texture_views(struct agpu_test *t)
{
    static const struct {
        uint32_t format, dimension, mip, mips, slice, slices;
    } rows[] = {
        {0, 0, 0, 0, 0, 0},
        {0, 0, 1, 1, 1, 1},
        {0, 9, 0, 0, 0, 0},
        {0, 3, 0, 3, 0, 4},
        {0, 3, 0, REST, 0, 0},
        {0, 3, 0, 2, 0, 0},
        {0, 3, 1, 0, 0, 0},
        {0, 3, 1, REST, 0, 0},
        {0, 3, 2, 1, 0, 0},
        {0, 3, 2, 2, 0, 0},
        {0, 3, 3, 0, 0, 0},
        {0, 3, 0, 4, 0, 0},
        {0, 3, 1, 1, 2, 1},
        {0, 4, 0, 0, 0, 0},
        {0, 4, 0, 3, 0, 4},
        {0, 4, 0, 0, 0, 3},
        {0, 4, 0, 0, 1, 0},
        {0, 4, 0, 0, 1, REST},
        {0, 4, 0, 0, 3, 1},
        {0, 4, 0, 0, 3, 2},
        {0, 4, 0, 0, 4, 0},
        {0, 4, 0, 0, 0, 5},
        {0, 4, 2, 1, 2, 2},
        {RGBA, 3, 0, 0, 0, 0},
        {29, 3, 0, 3, 0, 0},
        {27, 3, 0, 0, 0, 0},
        {87, 3, 0, 0, 0, 0},
        {1000, 3, 0, 0, 0, 0},
        {29, 4, 1, 1, 1, 1},
        {87, 3, 9, 0, 0, 0},
        {DXGI_FORMAT_BC1_UNORM, 3, 0, 0, 0, 0},
    };
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRESOURCE texture =
        calls_texture(t, RGBA, D3D10_DDI_BIND_SHADER_RESOURCE | D3D10_DDI_BIND_RENDER_TARGET);
    D3D10DDI_HRESOURCE depth = calls_texture(t, DXGI_FORMAT_D32_FLOAT, D3D10_DDI_BIND_DEPTH_STENCIL);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const D3D10DDIARG_CREATERENDERTARGETVIEW target = {texture,     rows[i].format, rows[i].dimension,
                                                           rows[i].mip, rows[i].slice,  rows[i].slices};
        D3D10DDIARG_CREATEDEPTHSTENCILVIEW deep = target;
        const D3D10DDI_HRENDERTARGETVIEW rtv = {spied_object};
        const D3D10DDI_HDEPTHSTENCILVIEW dsv = {spied_object};

        spied_srv(t, &(D3D10DDIARG_CREATESHADERRESOURCEVIEW){.hDrvResource = texture,
                                                             .Format = rows[i].format,
                                                             .ViewDimension = rows[i].dimension,
                                                             .MostDetailedMip = rows[i].mip,
                                                             .MipLevels = rows[i].mips,
                                                             .FirstArraySlice = rows[i].slice,
                                                             .ArraySize = rows[i].slices});
        FITS(RenderTargetView, &target);
        (void)umd->funcs.pfnCreateRenderTargetView(umd->device, &target, rtv,
                                                   (D3D10DDI_HRTRENDERTARGETVIEW){NULL});
        umd->funcs.pfnDestroyRenderTargetView(umd->device, rtv);
        deep.hDrvResource = depth;
        deep.Format = 0;
        FITS(DepthStencilView, &deep);
        (void)umd->funcs.pfnCreateDepthStencilView(umd->device, &deep, dsv,
                                                   (D3D10DDI_HRTDEPTHSTENCILVIEW){NULL});
        umd->funcs.pfnDestroyDepthStencilView(umd->device, dsv);
    }
}

static void buffer_views(struct agpu_test *t)
{
    static const struct {
        uint32_t format, first, count, bytes;
    } rows[] = {
        {0, 0, 0, 0},        {0, 0, 16, 0}, {0, 0, 17, 0},   {0, 1, 0, 0}, {0, 15, 1, 0},
        {0, 15, 2, 0},       {0, 16, 0, 0}, {0, 16, 1, 0},   {0, 0, 8, 8}, {0, 7, 0, 8},
        {0, 7, 2, 8},        {2, 1, 3, 0},  {2, 1, 4, 0},    {6, 1, 1, 0}, {57, 2, 2, 0},
        {57, 1, 2, 0},       {57, 2, 1, 0}, {1000, 3, 1, 0}, {0, 0, 1, 6}, {0, 1u << 30, 1, 0},
        {0, 0, 1u << 30, 0}, {42, 4, 4, 0},
    };
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRESOURCE buffer =
        calls_buffer(t, BYTES, D3D10_DDI_BIND_SHADER_RESOURCE | D3D11_DDI_BIND_UNORDERED_ACCESS);
    D3D10DDI_HRESOURCE texture = calls_texture(t, RGBA, D3D10_DDI_BIND_SHADER_RESOURCE);
    static const uint32_t keep = UINT32_MAX;

    for (size_t i = 0; i <= sizeof rows / sizeof rows[0]; i++) {
        const bool other = i == sizeof rows / sizeof rows[0];
        const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW args = {.hDrvResource = other ? texture : buffer,
                                                            .Format = other ? 0 : rows[i].format,
                                                            .FirstElement = other ? 0 : rows[i].first,
                                                            .NumElements = other ? 0 : rows[i].count,
                                                            .ElementBytes = other ? 0 : rows[i].bytes};
        const D3D11DDI_HUNORDEREDACCESSVIEW view = {spied_object}, none = {NULL};

        if (!other) {
            spied_srv(t, &(D3D10DDIARG_CREATESHADERRESOURCEVIEW){.hDrvResource = buffer,
                                                                 .Format = args.Format,
                                                                 .FirstElement = args.FirstElement,
                                                                 .NumElements = args.NumElements,
                                                                 .ElementBytes = args.ElementBytes});
        }
        memset(spied_object, 0, sizeof spied_object);
        FITS(UnorderedAccessView, &args);
        (void)umd->funcs.pfnCreateUnorderedAccessView(umd->device, &args, view,
                                                      (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL});
        umd->context.pfnCsSetUnorderedAccessViews(umd->device, 1, 1, &view, &keep);
        umd->context.pfnCsSetUnorderedAccessViews(umd->device, 1, 1, &none, &keep);
        umd->funcs.pfnDestroyUnorderedAccessView(umd->device, view);
    }
}

/* Views of every part of textures and buffers must be created with the parts as packets, or refused. */
static void every_view(struct agpu_test *t)
{
    agpu_return_unless(agpu_reported_minor(t, 4, "views of mips and layers (ABI 1.4)"));
    agpu_without_rules(t);
    texture_views(t);
    calls_flush(t);
    buffer_views(t);
    calls_flush(t);
}

/* ---- rectangles, samplers, inputs ---- */

/* Viewports, scissors, samplers and input bindings with usual and unusual arguments must give these packets. */
static void every_input(struct agpu_test *t)
{
    static const D3D10_DDI_VIEWPORT viewports[] = {
        {0, 0, 4, 4, 0, 1},  {0, 0, 4, 4, 0, 1},    {0, 0, 0, 4, 0, 1},    {0, 0, 4, 0, 0, 1},
        {0, 0, -1, 4, 0, 1}, {1, 0, 4, 4, 0, 1},    {0, 1, 4, 4, 0, 1},    {0, 0, 5, 4, 0, 1},
        {0, 0, 4, 5, 0, 1},  {0, 0, 4, 4, 0.5f, 1}, {0, 0, 4, 4, 0, 0.5f},
    };
    static const D3D10_DDI_RECT rects[] = {
        {1, 2, 5, 7},
        {1, 2, 5, 7},
        {1, 2, 1, 7},
        {1, 2, 5, 2},
        {2, 2, 5, 7},
        {5, 7, 1, 2},
        {1, 2, 0, 7},
        {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX},
        {INT32_MAX, 0, INT32_MIN, 1},
    };
    const struct agpu_api_context *context = &t->env->umd.context;
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRESOURCE buffer =
        calls_buffer(t, BYTES, D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER);
    const D3D10DDI_HRESOURCE buffers[3] = {buffer, {NULL}, buffer};
    const uint32_t strides[3] = {16, 8, 4}, offsets[3] = {0, 4, 8};

    context->pfnSetViewports(umd->device, 0, 0, NULL);
    context->pfnSetViewports(umd->device, 1, 0, NULL);
    context->pfnSetScissorRects(umd->device, 0, 0, NULL);
    context->pfnSetScissorRects(umd->device, 1, 0, NULL);
    for (size_t i = 0; i < sizeof viewports / sizeof viewports[0]; i++) {
        const D3D10_DDI_VIEWPORT pair[3] = {viewports[0], viewports[i], viewports[0]};

        context->pfnSetViewports(umd->device, 1, 0, &viewports[i]);
        context->pfnSetViewports(umd->device, 3, 0, pair);
    }
    for (size_t i = 0; i < sizeof rects / sizeof rects[0]; i++) {
        const D3D10_DDI_RECT pair[3] = {rects[0], rects[i], rects[0]};

        context->pfnSetScissorRects(umd->device, 1, 0, &rects[i]);
        context->pfnSetScissorRects(umd->device, 3, 0, pair);
    }
    for (uint32_t value = 0; value < 7; value++) {
        const D3D10_DDI_SAMPLER_DESC desc = {value == 6 ? 0x15 : value, value, (value + 1) % 7,
                                             (value + 2) % 7};
        const D3D10DDI_HSAMPLER sampler = {spied_object}, none = {NULL};

        FITS(Sampler, &desc);
        (void)umd->funcs.pfnCreateSampler(umd->device, &desc, sampler, (D3D10DDI_HRTSAMPLER){NULL});
        context->pfnVsSetSamplers(umd->device, value, 1, &sampler);
        context->pfnVsSetSamplers(umd->device, value, 1, &none);
        umd->funcs.pfnDestroySampler(umd->device, sampler);
    }
    for (uint32_t start = 0; start <= 32; start += 15) {
        context->pfnIaSetVertexBuffers(umd->device, start, 3, buffers, strides, offsets);
    }
    context->pfnIaSetVertexBuffers(umd->device, 32, 0, NULL, NULL, NULL);
    context->pfnIaSetVertexBuffers(umd->device, 33, 0, NULL, NULL, NULL);
    context->pfnIaSetVertexBuffers(umd->device, 29, 0, NULL, NULL, NULL);
    context->pfnIaSetVertexBuffers(umd->device, 1, 1, NULL, strides, offsets);
    context->pfnIaSetVertexBuffers(umd->device, 1, 1, buffers, NULL, offsets);
    context->pfnIaSetVertexBuffers(umd->device, 1, 1, buffers, strides, NULL);
    for (uint32_t offset = 0; offset < 5; offset++) {
        context->pfnIaSetIndexBuffer(umd->device, buffer, DXGI_FORMAT_R16_UINT, offset);
        context->pfnIaSetIndexBuffer(umd->device, buffer, DXGI_FORMAT_R32_UINT, offset);
    }
    context->pfnIaSetIndexBuffer(umd->device, buffer, RGBA, 0);
    context->pfnIaSetIndexBuffer(umd->device, (D3D10DDI_HRESOURCE){NULL}, RGBA, 3);
    for (uint32_t topology = 0; topology < 4; topology++) {
        context->pfnIaSetTopology(umd->device, 4 + topology / 2);
    }
    calls_flush(t);
}

/* ---- draws and clears ---- */

/* Draws with a count of 0, of each kind, and clears of bound and unbound views must give these packets. */
static void every_draw(struct agpu_test *t)
{
    static const uint32_t words[10] = {0, 1, 0, 0, 0, 3, 1, 0, 0, 0};
    const struct agpu_api_context *context = &t->env->umd.context;
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    D3D10DDI_HRESOURCE arguments, texture;
    D3D10DDI_HRENDERTARGETVIEW views[2];
    D3D10DDI_HDEPTHSTENCILVIEW depth;
    static const uint16_t numbers[4] = {0, 1, 2, 3};

    agpu_return_unless(agpu_draw_begin(t, EDGE));
    agpu_draw_textured(t, &agpu_ps_textured_4_0, 1);
    arguments = agpu_make_default(t, sizeof words, words);
    texture = calls_texture(t, RGBA, D3D10_DDI_BIND_SHADER_RESOURCE | D3D10_DDI_BIND_RENDER_TARGET);
    agpu_draw_view(t, &(D3D10DDIARG_CREATESHADERRESOURCEVIEW){.hDrvResource = texture});
    context->pfnIaSetIndexBuffer(device, agpu_make_indices(t, sizeof numbers, numbers), DXGI_FORMAT_R16_UINT,
                                 0);
    for (uint32_t count = 0; count < 2; count++) {
        for (uint32_t instances = 0; instances < 2; instances++) {
            context->pfnDrawInstanced(device, 3 * count, instances, 1, 0);
            context->pfnDrawIndexedInstanced(device, 3 * count, instances, 1, 1, 0);
        }
        context->pfnDraw(device, 3 * count, 1);
        context->pfnDrawIndexed(device, 3 * count, 1, -1);
        context->pfnDrawInstancedIndirect(device, arguments, 20 * count);
        context->pfnDrawIndexedInstancedIndirect(device, arguments, 20 * count);
    }
    context->pfnDispatch(device, 0, 1, 1);
    context->pfnDispatch(device, 1, 0, 1);
    context->pfnDispatch(device, 1, 1, 0);
    for (uint32_t offset = 22; offset <= 40; offset += 2) { /* the last words, and beyond */
        context->pfnDrawInstancedIndirect(device, texture, offset);
        if (offset > 20) {
            context->pfnDrawIndexedInstancedIndirect(device, arguments, offset);
        }
    }
    calls_flush(t);
    views[0] = agpu_draw_target_view();
    views[1] = agpu_make_rtv(t, texture);
    depth = agpu_make_dsv(t, calls_texture(t, DXGI_FORMAT_D24_UNORM_S8_UINT, D3D10_DDI_BIND_DEPTH_STENCIL));
    for (uint32_t bound = 0; bound < 3; bound++) {
        context->pfnSetRenderTargets(device, views, bound, 0,
                                     bound == 2 ? depth : (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
        agpu_clear_view(t, views[0], 1, 0, 0, 1);
        agpu_clear_view(t, views[1], 0, 1, 0, 1);
        for (uint32_t flags = 0; flags < 4; flags++) {
            context->pfnClearDepthStencilView(device, depth, flags, 0.5f, 7);
        }
    }
    context->pfnClearRenderTargetView(device, views[0], NULL);
    context->pfnClearRenderTargetView(device, (D3D10DDI_HRENDERTARGETVIEW){NULL}, (const float[4]){0});
    context->pfnClearDepthStencilView(device, (D3D10DDI_HDEPTHSTENCILVIEW){NULL}, 1, 0, 0);
    calls_flush(t);
}

/* ---- arguments that the driver refuses ---- */

static void refused_creations(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_resource_desc good = agpu_texture_desc(RGBA, EDGE, EDGE / 2);
    static const uint8_t bytes[EDGE * EDGE * 4];
    const D3D10_DDIARG_SUBRESOURCE_UP data[2] = {{bytes, EDGE * 4, 0}, {bytes, EDGE * 2, 0}};
    const D3D10_DDIARG_SUBRESOURCE_UP narrow[2] = {{bytes, EDGE * 4 - 1, 0}, {bytes, EDGE * 2, 0}};
    const D3D10_DDIARG_SUBRESOURCE_UP missing[2] = {{bytes, EDGE * 4, 0}, {NULL, EDGE * 2, 0}};
    const D3D10DDI_HRESOURCE resource = {spied_object};
    const D3D10DDI_HELEMENTLAYOUT layout = {spied_object};
    const D3D10DDIARG_INPUT_ELEMENT_DESC element = {"A", 0, RGBA, 0, 0, 0, 0};

    for (uint32_t row = 0; row < 24; row++) {
        struct agpu_resource_desc desc = good;

        desc.Width = row == 0 ? 0 : desc.Width;
        desc.Height = row == 1 ? 0 : desc.Height;
        desc.MipLevels = row == 2 ? 6 : row == 3 || row >= 16 ? 2 : row == 4 ? 5 : 1;
        desc.SampleDesc.Count = row == 5 ? 2 : 1;
        desc.SampleDesc.Quality = row == 6;
        desc.ResourceDimension = row == 7 ? 2 : row == 8 ? 4 : desc.ResourceDimension;
        desc.Format = row == 9 ? 1000 : row == 10 ? DXGI_FORMAT_R32_FLOAT : desc.Format;
        desc.MiscFlags = row == 11   ? D3D10_DDI_RESOURCE_MISC_SHARED_KEYEDMUTEX
                         : row == 12 ? D3D10_DDI_RESOURCE_MISC_SHARED
                                     : 0;
        desc.ArraySize = row == 12 ? 2 : row == 13 ? 0 : 1;
        desc.Width = row == 14 ? UINT32_MAX : desc.Width;
        desc.Height = row == 15 ? UINT32_MAX : desc.Height;
        desc.pInitialDataUP = row == 17 ? missing : row == 18 ? narrow : row >= 16 ? data : NULL;
        /* A wrong number does not reach the driver. */
        desc.InitialDataCount = row == 19 ? 1 : row == 20 ? 3 : row == 21 ? 0 : row >= 16 ? 2 : 0;
        if (row >= 22) {
            desc = agpu_buffer_desc(row == 22 ? 0 : BYTES, D3D10_DDI_USAGE_DEFAULT,
                                    D3D10_DDI_BIND_VERTEX_BUFFER, 0);
            desc.pInitialDataUP = row == 22 ? data : missing + 1;
            desc.InitialDataCount = 1;
        }
        memset(spied_object, 0, sizeof spied_object);
        FITS(Resource, &desc);
        (void)umd->funcs.pfnCreateResource(umd->device, &desc, resource, (D3D10DDI_HRTRESOURCE){NULL});
        umd->funcs.pfnDestroyResource(umd->device, resource);
    }
    for (uint32_t row = 0; row < 5; row++) {
        const D3D10DDIARG_CREATEELEMENTLAYOUT args = {row == 0 ? NULL : &element, row == 0   ? 1
                                                                                  : row == 1 ? 4097
                                                                                  : row == 2 ? 0
                                                                                             : 1};

        FITS(ElementLayout, &args);
        (void)umd->funcs.pfnCreateElementLayout(umd->device, row == 3 ? NULL : &args, layout,
                                                (D3D10DDI_HRTELEMENTLAYOUT){NULL});
        umd->funcs.pfnDestroyElementLayout(umd->device, layout);
    }
}

static void refused_copies(struct agpu_test *t)
{
    const struct agpu_api_context *context = &t->env->umd.context;
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    D3D10DDI_HRESOURCE texture = calls_texture(t, RGBA, D3D10_DDI_BIND_SHADER_RESOURCE);
    D3D10DDI_HRESOURCE other = calls_texture(t, RGBA, D3D10_DDI_BIND_SHADER_RESOURCE);
    D3D10DDI_HRESOURCE blocks = calls_texture(t, DXGI_FORMAT_BC1_UNORM, D3D10_DDI_BIND_SHADER_RESOURCE);
    D3D10DDI_HRESOURCE depth = calls_texture(t, DXGI_FORMAT_D32_FLOAT, D3D10_DDI_BIND_DEPTH_STENCIL);
    D3D10DDI_HRESOURCE buffer = calls_buffer(t, BYTES, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE large = calls_buffer(t, 2 * BYTES, D3D10_DDI_BIND_VERTEX_BUFFER);
    static const uint8_t bytes[EDGE * EDGE * 4];
    /* left, top, front, right, bottom, back: of the texture's mip 0, 16 x 8 */
    static const D3D10_DDI_BOX boxes[] = {
        {0, 0, 0, 16, 8, 1}, {0, 0, 0, 17, 8, 1}, {0, 0, 0, 16, 9, 1},  {-1, 0, 0, 4, 4, 1},
        {0, -1, 0, 4, 4, 1}, {4, 0, 0, 4, 4, 1},  {5, 0, 0, 4, 4, 1},   {0, 4, 0, 4, 4, 1},
        {0, 0, 1, 4, 4, 2},  {0, 0, 0, 4, 4, 2},  {15, 7, 0, 16, 8, 1}, {0, 0, 0, 8, 1, 1},
        {8, 0, 0, 64, 1, 1}, {8, 0, 0, 65, 1, 1}, {0, 0, 0, 4, 2, 1},   {2, 0, 0, 6, 1, 1},
        {4, 4, 0, 8, 8, 1},  {0, 0, 0, 6, 4, 1},
    };
    const D3D10DDI_HRESOURCE pairs[][2] = {{other, texture}, {large, buffer},  {buffer, large},
                                           {blocks, blocks}, {depth, texture}, {buffer, texture},
                                           {blocks, texture}};
    const D3D10DDI_HRESOURCE none = {NULL}, dead = {spied_object}, /* whose creation failed */
        missing[][2] = {{texture, none}, {none, texture}, {texture, dead}, {dead, texture}, {dead, dead}};

    for (size_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        agpu_check(
            t, agpu_runtime_wait_idle(t->env->umd.runtime)); /* resources in use are updated in another way */
        context->pfnResourceUpdateSubresourceUP(device, texture, 0, &boxes[i], bytes, EDGE * 4, 0);
        context->pfnResourceUpdateSubresourceUP(device, blocks, 0, &boxes[i], bytes, EDGE * 4, 0);
        context->pfnResourceUpdateSubresourceUP(device, buffer, 0, &boxes[i], bytes, 0, 0);
        for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++) {
            (void)context->pfnResourceCopyRegion(device, pairs[pair][0], 0, 0, 0, 0, pairs[pair][1], 0,
                                                 &boxes[i]);
        }
    }
    for (uint32_t row = 0; row < 12; row++) { /* indices and places */
        const uint32_t dst = row == 0 ? 11 : row == 1 ? 12 : 0, src = row == 2 ? 11 : row == 3 ? 12 : 0;

        (void)context->pfnResourceCopyRegion(device, other, dst,
                                             row == 4   ? 1
                                             : row == 5 ? 17
                                                        : 0,
                                             row == 6 ? 1 : 0, row == 7, texture, src,
                                             row > 7 ? &boxes[row + 2] : NULL);
        (void)context->pfnResourceCopyRegion(device, large, row == 0, 4 * row, row == 6, row == 7, buffer,
                                             row == 2, row > 7 ? &boxes[row] : NULL);
        agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
        context->pfnResourceUpdateSubresourceUP(device, texture, dst, NULL, row == 8 ? NULL : bytes,
                                                row == 9    ? EDGE * 4 - 1
                                                : row == 10 ? 0
                                                            : EDGE * 4,
                                                0);
        context->pfnResourceUpdateSubresourceUP(device, buffer, row == 0, NULL, row == 8 ? NULL : bytes, 0,
                                                0);
    }
    for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++) {
        context->pfnResourceCopy(device, pairs[pair][0], pairs[pair][1]);
    }
    memset(spied_object, 0, sizeof spied_object);
    for (size_t pair = 0; pair < sizeof missing / sizeof missing[0]; pair++) {
        (void)context->pfnResourceCopyRegion(device, missing[pair][0], 0, 0, 0, 0, missing[pair][1], 0, NULL);
        context->pfnResourceCopy(device, missing[pair][0], missing[pair][1]);
    }
}

/* Without the rules of the runtime, the driver must refuse arguments that are wrong, and no others. */
static void every_refusal(struct agpu_test *t)
{
    agpu_without_rules(t);
    refused_creations(t);
    calls_flush(t);
    refused_copies(t);
    calls_flush(t);
}

#define SPY_CALLS(name, section, function)                                                                   \
    {                                                                                                        \
        .id = "spy.calls." name, .spec = (section), .needs = AGPU_NEED_RING,                                 \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = agpu_run_draw_case,        \
        .arg = &(const struct agpu_draw_case){(function), 0, agpu_spied_config},                             \
    }

static const struct agpu_case umd_spy_calls_cases[] = {
    SPY_CALLS("views", "umd.md 9", every_view),
    SPY_CALLS("inputs", "umd.md 10", every_input),
    SPY_CALLS("draws", "umd.md 11", every_draw),
    SPY_CALLS("refused", "umd.md 5.1", every_refusal),
};

AGPU_CASE_TABLE(agpu_cases_umd_spy_calls, umd_spy_calls_cases);
