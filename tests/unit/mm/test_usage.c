/* test_usage.c: the usage rules in front of a driver (umd.md 19). Refused calls do not reach the driver, allowed ones
 * reach it unchanged, and the tracked state stays correct whatever the driver returns. */
#include <string.h>

#include "mm/runtime/usage.h"
#include "slots_driver.h"
#include "tests/unit/test.h"

#define READ    D3D10_DDI_CPU_ACCESS_READ
#define WRITE   D3D10_DDI_CPU_ACCESS_WRITE
#define VERTEX  D3D10_DDI_BIND_VERTEX_BUFFER
#define INPUTS  (VERTEX | D3D10_DDI_BIND_INDEX_BUFFER | D3D10_DDI_BIND_CONSTANT_BUFFER)
#define DEFAULT D3D10_DDI_USAGE_DEFAULT
#define DYNAMIC D3D10_DDI_USAGE_DYNAMIC
#define STAGING D3D10_DDI_USAGE_STAGING

static struct {
    struct agpu_api_device funcs;
    struct agpu_api_context context;
    struct agpu_usage *usage;
    struct stack *stack;
    struct slot_object staging, dynamic, plain, image, bad, view;
    uint32_t calls; /* calls to the driver that use a resource or draw */
    HRESULT map_answer;
    uint32_t map_type;
} t;

/* ---- the driver ---- */

static HRESULT create_resource(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATERESOURCE *desc,
                               D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    (void)device, (void)desc, (void)resource, (void)runtime;
    t.calls++;
    return driver.created;
}

static HRESULT open_resource(D3D10DDI_HDEVICE device, const D3D10DDIARG_OPENRESOURCE *args,
                             D3D10DDI_HRESOURCE resource, D3D10DDI_HRTRESOURCE runtime)
{
    (void)device, (void)args, (void)resource, (void)runtime;
    t.calls++;
    return driver.created;
}

static HRESULT map(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource, uint32_t type,
                   uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    (void)device, (void)resource, (void)subresource, (void)flags, (void)out;
    t.calls++;
    t.map_type = type;
    return t.map_answer;
}

static void unmap(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource)
{
    (void)device, (void)resource, (void)subresource;
    t.calls++;
}

static void copy(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src)
{
    (void)device, (void)dst, (void)src;
    t.calls++;
}

static HRESULT copy_region(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                           uint32_t x, uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src,
                           uint32_t src_subresource, const D3D10_DDI_BOX *box)
{
    (void)device, (void)dst, (void)dst_subresource, (void)x, (void)y, (void)z, (void)src,
        (void)src_subresource;
    (void)box;
    t.calls++;
    return S_OK;
}

static void update(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                   const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch, uint32_t depth_pitch)
{
    (void)device, (void)resource, (void)subresource, (void)box, (void)data, (void)row_pitch,
        (void)depth_pitch;
    t.calls++;
}

static HRESULT blt(D3D10DDI_HDEVICE device, const DXGI_DDI_ARG_BLT *args)
{
    (void)device, (void)args;
    t.calls++;
    return S_OK;
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

static void execute(D3D10DDI_HDEVICE device, D3D11DDI_HCOMMANDLIST list)
{
    (void)device, (void)list;
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
    const D3D10DDIARG_CREATERESOURCE desc = {.ResourceDimension = dimension,
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

static void begin(D3D10DDI_HDEVICE device)
{
    t.funcs = driver_funcs;
    t.funcs.pfnCreateResource = create_resource;
    t.funcs.pfnOpenResource = open_resource;
    t.funcs.pfnBlt = blt;
    t.context = driver_context;
    t.context.pfnResourceMap = t.context.pfnDynamicConstantBufferMapDiscard = map;
    t.context.pfnResourceUnmap = t.context.pfnStagingResourceUnmap = unmap;
    t.context.pfnResourceCopy = copy;
    t.context.pfnResourceCopyRegion = copy_region;
    t.context.pfnResourceUpdateSubresourceUP = update;
    t.context.pfnDraw = draw;
    t.context.pfnDispatch = dispatch;
    t.context.pfnCommandListExecute = execute;
    t.usage = agpu_usage_begin(t.stack->device, device, &t.funcs, &t.context);
}

static int setup(void **state)
{
    static struct stack s;

    stack_open(&s, NULL);
    memset(&t, 0, sizeof t);
    memset(&driver, 0, sizeof driver);
    driver.stack = t.stack = &s;
    begin(DEVICE);
    assert_non_null(t.usage);
    assert_int_equal(create(&t.staging, D3D10DDIRESOURCE_TEXTURE2D, STAGING, 0, READ | WRITE), S_OK);
    assert_int_equal(create(&t.dynamic, D3D10DDIRESOURCE_BUFFER, DYNAMIC, INPUTS, WRITE), S_OK);
    assert_int_equal(create(&t.plain, D3D10DDIRESOURCE_BUFFER, DEFAULT, INPUTS, 0), S_OK);
    assert_int_equal(
        create(&t.image, D3D10DDIRESOURCE_TEXTURE2D, DYNAMIC, D3D10_DDI_BIND_SHADER_RESOURCE, WRITE), S_OK);
    t.view.of = &t.image;
    assert_int_equal(t.funcs.pfnCreateShaderResourceView(
                         DEVICE, &(const D3D10DDIARG_CREATESHADERRESOURCEVIEW){.hDrvResource = {&t.image}},
                         (D3D10DDI_HSHADERRESOURCEVIEW){&t.view}, (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}),
                     S_OK);
    expect(0, NULL, 4);
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

/* A refused creation does not reach the driver, nor does any use or the destruction of the object. */
TEST(what_was_refused_is_used_nowhere)
{
    const uint32_t stride = 16, offset = 0;
    const D3D10DDI_HRESOURCE bad = handle(&t.bad);

    assert_int_equal(create(&t.bad, D3D10DDIRESOURCE_BUFFER, DEFAULT, VERTEX, WRITE), E_INVALIDARG);
    expect(1, AGPU_RULE_DEFAULT_CPU, 0);
    assert_int_equal(try_map(&t.bad, 0, D3D10_DDI_MAP_READ), E_INVALIDARG);
    t.context.pfnIaSetVertexBuffers(DEVICE, 0, 1, &bad, &stride, &offset);
    t.context.pfnResourceCopy(DEVICE, bad, handle(&t.plain));
    t.context.pfnResourceCopy(DEVICE, handle(&t.plain), bad);
    t.context.pfnResourceUpdateSubresourceUP(DEVICE, bad, 0, NULL, &stride, 0, 0);
    assert_int_equal(t.context.pfnResourceCopyRegion(DEVICE, bad, 0, 0, 0, 0, handle(&t.plain), 0, NULL),
                     E_INVALIDARG);
    assert_int_equal(t.funcs.pfnCreateShaderResourceView(
                         DEVICE, &(const D3D10DDIARG_CREATESHADERRESOURCEVIEW){.hDrvResource = bad},
                         (D3D10DDI_HSHADERRESOURCEVIEW){&driver}, (D3D10DDI_HRTSHADERRESOURCEVIEW){NULL}),
                     E_INVALIDARG);
    expect(7, AGPU_RULE_CREATED, 0);
    assert_null(driver.slots.vertices[0]);
    t.funcs.pfnDestroyResource(DEVICE, bad);
    assert_false(t.bad.dead);
    /* The same memory is used for another object. */
    assert_int_equal(create(&t.bad, D3D10DDIRESOURCE_BUFFER, DEFAULT, VERTEX, 0), S_OK);
    t.context.pfnIaSetVertexBuffers(DEVICE, 0, 1, &bad, &stride, &offset);
    expect(0, NULL, 1);
    assert_ptr_equal(driver.slots.vertices[0], &t.bad);
    t.funcs.pfnDestroyResource(DEVICE, bad);
    assert_true(t.bad.dead);
}

TEST(one_mapping_at_a_time)
{
    end_map(&t.staging, 0);
    expect(1, AGPU_RULE_UNMAP, 0);
    assert_int_equal(try_map(&t.staging, 1, D3D10_DDI_MAP_READ), S_OK);
    assert_int_equal(try_map(&t.staging, 1, D3D10_DDI_MAP_READ), E_INVALIDARG);
    assert_int_equal(try_map(&t.staging, 0, D3D10_DDI_MAP_READ), E_INVALIDARG);
    expect(2, AGPU_RULE_MAP_NESTED, 1);
    end_map(&t.staging, 0); /* of another object: ends nothing */
    expect(1, AGPU_RULE_UNMAP, 0);
    end_map(&t.staging, 1);
    end_map(&t.staging, 1);
    expect(1, AGPU_RULE_UNMAP, 1);
    assert_int_equal(try_map(&t.staging, 0, D3D10_DDI_MAP_WRITE), S_OK);
    end_map(&t.staging, 0);
    expect(0, NULL, 2);
}

/* A resource that the driver failed to map is not mapped. */
TEST(a_map_that_fails)
{
    t.map_answer = DXGI_ERROR_WAS_STILL_DRAWING;
    assert_int_equal(try_map(&t.staging, 0, D3D10_DDI_MAP_READ), DXGI_ERROR_WAS_STILL_DRAWING);
    end_map(&t.staging, 0);
    expect(1, AGPU_RULE_UNMAP, 1);
    t.map_answer = S_OK;
    assert_int_equal(try_map(&t.staging, 0, D3D10_DDI_MAP_READ), S_OK);
    end_map(&t.staging, 0);
    expect(0, NULL, 2);
}

/* A function for one resource type is checked by that type, and passes on its arguments. */
TEST(entries_with_a_type_of_their_own)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    assert_int_equal(t.context.pfnDynamicConstantBufferMapDiscard(DEVICE, handle(&t.dynamic), 0,
                                                                  D3D10_DDI_MAP_READ, 0, &mapped),
                     S_OK);
    end_map(&t.dynamic, 0);
    assert_int_equal(t.context.pfnDynamicConstantBufferMapDiscard(DEVICE, handle(&t.staging), 0,
                                                                  D3D10_DDI_MAP_READ, 0, &mapped),
                     E_INVALIDARG);
    expect(1, AGPU_RULE_MAP_STAGING, 2);
}

TEST(mapped_is_neither_copied_nor_updated)
{
    const DXGI_DDI_ARG_BLT from = {.hDstResource = {&t.plain}, .hSrcResource = {&t.dynamic}};

    assert_int_equal(try_map(&t.dynamic, 0, D3D10_DDI_MAP_WRITE_DISCARD), S_OK);
    t.context.pfnResourceCopy(DEVICE, handle(&t.plain), handle(&t.dynamic));
    assert_int_equal(
        t.context.pfnResourceCopyRegion(DEVICE, handle(&t.plain), 0, 0, 0, 0, handle(&t.dynamic), 0, NULL),
        E_INVALIDARG);
    t.context.pfnResourceUpdateSubresourceUP(DEVICE, handle(&t.dynamic), 0, NULL, &t, 0, 0);
    assert_int_equal(t.funcs.pfnBlt(DEVICE, &from), E_INVALIDARG);
    expect(4, AGPU_RULE_COPY_MAPPED, 1);
    end_map(&t.dynamic, 0);
    t.context.pfnResourceCopy(DEVICE, handle(&t.plain), handle(&t.dynamic));
    assert_int_equal(t.funcs.pfnBlt(DEVICE, &from), S_OK);
    expect(0, NULL, 3);
    t.context.pfnResourceCopy(DEVICE, handle(&t.plain), handle(&t.plain));
    expect(1, AGPU_RULE_COPY_ITSELF, 0);
    t.context.pfnResourceCopy(DEVICE, handle(&t.dynamic), handle(&t.plain));
    expect(1, AGPU_RULE_COPY_DYNAMIC, 0);
    assert_int_equal(t.funcs.pfnBlt(DEVICE, NULL), S_OK); /* left to the driver */
    expect(0, NULL, 1);
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

static void in_views(bool on)
{
    const D3D10DDI_HSHADERRESOURCEVIEW view = {&t.view};

    t.context.pfnVsSetShaderResources(DEVICE, AGPU_DDI_SHADER_RESOURCE_SLOTS - 1, 1, on ? &view : NULL);
}

static void in_compute(bool on)
{
    const D3D10DDI_HRESOURCE buffer = {on ? &t.dynamic : NULL};

    t.context.pfnCsSetConstantBuffers(DEVICE, 0, 1, on ? &buffer : NULL);
}

TEST(work_reads_nothing_that_is_mapped)
{
    static const struct {
        void (*bind)(bool on);
        bool compute, image;
    } rows[] = {{in_vertices, false, false},
                {in_index, false, false},
                {in_constants, false, false},
                {in_views, false, true},
                {in_compute, true, false}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct slot_object *mapped = rows[i].image ? &t.image : &t.dynamic;
        struct slot_object *other = rows[i].image ? &t.dynamic : &t.image;

        for (uint32_t way = 0; way < 4; way++) {
            rows[i].bind(true);
            assert_int_equal(try_map(other, 0, D3D10_DDI_MAP_WRITE_DISCARD), S_OK); /* not bound */
            t.context.pfnDraw(DEVICE, 3, 0);
            end_map(other, 0);
            expect(0, NULL, 3);
            assert_int_equal(try_map(mapped, 0, D3D10_DDI_MAP_WRITE_DISCARD), S_OK);
            t.context.pfnDraw(DEVICE, 3, 0);
            t.context.pfnDispatch(DEVICE, 1, 1, 1);
            expect(1, AGPU_RULE_DRAW_MAPPED, 2); /* the other kind of work does not read it */
            if (way == 0) {
                rows[i].bind(false);
            } else if (way == 1) {
                t.context.pfnClearState(DEVICE);
            } else if (way == 2) {
                t.context.pfnCommandListExecute(DEVICE, (D3D11DDI_HCOMMANDLIST){NULL});
                t.calls--;
            } else {
                agpu_usage_forget_bound(t.usage);
            }
            t.context.pfnDraw(DEVICE, 3, 0);
            t.context.pfnDispatch(DEVICE, 1, 1, 1);
            expect(0, NULL, 2);
            rows[i].bind(true); /* bound before it is mapped */
            expect(1, AGPU_RULE_BIND_MAPPED, 0);
            end_map(mapped, 0);
            t.calls = 0;
        }
    }
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

/* While the rules are off each call reaches the driver, and the state is still tracked. */
TEST(switched_off)
{
    agpu_usage_enforce(t.usage, false);
    assert_int_equal(create(&t.bad, D3D10DDIRESOURCE_BUFFER, STAGING, VERTEX, READ), S_OK);
    in_vertices(true);
    assert_int_equal(try_map(&t.dynamic, 0, D3D10_DDI_MAP_READ), S_OK);
    assert_int_equal(try_map(&t.dynamic, 0, D3D10_DDI_MAP_READ), S_OK);
    t.context.pfnDraw(DEVICE, 3, 0);
    expect(0, NULL, 4);
    agpu_usage_enforce(t.usage, true);
    t.context.pfnDraw(DEVICE, 3, 0);
    expect(1, AGPU_RULE_DRAW_MAPPED, 0);
    end_map(&t.dynamic, 0);
    t.context.pfnDraw(DEVICE, 3, 0);
    expect(0, NULL, 2);
}

/* Resources of another device are checked by usage and bind flags only. */
TEST(opened_from_another_device)
{
    const D3D10DDIARG_OPENRESOURCE args = {.Usage = DEFAULT, .BindFlags = D3D10_DDI_BIND_RENDER_TARGET};

    assert_int_equal(t.funcs.pfnOpenResource(DEVICE, &args, handle(&t.bad), (D3D10DDI_HRTRESOURCE){NULL}),
                     S_OK);
    t.context.pfnResourceCopy(DEVICE, handle(&t.bad), handle(&t.staging)); /* their sizes are not checked */
    expect(0, NULL, 2);
    assert_int_equal(try_map(&t.bad, 0, D3D10_DDI_MAP_READ), E_INVALIDARG);
    expect(1, AGPU_RULE_MAP_USAGE, 0);
    driver.created = E_FAIL;
    assert_int_equal(t.funcs.pfnOpenResource(DEVICE, &args, handle(&t.view), (D3D10DDI_HRTRESOURCE){NULL}),
                     E_FAIL);
    expect(0, NULL, 1);
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

/* The layers of two devices are independent. The layer of a deferred context knows only the resources that it
 * adopted. */
TEST(each_device_its_own)
{
    const D3D10DDI_HDEVICE second = {(void *)0x2000};
    struct agpu_api_context context = *agpu_usage_driver_context(t.usage), untouched = context;
    struct stack *s = *state;
    struct slot_object local = {NULL, false};
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    struct agpu_usage *other;

    s->machine.fail_at = s->machine.calls + 1;
    assert_null(agpu_usage_begin_deferred(s->device, t.usage, second, &context));
    s->machine.fail_at = 0;
    assert_memory_equal(&context, &untouched, sizeof context);
    other = agpu_usage_begin_deferred(s->device, t.usage, second, &context);
    assert_non_null(other);
    agpu_usage_adopt(other, t.usage, &t.staging, &local, NULL);
    agpu_usage_adopt(other, t.usage, &driver, &t.bad, NULL); /* unknown there: not checked here */
    assert_int_equal(try_map(&t.staging, 0, D3D10_DDI_MAP_READ), S_OK);
    assert_int_equal(context.pfnResourceMap(second, handle(&local), 0, D3D10_DDI_MAP_READ, 0, &mapped), S_OK);
    agpu_usage_adopt(other, t.usage, &t.staging, &local, NULL); /* adopted again: still mapped */
    assert_int_equal(context.pfnResourceMap(second, handle(&local), 0, D3D10_DDI_MAP_READ, 0, &mapped),
                     E_INVALIDARG);
    assert_string_equal(agpu_usage_take(other).first, AGPU_RULE_MAP_NESTED);
    agpu_usage_adopt(other, t.usage, &t.dynamic, &local, NULL); /* other memory: not mapped */
    assert_int_equal(
        context.pfnResourceMap(second, handle(&local), 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK);
    assert_int_equal(context.pfnResourceMap(second, handle(&t.bad), 0, 99, 0, &mapped), S_OK);
    expect(0, NULL, 4);
    agpu_usage_end(other);
    agpu_usage_end(NULL);
    agpu_usage_forget_bound(NULL);
    end_map(&t.staging, 0);
    expect(0, NULL, 1);
}
