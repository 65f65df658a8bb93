/* registers.h: the registers of the versioned device as a table of names and handlers (device.md 4). */
#ifndef VGPU_VERSIONED_REGISTERS_H
#define VGPU_VERSIONED_REGISTERS_H

#include <stdint.h>

/* Access whole dwords of the struct vgpu_engine; offset may be any offset in the dword. A dword without a
 * register reads 0 and ignores writes. */
uint32_t vgpu_register_read(void *generation, uint64_t offset);
void vgpu_register_write(void *generation, uint64_t offset, uint32_t value);

/* Returns the name of the register at an aligned offset ("RING_CONTROL"), NULL when there is none. */
const char *vgpu_register_name(uint64_t offset);

#endif
