/* test_format.c: formats, gates, layout arithmetic (required behaviours FMT). */
#include "pci/protocol/aerogpu_pci.h"
#include "tests/unit/umd/world.h"
#include "umd-port/format/layout.h"
#include "umd-port/format/format.h"
#include "umd-port/state/convert.h"

static struct aerogpu_umd_private_v1 blob(uint32_t abi, uint64_t features)
{
    return (struct aerogpu_umd_private_v1){
        .size_bytes = 64, .struct_version = 1, .device_abi_version_u32 = abi, .device_features = features};
}

static struct agpu_adapter adapter_with(uint32_t abi, uint64_t features)
{
    return (struct agpu_adapter){.info = blob(abi, features), .info_valid = true};
}

/* One row of umd.md 2.1: DXGI, protocol, bytes, FORMAT_SUPPORT word. */
static const struct {
    uint32_t dxgi, protocol, bytes, support;
} rows[] = {
    {85, 5, 2, 0xAC220},     {86, 6, 2, 0xAC220},     {87, 1, 4, 0xAC220},     {90, 1, 4, 0xAC220},
    {91, 7, 4, 0xAC220},     {88, 2, 4, 0xAC220},     {92, 2, 4, 0xAC220},     {93, 8, 4, 0xAC220},
    {28, 3, 4, 0xAC220},     {27, 3, 4, 0xAC220},     {29, 9, 4, 0xAC220},     {70, 0x40, 8, 0x20220},
    {71, 0x40, 8, 0x20220},  {72, 0x41, 8, 0x20220},  {73, 0x42, 16, 0x20220}, {74, 0x42, 16, 0x20220},
    {75, 0x43, 16, 0x20220}, {76, 0x44, 16, 0x20220}, {77, 0x44, 16, 0x20220}, {78, 0x45, 16, 0x20220},
    {97, 0x46, 16, 0x20220}, {98, 0x46, 16, 0x20220}, {99, 0x47, 16, 0x20220}, {45, 0x20, 4, 0x10020},
    {40, 0x21, 4, 0x10020},  {57, 0, 2, 0x105},       {42, 0, 4, 0x105},       {39, 0, 4, 0x101},
    {41, 0, 4, 0x101},       {43, 0, 4, 0x101},       {16, 0, 8, 0x103},       {6, 0, 12, 0x103},
    {2, 0, 16, 0x103},
};

TEST(FMT_01_and_22_table)
{
    const struct agpu_adapter adapter = adapter_with(0x10004, 0x10);
    for (uint32_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            assert_int_equal(agpu_adapter_protocol_format(&adapter, rows[i].dxgi), rows[i].protocol);
            assert_int_equal(agpu_format_support_word(agpu_adapter_format_caps(&adapter, rows[i].dxgi)),
                             rows[i].support);
        }
    }
    static const uint32_t plain_buffers[] = {39, 41, 43};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(agpu_adapter_format_caps(&adapter, plain_buffers[i]), AGPU_CAP_BUFFER);
    }
}

TEST(FMT_02_unknown)
{
    const struct agpu_adapter adapter = adapter_with(0x10004, 0x10);
    for (uint32_t dxgi = 0; dxgi < 200; dxgi++) {
        bool known = false;

        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            known |= rows[i].dxgi == dxgi;
        }
        if (known) {
            continue;
        }
        assert_int_equal(agpu_adapter_protocol_format(&adapter, dxgi), 0);
        assert_int_equal(agpu_adapter_format_caps(&adapter, dxgi), 0);
    }
    assert_int_equal(agpu_adapter_protocol_format(&adapter, 0xFFFFFFFF), 0);
}

TEST(FMT_03_and_04_srgb_fallback)
{
    struct agpu_adapter adapter = adapter_with(0x10001, 0x10);
    assert_int_equal(agpu_adapter_protocol_format(&adapter, 91), 1);
    assert_int_equal(agpu_adapter_protocol_format(&adapter, 93), 2);
    assert_int_equal(agpu_adapter_protocol_format(&adapter, 29), 3);
    adapter.info.device_abi_version_u32 = 0x10002;
    assert_int_equal(agpu_adapter_protocol_format(&adapter, 91), 7);
}

HOST_TEST(FMT_05_bc_gate)
{
    adapter_of(w)->info.device_abi_version_u32 = 0x10001;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].protocol < 0x40) {
            continue;
        }
        assert_int_equal(agpu_adapter_format_caps(adapter_of(w), rows[i].dxgi), 0);
        D3D10DDI_HRESOURCE texture = new_resource(w);
        const struct agpu_resource_desc desc =
            texture_desc(rows[i].dxgi, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
        assert_int_equal(create(w, texture, &desc), E_NOTIMPL);
        free_resource(w, texture);
    }
}

TEST(FMT_06_transfer_gate)
{
    struct agpu_adapter adapter = adapter_with(0x10000, 0x10);
    assert_false(agpu_gate_transfer(&adapter));
    adapter = adapter_with(0x10001, 0);
    assert_false(agpu_gate_transfer(&adapter));
    adapter = adapter_with(0x10001, 0x10);
    assert_true(agpu_gate_transfer(&adapter));
}

/* The device asks its adapter: there is no second copy of the private data. */
HOST_TEST(FMT_07_device_and_adapter_agree)
{
    for (uint32_t minor = 0; minor <= 4; minor++) {
        adapter_of(w)->info.device_abi_version_u32 = 0x10000 | minor;
        const struct agpu_adapter *adapter = device_of(w)->adapter;
        assert_int_equal(agpu_gate_transfer(adapter), minor >= 1);
        assert_int_equal(agpu_gate_srgb(adapter), minor >= 2);
        assert_int_equal(agpu_gate_bc(adapter), minor >= 2);
        assert_int_equal(agpu_gate_texture_view(adapter), minor >= 4);
    }
}

TEST(FMT_08_and_23_no_gates)
{
    struct agpu_adapter adapter = adapter_with(0x20004, 0x10);
    adapter.info.flags = AEROGPU_UMDPRIV_FLAG_HAS_VBLANK;
    for (int round = 0; round < 2; round++) {
        assert_false(agpu_gate_transfer(&adapter));
        assert_false(agpu_gate_srgb(&adapter));
        assert_false(agpu_gate_bc(&adapter));
        assert_false(agpu_gate_texture_view(&adapter));
        assert_false(agpu_gate_vblank(&adapter));
        assert_int_equal(agpu_adapter_protocol_format(&adapter, 91), 1);
        adapter.info.device_abi_version_u32 = 0x10004;
        adapter.info_valid = false; /* FMT-23 */
    }
}

TEST(FMT_09_filter)
{
    assert_int_equal(agpu_convert_filter(0), AEROGPU_SAMPLER_FILTER_NEAREST);
    assert_int_equal(agpu_convert_filter(0x15), AEROGPU_SAMPLER_FILTER_LINEAR);
    assert_int_equal(agpu_convert_filter(0x55), AEROGPU_SAMPLER_FILTER_LINEAR);
}

TEST(FMT_10_address)
{
    static const uint32_t expected[] = {1, 2, 0, 0, 0};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(agpu_convert_address(i + 1), expected[i]);
    }
}

HOST_TEST(FMT_11_index_format)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 64, 0, D3D10_DDI_BIND_INDEX_BUFFER, 0);
    static const struct {
        uint32_t format, offset;
        HRESULT hr;
        uint32_t expected;
    } cases[] = {{42, 4, S_OK, 1},
                 {57, 2, S_OK, 0},
                 {42, 2, E_INVALIDARG, 0},
                 {57, 1, E_INVALIDARG, 0},
                 {28, 0, E_INVALIDARG, 0}};
    for (uint32_t i = 0; i < 5; i++) {
        flush(w);
        w->ctx.pfnIaSetIndexBuffer(w->device, buffer, cases[i].format, cases[i].offset);
        expect_errors(w, cases[i].hr != S_OK, cases[i].hr);
        assert_int_equal(recorded(w, AEROGPU_CMD_SET_INDEX_BUFFER), cases[i].hr == S_OK);
        if (cases[i].hr == S_OK) {
            const struct aerogpu_cmd_set_index_buffer *packet =
                recorded_at(w, AEROGPU_CMD_SET_INDEX_BUFFER, 0);
            assert_int_equal(packet->format, cases[i].expected);
            assert_int_equal(packet->offset_bytes, cases[i].offset);
        }
    }
}

TEST(FMT_12_comparison)
{
    for (uint32_t i = 1; i <= 8; i++) {
        assert_int_equal(agpu_convert_comparison(i), i - 1);
    }
    assert_int_equal(agpu_convert_comparison(0), 7);
    assert_int_equal(agpu_convert_comparison(9), 7);
}

TEST(FMT_13_sizes)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(agpu_format_find(rows[i].dxgi)->bytes, rows[i].bytes);
        assert_int_equal(agpu_format_find(rows[i].dxgi)->block, rows[i].protocol >= 0x40 ? 4 : 1);
    }
}

TEST(FMT_14_multisample)
{
    const struct agpu_adapter adapter = adapter_with(0x10004, 0x10);
    assert_int_equal(agpu_adapter_multisample_levels(&adapter, 87, 1), 1);
    assert_int_equal(agpu_adapter_multisample_levels(&adapter, 87, 4), 0);
    assert_int_equal(agpu_adapter_multisample_levels(&adapter, 71, 1), 0);
}

static uint32_t tight(uint32_t dxgi, uint32_t width)
{
    uint32_t pitch;

    assert_true(agpu_layout_tight_pitch(agpu_format_find(dxgi), width, &pitch));
    return pitch;
}

TEST(FMT_15_tight_pitch)
{
    assert_int_equal(tight(71, 3), 8);
    assert_int_equal(tight(98, 5), 32);
    assert_int_equal(tight(85, 3), 6);
}

static struct agpu_texture_layout layout_of(uint32_t dxgi, uint32_t size, uint32_t mips, uint32_t layers,
                                            uint32_t pitch)
{
    struct agpu_texture_layout layout;

    assert_true(agpu_layout_build(&layout, agpu_format_find(dxgi), size, size, mips, layers, pitch));
    return layout;
}

TEST(FMT_16_bc_layout)
{
    const struct agpu_texture_layout layout = layout_of(71, 4, 3, 1, 8);
    for (uint32_t i = 0; i < 3; i++) {
        struct agpu_subresource sub;

        assert_true(agpu_layout_subresource(&layout, i, &sub));
        assert_int_equal(sub.offset, 8 * i);
    }
    assert_int_equal(layout.total_bytes, 24);
}

TEST(FMT_17_mip_layout)
{
    const struct agpu_texture_layout layout = layout_of(28, 4, 3, 1, 64);
    static const uint32_t sizes[] = {256, 16, 4};
    for (uint32_t i = 0; i < 3; i++) {
        struct agpu_subresource sub;

        assert_true(agpu_layout_subresource(&layout, i, &sub));
        assert_int_equal(sub.bytes, sizes[i]);
    }
}

TEST(FMT_18_array_layout)
{
    const struct agpu_texture_layout layout = layout_of(28, 4, 3, 2, 64);
    struct agpu_subresource sub;
    assert_true(agpu_layout_subresource(&layout, 3, &sub));
    assert_int_equal(sub.offset, layout.layer_bytes);
    assert_int_equal(layout.layer_bytes, 276);
    assert_false(agpu_layout_subresource(&layout, 6, &sub));
}

HOST_TEST(FMT_19_overflow)
{
    uint32_t pitch;
    struct agpu_texture_layout layout;
    assert_false(agpu_layout_tight_pitch(agpu_format_find(71), 0xFFFFFFFF, &pitch));
    assert_false(agpu_layout_build(&layout, agpu_format_find(71), 0xFFFFFFFF, 4, 1, 1, 8));
    assert_false(
        agpu_layout_build(&layout, agpu_format_find(28), 0x3FFFFFFF, 0xFFFFFFFF, 1, 0xFFFFFFFF, 0xFFFFFFFC));

    D3D10DDI_HRESOURCE texture = new_resource(w);
    const struct agpu_resource_desc desc =
        texture_desc(28, 0xFFFFFFFF, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    assert_int_equal(create(w, texture, &desc), E_OUTOFMEMORY);
    free_resource(w, texture);
}

TEST(FMT_20_offset_lookup)
{
    const struct agpu_texture_layout layout = layout_of(28, 4, 3, 2, 64);
    struct agpu_subresource sub;
    assert_true(agpu_layout_at(&layout, 551, &sub));
    assert_int_equal(sub.mip, 2);
    assert_true(agpu_layout_at(&layout, 0, &sub));
    assert_int_equal(sub.mip, 0);
    assert_true(agpu_layout_at(&layout, 256, &sub));
    assert_int_equal(sub.mip, 1);
    assert_false(agpu_layout_at(&layout, 552, &sub));
    assert_false(agpu_layout_at(&layout, UINT64_MAX, &sub));
}

TEST(FMT_21_old_abi)
{
    const struct agpu_adapter adapter = adapter_with(0x10001, 0x10);
    assert_int_equal(agpu_adapter_format_caps(&adapter, 91), 0);
    assert_int_equal(agpu_adapter_protocol_format(&adapter, 87), 1);
    assert_int_equal(agpu_adapter_multisample_levels(&adapter, 87, 1), 1);
    assert_int_equal(agpu_adapter_multisample_levels(&adapter, 71, 1), 0);
    assert_int_equal(agpu_adapter_multisample_levels(&adapter, 40, 1), 1);
}
