/* dxbc.h: reads a DXBC container (commands.md 7) and validates its tokens before other code uses them: returns
 * the declarations of a shader and guarantees that it uses nothing else. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_H

#include <stddef.h>

#include "tests/device/render/dxbc_shader.h"

/* Reads and checks the container at bytes, 4-byte aligned. Returns NULL with *dxbc complete, or a constant
 * error text. Safe for any input. */
const char *vgpu_dxbc_read(const void *bytes, size_t size, struct vgpu_dxbc *dxbc);

#endif
