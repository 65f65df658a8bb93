/* settings.c: values that are in the registry on Windows must take effect: each setting of agpu.cfg, or its default
 * (vidmm.md 2.1). */
#include <string.h>

#include "mm/kmd/query.h"
#include "pci/machine/test_system.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vblank.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 4096u
#define T    AEROGPU_FEATURE_TRANSFER
#define V    (AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK)
#define MS   UINT64_C(1000000)

static uint32_t setting_of(const struct agpu_test *t, enum agpu_setting setting)
{
    return agpu_setting(&t->env->settings, setting);
}

static const struct agpu_kmd *settings_kmd(struct agpu_test *t)
{
    return agpu_runtime_kmd(t->env->umd.runtime);
}

/* The budget must be the configured one: an allocation of its size succeeds, one page more fails. */
static void settings_budget(struct agpu_test *t)
{
    const uint64_t budget = (uint64_t)setting_of(t, AGPU_SETTING_BUDGET_MIB) << 20;
    struct agpu_segment_report report;
    struct agpu_client_memory memory;

    agpu_assert(t, agpu_query_segment(&settings_kmd(t)->vm, AGPU_SEGMENT_SYSTEM, &report));
    agpu_check_eq_u64(t, report.size, budget);
    /* One page more than the budget ever permits; all of it is only committed, since it has no pages yet. */
    agpu_check_hr(t, agpu_client_alloc_only((uint32_t)budget + 4096u, &memory), E_OUTOFMEMORY);
    agpu_check_hr(t, agpu_client_alloc_only((uint32_t)budget, &memory), S_OK);
    agpu_client_free(t, &memory);
}

static D3DDDICB_CREATECONTEXT new_context(struct agpu_test *t)
{
    D3DDDICB_CREATECONTEXT context = {0};
    HANDLE device = agpu_runtime_device_handle(t->env->umd.runtime_device).handle;

    agpu_check_hr(t, agpu_runtime_device_callbacks()->pfnCreateContextCb(device, &context), S_OK);
    return context;
}

static void end_context(struct agpu_test *t, const D3DDDICB_CREATECONTEXT *context)
{
    const D3DDDICB_DESTROYCONTEXT destroy = {.hContext = context->hContext};
    HANDLE device = agpu_runtime_device_handle(t->env->umd.runtime_device).handle;

    agpu_check_hr(t, agpu_runtime_device_callbacks()->pfnDestroyContextCb(device, &destroy), S_OK);
}

/* A DMA buffer must have the configured size, and a stream that fills it must run. */
static void settings_dma_buffer(struct agpu_test *t)
{
    const uint32_t bytes = setting_of(t, AGPU_SETTING_DMA_BUFFER_KIB) << 10;
    D3DDDICB_CREATECONTEXT context = new_context(t);

    agpu_assert(t, context.pCommandBuffer != NULL);
    agpu_check_eq_u64(t, context.CommandBufferSize, bytes);
    end_context(t, &context);
    /* The device reads a stream that fills it to the last byte. */
    agpu_client_fill(bytes);
    agpu_client_submit(t);
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* After as many submissions as there are DMA buffers, the first buffer must be used again. */
static void settings_dma_buffers(struct agpu_test *t)
{
    const uint32_t count = setting_of(t, AGPU_SETTING_DMA_BUFFERS);
    const void *first = agpu_client_buffer();

    for (uint32_t i = 1; i <= count; i++) {
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
        agpu_return_unless(agpu_check_eq_u64(t, agpu_client_buffer() == first, i == count));
    }
}

/* A request for a larger DMA buffer must succeed up to the configured limit and fail above. */
static void settings_max_dma(struct agpu_test *t)
{
    const uint32_t bytes = setting_of(t, AGPU_SETTING_MAX_DMA_KIB) << 10;
    D3DDDICB_CREATECONTEXT context = new_context(t);
    HANDLE device = agpu_runtime_device_handle(t->env->umd.runtime_device).handle;
    D3DDDICB_GETCOMMANDBUFFER request = {.hContext = context.hContext, .RequestedSize = bytes + 4};

    agpu_assert(t, context.pCommandBuffer != NULL);
    agpu_check_hr(t, agpu_runtime_device_callbacks()->pfnGetCommandBufferCb(device, &request), E_OUTOFMEMORY);
    if (bytes <= 1u << 20) { /* the machine may be short of larger pieces */
        request.RequestedSize = bytes;
        agpu_check_hr(t, agpu_runtime_device_callbacks()->pfnGetCommandBufferCb(device, &request), S_OK);
        agpu_check(t, request.CommandBufferSize >= bytes);
    }
    end_context(t, &context);
}

/* The allocation list must have the configured number of entries; one more is refused. */
static void settings_allocation_list(struct agpu_test *t)
{
    const uint32_t entries = setting_of(t, AGPU_SETTING_ALLOCATION_LIST);
    D3DDDICB_CREATECONTEXT context = new_context(t);
    struct agpu_client_memory memory;

    agpu_assert(t, context.pAllocationList != NULL);
    agpu_check_eq_u64(t, context.AllocationListSize, entries);
    end_context(t, &context);
    agpu_return_unless(agpu_client_alloc(t, SIZE, &memory) && agpu_client_submit(t));
    /* A full list is accepted, one more entry is not. */
    for (uint32_t i = 0; i < entries; i++) {
        agpu_client_list(memory.allocation, false);
    }
    agpu_client_nop();
    agpu_return_unless(agpu_client_submit(t));
    for (uint32_t i = 0; i <= entries; i++) {
        agpu_client_list(memory.allocation, false);
    }
    agpu_check_hr(t, agpu_client_render(), E_INVALIDARG);
}

/* Discard must use the configured number of instances before it answers busy. */
static void settings_instances(struct agpu_test *t)
{
    const uint32_t count = setting_of(t, AGPU_SETTING_INSTANCES);
    struct agpu_client_memory memory;
    uint8_t data[SIZE];

    memset(data, 1, sizeof data);
    agpu_return_unless(agpu_client_alloc(t, SIZE, &memory) && agpu_client_submit(t));
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_gate_hold(t);
    for (uint32_t i = 0; i < count; i++) {
        agpu_return_unless(agpu_client_write(t, &memory, AGPU_LOCK_DISCARD, data, SIZE));
        agpu_return_unless(agpu_client_submit(t));
    }
    agpu_check_hr(t, agpu_client_lock(&memory, AGPU_LOCK_WRITE | AGPU_LOCK_DISCARD | AGPU_LOCK_DONOTWAIT),
                  D3DDDIERR_WASSTILLDRAWING);
    agpu_check_eq_u64(t, settings_kmd(t)->vm.counters.renames, count - 1);
}

/* Short enough for a test. */
static void settings_brief(struct agpu_runtime_config *config)
{
    const uint64_t most = 200 * MS;

    config->kmd.tdr_timeout_ns = config->kmd.tdr_timeout_ns < most ? config->kmd.tdr_timeout_ns : most;
}

/* A hang must be found after the configured time. */
static void settings_tdr_delay(struct agpu_test *t)
{
    const uint64_t delay = settings_kmd(t)->config.tdr_timeout_ns;
    const bool stated = agpu_setting_is_stated(&t->env->settings, AGPU_SETTING_TDR_DELAY_MS);
    uint64_t begun;

    if (stated) {
        agpu_check_eq_u64(t, delay, setting_of(t, AGPU_SETTING_TDR_DELAY_MS) * MS);
    }
    agpu_require(t, t->platform->test->simulated_time || delay <= 300 * MS, AGPU_SKIP_SIMULATED_TIME);
    agpu_gate_hang_in_time(t);
    agpu_client_nop();
    agpu_return_unless(agpu_client_submit(t));
    begun = agpu_now(t);
    agpu_check(t, !agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_check_eq_u64(t, agpu_gate_counts().resets, 1);
    agpu_check_within(t, agpu_now(t) - begun, delay - 20 * MS, UINT64_MAX,
                      "nanoseconds until the hang was found");
}

/* The device must be removed at the configured number of hangs, not earlier. */
static void settings_tdr_limit(struct agpu_test *t)
{
    const uint32_t limit = setting_of(t, AGPU_SETTING_TDR_LIMIT);

    agpu_check_eq_u64(t, settings_kmd(t)->config.tdr_limit, limit);
    agpu_check_eq_u64(t, settings_kmd(t)->config.tdr_window_ns,
                      setting_of(t, AGPU_SETTING_TDR_WINDOW_S) * UINT64_C(1000000000));
    for (uint32_t i = 1; i <= limit; i++) {
        agpu_gate_hang(t);
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
        agpu_check(t, !agpu_runtime_wait_idle(t->env->umd.runtime));
        agpu_check_eq_u64(t, agpu_gate_counts().resets, i);
        agpu_return_unless(agpu_check_eq_u64(t, settings_kmd(t)->removed, i == limit));
        agpu_client_close(t);
        agpu_return_unless(i == limit || agpu_client_open(t));
    }
}

/* A dynamic buffer must be in the allocation table if it has guest memory, and not otherwise. */
static void settings_dynamic(struct agpu_test *t)
{
    const uint32_t backed = setting_of(t, AGPU_SETTING_DYNAMIC_GUEST_BACKED);
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE target = agpu_make_default(t, SIZE, NULL);
    uint8_t data[SIZE];
    uint32_t listed;

    agpu_assert(t, dynamic.pDrvPrivate != NULL && target.pDrvPrivate != NULL);
    agpu_fill_pattern(data, SIZE, 40);
    agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, SIZE));
    agpu_umd_copy(t, target, dynamic);
    agpu_gate_hold(t);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_pending_table(t, &listed);
    agpu_check_eq_u64(t, listed, 1 + backed);
    agpu_gate_open(t);
    agpu_check_contents(t, target, data, SIZE);
}

/* Present must block once the configured number of frames is pending. */
static void settings_present_latency(struct agpu_test *t)
{
    const uint32_t frames = setting_of(t, AGPU_SETTING_PRESENT_LATENCY);
    const DXGI_DDI_ARG_PRESENT args = {.SyncInterval = 1};
    const uint64_t before = (agpu_scanout_enable(t, 1), agpu_vblank_seq(t));

    for (uint32_t i = 0; i < frames + 2; i++) {
        agpu_return_unless(agpu_check_hr(t, t->env->umd.context.pfnPresent(t->env->umd.device, &args), S_OK));
        agpu_check(t, settings_kmd(t)->pending_count <= frames);
    }
    agpu_check(t, agpu_vblank_seq(t) - before >= 2);
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_scanout_enable(t, 0);
}

/* The driver must get the pretended ABI and features, and refuse formats and copies accordingly. */
static void settings_pretend(struct agpu_test *t)
{
    const struct agpu_settings *settings = &t->env->settings;
    const struct agpu_abi *reported = &t->env->reported;
    struct aerogpu_umd_private_v1 record;
    struct agpu_resource_desc blocks = agpu_texture_desc(DXGI_FORMAT_BC1_UNORM, 8, 8);
    HRESULT hr;

    agpu_runtime_umd_private(t->env->umd.runtime, &record);
    agpu_check_eq_hex(t, record.device_abi_version_u32, reported->version);
    agpu_check_eq_hex(t, record.device_features, reported->features);
    agpu_check(t, agpu_abi_minor(reported) <= agpu_setting(settings, AGPU_SETTING_PRETEND_ABI));
    agpu_check(t, agpu_abi_minor(reported) <= agpu_abi_minor(&t->env->abi));
    agpu_check_eq_hex(t, reported->features & ~t->env->abi.features, 0);
    if (agpu_setting_is_stated(settings, AGPU_SETTING_PRETEND_FEATURES)) {
        agpu_check_eq_hex(
            t, reported->features & ~(uint64_t)agpu_setting(settings, AGPU_SETTING_PRETEND_FEATURES), 0);
    }
    blocks.BindFlags = D3D10_DDI_BIND_SHADER_RESOURCE;
    agpu_umd_create(t, &blocks, &hr);
    agpu_check_eq_hex(t, (uint32_t)hr, (uint32_t)(agpu_abi_minor(reported) >= 2 ? S_OK : E_NOTIMPL));
    agpu_runtime_errors_clear(t->env->umd.runtime_device); /* of the refusal */
}

#define SETTINGS(name, feature_bits, ...)                                                                    \
    AGPU_STACK_CASE("vidmm.settings." name, "vidmm.md 2.1", feature_bits, 0, __VA_ARGS__)

static const struct agpu_case vidmm_settings_cases[] = {
    SETTINGS("budget", 0, .body = settings_budget, .client = true),
    SETTINGS("dma_buffer", 0, .body = settings_dma_buffer, .client = true),
    SETTINGS("dma_buffers", 0, .body = settings_dma_buffers, .client = true),
    SETTINGS("max_dma", 0, .body = settings_max_dma),
    SETTINGS("allocation_list", 0, .body = settings_allocation_list, .client = true),
    SETTINGS("instances", 0, .body = settings_instances, .client = true, .gate = true),
    SETTINGS("tdr_delay", 0, .body = settings_tdr_delay, .client = true, .gate = true),
    SETTINGS("tdr_limit", 0, .body = settings_tdr_limit, .client = true, .gate = true,
             .configure = settings_brief),
    SETTINGS("dynamic_guest_backed", T, .body = settings_dynamic, .gate = true),
    SETTINGS("present_latency", V, .body = settings_present_latency),
    SETTINGS("pretend", 0, .body = settings_pretend),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_settings, vidmm_settings_cases);
