/* texel.h: converts texels of the ten colour formats to RGBA8 and back, as presents do (device.md 4.8). */
#ifndef AGPU_CASES_RIG_TEXEL_H
#define AGPU_CASES_RIG_TEXEL_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the name of any surface format, and "unknown" for other numbers. */
const char *agpu_texel_name(uint32_t format);
/* Returns the name of a DXGI_FORMAT, without its prefix, and "unknown" for numbers from 100 on. */
const char *agpu_dxgi_name(uint32_t format);
/* Returns 2 or 4. */
uint32_t agpu_texel_bytes(uint32_t format);
bool agpu_texel_has_x8(uint32_t format);
bool agpu_texel_is_srgb(uint32_t format);

/* Convert one texel to RGBA8, and back; sRGB formats have the bytes of the others. */
void agpu_texel_unpack(uint32_t format, const uint8_t *at, uint8_t rgba[4]);
void agpu_texel_pack(uint32_t format, const uint8_t rgba[4], uint8_t *at);

#endif
