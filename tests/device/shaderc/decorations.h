/* decorations.h: takes out what libvkd3d-shader 1.2 writes twice and newer validators refuse. */
#ifndef VGPU_TESTS_DEVICE_SHADERC_DECORATIONS_H
#define VGPU_TESTS_DEVICE_SHADERC_DECORATIONS_H

#include <stdint.h>

/* Returns a copy of the module, malloc'ed, in which no OpDecorate stands twice (hull shaders: Patch); NULL
 * when the module is malformed or memory is exhausted. *size is updated. */
uint32_t *vgpu_decorations(const uint32_t *words, uint32_t *size);

#endif
