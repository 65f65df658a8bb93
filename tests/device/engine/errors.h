/* errors.h: error information registers (device.md 4.6). */
#ifndef VGPU_ENGINE_ERRORS_H
#define VGPU_ENGINE_ERRORS_H

#include <stdint.h>

struct vgpu_device;

struct vgpu_errors {
    uint32_t code;
    uint64_t fence;
    uint32_t count; /* saturates */
};

/* Records an error (AEROGPU_ERROR_*, not NONE) of the submission with this fence, 0 = none, and raises the
 * interrupt cause. */
void vgpu_error_record(struct vgpu_device *device, uint32_t code, uint64_t fence);

#endif
