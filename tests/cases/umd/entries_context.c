/* entries_context.c: every entry of the Direct3D 11 context table, like entries_device.c (umd.md 3.1, 16, 18). */
#include "tests/cases/rig/umd_entries.h"

#define WORKS(entry)               AGPU_WORKS(struct agpu_api_context, entry)
#define CALL(entry, how, function) AGPU_ENTRY(struct agpu_api_context, entry, AGPU_ENTRY_##how, function)

static D3D11DDI_HCOMMANDLIST context_list_of(const struct agpu_entry_scene *scene)
{
    return (D3D11DDI_HCOMMANDLIST){scene->null ? NULL : scene->memory};
}

static HRESULT entries_context_hs_set_shader(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnHsSetShader(scene->device, (D3D10DDI_HSHADER){scene->null ? NULL : scene->hull.pDrvPrivate});
    return S_OK;
}

static HRESULT entries_context_ds_set_shader(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnDsSetShader(scene->device, (D3D10DDI_HSHADER){scene->null ? NULL : scene->domain.pDrvPrivate});
    return S_OK;
}

static HRESULT entries_context_so_set_targets(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;
    const D3D10DDI_HRESOURCE target = (D3D10DDI_HRESOURCE){scene->null ? NULL : scene->buffer.pDrvPrivate};
    const uint32_t offset = 0;

    fn->pfnSoSetTargets(scene->device, 1, 0, &target, &offset);
    return S_OK;
}

static HRESULT
entries_context_set_render_targets_and_unordered_access_views(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;
    const D3D10DDI_HRENDERTARGETVIEW target = agpu_draw_target_view();
    const D3D11DDI_HUNORDEREDACCESSVIEW view =
        (D3D11DDI_HUNORDEREDACCESSVIEW){scene->null ? NULL : scene->uav.pDrvPrivate};
    const uint32_t keep = UINT32_MAX;

    fn->pfnSetRenderTargetsAndUnorderedAccessViews(scene->device, &target, 1,
                                                   (D3D10DDI_HDEPTHSTENCILVIEW){NULL}, &view, &keep, 1, 1);
    return S_OK;
}

static HRESULT entries_context_clear_unordered_access_view_uint(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnClearUnorderedAccessViewUint(
        scene->device, (D3D11DDI_HUNORDEREDACCESSVIEW){scene->null ? NULL : scene->uav.pDrvPrivate},
        (const uint32_t[4]){1, 2, 3, 4});
    return S_OK;
}

static HRESULT entries_context_clear_unordered_access_view_float(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnClearUnorderedAccessViewFloat(
        scene->device, (D3D11DDI_HUNORDEREDACCESSVIEW){scene->null ? NULL : scene->uav.pDrvPrivate},
        (const float[4]){1, 2, 3, 4});
    return S_OK;
}

static HRESULT entries_context_gen_mips(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnGenMips(scene->device,
                   (D3D10DDI_HSHADERRESOURCEVIEW){scene->null ? NULL : scene->srv.pDrvPrivate});
    return S_OK;
}

static HRESULT entries_context_resource_resolve_subresource(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;
    const D3D10DDI_HRESOURCE dst = (D3D10DDI_HRESOURCE){scene->null ? NULL : agpu_draw_target().pDrvPrivate};
    const D3D10DDI_HRESOURCE src = (D3D10DDI_HRESOURCE){scene->null ? NULL : scene->texture.pDrvPrivate};

    fn->pfnResourceResolveSubresource(scene->device, dst, 0, src, 0, DXGI_FORMAT_R8G8B8A8_UNORM);
    return S_OK;
}

static HRESULT entries_context_copy_structure_count(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnCopyStructureCount(scene->device,
                              (D3D10DDI_HRESOURCE){scene->null ? NULL : scene->buffer.pDrvPrivate}, 0,
                              (D3D11DDI_HUNORDEREDACCESSVIEW){scene->null ? NULL : scene->uav.pDrvPrivate});
    return S_OK;
}

static HRESULT entries_context_set_resource_min_lod(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnSetResourceMinLOD(scene->device, scene->texture, 1);
    return S_OK;
}

static HRESULT entries_context_set_predication(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnSetPredication(scene->device, (D3D10DDI_HQUERY){scene->null ? NULL : scene->query.pDrvPrivate}, 1);
    return S_OK;
}

static HRESULT entries_context_command_list_execute(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnCommandListExecute(scene->device, context_list_of(scene));
    return S_OK;
}

static HRESULT entries_context_set_marker(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnSetMarker(scene->device, "marker");
    return S_OK;
}

static HRESULT entries_context_begin_event(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnBeginEvent(scene->device, "event");
    return S_OK;
}

static HRESULT entries_context_end_event(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnEndEvent(scene->device);
    return S_OK;
}

static HRESULT entries_context_discard_resource(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnDiscardResource(scene->device, agpu_draw_target());
    return S_OK;
}

static HRESULT entries_context_discard_view(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_context *fn = scene->table;

    fn->pfnDiscardView(scene->device, agpu_draw_target_view().pDrvPrivate);
    return S_OK;
}

/* clang-format off */
static const struct agpu_entry context_rows[] = {
    WORKS(pfnVsSetShader),
    WORKS(pfnVsSetConstantBuffers),
    WORKS(pfnVsSetShaderResources),
    WORKS(pfnVsSetSamplers),
    WORKS(pfnPsSetShader),
    WORKS(pfnPsSetConstantBuffers),
    WORKS(pfnPsSetShaderResources),
    WORKS(pfnPsSetSamplers),
    WORKS(pfnGsSetShader),
    WORKS(pfnGsSetConstantBuffers),
    WORKS(pfnGsSetShaderResources),
    WORKS(pfnGsSetSamplers),
    CALL(pfnHsSetShader, REPORTS, entries_context_hs_set_shader),
    WORKS(pfnHsSetConstantBuffers),
    WORKS(pfnHsSetShaderResources),
    WORKS(pfnHsSetSamplers),
    CALL(pfnDsSetShader, REPORTS, entries_context_ds_set_shader),
    WORKS(pfnDsSetConstantBuffers),
    WORKS(pfnDsSetShaderResources),
    WORKS(pfnDsSetSamplers),
    WORKS(pfnCsSetShader),
    WORKS(pfnCsSetConstantBuffers),
    WORKS(pfnCsSetShaderResources),
    WORKS(pfnCsSetSamplers),
    WORKS(pfnCsSetUnorderedAccessViews),
    WORKS(pfnIaSetInputLayout),
    WORKS(pfnIaSetVertexBuffers),
    WORKS(pfnIaSetIndexBuffer),
    WORKS(pfnIaSetTopology),
    CALL(pfnSoSetTargets, REPORTS, entries_context_so_set_targets),
    WORKS(pfnSetViewports),
    WORKS(pfnSetScissorRects),
    WORKS(pfnSetRasterizerState),
    WORKS(pfnSetBlendState),
    WORKS(pfnSetDepthStencilState),
    WORKS(pfnSetRenderTargets),
    CALL(pfnSetRenderTargetsAndUnorderedAccessViews, REPORTS, entries_context_set_render_targets_and_unordered_access_views),
    WORKS(pfnClearState),
    WORKS(pfnDraw),
    WORKS(pfnDrawIndexed),
    WORKS(pfnDrawInstanced),
    WORKS(pfnDrawIndexedInstanced),
    WORKS(pfnDrawAuto),
    WORKS(pfnDrawInstancedIndirect),
    WORKS(pfnDrawIndexedInstancedIndirect),
    WORKS(pfnDispatch),
    WORKS(pfnDispatchIndirect),
    WORKS(pfnClearRenderTargetView),
    WORKS(pfnClearDepthStencilView),
    CALL(pfnClearUnorderedAccessViewUint, REPORTS, entries_context_clear_unordered_access_view_uint),
    CALL(pfnClearUnorderedAccessViewFloat, REPORTS, entries_context_clear_unordered_access_view_float),
    CALL(pfnGenMips, REPORTS, entries_context_gen_mips),
    WORKS(pfnResourceCopy),
    WORKS(pfnResourceCopyRegion),
    WORKS(pfnResourceUpdateSubresourceUP),
    WORKS(pfnDefaultConstantBufferUpdateSubresourceUP),
    CALL(pfnResourceResolveSubresource, REPORTS, entries_context_resource_resolve_subresource),
    CALL(pfnCopyStructureCount, REPORTS, entries_context_copy_structure_count),
    CALL(pfnSetResourceMinLOD, SILENT, entries_context_set_resource_min_lod),
    WORKS(pfnResourceMap),
    WORKS(pfnResourceUnmap),
    WORKS(pfnDynamicIABufferMapDiscard),
    WORKS(pfnDynamicIABufferMapNoOverwrite),
    WORKS(pfnDynamicIABufferUnmap),
    WORKS(pfnDynamicConstantBufferMapDiscard),
    WORKS(pfnDynamicConstantBufferMapNoOverwrite),
    WORKS(pfnDynamicConstantBufferUnmap),
    WORKS(pfnDynamicResourceMapDiscard),
    WORKS(pfnDynamicResourceUnmap),
    WORKS(pfnStagingResourceMap),
    WORKS(pfnStagingResourceUnmap),
    WORKS(pfnResourceIsStagingBusy),
    WORKS(pfnQueryBegin),
    WORKS(pfnQueryEnd),
    WORKS(pfnQueryGetData),
    CALL(pfnSetPredication, REPORTS, entries_context_set_predication),
    CALL(pfnCommandListExecute, REPORTS, entries_context_command_list_execute),
    WORKS(pfnFlush),
    WORKS(pfnPresent),
    WORKS(pfnRotateResourceIdentities),
    CALL(pfnSetMarker, SILENT, entries_context_set_marker),
    CALL(pfnBeginEvent, SILENT, entries_context_begin_event),
    CALL(pfnEndEvent, SILENT, entries_context_end_event),
    CALL(pfnDiscardResource, SILENT, entries_context_discard_resource),
    CALL(pfnDiscardView, SILENT, entries_context_discard_view),
};
/* clang-format on */

/* Each entry of the context table must answer as documented and not affect a draw. */
static void entries_context_walk(struct agpu_test *t)
{
    const struct agpu_api_context *table = agpu_usage_driver_context(t->env->umd.usage);
    struct agpu_entry_scene scene;

    agpu_return_unless(agpu_entries_begin(t, &scene));
    agpu_return_unless(agpu_entries_walk(&scene, table, sizeof *table, context_rows,
                                         sizeof context_rows / sizeof context_rows[0]));
    agpu_entries_end(&scene);
}

static const struct agpu_case umd_entries_context_cases[] = {
    AGPU_DRAW_CASE("umd.entries.context", "umd.md 3.1", 0, entries_context_walk, 0),
};

AGPU_CASE_TABLE(agpu_cases_umd_entries_context, umd_entries_context_cases);
