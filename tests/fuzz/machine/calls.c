/* calls.c: calls into the device under fuzz, with the checks common to both generations. */
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/machine/watch.h"

#define COMMAND            0x04u
#define COMMAND_MEMORY     0x0002u
#define COMMAND_BUS_MASTER 0x0004u

/* A script of 64 KiB can only request work for a few budgets; a device that needs more service points is
 * stuck. */
#define MAX_SERVICES 100000u

uint32_t fuzz_command(void)
{
    return vgpu_device_config_read(fuzz_device(), COMMAND, 2);
}

bool fuzz_bus_master(void)
{
    return (fuzz_command() & COMMAND_BUS_MASTER) != 0;
}

uint32_t fuzz_peek(uint32_t offset)
{
    return (uint32_t)vgpu_device_bar_read(fuzz_device(), VGPU_BAR_REGISTERS, offset, 4);
}

uint64_t fuzz_peek64(uint32_t low_offset)
{
    return fuzz_peek(low_offset) | (uint64_t)fuzz_peek(low_offset + 4) << 32;
}

uint32_t fuzz_registers_open(void)
{
    const uint32_t before = fuzz_command();

    fuzz_call_begin(false);
    if ((before & COMMAND_MEMORY) == 0) {
        vgpu_device_config_write(fuzz_device(), COMMAND, 2, before | COMMAND_MEMORY);
    }
    return before;
}

void fuzz_registers_close(uint32_t before)
{
    if ((before & COMMAND_MEMORY) == 0) {
        vgpu_device_config_write(fuzz_device(), COMMAND, 2, before);
    }
    fuzz_call_end();
}

uint32_t fuzz_register(uint32_t offset)
{
    const uint32_t before = fuzz_registers_open();
    const uint32_t value = fuzz_peek(offset);

    fuzz_registers_close(before);
    return value;
}

uint64_t fuzz_register64(uint32_t low_offset)
{
    const uint32_t before = fuzz_registers_open();
    const uint64_t value = fuzz_peek64(low_offset);

    fuzz_registers_close(before);
    return value;
}

uint64_t fuzz_bar_read(unsigned bar, uint64_t offset, uint32_t size)
{
    uint64_t value;

    fuzz_call_begin(false);
    value = vgpu_device_bar_read(fuzz_device(), (enum vgpu_bar)bar, offset, size);
    fuzz_call_end();
    if ((fuzz_command() & COMMAND_MEMORY) == 0 && (size == 1 || size == 2 || size == 4 || size == 8)) {
        fuzz_require(value == UINT64_MAX >> (64 - size * 8)); /* no answer: all ones (device.md 2) */
    }
    fuzz_require(size >= 8 || size == 0 || value <= UINT64_MAX >> (64 - size * 8));
    fuzz_check(false);
    return value;
}

void fuzz_bar_write(unsigned bar, uint64_t offset, uint32_t size, uint64_t value)
{
    const bool reset = fuzz_write_resets(bar, offset, size);

    fuzz_call_begin(reset && fuzz_bus_master());
    vgpu_device_bar_write(fuzz_device(), (enum vgpu_bar)bar, offset, size, value);
    fuzz_call_end();
    fuzz_check(reset);
    fuzz_written(bar, offset, size, value);
}

void fuzz_register_write(uint32_t offset, uint32_t value)
{
    const uint32_t before = fuzz_command();

    if ((before & COMMAND_MEMORY) == 0) {
        fuzz_config_write(COMMAND, 2, before | COMMAND_MEMORY);
    }
    fuzz_bar_write(VGPU_BAR_REGISTERS, offset, 4, value);
    if ((before & COMMAND_MEMORY) == 0) {
        fuzz_config_write(COMMAND, 2, before);
    }
}

uint32_t fuzz_config_read(uint32_t offset, uint32_t size)
{
    uint32_t value;

    fuzz_call_begin(false);
    value = vgpu_device_config_read(fuzz_device(), offset, size);
    fuzz_call_end();
    return value;
}

void fuzz_config_write(uint32_t offset, uint32_t size, uint32_t value)
{
    fuzz_call_begin(false);
    vgpu_device_config_write(fuzz_device(), offset, size, value);
    fuzz_call_end();
    fuzz_check(false);
}

void fuzz_service(void)
{
    uint64_t deadline;
    bool wants;

    fuzz_call_begin(fuzz_bus_master());
    deadline = vgpu_device_service(fuzz_device());
    fuzz_call_end();
    wants = vgpu_device_needs_service(fuzz_device());
    fuzz_require(!wants || fuzz_bus_master());
    fuzz_require(wants ? deadline <= fuzz_now() : deadline > fuzz_now());
    fuzz_check(false);
}

void fuzz_idle(void)
{
    uint32_t services = 0;

    do {
        fuzz_require(services++ < MAX_SERVICES);
        fuzz_service();
    } while (vgpu_device_needs_service(fuzz_device()));
    /* No work is left, so this service point must do nothing. */
    fuzz_service();
    fuzz_require(fuzz_call_count() == 0);
}

void fuzz_reset(void)
{
    fuzz_call_begin(false);
    vgpu_device_reset(fuzz_device());
    fuzz_call_end();
    fuzz_watch_power_on();
}

void fuzz_check_vblanks(struct fuzz_vblanks *seen, uint32_t count_low, uint32_t time_low)
{
    const struct fuzz_vblanks now = {fuzz_peek64(count_low), fuzz_peek64(time_low)};

    fuzz_require(now.count >= seen->count);
    fuzz_require(now.time >= seen->time && now.time <= fuzz_now());
    fuzz_require((now.count == seen->count) == (now.time == seen->time));
    *seen = now;
}
