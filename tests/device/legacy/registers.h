/* registers.h: BAR0 of the legacy device (legacy.md 2). */
#ifndef VGPU_LEGACY_REGISTERS_H
#define VGPU_LEGACY_REGISTERS_H

#include <stdint.h>

/* The functions of struct vgpu_abi; generation is a struct vgpu_legacy. */
const char *vgpu_legacy_register_name(uint64_t offset);
uint32_t vgpu_legacy_register_read(void *generation, uint64_t offset);
void vgpu_legacy_register_write(void *generation, uint64_t offset, uint32_t value);

#endif
