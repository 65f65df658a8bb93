/* fake_machine.h: a machine for the unit tests of the device model: RAM as an array, a clock that the test
 * moves, a recorder of the interrupt line, and short forms for what a driver does. */
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
    uint64_t next_service; /* what the last service point returned */
    unsigned dma_calls;
};

/* A machine with a device that has Memory and Bus Master set; fails the test when it cannot be made. */
struct fake_machine *machine_create(const char *fault);
struct fake_machine *machine_create_abi(const char *fault, enum vgpu_device_abi abi);
void machine_destroy(struct fake_machine *machine);

/* The callbacks of a machine, for tests that make devices of their own. */
struct vgpu_device_machine machine_callbacks(struct fake_machine *machine);

/* cmocka set-up and tear-down around one test, *state being the machine. */
int machine_setup(void **state);
int machine_teardown(void **state);

/* Aligned 32-bit register accesses; a write is followed by a service point. */
uint32_t reg_read(struct fake_machine *machine, uint32_t offset);
void reg_write(struct fake_machine *machine, uint32_t offset, uint32_t value);

/* A register pair, low half at the lower offset. */
uint64_t reg_read64(struct fake_machine *machine, uint32_t low_offset);
void reg_write64(struct fake_machine *machine, uint32_t low_offset, uint64_t value);

/* Command register; a service point follows. */
void command_write(struct fake_machine *machine, uint32_t bits);

/* Moves the clock and gives the device its service points on the way. */
void clock_advance(struct fake_machine *machine, uint64_t ns);

/* RAM at a guest address. */
void *ram(struct fake_machine *machine, uint64_t gpa);

#endif
