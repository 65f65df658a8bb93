/* entries_device.c: every entry of the Direct3D 11 device table: an entry without implementation answers as documented
 * and does not affect draws (umd.md 3.1, 16, 18). */
#include "tests/cases/rig/umd_entries.h"

#define WORKS(entry)               AGPU_WORKS(struct agpu_api_device, entry)
#define CALL(entry, how, function) AGPU_ENTRY(struct agpu_api_device, entry, AGPU_ENTRY_##how, function)

/* Checks that a size of private memory is plausible. */
static HRESULT enough(size_t bytes)
{
    return bytes >= sizeof(void *) ? S_OK : E_FAIL;
}

static D3D11DDI_HCOMMANDLIST device_list_of(const struct agpu_entry_scene *scene)
{
    return (D3D11DDI_HCOMMANDLIST){scene->null ? NULL : scene->memory};
}

static HRESULT entries_device_create_query(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;
    const D3D10DDIARG_CREATEQUERY occlusion = {.Query = 1};

    return fn->pfnCreateQuery(scene->device, &occlusion, (D3D10DDI_HQUERY){scene->memory},
                              (D3D10DDI_HRTQUERY){NULL});
}

static HRESULT entries_device_check_counter_info(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnCheckCounterInfo(scene->device, scene->null ? NULL : scene->memory);
    return S_OK;
}

static HRESULT entries_device_check_counter(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnCheckCounter(scene->device, 0);
}

static HRESULT entries_device_check_deferred_context_handle_sizes(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;
    uint32_t count = 9;

    fn->pfnCheckDeferredContextHandleSizes(scene->device, scene->null ? NULL : &count, NULL);
    return scene->null || count == 0 ? S_OK : E_FAIL;
}

static HRESULT entries_device_calc_deferred_context_handle_size(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return enough(
        fn->pfnCalcDeferredContextHandleSize(scene->device, D3D10DDI_HT_RESOURCE, scene->buffer.pDrvPrivate));
}

static HRESULT entries_device_calc_private_deferred_context_size(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return enough(fn->pfnCalcPrivateDeferredContextSize(scene->device, NULL));
}

static HRESULT entries_device_create_deferred_context(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnCreateDeferredContext(scene->device, NULL);
}

static HRESULT entries_device_destroy_deferred_context(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnDestroyDeferredContext(scene->device, (D3D10DDI_HDEVICE){NULL});
    return S_OK;
}

static HRESULT entries_device_abandon_command_list(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnAbandonCommandList(scene->device);
    return S_OK;
}

static HRESULT entries_device_calc_private_command_list_size(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return enough(fn->pfnCalcPrivateCommandListSize(scene->device, NULL));
}

static HRESULT entries_device_create_command_list(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnCreateCommandList(scene->device, NULL, device_list_of(scene),
                                    (D3D11DDI_HRTCOMMANDLIST){NULL});
}

static HRESULT entries_device_destroy_command_list(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnDestroyCommandList(scene->device, device_list_of(scene));
    return S_OK;
}

static HRESULT entries_device_recycle_command_list(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnRecycleCommandList(scene->device, device_list_of(scene));
    return S_OK;
}

static HRESULT entries_device_recycle_create_command_list(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnRecycleCreateCommandList(scene->device, NULL, device_list_of(scene),
                                           (D3D11DDI_HRTCOMMANDLIST){NULL});
}

static HRESULT entries_device_recycle_create_deferred_context(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnRecycleCreateDeferredContext(scene->device, NULL);
}

static HRESULT entries_device_recycle_destroy_command_list(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnRecycleDestroyCommandList(scene->device, device_list_of(scene));
    return S_OK;
}

static HRESULT entries_device_calc_private_class_linkage_size(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return enough(fn->pfnCalcPrivateClassLinkageSize(scene->device));
}

static HRESULT entries_device_create_class_linkage(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnCreateClassLinkage(scene->device, scene->memory);
}

static HRESULT entries_device_destroy_class_linkage(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnDestroyClassLinkage(scene->device, scene->memory);
    return S_OK;
}

static HRESULT entries_device_calc_private_class_instance_size(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return enough(fn->pfnCalcPrivateClassInstanceSize(scene->device));
}

static HRESULT entries_device_create_class_instance(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnCreateClassInstance(scene->device, scene->memory);
}

static HRESULT entries_device_destroy_class_instance(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnDestroyClassInstance(scene->device, scene->memory);
    return S_OK;
}

static HRESULT entries_device_calc_private_counter_size(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return enough(fn->pfnCalcPrivateCounterSize(scene->device));
}

static HRESULT entries_device_create_counter(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnCreateCounter(scene->device, scene->memory);
}

static HRESULT entries_device_destroy_counter(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnDestroyCounter(scene->device, scene->memory);
    return S_OK;
}

static HRESULT entries_device_get_device_removed_reason(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnGetDeviceRemovedReason(scene->device);
}

static HRESULT entries_device_check_device_state(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnCheckDeviceState(scene->device);
}

static HRESULT entries_device_get_gamma_caps(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnGetGammaCaps(scene->device, scene->memory);
}

static HRESULT entries_device_set_resource_priority(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnSetResourcePriority(scene->device, scene->texture, 1);
}

static HRESULT entries_device_query_resource_residency(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;
    uint32_t status = 0;

    return fn->pfnQueryResourceResidency(scene->device, 1, &scene->texture, &status);
}

static HRESULT entries_device_set_display_mode(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnSetDisplayMode(scene->device, scene->texture, 0);
}

static HRESULT entries_device_set_text_filter_size(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnSetTextFilterSize(scene->device, 4, 4);
    return S_OK;
}

static HRESULT entries_device_relocate_device_funcs(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;
    D3D11DDI_DEVICEFUNCS moved = {0};

    fn->pfnRelocateDeviceFuncs(scene->device, &moved);
    return S_OK;
}

static HRESULT entries_device_calc_private_predicate_size(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return enough(fn->pfnCalcPrivatePredicateSize(scene->device));
}

static HRESULT entries_device_create_predicate(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    return fn->pfnCreatePredicate(scene->device, scene->memory);
}

static HRESULT entries_device_destroy_predicate(const struct agpu_entry_scene *scene)
{
    const struct agpu_api_device *fn = scene->table;

    fn->pfnDestroyPredicate(scene->device, scene->memory);
    return S_OK;
}

/* clang-format off */
static const struct agpu_entry device_rows[] = {
    WORKS(pfnDestroyDevice),
    WORKS(pfnCalcPrivateResourceSize),
    WORKS(pfnCreateResource),
    WORKS(pfnCalcPrivateOpenedResourceSize),
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
    WORKS(pfnCalcPrivateUnorderedAccessViewSize),
    WORKS(pfnCreateUnorderedAccessView),
    WORKS(pfnDestroyUnorderedAccessView),
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
    WORKS(pfnCreateHullShader),
    WORKS(pfnCreateDomainShader),
    WORKS(pfnCreateGeometryShader),
    WORKS(pfnCalcPrivateGeometryShaderWithStreamOutput),
    WORKS(pfnCreateGeometryShaderWithStreamOutput),
    WORKS(pfnCreatePixelShader),
    WORKS(pfnCreateComputeShader),
    WORKS(pfnCalcPrivateTessellationShaderSize),
    WORKS(pfnDestroyShader),
    WORKS(pfnCalcPrivateSamplerSize),
    WORKS(pfnCreateSampler),
    WORKS(pfnDestroySampler),
    WORKS(pfnCalcPrivateQuerySize),
    CALL(pfnCreateQuery, CREATES, entries_device_create_query),
    WORKS(pfnDestroyQuery),
    WORKS(pfnCheckFormatSupport),
    WORKS(pfnCheckMultisampleQualityLevels),
    CALL(pfnCheckCounterInfo, REPORTS, entries_device_check_counter_info),
    CALL(pfnCheckCounter, CREATES, entries_device_check_counter),
    CALL(pfnCheckDeferredContextHandleSizes, REPORTS, entries_device_check_deferred_context_handle_sizes),
    CALL(pfnCalcDeferredContextHandleSize, SILENT, entries_device_calc_deferred_context_handle_size),
    CALL(pfnCalcPrivateDeferredContextSize, SILENT, entries_device_calc_private_deferred_context_size),
    CALL(pfnCreateDeferredContext, CREATES, entries_device_create_deferred_context),
    CALL(pfnDestroyDeferredContext, SILENT, entries_device_destroy_deferred_context),
    CALL(pfnAbandonCommandList, ALWAYS, entries_device_abandon_command_list),
    CALL(pfnCalcPrivateCommandListSize, SILENT, entries_device_calc_private_command_list_size),
    CALL(pfnCreateCommandList, CREATES, entries_device_create_command_list),
    CALL(pfnDestroyCommandList, SILENT, entries_device_destroy_command_list),
    CALL(pfnRecycleCommandList, REPORTS, entries_device_recycle_command_list),
    CALL(pfnRecycleCreateCommandList, REFUSES, entries_device_recycle_create_command_list),
    CALL(pfnRecycleCreateDeferredContext, REFUSES, entries_device_recycle_create_deferred_context),
    CALL(pfnRecycleDestroyCommandList, SILENT, entries_device_recycle_destroy_command_list),
    CALL(pfnCalcPrivateClassLinkageSize, SILENT, entries_device_calc_private_class_linkage_size),
    CALL(pfnCreateClassLinkage, REFUSES, entries_device_create_class_linkage),
    CALL(pfnDestroyClassLinkage, SILENT, entries_device_destroy_class_linkage),
    CALL(pfnCalcPrivateClassInstanceSize, SILENT, entries_device_calc_private_class_instance_size),
    CALL(pfnCreateClassInstance, REFUSES, entries_device_create_class_instance),
    CALL(pfnDestroyClassInstance, SILENT, entries_device_destroy_class_instance),
    CALL(pfnCalcPrivateCounterSize, SILENT, entries_device_calc_private_counter_size),
    CALL(pfnCreateCounter, REFUSES, entries_device_create_counter),
    CALL(pfnDestroyCounter, SILENT, entries_device_destroy_counter),
    CALL(pfnGetDeviceRemovedReason, OK, entries_device_get_device_removed_reason),
    CALL(pfnCheckDeviceState, OK, entries_device_check_device_state),
    CALL(pfnGetGammaCaps, REFUSES, entries_device_get_gamma_caps),
    CALL(pfnSetResourcePriority, REFUSES, entries_device_set_resource_priority),
    CALL(pfnQueryResourceResidency, REFUSES, entries_device_query_resource_residency),
    WORKS(pfnPresent),
    WORKS(pfnRotateResourceIdentities),
    WORKS(pfnBlt),
    CALL(pfnSetDisplayMode, REFUSES, entries_device_set_display_mode),
    CALL(pfnSetTextFilterSize, SILENT, entries_device_set_text_filter_size),
    CALL(pfnRelocateDeviceFuncs, SILENT, entries_device_relocate_device_funcs),
    CALL(pfnCalcPrivatePredicateSize, SILENT, entries_device_calc_private_predicate_size),
    CALL(pfnCreatePredicate, REFUSES, entries_device_create_predicate),
    CALL(pfnDestroyPredicate, SILENT, entries_device_destroy_predicate),
};
/* clang-format on */

/* Each entry of the Direct3D 11 device table, called between two draws, must answer as documented and not affect
 * them. */
static void entries_device_walk(struct agpu_test *t)
{
    const struct agpu_api_device *table = agpu_usage_driver_funcs(t->env->umd.usage);
    struct agpu_entry_scene scene;

    agpu_return_unless(agpu_entries_begin(t, &scene));
    agpu_return_unless(agpu_entries_walk(&scene, table, sizeof *table, device_rows,
                                         sizeof device_rows / sizeof device_rows[0]));
    agpu_entries_end(&scene);
}

static const struct agpu_case umd_entries_device_cases[] = {
    AGPU_DRAW_CASE("umd.entries.device", "umd.md 3.1", 0, entries_device_walk, 0),
};

AGPU_CASE_TABLE(agpu_cases_umd_entries_device, umd_entries_device_cases);
