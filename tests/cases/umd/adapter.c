/* adapter.c: each version of an adapter, features of older devices, and the trace (umd.md 2.3, 14, 18). */
#include <string.h>

#include "tests/cases/choice/filter.h"
#include "tests/cases/harness/artifact.h"
#include "tests/cases/rig/spy.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_views.h"
#include "umd-port/entry/open.h"

#define SIZE 64u
#define RGBA DXGI_FORMAT_R8G8B8A8_UNORM
#define T    AEROGPU_FEATURE_TRANSFER

/* ---- versions ---- */

/* Each export must take its interface with no version, the one that it supports, or a newer one, and answer with the
 * one that it supports; anything else must be refused. */
static void adapter_versions(struct agpu_test *t)
{
    static const struct {
        HRESULT (*open)(D3D10DDIARG_OPENADAPTER *);
        uint32_t interface, version;
        HRESULT result;
        uint32_t answer;
    } rows[] = {
        {OpenAdapter10, D3D10_0_DDI_INTERFACE_VERSION, 0, S_OK, 0x000A0000},
        {OpenAdapter10, D3D10_0_DDI_INTERFACE_VERSION, 0x000A0000, S_OK, 0x000A0000},
        {OpenAdapter10, D3D10_0_DDI_INTERFACE_VERSION, 0x000A0001, S_OK, 0x000A0000},
        {OpenAdapter10, D3D10_0_DDI_INTERFACE_VERSION, 0x0009FFFF, E_INVALIDARG, 0x0009FFFF},
        {OpenAdapter10_2, D3D10_1_DDI_INTERFACE_VERSION, 0, S_OK, 0x000A0001},
        {OpenAdapter10_2, D3D10_1_DDI_INTERFACE_VERSION, 0x000A0000, E_INVALIDARG, 0x000A0000},
        {OpenAdapter10_2, D3D10_1_DDI_INTERFACE_VERSION, 0x000A0001, S_OK, 0x000A0001},
        {OpenAdapter10_2, D3D11_0_DDI_INTERFACE_VERSION, 0, E_INVALIDARG, 0},
        {OpenAdapter11, D3D11_0_DDI_INTERFACE_VERSION, 0, S_OK, 0x000B0000},
        {OpenAdapter11, D3D11_0_DDI_INTERFACE_VERSION, 0x000C0000, S_OK, 0x000B0000},
        {OpenAdapter11, D3D11_0_DDI_INTERFACE_VERSION, 0x000A0001, E_NOINTERFACE, 0x000A0001},
        {OpenAdapter11, D3D10_1_DDI_INTERFACE_VERSION, 0, E_INVALIDARG, 0},
    };
    const D3DDDI_ADAPTERCALLBACKS *callbacks = agpu_runtime_adapter_callbacks(t->env->umd.runtime);
    const D3DDDI_ADAPTERCALLBACKS without = {.pEnvironment = NULL};
    union {
        D3D10DDI_ADAPTERFUNCS of10;
        D3D11DDI_ADAPTERFUNCS of11;
    } funcs;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const bool d3d11 = rows[i].open == OpenAdapter11;
        D3D10DDIARG_OPENADAPTER args = {.Interface = rows[i].interface,
                                        .Version = rows[i].version,
                                        .hRTAdapter = agpu_runtime_adapter_handle(t->env->umd.runtime),
                                        .pAdapterCallbacks = callbacks};

        agpu_check_hr(t, rows[i].open(NULL), E_INVALIDARG);
        agpu_check_hr(t, rows[i].open(&args), E_INVALIDARG); /* no table */
        if (d3d11) {
            args.pAdapterFuncs_11 = &funcs.of11;
        } else {
            args.pAdapterFuncs = &funcs.of10;
        }
        memset(&funcs, 0, sizeof funcs);
        args.pAdapterCallbacks = rows[i].result == S_OK ? &without : callbacks;
        if (rows[i].result == S_OK) {
            agpu_check_hr(t, rows[i].open(&args), E_FAIL); /* no environment */
            args.pAdapterCallbacks = callbacks;
            args.Version = rows[i].version;
            agpu_runtime_limit_umd_heap(t->env->umd.runtime, 0);
            agpu_check_hr(t, rows[i].open(&args), E_OUTOFMEMORY);
            agpu_runtime_limit_umd_heap(t->env->umd.runtime, UINT64_MAX);
            args.Version = rows[i].version;
        }
        agpu_check_hr(t, rows[i].open(&args), rows[i].result);
        agpu_check_eq_hex(t, args.Version, rows[i].answer);
        if (rows[i].result == S_OK) {
            HRESULT(*const close)
            (D3D10DDI_HADAPTER) = d3d11 ? funcs.of11.pfnCloseAdapter : funcs.of10.pfnCloseAdapter;

            agpu_check(t, d3d11 ? funcs.of11.pfnGetCaps && funcs.of11.pfnCalcPrivateDeviceSize &&
                                      funcs.of11.pfnCalcPrivateDeviceContextSize && funcs.of11.pfnCreateDevice
                                : funcs.of10.pfnGetCaps && funcs.of10.pfnCalcPrivateDeviceSize &&
                                      funcs.of10.pfnCreateDevice);
            agpu_check_hr(t, close((D3D10DDI_HADAPTER){NULL}), E_INVALIDARG);
            agpu_check_hr(t, close(args.hAdapter), S_OK);
        }
    }
}

/* ---- older devices ---- */

#define AS_ABI_1(minor)                                                                                      \
    static void as_abi_1_##minor(struct agpu_runtime_config *config)                                         \
    {                                                                                                        \
        agpu_spied_config(config);                                                                           \
        config->abi_version = AEROGPU_ABI_MAJOR << 16 | minor;                                               \
    }
AS_ABI_1(0)
AS_ABI_1(1)
AS_ABI_1(2)
AS_ABI_1(3)
AS_ABI_1(4)

static void as_abi_2_4(struct agpu_runtime_config *config)
{
    agpu_spied_config(config);
    config->abi_version = (AEROGPU_ABI_MAJOR + 1) << 16 | 4;
}

static void without_features(struct agpu_runtime_config *config)
{
    as_abi_1_4(config);
    config->features = 0;
}

/* The driver must use exactly what the ABI and the features of the device permit: block formats and sRGB from 1.2 on,
 * views from 1.4 on, copies by the device and vsync with their feature. */
static void adapter_gates(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    const uint32_t minor = *(const uint32_t *)agpu_stack_case(t)->variant;
    const bool features = agpu_stack_case(t)->configure != without_features && minor != UINT32_MAX;
    const bool copies = features && minor >= 1, blocks = minor + 1 > 2, views = minor + 1 > 4;
    struct agpu_resource_desc bc = agpu_texture_desc(DXGI_FORMAT_BC1_UNORM, 8, 8);
    struct agpu_resource_desc srgb = agpu_texture_desc(DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, 8, 4);
    struct agpu_resource_desc mips = agpu_texture_desc(RGBA, 8, 4);
    const DXGI_DDI_ARG_PRESENT present = {.SyncInterval = 1};
    D3D10DDIARG_CREATERENDERTARGETVIEW view = {
        .Format = RGBA, .ViewDimension = AGPU_DDI_VIEW_TEXTURE2D, .MipSlice = 1};
    static uint64_t memory[64]; /* of the view, which is not destroyed before the device */
    D3D10DDI_HRESOURCE source, target;
    uint32_t support = 1;
    HRESULT hr;

    umd->funcs.pfnCheckFormatSupport(umd->device, DXGI_FORMAT_BC1_UNORM, &support);
    agpu_check_eq_u64(t, support != 0, blocks);
    umd->funcs.pfnCheckFormatSupport(umd->device, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB, &support);
    agpu_check_eq_u64(t, support != 0, blocks);
    agpu_umd_create(t, &bc, &hr);
    agpu_check_hr(t, hr, blocks ? S_OK : E_NOTIMPL);
    agpu_check_errors(t, !blocks, blocks ? S_OK : E_NOTIMPL);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_spy_begin(AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS);
    agpu_umd_create(t, &srgb, &hr);
    agpu_check_hr(t, hr, S_OK);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_check_calls(t, blocks ? "Render a1\n"
                                 "  CREATE_TEXTURE2D h1 8 9 8 4 1 1 256 h1 0 0 0\n"
                                 "  FLUSH 0 0\n"
                               : "Render a1\n"
                                 "  CREATE_TEXTURE2D h1 8 3 8 4 1 1 256 h1 0 0 0\n"
                                 "  FLUSH 0 0\n");
    source = agpu_make_default(t, SIZE, NULL);
    target = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
    mips.MipLevels = 2;
    mips.BindFlags |= D3D10_DDI_BIND_RENDER_TARGET;
    view.hDrvResource = agpu_make_texture(t, &mips, 0);
    agpu_assert(t, umd->funcs.pfnCalcPrivateRenderTargetViewSize(umd->device, &view) <= sizeof memory);
    (void)umd->funcs.pfnCreateRenderTargetView(umd->device, &view, (D3D10DDI_HRENDERTARGETVIEW){memory},
                                               (D3D10DDI_HRTRENDERTARGETVIEW){NULL});
    agpu_check_errors(t, !views, views ? S_OK : E_NOTIMPL);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_spy_begin(AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS);
    agpu_umd_copy(t, target, source);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_check_calls(t, copies ? "Render a1w a2\n"
                                 "  COPY_BUFFER h1 h2 0 0 0 0 64 0 1 0\n"
                                 "  FLUSH 0 0\n"
                               : "Render a1\n"
                                 "  RESOURCE_DIRTY_RANGE h1 0 0 0 64 0\n"
                                 "  FLUSH 0 0\n");
    agpu_spy_begin(AGPU_SPY_SUBMITS | AGPU_SPY_PACKETS);
    agpu_check_hr(t, umd->context.pfnPresent(umd->device, &present), S_OK);
    agpu_check_calls(t, features ? "Present interval=1\n"
                                   "  PRESENT 0 1\n"
                                 : "Present interval=1\n"
                                   "  PRESENT 0 0\n");
}

/* ---- trace ---- */

static struct {
    struct agpu_platform platform;
    struct agpu_text text;
    char buffer[8192];
    uint32_t modules; /* lines that name the module, over all cases of the process */
} traced;

static bool traces_as(const char *line, const char *glob)
{
    return agpu_glob_match(glob, glob + strlen(glob), line);
}

/* Records a line without the time, thread and number that differ between runs. Leaves out sizes of handles, and the
 * module, which the driver logs once for each process. */
static void record_trace(void *ctx, enum agpu_log_level level, const char *line)
{
    const bool of10 = traces_as(line, "[[]AeroGPU:D3D10 t=*");

    (void)ctx;
    traced.modules += traces_as(line, "*module_path=*");
    if (level != AGPU_LOG_DEBUG || traces_as(line, "* Calc*") || traces_as(line, "*module_path=*")) {
        return;
    }
    if (of10) {
        agpu_text_string(&traced.text, "[10");
        while (*line != '\0' && *line != ']') {
            line++;
        }
    }
    agpu_text_string(&traced.text, line);
    agpu_text_char(&traced.text, '\n');
}

static void trace_all(struct agpu_runtime_config *config)
{
    traced.platform = *config->platform;
    traced.platform.log = record_trace;
    agpu_text_begin(&traced.text, traced.buffer, sizeof traced.buffer);
    config->platform = &traced.platform;
    config->options.trace_level = AGPU_TRACE_STATE;
    config->options.trace_resources = config->options.trace_caps = config->options.trace_mic = 1;
}

static void trace_calls_only(struct agpu_runtime_config *config)
{
    trace_all(config);
    config->options.trace_level = AGPU_TRACE_CALLS;
    config->options.trace_resources = config->options.trace_caps = config->options.trace_mic = 0;
}

static void trace_nothing(struct agpu_runtime_config *config)
{
    trace_calls_only(config);
    config->options.trace_level = AGPU_TRACE_OFF;
}

/* Each call must leave one line with its prefix, name and result, and the options must choose which. */
static void adapter_trace(struct agpu_test *t)
{
    const char *expected = agpu_stack_case(t)->variant;
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_resource_desc desc = agpu_texture_desc(RGBA, 8, 4);
    const DXGI_DDI_ARG_PRESENT present = {.SyncInterval = 0};
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotate = {.Resources = 0};
    uint8_t data[8];
    const D3D10_2DDIARG_GETCAPS caps = {99, sizeof data, data};
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE buffer;
    HRESULT hr;

    agpu_check_hr(t, umd->adapter_funcs.pfnGetCaps(umd->adapter, &caps), S_OK);
    buffer = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE);
    agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
    agpu_check_hr(t, agpu_umd_map(t, buffer, D3D10_DDI_MAP_WRITE, 0, &mapped), S_OK);
    agpu_umd_unmap(t, buffer);
    umd->context.pfnIaSetTopology(umd->device, 4);
    umd->context.pfnIaSetInputLayout(umd->device, (D3D10DDI_HELEMENTLAYOUT){NULL});
    agpu_check_hr(t, umd->context.pfnPresent(umd->device, &present), S_OK);
    agpu_check_hr(t, umd->context.pfnRotateResourceIdentities(umd->device, &rotate), S_OK);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_umd_destroy(t, buffer);
    if (expected[0] != '\0') { /* once for each process, perhaps in the run's own trace */
        agpu_check_eq_u64(t, traced.modules, t->env->trace.level == AGPU_TRACE_OFF);
    }
    if (!agpu_check_eq_mem(t, traced.buffer, expected, strlen(expected) + 1)) {
        agpu_artifact_send(t, "trace.txt", traced.buffer, traced.text.length);
    }
}

static const char traced_calls[] =
    "AEROGPU_D3D11DDI: OpenAdapter11 interface=0x000B0000 version=0x000B0000 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: CreateDevice interface=0x000B0000 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: GetCaps type=0 size=4 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: GetCaps unknown type=99 size=8 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: CreateResource handle=1 alloc_id=1 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: CreateResource handle=2 alloc_id=2 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: ResourceMap handle=1 type=2 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: ResourceUnmap handle=1 subresource=0\n"
    "AEROGPU_D3D11DDI: Present -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: RotateResourceIdentities -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: Flush -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: DestroyResource handle=1\n";

static const char traced_all[] =
    "AEROGPU_D3D11DDI: trace_mic: GlobalHandleCounter shared by every adapter of the environment, no "
    "mandatory label: one security domain\n"
    "AEROGPU_D3D11DDI: OpenAdapter11 interface=0x000B0000 version=0x000B0000 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: CreateDevice interface=0x000B0000 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: GetCaps type=0 size=4 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: trace_mic: GlobalHandleCounter shared by every adapter of the environment, no "
    "mandatory label: one security domain\n"
    "AEROGPU_D3D11DDI: OpenAdapter10 interface=0x000A0000 version=0x000A0000 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: CreateDevice interface=0x000A0000 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: GetCaps unknown type=99 size=8 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: trace_resources: CreateResource dim=1 fmt=0 bind=0x00000000 usage=3 cpu=0x00030000 "
    "misc=0x00000000 sample=(1,0) rflags=0x00000000 init=0 init_count=0 primary=0\n"
    "AEROGPU_D3D11DDI: trace_resources: + buffer: bytes=64 stride=0\n"
    "AEROGPU_D3D11DDI: trace_resources: => created buffer handle=1 alloc_id=1 size=64\n"
    "[10] CreateResource handle=1 alloc_id=1 -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: trace_resources: CreateResource dim=3 fmt=28 bind=0x00000008 usage=0 cpu=0x00000000 "
    "misc=0x00000000 sample=(1,0) rflags=0x00000000 init=0 init_count=0 primary=0\n"
    "AEROGPU_D3D11DDI: trace_resources: + tex2d: 8x4 mips=1 array=1\n"
    "AEROGPU_D3D11DDI: trace_resources: => created tex2d handle=2 alloc_id=2 size=1024 row_pitch=256\n"
    "[10] CreateResource handle=2 alloc_id=2 -> hr=0x00000000\n"
    "[10] ResourceMap handle=1 type=2 -> hr=0x00000000\n"
    "[10] ResourceUnmap handle=1 subresource=0\n"
    "[10] IaSetTopology topology=4\n"
    "[10] IaSetInputLayout handle=0\n"
    "AEROGPU_D3D11DDI: trace_resources: Present sync=0 backbuffer=0\n"
    "[10] Present -> hr=0x00000000\n"
    "AEROGPU_D3D11DDI: trace_resources: RotateResourceIdentities count=0\n"
    "[10] RotateResourceIdentities -> hr=0x00000000\n"
    "[10] Flush -> hr=0x00000000\n"
    "[10] DestroyResource handle=1\n";

#define VERSION(name, minor, how)                                                                            \
    AGPU_STACK_CASE("umd.adapter." name, "umd.md 2.3", T | AEROGPU_FEATURE_VBLANK, 0, .body = adapter_gates, \
                    .configure = how, .variant = &(const uint32_t){minor})
#define TRACE(name, how, ...)                                                                                \
    AGPU_STACK_CASE("umd.adapter." name, "umd.md 18", T, 0, .body = adapter_trace, .configure = how,         \
                    __VA_ARGS__)

static const struct agpu_case umd_adapter_cases[] = {
    AGPU_STACK_CASE("umd.adapter.versions", "umd.md 14", 0, 0, .body = adapter_versions),
    VERSION("abi_1_0", 0, as_abi_1_0),
    VERSION("abi_1_1", 1, as_abi_1_1),
    VERSION("abi_1_2", 2, as_abi_1_2),
    VERSION("abi_1_3", 3, as_abi_1_3),
    VERSION("abi_2_4", UINT32_MAX, as_abi_2_4),
    VERSION("without_features", 4, without_features),
    TRACE("trace_nothing", trace_nothing, .variant = ""),
    TRACE("trace_calls", trace_calls_only, .variant = traced_calls),
    TRACE("trace_all_d3d10", trace_all, .variant = traced_all, .peer = D3D10_0_DDI_INTERFACE_VERSION,
          .act_as_peer = true),
};

AGPU_CASE_TABLE(agpu_cases_umd_adapter, umd_adapter_cases);
