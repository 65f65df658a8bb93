/* intx.h: INTA# as defined by vfio: a level that is signalled once, masks itself, and is signalled again at
 * unmask if it is still asserted. It decides when to signal; the session writes the eventfd. */
#ifndef VGPU_TESTS_DEVICE_VFIO_INTX_H
#define VGPU_TESTS_DEVICE_VFIO_INTX_H

#include <stdbool.h>

struct vgpu_vfio_intx {
    bool line;    /* level that the device drives */
    bool masked;  /* by the client, or by itself after a signal */
    bool enabled; /* the client has installed an eventfd */
};

/* These return true when the interrupt must be signalled now. */
bool vgpu_vfio_intx_line(struct vgpu_vfio_intx *intx, bool asserted);
bool vgpu_vfio_intx_unmask(struct vgpu_vfio_intx *intx);
/* An eventfd was installed: the interrupt starts unmasked, and a pending one must not be lost. */
bool vgpu_vfio_intx_enable(struct vgpu_vfio_intx *intx);

void vgpu_vfio_intx_mask(struct vgpu_vfio_intx *intx);
void vgpu_vfio_intx_disable(struct vgpu_vfio_intx *intx);

#endif
