/* test_create.c: CreateResource (required behaviours CRE). */
#include "tests/unit/umd/resources.h"

GROUP_FIXTURE(fill_pattern, NULL);

ALL_MODES_TEST(CRE_01_null_descriptor)
{
    refuse_create(w, NULL, E_INVALIDARG);
}

HOST_TEST(CRE_04_failed_create_then_destroy)
{
    const struct agpu_resource_desc desc = texture_desc(1, 4, 4, DEFAULT, 0, 0);
    refuse_create(w, &desc, E_NOTIMPL);
}

HOST_TEST(CRE_05_srgb_gate_open)
{
    make_texture(w, 91, 5, 3, DEFAULT, SRV, 0);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->format, 7);
    assert_int_equal(packet->width, 5);
    assert_int_equal(packet->height, 3);
}

TEST(CRE_06_srgb_host_and_guest)
{
    for (int i = 0; i < 2; i++) {
        struct world w;

        world_open(&w, all_modes[i]);
        D3D10DDI_HRESOURCE texture = make_texture(&w, 29, 4, 4, DEFAULT, SRV, 0);
        assert_int_equal(flush(&w), S_OK);
        const struct aerogpu_cmd_create_texture2d *packet =
            captured_at(&w, 0, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
        assert_int_equal(packet->format, 9);
        assert_int_equal(w.fake.submissions[0].list_count, i);
        if (i) {
            assert_int_equal(listed(&w, 0, res(texture)->alloc_handle), 0);
        }
        free_resource(&w, texture);
        world_close(&w);
    }
}

TEST(CRE_07_b5_formats)
{
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

HOST_TEST(CRE_09_host_texture)
{
    make_texture(w, 87, 5, 4, DEFAULT, SRV, 0);
    flush(w);
    const struct aerogpu_cmd_create_texture2d *packet = captured_at(w, 0, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->backing_alloc_id, 0);
    assert_int_equal(packet->row_pitch_bytes, 20);
    assert_int_equal(w->fake.submissions[0].list_count, 0);
}

GUEST_TEST(CRE_10_guest_texture)
{
    make_texture(w, 87, 5, 4, DEFAULT, SRV, 0);
    flush(w);
    const struct aerogpu_cmd_create_texture2d *packet = captured_at(w, 0, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_not_equal(packet->backing_alloc_id, 0);
    assert_true(packet->row_pitch_bytes >= 20);
    assert_int_equal(listed(w, 0, packet->backing_alloc_id), 0);
}

GUEST_TEST(CRE_11_guest_mips_and_array)
{
    struct agpu_resource_desc desc = texture_desc(87, 4, 4, DEFAULT, SRV, 0);
    desc.MipLevels = 3;
    desc.ArraySize = 2;
    make(w, &desc);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->width, 4);
    assert_int_equal(packet->height, 4);
    assert_int_equal(packet->mip_levels, 3);
    assert_int_equal(packet->array_layers, 2);
    assert_int_equal(packet->row_pitch_bytes, 64);
    assert_int_not_equal(packet->backing_alloc_id, 0);
}

/* Size 0 means exactly the size required for the returned pitch (umd.md 4). */
GUEST_TEST(guest_size_zero)
{
    w->fake.zero_bytes = true;
    struct agpu_resource_desc desc = texture_desc(87, 4, 4, DEFAULT, SRV, 0);
    desc.MipLevels = 3;
    desc.ArraySize = 2;
    D3D10DDI_HRESOURCE texture = make(w, &desc);
    const struct aerogpu_cmd_create_texture2d *packet = recorded_at(w, AEROGPU_CMD_CREATE_TEXTURE2D, 0);
    assert_int_equal(packet->row_pitch_bytes, 64);
    assert_int_equal(res(texture)->bytes, 2 * (4 * 64 + 2 * 8 + 4));
    free_resource(w, texture);
    free_resource(w, make_buffer(w, 20, DEFAULT, D3D10_DDI_BIND_VERTEX_BUFFER, 0));
    /* Any other size is the available size. */
    w->fake.zero_bytes = false;
    w->fake.force_bytes = 2 * (4 * 64 + 2 * 8 + 4) - 1;
    refuse_create(w, &desc, E_OUTOFMEMORY);
}

static D3D10DDI_HRESOURCE buffer_with_data(struct world *w, uint32_t bytes)
{
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = pattern};
    struct agpu_resource_desc desc = buffer_desc(bytes, DEFAULT, VB, 0);

    desc.pInitialDataUP = &data;
    desc.InitialDataCount = 1;
    return make(w, &desc);
}

/* Host-owned buffer with data: CREATE_BUFFER and one upload of the padded size, with zero padding. */
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

TEST(CRE_12_host_buffer_data)
{
    check_host_buffer(16);
}

TEST(CRE_15_storage_usage)
{
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

HOST_TEST(each_usage_of_a_buffer)
{
    static const struct {
        uint32_t bind, usage;
    } rows[] = {
        {D3D10_DDI_BIND_VERTEX_BUFFER, AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER},
        {D3D10_DDI_BIND_INDEX_BUFFER, AEROGPU_RESOURCE_USAGE_INDEX_BUFFER},
        {D3D10_DDI_BIND_CONSTANT_BUFFER, AEROGPU_RESOURCE_USAGE_CONSTANT_BUFFER},
        {D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER | SRV,
         AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER | AEROGPU_RESOURCE_USAGE_INDEX_BUFFER |
             AEROGPU_RESOURCE_USAGE_STORAGE},
        {0, 0},
    };

    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, DEFAULT, rows[i].bind, 0);
        const struct aerogpu_cmd_create_buffer *packet = recorded_at(w, AEROGPU_CMD_CREATE_BUFFER, i);

        assert_int_equal(packet->usage_flags, rows[i].usage);
        free_resource(w, buffer);
    }
}

HOST_TEST(CRE_16_texture_usage)
{
    static const struct {
        uint32_t format, bind, usage;
    } rows[] = {{87, 0, 0x8}, {87, SRV, 0x8}, {87, RT | SRV, 0x18}, {40, D3D10_DDI_BIND_DEPTH_STENCIL, 0x28}};

    for (uint32_t i = 0; i < 4; i++) {
        D3D10DDI_HRESOURCE texture = make_texture(w, rows[i].format, 4, 4, DEFAULT, rows[i].bind, 0);
        const struct aerogpu_cmd_create_texture2d *packet = recorded_at(w, AEROGPU_CMD_CREATE_TEXTURE2D, i);

        assert_int_equal(packet->usage_flags, rows[i].usage);
        free_resource(w, texture);
    }
}

/* Creates a texture whose subresources all have data from pattern, with rows source_pitch apart (0: tight). */
static HRESULT create_filled(struct world *w, D3D10DDI_HRESOURCE texture, struct agpu_resource_desc desc,
                             uint32_t count, uint32_t source_pitch)
{
    D3D10_DDIARG_SUBRESOURCE_UP data[8];

    for (uint32_t i = 0; i < 8; i++) {
        data[i] = (D3D10_DDIARG_SUBRESOURCE_UP){.pSysMem = pattern + i * 64, .SysMemPitch = source_pitch};
    }
    desc.pInitialDataUP = data;
    desc.InitialDataCount = count;
    return create(w, texture, &desc);
}

HOST_TEST(CRE_17_host_texture_data)
{
    D3D10DDI_HRESOURCE texture = new_resource(w);
    assert_int_equal(create_filled(w, texture, texture_desc(87, 3, 2, DEFAULT, SRV, 0), 1, 20), S_OK);
    const struct aerogpu_cmd_upload_resource *upload = recorded_at(w, AEROGPU_CMD_UPLOAD_RESOURCE, 0);
    assert_int_equal(upload->offset_bytes, 0);
    assert_int_equal(upload->size_bytes, 24);
    assert_memory_equal(upload + 1, pattern, 12);
    assert_memory_equal((const uint8_t *)(upload + 1) + 12, pattern + 20, 12);
    free_resource(w, texture);
}

GUEST_TEST(CRE_18_and_45_guest_texture_data)
{
    D3D10DDI_HRESOURCE texture = new_resource(w);
    assert_int_equal(create_filled(w, texture, texture_desc(87, 3, 2, DEFAULT, SRV, 0), 1, 20), S_OK);
    const uint8_t *memory = fake_find(&w->fake, res(texture)->alloc_handle)->memory;
    static const uint8_t zeros[52];
    for (uint32_t row = 0; row < 2; row++) {
        assert_memory_equal(memory + row * 64, pattern + row * 20, 12);
        assert_memory_equal(memory + row * 64 + 12, zeros, 52);
    }
    const struct aerogpu_cmd_resource_dirty_range *dirty =
        recorded_at(w, AEROGPU_CMD_RESOURCE_DIRTY_RANGE, 0);
    assert_int_equal(dirty->offset_bytes, 0);
    assert_int_equal(dirty->size_bytes, 128);
    free_resource(w, texture);
}

ALL_MODES_TEST(CRE_40_garbage_memory_and_check_order)
{
    struct agpu_resource_desc desc = texture_desc(0, 4, 4, DEFAULT, SRV, 0);
    desc.ResourceDimension = 999;
    refuse_create(w, &desc, E_NOTIMPL);
    desc.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D;
    desc.MiscFlags = D3D10_DDI_RESOURCE_MISC_SHARED;
    desc.MipLevels = 0;
    refuse_create(w, &desc, E_NOTIMPL);
}

/* The runtime replaces counts of 0 by what they stand for; no driver gets them. */
HOST_TEST(no_mips_and_no_layers)
{
    const struct agpu_resource_desc desc = texture_desc(87, 4, 4, DEFAULT, SRV, 0);

    for (int i = 0; i < 2; i++) {
        struct agpu_resource_args made;
        D3D10DDI_HRESOURCE texture = new_resource(w);

        agpu_resource_args(&desc, &made);
        *(i == 0 ? &made.args.MipLevels : &made.args.ArraySize) = 0;
        w->api.own_funcs.pfnCreateResource(w->device, &made.args, texture, (D3D10DDI_HRTRESOURCE){NULL});
        expect_errors(w, 1, E_INVALIDARG);
        assert_int_equal(res(texture)->handle, 0);
        free_resource(w, texture);
    }
}

HOST_TEST(CRE_41_bc_5x5)
{
    static const struct {
        uint32_t dxgi, protocol, pitch;
    } rows[] = {{71, 0x40, 16}, {72, 0x41, 16}, {74, 0x42, 32}, {75, 0x43, 32},
                {77, 0x44, 32}, {78, 0x45, 32}, {98, 0x46, 32}, {99, 0x47, 32}};

    for (uint32_t i = 0; i < 8; i++) {
        D3D10DDI_HRESOURCE texture =
            make_texture(w, rows[i].dxgi, 5, 5, D3D10_DDI_USAGE_STAGING, 0, D3D10_DDI_CPU_ACCESS_WRITE);
        const struct aerogpu_cmd_create_texture2d *packet = recorded_at(w, AEROGPU_CMD_CREATE_TEXTURE2D, i);
        assert_int_equal(packet->format, rows[i].protocol);
        assert_int_equal(packet->row_pitch_bytes, rows[i].pitch);
        assert_int_equal(res(texture)->bytes, 2 * rows[i].pitch);
        D3D10DDI_MAPPED_SUBRESOURCE mapped;
        assert_int_equal(map(w, texture, 0, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK);
        assert_int_equal(mapped.DepthPitch, 2 * rows[i].pitch);
        unmap(w, texture, 0);
        free_resource(w, texture);
    }
}
