/* test_usage_entries.c: each function with a usage rule is checked by its own rule, and an allowed call reaches the
 * driver's function of the same name (umd.md 19). */
#include <string.h>

#include "mm/runtime/usage.h"
#include "slots_driver.h"
#include "tests/unit/test.h"

static struct {
    struct agpu_api_device funcs;
    struct agpu_api_context context;
    struct agpu_usage *usage;
    struct slot_object staging, constants, vertices, image, target, depth, random, fixed, rtv, dsv, srv, uav;
    const char *called; /* function of the driver */
} e;

static HRESULT create_anything(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATERESOURCE *desc,
                               D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    (void)device, (void)desc, (void)resource, (void)runtime;
    return S_OK;
}

/* X(function) for the functions of each signature. */
#define EACH_MAP(X)                                                                                          \
    X(ResourceMap)                                                                                           \
    X(DynamicIABufferMapDiscard)                                                                             \
    X(DynamicIABufferMapNoOverwrite)                                                                         \
    X(DynamicConstantBufferMapDiscard)                                                                       \
    X(DynamicConstantBufferMapNoOverwrite) X(DynamicResourceMapDiscard) X(StagingResourceMap)
#define EACH_UNMAP(X)                                                                                        \
    X(ResourceUnmap)                                                                                         \
    X(DynamicIABufferUnmap)                                                                                  \
    X(DynamicConstantBufferUnmap) X(DynamicResourceUnmap) X(StagingResourceUnmap)
#define EACH_UPDATE(X) X(ResourceUpdateSubresourceUP) X(DefaultConstantBufferUpdateSubresourceUP)

#define DRIVER_MAP(entry)                                                                                    \
    static HRESULT driver_##entry(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource,                      \
                                  uint32_t subresource, uint32_t type, uint32_t flags,                       \
                                  D3D10DDI_MAPPED_SUBRESOURCE *out)                                          \
    {                                                                                                        \
        (void)device, (void)resource, (void)subresource, (void)type, (void)flags, (void)out;                 \
        e.called = #entry;                                                                                   \
        return S_OK;                                                                                         \
    }
#define DRIVER_UNMAP(entry)                                                                                  \
    static void driver_##entry(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource)   \
    {                                                                                                        \
        (void)device, (void)resource, (void)subresource;                                                     \
        e.called = #entry;                                                                                   \
    }
#define DRIVER_UPDATE(entry)                                                                                 \
    static void driver_##entry(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,   \
                               const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,               \
                               uint32_t depth_pitch)                                                         \
    {                                                                                                        \
        (void)device, (void)resource, (void)subresource, (void)box, (void)data, (void)row_pitch;             \
        (void)depth_pitch;                                                                                   \
        e.called = #entry;                                                                                   \
    }
EACH_MAP(DRIVER_MAP)
EACH_UNMAP(DRIVER_UNMAP)
EACH_UPDATE(DRIVER_UPDATE)

static void driver_resolve(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                           D3D10DDI_HRESOURCE src, uint32_t src_subresource, uint32_t format)
{
    (void)device;
    assert_ptr_equal(dst.pDrvPrivate, &e.target);
    assert_ptr_equal(src.pDrvPrivate, &e.image);
    assert_int_equal(dst_subresource, 1);
    assert_int_equal(src_subresource, 2);
    assert_int_equal(format, DXGI_FORMAT_R8G8B8A8_UNORM);
    e.called = "Resolve";
}

static void driver_so_targets(D3D10DDI_HDEVICE device, uint32_t count, uint32_t clear_targets,
                              const D3D10DDI_HRESOURCE *buffers, const uint32_t *offsets)
{
    (void)device, (void)clear_targets, (void)buffers, (void)offsets, (void)count;
    e.called = "SoSetTargets";
}

static D3D10DDI_HRESOURCE of(struct slot_object *object)
{
    return (D3D10DDI_HRESOURCE){object};
}

static void create(struct slot_object *object, uint32_t dimension, uint32_t usage, uint32_t bind,
                   uint32_t cpu)
{
    static const uint32_t texels[64];
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = texels, .SysMemPitch = 32};
    const D3D10DDIARG_CREATERESOURCE desc = {.ResourceDimension = dimension,
                                             .Usage = usage,
                                             .BindFlags = bind,
                                             .CPUAccessFlags = cpu,
                                             .ByteWidth = 256,
                                             .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                             .Width = 8,
                                             .Height = 8,
                                             .MipLevels = 1,
                                             .ArraySize = 1,
                                             .pInitialDataUP = &data,
                                             .InitialDataCount = usage == D3D10_DDI_USAGE_IMMUTABLE};

    assert_int_equal(e.funcs.pfnCreateResource(DEVICE, &desc, of(object), (D3D10DDI_HRTRESOURCE){NULL}),
                     S_OK);
}

static int setup(void **state)
{
    enum { BUFFER = D3D10DDIRESOURCE_BUFFER, TEXTURE = D3D10DDIRESOURCE_TEXTURE2D };
    static struct stack s;

    stack_open(&s, NULL);
    memset(&e, 0, sizeof e);
    memset(&driver, 0, sizeof driver);
    driver.stack = &s;
    e.funcs = driver_funcs;
    e.funcs.pfnCreateResource = create_anything;
    e.context = driver_context;
#define PUT(entry) e.context.pfn##entry = driver_##entry;
    EACH_MAP(PUT)
    EACH_UNMAP(PUT)
    EACH_UPDATE(PUT)
    e.context.pfnResourceResolveSubresource = driver_resolve;
    e.context.pfnSoSetTargets = driver_so_targets;
    e.usage = agpu_usage_begin(s.device, DEVICE, &e.funcs, &e.context);
    assert_non_null(e.usage);
    create(&e.staging, TEXTURE, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    create(&e.constants, BUFFER, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_CONSTANT_BUFFER,
           D3D10_DDI_CPU_ACCESS_WRITE);
    create(&e.vertices, BUFFER, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER,
           D3D10_DDI_CPU_ACCESS_WRITE);
    create(&e.image, TEXTURE, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_SHADER_RESOURCE,
           D3D10_DDI_CPU_ACCESS_WRITE);
    create(&e.target, TEXTURE, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_RENDER_TARGET, 0);
    create(&e.depth, TEXTURE, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_DEPTH_STENCIL, 0);
    create(&e.random, BUFFER, D3D10_DDI_USAGE_DEFAULT,
           D3D11_DDI_BIND_UNORDERED_ACCESS | D3D10_DDI_BIND_STREAM_OUTPUT, 0);
    create(&e.fixed, TEXTURE, D3D10_DDI_USAGE_IMMUTABLE, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
#define MAKE(name, api, args_type, handle_type, runtime_type)                                                \
    assert_int_equal(e.funcs.pfnCreate##api(DEVICE, &(const args_type){.hDrvResource = of(e.name.of)},       \
                                            (handle_type){&e.name}, (runtime_type){NULL}),                   \
                     S_OK);
    e.rtv.of = &e.target, e.dsv.of = &e.depth, e.srv.of = &e.image, e.uav.of = &e.random;
    EACH_VIEW(MAKE)
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    agpu_usage_end(e.usage);
    stack_close(*state);
    return 0;
}

/* Checks that the last call broke this rule and did not reach the driver; or, without a rule, that it reached this
 * function. */
static void expect(const char *rule, const char *called)
{
    const struct agpu_usage_refusals taken = agpu_usage_take(e.usage);

    assert_int_equal(taken.count, rule != NULL);
    if (rule != NULL) {
        assert_string_equal(taken.first, rule);
        assert_null(e.called);
    } else {
        assert_non_null(e.called);
        assert_string_equal(e.called, called);
    }
    e.called = NULL;
}

FIXTURE(setup, teardown);

TEST(maps)
{
    D3D10DDI_MAPPED_SUBRESOURCE out;
    const uint32_t read = D3D10_DDI_MAP_READ;

#define MAP_AND_UNMAP(map, unmap, object, bad, rule)                                                         \
    assert_int_equal(e.context.pfn##map(DEVICE, of(bad), 0, read, 0, &out), E_INVALIDARG);                   \
    expect(rule, NULL);                                                                                      \
    e.context.pfn##unmap(DEVICE, of(object), 0);                                                             \
    expect(AGPU_RULE_UNMAP, NULL);                                                                           \
    assert_int_equal(e.context.pfn##map(DEVICE, of(object), 0, read, 0, &out), S_OK);                        \
    expect(NULL, #map);                                                                                      \
    assert_int_equal(e.context.pfn##map(DEVICE, of(object), 0, read, 0, &out), E_INVALIDARG);                \
    expect(AGPU_RULE_MAP_NESTED, NULL);                                                                      \
    e.context.pfn##unmap(DEVICE, of(object), 0);                                                             \
    expect(NULL, #unmap)
    MAP_AND_UNMAP(ResourceMap, ResourceUnmap, &e.staging, &e.target, AGPU_RULE_MAP_USAGE);
    MAP_AND_UNMAP(DynamicIABufferMapDiscard, DynamicIABufferUnmap, &e.vertices, &e.staging,
                  AGPU_RULE_MAP_STAGING);
    MAP_AND_UNMAP(DynamicIABufferMapNoOverwrite, DynamicIABufferUnmap, &e.vertices, &e.constants,
                  AGPU_RULE_MAP_NO_OVERWRITE);
    MAP_AND_UNMAP(DynamicConstantBufferMapDiscard, DynamicConstantBufferUnmap, &e.constants, &e.staging,
                  AGPU_RULE_MAP_STAGING);
    MAP_AND_UNMAP(DynamicConstantBufferMapNoOverwrite, DynamicConstantBufferUnmap, &e.vertices, &e.constants,
                  AGPU_RULE_MAP_NO_OVERWRITE);
    MAP_AND_UNMAP(DynamicResourceMapDiscard, DynamicResourceUnmap, &e.image, &e.staging,
                  AGPU_RULE_MAP_STAGING);
    MAP_AND_UNMAP(StagingResourceMap, StagingResourceUnmap, &e.staging, &e.image, AGPU_RULE_MAP_DYNAMIC);
}

TEST(updates_and_resolves)
{
    static const uint32_t data[64];
    const uint32_t format = DXGI_FORMAT_R8G8B8A8_UNORM;
    D3D10DDI_MAPPED_SUBRESOURCE out;

#define UPDATES(entry)                                                                                       \
    e.context.pfn##entry(DEVICE, of(&e.fixed), 0, NULL, data, 32, 0);                                        \
    assert_null(e.called);                                                                                   \
    assert_int_equal(agpu_usage_take(e.usage).count, 1);                                                     \
    e.context.pfn##entry(DEVICE, of(&e.target), 0, NULL, data, 32, 0);                                       \
    expect(NULL, #entry);
    EACH_UPDATE(UPDATES)
    e.context.pfnResourceResolveSubresource(DEVICE, of(&e.target), 1, of(&e.image), 2, format);
    expect(NULL, "Resolve");
    e.context.pfnResourceResolveSubresource(DEVICE, of(&e.fixed), 1, of(&e.target), 2, format);
    expect(AGPU_RULE_COPY_IMMUTABLE, NULL);
    e.context.pfnResourceResolveSubresource(DEVICE, of(&e.image), 1, of(&e.target), 2, format);
    expect(AGPU_RULE_COPY_DYNAMIC, NULL);
    assert_int_equal(e.context.pfnDynamicResourceMapDiscard(DEVICE, of(&e.image), 0, 4, 0, &out), S_OK);
    e.called = NULL;
    e.context.pfnResourceResolveSubresource(DEVICE, of(&e.target), 1, of(&e.image), 2, format);
    expect(AGPU_RULE_COPY_MAPPED, NULL);
    e.context.pfnResourceResolveSubresource(DEVICE, of(&e.image), 1, of(&e.target), 2, format);
    expect(AGPU_RULE_COPY_MAPPED, NULL);
    e.context.pfnDynamicResourceUnmap(DEVICE, of(&e.image), 0);
}

TEST(outputs)
{
    const D3D10DDI_HRENDERTARGETVIEW good = {&e.rtv}, none = {NULL}, wrong = {&e.srv};
    const D3D10DDI_HDEPTHSTENCILVIEW depth = {&e.dsv}, no_depth = {NULL}, wrong_depth = {&e.rtv};
    const D3D11DDI_HUNORDEREDACCESSVIEW uav = {&e.uav}, wrong_uav = {&e.rtv};
    const D3D10DDI_HRESOURCE so = of(&e.random), wrong_so = of(&e.vertices);
    const uint32_t zero = 0;
    const struct {
        const D3D10DDI_HRENDERTARGETVIEW *view;
        D3D10DDI_HDEPTHSTENCILVIEW depth;
        const D3D11DDI_HUNORDEREDACCESSVIEW *uav;
        bool allowed;
    } rows[] = {{&good, depth, NULL, true},   {&none, no_depth, NULL, true},
                {&wrong, depth, NULL, false}, {&good, wrong_depth, NULL, false},
                {&good, depth, &uav, true},   {&good, depth, &wrong_uav, false}};

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {

        memset(&driver.slots, 0, sizeof driver.slots);
        e.context.pfnSetRenderTargetsAndUnorderedAccessViews(DEVICE, rows[i].view, 1, rows[i].depth,
                                                             rows[i].uav, &zero, 1, rows[i].uav != NULL);
        assert_int_equal(agpu_usage_take(e.usage).count, !rows[i].allowed);
        assert_int_equal(driver.slots.target_count, rows[i].allowed);
        assert_ptr_equal(driver.slots.depth_view, rows[i].allowed ? rows[i].depth.pDrvPrivate : NULL);
    }
    e.context.pfnSoSetTargets(DEVICE, 1, 0, &so, &zero);
    expect(NULL, "SoSetTargets");
    e.context.pfnSoSetTargets(DEVICE, 1, 0, &wrong_so, &zero);
    expect(AGPU_RULE_BIND_FLAGS, NULL);
}
