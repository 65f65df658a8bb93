/* registers.h: BAR0: the register map as a table of names and handlers, and the access rules (device.md 3,
 * 4). */
#ifndef AGPU_TESTS_DEVICE_REGISTERS_H
#define AGPU_TESTS_DEVICE_REGISTERS_H

#include <stdint.h>

struct agpu_device;

/* Accesses of 1, 2, 4 or 8 bytes with Memory space enabled. Any offset is allowed. */
uint64_t agpu_registers_read(struct agpu_device *device, uint64_t offset, uint32_t size);
void agpu_registers_write(struct agpu_device *device, uint64_t offset, uint32_t size, uint64_t value);

/* Name of the register at an aligned offset ("RING_CONTROL"), NULL when none is there. */
const char *agpu_register_name(uint64_t offset);

#endif
