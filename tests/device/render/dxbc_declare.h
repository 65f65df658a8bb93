/* dxbc_declare.h: declarations of a DXBC program. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_DECLARE_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_DECLARE_H

#include "tests/device/render/dxbc_walk.h"

/* A declaration whose opcode token is behind walk->at; token is that token. NULL or what is wrong. */
const char *vgpu_dxbc_declaration(struct vgpu_dxbc_walk *walk, uint32_t opcode, uint32_t token);

#endif
