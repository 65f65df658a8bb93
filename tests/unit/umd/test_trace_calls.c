/* test_trace_calls.c: each function of the Direct3D 11 tables leaves exactly one trace line (umd.md 18). */
#include "tests/unit/umd/traced.h"
#include "tests/unit/umd/views.h"

static struct world w;

#define CALL(text, call)      TRACED(&w.fake, text, (void)(call))
#define VOID_CALL(text, call) TRACED(&w.fake, text, call)

static void open_traced(void)
{
    world_open(&w, AGPU_BACKING_WDK);
    w.fake.options.trace_level = AGPU_TRACE_STATE;
}

TEST(sizes)
{
    open_traced();
    const D3D10DDI_HDEVICE d = w.device;
    CALL("CalcPrivateDeviceSize", w.adapter_funcs.pfnCalcPrivateDeviceSize(w.adapter, NULL));
    CALL("CalcPrivateDeviceContextSize", w.adapter_funcs.pfnCalcPrivateDeviceContextSize(w.adapter, NULL));
    CALL("CalcPrivateResourceSize", w.dev.pfnCalcPrivateResourceSize(d, NULL));
    CALL("CalcPrivateOpenedResourceSize", w.dev.pfnCalcPrivateOpenedResourceSize(d, NULL));
    CALL("CalcPrivateShaderResourceViewSize", w.dev.pfnCalcPrivateShaderResourceViewSize(d, NULL));
    CALL("CalcPrivateRenderTargetViewSize", w.dev.pfnCalcPrivateRenderTargetViewSize(d, NULL));
    CALL("CalcPrivateDepthStencilViewSize", w.dev.pfnCalcPrivateDepthStencilViewSize(d, NULL));
    CALL("CalcPrivateUnorderedAccessViewSize", w.dev.pfnCalcPrivateUnorderedAccessViewSize(d, NULL));
    CALL("CalcPrivateElementLayoutSize", w.dev.pfnCalcPrivateElementLayoutSize(d, NULL));
    CALL("CalcPrivateBlendStateSize", w.dev.pfnCalcPrivateBlendStateSize(d, NULL));
    CALL("CalcPrivateDepthStencilStateSize", w.dev.pfnCalcPrivateDepthStencilStateSize(d, NULL));
    CALL("CalcPrivateRasterizerStateSize", w.dev.pfnCalcPrivateRasterizerStateSize(d, NULL));
    CALL("CalcPrivateShaderSize", w.dev.pfnCalcPrivateShaderSize(d, NULL));
    CALL("CalcPrivateGeometryShaderWithStreamOutput",
         w.dev.pfnCalcPrivateGeometryShaderWithStreamOutput(d, NULL));
    CALL("CalcPrivateTessellationShaderSize", w.dev.pfnCalcPrivateTessellationShaderSize(d, NULL));
    CALL("CalcPrivateSamplerSize", w.dev.pfnCalcPrivateSamplerSize(d, NULL));
    CALL("CalcPrivateQuerySize", w.dev.pfnCalcPrivateQuerySize(d, NULL));
    CALL("CalcPrivateClassLinkageSize", w.dev.pfnCalcPrivateClassLinkageSize(d));
    CALL("CalcPrivateClassInstanceSize", w.dev.pfnCalcPrivateClassInstanceSize(d));
    CALL("CalcPrivateCounterSize", w.dev.pfnCalcPrivateCounterSize(d));
    CALL("CalcPrivatePredicateSize", w.dev.pfnCalcPrivatePredicateSize(d));
    CALL("CalcDeferredContextHandleSize", w.dev.pfnCalcDeferredContextHandleSize(d, 0, NULL));
    CALL("CalcPrivateDeferredContextSize", w.dev.pfnCalcPrivateDeferredContextSize(d, NULL));
    CALL("CalcPrivateCommandListSize", w.dev.pfnCalcPrivateCommandListSize(d, NULL));
    world_close(&w);
}

/* Creates and destroys one object in new memory. */
#define OBJECT(label, handle_type, size, create_call, destroy_call)                                          \
    do {                                                                                                     \
        handle_type o = {object(size)};                                                                      \
        CALL("Create" label, create_call);                                                                   \
        VOID_CALL("Destroy" label, destroy_call);                                                            \
        free(o.pDrvPrivate);                                                                                 \
    } while (0)

TEST(objects)
{
    open_traced();
    const D3D10DDI_HDEVICE d = w.device;
    const struct agpu_api_device *f = &w.dev;
    static const uint32_t code[4] = {1, 2, 3, 4};
    const D3D10DDIARG_CREATESHADER shader = {code, sizeof code};
    const D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT so = {code, sizeof code, 0};
    const D3D10DDIARG_CREATEELEMENTLAYOUT layout = {NULL, 0};
    const D3D10_DDI_SAMPLER_DESC sampler = {0, 1, 1, 1};
    const D3D10DDIARG_CREATEQUERY query = {0, 0};
    const size_t room = 4096;
#define SHADER(stage, entry, args)                                                                           \
    do {                                                                                                     \
        D3D10DDI_HSHADER o = {object(room)};                                                                 \
        CALL("Create" stage " handle=", f->entry(d, args, o, (D3D10DDI_HRTSHADER){NULL}));                   \
        VOID_CALL("DestroyShader", f->pfnDestroyShader(d, o));                                               \
        free(o.pDrvPrivate);                                                                                 \
    } while (0)
    SHADER("VertexShader", pfnCreateVertexShader, &shader);
    SHADER("PixelShader", pfnCreatePixelShader, &shader);
    SHADER("GeometryShader", pfnCreateGeometryShader, &shader);
    SHADER("GeometryShaderWithStreamOutput", pfnCreateGeometryShaderWithStreamOutput, &so);
    SHADER("HullShader", pfnCreateHullShader, &shader);
    SHADER("DomainShader", pfnCreateDomainShader, &shader);
    SHADER("ComputeShader", pfnCreateComputeShader, &shader);
    OBJECT("ElementLayout", D3D10DDI_HELEMENTLAYOUT, room,
           f->pfnCreateElementLayout(d, &layout, o, (D3D10DDI_HRTELEMENTLAYOUT){NULL}),
           f->pfnDestroyElementLayout(d, o));
    OBJECT("BlendState", D3D10DDI_HBLENDSTATE, room,
           f->pfnCreateBlendState(d, NULL, o, (D3D10DDI_HRTBLENDSTATE){NULL}), f->pfnDestroyBlendState(d, o));
    OBJECT("DepthStencilState", D3D10DDI_HDEPTHSTENCILSTATE, room,
           f->pfnCreateDepthStencilState(d, NULL, o, (D3D10DDI_HRTDEPTHSTENCILSTATE){NULL}),
           f->pfnDestroyDepthStencilState(d, o));
    OBJECT("RasterizerState", D3D10DDI_HRASTERIZERSTATE, room,
           f->pfnCreateRasterizerState(d, NULL, o, (D3D10DDI_HRTRASTERIZERSTATE){NULL}),
           f->pfnDestroyRasterizerState(d, o));
    OBJECT("Sampler", D3D10DDI_HSAMPLER, room,
           f->pfnCreateSampler(d, &sampler, o, (D3D10DDI_HRTSAMPLER){NULL}), f->pfnDestroySampler(d, o));
    OBJECT("Query", D3D10DDI_HQUERY, room, f->pfnCreateQuery(d, &query, o, (D3D10DDI_HRTQUERY){NULL}),
           f->pfnDestroyQuery(d, o));
    world_close(&w);
}

TEST(resources_and_views)
{
    open_traced();
    const D3D10DDI_HDEVICE d = w.device;
    const struct agpu_api_device *f = &w.dev;
    const size_t room = 4096;
    const struct agpu_resource_desc desc =
        texture_desc(87, 4, 4, 0, D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    D3D10DDI_HRESOURCE texture = {object(room)};
    CALL("CreateResource", f->pfnCreateResource(d, &desc, texture, (D3D10DDI_HRTRESOURCE){NULL}));
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW srv_desc = {.hDrvResource = texture};
    const D3D10DDIARG_CREATERENDERTARGETVIEW rtv_desc = {.hDrvResource = texture};
    const D3D11DDIARG_CREATEUNORDEREDACCESSVIEW uav_desc = {.hDrvResource = texture};
    OBJECT("ShaderResourceView", D3D10DDI_HSHADERRESOURCEVIEW, room,
           f->pfnCreateShaderResourceView(d, &srv_desc, o, (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}),
           f->pfnDestroyShaderResourceView(d, o));
    OBJECT("RenderTargetView", D3D10DDI_HRENDERTARGETVIEW, room,
           f->pfnCreateRenderTargetView(d, &rtv_desc, o, (D3D10DDI_HRTRENDERTARGETVIEW){NULL}),
           f->pfnDestroyRenderTargetView(d, o));
    OBJECT("DepthStencilView", D3D10DDI_HDEPTHSTENCILVIEW, room,
           f->pfnCreateDepthStencilView(d, NULL, o, (D3D10DDI_HRTDEPTHSTENCILVIEW){NULL}),
           f->pfnDestroyDepthStencilView(d, o));
    OBJECT("UnorderedAccessView", D3D11DDI_HUNORDEREDACCESSVIEW, room,
           f->pfnCreateUnorderedAccessView(d, &uav_desc, o, (D3D11DDI_HRTUNORDEREDACCESSVIEW){NULL}),
           f->pfnDestroyUnorderedAccessView(d, o));
    D3D10DDI_HRESOURCE opened = {object(room)};
    const D3D10DDIARG_OPENRESOURCE open = {.NumAllocations = 0};
    CALL("OpenResource", f->pfnOpenResource(d, &open, opened, (D3D10DDI_HRTRESOURCE){NULL}));
    VOID_CALL("DestroyResource handle=0", f->pfnDestroyResource(d, opened));
    VOID_CALL("DestroyResource", f->pfnDestroyResource(d, texture));
    free(opened.pDrvPrivate);
    free(texture.pDrvPrivate);
    world_close(&w);
}

TEST(rest_of_the_device_table)
{
    open_traced();
    const D3D10DDI_HDEVICE d = w.device;
    const struct agpu_api_device *f = &w.dev;
    const D3D10DDI_HRESOURCE none = {NULL};
    const D3D11DDI_HCOMMANDLIST list = {NULL};
    const D3D11DDI_HRTCOMMANDLIST runtime = {NULL};
    uint32_t word = 0;
    VOID_CALL("CheckFormatSupport", f->pfnCheckFormatSupport(d, 87, &word));
    VOID_CALL("CheckMultisampleQualityLevels", f->pfnCheckMultisampleQualityLevels(d, 87, 1, &word));
    VOID_CALL("CheckCounterInfo", f->pfnCheckCounterInfo(d, &word));
    CALL("CheckCounter", f->pfnCheckCounter(d, 0));
    VOID_CALL("CheckDeferredContextHandleSizes", f->pfnCheckDeferredContextHandleSizes(d, &word, NULL));
    CALL("CreateDeferredContext", f->pfnCreateDeferredContext(d, NULL));
    VOID_CALL("DestroyDeferredContext", f->pfnDestroyDeferredContext(d, (D3D10DDI_HDEVICE){NULL}));
    VOID_CALL("AbandonCommandList", f->pfnAbandonCommandList(d));
    CALL("CreateCommandList", f->pfnCreateCommandList(d, NULL, list, runtime));
    VOID_CALL("DestroyCommandList", f->pfnDestroyCommandList(d, list));
    VOID_CALL("RecycleCommandList", f->pfnRecycleCommandList(d, list));
    CALL("RecycleCreateCommandList", f->pfnRecycleCreateCommandList(d, NULL, list, runtime));
    CALL("RecycleCreateDeferredContext", f->pfnRecycleCreateDeferredContext(d, NULL));
    VOID_CALL("RecycleDestroyCommandList", f->pfnRecycleDestroyCommandList(d, list));
    CALL("CreateClassLinkage -> hr", f->pfnCreateClassLinkage(d, NULL));
    VOID_CALL("DestroyClassLinkage", f->pfnDestroyClassLinkage(d, NULL));
    CALL("CreateClassInstance -> hr", f->pfnCreateClassInstance(d, NULL));
    VOID_CALL("DestroyClassInstance", f->pfnDestroyClassInstance(d, NULL));
    CALL("CreateCounter -> hr", f->pfnCreateCounter(d, NULL));
    VOID_CALL("DestroyCounter", f->pfnDestroyCounter(d, NULL));
    CALL("CreatePredicate -> hr", f->pfnCreatePredicate(d, NULL));
    VOID_CALL("DestroyPredicate", f->pfnDestroyPredicate(d, NULL));
    CALL("GetDeviceRemovedReason", f->pfnGetDeviceRemovedReason(d));
    CALL("CheckDeviceState", f->pfnCheckDeviceState(d));
    CALL("GetGammaCaps", f->pfnGetGammaCaps(d, NULL));
    CALL("SetResourcePriority", f->pfnSetResourcePriority(d, none, 0));
    CALL("QueryResourceResidency", f->pfnQueryResourceResidency(d, 0, NULL, NULL));
    CALL("Present", f->pfnPresent(d, NULL));
    CALL("RotateResourceIdentities", f->pfnRotateResourceIdentities(d, NULL));
    CALL("Blt", f->pfnBlt(d, NULL));
    CALL("SetDisplayMode", f->pfnSetDisplayMode(d, none, 0));
    VOID_CALL("SetTextFilterSize", f->pfnSetTextFilterSize(d, 1, 1));
    VOID_CALL("RelocateDeviceFuncs", f->pfnRelocateDeviceFuncs(d, NULL));
    w.fake.error_count = 0;
    world_close(&w);
}

#define STAGE_CALLS(stage)                                                                                   \
    VOID_CALL(#stage "SetShader ", c->pfn##stage##SetShader(d, (D3D10DDI_HSHADER){NULL}));                   \
    VOID_CALL(#stage "SetConstantBuffers", c->pfn##stage##SetConstantBuffers(d, 0, 1, buffers));             \
    VOID_CALL(#stage "SetConstantBuffers", c->pfn##stage##SetConstantBuffers(d, 0, 1, buffers));             \
    VOID_CALL(#stage "SetShaderResources", c->pfn##stage##SetShaderResources(d, 0, 0, NULL));                \
    VOID_CALL(#stage "SetSamplers", c->pfn##stage##SetSamplers(d, 0, 0, NULL))

TEST(state_calls)
{
    open_traced();
    const D3D10DDI_HDEVICE d = w.device;
    const struct agpu_api_context *c = &w.ctx;
    const D3D10DDI_HRESOURCE none = {NULL};
    const D3D10DDI_HDEPTHSTENCILVIEW no_depth = {NULL};
    const D3D10DDI_HRESOURCE buffers[1] = {make_buffer(&w, 64, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0)};
    STAGE_CALLS(Vs);
    STAGE_CALLS(Ps);
    STAGE_CALLS(Gs);
    STAGE_CALLS(Hs);
    STAGE_CALLS(Ds);
    STAGE_CALLS(Cs);
    VOID_CALL("CsSetUnorderedAccessViews", c->pfnCsSetUnorderedAccessViews(d, 0, 0, NULL, NULL));
    VOID_CALL("IaSetInputLayout", c->pfnIaSetInputLayout(d, (D3D10DDI_HELEMENTLAYOUT){NULL}));
    VOID_CALL("IaSetVertexBuffers", c->pfnIaSetVertexBuffers(d, 0, 0, NULL, NULL, NULL));
    VOID_CALL("IaSetIndexBuffer", c->pfnIaSetIndexBuffer(d, none, 57, 0));
    VOID_CALL("IaSetTopology", c->pfnIaSetTopology(d, 4));
    VOID_CALL("SoSetTargets", c->pfnSoSetTargets(d, 0, 0, NULL, NULL));
    VOID_CALL("SetViewports", c->pfnSetViewports(d, 0, 0, NULL));
    VOID_CALL("SetScissorRects", c->pfnSetScissorRects(d, 0, 0, NULL));
    VOID_CALL("SetRasterizerState", c->pfnSetRasterizerState(d, (D3D10DDI_HRASTERIZERSTATE){NULL}));
    VOID_CALL("SetBlendState", c->pfnSetBlendState(d, (D3D10DDI_HBLENDSTATE){NULL}, NULL, 1));
    VOID_CALL("SetDepthStencilState", c->pfnSetDepthStencilState(d, (D3D10DDI_HDEPTHSTENCILSTATE){NULL}, 0));
    VOID_CALL("SetRenderTargets count", c->pfnSetRenderTargets(d, NULL, 0, 0, no_depth));
    VOID_CALL("SetRenderTargetsAndUnorderedAccessViews",
              c->pfnSetRenderTargetsAndUnorderedAccessViews(d, NULL, 0, no_depth, NULL, NULL, 0, 0));
    VOID_CALL("ClearState", c->pfnClearState(d));
    w.fake.options.trace_level = AGPU_TRACE_OFF;
    free_resource(&w, buffers[0]);
    world_close(&w);
}

TEST(work_calls)
{
    open_traced();
    const D3D10DDI_HDEVICE d = w.device;
    const struct agpu_api_context *c = &w.ctx;
    w.fake.options.trace_level = AGPU_TRACE_OFF;
    D3D10DDI_HRESOURCE dynamic = make_buffer(&w, 64, D3D10_DDI_USAGE_DYNAMIC,
                                             D3D10_DDI_BIND_CONSTANT_BUFFER | D3D10_DDI_BIND_VERTEX_BUFFER,
                                             D3D10_DDI_CPU_ACCESS_WRITE);
    D3D10DDI_HRESOURCE a = make_buffer(&w, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    D3D10DDI_HRESOURCE b = make_buffer(&w, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    D3D10DDI_HRESOURCE staging = make_texture(&w, 87, 4, 4, D3D10_DDI_USAGE_STAGING, 0,
                                              D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
    w.fake.options.trace_level = AGPU_TRACE_STATE;
    const D3D10DDI_HQUERY no_query = {NULL};
    D3D10DDI_MAPPED_SUBRESOURCE m;
    static const uint32_t words[16];
    VOID_CALL("Draw count", c->pfnDraw(d, 3, 0));
    VOID_CALL("DrawIndexed count", c->pfnDrawIndexed(d, 3, 0, 0));
    VOID_CALL("DrawInstanced count", c->pfnDrawInstanced(d, 3, 0, 0, 0));
    VOID_CALL("DrawIndexedInstanced count", c->pfnDrawIndexedInstanced(d, 3, 1, 0, 0, 0));
    VOID_CALL("DrawAuto", c->pfnDrawAuto(d));
    VOID_CALL("DrawInstancedIndirect", c->pfnDrawInstancedIndirect(d, a, 0));
    VOID_CALL("DrawIndexedInstancedIndirect", c->pfnDrawIndexedInstancedIndirect(d, a, 0));
    VOID_CALL("Dispatch 1", c->pfnDispatch(d, 1, 1, 1));
    VOID_CALL("DispatchIndirect", c->pfnDispatchIndirect(d, a, 0));
    VOID_CALL("ClearRenderTargetView",
              c->pfnClearRenderTargetView(d, (D3D10DDI_HRENDERTARGETVIEW){NULL}, NULL));
    VOID_CALL("ClearDepthStencilView",
              c->pfnClearDepthStencilView(d, (D3D10DDI_HDEPTHSTENCILVIEW){NULL}, 1, 1, 0));
    const D3D11DDI_HUNORDEREDACCESSVIEW no_uav = {NULL};
    VOID_CALL("ClearUnorderedAccessViewUint", c->pfnClearUnorderedAccessViewUint(d, no_uav, words));
    VOID_CALL("ClearUnorderedAccessViewFloat", c->pfnClearUnorderedAccessViewFloat(d, no_uav, NULL));
    VOID_CALL("GenMips", c->pfnGenMips(d, (D3D10DDI_HSHADERRESOURCEVIEW){NULL}));
    VOID_CALL("ResourceCopy", c->pfnResourceCopy(d, a, b));
    CALL("ResourceCopyRegion", c->pfnResourceCopyRegion(d, a, 0, 0, 0, 0, b, 0, NULL));
    VOID_CALL("ResourceUpdateSubresourceUP", c->pfnResourceUpdateSubresourceUP(d, a, 0, NULL, words, 0, 0));
    VOID_CALL("DefaultConstantBufferUpdateSubresourceUP",
              c->pfnDefaultConstantBufferUpdateSubresourceUP(d, a, 0, NULL, words, 0, 0));
    VOID_CALL("ResourceResolveSubresource", c->pfnResourceResolveSubresource(d, a, 0, b, 0, 0));
    VOID_CALL("CopyStructureCount", c->pfnCopyStructureCount(d, a, 0, no_uav));
    VOID_CALL("SetResourceMinLOD", c->pfnSetResourceMinLOD(d, a, 0));
    CALL("ResourceMap handle=", c->pfnResourceMap(d, staging, 0, D3D10_DDI_MAP_READ, 0, &m));
    VOID_CALL("ResourceUnmap handle=", c->pfnResourceUnmap(d, staging, 0));
    CALL("DynamicIABufferMapDiscard handle=", c->pfnDynamicIABufferMapDiscard(d, dynamic, 0, 0, 0, &m));
    VOID_CALL("DynamicIABufferUnmap handle=", c->pfnDynamicIABufferUnmap(d, dynamic, 0));
    CALL("DynamicIABufferMapNoOverwrite handle=",
         c->pfnDynamicIABufferMapNoOverwrite(d, dynamic, 0, 0, 0, &m));
    VOID_CALL("DynamicIABufferUnmap handle=", c->pfnDynamicIABufferUnmap(d, dynamic, 0));
    CALL("DynamicConstantBufferMapDiscard handle=",
         c->pfnDynamicConstantBufferMapDiscard(d, dynamic, 0, 0, 0, &m));
    VOID_CALL("DynamicConstantBufferUnmap handle=", c->pfnDynamicConstantBufferUnmap(d, dynamic, 0));
    CALL("DynamicConstantBufferMapNoOverwrite handle=",
         c->pfnDynamicConstantBufferMapNoOverwrite(d, dynamic, 0, 0, 0, &m));
    VOID_CALL("DynamicConstantBufferUnmap handle=", c->pfnDynamicConstantBufferUnmap(d, dynamic, 0));
    CALL("DynamicResourceMapDiscard handle=", c->pfnDynamicResourceMapDiscard(d, dynamic, 0, 0, 0, &m));
    VOID_CALL("DynamicResourceUnmap handle=", c->pfnDynamicResourceUnmap(d, dynamic, 0));
    CALL("StagingResourceMap handle=", c->pfnStagingResourceMap(d, staging, 0, D3D10_DDI_MAP_WRITE, 0, &m));
    VOID_CALL("StagingResourceUnmap handle=", c->pfnStagingResourceUnmap(d, staging, 0));
    CALL("ResourceIsStagingBusy", c->pfnResourceIsStagingBusy(d, staging));
    VOID_CALL("QueryBegin", c->pfnQueryBegin(d, no_query));
    VOID_CALL("QueryEnd", c->pfnQueryEnd(d, no_query));
    CALL("QueryGetData", c->pfnQueryGetData(d, no_query, NULL, 0, 0));
    VOID_CALL("SetPredication", c->pfnSetPredication(d, no_query, 0));
    VOID_CALL("CommandListExecute", c->pfnCommandListExecute(d, (D3D11DDI_HCOMMANDLIST){NULL}));
    CALL("Flush", c->pfnFlush(d));
    CALL("Present", c->pfnPresent(d, &(DXGI_DDI_ARG_PRESENT){.SyncInterval = 0}));
    CALL("RotateResourceIdentities", c->pfnRotateResourceIdentities(d, NULL));
    VOID_CALL("SetMarker here", c->pfnSetMarker(d, "here"));
    VOID_CALL("BeginEvent there", c->pfnBeginEvent(d, "there"));
    VOID_CALL("EndEvent", c->pfnEndEvent(d));
    VOID_CALL("DiscardResource", c->pfnDiscardResource(d, a));
    VOID_CALL("DiscardView", c->pfnDiscardView(d, NULL));
    w.fake.options.trace_level = AGPU_TRACE_OFF;
    free_resource(&w, dynamic);
    free_resource(&w, a);
    free_resource(&w, b);
    free_resource(&w, staging);
    world_close(&w);
}
