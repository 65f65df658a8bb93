/* bc.h: decoder of the block formats BC1, BC2 and BC3 (commands.md 5), as Direct3D defines them. */
#ifndef VGPU_INSPECT_BC_H
#define VGPU_INSPECT_BC_H

#include <stdint.h>

/* Decodes one block to 16 texels, row by row, R, G, B, A. BC1 blocks have 8 bytes, the others 16. */
void vgpu_bc1_decode(const uint8_t block[8], uint8_t rgba[16][4]);
void vgpu_bc2_decode(const uint8_t block[16], uint8_t rgba[16][4]);
void vgpu_bc3_decode(const uint8_t block[16], uint8_t rgba[16][4]);

#endif
