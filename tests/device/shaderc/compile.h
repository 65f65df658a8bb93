/* compile.h: the only caller of libvkd3d-shader. */
#ifndef VGPU_TESTS_DEVICE_SHADERC_COMPILE_H
#define VGPU_TESTS_DEVICE_SHADERC_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/render/shaderc_wire.h"

/* Writes the version of the loaded library and of the requested SPIR-V. */
void vgpu_compile_version(char *text, size_t size);

/* Translates request->size bytes of DXBC to *size bytes of SPIR-V, to be freed by vgpu_compile_free. Returns
 * false with the reason in why. */
bool vgpu_compile(const struct vgpu_shaderc_request *request, const struct vgpu_shaderc_binding *bindings,
                  const void *dxbc, const uint32_t **words, uint32_t *size, char *why, size_t why_size);
void vgpu_compile_free(const uint32_t *words, uint32_t size);

#endif
