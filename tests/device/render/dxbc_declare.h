/* dxbc_declare.h: declarations of a DXBC program. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_DECLARE_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_DECLARE_H

#include "tests/device/render/dxbc_walk.h"

/* Checks a declaration; walk->at is after its opcode token, which is token. Returns NULL or an error text. */
const char *vgpu_dxbc_declaration(struct vgpu_dxbc_walk *walk, uint32_t opcode, uint32_t token);

#endif
