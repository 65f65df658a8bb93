/* submit.h: hands the recorded stream to the runtime and waits for fences (umd.md 12.3, 6.3, 6.6). */
#ifndef AGPU_UMD_BASE_SUBMIT_H
#define AGPU_UMD_BASE_SUBMIT_H

#include "umd-port/base/device.h"

/* What a present adds to a submission. */
struct agpu_present {
    D3DKMT_HANDLE source; /* 0 = none */
    uint32_t sync_interval;
};

/* Submits what is recorded; present NULL = ordinary rendering. S_OK without a callback when nothing is
 * recorded. On failure stream, list and staging writes are dropped. The caller reports. */
HRESULT agpu_submit(struct agpu_device *device, const struct agpu_present *present);

/* Waits until fence is reached. DXGI_ERROR_WAS_STILL_DRAWING when poll is set and it is not. An infinite wait
 * ends with the kernel's time-out: DXGI_ERROR_DEVICE_HUNG. */
HRESULT agpu_wait_fence(struct agpu_device *device, uint64_t fence, bool poll);

/* Is this a way of saying busy? E_PENDING counts only for polls. Test before SUCCEEDED(): one has a clear
 * sign. */
bool agpu_is_busy(HRESULT hr, bool poll);

/* Bytes of a DMA buffer usable from command on: size less the distance from dma, unless command lies outside
 * or a pointer is NULL (umd.md 12.3). */
uint32_t agpu_dma_usable_bytes(const void *dma, const void *command, uint32_t size);
/* Size of private data that the driver may touch: at most 16. */
uint32_t agpu_dma_priv_clamp(uint32_t size);
/* Writes AGPU_DMA_PRIV; false below 16 bytes or without memory. */
bool agpu_dma_priv_init(void *priv, uint32_t size, bool present);

/* Tells the runtime's context and fence objects apart from none: created with the device, destroyed with
 * it. */
HRESULT agpu_open_kernel_context(struct agpu_device *device);
void agpu_close_kernel_context(struct agpu_device *device);

#endif
