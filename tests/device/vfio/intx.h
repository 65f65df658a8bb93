/* intx.h: INTA# as vfio sees it: a level that is signalled once, masks itself, and is signalled again on
 * unmask while it is still up. Pure: it answers when to signal, the session writes the eventfd. */
#ifndef VGPU_TESTS_DEVICE_VFIO_INTX_H
#define VGPU_TESTS_DEVICE_VFIO_INTX_H

#include <stdbool.h>

struct vgpu_vfio_intx {
    bool line;    /* what the device drives */
    bool masked;  /* by the client, or by itself after a signal */
    bool enabled; /* somebody listens */
};

/* Each event returns true when the interrupt must be signalled now. */
bool vgpu_vfio_intx_line(struct vgpu_vfio_intx *intx, bool asserted);
bool vgpu_vfio_intx_unmask(struct vgpu_vfio_intx *intx);
/* A listener was installed: an interrupt starts unmasked, and one that already pends must not be lost. */
bool vgpu_vfio_intx_enable(struct vgpu_vfio_intx *intx);

void vgpu_vfio_intx_mask(struct vgpu_vfio_intx *intx);
void vgpu_vfio_intx_disable(struct vgpu_vfio_intx *intx);

#endif
