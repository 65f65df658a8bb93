/* dxbc_program.h: the walk through a DXBC program. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_PROGRAM_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_PROGRAM_H

#include "tests/device/render/dxbc_shader.h"

/* Checks the program's tokens against the signatures in dxbc and completes dxbc. NULL or what is wrong. */
const char *vgpu_dxbc_check_program(const uint32_t *tokens, uint32_t count, struct vgpu_dxbc *dxbc);

#endif
