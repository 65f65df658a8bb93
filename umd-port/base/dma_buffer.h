/* dma_buffer.h: the runtime's buffers for submissions: the kernel context that hands out the first set, the
 * sets that follow, and what may be written into one (umd.md 4, 12.3). */
#ifndef AGPU_UMD_BASE_DMA_BUFFER_H
#define AGPU_UMD_BASE_DMA_BUFFER_H

#include "umd-port/base/device.h"

/* Bytes of a DMA buffer usable from command on: size less the distance from dma, unless command lies outside
 * or a pointer is NULL (umd.md 12.3). */
uint32_t agpu_dma_usable_bytes(const void *dma, const void *command, uint32_t size);
/* Size of private data that the driver may touch: at most 16. */
uint32_t agpu_dma_priv_clamp(uint32_t size);
/* Writes AGPU_DMA_PRIV; false below 16 bytes or without memory. */
bool agpu_dma_priv_init(void *priv, uint32_t size, bool present);

/* The runtime's context and fence objects, and the first set of buffers. They live as long as the device; the
 * other backing modes do without what the runtime does not offer. */
HRESULT agpu_open_kernel_context(struct agpu_device *device);
void agpu_close_kernel_context(struct agpu_device *device);

/* The set that came back from a submission; without one the runtime reuses the present set. */
void agpu_adopt_new_buffers(struct agpu_device *device, const D3DDDICB_RENDER *done);
/* Asks the runtime for a set whose command buffer holds bytes. False: there is none, the present set stays. */
bool agpu_get_larger_buffer(struct agpu_device *device, uint32_t bytes);

#endif
