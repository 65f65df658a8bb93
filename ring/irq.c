/* irq.c: the interrupt block. */
#include "ring/irq.h"

/* A cause that is pending again in every round means a faulty device: leave it pending instead of spinning on it. */
#define SERVICE_ROUNDS 8

/* Bits with a meaning (device.md 4.4). */
#define CAUSES (AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR)

uint32_t agpu_irq_status(const struct agpu_function *function)
{
    return agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_STATUS);
}

void agpu_irq_ack(const struct agpu_function *function, uint32_t causes)
{
    agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ACK, causes);
}

void agpu_irq_enable(const struct agpu_function *function, uint32_t mask)
{
    agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ENABLE, mask);
}

uint32_t agpu_irq_service(const struct agpu_function *function)
{
    uint32_t seen = 0;

    for (unsigned i = 0; i < SERVICE_ROUNDS; i++) {
        uint32_t status = agpu_irq_status(function);

        if (status == 0) {
            break;
        }
        agpu_irq_ack(function, status);
        if ((status & CAUSES) == 0) {
            break;
        }
        seen |= status & CAUSES;
    }
    return seen;
}
