/* wait.h: waits for fences, and the different busy codes (umd.md 4, 6.3, 6.6). */
#ifndef AGPU_UMD_BASE_WAIT_H
#define AGPU_UMD_BASE_WAIT_H

#include "umd-port/base/device.h"

/* Waits until fence is reached. With poll set, returns DXGI_ERROR_WAS_STILL_DRAWING when it is not. An infinite wait
 * ends with the kernel's time-out: DXGI_ERROR_DEVICE_HUNG. */
HRESULT agpu_wait_fence(struct agpu_device *device, uint64_t fence, bool poll);

/* True for busy codes. E_PENDING counts only for polls. Test it before SUCCEEDED(): one of the codes has a clear sign
 * bit. */
bool agpu_is_busy(HRESULT hr, bool poll);

#endif
