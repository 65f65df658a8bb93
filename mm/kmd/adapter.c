/* adapter.c: a device of either generation: quiesce, start, stop, and the interrupt service routine (device.md 4.2, 6;
 * legacy.md 2; vidmm.md 7). */
#include "mm/kmd/adapter.h"

#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/legacy_irq.h"
#include "ring/legacy_transport.h"
#include "ring/quiesce.h"
#include "ring/ring_transport.h"

enum agpu_status agpu_kmd_adapter_quiesce(const struct agpu_kmd_adapter *adapter)
{
    const struct agpu_function *function = adapter->function;

    agpu_function_restore(function);
    if (agpu_reg_gone(function)) {
        return AGPU_ERR_LOST;
    }
    return adapter->abi->legacy ? agpu_legacy_quiesce(function, adapter->abi->features)
                                : agpu_ring_quiesce(function, adapter->abi->features);
}

enum agpu_status agpu_kmd_adapter_start(const struct agpu_kmd_adapter *adapter,
                                        const struct agpu_ring_config *config,
                                        struct agpu_transport *transport)
{
    const struct agpu_ring_config defaults = {0};
    const uint64_t features = adapter->abi->features;
    enum agpu_status status;

    if (adapter->abi->legacy) {
        status = agpu_legacy_start(adapter->legacy, adapter->function, features, 0);
        if (status == AGPU_OK) {
            *transport = agpu_legacy_transport(adapter->legacy);
        }
        return status;
    }
    status = agpu_ring_start(adapter->ring, adapter->function, features, config != NULL ? config : &defaults);
    if (status == AGPU_OK) {
        *transport = agpu_ring_transport(adapter->ring);
    }
    return status;
}

enum agpu_status agpu_kmd_adapter_stop(const struct agpu_kmd_adapter *adapter)
{
    return adapter->abi->legacy ? agpu_legacy_stop(adapter->legacy) : agpu_ring_stop(adapter->ring);
}

enum agpu_status agpu_kmd_adapter_leave_d0(const struct agpu_kmd_adapter *adapter,
                                           struct agpu_display *display, uint32_t *mask)
{
    const struct agpu_function *function = adapter->function;

    *mask = agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE);
    agpu_irq_enable(function, 0);
    agpu_irq_ack(function, UINT32_MAX);
    agpu_display_release(display);
    return agpu_ring_suspend(adapter->ring);
}

enum agpu_status agpu_kmd_adapter_enter_d0(const struct agpu_kmd_adapter *adapter,
                                           struct agpu_display *display, uint32_t mask)
{
    const enum agpu_status status = agpu_ring_resume(adapter->ring);

    if (status == AGPU_OK) {
        agpu_display_acquire(display);
        agpu_irq_enable(adapter->function, mask);
    }
    return status;
}

bool agpu_kmd_adapter_service_interrupt(void *ctx, struct agpu_kmd_interrupt *out)
{
    const struct agpu_kmd_adapter *adapter = ctx;
    const struct agpu_function *function = adapter->function;
    const bool legacy = adapter->abi->legacy;

    /* The legacy device has no error registers; its causes have the same bits as those of the versioned device. */
    *out = (struct agpu_kmd_interrupt){.causes =
                                           legacy ? agpu_legacy_irq_service(function, adapter->abi->features)
                                                  : agpu_irq_service(function)};
    if (!legacy && (out->causes & AEROGPU_IRQ_ERROR)) {
        out->error_code = agpu_reg_read(function, AEROGPU_MMIO_REG_ERROR_CODE);
        out->fault.mmio_readable = true;
        out->fault.mmio_fence = agpu_reg_read64(function, AEROGPU_MMIO_REG_ERROR_FENCE_LO);
    }
    return out->causes != 0;
}

bool agpu_kmd_adapter_poll_interrupt(void *ctx, struct agpu_kmd_interrupt *out)
{
    struct agpu_kmd_adapter *adapter = ctx;
    const struct agpu_platform *platform = adapter->function->platform;
    uint64_t fence, now;

    if (adapter->abi->legacy || adapter->ring->page.cpu == NULL) {
        return agpu_kmd_adapter_service_interrupt(ctx, out);
    }
    fence = agpu_fence_page_value(adapter->ring); /* before IRQ_STATUS, so that the causes cover this value */
    now = platform->now_ns(platform->ctx);
    if (adapter->polled_ns != 0 && fence == adapter->polled_fence &&
        now - adapter->polled_ns < AGPU_KMD_POLL_NS) {
        *out = (struct agpu_kmd_interrupt){0};
        return false;
    }
    adapter->polled_fence = fence;
    adapter->polled_ns = now;
    return agpu_kmd_adapter_service_interrupt(ctx, out);
}
