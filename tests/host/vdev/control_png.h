/* control_png.h: encodes RGBA pixels as a PNG file in memory. */
#ifndef AGPU_HOST_VDEV_CONTROL_PNG_H
#define AGPU_HOST_VDEV_CONTROL_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Encodes width * height pixels R, G, B, A without padding, and without a gamma or colour-space chunk: the bytes are
 * the device's. *out is malloc'd. Returns false when libpng fails or memory is exhausted. */
bool agpu_png_encode(const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t **out, size_t *out_length);

#endif
