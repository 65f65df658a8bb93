/* quiesce.c: turns off everything that could make the device access memory or raise an interrupt. */
#include "ring/quiesce.h"

#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"

/* Nothing runs, so the two halves cannot change between the reads. */
static bool completed_is_zero(const struct agpu_function *function)
{
    return agpu_reg_read(function, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI) == 0 &&
           agpu_reg_read(function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) == 0;
}

void agpu_screen_off(const struct agpu_function *function, uint64_t features)
{
    if (features & AEROGPU_FEATURE_SCANOUT) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, 0);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, 0);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, 0);
        agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, 0);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
    }
    if (features & AEROGPU_FEATURE_CURSOR) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_CURSOR_ENABLE, 0);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_CURSOR_FB_GPA_LO, 0);
    }
}

/* Turns off everything that could make the device read or write memory, or raise an interrupt. */
static void disable_registers(const struct agpu_function *function, uint64_t features)
{
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_irq_enable(function, 0);
    agpu_screen_off(function, features);
    if (features & AEROGPU_FEATURE_FENCE_PAGE) {
        agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    }
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
}

enum agpu_status agpu_ring_quiesce(const struct agpu_function *function, uint64_t features)
{
    struct agpu_wait wait;

    disable_registers(function, features);
    /* A reset with RING_GPA 0 is allowed (device.md 6.2). agpu_ring_start() catches a device that resets late: it waits
     * for its own reset to be visible in memory. */
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    agpu_irq_ack(function, UINT32_MAX);
    agpu_wait_begin(&wait, function->platform, AGPU_RELAX_RESET);
    do {
        if (completed_is_zero(function) && agpu_irq_status(function) == 0) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return agpu_reg_gone(function) ? AGPU_ERR_LOST : AGPU_ERR_TIMEOUT;
}
