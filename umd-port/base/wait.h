/* wait.h: waiting for fences, and the many ways of being busy (umd.md 4, 6.3, 6.6). */
#ifndef AGPU_UMD_BASE_WAIT_H
#define AGPU_UMD_BASE_WAIT_H

#include "umd-port/base/device.h"

/* Waits until fence is reached. DXGI_ERROR_WAS_STILL_DRAWING when poll is set and it is not. An infinite wait
 * ends with the kernel's time-out: DXGI_ERROR_DEVICE_HUNG. */
HRESULT agpu_wait_fence(struct agpu_device *device, uint64_t fence, bool poll);

/* Is this a way of saying busy? E_PENDING counts only for polls. Test before SUCCEEDED(): one has a clear
 * sign. */
bool agpu_is_busy(HRESULT hr, bool poll);

#endif
