/* dxbc_code.h: instructions of a DXBC program. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_CODE_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_CODE_H

#include "tests/device/render/dxbc_walk.h"

/* Checks an instruction; walk->at is after its opcode token. Returns NULL or an error text. */
const char *vgpu_dxbc_code(struct vgpu_dxbc_walk *walk, uint32_t opcode, struct vgpu_dxbc_opcode form);

#endif
