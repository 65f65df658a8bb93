/* entries_d3d10.c: every entry of the Direct3D 10 and 10.1 device table, like entries_device.c (umd.md 3.1, 16, 18). */
#include "tests/cases/rig/umd_entries.h"

#define WORKS(entry)               AGPU_WORKS(D3D10DDI_DEVICEFUNCS, entry)
#define CALL(entry, how, function) AGPU_ENTRY(D3D10DDI_DEVICEFUNCS, entry, AGPU_ENTRY_##how, function)

static HRESULT entries_d3d10_create_query(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;
    const D3D10DDIARG_CREATEQUERY occlusion = {.Query = 1};

    fn->pfnCreateQuery(scene->device, &occlusion, (D3D10DDI_HQUERY){scene->memory},
                       (D3D10DDI_HRTQUERY){NULL});
    return S_OK;
}

static HRESULT entries_d3d10_check_counter_info(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;

    fn->pfnCheckCounterInfo(scene->device, scene->null ? NULL : scene->memory);
    return S_OK;
}

static HRESULT entries_d3d10_check_counter(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;

    fn->pfnCheckCounter(scene->device, 0);
    return S_OK;
}

static HRESULT entries_d3d10_so_set_targets(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;
    const D3D10DDI_HRESOURCE target = (D3D10DDI_HRESOURCE){scene->null ? NULL : scene->buffer.pDrvPrivate};
    const uint32_t offset = 0;

    fn->pfnSoSetTargets(scene->device, 1, 0, &target, &offset);
    return S_OK;
}

static HRESULT entries_d3d10_gen_mips(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;

    fn->pfnGenMips(scene->device,
                   (D3D10DDI_HSHADERRESOURCEVIEW){scene->null ? NULL : scene->srv.pDrvPrivate});
    return S_OK;
}

static HRESULT entries_d3d10_resource_resolve_subresource(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;
    const D3D10DDI_HRESOURCE dst = (D3D10DDI_HRESOURCE){scene->null ? NULL : agpu_draw_target().pDrvPrivate};
    const D3D10DDI_HRESOURCE src = (D3D10DDI_HRESOURCE){scene->null ? NULL : scene->texture.pDrvPrivate};

    fn->pfnResourceResolveSubresource(scene->device, dst, 0, src, 0, DXGI_FORMAT_R8G8B8A8_UNORM);
    return S_OK;
}

static HRESULT entries_d3d10_resource_read_after_write_hazard(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;

    fn->pfnResourceReadAfterWriteHazard(scene->device, scene->texture);
    return S_OK;
}

static HRESULT
entries_d3d10_shader_resource_view_read_after_write_hazard(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;

    fn->pfnShaderResourceViewReadAfterWriteHazard(scene->device, scene->srv, scene->texture);
    return S_OK;
}

static HRESULT entries_d3d10_set_predication(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;

    fn->pfnSetPredication(scene->device, (D3D10DDI_HQUERY){scene->null ? NULL : scene->query.pDrvPrivate}, 1);
    return S_OK;
}

static HRESULT entries_d3d10_set_text_filter_size(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;

    fn->pfnSetTextFilterSize(scene->device, 4, 4);
    return S_OK;
}

static HRESULT entries_d3d10_relocate_device_funcs(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;
    D3D10DDI_DEVICEFUNCS moved = *fn;

    fn->pfnRelocateDeviceFuncs(scene->device, &moved);
    return S_OK;
}

static HRESULT entries_d3d10_get_device_removed_reason(const struct agpu_entry_scene *scene)
{
    const D3D10DDI_DEVICEFUNCS *fn = scene->table;

    return fn->pfnGetDeviceRemovedReason(scene->device);
}

/* clang-format off */
static const struct agpu_entry d3d10_rows[] = {
    WORKS(pfnDestroyDevice),
    WORKS(pfnCalcPrivateResourceSize),
    WORKS(pfnCreateResource),
    WORKS(pfnOpenResource),
    WORKS(pfnDestroyResource),
    WORKS(pfnCalcPrivateShaderResourceViewSize),
    WORKS(pfnCreateShaderResourceView),
    WORKS(pfnDestroyShaderResourceView),
    WORKS(pfnCalcPrivateRenderTargetViewSize),
    WORKS(pfnCreateRenderTargetView),
    WORKS(pfnDestroyRenderTargetView),
    WORKS(pfnCalcPrivateDepthStencilViewSize),
    WORKS(pfnCreateDepthStencilView),
    WORKS(pfnDestroyDepthStencilView),
    WORKS(pfnCalcPrivateElementLayoutSize),
    WORKS(pfnCreateElementLayout),
    WORKS(pfnDestroyElementLayout),
    WORKS(pfnCalcPrivateBlendStateSize),
    WORKS(pfnCreateBlendState),
    WORKS(pfnDestroyBlendState),
    WORKS(pfnCalcPrivateDepthStencilStateSize),
    WORKS(pfnCreateDepthStencilState),
    WORKS(pfnDestroyDepthStencilState),
    WORKS(pfnCalcPrivateRasterizerStateSize),
    WORKS(pfnCreateRasterizerState),
    WORKS(pfnDestroyRasterizerState),
    WORKS(pfnCalcPrivateShaderSize),
    WORKS(pfnCreateVertexShader),
    WORKS(pfnCreateGeometryShader),
    WORKS(pfnCreatePixelShader),
    WORKS(pfnCalcPrivateGeometryShaderWithStreamOutput),
    WORKS(pfnCreateGeometryShaderWithStreamOutput),
    WORKS(pfnDestroyShader),
    WORKS(pfnCalcPrivateSamplerSize),
    WORKS(pfnCreateSampler),
    WORKS(pfnDestroySampler),
    WORKS(pfnCalcPrivateQuerySize),
    CALL(pfnCreateQuery, ALWAYS, entries_d3d10_create_query),
    WORKS(pfnDestroyQuery),
    WORKS(pfnCheckFormatSupport),
    WORKS(pfnCheckMultisampleQualityLevels),
    CALL(pfnCheckCounterInfo, REPORTS, entries_d3d10_check_counter_info),
    CALL(pfnCheckCounter, ALWAYS, entries_d3d10_check_counter),
    WORKS(pfnVsSetConstantBuffers),
    WORKS(pfnPsSetShaderResources),
    WORKS(pfnPsSetShader),
    WORKS(pfnPsSetSamplers),
    WORKS(pfnVsSetShader),
    WORKS(pfnPsSetConstantBuffers),
    WORKS(pfnIaSetInputLayout),
    WORKS(pfnIaSetVertexBuffers),
    WORKS(pfnIaSetIndexBuffer),
    WORKS(pfnGsSetConstantBuffers),
    WORKS(pfnGsSetShader),
    WORKS(pfnIaSetTopology),
    WORKS(pfnVsSetShaderResources),
    WORKS(pfnVsSetSamplers),
    WORKS(pfnGsSetShaderResources),
    WORKS(pfnGsSetSamplers),
    WORKS(pfnSetRenderTargets),
    CALL(pfnSoSetTargets, REPORTS, entries_d3d10_so_set_targets),
    WORKS(pfnSetBlendState),
    WORKS(pfnSetDepthStencilState),
    WORKS(pfnSetRasterizerState),
    WORKS(pfnSetViewports),
    WORKS(pfnSetScissorRects),
    WORKS(pfnDrawIndexed),
    WORKS(pfnDraw),
    WORKS(pfnDrawIndexedInstanced),
    WORKS(pfnDrawInstanced),
    WORKS(pfnDrawAuto),
    WORKS(pfnClearState),
    WORKS(pfnPresent),
    WORKS(pfnFlush),
    WORKS(pfnRotateResourceIdentities),
    WORKS(pfnClearRenderTargetView),
    WORKS(pfnClearDepthStencilView),
    CALL(pfnGenMips, REPORTS, entries_d3d10_gen_mips),
    WORKS(pfnResourceCopy),
    WORKS(pfnResourceCopyRegion),
    WORKS(pfnResourceUpdateSubresourceUP),
    WORKS(pfnDefaultConstantBufferUpdateSubresourceUP),
    CALL(pfnResourceResolveSubresource, REPORTS, entries_d3d10_resource_resolve_subresource),
    WORKS(pfnResourceMap),
    WORKS(pfnResourceUnmap),
    WORKS(pfnDynamicIABufferMapDiscard),
    WORKS(pfnDynamicIABufferMapNoOverwrite),
    WORKS(pfnDynamicIABufferUnmap),
    WORKS(pfnDynamicConstantBufferMapDiscard),
    WORKS(pfnDynamicConstantBufferUnmap),
    WORKS(pfnDynamicResourceMapDiscard),
    WORKS(pfnDynamicResourceUnmap),
    WORKS(pfnStagingResourceMap),
    WORKS(pfnStagingResourceUnmap),
    WORKS(pfnResourceIsStagingBusy),
    CALL(pfnResourceReadAfterWriteHazard, SILENT, entries_d3d10_resource_read_after_write_hazard),
    CALL(pfnShaderResourceViewReadAfterWriteHazard, SILENT, entries_d3d10_shader_resource_view_read_after_write_hazard),
    WORKS(pfnQueryBegin),
    WORKS(pfnQueryEnd),
    WORKS(pfnQueryGetData),
    CALL(pfnSetPredication, REPORTS, entries_d3d10_set_predication),
    CALL(pfnSetTextFilterSize, SILENT, entries_d3d10_set_text_filter_size),
    CALL(pfnRelocateDeviceFuncs, SILENT, entries_d3d10_relocate_device_funcs),
    CALL(pfnGetDeviceRemovedReason, OK, entries_d3d10_get_device_removed_reason),
};
/* clang-format on */

/* Each entry of the Direct3D 10 table must answer as documented and not affect a draw. */
static void entries_d3d10_walk(struct agpu_test *t)
{
    const D3D10DDI_DEVICEFUNCS *table = agpu_peer_table10();
    struct agpu_entry_scene scene;

    agpu_return_unless(agpu_entries_begin(t, &scene));
    agpu_return_unless(agpu_entries_walk(&scene, table, sizeof *table, d3d10_rows,
                                         sizeof d3d10_rows / sizeof d3d10_rows[0]));
    agpu_entries_end(&scene);
}

static const struct agpu_case umd_entries_d3d10_cases[] = {
    AGPU_DRAW_CASE("umd.entries.d3d10", "umd.md 3.1", 0, entries_d3d10_walk, D3D10_0_DDI_INTERFACE_VERSION),
    AGPU_DRAW_CASE("umd.entries.d3d10_1", "umd.md 3.1", 0, entries_d3d10_walk, D3D10_1_DDI_INTERFACE_VERSION),
};

AGPU_CASE_TABLE(agpu_cases_umd_entries_d3d10, umd_entries_d3d10_cases);
