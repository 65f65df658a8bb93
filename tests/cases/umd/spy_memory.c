/* spy_memory.c: the callbacks that allocate and free memory, with what the driver asks for each kind of resource and
 * the packets around them (umd.md 5.3 to 5.7). */
#include <string.h>

#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "ring/ring_transport.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/restart.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/stack_config.h"
#include "tests/cases/rig/umd_draw.h"

#define T       AEROGPU_FEATURE_TRANSFER
#define RGBA    DXGI_FORMAT_R8G8B8A8_UNORM
#define CALLS   (AGPU_SPY_ALL & ~AGPU_SPY_WAITS)
#define DEFAULT D3D10_DDI_USAGE_DEFAULT
#define STAGING D3D10_DDI_USAGE_STAGING
#define DYNAMIC D3D10_DDI_USAGE_DYNAMIC
#define READ    D3D10_DDI_CPU_ACCESS_READ
#define WRITE   D3D10_DDI_CPU_ACCESS_WRITE
#define TARGET  D3D10_DDI_BIND_RENDER_TARGET
#define DEPTH   D3D10_DDI_BIND_DEPTH_STENCIL

static struct agpu_resource_desc spied_texture(uint32_t format, uint32_t usage, uint32_t bind,
                                               uint32_t access)
{
    struct agpu_resource_desc desc = agpu_texture_desc(format, 33, 5);

    desc.Usage = usage;
    desc.BindFlags = bind;
    desc.CPUAccessFlags = access;
    return desc;
}

/* Each kind of resource must be allocated once, with its runtime's handle, its flags, size, segments and private data,
 * and freed with the same handles. */
static void allocations(struct agpu_test *t)
{
    static const DXGI_DDI_PRIMARY_DESC primary = {.VidPnSourceId = 0};
    struct agpu_resource_desc descs[] = {
        agpu_buffer_desc(100, DEFAULT, D3D10_DDI_BIND_VERTEX_BUFFER, 0),
        agpu_buffer_desc(256, DYNAMIC, D3D10_DDI_BIND_CONSTANT_BUFFER, WRITE),
        agpu_buffer_desc(64, STAGING, 0, READ),
        spied_texture(RGBA, DEFAULT, D3D10_DDI_BIND_SHADER_RESOURCE, 0),
        spied_texture(RGBA, STAGING, 0, READ | WRITE),
        spied_texture(RGBA, DYNAMIC, D3D10_DDI_BIND_SHADER_RESOURCE, WRITE),
        spied_texture(RGBA, DEFAULT, TARGET, 0),
        spied_texture(DXGI_FORMAT_D32_FLOAT, DEFAULT, DEPTH, 0),
        spied_texture(DXGI_FORMAT_B8G8R8A8_UNORM, DEFAULT, TARGET, 0),   /* a primary */
        spied_texture(RGBA, DEFAULT, D3D10_DDI_BIND_SHADER_RESOURCE, 0), /* mips and layers */
        spied_texture(RGBA, DEFAULT, TARGET, 0),                         /* shared */
    };
    D3D10DDI_HRESOURCE resources[sizeof descs / sizeof descs[0]];
    HRESULT hr;

    descs[8].pPrimaryDesc = &primary;
    descs[9].MipLevels = 3;
    descs[9].ArraySize = 2;
    descs[10].MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    agpu_spy_begin(AGPU_SPY_MEMORY);
    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++) {
        resources[i] = agpu_umd_create(t, &descs[i], &hr);
        agpu_check_hr(t, hr, S_OK);
    }
    for (size_t i = 0; i < sizeof descs / sizeof descs[0]; i++) {
        agpu_umd_destroy(t, resources[i]);
    }
    agpu_check_calls(t, "Allocate a1 runtime=1 flags=1 size=256 segments=1: h1 flags=2 kind=1\n"
                        "Allocate a2 runtime=2 flags=1 size=256 segments=1: h2 flags=2 kind=1\n"
                        "Allocate a3 runtime=3 flags=1 size=256 segments=1: h3 flags=6 kind=1\n"
                        "Allocate a4 runtime=4 flags=1 size=1280 segments=1: h4 flags=2 kind=2 width=33 "
                        "height=5 format=28 pitch=256\n"
                        "Allocate a5 runtime=5 flags=1 size=1280 segments=1: h5 flags=6 kind=2 width=33 "
                        "height=5 format=28 pitch=256\n"
                        "Allocate a6 runtime=6 flags=1 size=1280 segments=1: h6 flags=2 kind=2 width=33 "
                        "height=5 format=28 pitch=256\n"
                        "Allocate a7 runtime=7 flags=1 resource=1 size=1280 segments=1: h7 kind=2 width=33 "
                        "height=5 format=28 pitch=256\n"
                        "Allocate a8 runtime=8 flags=1 resource=2 size=1280 segments=1: h8 kind=2 width=33 "
                        "height=5 format=40 pitch=256\n"
                        "Allocate a9 runtime=9 flags=5 resource=1 size=1280 info=1 segments=1: h9 kind=2 "
                        "width=33 height=5 format=87 pitch=256\n"
                        "Allocate a10 runtime=10 flags=1 size=2880 segments=1: h10 flags=2 kind=2 width=33 "
                        "height=5 format=28 pitch=256\n"
                        "Allocate a11 runtime=11 flags=3 resource=1 size=1280 segments=1: h11 flags=1 kind=2 "
                        "width=33 height=5 format=28 pitch=256\n"
                        "Deallocate a1 runtime=1 resource\n"
                        "Deallocate a2 runtime=2 resource\n"
                        "Deallocate a3 runtime=3 resource\n"
                        "Deallocate a4 runtime=4 resource\n"
                        "Deallocate a5 runtime=5 resource\n"
                        "Deallocate a6 runtime=6 resource\n"
                        "Deallocate a7 runtime=7 resource\n"
                        "Deallocate a8 runtime=8 resource\n"
                        "Deallocate a9 runtime=9 resource\n"
                        "Deallocate a10 runtime=10 resource\n"
                        "Deallocate a11 runtime=11 resource\n");
}

static D3D10DDI_HRESOURCE make_bound(struct agpu_test *t, uint32_t bind)
{
    const struct agpu_resource_desc desc = agpu_buffer_desc(64, DEFAULT, bind, 0);
    HRESULT hr;
    D3D10DDI_HRESOURCE buffer = agpu_umd_create(t, &desc, &hr);

    agpu_check_hr(t, hr, S_OK);
    return buffer;
}

static void flush(struct agpu_test *t)
{
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
}

/* A destroyed vertex and index buffer must leave its slots, be destroyed on the device and freed after that, and the
 * next draw must not name it. */
static void destroyed_inputs(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    D3D10DDI_HRESOURCE buffer = make_bound(t, D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER);
    const D3D10DDI_HRESOURCE both[2] = {buffer, buffer};
    const uint32_t strides[2] = {16, 16}, offsets[2] = {0, 4};

    agpu_assert(t, buffer.pDrvPrivate != NULL);
    umd->context.pfnIaSetVertexBuffers(umd->device, 1, 2, both, strides, offsets);
    umd->context.pfnIaSetIndexBuffer(umd->device, buffer, DXGI_FORMAT_R16_UINT, 2);
    flush(t);
    agpu_spy_begin(CALLS);
    agpu_umd_destroy(t, buffer);
    flush(t);
    agpu_check_calls(t, "Render\n"
                        "  SET_VERTEX_BUFFERS 1 1 0 0 0 0\n"
                        "  SET_VERTEX_BUFFERS 2 1 0 0 0 0\n"
                        "  SET_INDEX_BUFFER 0 0 0 0\n"
                        "  DESTROY_RESOURCE h1 0\n"
                        "Deallocate a1 runtime=1 resource\n"
                        "Render\n"
                        "  FLUSH 0 0\n");
}

/* A destroyed buffer must leave the constant slots of every stage. */
static void destroyed_constants(struct agpu_test *t)
{
    const struct agpu_api_context *context = &t->env->umd.context;
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    D3D10DDI_HRESOURCE buffer = make_bound(t, D3D10_DDI_BIND_CONSTANT_BUFFER);

    agpu_assert(t, buffer.pDrvPrivate != NULL);
    context->pfnVsSetConstantBuffers(device, 1, 1, &buffer);
    context->pfnPsSetConstantBuffers(device, 2, 1, &buffer);
    context->pfnGsSetConstantBuffers(device, 3, 1, &buffer);
    context->pfnHsSetConstantBuffers(device, 4, 1, &buffer);
    context->pfnDsSetConstantBuffers(device, 5, 1, &buffer);
    context->pfnCsSetConstantBuffers(device, 6, 1, &buffer);
    flush(t);
    agpu_spy_begin(CALLS);
    agpu_umd_destroy(t, buffer);
    flush(t);
    agpu_check_calls(t, "Render\n"
                        "  SET_CONSTANT_BUFFERS 0 1 1 0 0 0 0 0\n"
                        "  SET_CONSTANT_BUFFERS 1 2 1 0 0 0 0 0\n"
                        "  SET_CONSTANT_BUFFERS 3 3 1 0 0 0 0 0\n"
                        "  SET_CONSTANT_BUFFERS 2 4 1 3 0 0 0 0\n"
                        "  SET_CONSTANT_BUFFERS 2 5 1 4 0 0 0 0\n"
                        "  SET_CONSTANT_BUFFERS 2 6 1 0 0 0 0 0\n"
                        "  DESTROY_RESOURCE h1 0\n"
                        "Deallocate a1 runtime=1 resource\n"
                        "Render\n"
                        "  FLUSH 0 0\n");
}

static D3D10DDI_HSHADERRESOURCEVIEW bind_views(struct agpu_test *t, D3D10DDI_HRESOURCE resource)
{
    const struct agpu_api_context *context = &t->env->umd.context;
    const D3D10DDI_HDEVICE device = t->env->umd.device;
    D3D10DDIARG_CREATESHADERRESOURCEVIEW args = {.hDrvResource = resource};
    D3D10DDI_HSHADERRESOURCEVIEW view = agpu_make_srv(t, &args);

    context->pfnVsSetShaderResources(device, 1, 1, &view);
    context->pfnPsSetShaderResources(device, 2, 1, &view);
    context->pfnGsSetShaderResources(device, 3, 1, &view);
    context->pfnHsSetShaderResources(device, 4, 1, &view);
    context->pfnDsSetShaderResources(device, 5, 1, &view);
    context->pfnCsSetShaderResources(device, 6, 1, &view);
    return view;
}

/* A destroyed texture must leave the view slots of every stage. */
static void destroyed_resource_views(struct agpu_test *t)
{
    const struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 4);
    D3D10DDI_HRESOURCE texture;

    agpu_return_unless(agpu_reported_minor(t, 4, "shader resources of every stage (ABI 1.4)"));
    texture = agpu_make_texture(t, &desc, 0);
    agpu_assert(t, texture.pDrvPrivate != NULL);
    bind_views(t, texture);
    flush(t);
    agpu_spy_begin(CALLS);
    agpu_umd_destroy(t, texture);
    flush(t);
    agpu_check_calls(t, "Render\n"
                        "  SET_TEXTURE 0 1 0 0\n"
                        "  SET_TEXTURE 1 2 0 0\n"
                        "  SET_TEXTURE 3 3 0 0\n"
                        "  SET_TEXTURE 2 4 0 3\n"
                        "  SET_TEXTURE 2 5 0 4\n"
                        "  SET_TEXTURE 2 6 0 0\n"
                        "  DESTROY_RESOURCE h1 0\n"
                        "Deallocate a1 runtime=1 resource\n"
                        "Render\n"
                        "  FLUSH 0 0\n");
}

/* A clear through a view that is not bound must bind it for the clear, restore the targets, and then the views of every
 * stage that the clear's target has pushed out. */
static void views_after_clear(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 16, 4);
    D3D10DDI_HRESOURCE texture;
    D3D10DDI_HRENDERTARGETVIEW target;

    agpu_return_unless(agpu_reported_minor(t, 4, "shader resources of every stage (ABI 1.4)"));
    desc.BindFlags |= TARGET;
    texture = agpu_make_texture(t, &desc, 0);
    target = agpu_make_rtv(t, texture);
    agpu_assert(t, target.pDrvPrivate != NULL);
    bind_views(t, texture);
    flush(t);
    agpu_spy_begin(CALLS);
    agpu_clear_view(t, target, 0, 0, 0, 1);
    flush(t);
    agpu_check_calls(t, "Render a1w\n"
                        "  SET_RENDER_TARGETS 1 0 h1 0 0 0 0 0 0 0\n"
                        "  CLEAR 1 0 0 0 0x3f800000 0x3f800000 0\n"
                        "  SET_RENDER_TARGETS 0 0 0 0 0 0 0 0 0 0\n"
                        "  SET_TEXTURE 0 1 h1 0\n"
                        "  SET_TEXTURE 1 2 h1 0\n"
                        "  SET_TEXTURE 3 3 h1 0\n"
                        "  SET_TEXTURE 2 6 h1 0\n"
                        "  SET_TEXTURE 2 4 h1 3\n"
                        "  SET_TEXTURE 2 5 h1 4\n"
                        "  FLUSH 0 0\n");
}

/* A shared surface must be exported exactly once, by the device that creates it: work on it, a second opening and the
 * alias's own life export nothing. */
static void exported_once(struct agpu_test *t)
{
    struct agpu_resource_desc desc = spied_texture(RGBA, DEFAULT, TARGET, 0);
    D3D10DDI_HRESOURCE surface, alias;
    D3D10DDI_HRENDERTARGETVIEW view;
    HRESULT hr;

    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    agpu_spy_begin(CALLS);
    surface = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    view = agpu_make_rtv(t, surface);
    agpu_clear_view(t, view, 0, 0, 0, 1);
    flush(t);
    agpu_peer_swap(t);
    alias = agpu_umd_open_shared(t, agpu_newest_token(t), &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    flush(t);
    agpu_umd_destroy(t, alias);
    agpu_peer_swap(t);
    flush(t);
    agpu_check_calls(t, "Allocate a1 runtime=1 flags=3 resource=1 size=1280 segments=1: h1 flags=1 kind=2 "
                        "width=33 height=5 format=28 pitch=256\n"
                        "Render a1\n"
                        "  CREATE_TEXTURE2D h1 24 3 33 5 1 1 256 h1 0 0 0\n"
                        "  EXPORT_SHARED_SURFACE h1 0 token\n"
                        "Render a1w\n"
                        "  SET_RENDER_TARGETS 1 0 h1 0 0 0 0 0 0 0\n"
                        "  CLEAR 1 0 0 0 0x3f800000 0x3f800000 0\n"
                        "  SET_RENDER_TARGETS 0 0 0 0 0 0 0 0 0 0\n"
                        "  FLUSH 0 0\n"
                        "Render\n"
                        "  IMPORT_SHARED_SURFACE h2 0 token\n"
                        "Render\n"
                        "  FLUSH 0 0\n"
                        "Render\n"
                        "  DESTROY_RESOURCE h2 0\n"
                        "Deallocate a2\n"
                        "Render\n"
                        "  FLUSH 0 0\n");
}

/* Objects that a driver leaves must be reported at the end, each kind with its number. */
static void leaks_reported(struct agpu_test *t)
{
    static const struct agpu_ring_config ring_config;
    const struct agpu_platform *platform = t->env->platform;
    const D3DDDI_DEVICECALLBACKS *callbacks = agpu_runtime_device_callbacks();
    struct agpu_umd_rig *umd = &t->env->umd;
    const struct agpu_umd_environment *environment;
    struct agpu_runtime_config config;
    HANDLE device;
    D3DDDICB_CREATECONTEXT context = {0};
    D3DDDICB_CREATESYNCHRONIZATIONOBJECT fence = {0};
    struct aerogpu_wddm_alloc_priv_v2 blob = {
        .magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
        .version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2,
        .alloc_id = 77,
        .flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_CPU_VISIBLE,
        .size_bytes = 4096,
        .kind = AEROGPU_WDDM_ALLOC_KIND_BUFFER,
    };
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = &blob,
                                  .PrivateDriverDataSize = sizeof blob,
                                  .Size = 4096,
                                  .SupportedReadSegmentSet = 1,
                                  .SupportedWriteSegmentSet = 1};
    D3DDDICB_ALLOCATE allocate = {
        .NumAllocations = 1, .pAllocationInfo = &info, .Flags = {.CreateResource = 1}};
    D3DDDICB_LOCK lock = {.Flags = {.WriteOnly = 1}};
    char buffer[240];
    struct agpu_text why;
    void *blocks[2];

    agpu_require_ok(t, agpu_ring_restart(t->env, &ring_config));
    t->env->transport = agpu_ring_transport(&t->env->ring);
    config = agpu_umd_config(t->env);
    agpu_require_ok(t, agpu_umd_open(umd, &t->env->function, &config));
    environment = agpu_runtime_adapter_callbacks(umd->runtime)->pEnvironment;
    device = agpu_runtime_device_handle(agpu_runtime_device_create(umd->runtime, 3)).handle;
    agpu_assert(t, device != NULL);
    agpu_check_hr(t, callbacks->pfnCreateContextCb(device, &context), S_OK);
    fence.hContext = context.hContext;
    agpu_check_hr(t, callbacks->pfnCreateSynchronizationObjectCb(device, &fence), S_OK);
    agpu_check_hr(t, callbacks->pfnAllocateCb(device, &allocate), S_OK);
    lock.hAllocation = info.hAllocation;
    agpu_check_hr(t, callbacks->pfnLockCb(device, &lock), S_OK);
    blocks[0] = environment->heap_alloc(environment->ctx, 16);
    blocks[1] = environment->heap_alloc(environment->ctx, 16);
    agpu_text_begin(&why, buffer, sizeof buffer);
    agpu_check(t, !agpu_umd_close(umd, &why));
    agpu_check(t, strcmp(buffer,
                         "the driver leaked 1 devices, 1 contexts, 1 synchronisation objects, 1 allocations, "
                         "1 resources, 1 locks, 2 heap blocks") == 0);
    platform->heap_free(platform->ctx, blocks[0]);
    platform->heap_free(platform->ctx, blocks[1]);
}

#define SPY_MEMORY(name, function)                                                                           \
    {                                                                                                        \
        .id = "spy." name, .spec = "umd.md 5.7", .needs = AGPU_NEED_RING,                                    \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = agpu_run_undrawn_case,     \
        .arg = &(const struct agpu_draw_case){(function), 0, agpu_spied_config},                             \
    }
#define SPY_PEER(version) .peer = (version), .act_as_peer = true

static const struct agpu_case umd_spy_memory_cases[] = {
    AGPU_STACK_CASE("spy.allocate.kinds_d3d10", "umd.md 5.4", T, 0, .configure = agpu_spied_config,
                    .body = allocations, SPY_PEER(D3D10_0_DDI_INTERFACE_VERSION)),
    AGPU_STACK_CASE("spy.allocate.kinds_d3d10_1", "umd.md 5.4", T, 0, .configure = agpu_spied_config,
                    .body = allocations, SPY_PEER(D3D10_1_DDI_INTERFACE_VERSION)),
    AGPU_STACK_CASE("spy.allocate.kinds_d3d11", "umd.md 5.4", T, 0, .configure = agpu_spied_config,
                    .body = allocations),
    AGPU_STACK_CASE("spy.shared.exported_once", "umd.md 5.5", T, 0, .configure = agpu_spied_config,
                    .body = exported_once, .peer = D3D11_0_DDI_INTERFACE_VERSION),
    {.id = "umd.leaks.reported", .spec = "vidmm.md 3", .needs = AGPU_NEED_RING, .run = leaks_reported},
    SPY_MEMORY("destroy.inputs", destroyed_inputs),
    SPY_MEMORY("destroy.constants", destroyed_constants),
    SPY_MEMORY("destroy.views", destroyed_resource_views),
    SPY_MEMORY("clear.views_after", views_after_clear),
};

AGPU_CASE_TABLE(agpu_cases_umd_spy_memory, umd_spy_memory_cases);
