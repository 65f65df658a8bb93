/* legacy_fence.c: 64-bit fences on a device that has 32 bits which never wrap (legacy.md 3). */
#include "ring/legacy.h"

#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"

uint32_t agpu_legacy_fence_number(const struct agpu_function *function)
{
    return agpu_reg_read(function, AEROGPU_LEGACY_REG_FENCE_COMPLETED);
}

static enum agpu_status used_up(const struct agpu_legacy_ring *ring)
{
    ring->platform->log(ring->platform->ctx, AGPU_LOG_ERROR,
                        "legacy device: expected a fence number below 2^32, found all used up; they never "
                        "wrap (legacy.md 3): power-cycle the device");
    return AGPU_ERR_LOST;
}

enum agpu_status agpu_legacy_number_fence(struct agpu_legacy_ring *ring, uint64_t fence, uint32_t *number)
{
    *number = 0;
    if (fence == 0) {
        return AGPU_OK; /* never above FENCE_COMPLETED: signals nothing */
    }
    if (!ring->numbered) {
        /* Above everything the device has completed or was ever told: a late completion cannot be taken for
         * ours. */
        ring->number_base = ring->number_last;
        ring->fence_base = fence - 1;
    } else if (fence <= ring->fence_base) {
        return AGPU_ERR_INVALID;
    }
    if (fence - ring->fence_base > UINT32_MAX - ring->number_base) {
        return used_up(ring);
    }
    *number = ring->number_base + (uint32_t)(fence - ring->fence_base);
    ring->numbered = true;
    if (*number > ring->number_last) {
        ring->number_last = *number;
    }
    if (fence > ring->last_submitted) {
        ring->last_submitted = fence;
    }
    return AGPU_OK;
}

enum agpu_status agpu_legacy_completed(struct agpu_legacy_ring *ring, uint64_t *out)
{
    uint32_t number = agpu_legacy_fence_number(ring->function);

    if (number == UINT32_MAX && agpu_reg_gone(ring->function)) {
        return AGPU_ERR_LOST;
    }
    if (number < ring->number_seen) {
        return AGPU_ERR_LOST;
    }
    ring->number_seen = number;
    if (ring->numbered && number > ring->number_base) {
        uint64_t fence = ring->fence_base + (number - ring->number_base);

        /* Clamped: waiters must see neither an earlier value than before nor one that nobody asked for. */
        if (fence > ring->last_submitted) {
            fence = ring->last_submitted;
        }
        if (fence > ring->last_completed) {
            ring->last_completed = fence;
        }
    }
    *out = ring->last_completed;
    return AGPU_OK;
}

enum agpu_status agpu_legacy_wait_fence(struct agpu_legacy_ring *ring, uint64_t fence)
{
    struct agpu_wait wait;
    uint64_t value;

    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_FENCE);
    do {
        enum agpu_status status = agpu_legacy_completed(ring, &value);

        if (status != AGPU_OK) {
            return status;
        }
        if (value >= fence) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return AGPU_ERR_TIMEOUT;
}
