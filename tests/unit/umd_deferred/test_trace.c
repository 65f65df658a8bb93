/* test_trace.c: calls on deferred contexts leave the same trace lines as on the immediate context (umd.md 18). */
#include "tests/unit/umd/traced.h"
#include "tests/unit/umd_deferred/rig.h"

static struct world w;

#define CALL(text, call) TRACED(&w.fake, text, call)

TEST(one_line_per_call)
{
    rig_open(&w, AGPU_BACKING_WDK);
    D3D10DDI_HRESOURCE dynamic = make_buffer(&w, 64, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_CONSTANT_BUFFER,
                                             D3D10_DDI_CPU_ACCESS_WRITE);
    D3D10DDI_HRESOURCE plain = make_buffer(&w, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    w.fake.options.trace_level = AGPU_TRACE_STATE; /* a list uses the options at its start */
    struct dc dc;
    dc_open(&dc, &w);
    D3D10DDI_HRESOURCE map_me = dc_resource(&dc, dynamic), copy_me = dc_resource(&dc, plain);
    assert_string_equal(w.fake.log, "AEROGPU_D3D11DDI: CreateResource -> hr=0x00000000");
    const D3D10DDI_HDEVICE d = dc.handle;
    const struct agpu_api_context *c = &dc.fn;
    static const uint32_t words[16];
    D3D10DDI_MAPPED_SUBRESOURCE m;
    HRESULT hr;
    for (int i = 0; i < 2; i++) {
        CALL("IaSetTopology topology=5", c->pfnIaSetTopology(d, 5));
        CALL("VsSetConstantBuffers", c->pfnVsSetConstantBuffers(d, 0, 1, &map_me));
        CALL("SetViewports", c->pfnSetViewports(d, 0, 0, NULL));
        CALL("Draw count=3", c->pfnDraw(d, 3, 0));
    }
    CALL("DrawInstancedIndirect", c->pfnDrawInstancedIndirect(d, copy_me, 0));
    CALL("DynamicConstantBufferMapDiscard symbol=",
         hr = c->pfnDynamicConstantBufferMapDiscard(d, map_me, 0, 0, 0, &m));
    assert_int_equal(hr, S_OK);
    CALL("DynamicConstantBufferUnmap symbol=", c->pfnDynamicConstantBufferUnmap(d, map_me, 0));
    CALL("ResourceUpdateSubresourceUP", c->pfnResourceUpdateSubresourceUP(d, copy_me, 0, NULL, words, 0, 0));
    CALL("ResourceCopy", c->pfnResourceCopy(d, copy_me, copy_me));
    CALL("ClearState", c->pfnClearState(d));
    CALL("Flush -> hr=0x80070057", hr = c->pfnFlush(d));
    CALL("Present -> hr=0x80070057", hr = c->pfnPresent(d, NULL));
    dc_expect_errors(&dc, 1, E_INVALIDARG); /* of Flush, whose result it is */
    D3D11DDI_HCOMMANDLIST list = dc_finish(&dc, NULL);
    assert_non_null(strstr(w.fake.log_all, "AEROGPU_D3D11DDI: CreateCommandList bytes="));
    CALL("CommandListExecute bytes=", execute(&w, list));
    CALL("DestroyCommandList", free_list(&w, list));
    uint32_t lines = w.fake.log_lines;
    w.fake.options.trace_level = AGPU_TRACE_OFF;
    dc_free_resource(&dc, map_me);
    dc_free_resource(&dc, copy_me);
    dc_close(&dc);
    world_close(&w);
    /* The list under construction started with tracing, which stays on until its end: two local handles. */
    assert_int_equal(w.fake.log_lines, lines + 2);
}
