/* test_misuse.c: handles that a runtime must not pass: null, garbage, destroyed. Objects are destroyed in any order,
 * also after the device (umd.md 3.1). */
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"

#define VB    D3D10_DDI_BIND_VERTEX_BUFFER
#define RT    D3D10_DDI_BIND_RENDER_TARGET
#define SRV   D3D10_DDI_BIND_SHADER_RESOURCE
#define CPU_W D3D10_DDI_CPU_ACCESS_WRITE

/* Memory for the object handles of a round of calls; NULL: null handles. */
static void *object_memory;
static struct world *world;

/* Each call reports at most one error, and never returns E_FAIL. */
static void after(const char *call, HRESULT hr, bool silent)
{
    uint32_t errors = world->fake.error_count;

    world->fake.error_count = 0;
    if (errors > (silent ? 0u : 1u) || hr == E_FAIL) {
        print_error("%s: result 0x%08X, %u errors\n", call, (unsigned)hr, errors);
        fail();
    }
}

#define HR(call)   after(#call, (call), silent)
#define VOID(call) ((call), after(#call, S_OK, silent))

static void bind_everything(D3D10DDI_HDEVICE device, bool silent)
{
    const struct agpu_api_context *f = &world->ctx;
    const D3D10DDI_HRESOURCE buffer = {object_memory};
    const D3D10DDI_HSHADERRESOURCEVIEW view = {object_memory};
    const D3D10DDI_HSAMPLER sampler = {object_memory};
    const D3D10DDI_HRENDERTARGETVIEW target = {object_memory};
    const D3D11DDI_HUNORDEREDACCESSVIEW uav = {object_memory};
    const D3D10DDI_HSHADER shader = {object_memory};
    const uint32_t number = 0;
    const D3D10_DDI_VIEWPORT viewport = {.Width = 1};
    const D3D10_DDI_RECT rect = {0, 0, 1, 1};

    VOID(f->pfnVsSetShader(device, shader));
    VOID(f->pfnPsSetShader(device, shader));
    VOID(f->pfnGsSetShader(device, shader));
    VOID(f->pfnHsSetShader(device, shader));
    VOID(f->pfnDsSetShader(device, shader));
    VOID(f->pfnCsSetShader(device, shader));
    VOID(f->pfnVsSetConstantBuffers(device, 0, 1, &buffer));
    VOID(f->pfnPsSetShaderResources(device, 0, 1, &view));
    VOID(f->pfnGsSetSamplers(device, 0, 1, &sampler));
    VOID(f->pfnCsSetUnorderedAccessViews(device, 0, 1, &uav, NULL));
    VOID(f->pfnIaSetInputLayout(device, (D3D10DDI_HELEMENTLAYOUT){object_memory}));
    VOID(f->pfnIaSetVertexBuffers(device, 0, 1, &buffer, &number, &number));
    VOID(f->pfnIaSetIndexBuffer(device, buffer, DXGI_FORMAT_R16_UINT, 0));
    VOID(f->pfnIaSetTopology(device, 4));
    VOID(f->pfnSoSetTargets(device, 1, 0, &buffer, &number));
    VOID(f->pfnSetViewports(device, 1, 0, &viewport));
    VOID(f->pfnSetScissorRects(device, 1, 0, &rect));
    VOID(f->pfnSetRasterizerState(device, (D3D10DDI_HRASTERIZERSTATE){object_memory}));
    VOID(f->pfnSetBlendState(device, (D3D10DDI_HBLENDSTATE){object_memory}, NULL, 1));
    VOID(f->pfnSetDepthStencilState(device, (D3D10DDI_HDEPTHSTENCILSTATE){object_memory}, 0));
    VOID(f->pfnSetRenderTargets(device, &target, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){object_memory}));
    VOID(f->pfnSetRenderTargetsAndUnorderedAccessViews(device, &target, 1, (D3D10DDI_HDEPTHSTENCILVIEW){NULL},
                                                       &uav, NULL, 0, 1));
    VOID(f->pfnSetPredication(device, (D3D10DDI_HQUERY){object_memory}, 0));
    VOID(f->pfnClearState(device));
}

static void work_with_everything(D3D10DDI_HDEVICE device, bool silent)
{
    static const float color[4];
    static const uint32_t words[4];
    const struct agpu_api_context *f = &world->ctx;
    const D3D10DDI_HRESOURCE resource = {object_memory};
    const D3D11DDI_HUNORDEREDACCESSVIEW uav = {object_memory};

    VOID(f->pfnDraw(device, 3, 0));
    VOID(f->pfnDrawIndexed(device, 3, 0, 0));
    VOID(f->pfnDrawInstanced(device, 3, 1, 0, 0));
    VOID(f->pfnDrawIndexedInstanced(device, 3, 1, 0, 0, 0));
    VOID(f->pfnDrawAuto(device));
    VOID(f->pfnDrawInstancedIndirect(device, resource, 0));
    VOID(f->pfnDrawIndexedInstancedIndirect(device, resource, 0));
    VOID(f->pfnDispatch(device, 1, 1, 1));
    VOID(f->pfnDispatchIndirect(device, resource, 0));
    VOID(f->pfnClearRenderTargetView(device, (D3D10DDI_HRENDERTARGETVIEW){object_memory}, color));
    VOID(f->pfnClearDepthStencilView(device, (D3D10DDI_HDEPTHSTENCILVIEW){object_memory}, 3, 1, 0));
    VOID(f->pfnClearUnorderedAccessViewUint(device, uav, words));
    VOID(f->pfnClearUnorderedAccessViewFloat(device, uav, color));
    VOID(f->pfnGenMips(device, (D3D10DDI_HSHADERRESOURCEVIEW){object_memory}));
    VOID(f->pfnResourceCopy(device, resource, resource));
    HR(f->pfnResourceCopyRegion(device, resource, 0, 0, 0, 0, resource, 0, NULL));
    VOID(f->pfnResourceUpdateSubresourceUP(device, resource, 0, NULL, words, 0, 0));
    VOID(f->pfnDefaultConstantBufferUpdateSubresourceUP(device, resource, 0, NULL, words, 0, 0));
    VOID(f->pfnResourceResolveSubresource(device, resource, 0, resource, 0, 0));
    VOID(f->pfnCopyStructureCount(device, resource, 0, uav));
    VOID(f->pfnSetResourceMinLOD(device, resource, 0));
    VOID(f->pfnQueryBegin(device, (D3D10DDI_HQUERY){object_memory}));
    VOID(f->pfnQueryEnd(device, (D3D10DDI_HQUERY){object_memory}));
    HR(f->pfnQueryGetData(device, (D3D10DDI_HQUERY){object_memory}, NULL, 0, 0));
    VOID(f->pfnDiscardResource(device, resource));
    VOID(f->pfnDiscardView(device, object_memory));
    VOID(f->pfnSetMarker(device, NULL));
    VOID(f->pfnBeginEvent(device, NULL));
    VOID(f->pfnEndEvent(device));
}

static void map_everything(D3D10DDI_HDEVICE device, bool silent)
{
    const struct agpu_api_context *f = &world->ctx;
    const D3D10DDI_HRESOURCE resource = {object_memory};
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    for (uint32_t type = 0; type < 7; type++) {
        HR(f->pfnResourceMap(device, resource, 0, type, 0, &mapped));
        HR(f->pfnResourceMap(device, resource, 0, type, 0, NULL));
        HR(f->pfnStagingResourceMap(device, resource, 0, type, 0, &mapped));
    }
    HR(f->pfnDynamicIABufferMapDiscard(device, resource, 0, 4, 0, &mapped));
    HR(f->pfnDynamicIABufferMapNoOverwrite(device, resource, 0, 5, 0, &mapped));
    HR(f->pfnDynamicConstantBufferMapDiscard(device, resource, 0, 4, 0, &mapped));
    HR(f->pfnDynamicConstantBufferMapNoOverwrite(device, resource, 0, 5, 0, &mapped));
    HR(f->pfnDynamicResourceMapDiscard(device, resource, 0, 4, 0, &mapped));
    VOID(f->pfnResourceUnmap(device, resource, 0));
    VOID(f->pfnDynamicIABufferUnmap(device, resource, 0));
    VOID(f->pfnDynamicConstantBufferUnmap(device, resource, 0));
    VOID(f->pfnDynamicResourceUnmap(device, resource, 0));
    VOID(f->pfnStagingResourceUnmap(device, resource, 0));
    VOID((void)f->pfnResourceIsStagingBusy(device, resource));
}

static void finish_everything(D3D10DDI_HDEVICE device, bool silent)
{
    const struct agpu_api_device *f = &world->dev;
    const D3D10DDI_HRESOURCE resource = {object_memory}, pair[2] = {resource, resource};
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotation = {pair, 2};
    const DXGI_DDI_ARG_BLT blt = {.hDstResource = resource, .hSrcResource = resource};

    HR(f->pfnPresent(device, NULL));
    HR(f->pfnRotateResourceIdentities(device, NULL));
    HR(f->pfnRotateResourceIdentities(device, &rotation));
    HR(f->pfnBlt(device, NULL));
    HR(f->pfnBlt(device, &blt));
    HR(f->pfnCreateResource(device, NULL, (D3D10DDI_HRESOURCE){NULL}, (D3D10DDI_HRTRESOURCE){NULL}));
    HR(f->pfnOpenResource(device, NULL, (D3D10DDI_HRESOURCE){NULL}, (D3D10DDI_HRTRESOURCE){NULL}));
    HR(f->pfnCreateShaderResourceView(device, NULL, (D3D10DDI_HSHADERRESOURCEVIEW){NULL},
                                      (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}));
    HR(f->pfnCreateSampler(device, NULL, (D3D10DDI_HSAMPLER){NULL}, (D3D10DDI_HRTSAMPLER){NULL}));
    HR(f->pfnCreateQuery(device, NULL, (D3D10DDI_HQUERY){NULL}, (D3D10DDI_HRTQUERY){NULL}));
}

static void destroy_everything(D3D10DDI_HDEVICE device, bool silent)
{
    const struct agpu_api_device *f = &world->dev;

    VOID(f->pfnDestroyShaderResourceView(device, (D3D10DDI_HSHADERRESOURCEVIEW){object_memory}));
    VOID(f->pfnDestroyRenderTargetView(device, (D3D10DDI_HRENDERTARGETVIEW){object_memory}));
    VOID(f->pfnDestroyDepthStencilView(device, (D3D10DDI_HDEPTHSTENCILVIEW){object_memory}));
    VOID(f->pfnDestroyUnorderedAccessView(device, (D3D11DDI_HUNORDEREDACCESSVIEW){object_memory}));
    VOID(f->pfnDestroyElementLayout(device, (D3D10DDI_HELEMENTLAYOUT){object_memory}));
    VOID(f->pfnDestroyBlendState(device, (D3D10DDI_HBLENDSTATE){object_memory}));
    VOID(f->pfnDestroyDepthStencilState(device, (D3D10DDI_HDEPTHSTENCILSTATE){object_memory}));
    VOID(f->pfnDestroyRasterizerState(device, (D3D10DDI_HRASTERIZERSTATE){object_memory}));
    VOID(f->pfnDestroyShader(device, (D3D10DDI_HSHADER){object_memory}));
    VOID(f->pfnDestroySampler(device, (D3D10DDI_HSAMPLER){object_memory}));
    VOID(f->pfnDestroyQuery(device, (D3D10DDI_HQUERY){object_memory}));
    VOID(f->pfnDestroyResource(device, (D3D10DDI_HRESOURCE){object_memory}));
}

static void call_everything(D3D10DDI_HDEVICE device, bool silent)
{
    world->fake.error_count = 0;
    bind_everything(device, silent);
    work_with_everything(device, silent);
    map_everything(device, silent);
    finish_everything(device, silent);
    destroy_everything(device, silent);
}

/* Without a valid device the driver accesses nothing, reports nothing, and calls no callback. */
static void no_device(D3D10DDI_HDEVICE device)
{
    uint64_t calls = world->fake.total_calls;

    call_everything(device, true);
    world->dev.pfnDestroyDevice(device);
    assert_int_equal(world->fake.total_calls, calls);
}

TEST(without_a_device)
{
    struct world w;

    world = &w;
    world_open(&w, AGPU_BACKING_WDK);
    uint8_t *garbage = object(sizeof(struct agpu_device)), *before = malloc(sizeof(struct agpu_device));
    for (uint32_t dead = 0; dead < 2; dead++) {
        object_memory = dead ? calloc(1, 4096) : NULL; /* as left by a failed create or by a destroy */
        no_device((D3D10DDI_HDEVICE){NULL});
        memcpy(before, garbage, sizeof(struct agpu_device));
        no_device((D3D10DDI_HDEVICE){garbage});
        assert_memory_equal(garbage, before, sizeof(struct agpu_device));
        free(object_memory);
    }
    free(garbage);
    free(before);
    world_close(&w);
}

TEST(after_the_device)
{
    for (int mode = AGPU_BACKING_WDK; mode <= AGPU_BACKING_HOST; mode++) {
        struct world w;

        world = &w;
        world_open(&w, (enum agpu_backing_mode)mode);
        w.ctx.pfnDraw(w.device, 3, 0);
        w.dev.pfnDestroyDevice(w.device);
        for (uint32_t dead = 0; dead < 2; dead++) {
            object_memory = dead ? calloc(1, 4096) : NULL;
            no_device(w.device);
            free(object_memory);
        }
        world_close(&w); /* destroys it a second time */
    }
}

/* Null handles, and memory whose create failed, on a live device. */
TEST(without_objects)
{
    for (int mode = AGPU_BACKING_WDK; mode <= AGPU_BACKING_HOST; mode++) {
        for (uint32_t dead = 0; dead < 2; dead++) {
            struct world w;

            world = &w;
            world_open(&w, (enum agpu_backing_mode)mode);
            object_memory = dead ? calloc(1, 4096) : NULL;
            call_everything(w.device, false);
            w.fake.error_count = 0;
            assert_int_equal(flush(&w), S_OK);
            free(object_memory);
            world_close(&w);
        }
    }
}

/* ---- destruction in any order ---- */

enum member {
    BUFFER,
    STREAM,
    READBACK,
    TARGET,
    TEXTURE,
    TARGET_VIEW,
    TEXTURE_VIEW,
    SAMPLER,
    SHADER,
    LAYOUT,
    DEVICE,
    MEMBERS
};

static void create_member(struct world *w, void **members, enum member which)
{
    const D3D10DDIARG_CREATESHADER code = {"DXBC", 4};
    const D3D10_DDI_SAMPLER_DESC sampler = {0, 1, 1, 1};
    const D3D10DDIARG_CREATEELEMENTLAYOUT layout = {NULL, 0};
    HRESULT hr = S_OK;

    switch (which) {
    case BUFFER:
        members[which] = make_buffer(w, 64, 0, VB, 0).pDrvPrivate;
        break;
    case STREAM:
        members[which] = make_buffer(w, 64, D3D10_DDI_USAGE_DYNAMIC, VB, CPU_W).pDrvPrivate;
        break;
    case READBACK:
        members[which] =
            make_buffer(w, 64, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ).pDrvPrivate;
        break;
    case TARGET:
        members[which] = make_texture(w, DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, 0, RT, 0).pDrvPrivate;
        break;
    case TEXTURE: {
        struct agpu_resource_desc desc = texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 4, 4, 0, SRV, 0);

        desc.MipLevels = 2;
        members[which] = make(w, &desc).pDrvPrivate;
        break;
    }
    case TARGET_VIEW:
        members[which] = make_rtv(w, (D3D10DDI_HRESOURCE){members[TARGET]}).pDrvPrivate;
        break;
    case TEXTURE_VIEW: {
        const D3D10DDIARG_CREATESHADERRESOURCEVIEW desc = {.hDrvResource = {members[TEXTURE]},
                                                           .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D,
                                                           .MostDetailedMip = 1};

        members[which] = try_srv(w, &desc, &hr).pDrvPrivate;
        break;
    }
    case SAMPLER:
        members[which] = object(w->dev.pfnCalcPrivateSamplerSize(w->device, &sampler));
        hr = w->dev.pfnCreateSampler(w->device, &sampler, (D3D10DDI_HSAMPLER){members[which]},
                                     (D3D10DDI_HRTSAMPLER){NULL});
        break;
    case SHADER:
        members[which] = object(w->dev.pfnCalcPrivateShaderSize(w->device, &code));
        hr = w->dev.pfnCreateVertexShader(w->device, &code, (D3D10DDI_HSHADER){members[which]},
                                          (D3D10DDI_HRTSHADER){NULL});
        break;
    case LAYOUT:
        members[which] = object(w->dev.pfnCalcPrivateElementLayoutSize(w->device, &layout));
        hr = w->dev.pfnCreateElementLayout(w->device, &layout, (D3D10DDI_HELEMENTLAYOUT){members[which]},
                                           (D3D10DDI_HRTELEMENTLAYOUT){NULL});
        break;
    default:
        members[which] = w->device.pDrvPrivate;
        break;
    }
    assert_int_equal(hr, S_OK);
}

static void bind_members(struct world *w, void **members)
{
    const D3D10DDI_HRESOURCE buffers[2] = {{members[BUFFER]}, {members[STREAM]}};
    const uint32_t strides[2] = {16, 16}, offsets[2] = {0, 0};
    const D3D10DDI_HRENDERTARGETVIEW target = {members[TARGET_VIEW]};
    const D3D10DDI_HSHADERRESOURCEVIEW view = {members[TEXTURE_VIEW]};
    const D3D10DDI_HSAMPLER sampler = {members[SAMPLER]};

    w->ctx.pfnIaSetVertexBuffers(w->device, 0, 2, buffers, strides, offsets);
    w->ctx.pfnSetRenderTargets(w->device, &target, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    w->ctx.pfnPsSetShaderResources(w->device, 0, 1, &view);
    w->ctx.pfnPsSetSamplers(w->device, 0, 1, &sampler);
    w->ctx.pfnIaSetInputLayout(w->device, (D3D10DDI_HELEMENTLAYOUT){members[LAYOUT]});
    w->ctx.pfnVsSetShader(w->device, (D3D10DDI_HSHADER){members[SHADER]});
    w->ctx.pfnDraw(w->device, 3, 0);
    w->ctx.pfnResourceCopy(w->device, (D3D10DDI_HRESOURCE){members[READBACK]},
                           (D3D10DDI_HRESOURCE){members[BUFFER]});
}

static void destroy_member(struct world *w, void **members, enum member which)
{
    void *const memory = members[which];

    switch (which) {
    case BUFFER:
    case STREAM:
    case READBACK:
    case TARGET:
    case TEXTURE:
        w->dev.pfnDestroyResource(w->device, (D3D10DDI_HRESOURCE){memory});
        break;
    case TARGET_VIEW:
        w->dev.pfnDestroyRenderTargetView(w->device, (D3D10DDI_HRENDERTARGETVIEW){memory});
        break;
    case TEXTURE_VIEW:
        w->dev.pfnDestroyShaderResourceView(w->device, (D3D10DDI_HSHADERRESOURCEVIEW){memory});
        break;
    case SAMPLER:
        w->dev.pfnDestroySampler(w->device, (D3D10DDI_HSAMPLER){memory});
        break;
    case SHADER:
        w->dev.pfnDestroyShader(w->device, (D3D10DDI_HSHADER){memory});
        break;
    case LAYOUT:
        w->dev.pfnDestroyElementLayout(w->device, (D3D10DDI_HELEMENTLAYOUT){memory});
        break;
    default:
        w->dev.pfnDestroyDevice(w->device);
        break;
    }
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

/* Destroys each object twice in a row and overwrites its memory at once, even if others refer to it. The last draws use
 * what remains. */
TEST(any_order)
{
    for (uint32_t seed = 1; seed <= 600; seed++) {
        struct world w;
        void *members[MEMBERS];
        uint32_t random = seed, order[MEMBERS];

        world_open(&w, (enum agpu_backing_mode)(seed % 3));
        for (uint32_t i = 0; i < MEMBERS; i++) {
            create_member(&w, members, (enum member)i);
            order[i] = i;
        }
        w.made_count = 0; /* the test destroys each, in its order */
        bind_members(&w, members);
        D3D10DDI_MAPPED_SUBRESOURCE mapped;
        if (seed % 2) {
            assert_int_equal(
                map(&w, (D3D10DDI_HRESOURCE){members[STREAM]}, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
                S_OK);
        }
        for (uint32_t i = MEMBERS - 1; i > 0; i--) {
            uint32_t other = next_random(&random) % (i + 1), which = order[i];

            order[i] = order[other];
            order[other] = which;
        }
        bool device = true;
        for (uint32_t i = 0; i < MEMBERS; i++) {
            uint64_t calls = w.fake.total_calls;

            destroy_member(&w, members, (enum member)order[i]);
            if (!device) {
                assert_int_equal(w.fake.total_calls, calls); /* no callbacks after the device */
            }
            destroy_member(&w, members, (enum member)order[i]);
            device &= order[i] != DEVICE;
            if (order[i] == DEVICE) {
                continue;
            }
            free(members[order[i]]); /* the sanitizer finds a later access */
            w.ctx.pfnDraw(w.device, 3, 0);
            if (device && seed % 5 == 0) {
                assert_int_equal(flush(&w), S_OK);
            }
        }
        assert_int_equal(w.fake.error_count, 0);
        for (uint32_t i = 0; i < w.fake.allocation_count; i++) { /* mapped when the device ended */
            w.fake.allocations[i].locks = 0;
        }
        world_close(&w);
    }
}
