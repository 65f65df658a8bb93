/* test_faults.c: any callback may fail at any call: a long scenario with the n-th call failing, for every n.
 * Afterwards nothing leaks, nothing stays locked, no stream is malformed, and the device still works. */
#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"

#define RT    D3D10_DDI_BIND_RENDER_TARGET
#define SRV   D3D10_DDI_BIND_SHADER_RESOURCE
#define VB    D3D10_DDI_BIND_VERTEX_BUFFER
#define CPU_W D3D10_DDI_CPU_ACCESS_WRITE
#define CPU_R D3D10_DDI_CPU_ACCESS_READ

static uint8_t bytes[4096];

/* Failing is allowed everywhere here; what was created is returned, and a failed object must be safe to
 * destroy. */
static D3D10DDI_HRESOURCE attempt(struct world *w, D3D10DDIARG_CREATERESOURCE desc, bool data)
{
    D3D10DDI_HRESOURCE resource = new_resource(w);
    const D3D10_DDIARG_SUBRESOURCE_UP up = {.pSysMem = bytes};

    desc.pInitialDataUP = data ? &up : NULL;
    desc.InitialDataCount = data;
    HRESULT hr = create(w, resource, &desc);
    assert_int_equal(res(resource)->handle == 0, FAILED(hr));
    return resource;
}

static void map_and_write(struct world *w, D3D10DDI_HRESOURCE resource, uint32_t type)
{
    D3D10DDI_MAPPED_SUBRESOURCE m;

    if (!res(resource)->handle || FAILED(map(w, resource, 0, type, 0, &m))) {
        return;
    }
    if (type != D3D10_DDI_MAP_READ) {
        memset(m.pData, 0x5A, 16);
    }
    unmap(w, resource, 0);
    assert_false(res(resource)->map.active);
}

static void scenario(struct world *w)
{
    D3D10DDI_HRESOURCE vb = attempt(w, buffer_desc(64, 0, VB, 0), true);
    D3D10DDI_HRESOURCE dynamic = attempt(w, buffer_desc(64, D3D10_DDI_USAGE_DYNAMIC, VB, CPU_W), true);

    D3D10DDI_HRESOURCE staging =
        attempt(w, buffer_desc(64, D3D10_DDI_USAGE_STAGING, 0, CPU_R | CPU_W), false);
    D3D10DDI_HRESOURCE target = attempt(w, texture_desc(28, 5, 5, 0, RT | SRV, 0), true);
    D3D10DDI_HRESOURCE readback =
        attempt(w, texture_desc(28, 5, 5, D3D10_DDI_USAGE_STAGING, 0, CPU_R), false);
    D3D10DDIARG_CREATERESOURCE shared_desc = texture_desc(28, 5, 5, 0, RT, 0);
    shared_desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    D3D10DDI_HRESOURCE shared = attempt(w, shared_desc, false);
    D3D10DDIARG_CREATERENDERTARGETVIEW view_desc = {.hDrvResource = target};
    HRESULT hr;
    D3D10DDI_HRENDERTARGETVIEW view = try_rtv(w, &view_desc, &hr);

    map_and_write(w, dynamic, D3D10_DDI_MAP_WRITE_DISCARD);
    map_and_write(w, dynamic, D3D10_DDI_MAP_WRITE_NOOVERWRITE);
    map_and_write(w, staging, D3D10_DDI_MAP_WRITE);
    update(w, vb, 0, NULL, bytes, 0);
    update(w, target, 0, NULL, bytes, 0);
    const uint32_t stride = 16, offset = 0;
    w->ctx.pfnIaSetVertexBuffers(w->device, 0, 1, &vb, &stride, &offset);
    set_targets(w, 1, &view, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    w->ctx.pfnDraw(w->device, 3, 0);
    w->ctx.pfnResourceCopy(w->device, staging, vb);
    w->ctx.pfnResourceCopy(w->device, readback, target);
    map_and_write(w, staging, D3D10_DDI_MAP_READ);
    map_and_write(w, readback, D3D10_DDI_MAP_READ);
    const DXGI_DDI_ARG_PRESENT present = {target, 1};
    w->ctx.pfnPresent(w->device, &present);
    w->dev.pfnDestroyRenderTargetView(w->device, view);
    free(view.pDrvPrivate);
    free_resource(w, target);
    free_resource(w, vb);
    flush(w);
    free_resource(w, shared);
    free_resource(w, readback);
    free_resource(w, staging);
    free_resource(w, dynamic);
}

/* Works now: a copy arrives in memory that the CPU may read. */
static void prove_usable(struct world *w)
{
    D3D10DDI_MAPPED_SUBRESOURCE m;

    flush(w); /* a submission that was doomed by the fault ends here */
    D3D10DDI_HRESOURCE a = make_buffer(w, 64, 0, VB, 0),
                       b = make_buffer(w, 64, D3D10_DDI_USAGE_STAGING, 0, CPU_R);
    flush(w);
    update(w, a, 0, NULL, bytes, 0);
    w->ctx.pfnResourceCopy(w->device, b, a);
    uint32_t before = w->fake.submission_count;
    assert_int_equal(map(w, b, 0, D3D10_DDI_MAP_READ, 0, &m), S_OK);
    assert_int_equal(w->fake.submission_count, before + 1);
    assert_int_equal(captured(w, before, AEROGPU_CMD_COPY_BUFFER), 1);
    assert_int_equal(listed(w, before, res(b)->alloc_handle), 1);
    unmap(w, b, 0);
    free_resource(w, a);
    free_resource(w, b);
}

/* Every handle in a list belongs to an allocation that was alive: no packet may outlive what it names. */
static void check_streams(struct world *w)
{
    for (uint32_t i = 0; i < w->fake.submission_count; i++) {
        captured(w, i, AEROGPU_CMD_NOP); /* walks it */
    }
}

static void run_with(HRESULT code, enum agpu_backing_mode mode)
{
    uint64_t calls = 0;
    bool failed = true;

    for (uint64_t n = 1; failed; n++) {
        struct world w;

        world_open(&w, mode);
        w.fake.fail_at = n;
        w.fake.fail_at_code = code;
        scenario(&w);
        failed = w.fake.fail_at == 0;
        w.fake.fail_at = 0;
        if (!failed) {
            expect_errors(&w, 0, S_OK);
        }
        w.fake.error_count = 0;
        prove_usable(&w);
        expect_errors(&w, 0, S_OK);
        check_streams(&w);
        world_close(&w);
        calls = n;
        assert_true(n < 10000);
    }
    print_message("%u calls failed in turn\n", (unsigned)calls - 1);
    assert_true(calls > 35); /* the scenario did not end early */
}

static void any_call_fails(void **state)
{
    (void)state;
    run_with(E_OUTOFMEMORY, AGPU_BACKING_WDK);
}

static void any_call_fails_device_removed(void **state)
{
    (void)state;
    run_with(D3DDDIERR_DEVICEREMOVED, AGPU_BACKING_WDK);
}

static void any_call_fails_guest(void **state)
{
    (void)state;
    run_with(E_FAIL, AGPU_BACKING_GUEST);
}

static void creating_a_device_fails(void **state)
{
    (void)state;
    bool failed = true;
    for (uint64_t n = 1; failed; n++) {
        struct fake fake;

        fake_init(&fake, AGPU_BACKING_WDK);
        D3D11DDI_ADAPTERFUNCS table;
        D3D11DDI_DEVICEFUNCS dev;
        D3D11DDI_DEVICECONTEXTFUNCS ctx;
        D3D10DDIARG_OPENADAPTER open = {.Interface = D3D11_0_DDI_INTERFACE_VERSION,
                                        .hRTAdapter = {&fake},
                                        .pAdapterCallbacks = &fake.adapter_callbacks,
                                        .pAdapterFuncs_11 = &table};
        assert_int_equal(OpenAdapter11(&open), S_OK);
        D3D10DDIARG_CREATEDEVICE args = {.hRTDevice = {&fake},
                                         .Interface = D3D11_0_DDI_INTERFACE_VERSION,
                                         .pKTCallbacks = &fake.callbacks,
                                         .p11DeviceFuncs = &dev,
                                         .p11ContextFuncs = &ctx,
                                         .hDrvDevice = {object(sizeof(struct agpu_device))}};
        fake.fail_at = n;
        fake.fail_at_code = E_OUTOFMEMORY;
        HRESULT hr = table.pfnCreateDevice(open.hAdapter, &args);
        failed = fake.fail_at == 0;
        assert_int_equal(hr, failed ? E_OUTOFMEMORY : S_OK);
        fake.fail_at = 0;
        dev.pfnDestroyDevice(args.hDrvDevice);
        assert_int_equal(fake.calls[FAKE_DESTROY_FENCE], failed ? 0 : 1);
        table.pfnCloseAdapter(open.hAdapter);
        assert_int_equal(fake.live_blocks, 0);
        free(args.hDrvDevice.pDrvPrivate);
        fake_free(&fake);
    }
}

int main(void)
{
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_call_fails),
        cmocka_unit_test(any_call_fails_device_removed),
        cmocka_unit_test(any_call_fails_guest),
        cmocka_unit_test(creating_a_device_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
