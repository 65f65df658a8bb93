/* intx.c: the level, mask and unmask logic of INTA#. */
#include "tests/device/vfio/intx.h"

static bool evaluate_line(struct vgpu_vfio_intx *intx)
{
    if (!intx->line || intx->masked || !intx->enabled) {
        return false;
    }
    intx->masked = true; /* VFIO_IRQ_INFO_AUTOMASKED */
    return true;
}

bool vgpu_vfio_intx_line(struct vgpu_vfio_intx *intx, bool asserted)
{
    intx->line = asserted;
    return evaluate_line(intx);
}

bool vgpu_vfio_intx_unmask(struct vgpu_vfio_intx *intx)
{
    intx->masked = false;
    return evaluate_line(intx);
}

bool vgpu_vfio_intx_enable(struct vgpu_vfio_intx *intx)
{
    intx->enabled = true;
    return vgpu_vfio_intx_unmask(intx);
}

void vgpu_vfio_intx_mask(struct vgpu_vfio_intx *intx)
{
    intx->masked = true;
}

void vgpu_vfio_intx_disable(struct vgpu_vfio_intx *intx)
{
    intx->enabled = false;
    intx->masked = false;
}
