/* isr.c: the routine only reads, acknowledges and records; the deferred part does everything else. */
#include "mm/kmd/isr.h"

#include "pci/machine/text.h"
#include "pci/protocol/aerogpu_pci.h"
#include "ring/irq.h"

static bool isr_handle(void *ctx)
{
    struct agpu_kmd_isr *isr = ctx;
    struct agpu_kmd_interrupt seen;

    if (!agpu_kmd_adapter_service_interrupt((void *)(uintptr_t)isr->adapter, &seen)) {
        return false;
    }
    if ((seen.causes & AEROGPU_IRQ_ERROR) != 0) {
        isr->error_code = seen.error_code;
        isr->error_fence = seen.fault.mmio_fence;
    }
    isr->interrupts++;
    __atomic_fetch_or(&isr->causes, seen.causes, __ATOMIC_RELEASE);
    return true;
}

enum agpu_status agpu_kmd_isr_open(struct agpu_kmd_isr *isr, const struct agpu_kmd_adapter *adapter,
                                   enum agpu_irq_way way, struct agpu_text *why)
{
    const struct agpu_function *function = adapter->function;
    const struct agpu_platform *platform = function->platform;
    enum agpu_status status;

    *isr = (struct agpu_kmd_isr){.adapter = adapter};
    if (platform->irq_open == NULL) {
        agpu_text_string(why, "a machine that takes interrupts");
        isr->adapter = NULL;
        return AGPU_ERR_PLATFORM;
    }
    status = platform->irq_open(platform->ctx, &function->found.ref, way, isr_handle, isr, why);
    if (status != AGPU_OK) {
        isr->adapter = NULL;
    }
    return status;
}

/* Does nothing on a legacy device, which raises its line for every fence and has no mask (legacy.md 2). */
static void write_mask(const struct agpu_kmd_adapter *adapter, uint32_t mask)
{
    if (!adapter->abi->legacy) {
        agpu_irq_enable(adapter->function, mask);
    }
}

void agpu_kmd_isr_close(struct agpu_kmd_isr *isr)
{
    if (isr->adapter != NULL) {
        const struct agpu_function *function = isr->adapter->function;

        write_mask(isr->adapter, 0);
        function->platform->irq_close(function->platform->ctx, &function->found.ref, NULL);
        isr->adapter = NULL;
    }
}

void agpu_kmd_isr_arm(void *ctx)
{
    const struct agpu_kmd_isr *isr = ctx;

    write_mask(isr->adapter, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
}

bool agpu_kmd_isr_take(void *ctx, struct agpu_kmd_interrupt *out)
{
    struct agpu_kmd_isr *isr = ctx;

    *out = (struct agpu_kmd_interrupt){.causes = __atomic_exchange_n(&isr->causes, 0, __ATOMIC_ACQUIRE)};
    /* Maybe of a newer error, whose cause comes next; without a cause nothing reads these. */
    out->error_code = isr->error_code;
    out->fault.mmio_readable = !isr->adapter->abi->legacy;
    out->fault.mmio_fence = isr->error_fence;
    return out->causes != 0;
}
