/* fake_machine.c: the unit tests' machine. */
#include "tests/unit/device/fake_machine.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "tests/device/bus/config_space.h"

/* Returns the number of bytes that are mapped contiguously from gpa on. */
static uint64_t extent(uint64_t gpa)
{
    return gpa < RAM_BASE || gpa >= RAM_BASE + RAM_SIZE ? 0 : RAM_BASE + RAM_SIZE - gpa;
}

static void *dma_pointer(void *ctx, uint64_t gpa, uint64_t size, bool write)
{
    struct fake_machine *machine = ctx;

    (void)write;
    machine->dma_calls++;
    assert_true(size > 0);
    assert_true(gpa + size > gpa); /* device.h: gpa + size does not wrap */
    return size <= extent(gpa) ? machine->ram + (gpa - RAM_BASE) : NULL;
}

static uint64_t dma_extent(void *ctx, uint64_t gpa, bool write)
{
    struct fake_machine *machine = ctx;

    (void)write;
    machine->dma_calls++;
    return extent(gpa);
}

static void set_intx(void *ctx, bool asserted)
{
    struct fake_machine *machine = ctx;

    assert_int_not_equal(machine->intx, asserted); /* device.h: on changes only */
    machine->intx = asserted;
    machine->intx_changes++;
}

static uint64_t now_ns(void *ctx)
{
    const struct fake_machine *machine = ctx;

    return machine->now;
}

struct vgpu_device_machine machine_callbacks(struct fake_machine *machine)
{
    return (struct vgpu_device_machine){machine, dma_pointer, dma_extent, set_intx, now_ns, NULL};
}

struct fake_machine *machine_create(void)
{
    return machine_create_abi(VGPU_ABI_VERSIONED);
}

struct fake_machine *machine_create_abi(enum vgpu_device_abi abi)
{
    struct fake_machine *machine = calloc(1, sizeof *machine);
    const struct vgpu_device_config config = {.abi = abi};

    assert_non_null(machine);
    machine->ram = calloc(1, RAM_SIZE);
    assert_non_null(machine->ram);
    machine->now = 1000000000;
    const struct vgpu_device_machine callbacks = machine_callbacks(machine);
    machine->device = vgpu_device_create(&callbacks, &config);
    assert_non_null(machine->device);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY | VGPU_CONFIG_COMMAND_BUS_MASTER);
    return machine;
}

void machine_destroy(struct fake_machine *machine)
{
    vgpu_device_destroy(machine->device);
    free(machine->ram);
    free(machine);
}

int machine_setup(void **state)
{
    *state = machine_create();
    return 0;
}

int machine_teardown(void **state)
{
    machine_destroy(*state);
    return 0;
}

uint32_t reg_read(struct fake_machine *machine, uint32_t offset)
{
    return (uint32_t)vgpu_device_bar_read(machine->device, VGPU_BAR_REGISTERS, offset, 4);
}

void reg_write(struct fake_machine *machine, uint32_t offset, uint32_t value)
{
    vgpu_device_bar_write(machine->device, VGPU_BAR_REGISTERS, offset, 4, value);
    machine->next_service = vgpu_device_service(machine->device);
}

uint64_t reg_read64(struct fake_machine *machine, uint32_t low_offset)
{
    return reg_read(machine, low_offset) | (uint64_t)reg_read(machine, low_offset + 4) << 32;
}

void reg_write64(struct fake_machine *machine, uint32_t low_offset, uint64_t value)
{
    reg_write(machine, low_offset, (uint32_t)value);
    reg_write(machine, low_offset + 4, (uint32_t)(value >> 32));
}

void command_write(struct fake_machine *machine, uint32_t bits)
{
    vgpu_device_config_write(machine->device, VGPU_CONFIG_COMMAND, 2, bits);
    machine->next_service = vgpu_device_service(machine->device);
}

void clock_advance(struct fake_machine *machine, uint64_t ns)
{
    const uint64_t end = machine->now + ns;

    while (machine->next_service <= end) {
        machine->now = machine->next_service > machine->now ? machine->next_service : machine->now;
        machine->next_service = vgpu_device_service(machine->device);
    }
    machine->now = end;
}

void *ram(struct fake_machine *machine, uint64_t gpa)
{
    assert_true(gpa >= RAM_BASE && gpa < RAM_BASE + RAM_SIZE);
    return machine->ram + (gpa - RAM_BASE);
}
