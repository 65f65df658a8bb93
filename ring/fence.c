/* fence.c: reading and awaiting fences. */
#include "ring/fence.h"

#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/order.h"

/* Rounds of a wait between two looks at the registers: a register read costs a trip to the device. */
#define PAGE_LOOKS 64

/* Looks at the page in one round before the machine is let idle: a device answers in microseconds, while one
 * round of pumping the network may cost a hundred. Some 5 us on a fast CPU, 50 us emulated. */
#define SPIN_LOOKS 4096

/* Rounds that look that long. What has not come by then takes long, and the processor serves others
 * better. */
#define SPIN_ROUNDS 32

uint64_t agpu_fence_page_value(const struct agpu_ring *ring)
{
    const uint8_t *page = ring->page.cpu;

    if (page == NULL) {
        return 0;
    }
    return agpu_observe64(page + offsetof(struct aerogpu_fence_page, completed_fence));
}

uint64_t agpu_fence_mmio_value(const struct agpu_function *function)
{
    return agpu_reg_read64(function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

static enum agpu_status completed_by_mmio(struct agpu_ring *ring, uint64_t *out)
{
    uint64_t value = agpu_fence_mmio_value(ring->function);

    if (value == UINT64_MAX && agpu_reg_gone(ring->function)) {
        return AGPU_ERR_LOST;
    }
    /* Clamped: waiters must see neither an earlier value than before nor one that nobody asked for. */
    if (value > ring->last_submitted) {
        value = ring->last_submitted;
    }
    if (value > ring->last_completed) {
        ring->last_completed = value;
    }
    *out = ring->last_completed;
    return AGPU_OK;
}

static bool completed_by_page(struct agpu_ring *ring, uint64_t *out)
{
    uint64_t value = agpu_fence_page_value(ring);

    if (value < ring->last_completed || value > ring->last_submitted) {
        return false;
    }
    ring->last_completed = value;
    *out = value;
    return true;
}

/* True when the page shows the fence within one round of looking. */
static bool page_shows(struct agpu_ring *ring, uint64_t fence, unsigned round)
{
    unsigned looks = round < SPIN_ROUNDS ? SPIN_LOOKS : 1;
    uint64_t value;

    if (ring->page.cpu == NULL) {
        return false;
    }
    for (unsigned i = 0; i < looks; i++) {
        if (completed_by_page(ring, &value) && value >= fence) {
            return true;
        }
    }
    return false;
}

enum agpu_status agpu_fence_completed(struct agpu_ring *ring, uint64_t *out)
{
    if (ring->page.cpu != NULL && completed_by_page(ring, out)) {
        return AGPU_OK;
    }
    return completed_by_mmio(ring, out);
}

enum agpu_status agpu_fence_wait(struct agpu_ring *ring, uint64_t fence)
{
    struct agpu_wait wait;
    unsigned looks = 0;
    uint64_t value;

    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_FENCE);
    do {
        enum agpu_status status = AGPU_OK;

        if (page_shows(ring, fence, looks)) {
            return AGPU_OK;
        }
        /* The look after the deadline asks the registers: they are the authority before a timeout is
         * declared. */
        if (ring->page.cpu == NULL || wait.expired || ++looks % PAGE_LOOKS == 0) {
            status = completed_by_mmio(ring, &value);
        } else {
            status = agpu_fence_completed(ring, &value);
        }
        if (status != AGPU_OK) {
            return status;
        }
        if (value >= fence) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return AGPU_ERR_TIMEOUT;
}
