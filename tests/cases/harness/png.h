/* png.h: writes small images as uncompressed PNG files, for people who read the results. */
#ifndef AGPU_CASES_HARNESS_PNG_H
#define AGPU_CASES_HARNESS_PNG_H

#include <stddef.h>
#include <stdint.h>

/* Larger images are not written: a failure must not flood the network. */
#define AGPU_PNG_EDGE_MAX 64u
/* Maximum file size in bytes: one filter byte and four bytes per texel for each row, and 68 bytes around them. */
#define AGPU_PNG_BYTES_MAX (AGPU_PNG_EDGE_MAX * (4 * AGPU_PNG_EDGE_MAX + 1) + 68)

/* Writes width x height texels (red in the low byte, then green, blue, alpha) as an 8-bit RGBA PNG. Returns its size,
 * or 0 if an edge is 0 or larger than AGPU_PNG_EDGE_MAX. */
size_t agpu_png_write(uint8_t out[AGPU_PNG_BYTES_MAX], const uint32_t *texels, uint32_t width,
                      uint32_t height);

#endif
