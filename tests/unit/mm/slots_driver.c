/* slots_driver.c: a driver that consists of slots (slots_driver.h). */
#include "slots_driver.h"
#include "tests/unit/test.h"

#include <string.h>

#include "mm/runtime/device.h"

struct slots_driver driver;

static struct slot_object *live_view(void *handle)
{
    struct slot_object *view = handle;

    return view != NULL && !view->dead && view->of != NULL && !view->of->dead ? view : NULL;
}

static void leave(struct slot_object **slots, uint32_t count, const struct slot_object *resource)
{
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i] != NULL && slots[i]->of == resource) {
            slots[i] = NULL;
        }
    }
}

static void becomes_output(const struct slot_object *view)
{
    for (uint32_t stage = 0; view != NULL && stage < STAGES; stage++) {
        leave(driver.slots.views[stage], VIEWS, view->of);
    }
}

static void becomes_input(const struct slot_object *view)
{
    if (view != NULL) {
        leave(driver.slots.targets, TARGETS, view->of);
        leave(&driver.slots.depth_view, 1, view->of);
        leave(driver.slots.uavs, UAVS, view->of);
    }
}

static void refuse(HRESULT error)
{
    agpu_runtime_core_callbacks()->pfnSetErrorCb(agpu_runtime_core_handle(driver.stack->device), error);
}

#define DRIVER_STAGE(stage, name)                                                                            \
    static void name##_shader(D3D10DDI_HDEVICE device, D3D10DDI_HSHADER shader)                              \
    {                                                                                                        \
        assert_ptr_equal(device.pDrvPrivate, DEVICE.pDrvPrivate);                                            \
        driver.slots.shaders[stage] = shader.pDrvPrivate;                                                    \
    }                                                                                                        \
    static void name##_constants(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,                    \
                                 const D3D10DDI_HRESOURCE *buffers)                                          \
    {                                                                                                        \
        (void)device;                                                                                        \
        for (uint32_t i = start; i < CONSTANTS && i - start < count; i++) {                                  \
            driver.slots.constants[stage][i] = buffers != NULL ? buffers[i - start].pDrvPrivate : NULL;      \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_views(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,                        \
                             const D3D10DDI_HSHADERRESOURCEVIEW *views)                                      \
    {                                                                                                        \
        (void)device;                                                                                        \
        for (uint32_t i = start; i < VIEWS && i - start < count; i++) {                                      \
            struct slot_object *view = views != NULL ? live_view(views[i - start].pDrvPrivate) : NULL;       \
                                                                                                             \
            becomes_input(view);                                                                             \
            driver.slots.views[stage][i] = view;                                                             \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_samplers(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,                     \
                                const D3D10DDI_HSAMPLER *samplers)                                           \
    {                                                                                                        \
        (void)device;                                                                                        \
        for (uint32_t i = start; i < SAMPLERS && i - start < count; i++) {                                   \
            driver.slots.samplers[stage][i] = samplers != NULL ? samplers[i - start].pDrvPrivate : NULL;     \
        }                                                                                                    \
    }
#define DRIVER_STAGE_OF(stage, name, api) DRIVER_STAGE(stage, name)
EACH_STAGE(DRIVER_STAGE_OF)

static void set_uavs(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                     const D3D11DDI_HUNORDEREDACCESSVIEW *views, const uint32_t *initial_counts)
{
    (void)device;
    for (uint32_t i = start; i < UAVS && i - start < count; i++) {
        struct slot_object *view = views != NULL ? live_view(views[i - start].pDrvPrivate) : NULL;

        becomes_output(view);
        driver.slots.uavs[i] = view;
        driver.counters_reset += initial_counts != NULL && initial_counts[i - start] != 0xFFFFFFFFu;
    }
}

static void set_layout(D3D10DDI_HDEVICE device, D3D10DDI_HELEMENTLAYOUT layout)
{
    (void)device;
    driver.slots.layout = layout.pDrvPrivate;
}

static void set_vertices(D3D10DDI_HDEVICE device, uint32_t start, uint32_t count,
                         const D3D10DDI_HRESOURCE *buffers, const uint32_t *strides, const uint32_t *offsets)
{
    (void)device;
    if (start > VERTICES || count > VERTICES - start ||
        (count != 0 && (buffers == NULL || strides == NULL))) {
        refuse(E_INVALIDARG);
        return;
    }
    for (uint32_t i = start; i < (count != 0 ? start + count : VERTICES); i++) {
        driver.slots.vertices[i] = count != 0 ? buffers[i - start].pDrvPrivate : NULL;
        driver.slots.strides[i] = driver.slots.vertices[i] != NULL ? strides[i - start] : 0;
        driver.slots.offsets[i] = driver.slots.vertices[i] != NULL ? offsets[i - start] : 0;
    }
}

static void set_index(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE buffer, uint32_t format, uint32_t offset)
{
    (void)device;
    if (buffer.pDrvPrivate != NULL && offset % 2 != 0) {
        refuse(E_INVALIDARG);
        return;
    }
    driver.slots.index = buffer.pDrvPrivate;
    driver.slots.index_format = driver.slots.index != NULL ? format : 0;
    driver.slots.index_offset = driver.slots.index != NULL ? offset : 0;
}

static void set_topology(D3D10DDI_HDEVICE device, uint32_t topology)
{
    (void)device;
    driver.slots.topology = topology;
}

#define SET_RECTS(name, count_of, array, type)                                                               \
    static void name(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear, const type *each)              \
    {                                                                                                        \
        (void)device, (void)clear;                                                                           \
        if (count != 0 && each == NULL) {                                                                    \
            refuse(E_INVALIDARG);                                                                            \
            return;                                                                                          \
        }                                                                                                    \
        assert_in_range(count, 0, 4);                                                                        \
        memset(driver.slots.array, 0, sizeof driver.slots.array);                                            \
        memcpy(driver.slots.array, count != 0 ? each : driver.slots.array, count * sizeof *each);            \
        driver.slots.count_of = count;                                                                       \
    }
SET_RECTS(set_viewports, viewport_count, viewports, D3D10_DDI_VIEWPORT)
SET_RECTS(set_scissors, scissor_count, scissors, D3D10_DDI_RECT)

static void set_rasterizer(D3D10DDI_HDEVICE device, D3D10DDI_HRASTERIZERSTATE object)
{
    (void)device;
    driver.slots.rasterizer = object.pDrvPrivate;
}

static void set_blend(D3D10DDI_HDEVICE device, D3D10DDI_HBLENDSTATE object, const float *factor,
                      uint32_t mask)
{
    static const float ones[4] = {1, 1, 1, 1};

    (void)device;
    driver.slots.blend = object.pDrvPrivate;
    memcpy(driver.slots.factor, factor != NULL ? factor : ones, sizeof ones);
    driver.slots.sample_mask = mask;
}

static void set_depth(D3D10DDI_HDEVICE device, D3D10DDI_HDEPTHSTENCILSTATE object, uint32_t stencil_ref)
{
    (void)device;
    driver.slots.depth = object.pDrvPrivate;
    driver.slots.stencil_ref = stencil_ref;
}

static void set_targets(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views, uint32_t count,
                        uint32_t clear, D3D10DDI_HDEPTHSTENCILVIEW depth)
{
    (void)device, (void)clear;
    if (count != 0 && views == NULL) {
        refuse(E_INVALIDARG);
        return;
    }
    driver.slots.target_count = count < TARGETS ? count : TARGETS;
    for (uint32_t i = 0; i < TARGETS; i++) {
        driver.slots.targets[i] = i < count ? live_view(views[i].pDrvPrivate) : NULL;
        becomes_output(driver.slots.targets[i]);
    }
    driver.slots.depth_view = live_view(depth.pDrvPrivate);
    becomes_output(driver.slots.depth_view);
}

static void set_targets_and_uavs(D3D10DDI_HDEVICE device, const D3D10DDI_HRENDERTARGETVIEW *views,
                                 uint32_t count, D3D10DDI_HDEPTHSTENCILVIEW depth,
                                 const D3D11DDI_HUNORDEREDACCESSVIEW *uavs, const uint32_t *initial_counts,
                                 uint32_t first, uint32_t uav_count)
{
    (void)initial_counts, (void)first;
    set_targets(device, views, count, 0, depth);
    if ((count == 0 || views != NULL) && uavs != NULL && uav_count != 0) {
        refuse(E_NOTIMPL); /* the targets are bound although it reports an error */
    }
}

static void clear_state(D3D10DDI_HDEVICE device)
{
    (void)device;
    memset(&driver.slots, 0, sizeof driver.slots);
}

/* Removes a destroyed object and its views from all slots. Each member in front of the numbers is a handle. */
static void end_object(void *handle)
{
    struct slot_object **each = (struct slot_object **)(void *)&driver.slots, *gone = handle;

    for (size_t i = 0; i < offsetof(struct driver_slots, strides) / sizeof *each; i++) {
        if (each[i] != NULL && (each[i] == gone || each[i]->of == gone)) {
            each[i] = NULL;
        }
    }
    for (uint32_t i = 0; i < VERTICES; i++) {
        driver.slots.strides[i] = driver.slots.vertices[i] != NULL ? driver.slots.strides[i] : 0;
        driver.slots.offsets[i] = driver.slots.vertices[i] != NULL ? driver.slots.offsets[i] : 0;
    }
    driver.slots.index_format = driver.slots.index != NULL ? driver.slots.index_format : 0;
    driver.slots.index_offset = driver.slots.index != NULL ? driver.slots.index_offset : 0;
    gone->dead = true;
}

#define EACH_END(X)                                                                                          \
    X(resource, Resource, D3D10DDI_HRESOURCE)                                                                \
    X(srv, ShaderResourceView, D3D10DDI_HSHADERRESOURCEVIEW)                                                 \
    X(rtv, RenderTargetView, D3D10DDI_HRENDERTARGETVIEW)                                                     \
    X(dsv, DepthStencilView, D3D10DDI_HDEPTHSTENCILVIEW)                                                     \
    X(uav, UnorderedAccessView, D3D11DDI_HUNORDEREDACCESSVIEW)                                               \
    X(layout, ElementLayout, D3D10DDI_HELEMENTLAYOUT)                                                        \
    X(blend, BlendState, D3D10DDI_HBLENDSTATE)                                                               \
    X(depth, DepthStencilState, D3D10DDI_HDEPTHSTENCILSTATE)                                                 \
    X(rasterizer, RasterizerState, D3D10DDI_HRASTERIZERSTATE)                                                \
    X(shader, Shader, D3D10DDI_HSHADER)                                                                      \
    X(sampler, Sampler, D3D10DDI_HSAMPLER)
#define DRIVER_VIEW(name, api, args_type, handle_type, runtime_type)                                         \
    static HRESULT create_##name(D3D10DDI_HDEVICE device, const args_type *args, handle_type view,           \
                                 runtime_type runtime)                                                       \
    {                                                                                                        \
        (void)device, (void)args, (void)view, (void)runtime;                                                 \
        return driver.created;                                                                               \
    }
#define DRIVER_END(name, api, handle_type)                                                                   \
    static void end_##name(D3D10DDI_HDEVICE device, handle_type object)                                      \
    {                                                                                                        \
        (void)device;                                                                                        \
        end_object(object.pDrvPrivate);                                                                      \
    }
EACH_VIEW(DRIVER_VIEW)
EACH_END(DRIVER_END)

#define PUT_VIEW(name, api, args_type, handle_type, runtime_type) .pfnCreate##api = create_##name,
#define PUT_END(name, api, handle_type)                           .pfnDestroy##api = end_##name,
const struct agpu_api_device driver_funcs = {EACH_VIEW(PUT_VIEW) EACH_END(PUT_END)};
#define PUT_STAGE(stage, name, api)                                                                          \
    .pfn##api##SetShader = name##_shader, .pfn##api##SetConstantBuffers = name##_constants,                  \
    .pfn##api##SetShaderResources = name##_views, .pfn##api##SetSamplers = name##_samplers,
const struct agpu_api_context driver_context = {
    EACH_STAGE(PUT_STAGE).pfnCsSetUnorderedAccessViews = set_uavs,
    .pfnIaSetInputLayout = set_layout,
    .pfnIaSetVertexBuffers = set_vertices,
    .pfnIaSetIndexBuffer = set_index,
    .pfnIaSetTopology = set_topology,
    .pfnSetViewports = set_viewports,
    .pfnSetScissorRects = set_scissors,
    .pfnSetRasterizerState = set_rasterizer,
    .pfnSetBlendState = set_blend,
    .pfnSetDepthStencilState = set_depth,
    .pfnSetRenderTargets = set_targets,
    .pfnSetRenderTargetsAndUnorderedAccessViews = set_targets_and_uavs,
    .pfnClearState = clear_state,
};
