/* dxbc_program.h: checks a whole DXBC program. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_PROGRAM_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_PROGRAM_H

#include "tests/device/render/dxbc_shader.h"

/* Checks the program's tokens against the signatures in dxbc and completes dxbc. Returns NULL or an error
 * text. */
const char *vgpu_dxbc_check_program(const uint32_t *tokens, uint32_t count, struct vgpu_dxbc *dxbc);

#endif
