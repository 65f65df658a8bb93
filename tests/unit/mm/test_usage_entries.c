/* test_usage_entries.c: an update or a resolve is checked by its own rule, and an allowed call reaches the driver's
 * function of the same name (umd.md 19). */
#include <string.h>

#include "mm/runtime/usage.h"
#include "slots_driver.h"
#include "tests/unit/test.h"

static struct {
    struct agpu_api_device funcs;
    struct agpu_api_context context;
    struct agpu_usage *usage;
    struct slot_object image, target, fixed;
    const char *called; /* function of the driver */
} e;

static HRESULT create_anything(D3D10DDI_HDEVICE device, const struct agpu_resource_desc *desc,
                               D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    (void)device, (void)desc, (void)resource, (void)runtime;
    return S_OK;
}

/* X(function) for the functions of one signature. */
#define EACH_UPDATE(X) X(ResourceUpdateSubresourceUP) X(DefaultConstantBufferUpdateSubresourceUP)

#define DRIVER_UPDATE(entry)                                                                                 \
    static void driver_##entry(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,   \
                               const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch,               \
                               uint32_t depth_pitch)                                                         \
    {                                                                                                        \
        (void)device, (void)resource, (void)subresource, (void)box, (void)data, (void)row_pitch;             \
        (void)depth_pitch;                                                                                   \
        e.called = #entry;                                                                                   \
    }
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

static HRESULT driver_discard(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                              uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)device, (void)resource, (void)subresource, (void)type, (void)flags, (void)out;
    return S_OK;
}

static void driver_unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource)
{
    (void)device, (void)resource, (void)subresource;
}

static D3D10DDI_HRESOURCE of(struct slot_object *object)
{
    return (D3D10DDI_HRESOURCE){object};
}

static void create(struct slot_object *object, uint32_t usage, uint32_t bind, uint32_t cpu)
{
    static const uint32_t texels[64];
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = texels, .SysMemPitch = 32};
    const struct agpu_resource_desc desc = {.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D,
                                            .Usage = usage,
                                            .BindFlags = bind,
                                            .CPUAccessFlags = cpu,
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
    static struct stack s;

    stack_open(&s, NULL);
    memset(&e, 0, sizeof e);
    memset(&driver, 0, sizeof driver);
    driver.stack = &s;
    e.funcs = driver_funcs;
    e.funcs.pfnCreateResource = create_anything;
    e.context = driver_context;
#define PUT(entry) e.context.pfn##entry = driver_##entry;
    EACH_UPDATE(PUT)
    e.context.pfnResourceResolveSubresource = driver_resolve;
    e.context.pfnDynamicResourceMapDiscard = driver_discard;
    e.context.pfnDynamicResourceUnmap = driver_unmap;
    e.usage = agpu_usage_begin(s.device, DEVICE, &e.funcs, &e.context);
    assert_non_null(e.usage);
    create(&e.image, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_SHADER_RESOURCE, D3D10_DDI_CPU_ACCESS_WRITE);
    create(&e.target, D3D10_DDI_USAGE_DEFAULT, D3D10_DDI_BIND_RENDER_TARGET, 0);
    create(&e.fixed, D3D10_DDI_USAGE_IMMUTABLE, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
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
    e.context.pfnResourceResolveSubresource(DEVICE, of(&e.target), 1, of(&e.image), 2, format);
    expect(AGPU_RULE_COPY_MAPPED, NULL);
    e.context.pfnResourceResolveSubresource(DEVICE, of(&e.image), 1, of(&e.target), 2, format);
    expect(AGPU_RULE_COPY_MAPPED, NULL);
    e.context.pfnDynamicResourceUnmap(DEVICE, of(&e.image), 0);
}
