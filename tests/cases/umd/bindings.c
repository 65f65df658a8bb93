/* bindings.c: reads of shaders through slots that one call fills or empties: views of buffers in a row, null arrays
 * (umd.md 10). */
#include <string.h>

#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_draw.h"

#define WORDS 32u
#define BYTES (4 * WORDS)
#define SLOTS 4u
#define USED  2u /* the slot that cs_scale reads */

static D3D10DDI_HRESOURCE shader_buffer(struct agpu_test *t, uint32_t bind, const uint32_t *words)
{
    struct agpu_resource_desc desc = agpu_buffer_desc(BYTES, D3D10_DDI_USAGE_DEFAULT, bind, 0);
    D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = words};
    HRESULT hr;

    desc.pInitialDataUP = &data;
    desc.InitialDataCount = words != NULL;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

/* Creates a view of a result buffer that shows whether anything was written: no shader here writes any word of it. */
static D3D11DDI_HUNORDEREDACCESSVIEW result_view(struct agpu_test *t, const uint32_t *words,
                                                 D3D10DDI_HRESOURCE *result)
{
    D3D11DDIARG_CREATEUNORDEREDACCESSVIEW args = {.NumElements = WORDS};

    args.hDrvResource = *result = shader_buffer(t, D3D11_DDI_BIND_UNORDERED_ACCESS, words);
    return agpu_make_uav(t, &args);
}

static void dispatch_into(struct agpu_test *t, const D3D11DDI_HUNORDEREDACCESSVIEW *view)
{
    static const uint32_t keep = UINT32_MAX;
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnCsSetUnorderedAccessViews(umd->device, 1, 1, view, view != NULL ? &keep : NULL);
    umd->context.pfnDispatch(umd->device, WORDS / 16, 1, 1);
}

/* Given a null array, the driver must unbind every slot of the range: reads return 0 and writes are dropped. */
static void bindings_null_arrays(struct agpu_test *t)
{
    static const uint32_t zeros[WORDS];
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint32_t words[SLOTS][WORDS], untouched[WORDS], expected[WORDS], factor[WORDS] = {3};
    D3D10DDI_HSHADERRESOURCEVIEW views[SLOTS];
    D3D11DDI_HUNORDEREDACCESSVIEW out[4];
    D3D10DDI_HRESOURCE results[4], constants = shader_buffer(t, D3D10_DDI_BIND_CONSTANT_BUFFER, factor);

    for (uint32_t i = 0; i < WORDS; i++) {
        untouched[i] = 0xEEEE0000u + i;
        expected[i] = 3 * (1000 * USED + i);
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.NumElements = WORDS};

        for (uint32_t i = 0; i < WORDS; i++) {
            words[slot][i] = 1000 * slot + i;
        }
        args.hDrvResource = shader_buffer(t, D3D10_DDI_BIND_SHADER_RESOURCE, words[slot]);
        views[slot] = agpu_make_srv(t, &args);
        out[slot] = result_view(t, slot ? untouched : zeros, &results[slot]);
        agpu_assert(t, views[slot].pDrvPrivate && out[slot].pDrvPrivate);
    }
    agpu_draw_compute(t, &agpu_cs_scale_5_0);
    umd->context.pfnCsSetConstantBuffers(umd->device, 0, 1, &constants);
    umd->context.pfnCsSetShaderResources(umd->device, 0, SLOTS, views); /* one range */
    dispatch_into(t, &out[0]);
    agpu_return_unless(agpu_check_dispatched(t, results[0], expected, BYTES));
    umd->context.pfnCsSetShaderResources(umd->device, 0, SLOTS, NULL); /* reads nothing */
    dispatch_into(t, &out[1]);
    agpu_check_contents(t, results[1], zeros, BYTES);
    umd->context.pfnCsSetShaderResources(umd->device, 0, SLOTS, views);
    umd->context.pfnCsSetConstantBuffers(umd->device, 0, 2, NULL); /* a factor of 0 */
    dispatch_into(t, &out[2]);
    agpu_check_contents(t, results[2], zeros, BYTES);
    umd->context.pfnCsSetConstantBuffers(umd->device, 0, 1, &constants);
    umd->context.pfnCsSetUnorderedAccessViews(umd->device, 1, 1, &out[3], NULL);
    dispatch_into(t, NULL); /* writes nowhere */
    agpu_check_contents(t, results[3], untouched, BYTES);
    agpu_check_errors(t, 0, S_OK);
}

/* A null array must be refused by Direct3D 10, which does not unbind that way. */
static void bindings_null_arrays_refused(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    umd->context.pfnPsSetConstantBuffers(umd->device, 0, 2, NULL);
    agpu_check_errors(t, 1, E_INVALIDARG);
    umd->context.pfnPsSetShaderResources(umd->device, 0, 2, NULL);
    agpu_check_errors(t, 1, E_INVALIDARG);
    umd->context.pfnPsSetSamplers(umd->device, 0, 2, NULL);
    agpu_check_errors(t, 1, E_INVALIDARG);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
}

#define REFUSED(name, version)                                                                               \
    AGPU_STACK_CASE(name, "umd.md 10", 0, 0, .body = bindings_null_arrays_refused, .peer = (version),        \
                    .act_as_peer = true)

static const struct agpu_case umd_bindings_cases[] = {
    AGPU_DRAW_CASE("compute.bindings.null_arrays", "umd.md 10", 0, bindings_null_arrays, 0),
    REFUSED("state.null_arrays.d3d10", D3D10_0_DDI_INTERFACE_VERSION),
    REFUSED("state.null_arrays.d3d10_1", D3D10_1_DDI_INTERFACE_VERSION),
};

AGPU_CASE_TABLE(agpu_cases_umd_bindings, umd_bindings_cases);
