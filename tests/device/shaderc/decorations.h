/* decorations.h: removes decorations that libvkd3d-shader 1.2 writes twice and newer validators reject. */
#ifndef VGPU_TESTS_DEVICE_SHADERC_DECORATIONS_H
#define VGPU_TESTS_DEVICE_SHADERC_DECORATIONS_H

#include <stdint.h>

/* Returns a malloc'ed copy of the module without repeated OpDecorate (hull shaders: Patch); NULL when the
 * module is malformed or memory is exhausted. *size is updated. */
uint32_t *vgpu_decorations(const uint32_t *words, uint32_t *size);

#endif
