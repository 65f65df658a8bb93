/* runtime.c: the adapter (umd.md 4): open on a transport, its private record, the driver's environment, close with a
 * leak report. */
#include "mm/runtime/runtime.h"

#include "mm/runtime/memory.h"
#include "mm/vidmm/vidmm.h"
#include "pci/machine/text.h"

#include <string.h>

static HRESULT query_adapter_info(HANDLE adapter, const D3DDDICB_QUERYADAPTERINFO *args)
{
    struct aerogpu_umd_private_v1 blob;

    if (args == NULL || args->pPrivateDriverData == NULL || args->PrivateDriverDataSize < sizeof blob) {
        return E_INVALIDARG;
    }
    agpu_runtime_umd_private(adapter, &blob);
    memcpy(args->pPrivateDriverData, &blob, sizeof blob);
    return S_OK;
}

void agpu_runtime_umd_private(const struct agpu_runtime *runtime, struct aerogpu_umd_private_v1 *out)
{
    const struct agpu_runtime_config *config = &runtime->config;
    bool legacy = config->mmio_magic == AEROGPU_UMDPRIV_MMIO_MAGIC_LEGACY_ARGP;
    uint64_t features = legacy ? 0 : config->features;
    uint32_t flags = legacy ? AEROGPU_UMDPRIV_FLAG_IS_LEGACY : 0;

    if ((config->features & AEROGPU_UMDPRIV_FEATURE_VBLANK) != 0) {
        flags |= AEROGPU_UMDPRIV_FLAG_HAS_VBLANK;
    }
    if (!legacy && config->fence_page) {
        flags |= AEROGPU_UMDPRIV_FLAG_HAS_FENCE_PAGE;
    }
    *out = (struct aerogpu_umd_private_v1){.size_bytes = sizeof *out,
                                           .struct_version = AEROGPU_UMDPRIV_STRUCT_VERSION_V1,
                                           .device_mmio_magic = config->mmio_magic,
                                           .device_abi_version_u32 = config->abi_version,
                                           .device_features = features,
                                           .flags = flags};
}

/* ---- the driver's environment ---- */

static void *environment_heap_alloc(void *ctx, size_t size)
{
    struct agpu_runtime *runtime = ctx;
    const struct agpu_platform *platform = runtime->config.platform;

    if (runtime->umd_heap_left == 0) {
        return NULL;
    }
    void *block = platform->heap_alloc(platform->ctx, size);
    runtime->umd_heap_blocks += block != NULL;
    if (runtime->umd_heap_left != UINT64_MAX) {
        runtime->umd_heap_left--;
    }
    return block;
}

void agpu_runtime_limit_umd_heap(struct agpu_runtime *runtime, uint64_t blocks)
{
    runtime->umd_heap_left = blocks;
}

static void environment_heap_free(void *ctx, void *block)
{
    struct agpu_runtime *runtime = ctx;

    if (block == NULL) {
        return;
    }
    runtime->umd_heap_blocks--;
    runtime->config.platform->heap_free(runtime->config.platform->ctx, block);
}

static uint32_t environment_next_handle(void *ctx)
{
    struct agpu_runtime *runtime = ctx;

    do {
        runtime->next_object++;
    } while ((runtime->next_object & 0x7FFFFFFFu) == 0);
    return runtime->next_object;
}

static uint64_t environment_now_ms(void *ctx)
{
    const struct agpu_platform *platform = ((struct agpu_runtime *)ctx)->config.platform;

    return platform->now_ns(platform->ctx) / 1000000u;
}

static void environment_log(void *ctx, const char *line)
{
    const struct agpu_platform *platform = ((struct agpu_runtime *)ctx)->config.platform;

    platform->log(platform->ctx, AGPU_LOG_DEBUG, line);
}

/* ---- adapter ---- */

static void set_config_defaults(struct agpu_runtime_config *config)
{
    if (config->command_buffers < 2u) {
        config->command_buffers = 4;
    }
    if (config->command_buffer_bytes < 4096u) {
        config->command_buffer_bytes = 256u << 10;
    }
    if (config->allocation_list == 0) {
        config->allocation_list = 1024;
    }
    if (config->present_latency == 0 || config->present_latency > AGPU_PRESENT_LATENCY_MAX) {
        config->present_latency = 3;
    }
}

const char *agpu_runtime_refusal(const struct agpu_runtime_config *config)
{
    const char *why;

    agpu_caps_check(&config->vidmm.caps, config->vidmm.version, config->vidmm.multi_engine_aware, &why);
    return why;
}

/* Checks the caps when the adapter opens (vidmm.md 9) and logs why they are refused. */
static bool is_accepted(const struct agpu_runtime_config *config)
{
    const char *why = agpu_runtime_refusal(config);
    char line[240];

    if (why == NULL) {
        return true;
    }
    agpu_format_line(line, sizeof line, "adapter not opened: VIDMMCAPS 0x%x for %s: %s",
                     config->vidmm.caps.value, agpu_wddm_name(config->vidmm.version), why);
    config->platform->log(config->platform->ctx, AGPU_LOG_INFO, line);
    return false;
}

struct agpu_runtime *agpu_runtime_open(const struct agpu_runtime_config *config)
{
    struct agpu_memory first = {.platform = config->platform, .function = config->function};
    struct agpu_runtime *runtime = is_accepted(config) ? agpu_memory_alloc(&first, sizeof *runtime) : NULL;

    if (runtime == NULL) {
        return NULL;
    }
    runtime->memory = (struct agpu_memory){.platform = config->platform, .function = config->function};
    runtime->config = *config;
    runtime->umd_heap_left = UINT64_MAX;
    set_config_defaults(&runtime->config);
    runtime->config.vidmm.is_recorded = agpu_runtime_is_recorded;
    runtime->config.vidmm.recorded_ctx = runtime;
    runtime->environment = (struct agpu_umd_environment){.ctx = runtime,
                                                         .heap_alloc = environment_heap_alloc,
                                                         .heap_free = environment_heap_free,
                                                         .next_handle = environment_next_handle,
                                                         .now_ms = environment_now_ms,
                                                         .log = environment_log,
                                                         .options = &runtime->config.options,
                                                         .module_path = config->module_path};
    if (config->share != NULL) {
        config->share(&runtime->environment);
    }
    runtime->adapter_callbacks.pfnQueryAdapterInfoCb = query_adapter_info;
    runtime->adapter_callbacks.pEnvironment = &runtime->environment;
    if (!agpu_kmd_init(&runtime->kmd, &runtime->memory, config->transport, &config->kmd,
                       &runtime->config.vidmm)) {
        agpu_memory_free(&first, runtime, sizeof *runtime);
        return NULL;
    }
    if (config->arm_interrupts != NULL) {
        config->arm_interrupts(config->interrupt_ctx);
    }
    return runtime;
}

/* Submits the release of the last share tokens and waits until the device has read everything. A device that does not
 * is reset, so that it reads no memory any more. */
static void drain_device(struct agpu_runtime *runtime)
{
    const struct agpu_platform *platform = runtime->config.platform;
    struct agpu_kmd *kmd = &runtime->kmd;
    struct agpu_runtime_wait wait;
    NTSTATUS status = STATUS_SUCCESS;

    agpu_runtime_wait_begin(&wait, runtime, AGPU_RELAX_ROOM);
    while (status == STATUS_SUCCESS) {
        agpu_kmd_release_tokens(kmd, platform->now_ns(platform->ctx));
        bool all_released = kmd->vm.released_first == AGPU_SLAB_NONE && kmd->completed == kmd->submitted;
        if (all_released && agpu_kmd_flush_internal(kmd, platform->now_ns(platform->ctx)) != STATUS_PENDING) {
            break;
        }
        status = agpu_runtime_wait_again(&wait);
    }
    agpu_runtime_wait_idle(runtime);
    if (!agpu_kmd_idle(kmd)) {
        agpu_kmd_reset(kmd, NULL, platform->now_ns(platform->ctx));
    }
}

void agpu_runtime_close(struct agpu_runtime *runtime, struct agpu_runtime_leaks *leaks)
{
    struct agpu_runtime_leaks found = {0};
    struct agpu_vidmm *vm = &runtime->kmd.vm;

    while (runtime->devices != NULL) {
        agpu_runtime_device_destroy(runtime->devices);
        found.devices++;
    }
    found.contexts = runtime->leaked_contexts;
    found.syncs = runtime->leaked_syncs;
    agpu_runtime_poll(runtime);
    found.locks = vm->open_locks;
    found.resources = vm->resources.live;
    for (uint16_t process = 1; process < AGPU_PROCESS_LIMIT; process++) {
        found.allocations += agpu_vidmm_close_process(vm, process);
    }
    found.allocations -= found.resources; /* these are counted among the handles */
    found.resets = runtime->kmd.counters.resets;
    drain_device(runtime);
    found.resets = runtime->kmd.counters.resets - found.resets;
    agpu_kmd_power(&runtime->kmd, false); /* nothing is submitted from here on */
    for (uint32_t i = 0; i < vm->segment_count; i++) {
        found.committed_bytes += vm->segments[i].committed;
    }
    found.swap_bytes = vm->swap_bytes;
    agpu_kmd_fini(&runtime->kmd);
    found.heap_blocks = runtime->memory.heap_blocks;
    found.heap_bytes = runtime->memory.heap_bytes;
    found.dma_blocks = runtime->memory.dma_blocks;
    found.umd_heap_blocks = runtime->umd_heap_blocks;
    const struct agpu_platform *platform = runtime->config.platform;
    platform->heap_free(platform->ctx, runtime);
    if (leaks != NULL) {
        *leaks = found;
    }
}

const D3DDDI_ADAPTERCALLBACKS *agpu_runtime_adapter_callbacks(const struct agpu_runtime *runtime)
{
    return &runtime->adapter_callbacks;
}

D3D10DDI_HRTADAPTER agpu_runtime_adapter_handle(struct agpu_runtime *runtime)
{
    return (D3D10DDI_HRTADAPTER){runtime};
}

struct agpu_kmd *agpu_runtime_kmd(struct agpu_runtime *runtime)
{
    return &runtime->kmd;
}

const struct agpu_memory *agpu_runtime_memory(const struct agpu_runtime *runtime)
{
    return &runtime->memory;
}
