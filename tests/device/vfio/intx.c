#include "tests/device/vfio/intx.h"

static bool evaluate(struct agpu_vfio_intx *intx)
{
    if (!intx->line || intx->masked || !intx->enabled) {
        return false;
    }
    intx->masked = true; /* VFIO_IRQ_INFO_AUTOMASKED */
    return true;
}

bool agpu_vfio_intx_line(struct agpu_vfio_intx *intx, bool asserted)
{
    intx->line = asserted;
    return evaluate(intx);
}

bool agpu_vfio_intx_unmask(struct agpu_vfio_intx *intx)
{
    intx->masked = false;
    return evaluate(intx);
}

bool agpu_vfio_intx_enable(struct agpu_vfio_intx *intx)
{
    intx->enabled = true;
    return agpu_vfio_intx_unmask(intx);
}

void agpu_vfio_intx_mask(struct agpu_vfio_intx *intx)
{
    intx->masked = true;
}

void agpu_vfio_intx_disable(struct agpu_vfio_intx *intx)
{
    intx->enabled = false;
    intx->masked = false;
}
