/* control_png.h: RGBA pixels to a PNG file in memory. */
#ifndef AGPU_HOST_VDEV_CONTROL_PNG_H
#define AGPU_HOST_VDEV_CONTROL_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Encodes width * height pixels R, G, B, A without padding. No gamma or colour-space chunk: the bytes mean
 * what they mean in the device. *out comes from malloc. False when libpng refuses or memory is exhausted. */
bool agpu_png_encode(const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t **out, size_t *out_length);

#endif
