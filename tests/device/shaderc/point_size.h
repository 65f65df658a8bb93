/* point_size.h: makes a translated vertex or domain shader write the point size, which Vulkan requires and
 * Direct3D does not have. */
#ifndef VGPU_TESTS_DEVICE_SHADERC_POINT_SIZE_H
#define VGPU_TESTS_DEVICE_SHADERC_POINT_SIZE_H

#include <stdint.h>

/* Returns a malloc'ed copy of the module whose entry point stores 1.0 as point size; NULL when the module does
 * not have the form that libvkd3d-shader writes, or memory is exhausted. *size is updated. */
uint32_t *vgpu_point_size(const uint32_t *words, uint32_t *size);

#endif
