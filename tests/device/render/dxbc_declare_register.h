/* dxbc_declare_register.h: declarations of input and output registers of a DXBC program. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_DECLARE_REGISTER_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_DECLARE_REGISTER_H

#include "tests/device/render/dxbc_walk.h"

/* Checks the declaration of the register in operand. Returns NULL or an error text. */
const char *vgpu_dxbc_declare_register(struct vgpu_dxbc_walk *walk, uint32_t opcode,
                                       const struct vgpu_dxbc_operand *operand);

#endif
