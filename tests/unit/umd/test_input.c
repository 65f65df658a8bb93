/* test_input.c: input assembler, shader binding, draws and dispatches (required behaviours STA). */
#include "tests/unit/umd/one_world.h"
#include "umd-port/state/objects.h"

FIXTURE(open_world, close_world);

TEST(STA_18_topology)
{
    w.ctx.pfnIaSetTopology(w.device, 4);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnIaSetTopology(w.device, 2);
    w.ctx.pfnIaSetTopology(w.device, 2);
    const struct aerogpu_cmd_set_primitive_topology *packet = only(AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY);
    assert_int_equal(packet->topology, 2);
    world_bound_stream(&w, 0);
    w.ctx.pfnIaSetTopology(w.device, 5);
    expect_errors(&w, 1, E_OUTOFMEMORY);
    world_bound_stream(&w, 64);
    w.ctx.pfnIaSetTopology(w.device, 5);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY), 1);
}

TEST(STA_23_and_24_vertex_buffers)
{
    D3D10DDI_HRESOURCE vb = make_buffer(&w, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    flush(&w);
    const uint32_t strides[2] = {12, 16}, offsets[2] = {4, 8};
    const D3D10DDI_HRESOURCE two[2] = {vb, {NULL}};
    w.ctx.pfnIaSetVertexBuffers(w.device, 31, 1, two, strides, offsets);
    const struct aerogpu_cmd_set_vertex_buffers *packet = only(AEROGPU_CMD_SET_VERTEX_BUFFERS);
    assert_int_equal(packet->start_slot, 31);
    assert_int_equal(packet->buffer_count, 1);
    w.ctx.pfnIaSetVertexBuffers(w.device, 31, 2, two, strides, offsets);
    expect_errors(&w, 1, E_INVALIDARG);
    w.ctx.pfnIaSetVertexBuffers(w.device, 0xFFFFFFFF, 2, two, strides, offsets);
    expect_errors(&w, 1, E_INVALIDARG);
    w.ctx.pfnIaSetVertexBuffers(w.device, 0, 1, NULL, strides, offsets);
    expect_errors(&w, 1, E_INVALIDARG);
    assert_int_equal(recorded_total(&w), 1);
    flush(&w);
    w.ctx.pfnIaSetVertexBuffers(w.device, 0, 2, two, strides,
                                offsets); /* a null entry stores stride and offset */
    packet = only(AEROGPU_CMD_SET_VERTEX_BUFFERS);
    const struct aerogpu_vertex_buffer_binding expected[] = {{res(vb)->handle, 12, 4, 0}, {0, 16, 8, 0}};
    assert_memory_equal(packet + 1, expected, sizeof expected);
    flush(&w);
    w.ctx.pfnIaSetVertexBuffers(w.device, 4, 0, NULL, NULL, NULL);
    packet = only(AEROGPU_CMD_SET_VERTEX_BUFFERS);
    assert_int_equal(packet->start_slot, 4);
    assert_int_equal(packet->buffer_count, 28);
    free_resource(&w, vb);
}

TEST(STA_25_and_33_constant_buffers)
{
    D3D10DDI_HRESOURCE cb = make_buffer(&w, 20, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    D3D10DDI_HRESOURCE texture = make_texture(&w, 28, 4, 4, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    flush(&w);
    const D3D10DDI_HRESOURCE buffers[3] = {cb, texture, {NULL}};
    w.ctx.pfnPsSetConstantBuffers(w.device, 14, 1, buffers);
    w.ctx.pfnPsSetConstantBuffers(w.device, 0, 0, buffers);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnPsSetConstantBuffers(w.device, 12, 3, buffers);
    const struct aerogpu_cmd_set_constant_buffers *packet = only(AEROGPU_CMD_SET_CONSTANT_BUFFERS);
    assert_int_equal(packet->shader_stage, 1);
    assert_int_equal(packet->start_slot, 12);
    assert_int_equal(packet->buffer_count, 2);
    assert_int_equal(packet->reserved0, 0);
    const struct aerogpu_constant_buffer_binding expected[] = {{res(cb)->handle, 0, 20, 0}, {0, 0, 0, 0}};
    assert_memory_equal(packet + 1, expected, sizeof expected);
    free_resource(&w, cb);
    free_resource(&w, texture);
}

TEST(STA_26_dispatch)
{
    w.ctx.pfnDispatch(w.device, 1, 0, 1);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnDispatch(w.device, 1, 2, 3);
    const struct aerogpu_cmd_dispatch *packet = only(AEROGPU_CMD_DISPATCH);
    const uint32_t expected[] = {AEROGPU_CMD_DISPATCH, 24, 1, 2, 3, 0};
    assert_memory_equal(packet, expected, sizeof expected);
}

TEST(STA_27_28_36_draws)
{
    w.ctx.pfnDrawInstanced(w.device, 3, 4, 5, 6);
    const uint32_t instanced[] = {AEROGPU_CMD_DRAW, 24, 3, 4, 5, 6};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW, 0), instanced, sizeof instanced);
    w.ctx.pfnDrawIndexedInstanced(w.device, 3, 4, 5, -6, 7);
    const uint32_t indexed[] = {AEROGPU_CMD_DRAW_INDEXED, 28, 3, 4, 5, (uint32_t)-6, 7};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW_INDEXED, 0), indexed, sizeof indexed);
    w.ctx.pfnDrawAuto(w.device);
    const uint32_t automatic[] = {AEROGPU_CMD_DRAW, 24, 0, 1, 0, 0};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW, 1), automatic, sizeof automatic);
    flush(&w);
    w.ctx.pfnDrawInstanced(w.device, 0, 4, 5, 6);
    w.ctx.pfnDrawInstanced(w.device, 3, 0, 5, 6);
    w.ctx.pfnDrawIndexedInstanced(w.device, 0, 1, 0, 0, 0);
    w.ctx.pfnDrawIndexedInstanced(w.device, 1, 0, 0, 0, 0);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnDraw(w.device, 0, 9);
    w.ctx.pfnDrawIndexed(w.device, 0, 9, -1);
    const uint32_t draw[] = {AEROGPU_CMD_DRAW, 24, 0, 1, 9, 0};
    const uint32_t draw_indexed[] = {AEROGPU_CMD_DRAW_INDEXED, 28, 0, 1, 9, (uint32_t)-1, 0};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW, 0), draw, sizeof draw);
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW_INDEXED, 0), draw_indexed, sizeof draw_indexed);
}

TEST(STA_29_indirect)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(&w, 24, 0, 0, 0);
    const uint32_t words[6] = {9, 3, 4, 5, (uint32_t)-6, 7};
    update(&w, buffer, 0, NULL, words, 0);
    flush(&w);
    w.ctx.pfnDrawInstancedIndirect(w.device, buffer, 2);
    w.ctx.pfnDrawInstancedIndirect(w.device, buffer, 12);
    w.ctx.pfnDrawIndexedInstancedIndirect(w.device, buffer, 8);
    w.ctx.pfnDispatchIndirect(w.device, buffer, 16);
    expect_errors(&w, 4, E_INVALIDARG);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnDrawInstancedIndirect(w.device, buffer, 0);
    w.ctx.pfnDrawIndexedInstancedIndirect(w.device, buffer, 4);
    w.ctx.pfnDispatchIndirect(w.device, buffer, 4);
    const uint32_t draw[] = {AEROGPU_CMD_DRAW, 24, 9, 3, 4, 5};
    const uint32_t indexed[] = {AEROGPU_CMD_DRAW_INDEXED, 28, 3, 4, 5, (uint32_t)-6, 7};
    const uint32_t dispatch[] = {AEROGPU_CMD_DISPATCH, 24, 3, 4, 5, 0};
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW, 0), draw, sizeof draw);
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DRAW_INDEXED, 0), indexed, sizeof indexed);
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_DISPATCH, 0), dispatch, sizeof dispatch);
    free_resource(&w, buffer);
}

/* Any count of zero means no work, whether it comes from memory or from the arguments. */
TEST(indirect_counts_of_zero)
{
    const uint32_t words[8] = {9, 0, 9, 9, 0, 9, 9, 9};

    D3D10DDI_HRESOURCE buffer = make_buffer(&w, sizeof words, 0, 0, 0);
    update(&w, buffer, 0, NULL, words, 0);
    flush(&w);
    for (uint32_t first = 0; first < 2; first++) {
        w.ctx.pfnDrawInstancedIndirect(w.device, buffer, first * 4);
        w.ctx.pfnDrawIndexedInstancedIndirect(w.device, buffer, first * 4);
    }
    for (uint32_t first = 0; first < 2; first++) {
        w.ctx.pfnDispatchIndirect(w.device, buffer, first * 4);
        w.ctx.pfnDispatchIndirect(w.device, buffer, (first + 3) * 4);
    }
    w.ctx.pfnDispatchIndirect(w.device, buffer, 2 * 4);
    assert_int_equal(recorded_total(&w), 0);
    w.ctx.pfnDispatchIndirect(w.device, buffer, 5 * 4);
    assert_int_equal(recorded_total(&w), 1);
    free_resource(&w, buffer);
}

TEST(STA_32_null_arrays)
{
    w.ctx.pfnPsSetConstantBuffers(w.device, 0, 2, NULL);
    w.ctx.pfnPsSetSamplers(w.device, 0, 2, NULL);
    w.ctx.pfnPsSetShaderResources(w.device, 0, 2, NULL);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_CONSTANT_BUFFERS), 1);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_SAMPLERS), 1);
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_TEXTURE), 0);
    const struct aerogpu_cmd_set_samplers *samplers = recorded_at(&w, AEROGPU_CMD_SET_SAMPLERS, 0);
    assert_int_equal(samplers->sampler_count, 2);
    assert_memory_equal(samplers + 1, "\0\0\0\0\0\0\0\0", 8);
}

static struct agpu_shader make_shader(HRESULT (*create_entry)(D3D10DDI_HDEVICE,
                                                              const D3D10DDIARG_CREATESHADER *,
                                                              D3D10DDI_HSHADER, D3D10DDI_HRTSHADER),
                                      uint32_t bytes)
{
    static const uint8_t code[] = "DXBC code of some length";
    const D3D10DDIARG_CREATESHADER args = {code, bytes};
    struct agpu_shader shader;

    assert_int_equal(create_entry(w.device, &args, (D3D10DDI_HSHADER){&shader}, (D3D10DDI_HRTSHADER){NULL}),
                     S_OK);
    return shader;
}

TEST(STA_34_bind_shaders)
{
    struct agpu_shader vs = make_shader(w.dev.pfnCreateVertexShader, 8),
                       ps = make_shader(w.dev.pfnCreatePixelShader, 8);
    struct agpu_shader gs = make_shader(w.dev.pfnCreateGeometryShader, 8);
    flush(&w);
    w.ctx.pfnVsSetShader(w.device, (D3D10DDI_HSHADER){&vs});
    w.ctx.pfnPsSetShader(w.device, (D3D10DDI_HSHADER){&ps});
    w.ctx.pfnPsSetShader(w.device, (D3D10DDI_HSHADER){&ps}); /* repeats are not dropped */
    const uint32_t expected[] = {AEROGPU_CMD_BIND_SHADERS, 24, vs.handle, ps.handle, 0, 0};
    assert_int_equal(recorded(&w, AEROGPU_CMD_BIND_SHADERS), 3);
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_BIND_SHADERS, 1), expected, sizeof expected);
    assert_memory_equal(recorded_at(&w, AEROGPU_CMD_BIND_SHADERS, 2), expected, sizeof expected);
    w.ctx.pfnGsSetShader(w.device, (D3D10DDI_HSHADER){&gs});
    const struct aerogpu_cmd_bind_shaders *packet = recorded_at(&w, AEROGPU_CMD_BIND_SHADERS, 3);
    assert_int_equal(packet->reserved0, gs.handle);
    flush(&w);
    w.ctx.pfnIaSetInputLayout(w.device, (D3D10DDI_HELEMENTLAYOUT){NULL});
    w.ctx.pfnIaSetInputLayout(w.device, (D3D10DDI_HELEMENTLAYOUT){NULL});
    assert_int_equal(recorded(&w, AEROGPU_CMD_SET_INPUT_LAYOUT), 2);
    w.dev.pfnDestroyShader(w.device, (D3D10DDI_HSHADER){&vs});
    w.dev.pfnDestroyShader(w.device, (D3D10DDI_HSHADER){&vs});
    assert_int_equal(recorded(&w, AEROGPU_CMD_DESTROY_SHADER), 1);
}

TEST(STA_35_input_layout)
{
    struct agpu_element_layout layout;
    const D3D10DDI_HELEMENTLAYOUT handle = {&layout};
    const D3D10DDI_HRTELEMENTLAYOUT rt = {NULL};
    static const D3D10DDIARG_INPUT_ELEMENT_DESC elements[] = {
        {"Position", 0, 6, 0, 0, 0, 0}, {"texcoord", 1, 16, 2, 0xFFFFFFFF, 1, 3}, {NULL, 0, 2, 0, 4, 0, 0}};
    D3D10DDIARG_CREATEELEMENTLAYOUT args = {NULL, 0};
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, &args, handle, rt), S_OK);
    const struct aerogpu_cmd_create_input_layout *packet = only(AEROGPU_CMD_CREATE_INPUT_LAYOUT);
    assert_int_equal(packet->blob_size_bytes, 16);
    args.NumElements = 1;
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, &args, handle, rt), E_INVALIDARG);
    args = (D3D10DDIARG_CREATEELEMENTLAYOUT){elements, 0};
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, &args, handle, rt), S_OK);
    flush(&w);
    args.NumElements = 3;
    assert_int_equal(w.dev.pfnCreateElementLayout(w.device, &args, handle, rt), S_OK);
    packet = only(AEROGPU_CMD_CREATE_INPUT_LAYOUT);
    assert_int_equal(packet->input_layout_handle, layout.handle);
    assert_int_equal(packet->blob_size_bytes, 16 + 3 * 28);
    const uint32_t expected[] = {0x59414C49, 1, 3,          0, 0x7808E88A, 0, 6, 0, 0, 0, 0, 0x0BC45413, 1,
                                 16,         2, 0xFFFFFFFF, 1, 3,          0, 0, 2, 0, 4, 0, 0};
    assert_memory_equal(packet + 1, expected, sizeof expected);
    w.ctx.pfnIaSetInputLayout(w.device, handle);
    const struct aerogpu_cmd_set_input_layout *set = recorded_at(&w, AEROGPU_CMD_SET_INPUT_LAYOUT, 0);
    assert_int_equal(set->input_layout_handle, layout.handle);
    w.dev.pfnDestroyElementLayout(w.device, handle);
    w.dev.pfnDestroyElementLayout(w.device, handle);
    assert_int_equal(recorded(&w, AEROGPU_CMD_DESTROY_INPUT_LAYOUT), 1);
}
