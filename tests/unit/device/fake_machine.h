/* fake_machine.h: a machine for unit tests of the device model: RAM as an array, a clock that the test advances, a
 * recorder of the interrupt line, and helpers for driver accesses. */
#ifndef AGPU_TESTS_UNIT_DEVICE_FAKE_MACHINE_H
#define AGPU_TESTS_UNIT_DEVICE_FAKE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/device.h"

/* RAM sits at RAM_BASE; addresses outside are unmapped. */
#define RAM_BASE 0x100000ull
#define RAM_SIZE (8u << 20)

struct fake_machine {
    struct vgpu_device *device;
    uint8_t *ram;
    uint64_t now;
    bool intx;
    unsigned intx_changes;
    uint64_t next_service; /* result of the last service point */
    unsigned dma_calls;
};

/* Returns a machine with a device that has Memory and Bus Master enabled. Fails the test if that is not possible. */
struct fake_machine *machine_create(void);
struct fake_machine *machine_create_abi(enum vgpu_device_abi abi);
void machine_destroy(struct fake_machine *machine);

/* Returns the callbacks of a machine, for tests that create devices themselves. */
struct vgpu_device_machine machine_callbacks(struct fake_machine *machine);

/* cmocka set-up and tear-down of one test; *state is the machine. */
int machine_setup(void **state);
int machine_teardown(void **state);

/* Aligned 32-bit register accesses; a write is followed by a service point. */
uint32_t reg_read(struct fake_machine *machine, uint32_t offset);
void reg_write(struct fake_machine *machine, uint32_t offset, uint32_t value);

/* A register pair, low half at the lower offset. */
uint64_t reg_read64(struct fake_machine *machine, uint32_t low_offset);
void reg_write64(struct fake_machine *machine, uint32_t low_offset, uint64_t value);

/* Writes the command register. A service point follows. */
void command_write(struct fake_machine *machine, uint32_t bits);

/* Advances the clock, with service points on the way. */
void clock_advance(struct fake_machine *machine, uint64_t ns);

/* Returns the RAM at a guest address. */
void *ram(struct fake_machine *machine, uint64_t gpa);

#endif
