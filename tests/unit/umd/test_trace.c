/* test_trace.c: umd.md 18: trace lines if enabled, none otherwise, and the same packets either way. */
#include <stdio.h>

#include "tests/unit/umd/world.h"

#include "umd-port/base/trace.h"

/* Makes some calls of each trace class. Returns the size of the recorded stream. */
static uint32_t run(struct world *w, uint8_t *stream, uint32_t room)
{
    D3D10DDI_HRESOURCE buffer = make_buffer(w, 16, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);

    update(w, buffer, 0, NULL, "0123456789abcdef", 0);
    w->ctx.pfnIaSetTopology(w->device, 5);
    w->ctx.pfnIaSetTopology(w->device, 5);
    w->ctx.pfnDraw(w->device, 3, 0);
    uint32_t bytes = (uint32_t)agpu_cmd_used(&device_of(w)->imm.cmd);
    assert_true(bytes <= room);
    memcpy(stream, device_of(w)->imm.cmd.base, bytes);
    flush(w);
    free_resource(w, buffer);
    return bytes;
}

/* The first traced open of a process names the module. So no test before this one may trace an open. */
TEST(first_open_names_the_module)
{
    for (int i = 0; i < 2; i++) {
        struct world w;

        world_fake(&w, AGPU_BACKING_HOST);
        w.fake.options.trace_level = AGPU_TRACE_CALLS;
        w.fake.env.module_path = i ? "elsewhere" : "\\EFI\\AGPU\\agpu.efi";
        world_start(&w);
        const char *module = "AEROGPU_D3D11DDI: aerogpu-d3d10_11: module_path=\\EFI\\AGPU\\agpu.efi\n";
        assert_int_equal(strncmp(w.fake.log_all, module, strlen(module)) == 0, i == 0);
        assert_null(strstr(w.fake.log_all, "elsewhere"));
        assert_non_null(strstr(w.fake.log_all, "AEROGPU_D3D11DDI: OpenAdapter11 interface=0x"));
        assert_non_null(strstr(w.fake.log_all, "AEROGPU_D3D11DDI: CreateDevice interface=0x"));
        assert_string_equal(strrchr(w.fake.log, '>'), "> hr=0x00000000");
        world_close(&w);
    }
}

TEST(off_writes_nothing_and_on_changes_nothing)
{
    static uint8_t streams[3][1024];
    uint32_t bytes[3], lines[3];
    for (uint8_t level = 0; level < 3; level++) {
        struct world w;

        world_fake(&w, AGPU_BACKING_HOST);
        w.fake.options.trace_level = level;
        w.fake.options.trace_resources = w.fake.options.trace_caps = level == 2;
        world_start(&w);
        bytes[level] = run(&w, streams[level], sizeof streams[level]);
        lines[level] = w.fake.log_lines;
        world_close(&w);
    }
    assert_int_equal(lines[0], 0);
    assert_true(lines[1] > 0);
    assert_true(lines[2] > lines[1]);
    for (int level = 1; level < 3; level++) {
        assert_int_equal(bytes[0], bytes[level]);
        assert_memory_equal(streams[0], streams[level], bytes[0]);
    }
}

HOST_TEST(switched_while_the_device_lives)
{
    w->ctx.pfnIaSetTopology(w->device, 5);
    w->fake.options.trace_level = AGPU_TRACE_STATE;
    assert_int_equal(w->fake.log_lines, 0);
    w->ctx.pfnDrawIndexed(w->device, 3, 7, -2);
    assert_int_equal(w->fake.log_lines, 1);
    assert_string_equal(w->fake.log, "AEROGPU_D3D11DDI: DrawIndexed count=3 first=7 base=-2");
    flush(w);
    assert_int_equal(w->fake.log_lines, 2);
    assert_string_equal(w->fake.log, "AEROGPU_D3D11DDI: Flush -> hr=0x00000000");
    /* A repeat leaves a trace line without a packet, each time. */
    for (int i = 0; i < 3; i++) {
        w->ctx.pfnIaSetTopology(w->device, 5);
    }
    assert_int_equal(w->fake.log_lines, 5);
    assert_int_equal(recorded(w, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY), 0);
    w->fake.options.trace_level = AGPU_TRACE_CALLS;
    w->ctx.pfnDraw(w->device, 3, 0);
    w->ctx.pfnIaSetTopology(w->device, 4);
    assert_int_equal(w->fake.log_lines, 5);
    w->fake.options.trace_level = AGPU_TRACE_OFF;
    flush(w);
    assert_int_equal(w->fake.log_lines, 5);
    w->fake.options.trace_level = AGPU_TRACE_CALLS;
    w->fake.env.log = NULL; /* without a log function: no line, no fault */
    flush(w);
}

/* Each open reports the shared counter of object handles, if trace_mic is set. */
HOST_TEST(mic_is_reported)
{
    D3D10DDIARG_OPENADAPTER open = {.hRTAdapter = {&w->fake},
                                    .Interface = D3D11_0_DDI_INTERFACE_VERSION,
                                    .pAdapterCallbacks = &w->fake.adapter_callbacks,
                                    .pAdapterFuncs_11 = &w->adapter_funcs};
    for (int on = 0; on <= 1; on++) {
        w->fake.options.trace_mic = (uint8_t)on;
        assert_int_equal(OpenAdapter11(&open), S_OK);
        assert_int_equal(strstr(w->fake.log_all, "trace_mic: GlobalHandleCounter ") != NULL, on);
        w->adapter_funcs.pfnCloseAdapter(open.hAdapter);
    }
}

HOST_TEST(failed_calls_report_the_reason)
{
    w->fake.options.trace_level = AGPU_TRACE_CALLS;
    struct agpu_resource_desc desc = texture_desc(28, 4, 4, 0, 0, 0);
    desc.ResourceDimension = D3D10DDIRESOURCE_TEXTURE3D;
    D3D10DDI_HRESOURCE none = new_resource(w);
    w->fake.log_lines = 0;
    assert_int_equal(create(w, none, &desc), E_NOTIMPL);
    assert_int_equal(w->fake.log_lines, 1);
    assert_string_equal(w->fake.log, "AEROGPU_D3D11DDI: CreateResource handle=0 alloc_id=0 -> hr=0x80004001");
    free_resource(w, none);
    D3D10DDIARG_OPENADAPTER open = {.Interface = 1,
                                    .pAdapterCallbacks = &w->fake.adapter_callbacks,
                                    .pAdapterFuncs_11 = &w->adapter_funcs};
    assert_int_equal(OpenAdapter11(&open), E_INVALIDARG);
    assert_string_equal(strrchr(w->fake.log, '>'), "> hr=0x80070057");
}

WDK_TEST(resource_details)
{
    w->fake.options.trace_resources = 1;
    struct agpu_resource_desc desc = buffer_desc(20, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    desc.StructureByteStride = 4;
    D3D10DDI_HRESOURCE buffer = make(w, &desc);
    char expect[1024];
#define TAG "AEROGPU_D3D11DDI: trace_resources: "
    (void)snprintf(expect, sizeof expect,
                   TAG "CreateResource dim=1 fmt=0 bind=0x00000008 usage=0 cpu=0x00000000 misc=0x00000000 "
                       "sample=(1,0) rflags=0x00000000 init=0 init_count=0 primary=0\n" TAG
                       "+ buffer: bytes=20 stride=4\n" TAG
                       "=> created buffer handle=%u alloc_id=%u size=20\n",
                   res(buffer)->handle, res(buffer)->alloc_id);
    assert_string_equal(w->fake.log_all, expect);
    w->fake.log_all[0] = 0;
    D3D10DDI_HRESOURCE buffers[2];
    for (int i = 0; i < 2; i++) {
        buffers[i] = make_texture(w, 87, 8, 4, 0, D3D10_DDI_BIND_RENDER_TARGET, 0);
    }
    assert_non_null(
        strstr(w->fake.log_all, TAG "+ tex2d: 8x4 mips=1 array=1\n" TAG "=> created tex2d handle="));
    assert_non_null(strstr(w->fake.log_all, "row_pitch=256\n"));
    assert_non_null(strstr(w->fake.log_all, "rflags=0x00000001"));
    uint32_t first = res(buffers[0])->handle, second = res(buffers[1])->handle;
    w->fake.log_all[0] = 0;
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotation = {buffers, 2};
    assert_int_equal(w->ctx.pfnRotateResourceIdentities(w->device, &rotation), S_OK);
    (void)snprintf(expect, sizeof expect,
                   TAG "RotateResourceIdentities count=2\n" TAG "+ slot[0]=%u\n" TAG "+ slot[1]=%u\n" TAG
                       "-> slot[0]=%u\n" TAG "-> slot[1]=%u\n",
                   first, second, second, first);
    assert_string_equal(w->fake.log_all, expect);
    w->fake.log_all[0] = 0;
    const DXGI_DDI_ARG_PRESENT present = {.hSurfaceToPresent = buffers[0], .SyncInterval = 1};
    assert_int_equal(w->ctx.pfnPresent(w->device, &present), S_OK);
    (void)snprintf(expect, sizeof expect, TAG "Present sync=1 backbuffer=%u\n", second);
    assert_string_equal(w->fake.log_all, expect);
    w->fake.options.trace_resources = 0;
    free_resource(w, buffer);
    free_resource(w, buffers[0]);
    free_resource(w, buffers[1]);
    assert_string_equal(w->fake.log_all, expect);
}

HOST_TEST(caps_queries)
{
    uint32_t words[4] = {0};
    D3D10_2DDIARG_GETCAPS known = {.Type = D3D11DDICAPS_FEATURE_LEVELS, .pData = words, .DataSize = 16};
    D3D10_2DDIARG_GETCAPS unknown = {.Type = 77, .pData = words, .DataSize = 12};
    w->adapter_funcs.pfnGetCaps(w->adapter, &unknown);
    assert_int_equal(w->fake.log_lines, 0);
    w->fake.options.trace_caps = 1;
    w->adapter_funcs.pfnGetCaps(w->adapter, &known);
    assert_string_equal(w->fake.log, "AEROGPU_D3D11DDI: GetCaps type=8 size=16 -> hr=0x00000000");
    w->fake.options.trace_caps = 0; /* the call trace has it too */
    w->fake.options.trace_level = AGPU_TRACE_CALLS;
    w->adapter_funcs.pfnGetCaps(w->adapter, &unknown);
    assert_string_equal(w->fake.log, "AEROGPU_D3D11DDI: GetCaps unknown type=77 size=12 -> hr=0x00000000");
    assert_int_equal(w->fake.log_lines, 2);
}

static uint64_t clock_ms(void *ctx)
{
    (void)ctx;
    return 123456;
}

static uint32_t thread_number(void *ctx)
{
    (void)ctx;
    return 42;
}

HOST_TEST(direct3d_10_has_its_own_form)
{
    D3D10DDI_ADAPTERFUNCS adapter;
    D3D10DDI_DEVICEFUNCS table;
    D3D10DDIARG_OPENADAPTER open = {.Interface = D3D10_1_DDI_INTERFACE_VERSION,
                                    .hRTAdapter = {&w->fake},
                                    .pAdapterCallbacks = &w->fake.adapter_callbacks,
                                    .pAdapterFuncs = &adapter};
    assert_int_equal(OpenAdapter10_2(&open), S_OK);
    D3D10DDIARG_CREATEDEVICE args = {
        .hRTDevice = {&w->fake},
        .hRTCoreLayer = {&w->fake},
        .Interface = D3D10_1_DDI_INTERFACE_VERSION,
        .pKTCallbacks = &w->fake.callbacks,
        .pDeviceFuncs = &table,
        .hDrvDevice = {object(adapter.pfnCalcPrivateDeviceSize(open.hAdapter, NULL))},
        .pUMCallbacks = &w->fake.core_callbacks,
    };
    assert_int_equal(adapter.pfnCreateDevice(open.hAdapter, &args), S_OK);
    w->fake.env.now_ms = clock_ms;
    w->fake.env.thread_id = thread_number;
    w->fake.options.trace_level = AGPU_TRACE_STATE;
    unsigned first = 0;
    for (unsigned i = 0; i < 3; i++) {
        char expect[80];

        table.pfnDraw(args.hDrvDevice, 3, i);
        const char *number = strchr(w->fake.log, '#');
        assert_non_null(number);
        if (i == 0) {
            first = (unsigned)strtoul(number + 1, NULL, 10);
        }
        (void)snprintf(expect, sizeof expect, "[AeroGPU:D3D10 t=123456 tid=42 #%u] Draw count=3 first=%u",
                       first + i, i);
        assert_string_equal(w->fake.log, expect);
    }
    table.pfnFlush(args.hDrvDevice);
    assert_non_null(strstr(w->fake.log, "] Flush -> hr=0x00000000"));
    table.pfnDestroyDevice(args.hDrvDevice);
    free(args.hDrvDevice.pDrvPrivate);
    assert_int_equal(adapter.pfnCloseAdapter(open.hAdapter), S_OK);
}

/* A text of any length becomes one line of at most AGPU_TRACE_TEXT characters. */
HOST_TEST(long_lines_are_cut)
{
    static char text[4096];
    memset(text, 'x', sizeof text - 1);
    agpu_trace_line(&w->fake.env, "%s%u", text, 7u);
    assert_int_equal(strlen(w->fake.log), strlen("AEROGPU_D3D11DDI: ") + AGPU_TRACE_TEXT);
    agpu_trace_line(&w->fake.env, "%d %X 100%%", INT32_MIN, 0xABCu);
    assert_string_equal(w->fake.log, "AEROGPU_D3D11DDI: -2147483648 00000ABC 100%");
    w->fake.options.trace_level = AGPU_TRACE_STATE;
    w->ctx.pfnSetMarker(w->device, NULL);
    assert_string_equal(w->fake.log, "AEROGPU_D3D11DDI: SetMarker (null)");
}
