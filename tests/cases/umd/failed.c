/* failed.c: creations that fail half way, with every answer of AllocateCb that the driver must not accept, and calls
 * that need no memory (umd.md 5.4, 5.7). */
#include <string.h>

#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_textures.h"

#define SIZE  64u
#define RGBA  DXGI_FORMAT_R8G8B8A8_UNORM
#define T     AEROGPU_FEATURE_TRANSFER
#define CALLS (AGPU_SPY_MEMORY | AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS | AGPU_SPY_ERRORS)

/* Changes that a replaced AllocateCb makes to the runtime's answer. */
enum failed_answer {
    FAILED_ALLOCATE,
    NO_ALLOCATION,
    NO_KM_RESOURCE,
    NO_ID,
    NO_TOKEN,
    NOT_SHARED,
    SMALLER,
    SMALL_PITCH,
    LARGE_PITCH,
    NO_SIZE,
    GOOD_ANSWER,
};

static struct {
    HRESULT (*allocate)(HANDLE, D3DDDICB_ALLOCATE *);
    enum failed_answer answer;
    D3DKMT_HANDLE resource; /* the runtime's, when the driver does not get it */
} failed;

static HRESULT failing_allocate(HANDLE device, D3DDDICB_ALLOCATE *args)
{
    D3DDDI_ALLOCATIONINFO *info = args->pAllocationInfo;
    struct aerogpu_wddm_alloc_priv_v2 *blob = info->pPrivateDriverData;
    HRESULT hr = failed.answer == FAILED_ALLOCATE ? E_OUTOFMEMORY : failed.allocate(device, args);

    if (FAILED(hr)) {
        return hr;
    }
    failed.resource = 0;
    switch (failed.answer) {
    case NO_ALLOCATION:
        info->hAllocation = 0;
        break;
    case NO_KM_RESOURCE:
        failed.resource = args->hKMResource;
        args->hKMResource = 0;
        break;
    case NO_ID:
        blob->alloc_id = 0;
        break;
    case NO_TOKEN:
        blob->share_token = 0;
        break;
    case NOT_SHARED:
        blob->flags &= ~AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED;
        break;
    case SMALLER:
        info->Size -= 1;
        break;
    case SMALL_PITCH:
        blob->row_pitch_bytes = 16;
        break;
    case LARGE_PITCH:
        blob->row_pitch_bytes = 512;
        break;
    case NO_SIZE:
        info->Size = 0;
        break;
    default:
        break;
    }
    return hr;
}

/* Each answer that cannot be used must fail the creation with one error, free what was allocated, and leave an object
 * whose destruction does nothing. */
static void bad_answers(struct agpu_test *t)
{
    static const struct {
        enum failed_answer answer;
        bool shared;
        HRESULT result;
    } rows[] = {
        {FAILED_ALLOCATE, false, E_OUTOFMEMORY},
        {NO_ALLOCATION, false, E_FAIL},
        {NO_KM_RESOURCE, false, E_FAIL},
        {NO_ID, false, E_FAIL},
        {NO_TOKEN, true, E_FAIL},
        {NOT_SHARED, true, E_FAIL},
        {NO_TOKEN, false, S_OK},
        {SMALLER, false, E_INVALIDARG},
        {SMALL_PITCH, false, E_INVALIDARG},
        {LARGE_PITCH, false, E_INVALIDARG},
        {NO_SIZE, false, S_OK},
        {GOOD_ANSWER, true, S_OK},
    };
    static uint64_t object[64];
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10DDI_HRESOURCE resource = {object};

    failed.allocate = agpu_callback_table()->pfnAllocateCb;
    agpu_callback_table()->pfnAllocateCb = failing_allocate;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 8, 4);

        desc.MiscFlags = rows[i].shared ? D3D10_DDI_RESOURCE_MISC_SHARED : 0;
        agpu_assert(t, umd->funcs.pfnCalcPrivateResourceSize(umd->device, &desc) <= sizeof object);
        failed.answer = rows[i].answer;
        memset(object, 0xA5, sizeof object);
        (void)umd->funcs.pfnCreateResource(umd->device, &desc, resource, (D3D10DDI_HRTRESOURCE){NULL});
        agpu_return_unless(agpu_check_errors(t, rows[i].result != S_OK, rows[i].result));
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
        agpu_spy_begin(CALLS);
        umd->funcs.pfnDestroyResource(umd->device, resource);
        if (rows[i].result != S_OK) {
            agpu_return_unless(agpu_check_calls(t, ""));
        } else {
            agpu_return_unless(agpu_check_calls(t, "Render\n"
                                                   "  DESTROY_RESOURCE h1 0\n"
                                                   "Deallocate a1 resource\n"));
        }
        if (failed.resource != 0) { /* of the row's own making */
            const D3DDDICB_DEALLOCATE args = {.hKMResource = failed.resource};

            agpu_check_hr(t,
                          agpu_callback_table()->pfnDeallocateCb(
                              agpu_runtime_device_handle(t->env->umd.runtime_device).handle, &args),
                          S_OK);
        }
    }
    agpu_callback_table()->pfnAllocateCb = failed.allocate;
}

/* Given no memory at all, each creation must fail with one error and leave an object whose destruction does nothing,
 * except those whose memory is the kernel's. Later creations work. */
static void creations_without_memory(struct agpu_test *t)
{
    static const struct {
        uint32_t usage, bind, access, result_with_shadow;
    } rows[] = {
        {D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER, D3D10_DDI_CPU_ACCESS_WRITE, true},
        {D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_VERTEX_BUFFER, 0, false},
        {D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ, false},
    };
    static uint64_t object[64];
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10DDI_HRESOURCE resource = {object};

    agpu_make_default(t, SIZE, NULL); /* the lists of a submission have their memory from here on */
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct agpu_resource_desc desc =
            agpu_buffer_desc(SIZE, rows[i].usage, rows[i].bind, rows[i].access);
        const HRESULT result = rows[i].result_with_shadow ? E_OUTOFMEMORY : S_OK;

        for (uint32_t again = 0; again < 2; again++) {
            const bool fails = again == 0 && result != S_OK;

            agpu_runtime_limit_umd_heap(t->env->umd.runtime, again == 0 ? 0 : UINT64_MAX);
            memset(object, 0xA5, sizeof object);
            (void)umd->funcs.pfnCreateResource(umd->device, &desc, resource, (D3D10DDI_HRTRESOURCE){NULL});
            agpu_runtime_limit_umd_heap(t->env->umd.runtime, UINT64_MAX);
            agpu_return_unless(agpu_check_errors(t, fails, fails ? result : S_OK));
            agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
            agpu_spy_begin(AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS);
            umd->funcs.pfnDestroyResource(umd->device, resource);
            agpu_return_unless(agpu_check_calls(t, fails ? "" : "Render\n  DESTROY_RESOURCE h1 0\n"));
        }
    }
}

/* Given no memory, copies, maps for reading, updates and flushes must work as before, because they need none. */
static void calls_without_memory(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t bytes[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE source, read;

    agpu_fill_pattern(bytes, SIZE, 3);
    source = agpu_make_default(t, SIZE, NULL);
    read = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    agpu_assert(t, source.pDrvPrivate && read.pDrvPrivate);
    for (uint32_t round = 0; round < 2; round++) { /* the first takes the memory that stays */
        agpu_runtime_limit_umd_heap(umd->runtime, round == 0 ? UINT64_MAX : 0);
        bytes[0] = (uint8_t)round;
        agpu_umd_update(t, source, 0, NULL, bytes, 0);
        agpu_umd_copy(t, read, source);
        agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
        if (agpu_check_hr(t, agpu_umd_map(t, read, D3D10_DDI_MAP_READ, 0, &mapped), S_OK)) {
            agpu_check_eq_mem(t, mapped.pData, bytes, SIZE);
            agpu_umd_unmap(t, read);
        }
        agpu_check_errors(t, 0, S_OK);
    }
    agpu_runtime_limit_umd_heap(umd->runtime, UINT64_MAX);
}

static HRESULT refusing_render(HANDLE device, D3DDDICB_RENDER *args)
{
    (void)device, (void)args;
    return E_INVALIDARG;
}

/* A Flush that has no memory for its packet, and whose submission fails too, must report the first of the errors. */
static void flush_fails_twice(struct agpu_test *t)
{
    static uint64_t object[64];
    static uint8_t code[256 * 1024]; /* more than the command buffer holds */
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10DDIARG_CREATESHADER args = {code, sizeof code};
    const D3D10DDI_HSHADER shader = {object};
    HRESULT (*const render)(HANDLE, D3DDDICB_RENDER *) = agpu_callback_table()->pfnRenderCb;

    agpu_assert(t, umd->funcs.pfnCalcPrivateShaderSize(umd->device, &args) <= sizeof object);
    agpu_make_default(t, SIZE, NULL);
    agpu_runtime_limit_umd_heap(umd->runtime, 0);
    (void)umd->funcs.pfnCreateVertexShader(umd->device, &args, shader, (D3D10DDI_HRTSHADER){NULL});
    agpu_check_errors(t, 1, E_OUTOFMEMORY);
    agpu_callback_table()->pfnRenderCb = refusing_render;
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), E_OUTOFMEMORY);
    agpu_callback_table()->pfnRenderCb = render;
    agpu_runtime_limit_umd_heap(umd->runtime, UINT64_MAX);
    agpu_check_errors(t, 1, E_OUTOFMEMORY);
}

/* A creation without a description must fail with one error and leave an object whose destruction does nothing,
 * whatever its memory contained. */
static void objects_refused(struct agpu_test *t)
{
    static uint64_t object[64];
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10DDIARG_CREATESHADER no_code = {NULL, 4};

    agpu_without_rules(t);
    agpu_spy_begin(AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS | AGPU_SPY_ERRORS);
#define REFUSED(create, destroy, type, args)                                                                 \
    memset(object, 0xA5, sizeof object);                                                                     \
    (void)umd->funcs.pfnCreate##create(umd->device, args, (D3D10DDI_H##type){object},                        \
                                       (D3D10DDI_HRT##type){NULL});                                          \
    umd->funcs.pfnDestroy##destroy(umd->device, (D3D10DDI_H##type){object})
    REFUSED(VertexShader, Shader, SHADER, &no_code);
    REFUSED(Sampler, Sampler, SAMPLER, NULL);
    REFUSED(ElementLayout, ElementLayout, ELEMENTLAYOUT, NULL);
    REFUSED(ShaderResourceView, ShaderResourceView, SHADERRESOURCEVIEW, NULL);
    REFUSED(RenderTargetView, RenderTargetView, RENDERTARGETVIEW, NULL);
    REFUSED(DepthStencilView, DepthStencilView, DEPTHSTENCILVIEW, NULL);
#undef REFUSED
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_check_calls(t, "SetError 0x80070057\n"
                        "SetError 0x80070057\n"
                        "SetError 0x80070057\n"
                        "SetError 0x80070057\n"
                        "SetError 0x80070057\n"
                        "SetError 0x80070057\n"
                        "Render\n"
                        "  FLUSH 0 0\n");
    agpu_check_errors(t, 6, E_INVALIDARG);
}

/* A second destruction of a sampler and a layout must do nothing. */
static void objects_destroyed_twice(struct agpu_test *t)
{
    static uint64_t object[2][64];
    static const D3D10DDIARG_INPUT_ELEMENT_DESC element = {
        "POSITION", 0, DXGI_FORMAT_R32G32B32A32_FLOAT, 0, 0, 0, 0};
    const struct agpu_umd_rig *umd = &t->env->umd;
    const D3D10_DDI_SAMPLER_DESC wraps = {.AddressU = 1, .AddressV = 1, .AddressW = 1};
    const D3D10DDIARG_CREATEELEMENTLAYOUT elements = {&element, 1};
    const D3D10DDI_HSAMPLER sampler = {object[0]};
    const D3D10DDI_HELEMENTLAYOUT layout = {object[1]};

    agpu_without_rules(t);
    agpu_spy_begin(AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS | AGPU_SPY_ERRORS);
    (void)umd->funcs.pfnCreateSampler(umd->device, &wraps, sampler, (D3D10DDI_HRTSAMPLER){NULL});
    (void)umd->funcs.pfnCreateElementLayout(umd->device, &elements, layout,
                                            (D3D10DDI_HRTELEMENTLAYOUT){NULL});
    for (uint32_t i = 0; i < 2; i++) {
        umd->funcs.pfnDestroySampler(umd->device, sampler);
        umd->funcs.pfnDestroyElementLayout(umd->device, layout);
    }
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_check_calls(t, "Render\n"
                        "  CREATE_SAMPLER h1 0 1 1 1\n"
                        "  CREATE_INPUT_LAYOUT h2 44 0 44 bytes c8850f66\n"
                        "  DESTROY_SAMPLER h1 0\n"
                        "  DESTROY_INPUT_LAYOUT h2 0\n"
                        "  FLUSH 0 0\n");
}

#define FAILED_CASE(name, section, function)                                                                 \
    AGPU_STACK_CASE("umd.failed." name, section, T, 0, .configure = agpu_spied_config, .body = function)

static const struct agpu_case umd_failed_cases[] = {
    FAILED_CASE("bad_answers", "umd.md 5.4", bad_answers),
    FAILED_CASE("creations_without_memory", "umd.md 5.7", creations_without_memory),
    FAILED_CASE("calls_without_memory", "umd.md 12.1", calls_without_memory),
    FAILED_CASE("objects_refused", "umd.md 3.1", objects_refused),
    FAILED_CASE("objects_destroyed_twice", "umd.md 3.1", objects_destroyed_twice),
    FAILED_CASE("flush_twice", "umd.md 3.1", flush_fails_twice),
};

AGPU_CASE_TABLE(agpu_cases_umd_failed, umd_failed_cases);
