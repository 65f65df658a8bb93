/* test_saved_state.c: after a command list the runtime restores the state of before, whatever the application did in
 * whatever order (umd.md 10.1, 15). */
#include <string.h>

#include "mm/runtime/device.h"
#include "mm/runtime/saved_restore.h"
#include "mm/runtime/saved_state.h"
#include "slots_driver.h"
#include "tests/unit/test.h"

#define OBJECTS   6u
#define RESOURCES 4u

static struct {
    struct agpu_api_device funcs;
    struct agpu_api_context context;
    struct slot_object resources[RESOURCES], plain[OBJECTS]; /* shaders, samplers, layouts, states */
    struct slot_object srvs[OBJECTS], rtvs[OBJECTS], dsvs[OBJECTS], uavs[OBJECTS];
    uint64_t random;
} app;

static uint32_t any(uint32_t below)
{
    app.random ^= app.random << 13;
    app.random ^= app.random >> 7;
    app.random ^= app.random << 17;
    return (uint32_t)(app.random >> 32) % below;
}

static void make_views(void)
{
    for (uint32_t i = 0; i < OBJECTS; i++) {
        D3D10DDI_HRESOURCE of = {&app.resources[i % RESOURCES]};

        app.srvs[i].of = app.rtvs[i].of = app.dsvs[i].of = app.uavs[i].of = of.pDrvPrivate;
#define MAKE_VIEW(name, api, args_type, handle_type, runtime_type)                                           \
    assert_int_equal(app.funcs.pfnCreate##api(DEVICE, &(const args_type){.hDrvResource = of},                \
                                              (handle_type){&app.name##s[i]}, (runtime_type){NULL}),         \
                     S_OK);
        EACH_VIEW(MAKE_VIEW)
    }
}

static int setup(void **state)
{
    static struct stack s;

    stack_open(&s, NULL);
    memset(&driver, 0, sizeof driver);
    memset(&app, 0, sizeof app);
    driver.stack = &s;
    app.funcs = driver_funcs;
    app.context = driver_context;
    app.random = 88172645463325252ull;
    assert_true(agpu_saved_state_begin(s.device, DEVICE, &app.funcs, &app.context));
    make_views();
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    struct stack *s = *state;

    agpu_saved_state_end(s->device);
    stack_close(s);
    return 0;
}

/* At the end of a list the driver has default state. */
static void execute_and_restore(struct stack *s)
{
    driver_context.pfnClearState(DEVICE);
    agpu_saved_state_restore(s->device);
}

#define ANY(array) (any(4) ? (void *)&(array)[any(sizeof(array) / sizeof(array)[0])] : NULL)

static void any_stage_call(void)
{
    uint32_t stage = any(STAGES), start = any(4) ? any(3) : any(200), count = any(4);
    D3D10DDI_HRESOURCE buffers[3] = {{ANY(app.resources)}, {ANY(app.resources)}, {ANY(app.resources)}};
    D3D10DDI_HSHADERRESOURCEVIEW views[3] = {{ANY(app.srvs)}, {ANY(app.srvs)}, {ANY(app.srvs)}};
    D3D10DDI_HSAMPLER samplers[3] = {{ANY(app.plain)}, {ANY(app.plain)}, {ANY(app.plain)}};
    uint32_t what = any(4);
    bool array = any(8) != 0;

#define ANY_STAGE(number, name, api)                                                                         \
    if (stage == (number) && what == 0) {                                                                    \
        app.context.pfn##api##SetShader(DEVICE, (D3D10DDI_HSHADER){ANY(app.plain)});                         \
    } else if (stage == (number) && what == 1) {                                                             \
        app.context.pfn##api##SetConstantBuffers(DEVICE, start, count, array ? buffers : NULL);              \
    } else if (stage == (number) && what == 2) {                                                             \
        app.context.pfn##api##SetShaderResources(DEVICE, start, count, array ? views : NULL);                \
    } else if (stage == (number)) {                                                                          \
        app.context.pfn##api##SetSamplers(DEVICE, start, count, array ? samplers : NULL);                    \
    }
    EACH_STAGE(ANY_STAGE)
}

static void any_output_call(void)
{
    const uint32_t keep[2] = {0xFFFFFFFFu, 0xFFFFFFFFu};
    D3D10DDI_HRENDERTARGETVIEW views[9] = {{ANY(app.rtvs)}, {ANY(app.rtvs)}, {ANY(app.rtvs)}};
    D3D11DDI_HUNORDEREDACCESSVIEW uavs[2] = {{ANY(app.uavs)}, {ANY(app.uavs)}};
    D3D10DDI_HDEPTHSTENCILVIEW depth = {any(3) ? NULL : ANY(app.dsvs)};
    bool array = any(8) != 0;

    switch (any(3)) {
    case 0:
        app.context.pfnSetRenderTargets(DEVICE, array ? views : NULL, any(6) ? any(4) : 9, 0, depth);
        break;
    case 1:
        app.context.pfnSetRenderTargetsAndUnorderedAccessViews(DEVICE, array ? views : NULL, any(4), depth,
                                                               uavs, keep, 1, any(2));
        break;
    default:
        app.context.pfnCsSetUnorderedAccessViews(DEVICE, any(UAVS + 1), any(3), array ? uavs : NULL, keep);
        break;
    }
}

static void any_fixed_call(void)
{
    const D3D10_DDI_VIEWPORT viewports[2] = {{.Width = (float)any(9)}, {.Height = (float)any(9)}};
    const D3D10_DDI_RECT rects[2] = {{.left = (int32_t)any(9)}, {.top = (int32_t)any(9)}};
    const D3D10DDI_HRESOURCE buffers[2] = {{ANY(app.resources)}, {ANY(app.resources)}};
    const uint32_t strides[2] = {any(99), any(99)}, offsets[2] = {any(99), any(99)};
    const float factor[4] = {(float)any(9)};
    bool array = any(8) != 0;

    switch (any(9)) {
    case 0:
        app.context.pfnIaSetInputLayout(DEVICE, (D3D10DDI_HELEMENTLAYOUT){ANY(app.plain)});
        break;
    case 1:
        app.context.pfnIaSetVertexBuffers(DEVICE, any(VERTICES + 3), any(3), array ? buffers : NULL, strides,
                                          offsets);
        break;
    case 2:
        app.context.pfnIaSetIndexBuffer(DEVICE, (D3D10DDI_HRESOURCE){ANY(app.resources)}, 1 + any(99),
                                        any(9));
        break;
    case 3:
        app.context.pfnIaSetTopology(DEVICE, 1 + any(5));
        break;
    case 4:
        app.context.pfnSetViewports(DEVICE, any(3), 0, array ? viewports : NULL);
        break;
    case 5:
        app.context.pfnSetScissorRects(DEVICE, any(3), 0, array ? rects : NULL);
        break;
    case 6:
        app.context.pfnSetRasterizerState(DEVICE, (D3D10DDI_HRASTERIZERSTATE){ANY(app.plain)});
        break;
    case 7:
        app.context.pfnSetBlendState(DEVICE, (D3D10DDI_HBLENDSTATE){ANY(app.plain)}, array ? factor : NULL,
                                     any(99));
        break;
    default:
        app.context.pfnSetDepthStencilState(DEVICE, (D3D10DDI_HDEPTHSTENCILSTATE){ANY(app.plain)}, any(99));
        break;
    }
}

/* Destroys an object and reuses its memory for another at once. */
static void any_end(void)
{
    uint32_t i = any(OBJECTS);
    struct slot_object *view = &app.srvs[i];
    D3D10DDI_HRESOURCE resource = {&app.resources[any(RESOURCES)]};

    if (any(2)) {
        app.funcs.pfnDestroyShaderResourceView(DEVICE, (D3D10DDI_HSHADERRESOURCEVIEW){view});
    } else { /* views of it still exist, and bind nothing */
        app.funcs.pfnDestroyResource(DEVICE, resource);
        ((struct slot_object *)resource.pDrvPrivate)->dead = false;
        for (uint32_t at = 0; at < OBJECTS; at++) {
            struct slot_object *each[] = {&app.srvs[at], &app.rtvs[at], &app.dsvs[at], &app.uavs[at]};

            for (uint32_t k = 0; k < 4; k++) {
                each[k]->of = each[k]->of == resource.pDrvPrivate ? NULL : each[k]->of;
            }
        }
    }
    if (view->dead || any(2)) {
        const D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.hDrvResource = resource};

        if (!view->dead) {
            app.funcs.pfnDestroyShaderResourceView(DEVICE, (D3D10DDI_HSHADERRESOURCEVIEW){view});
        }
        *view = (struct slot_object){.of = resource.pDrvPrivate};
        assert_int_equal(app.funcs.pfnCreateShaderResourceView(DEVICE, &args,
                                                               (D3D10DDI_HSHADERRESOURCEVIEW){view},
                                                               (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}),
                         S_OK);
    }
}

/* Creates all views anew, because destroyed resources have left most of them without one. */
static void renew_views(void)
{
    for (uint32_t i = 0; i < OBJECTS; i++) {
#define RENEW_VIEW(name, api, args_type, handle_type, runtime_type)                                          \
    if (!app.name##s[i].dead) {                                                                              \
        app.funcs.pfnDestroy##api(DEVICE, (handle_type){&app.name##s[i]});                                   \
    }                                                                                                        \
    app.name##s[i].dead = false;
        EACH_VIEW(RENEW_VIEW)
    }
    make_views();
}

/* ---- tests ---- */

FIXTURE(setup, teardown);

TEST(whatever_was_set_is_set_again)
{
    struct driver_slots before;

    for (uint32_t program = 0; program < 4000; program++) {
        for (uint32_t calls = any(60); calls != 0; calls--) {
            static void (*const kinds[])(void) = {any_stage_call, any_stage_call, any_output_call,
                                                  any_output_call, any_fixed_call};

            if (any(25) == 0) {
                any_end();
            }
            kinds[any(5)]();
        }
        before = driver.slots;
        execute_and_restore(*state);
        assert_memory_equal(&driver.slots, &before, sizeof before);
        assert_int_equal(driver.counters_reset, 0); /* hidden counters of UAVs keep their values */
        if (any(10) == 0) {
            app.context.pfnClearState(DEVICE);
        }
        if (any(3) == 0) {
            renew_views();
        }
    }
}

TEST(a_list_without_restoring_forgets)
{
    static const struct driver_slots none;
    struct stack *s = *state;

    app.context.pfnIaSetTopology(DEVICE, 5);
    app.context.pfnPsSetShader(DEVICE, (D3D10DDI_HSHADER){&app.plain[0]});
    driver_context.pfnClearState(DEVICE);
    agpu_saved_state_forget(s->device);
    execute_and_restore(s);
    assert_memory_equal(&driver.slots, &none, sizeof none);
    /* State that is set later is restored again. */
    app.context.pfnIaSetTopology(DEVICE, 3);
    execute_and_restore(s);
    assert_int_equal(driver.slots.topology, 3);
}

/* A view whose creation failed does not empty a slot. Without memory no view is created. */
TEST(failing_creation)
{
    struct stack *s = *state;
    struct slot_object view = {&app.resources[0], false};
    const D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.hDrvResource = {&app.resources[0]}};
    const D3D10DDI_HSHADERRESOURCEVIEW handle = {&view};
    const D3D10DDI_HRENDERTARGETVIEW target = {&app.rtvs[0]};
    struct driver_slots before;

    driver.created = E_NOTIMPL;
    assert_int_equal(
        app.funcs.pfnCreateShaderResourceView(DEVICE, &args, handle, (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}),
        E_NOTIMPL);
    driver.created = S_OK;
    view.of = NULL; /* as in the driver */
    app.context.pfnSetRenderTargets(DEVICE, &target, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    app.context.pfnPsSetShaderResources(DEVICE, 0, 1, &handle);
    before = driver.slots;
    execute_and_restore(s);
    assert_memory_equal(&driver.slots, &before, sizeof before);
    assert_ptr_equal(driver.slots.targets[0], &app.rtvs[0]);
    s->machine.fail_at = s->machine.calls + 1;
    assert_int_equal(
        app.funcs.pfnCreateShaderResourceView(DEVICE, &args, handle, (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}),
        E_OUTOFMEMORY);
    s->machine.fail_at = 0;
}
