/* submit.h: the runtime's kernel context with its buffers, and submission of the recorded stream into them
 * (umd.md 4, 12.3). */
#ifndef AGPU_UMD_BASE_SUBMIT_H
#define AGPU_UMD_BASE_SUBMIT_H

#include "umd-port/base/device.h"

/* Returns the bytes of a DMA buffer usable from command on: size less the distance from dma, unless command lies
 * outside or a pointer is NULL (umd.md 12.3). */
uint32_t agpu_dma_usable_bytes(const void *dma, const void *command, uint32_t size);
/* Returns the size of private data that the driver may access: at most 16. */
uint32_t agpu_dma_priv_clamp(uint32_t size);
/* Writes AGPU_DMA_PRIV; false below 16 bytes or without memory. */
bool agpu_dma_priv_init(void *priv, uint32_t size, bool present);

/* Creates the runtime's context and fence objects and gets the first set of buffers. They exist as long as the device.
 * Backing modes other than WDK tolerate missing callbacks. */
HRESULT agpu_open_kernel_context(struct agpu_device *device);
void agpu_close_kernel_context(struct agpu_device *device);

/* Additional arguments of a present. */
struct agpu_present_args {
    D3DKMT_HANDLE source; /* 0 = none */
    uint32_t sync_interval;
};

/* Resets the recording for the next submission: its stream is built in the runtime's command buffer, and bound state
 * must be listed again. */
void agpu_start_submission(struct agpu_device *device);

/* Submits the recorded packets; present NULL = ordinary rendering. S_OK, without a callback, when nothing is recorded.
 * A failure drops stream, list and staging writes. The caller reports it. */
HRESULT agpu_submit(struct agpu_device *device, const struct agpu_present_args *present);

#endif
