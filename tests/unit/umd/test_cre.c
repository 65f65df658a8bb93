/* test_cre.c: group CRE of the required behaviours: CreateResource. */
#include "tests/unit/umd/world.h"

#define DEFAULT 0u
#define VB      D3D10_DDI_BIND_VERTEX_BUFFER
#define RT      D3D10_DDI_BIND_RENDER_TARGET
#define SRV     D3D10_DDI_BIND_SHADER_RESOURCE

static uint8_t pattern[1024];

static void fill_pattern(void)
{
    for (size_t i = 0; i < sizeof(pattern); i++)
        pattern[i] = (uint8_t)(i * 7 + 1);
}

/* Creation with this description fails so, leaves a default object, and Destroy on it does nothing. */
static void expect_failure(struct world *w, const D3D10DDIARG_CREATERESOURCE *desc, HRESULT hr)
{
    D3D10DDI_HRESOURCE resource = new_resource(w);
    uint32_t before = recorded_total(w);
    uint32_t listed_before = device_of(w)->allocs.count;
    assert_int_equal(create(w, resource, desc), hr);
    assert_int_equal(*(uint32_t *)resource.pDrvPrivate, 0);
    assert_int_equal(recorded_total(w), before);
    assert_int_equal(device_of(w)->allocs.count, listed_before);
    free_resource(w, resource);
    assert_int_equal(recorded_total(w), before);
    expect_errors(w, 0, S_OK);
}

static const enum agpu_backing_mode all_modes[] = {AGPU_BACKING_HOST, AGPU_BACKING_GUEST, AGPU_BACKING_WDK};

static void CRE_01_null_descriptor(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_open(&w, all_modes[i]);
        expect_failure(&w, NULL, E_INVALIDARG);
        world_close(&w);
    }
}

static void CRE_02_other_dimensions(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_open(&w, all_modes[i]);
        D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 4, 4, DEFAULT, 0, 0);
        desc.ResourceDimension = D3D10DDIRESOURCE_TEXTURE1D;
        expect_failure(&w, &desc, E_NOTIMPL);
        desc.ResourceDimension = D3D10DDIRESOURCE_TEXTURE3D;
        expect_failure(&w, &desc, E_NOTIMPL);
        world_close(&w);
    }
}

static void CRE_03_shared_mips_or_array(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_open(&w, all_modes[i]);
        D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 4, 4, DEFAULT, RT, 0);
        desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
        desc.MipLevels = 2;
        expect_failure(&w, &desc, E_NOTIMPL);
        desc.MipLevels = 1;
        desc.ArraySize = 2;
        expect_failure(&w, &desc, E_NOTIMPL);
        world_close(&w);
    }
}

static void CRE_04_failed_create_then_destroy(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    const D3D10DDIARG_CREATERESOURCE desc = texture_desc(1, 4, 4, DEFAULT, 0, 0);
    expect_failure(&w, &desc, E_NOTIMPL);
    world_close(&w);
}

static void CRE_05_srgb_gate_open(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE texture = make_texture(&w, 91, 5, 3, DEFAULT, SRV, 0);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->format, 7);
    assert_int_equal(packet->width, 5);
    assert_int_equal(packet->height, 3);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_06_srgb_host_and_guest(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct world w;
        world_open(&w, all_modes[i]);
        D3D10DDI_HRESOURCE texture = make_texture(&w, 29, 4, 4, DEFAULT, SRV, 0);
        assert_int_equal(flush(&w), S_OK);
        const struct aerogpu_cmd_create_texture2d *packet =
            captured_at(&w, 0, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
        assert_int_equal(packet->format, 9);
        assert_int_equal(w.fake.submissions[0].list_count, i);
        if (i)
            assert_int_equal(listed(&w, 0, res(texture)->alloc_handle), 0);
        free_resource(&w, texture);
        world_close(&w);
    }
}

static void CRE_07_b5_formats(void **state)
{
    (void)state;
    for (uint32_t format = 85; format <= 86; format++) {
        struct world w;
        world_open(&w, AGPU_BACKING_HOST);
        D3D10DDI_HRESOURCE texture =
            make_texture(&w, format, 7, 3, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE);
        const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
        assert_int_equal(packet->format, format - 80);
        assert_int_equal(packet->row_pitch_bytes, 14);
        D3D10DDI_MAPPED_SUBRESOURCE mapped;
        assert_int_equal(map(&w, texture, 0, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK);
        assert_int_equal(mapped.RowPitch, 14);
        unmap(&w, texture, 0);
        free_resource(&w, texture);
        world_close(&w);
    }
}

static void CRE_08_full_mip_chain(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDIARG_CREATERESOURCE desc =
        texture_desc(28, 4, 4, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE);
    desc.MipLevels = 0;
    D3D10DDI_HRESOURCE texture = make(&w, &desc);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->mip_levels, 3);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    assert_int_equal(map(&w, texture, 2, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK);
    assert_int_equal(mapped.RowPitch, 4);
    unmap(&w, texture, 2);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_09_host_texture(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE texture = make_texture(&w, 87, 5, 4, DEFAULT, SRV, 0);
    flush(&w);
    const struct aerogpu_cmd_create_texture2d *packet = captured_at(&w, 0, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->backing_alloc_id, 0);
    assert_int_equal(packet->row_pitch_bytes, 20);
    assert_int_equal(w.fake.submissions[0].list_count, 0);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_10_guest_texture(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    D3D10DDI_HRESOURCE texture = make_texture(&w, 87, 5, 4, DEFAULT, SRV, 0);
    flush(&w);
    const struct aerogpu_cmd_create_texture2d *packet = captured_at(&w, 0, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_not_equal(packet->backing_alloc_id, 0);
    assert_true(packet->row_pitch_bytes >= 20);
    assert_int_equal(listed(&w, 0, packet->backing_alloc_id), 0);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_11_guest_mips_and_array(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 4, 4, DEFAULT, SRV, 0);
    desc.MipLevels = 3;
    desc.ArraySize = 2;
    D3D10DDI_HRESOURCE texture = make(&w, &desc);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->width, 4);
    assert_int_equal(packet->height, 4);
    assert_int_equal(packet->mip_levels, 3);
    assert_int_equal(packet->array_layers, 2);
    assert_int_equal(packet->row_pitch_bytes, 64);
    assert_int_not_equal(packet->backing_alloc_id, 0);
    free_resource(&w, texture);
    world_close(&w);
}

static D3D10DDI_HRESOURCE buffer_with_data(struct world *w, uint32_t bytes)
{
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
    D3D10DDIARG_CREATERESOURCE desc = buffer_desc(bytes, DEFAULT, VB, 0);
    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    return make(w, &desc);
}

/* Host-owned buffer with data: CREATE_BUFFER and one upload of the padded size, tail 0. */
static void check_host_buffer(uint32_t bytes)
{
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE buffer = buffer_with_data(&w, bytes);
    flush(&w);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 0);
    const struct aerogpu_cmd_create_buffer *create_packet = captured_at(&w, 0, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(create_packet->size_bytes, 16);
    assert_int_equal(create_packet->backing_alloc_id, 0);
    const struct aerogpu_cmd_upload_resource *upload = captured_at(&w, 0, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->resource_handle, create_packet->buffer_handle);
    assert_int_equal(upload->offset_bytes, 0);
    assert_int_equal(upload->size_bytes, 16);
    assert_memory_equal(upload + 1, pattern, bytes);
    assert_memory_equal((const uint8_t *)(upload + 1) + bytes, "\0\0\0\0", 16 - bytes);
    assert_int_equal(w.fake.submissions[0].list_count, 0);
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_12_host_buffer_data(void **state)
{
    (void)state;
    check_host_buffer(16);
}

static void CRE_13_host_buffer_data_padded(void **state)
{
    (void)state;
    check_host_buffer(13);
}

static void CRE_14_guest_buffer_data(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    D3D10DDI_HRESOURCE buffer = buffer_with_data(&w, 16);
    flush(&w);
    assert_memory_equal(fake_find(&w.fake, res(buffer)->alloc_handle)->memory, pattern, 16);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        captured_at(&w, 0, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 16);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_UPLOAD_RESOURCE), 0);
    assert_int_equal(listed(&w, 0, res(buffer)->alloc_handle), 0);
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_15_storage_usage(void **state)
{
    (void)state;
    static const uint32_t binds[] = {SRV, D3D11_DDI_BIND_UNORDERED_ACCESS};
    for (int i = 0; i < 2; i++) {
        struct world w;
        world_open(&w, AGPU_BACKING_HOST);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DEFAULT, binds[i], 0);
        const struct aerogpu_cmd_create_buffer *packet = recorded_at(&w, AEROGPU_CMD_CREATE_BUFFER, 0);
        assert_int_equal(packet->usage_flags, AEROGPU_RESOURCE_USAGE_STORAGE);
        free_resource(&w, buffer);
        world_close(&w);
    }
}

static void CRE_16_texture_usage(void **state)
{
    (void)state;
    static const struct {
        uint32_t format, bind, usage;
    } rows[] = {{87, 0, 0x8}, {87, SRV, 0x8}, {87, RT | SRV, 0x18}, {40, D3D10_DDI_BIND_DEPTH_STENCIL, 0x28}};
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    for (uint32_t i = 0; i < 4; i++) {
        D3D10DDI_HRESOURCE texture = make_texture(&w, rows[i].format, 4, 4, DEFAULT, rows[i].bind, 0);
        const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, i);
        assert_int_equal(packet->usage_flags, rows[i].usage);
        free_resource(&w, texture);
    }
    world_close(&w);
}

/* A texture with all its subresources' data taken from pattern, rows at source_pitch apart (0 = tight). */
static HRESULT create_filled(struct world *w, D3D10DDI_HRESOURCE texture, D3D10DDIARG_CREATERESOURCE desc,
                             uint32_t count, uint32_t source_pitch)
{
    D3D10_DDIARG_SUBRESOURCE_UP data[8];
    for (uint32_t i = 0; i < 8; i++)
        data[i] = (D3D10_DDIARG_SUBRESOURCE_UP){.pSysMem = pattern + i * 64, .SysMemPitch = source_pitch};
    desc.pInitialDataUP = data;
    desc.InitialDataCount = count;
    return create(w, texture, &desc);
}

static void CRE_17_host_texture_data(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE texture = new_resource(&w);
    assert_int_equal(create_filled(&w, texture, texture_desc(87, 3, 2, DEFAULT, SRV, 0), 1, 20), S_OK);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(&w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->offset_bytes, 0);
    assert_int_equal(upload->size_bytes, 24);
    assert_memory_equal(upload + 1, pattern, 12);
    assert_memory_equal((const uint8_t *)(upload + 1) + 12, pattern + 20, 12);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_18_guest_texture_data(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    D3D10DDI_HRESOURCE texture = new_resource(&w);
    assert_int_equal(create_filled(&w, texture, texture_desc(87, 3, 2, DEFAULT, SRV, 0), 1, 20), S_OK);
    const uint8_t *memory = fake_find(&w.fake, res(texture)->alloc_handle)->memory;
    static const uint8_t zeros[52];
    for (uint32_t row = 0; row < 2; row++) {
        assert_memory_equal(memory + row * 64, pattern + row * 20, 12);
        assert_memory_equal(memory + row * 64 + 12, zeros, 52);
    }
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 128);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_19_bc_data(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE texture = new_resource(&w);
    assert_int_equal(create_filled(&w, texture, texture_desc(71, 5, 5, DEFAULT, SRV, 0), 1, 24), S_OK);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(&w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->size_bytes, 32);
    assert_memory_equal(upload + 1, pattern, 16);
    assert_memory_equal((const uint8_t *)(upload + 1) + 16, pattern + 24, 16);
    free_resource(&w, texture);
    world_close(&w);
    world_open(&w, AGPU_BACKING_GUEST);
    texture = new_resource(&w);
    assert_int_equal(create_filled(&w, texture, texture_desc(71, 5, 5, DEFAULT, SRV, 0), 1, 24), S_OK);
    const uint8_t *memory = fake_find(&w.fake, res(texture)->alloc_handle)->memory;
    assert_memory_equal(memory, pattern, 16);
    assert_memory_equal(memory + 64, pattern + 24, 16);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->size_bytes, 128);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_20_mip_and_array_data(void **state)
{
    (void)state;
    static const uint32_t host_offsets[] = {0, 64, 80, 84, 148, 164}, bytes[] = {64, 16, 4, 64, 16, 4};
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(28, 4, 4, DEFAULT, SRV, 0);
    desc.MipLevels = 3;
    desc.ArraySize = 2;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE texture = new_resource(&w);
    assert_int_equal(create_filled(&w, texture, desc, 6, 0), S_OK);
    assert_int_equal(recorded(&w, AEROGPU_CMD_UPLOAD_RESOURCE), 1);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(&w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->size_bytes, 168);
    for (uint32_t i = 0; i < 6; i++)
        assert_memory_equal((const uint8_t *)(upload + 1) + host_offsets[i], pattern + i * 64, bytes[i]);
    free_resource(&w, texture);
    world_close(&w);

    static const uint32_t guest_offsets[] = {0, 256, 272, 276, 532, 548};
    world_open(&w, AGPU_BACKING_GUEST);
    texture = new_resource(&w);
    assert_int_equal(create_filled(&w, texture, desc, 6, 0), S_OK);
    assert_int_equal(recorded(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE), 1);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 552);
    const uint8_t *memory = fake_find(&w.fake, res(texture)->alloc_handle)->memory;
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t first_row = i % 3 == 0 ? 16 : bytes[i];
        assert_memory_equal(memory + guest_offsets[i], pattern + i * 64, first_row);
    }
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_21_to_23_bad_initial_data(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_open(&w, all_modes[i]);
        D3D10_DDIARG_SUBRESOURCE_UP data[2] = {{.pSysMem = pattern}, {.pSysMem = pattern}};
        D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 3, 2, DEFAULT, SRV, 0);
        desc.pInitialDataUP = data;
        desc.InitialDataCount = 2; /* CRE-21 */
        expect_failure(&w, &desc, E_INVALIDARG);
        desc.InitialDataCount = 1;
        data[0].SysMemPitch = 11; /* CRE-22 */
        expect_failure(&w, &desc, E_INVALIDARG);
        data[0] = (D3D10_DDIARG_SUBRESOURCE_UP){.pSysMem = NULL}; /* CRE-23 */
        expect_failure(&w, &desc, E_INVALIDARG);
        world_close(&w);
    }
}

static void CRE_24_pitch_zero_is_tight(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D10DDI_HRESOURCE texture = new_resource(&w);
    assert_int_equal(create_filled(&w, texture, texture_desc(87, 3, 2, DEFAULT, SRV, 0), 1, 0), S_OK);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(&w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_memory_equal(upload + 1, pattern, 24);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_25_allocate_fails(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    w.fake.fail[FAKE_ALLOCATE] = D3DDDIERR_DEVICEREMOVED;
    const D3D10DDIARG_CREATERESOURCE desc = buffer_desc(16, DEFAULT, VB, 0);
    expect_failure(&w, &desc, D3DDDIERR_DEVICEREMOVED);
    world_close(&w);
}

static void CRE_26_guest_allocation_too_small(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    const D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 5, 4, DEFAULT, SRV, 0);
    w.fake.pitch_multiple = 0;
    w.fake.force_pitch = 19;
    expect_failure(&w, &desc, E_INVALIDARG);
    w.fake.force_pitch = 64;
    w.fake.force_bytes = 255;
    expect_failure(&w, &desc, E_OUTOFMEMORY);
    world_close(&w);
}

static uint32_t live_allocations(const struct fake *fake)
{
    uint32_t live = 0;
    for (uint32_t i = 0; i < fake->allocation_count; i++)
        live += !fake->allocations[i].freed;
    return live;
}

static void CRE_27_append_fails(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_open(&w, all_modes[i]);
        const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
        D3D10DDIARG_CREATERESOURCE desc = buffer_desc(16, DEFAULT, VB, 0);
        desc.pInitialDataUP = &data;
        desc.InitialDataCount = 1;
        static const uint32_t rooms[] = {0, 40, 40 + 28}; /* nothing, CREATE only, not quite all */
        for (uint32_t k = 0; k < 3; k++) {
            world_bound_stream(&w, rooms[k]);
            expect_failure(&w, &desc, E_OUTOFMEMORY);
            assert_int_equal(device_of(&w)->imm.cmd.error, AGPU_CMD_OK);
            assert_int_equal(live_allocations(&w.fake), 0);
        }
        world_close(&w);
    }
}

static void CRE_28_tracking_out_of_memory(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    const D3D10DDIARG_CREATERESOURCE desc = buffer_desc(16, DEFAULT, VB, 0);
    D3D10DDI_HRESOURCE buffer = new_resource(&w);
    w.fake.fail[FAKE_HEAP] = E_OUTOFMEMORY;
    assert_int_equal(create(&w, buffer, &desc), E_OUTOFMEMORY);
    assert_int_equal(res(buffer)->handle, 0);
    assert_int_equal(live_allocations(&w.fake), 0);
    assert_int_equal(recorded_total(&w), 0);
    assert_int_equal(device_of(&w)->allocs.count, 0);
    w.fake.fail[FAKE_HEAP] = S_OK;
    assert_int_equal(flush(&w), E_OUTOFMEMORY); /* the submission that could not list everything is lost */
    free_resource(&w, buffer);
    buffer = make(&w, &desc);
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_29_two_devices_one_adapter(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    D3D11DDI_DEVICEFUNCS dev;
    D3D11DDI_DEVICECONTEXTFUNCS ctx;
    D3D10DDIARG_CREATEDEVICE args = {
        .hRTDevice = {&w.fake},
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .pKTCallbacks = &w.fake.callbacks,
        .p11DeviceFuncs = &dev,
        .p11ContextFuncs = &ctx,
        .hDrvDevice = {object(sizeof(struct agpu_device))},
    };
    assert_int_equal(w.adapter_funcs.pfnCreateDevice(w.adapter, &args), S_OK);
    D3D10DDI_HRESOURCE a[4], b[4];
    const D3D10DDIARG_CREATERESOURCE desc = buffer_desc(16, DEFAULT, VB, 0);
    for (int i = 0; i < 4; i++) {
        a[i] = make(&w, &desc);
        b[i] = new_resource(&w);
        assert_int_equal(dev.pfnCreateResource(args.hDrvDevice, &desc, b[i], (D3D10DDI_HRTRESOURCE){NULL}),
                         S_OK);
    }
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            assert_int_not_equal(res(a[i])->handle, res(b[k])->handle);
    for (int i = 0; i < 4; i++) {
        free_resource(&w, a[i]);
        dev.pfnDestroyResource(args.hDrvDevice, b[i]);
        free(b[i].pDrvPrivate);
    }
    dev.pfnDestroyDevice(args.hDrvDevice);
    free(args.hDrvDevice.pDrvPrivate);
    world_close(&w);
}

static void CRE_30_wdk_buffer_sizes(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 10, DEFAULT, VB, 0);
    assert_int_equal(w.fake.allocations[0].asked_bytes, 256);
    const struct aerogpu_cmd_create_buffer *packet = recorded_at(&w, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(packet->size_bytes, 12);
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_31_wdk_texture_sizes(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE texture = make_texture(&w, 87, 3, 3, DEFAULT, SRV, 0);
    assert_int_equal(w.fake.allocations[0].asked_bytes, 768);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->row_pitch_bytes, 256);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_32_wdk_private_data(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE texture =
        make_texture(&w, 87, 3, 3, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_HRESOURCE target = make_texture(&w, 87, 3, 3, DEFAULT, RT, 0);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 10, DEFAULT, VB, 0);
    const struct aerogpu_wddm_alloc_priv_v2 *blob = &w.fake.allocations[0].blob;
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
    assert_int_equal(w.fake.allocations[1].blob.flags, 0);
    assert_int_equal(w.fake.allocations[1].resource_flags.RenderTarget, 1);
    assert_int_equal(w.fake.allocations[2].blob.kind, 1);
    assert_int_equal(w.fake.allocations[2].blob.reserved0, 0);
    assert_int_equal(w.fake.allocations[2].blob.flags, 2);
    assert_int_equal(w.fake.allocations[2].flags.CreateResource, 1);
    free_resource(&w, texture);
    free_resource(&w, target);
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_33_wdk_dynamic_is_host_owned(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, D3D10_DDI_USAGE_DYNAMIC, VB, D3D10_DDI_CPU_ACCESS_WRITE);
    const struct aerogpu_cmd_create_buffer *packet = recorded_at(&w, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(packet->backing_alloc_id, 0);
    assert_int_not_equal(res(buffer)->alloc_handle, 0);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    assert_int_equal(map(&w, buffer, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped), S_OK);
    assert_ptr_equal(mapped.pData, w.fake.allocations[0].memory);
    unmap(&w, buffer, 0);
    flush(&w);
    assert_int_equal(listed(&w, 0, res(buffer)->alloc_handle), -1);
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_34_wdk_shared(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 8, 8, DEFAULT, RT, 0);
    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    D3D10DDI_HRESOURCE texture = make(&w, &desc);
    assert_int_equal(w.fake.allocations[0].flags.CreateShared, 1);
    assert_int_equal(w.fake.allocations[0].blob.flags & 1, 1);
    assert_int_equal(w.fake.submission_count, 1);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_EXPORT_SHARED_SURFACE), 1);
    const struct aerogpu_cmd_export_shared_surface *packet =
        captured_at(&w, 0, AEROGPU_CMD_EXPORT_SHARED_SURFACE, 0);
    assert_int_equal(packet->resource_handle, res(texture)->handle);
    assert_int_equal(packet->share_token, w.fake.allocations[0].blob.share_token);
    assert_int_equal(listed(&w, 0, res(texture)->alloc_handle), 0);
    free_resource(&w, texture);
    world_close(&w);
}

/* The description fails so in WDK mode and the allocation is given back. */
static void expect_given_back(struct world *w, const D3D10DDIARG_CREATERESOURCE *desc, HRESULT hr)
{
    uint32_t before = w->fake.calls[FAKE_DEALLOCATE];
    expect_failure(w, desc, hr);
    assert_int_equal(w->fake.calls[FAKE_DEALLOCATE], before + 1);
}

static void CRE_35_wdk_shared_without_token(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    w.fake.null_token = true;
    D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 8, 8, DEFAULT, RT, 0);
    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    expect_given_back(&w, &desc, E_FAIL);
    world_close(&w);
}

static void CRE_36_wdk_returned_pitch(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    const D3D10DDIARG_CREATERESOURCE desc = texture_desc(87, 8, 4, DEFAULT, SRV, 0);
    w.fake.force_pitch = 31;
    expect_given_back(&w, &desc, E_INVALIDARG);
    w.fake.force_pitch = 512;
    w.fake.force_bytes = 2047;
    expect_given_back(&w, &desc, E_INVALIDARG);
    w.fake.force_bytes = 2048;
    D3D10DDI_HRESOURCE texture = make(&w, &desc);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->row_pitch_bytes, 512);
    assert_int_equal(res(texture)->layout.total_bytes, 2048);
    free_resource(&w, texture);
    world_close(&w);
}

static void CRE_37_wdk_no_kernel_handles(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    const D3D10DDIARG_CREATERESOURCE desc = buffer_desc(16, DEFAULT, VB, 0);
    w.fake.null_km = true;
    expect_given_back(&w, &desc, E_FAIL);
    w.fake.null_km = false;
    w.fake.null_handle = true;
    expect_given_back(&w, &desc, E_FAIL);
    world_close(&w);
}

static void CRE_38_wdk_replaced_alloc_id(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_WDK);
    w.fake.force_alloc_id = 0x80000123;
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 16, DEFAULT, VB, 0);
    const struct aerogpu_cmd_create_buffer *packet = recorded_at(&w, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(packet->backing_alloc_id, 0x80000123);
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_39_buffer_edge_cases(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_open(&w, all_modes[i]);
        D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = NULL};
        D3D10DDIARG_CREATERESOURCE desc =
            buffer_desc(16, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE);
        desc.pInitialDataUP = &data;
        desc.InitialDataCount = 1;
        expect_failure(&w, &desc, E_INVALIDARG);
        data.pSysMem = pattern;
        desc.ByteWidth = 0;
        expect_failure(&w, &desc, E_INVALIDARG);
        desc.InitialDataCount = 0;
        D3D10DDI_HRESOURCE buffer = make(&w, &desc);
        const struct aerogpu_cmd_create_buffer *packet = recorded_at(&w, AEROGPU_CMD_CREATE_BUFFER, 0);
        assert_int_equal(packet->size_bytes, 4);
        D3D10DDI_MAPPED_SUBRESOURCE mapped;
        assert_int_equal(map(&w, buffer, 0, D3D10_DDI_MAP_WRITE, 0, &mapped), E_INVALIDARG);
        free_resource(&w, buffer);
        world_close(&w);
    }
}

static void CRE_40_garbage_memory_and_check_order(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct world w;
        world_open(&w, all_modes[i]);
        D3D10DDIARG_CREATERESOURCE desc = texture_desc(0, 4, 4, DEFAULT, SRV, 0);
        desc.ResourceDimension = 999;
        expect_failure(&w, &desc, E_NOTIMPL);
        desc.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
        desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
        desc.MipLevels = 0;
        expect_failure(&w, &desc, E_NOTIMPL);
        world_close(&w);
    }
}

static void CRE_41_bc_5x5(void **state)
{
    (void)state;
    static const struct {
        uint32_t dxgi, protocol, pitch;
    } rows[] = {{71, 0x40, 16}, {72, 0x41, 16}, {74, 0x42, 32}, {75, 0x43, 32},
                {77, 0x44, 32}, {78, 0x45, 32}, {98, 0x46, 32}, {99, 0x47, 32}};
    struct world w;
    world_open(&w, AGPU_BACKING_HOST);
    for (uint32_t i = 0; i < 8; i++) {
        D3D10DDI_HRESOURCE texture =
            make_texture(&w, rows[i].dxgi, 5, 5, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE);
        const struct aerogpu_cmd_create_texture2d *packet = recorded_at(&w, AEROGPU_CMD_CREATE_TEXTURE2D, i);
        assert_int_equal(packet->format, rows[i].protocol);
        assert_int_equal(packet->row_pitch_bytes, rows[i].pitch);
        assert_int_equal(res(texture)->bytes, 2 * rows[i].pitch);
        D3D10DDI_MAPPED_SUBRESOURCE mapped;
        assert_int_equal(map(&w, texture, 0, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK);
        assert_int_equal(mapped.DepthPitch, 2 * rows[i].pitch);
        unmap(&w, texture, 0);
        free_resource(&w, texture);
    }
    world_close(&w);
}

static void CRE_43_guest_bad_allocation(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
    D3D10DDIARG_CREATERESOURCE desc = buffer_desc(16, DEFAULT, VB, 0);
    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    w.fake.null_handle = true;
    expect_failure(&w, &desc, E_FAIL);
    w.fake.null_handle = false;
    w.fake.fail[FAKE_LOCK] = E_OUTOFMEMORY;
    expect_failure(&w, &desc, E_OUTOFMEMORY);
    w.fake.fail[FAKE_LOCK] = S_OK;
    w.fake.null_data = true;
    uint32_t unlocks = w.fake.calls[FAKE_UNLOCK];
    D3D10DDI_HRESOURCE buffer = new_resource(&w);
    assert_int_equal(create(&w, buffer, &desc), E_FAIL);
    assert_int_equal(w.fake.calls[FAKE_UNLOCK], unlocks);
    for (uint32_t i = 0; i < w.fake.allocation_count; i++)
        w.fake.allocations[i].locks = 0; /* what the portable reference does not unlock */
    w.fake.null_data = false;
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_44_no_trace_of_a_failed_create(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    world_bound_stream(&w, 40); /* CREATE_BUFFER fits, its DIRTY_RANGE does not */
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
    D3D10DDIARG_CREATERESOURCE desc = buffer_desc(16, DEFAULT, VB, 0);
    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    D3D10DDI_HRESOURCE buffer = new_resource(&w);
    assert_int_equal(create(&w, buffer, &desc), E_OUTOFMEMORY);
    assert_int_equal(flush(&w), S_OK);
    assert_int_equal(w.fake.submission_count, 1);
    assert_int_equal(w.fake.submissions[0].list_count, 0);
    assert_int_equal(captured(&w, 0, AEROGPU_CMD_CREATE_BUFFER), 0);
    free_resource(&w, buffer);
    world_close(&w);
}

static void CRE_45_guest_3x2(void **state)
{
    CRE_18_guest_texture_data(state);
}

static void CRE_46_guest_padded_buffer(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, AGPU_BACKING_GUEST);
    D3D10DDI_HRESOURCE buffer = buffer_with_data(&w, 13);
    const struct aerogpu_cmd_create_buffer *packet = recorded_at(&w, AEROGPU_CMD_CREATE_BUFFER, 0);
    assert_int_equal(packet->size_bytes, 16);
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(&w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 13);
    const uint8_t *memory = fake_find(&w.fake, res(buffer)->alloc_handle)->memory;
    assert_memory_equal(memory, pattern, 13);
    assert_memory_equal(memory + 13, "\0\0\0", 3);
    free_resource(&w, buffer);
    world_close(&w);
}

int main(void)
{
    fill_pattern();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(CRE_01_null_descriptor),
        cmocka_unit_test(CRE_02_other_dimensions),
        cmocka_unit_test(CRE_03_shared_mips_or_array),
        cmocka_unit_test(CRE_04_failed_create_then_destroy),
        cmocka_unit_test(CRE_05_srgb_gate_open),
        cmocka_unit_test(CRE_06_srgb_host_and_guest),
        cmocka_unit_test(CRE_07_b5_formats),
        cmocka_unit_test(CRE_08_full_mip_chain),
        cmocka_unit_test(CRE_09_host_texture),
        cmocka_unit_test(CRE_10_guest_texture),
        cmocka_unit_test(CRE_11_guest_mips_and_array),
        cmocka_unit_test(CRE_12_host_buffer_data),
        cmocka_unit_test(CRE_13_host_buffer_data_padded),
        cmocka_unit_test(CRE_14_guest_buffer_data),
        cmocka_unit_test(CRE_15_storage_usage),
        cmocka_unit_test(CRE_16_texture_usage),
        cmocka_unit_test(CRE_17_host_texture_data),
        cmocka_unit_test(CRE_18_guest_texture_data),
        cmocka_unit_test(CRE_19_bc_data),
        cmocka_unit_test(CRE_20_mip_and_array_data),
        cmocka_unit_test(CRE_21_to_23_bad_initial_data),
        cmocka_unit_test(CRE_24_pitch_zero_is_tight),
        cmocka_unit_test(CRE_25_allocate_fails),
        cmocka_unit_test(CRE_26_guest_allocation_too_small),
        cmocka_unit_test(CRE_27_append_fails),
        cmocka_unit_test(CRE_28_tracking_out_of_memory),
        cmocka_unit_test(CRE_29_two_devices_one_adapter),
        cmocka_unit_test(CRE_30_wdk_buffer_sizes),
        cmocka_unit_test(CRE_31_wdk_texture_sizes),
        cmocka_unit_test(CRE_32_wdk_private_data),
        cmocka_unit_test(CRE_33_wdk_dynamic_is_host_owned),
        cmocka_unit_test(CRE_34_wdk_shared),
        cmocka_unit_test(CRE_35_wdk_shared_without_token),
        cmocka_unit_test(CRE_36_wdk_returned_pitch),
        cmocka_unit_test(CRE_37_wdk_no_kernel_handles),
        cmocka_unit_test(CRE_38_wdk_replaced_alloc_id),
        cmocka_unit_test(CRE_39_buffer_edge_cases),
        cmocka_unit_test(CRE_40_garbage_memory_and_check_order),
        cmocka_unit_test(CRE_41_bc_5x5),
        cmocka_unit_test(CRE_43_guest_bad_allocation),
        cmocka_unit_test(CRE_44_no_trace_of_a_failed_create),
        cmocka_unit_test(CRE_45_guest_3x2),
        cmocka_unit_test(CRE_46_guest_padded_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
