/* test_create_wdk.c: allocations, their failures, and Windows' requirements (required behaviours CRE). */
#include "tests/unit/umd/resources.h"

static D3D10DDI_HRESOURCE buffer_with_data(struct world *w, uint32_t bytes)
{
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
    struct agpu_resource_desc desc = buffer_desc(bytes, DEFAULT, VB, 0);

    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    return make(w, &desc);
}

GROUP_FIXTURE(fill_pattern, NULL);

GUEST_TEST(CRE_25_allocate_fails)
{
    w->fake.fail[FAKE_ALLOCATE] = D3DDDIERR_DEVICEREMOVED;
    const struct agpu_resource_desc desc = buffer_desc(16, DEFAULT, VB, 0);
    refuse_create(w, &desc, D3DDDIERR_DEVICEREMOVED);
}

GUEST_TEST(CRE_26_guest_allocation_too_small)
{
    const struct agpu_resource_desc desc = texture_desc(87, 5, 4, DEFAULT, SRV, 0);
    w->fake.pitch_multiple = 0;
    w->fake.force_pitch = 19;
    refuse_create(w, &desc, E_INVALIDARG);
    w->fake.force_pitch = 64;
    w->fake.force_bytes = 255;
    refuse_create(w, &desc, E_OUTOFMEMORY);
}

static uint32_t live_allocations(const struct fake *fake)
{
    uint32_t live = 0;

    for (uint32_t i = 0; i < fake->allocation_count; i++) {
        live += !fake->allocations[i].freed;
    }
    return live;
}

ALL_MODES_TEST(CRE_27_append_fails)
{
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
    struct agpu_resource_desc desc = buffer_desc(16, DEFAULT, VB, 0);
    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    static const uint32_t rooms[] = {0, 40, 40 + 28}; /* for nothing, for CREATE, for almost all */
    for (uint32_t k = 0; k < 3; k++) {
        world_bound_stream(w, rooms[k]);
        refuse_create(w, &desc, E_OUTOFMEMORY);
        assert_int_equal(device_of(w)->imm.cmd.error, AGPU_CMD_OK);
        assert_int_equal(live_allocations(&w->fake), 0);
    }
}

WDK_TEST(CRE_28_tracking_out_of_memory)
{
    const struct agpu_resource_desc desc = buffer_desc(16, DEFAULT, VB, 0);
    D3D10DDI_HRESOURCE buffer = new_resource(w);
    w->fake.fail[FAKE_HEAP] = E_OUTOFMEMORY;
    assert_int_equal(create(w, buffer, &desc), E_OUTOFMEMORY);
    assert_int_equal(res(buffer)->handle, 0);
    assert_int_equal(live_allocations(&w->fake), 0);
    assert_int_equal(recorded_total(w), 0);
    assert_int_equal(device_of(w)->allocs.count, 0);
    w->fake.fail[FAKE_HEAP] = S_OK;
    assert_int_equal(flush(w), E_OUTOFMEMORY); /* the submission with the incomplete list is lost */
    free_resource(w, buffer);
    buffer = make(w, &desc);
    free_resource(w, buffer);
}

HOST_TEST(CRE_29_two_devices_one_adapter)
{
    D3D11DDI_DEVICEFUNCS dev;
    D3D11DDI_DEVICECONTEXTFUNCS ctx;
    D3D10DDIARG_CREATEDEVICE args = {
        .hRTDevice = {&w->fake},
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .pKTCallbacks = &w->fake.callbacks,
        .p11DeviceFuncs = &dev,
        .p11ContextFuncs = &ctx,
        .hDrvDevice = {object(sizeof(struct agpu_device))},
    };
    assert_int_equal(w->adapter_funcs.pfnCreateDevice(w->adapter, &args), S_OK);
    struct agpu_resource_args resource_args;
    D3D10DDI_HRESOURCE a[4], b[4];
    const struct agpu_resource_desc desc = buffer_desc(16, DEFAULT, VB, 0);
    for (int i = 0; i < 4; i++) {
        a[i] = make(w, &desc);
        b[i] = new_resource(w);
        dev.pfnCreateResource(args.hDrvDevice, agpu_resource_args(&desc, &resource_args), b[i],
                              (D3D10DDI_HRTRESOURCE){NULL});
    }
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            assert_int_not_equal(res(a[i])->handle, res(b[k])->handle);
        }
    }
    for (int i = 0; i < 4; i++) {
        free_resource(w, a[i]);
        dev.pfnDestroyResource(args.hDrvDevice, b[i]);
        free(b[i].pDrvPrivate);
    }
    dev.pfnDestroyDevice(args.hDrvDevice);
    free(args.hDrvDevice.pDrvPrivate);
}

WDK_TEST(CRE_30_wdk_buffer_sizes)
{
    make_buffer(w, 10, DEFAULT, VB, 0);
    assert_int_equal(w->fake.allocations[0].asked_bytes, 256);
    const struct aerogpu_cmd_create_buffer *packet = recorded_at(w, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(packet->size_bytes, 12);
}

WDK_TEST(CRE_31_wdk_texture_sizes)
{
    make_texture(w, 87, 3, 3, DEFAULT, SRV, 0);
    assert_int_equal(w->fake.allocations[0].asked_bytes, 768);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->row_pitch_bytes, 256);
}

WDK_TEST(CRE_32_wdk_private_data)
{
    make_texture(w, 87, 3, 3, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    make_texture(w, 87, 3, 3, DEFAULT, RT, 0);
    make_buffer(w, 10, DEFAULT, VB, 0);
    const struct aerogpu_wddm_alloc_priv_v2 *blob = &w->fake.allocations[0].blob;
    assert_int_equal(blob->magic, 0x414C4C4F);
    assert_int_equal(blob->version, 2);
    assert_in_range(blob->alloc_id, 1, 0x7FFFFFFF);
    assert_int_equal(blob->flags, 6); /* CPU_VISIBLE, STAGING */
    assert_int_equal(blob->share_token, 0);
    assert_int_equal(blob->size_bytes, 768);
    assert_int_equal(blob->reserved0, 256);
    assert_int_equal(blob->kind, 2);
    assert_int_equal(blob->width, 3);
    assert_int_equal(blob->height, 3);
    assert_int_equal(blob->format, 87);
    assert_int_equal(blob->row_pitch_bytes, 256);
    assert_int_equal(blob->reserved1, 0);
    assert_int_equal(w->fake.allocations[1].blob.flags, 0);
    assert_int_equal(w->fake.allocations[1].resource_flags.RenderTarget, 1);
    assert_int_equal(w->fake.allocations[2].blob.kind, 1);
    assert_int_equal(w->fake.allocations[2].blob.reserved0, 0);
    assert_int_equal(w->fake.allocations[2].blob.flags, 2);
    assert_int_equal(w->fake.allocations[2].flags.CreateResource, 1);
}

/* Creation in WDK mode fails with hr, and the allocation is freed. */
static void expect_given_back(struct world *w, const struct agpu_resource_desc *desc, HRESULT hr)
{
    uint32_t before = w->fake.calls[FAKE_DEALLOCATE];

    refuse_create(w, desc, hr);
    assert_int_equal(w->fake.calls[FAKE_DEALLOCATE], before + 1);
}

WDK_TEST(CRE_35_wdk_shared_without_token)
{
    w->fake.null_token = true;
    struct agpu_resource_desc desc = texture_desc(87, 8, 8, DEFAULT, RT, 0);
    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    expect_given_back(w, &desc, E_FAIL);
}

WDK_TEST(CRE_36_wdk_returned_pitch)
{
    const struct agpu_resource_desc desc = texture_desc(87, 8, 4, DEFAULT, SRV, 0);
    w->fake.force_pitch = 31;
    expect_given_back(w, &desc, E_INVALIDARG);
    w->fake.force_pitch = 512;
    w->fake.force_bytes = 2047;
    expect_given_back(w, &desc, E_INVALIDARG);
    w->fake.force_bytes = 2048;
    D3D10DDI_HRESOURCE texture = make(w, &desc);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->row_pitch_bytes, 512);
    assert_int_equal(res(texture)->layout.total_bytes, 2048);
}

WDK_TEST(CRE_37_wdk_no_kernel_handles)
{
    const struct agpu_resource_desc desc = buffer_desc(16, DEFAULT, VB, 0);
    w->fake.null_km = true;
    expect_given_back(w, &desc, E_FAIL);
    w->fake.null_km = false;
    w->fake.null_handle = true;
    expect_given_back(w, &desc, E_FAIL);
}

WDK_TEST(CRE_38_wdk_replaced_alloc_id)
{
    w->fake.force_alloc_id = 0x80000123;
    make_buffer(w, 16, DEFAULT, VB, 0);
    const struct aerogpu_cmd_create_buffer *packet = recorded_at(w, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(packet->backing_alloc_id, 0x80000123);
}

ALL_MODES_TEST(CRE_39_buffer_edge_cases)
{
    D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = NULL};
    struct agpu_resource_desc desc = buffer_desc(16, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE);
    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    refuse_create(w, &desc, E_INVALIDARG);
    data.pSysMem = pattern;
    desc.ByteWidth = 0;
    refuse_create(w, &desc, E_INVALIDARG);
    desc.InitialDataCount = 0;
    D3D10DDI_HRESOURCE buffer = make(w, &desc);
    const struct aerogpu_cmd_create_buffer *packet = recorded_at(w, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(packet->size_bytes, 4);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    assert_int_equal(map(w, buffer, 0, D3D10_DDI_MAP_WRITE, 0, &mapped), E_INVALIDARG);
}

GUEST_TEST(CRE_43_guest_bad_allocation)
{
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
    struct agpu_resource_desc desc = buffer_desc(16, DEFAULT, VB, 0);
    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    w->fake.null_handle = true;
    refuse_create(w, &desc, E_FAIL);
    w->fake.null_handle = false;
    w->fake.fail[FAKE_LOCK] = E_OUTOFMEMORY;
    refuse_create(w, &desc, E_OUTOFMEMORY);
    w->fake.fail[FAKE_LOCK] = S_OK;
    w->fake.no_data = true;
    uint32_t unlocks = w->fake.calls[FAKE_UNLOCK];
    D3D10DDI_HRESOURCE buffer = new_resource(w);
    assert_int_equal(create(w, buffer, &desc), E_FAIL);
    assert_int_equal(w->fake.calls[FAKE_UNLOCK], unlocks);
    for (uint32_t i = 0; i < w->fake.allocation_count; i++) {
        w->fake.allocations[i].locks = 0; /* the portable reference does not unlock these */
    }
    w->fake.no_data = false;
    free_resource(w, buffer);
}

GUEST_TEST(CRE_44_no_trace_of_a_failed_create)
{
    world_bound_stream(w, 40); /* CREATE_BUFFER fits, its DIRTY_RANGE does not */
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
    struct agpu_resource_desc desc = buffer_desc(16, DEFAULT, VB, 0);
    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    D3D10DDI_HRESOURCE buffer = new_resource(w);
    assert_int_equal(create(w, buffer, &desc), E_OUTOFMEMORY);
    assert_int_equal(flush(w), S_OK);
    assert_int_equal(w->fake.submission_count, 1);
    assert_int_equal(w->fake.submissions[0].list_count, 0);
    assert_int_equal(captured(w, 0, AEROGPU_CMD_CREATE_BUFFER), 0);
    free_resource(w, buffer);
}

GUEST_TEST(CRE_46_guest_padded_buffer)
{
    D3D10DDI_HRESOURCE buffer = buffer_with_data(w, 13);
    const struct aerogpu_cmd_create_buffer *packet = recorded_at(w, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(packet->size_bytes, 16);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 13);
    const uint8_t *memory = fake_find(&w->fake, res(buffer)->alloc_handle)->memory;
    assert_memory_equal(memory, pattern, 13);
    assert_memory_equal(memory + 13, "\0\0\0", 3);
}
