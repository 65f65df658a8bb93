/* fence.c: errors, causes of interrupts, fences, and vblank edges that they wait for (device.md 4; ring.md 4, 5, 7). */
#include "tests/cases/reference/fence.h"

#include <string.h>

#include "tests/cases/reference/memory.h"

void agpu_ref_interrupt(struct agpu_ref *ref, uint32_t cause)
{
    if (cause == AEROGPU_IRQ_ERROR || (*agpu_ref_register(ref, AEROGPU_MMIO_REG_IRQ_ENABLE) & cause) != 0) {
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_IRQ_STATUS) |= cause;
    }
}

void agpu_ref_error(struct agpu_ref *ref, enum aerogpu_error code, uint64_t fence)
{
    uint32_t *count = agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_COUNT);

    ref->code_open = false;
    if ((ref->config.features & AEROGPU_FEATURE_ERROR_INFO) != 0) {
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_CODE) = (uint32_t)code;
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_FENCE_LO) = (uint32_t)fence;
        *agpu_ref_register(ref, AEROGPU_MMIO_REG_ERROR_FENCE_HI) = (uint32_t)(fence >> 32);
        *count += *count != UINT32_MAX;
    }
    agpu_ref_interrupt(ref, AEROGPU_IRQ_ERROR);
}

void agpu_ref_fence_page(struct agpu_ref *ref)
{
    const uint64_t address = agpu_ref_pair(ref, AEROGPU_MMIO_REG_FENCE_GPA_LO);
    const struct aerogpu_fence_page page = {.magic = AEROGPU_FENCE_PAGE_MAGIC,
                                            .abi_version = ref->config.abi_version,
                                            .completed_fence = ref->completed};

    if (address != 0 && !agpu_ref_wraps(address, sizeof page)) {
        agpu_ref_put(ref, address, (const uint8_t *)&page, NULL, AGPU_REF_EXACT,
                     offsetof(struct aerogpu_fence_page, reserved0));
    }
}

/* Completes the fences in front of the first held one, as one step. */
void agpu_ref_complete(struct agpu_ref *ref)
{
    uint32_t done = 0;
    bool interrupts = false;

    if ((ref->command & 4u) == 0) {
        return;
    }
    while (done < ref->fence_count && !ref->fences[done].held) {
        interrupts = interrupts || ref->fences[done].interrupts;
        done++;
    }
    if (done == 0) {
        return;
    }
    ref->completed = ref->fences[done - 1].value;
    ref->fence_count -= done;
    memmove(ref->fences, ref->fences + done, ref->fence_count * sizeof ref->fences[0]);
    agpu_ref_fence_page(ref);
    if (interrupts) {
        agpu_ref_interrupt(ref, AEROGPU_IRQ_FENCE);
    }
}

void agpu_ref_edge(struct agpu_ref *ref)
{
    for (uint32_t i = 0; i < ref->fence_count; i++) {
        if (ref->fences[i].held) {
            ref->fences[i].held = false;
            break;
        }
    }
}

void agpu_ref_release(struct agpu_ref *ref)
{
    for (uint32_t i = 0; i < ref->fence_count; i++) {
        ref->fences[i].held = false;
    }
}

void agpu_ref_signal(struct agpu_ref *ref, uint64_t fence, bool interrupts, bool held)
{
    struct agpu_ref_fence *last = ref->fence_count != 0 ? &ref->fences[ref->fence_count - 1] : NULL;

    if (fence == 0 || fence <= ref->completed) {
        return;
    }
    if (last != NULL && fence == last->value) {
        last->interrupts = last->interrupts || interrupts;
        last->held = last->held || held;
    } else if (last == NULL || fence > last->value) {
        ref->fences[ref->fence_count++] =
            (struct agpu_ref_fence){.value = fence, .interrupts = interrupts, .held = held};
    }
    agpu_ref_complete(ref);
}
