/* fill.h: fills memory with a repeated 16-bit or 32-bit value at the speed of memset. */
#ifndef VGPU_ENGINE_FILL_H
#define VGPU_ENGINE_FILL_H

#include <stdint.h>

/* Fills bytes (a multiple of 4) with value, in any alignment. */
void vgpu_fill32(void *to, uint32_t value, uint64_t bytes);

/* Fills bytes (a multiple of 2) with value. */
void vgpu_fill16(void *to, uint16_t value, uint64_t bytes);

/* Replaces the bits of mask in every 32-bit word of bytes (a multiple of 4). */
void vgpu_fill32_masked(void *to, uint32_t value, uint32_t mask, uint64_t bytes);

#endif
