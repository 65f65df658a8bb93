/* errors.h: error information registers (device.md 4.6). */
#ifndef VGPU_ENGINE_ERRORS_H
#define VGPU_ENGINE_ERRORS_H

#include <stdint.h>

#include "tests/device/engine/engine.h"

/* Records an error (AEROGPU_ERROR_*, not NONE) of the submission with this fence, 0 = none, and raises the
 * interrupt cause. */
void vgpu_error_record(struct vgpu_engine *engine, uint32_t code, uint64_t fence);

#endif
