/* test_usage.c: the tracked state of the usage rules stays correct whatever the driver returns (umd.md 19). */
#include <string.h>

#include "mm/runtime/usage.h"
#include "mm/runtime/usage_rules.h"
#include "slots_driver.h"
#include "tests/unit/test.h"

#define READ    D3D10_DDI_CPU_ACCESS_READ
#define WRITE   D3D10_DDI_CPU_ACCESS_WRITE
#define VERTEX  D3D10_DDI_BIND_VERTEX_BUFFER
#define INPUTS  (VERTEX | D3D10_DDI_BIND_INDEX_BUFFER | D3D10_DDI_BIND_CONSTANT_BUFFER)
#define DYNAMIC D3D10_DDI_USAGE_DYNAMIC
#define STAGING D3D10_DDI_USAGE_STAGING

static struct {
    struct agpu_api_device funcs;
    struct agpu_api_context context;
    struct agpu_usage *usage;
    struct slot_object dynamic, bad;
    uint32_t calls; /* calls to the driver that use a resource or draw */
} t;

/* ---- the driver ---- */

static HRESULT create_resource(D3D10DDI_HDEVICE device, const struct agpu_resource_desc *desc,
                               D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    (void)device, (void)desc, (void)resource, (void)runtime;
    t.calls++;
    return driver.created;
}

static HRESULT map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource, uint32_t type,
                   uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)device, (void)resource, (void)subresource, (void)type, (void)flags, (void)out;
    t.calls++;
    return S_OK;
}

static void unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource)
{
    (void)device, (void)resource, (void)subresource;
    t.calls++;
}

static void draw(D3D10DDI_HDEVICE device, uint32_t count, uint32_t first)
{
    (void)device, (void)count, (void)first;
    t.calls++;
}

static void dispatch(D3D10DDI_HDEVICE device, uint32_t x, uint32_t y, uint32_t z)
{
    (void)device, (void)x, (void)y, (void)z;
    t.calls++;
}

/* ---- helpers ---- */

static D3D10DDI_HRESOURCE handle(struct slot_object *object)
{
    return (D3D10DDI_HRESOURCE){object};
}

static HRESULT create(struct slot_object *object, uint32_t dimension, uint32_t usage, uint32_t bind,
                      uint32_t cpu)
{
    const struct agpu_resource_desc desc = {.ResourceDimension = dimension,
                                            .Usage = usage,
                                            .BindFlags = bind,
                                            .CPUAccessFlags = cpu,
                                            .ByteWidth = 256,
                                            .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                            .Width = 8,
                                            .Height = 8,
                                            .MipLevels = usage == STAGING ? 2 : 1,
                                            .ArraySize = 1};

    return t.funcs.pfnCreateResource(DEVICE, &desc, handle(object), (D3D10DDI_HRTRESOURCE){NULL});
}

static HRESULT try_map(struct slot_object *object, uint32_t subresource, uint32_t type)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    return t.context.pfnResourceMap(DEVICE, handle(object), subresource, type, 0, &mapped);
}

static void end_map(struct slot_object *object, uint32_t subresource)
{
    t.context.pfnResourceUnmap(DEVICE, handle(object), subresource);
}

/* Checks the number of refused calls since the last check, the rule of the first one, and the number of calls that
 * reached the driver. */
static void expect(uint32_t refused, const char *rule, uint32_t calls)
{
    struct agpu_usage_refusals taken = agpu_usage_take(t.usage);

    assert_int_equal(taken.count, refused);
    if (rule != NULL) {
        assert_non_null(taken.first);
        assert_string_equal(taken.first, rule);
    } else {
        assert_null(taken.first);
    }
    assert_int_equal(t.calls, calls);
    t.calls = 0;
}

static int setup(void **state)
{
    static struct stack s;

    stack_open(&s, NULL);
    memset(&t, 0, sizeof t);
    memset(&driver, 0, sizeof driver);
    driver.stack = &s;
    t.funcs = driver_funcs;
    t.funcs.pfnCreateResource = create_resource;
    t.context = driver_context;
    t.context.pfnResourceMap = map;
    t.context.pfnResourceUnmap = unmap;
    t.context.pfnDraw = draw;
    t.context.pfnDispatch = dispatch;
    t.usage = agpu_usage_begin(s.device, DEVICE, &t.funcs, &t.context);
    assert_non_null(t.usage);
    assert_int_equal(create(&t.dynamic, D3D10DDIRESOURCE_BUFFER, DYNAMIC, INPUTS, WRITE), S_OK);
    expect(0, NULL, 1);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    agpu_usage_end(t.usage);
    stack_close(*state);
    return 0;
}

/* ---- tests ---- */

FIXTURE(setup, teardown);

TEST(entries_that_are_not_there_stay_so)
{
    assert_null(t.context.pfnDrawAuto);
    assert_null(t.context.pfnSoSetTargets);
    assert_null(t.context.pfnStagingResourceMap);
    assert_null(t.context.pfnResourceResolveSubresource);
    assert_ptr_equal(agpu_usage_driver_context(t.usage)->pfnDraw, draw);
    assert_ptr_equal(agpu_usage_driver_funcs(t.usage)->pfnCreateResource, create_resource);
    assert_ptr_not_equal(t.context.pfnDraw, draw);
}

/* ---- draws ---- */

static void in_vertices(bool on)
{
    const D3D10DDI_HRESOURCE buffer = {on ? &t.dynamic : NULL};
    const uint32_t stride = 16, offset = 0;

    t.context.pfnIaSetVertexBuffers(DEVICE, AGPU_DDI_VERTEX_BUFFER_SLOTS - 1, on, &buffer, &stride, &offset);
}

static void in_index(bool on)
{
    t.context.pfnIaSetIndexBuffer(DEVICE, handle(on ? &t.dynamic : NULL), DXGI_FORMAT_R16_UINT, 0);
}

static void in_constants(bool on)
{
    const D3D10DDI_HRESOURCE buffer = {on ? &t.dynamic : NULL};

    t.context.pfnDsSetConstantBuffers(DEVICE, AGPU_DDI_CONSTANT_BUFFER_SLOTS - 1, 1, &buffer);
}

static void in_compute(bool on)
{
    const D3D10DDI_HRESOURCE buffer = {on ? &t.dynamic : NULL};

    t.context.pfnCsSetConstantBuffers(DEVICE, 0, 1, on ? &buffer : NULL);
}

/* A destroyed resource is neither mapped nor bound. */
TEST(destroyed_while_mapped)
{
    static void (*const bind[])(bool on) = {in_vertices, in_index, in_constants, in_compute};

    for (size_t i = 0; i < sizeof bind / sizeof bind[0]; i++) {
        bind[i](true);
        assert_int_equal(try_map(&t.dynamic, 0, D3D10_DDI_MAP_WRITE_DISCARD), S_OK);
        t.funcs.pfnDestroyResource(DEVICE, handle(&t.dynamic));
        t.context.pfnDraw(DEVICE, 3, 0);
        t.context.pfnDispatch(DEVICE, 1, 1, 1);
        expect(0, NULL, 3);
        assert_int_equal(create(&t.dynamic, D3D10DDIRESOURCE_BUFFER, DYNAMIC, INPUTS, WRITE), S_OK);
        assert_int_equal(try_map(&t.dynamic, 0, D3D10_DDI_MAP_WRITE_DISCARD), S_OK);
        t.context.pfnDraw(DEVICE, 3, 0); /* another resource, not bound */
        t.context.pfnDispatch(DEVICE, 1, 1, 1);
        end_map(&t.dynamic, 0);
        expect(0, NULL, 5);
    }
}

/* Failed creations are not tracked. Without memory they do not reach the driver. */
TEST(failing_creation)
{
    struct stack *s = *state;

    driver.created = E_FAIL;
    assert_int_equal(create(&t.bad, D3D10DDIRESOURCE_BUFFER, STAGING, 0, READ), E_FAIL);
    assert_int_equal(try_map(&t.bad, 0, D3D10_DDI_MAP_WRITE), S_OK); /* left to the driver */
    expect(0, NULL, 2);
    driver.created = S_OK;
    s->machine.fail_at = s->machine.calls + 1;
    assert_int_equal(create(&t.bad, D3D10DDIRESOURCE_BUFFER, STAGING, 0, READ), E_OUTOFMEMORY);
    s->machine.fail_at = s->machine.calls + 1;
    assert_int_equal(create(&t.bad, D3D10DDIRESOURCE_BUFFER, STAGING, VERTEX, READ), E_OUTOFMEMORY);
    s->machine.fail_at = 0;
    expect(1, AGPU_RULE_STAGING_BIND, 0);
}

/* The smallest mips have an edge of 1, whatever the number of mips. */
TEST(smallest_mips)
{
    static const D3D10_DDI_BOX texel = {0, 0, 0, 1, 1, 1}, two = {0, 0, 0, 1, 2, 1};
    const struct agpu_usage_resource chain = {
        .dimension = D3D10DDIRESOURCE_TEXTURE2D, .width = 16, .height = 2, .mips = 40, .layers = 1};

    for (uint32_t mip = 4; mip < 40; mip++) {
        assert_null(agpu_rule_update(&chain, mip, &texel));
        assert_string_equal(agpu_rule_update(&chain, mip, &two), AGPU_RULE_UPDATE_BOX);
    }
}
