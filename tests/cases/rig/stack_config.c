/* stack_config.c: the description of device and machine for the driver stack. */
#include "tests/cases/rig/stack_config.h"

#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_pci.h"

bool agpu_stack_take(struct agpu_env *env, enum agpu_stack_mode mode, struct agpu_text *why)
{
    return env->isr.adapter != NULL ||
           agpu_kmd_isr_open(&env->isr, &env->adapter, (enum agpu_irq_way)(mode - AGPU_STACK_LINE), why) ==
               AGPU_OK;
}

/* Enables the requested interrupt mode; if it is not available, logs once what is used instead. */
static void take_if_wanted(struct agpu_env *env)
{
    char buffer[240];
    struct agpu_text why;

    if (env->stack_mode == AGPU_STACK_POLLS || env->isr.adapter != NULL) {
        return;
    }
    agpu_text_begin(&why, buffer, sizeof buffer);
    agpu_text_string(&why, "the driver stack polls; interrupts= would need ");
    if (!agpu_stack_take(env, env->stack_mode, &why)) {
        env->stack_mode = AGPU_STACK_POLLS;
        env->platform->log(env->platform->ctx, AGPU_LOG_WARNING, buffer);
    }
}

/* The boot display keeps its part of BAR1 (device.md 5). */
#define VIDEO_MEMORY_OFFSET AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES

bool agpu_video_memory(const struct agpu_env *env, uint64_t bytes, struct agpu_runtime_config *config)
{
    const struct agpu_platform *platform = env->platform;
    struct agpu_bar_mapping bar;

    if (bytes == 0 || env->abi.legacy || platform->bar_map == NULL ||
        !platform->bar_map(platform->ctx, &env->function.found.ref, AEROGPU_PCI_BAR1_INDEX, &bar) ||
        bar.size <= VIDEO_MEMORY_OFFSET) {
        return false;
    }
    const uint64_t room = bar.size - VIDEO_MEMORY_OFFSET;
    config->vidmm.vram =
        (struct agpu_segment_window){.device_address = bar.device_address + VIDEO_MEMORY_OFFSET,
                                     .size = bytes < room ? bytes : room,
                                     .cpu = (uint8_t *)bar.cpu + VIDEO_MEMORY_OFFSET,
                                     .write_combined = bar.write_combined};
    config->options.video_memory = 1;
    return true;
}

static struct agpu_runtime_config polling_config(struct agpu_env *env)
{
    const uint64_t features = env->reported.features;
    /* Without error registers an interrupt reports nothing that polling does not find. The legacy device raises one
     * for each fence, which must be acknowledged. */
    const bool interrupts = env->abi.legacy || (env->abi.features & AEROGPU_FEATURE_ERROR_INFO) != 0;
    struct agpu_runtime_config config = {
        .platform = env->function.platform,
        .function = env->function.found.ref,
        .transport = &env->transport,
        .mmio_magic = env->abi.magic,
        .abi_version = env->reported.version,
        .features = features,
        .fence_page =
            !env->abi.legacy && env->ring.page.cpu != NULL && (features & AEROGPU_FEATURE_FENCE_PAGE) != 0,
        .service_interrupt = interrupts ? agpu_kmd_adapter_poll_interrupt : NULL,
        .interrupt_ctx = &env->adapter,
        .kmd = {.tdr_timeout_ns = agpu_wait_bound_ns(env->platform, AGPU_RELAX_FENCE)},
    };

    agpu_settings_apply(&env->settings, &config);
    agpu_video_memory(env, (uint64_t)agpu_setting(&env->settings, AGPU_SETTING_VRAM_MIB) << 20, &config);
    agpu_trace_apply(&env->trace, &config.options);
    config.module_path = env->trace.module_path;
    /* The configuration takes 32-bit numbers; the manager widens them. */
    if (env->previous_fence != 0 && env->previous_fence < UINT32_MAX) {
        config.kmd.first_fence = (uint32_t)env->previous_fence + 1;
    }
    return config;
}

struct agpu_runtime_config agpu_umd_config(struct agpu_env *env)
{
    struct agpu_runtime_config config = polling_config(env);

    env->adapter.polled_ns =
        env->platform->now_ns(env->platform->ctx); /* the ring is new: no polls are pending */
    env->adapter.polled_fence = 0;
    take_if_wanted(env);
    if (env->isr.adapter != NULL) {
        config.service_interrupt = agpu_kmd_isr_take;
        config.interrupt_ctx = &env->isr;
        config.interrupt_driven = true;
        config.arm_interrupts = agpu_kmd_isr_arm;
    }
    return config;
}

const char *agpu_stack_refusal(struct agpu_env *env)
{
    const struct agpu_runtime_config config = polling_config(env);

    return agpu_runtime_refusal(&config);
}
