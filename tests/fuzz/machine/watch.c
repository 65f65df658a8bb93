/* watch.c: calls into the device under fuzz and their invariants. */
#include "tests/fuzz/machine/watch.h"

#include "pci/aerogpu_pci.h"
#include "tests/fuzz/machine/guest.h"

#define COMMAND            0x04u
#define COMMAND_MEMORY     0x0002u
#define COMMAND_BUS_MASTER 0x0004u
#define COMMAND_NO_INTX    0x0400u

/* A script of 64 KiB cannot ask for more work than some budgets; a device that never rests is stuck. */
#define MAX_SERVICES 100000u

/* What was seen last; it may only go up unless the ring was reset. */
static struct {
    uint64_t completed;
    uint32_t errors;
    uint64_t vblanks;
    uint64_t vblank_time;
    uint64_t
        framebuffer; /* committed: a staged low half shows up in reads, but not in effect (device.md 4.5) */
    bool looking;    /* these accesses are the watch's own */
} seen;

static uint32_t command(void)
{
    return agpu_device_config_read(fuzz_device(), COMMAND, 2);
}

bool fuzz_bus_master(void)
{
    return (command() & COMMAND_BUS_MASTER) != 0;
}

static uint32_t peek(uint32_t offset)
{
    return (uint32_t)agpu_device_bar_read(fuzz_device(), AGPU_BAR_REGISTERS, offset, 4);
}

static uint64_t peek64(uint32_t low_offset)
{
    return peek(low_offset) | (uint64_t)peek(low_offset + 4) << 32;
}

/* Opens the registers for the watch; returns the command register to go back to. */
static uint32_t open_registers(void)
{
    const uint32_t before = command();

    fuzz_call_begin(false);
    if ((before & COMMAND_MEMORY) == 0) {
        agpu_device_config_write(fuzz_device(), COMMAND, 2, before | COMMAND_MEMORY);
    }
    return before;
}

static void close_registers(uint32_t before)
{
    if ((before & COMMAND_MEMORY) == 0) {
        agpu_device_config_write(fuzz_device(), COMMAND, 2, before);
    }
    fuzz_call_end();
}

uint32_t fuzz_register(uint32_t offset)
{
    const uint32_t before = open_registers();
    const uint32_t value = peek(offset);

    close_registers(before);
    return value;
}

uint64_t fuzz_register64(uint32_t low_offset)
{
    const uint32_t before = open_registers();
    const uint64_t value = peek64(low_offset);

    close_registers(before);
    return value;
}

/* After every call. reset: the call may have reset the ring, after which fence and errors are at 0 or a
 * little above, never between 0 and what they were without having been 0. */
static void check(bool reset)
{
    const uint32_t before = open_registers();
    const uint64_t completed = peek64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
    const uint32_t errors = peek(AEROGPU_MMIO_REG_ERROR_COUNT);
    const uint32_t code = peek(AEROGPU_MMIO_REG_ERROR_CODE);

    fuzz_require(completed >= seen.completed || (reset && completed == 0));
    /* A reset whose ring address is of no use records one error itself (device.md 4.2). */
    fuzz_require(errors >= seen.errors || (reset && errors <= 1));
    fuzz_require((errors == 0) == (code == AEROGPU_ERROR_NONE));
    fuzz_require(code <= AEROGPU_ERROR_BACKEND); /* never INTERNAL (device.md 4.6) */
    seen.completed = completed;
    seen.errors = errors;
    close_registers(before);
}

/* The line is the or of what is pending and enabled, unless switched off (device.md 4.4). */
static void check_line(void)
{
    const uint32_t pending = peek(AEROGPU_MMIO_REG_IRQ_STATUS);
    const uint32_t wanted = pending & peek(AEROGPU_MMIO_REG_IRQ_ENABLE);

    fuzz_require((pending & ~(AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR)) == 0);
    fuzz_require(fuzz_intx() == (wanted != 0 && (command() & COMMAND_NO_INTX) == 0));
}

void fuzz_observe(void)
{
    const uint32_t before = open_registers();
    const uint64_t vblanks = peek64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
    const uint64_t vblank_time = peek64(AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);

    fuzz_require(vblanks >= seen.vblanks);
    fuzz_require(vblank_time >= seen.vblank_time && vblank_time <= fuzz_now());
    fuzz_require((vblanks == seen.vblanks) == (vblank_time == seen.vblank_time));
    seen.vblanks = vblanks;
    seen.vblank_time = vblank_time;
    check_line();
    fuzz_require(peek(AEROGPU_MMIO_REG_MAGIC) == AEROGPU_MMIO_MAGIC);
    fuzz_require(peek(AEROGPU_MMIO_REG_ABI_VERSION) == AEROGPU_ABI_VERSION_U32);
    fuzz_require(peek(AEROGPU_MMIO_REG_RING_CONTROL) <= AEROGPU_RING_CONTROL_ENABLE);
    fuzz_require(peek(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) <= 1);
    close_registers(before);
    fuzz_require(fuzz_config_read(0, 4) == (AEROGPU_PCI_DEVICE_ID << 16 | (uint32_t)AEROGPU_PCI_VENDOR_ID));
    fuzz_require((fuzz_config_read(0x10, 4) & 0xFFFFu) == 0); /* BAR0: 64 KiB of 32-bit memory */
    fuzz_require((fuzz_config_read(0x14, 4) & 0xFu) == 8);    /* BAR1: prefetchable 32-bit memory */
}

/* Registers that are not 0 after power-on (device.md 4), and the offsets beyond which there are none. */
static uint32_t power_on_value(uint32_t offset)
{
    switch (offset) {
    case AEROGPU_MMIO_REG_MAGIC:
        return AEROGPU_MMIO_MAGIC;
    case AEROGPU_MMIO_REG_ABI_VERSION:
        return AEROGPU_ABI_VERSION_U32;
    case AEROGPU_MMIO_REG_FEATURES_LO:
        return 0x3F;
    case AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS:
        return 16666667;
    default:
        return 0;
    }
}

void fuzz_watch_power_on(void)
{
    uint32_t before;

    seen.completed = 0;
    seen.errors = 0;
    seen.vblanks = 0;
    seen.vblank_time = 0;
    seen.framebuffer = 0;
    fuzz_require(!fuzz_intx());
    fuzz_require(command() == 0);
    before = open_registers();
    for (uint32_t offset = 0; offset < 0x600; offset += 4) {
        fuzz_require(peek(offset) == power_on_value(offset));
    }
    close_registers(before);
    fuzz_require(!agpu_device_needs_service(fuzz_device()));
}

uint64_t fuzz_bar_read(unsigned bar, uint64_t offset, uint32_t size)
{
    uint64_t value;

    fuzz_call_begin(false);
    value = agpu_device_bar_read(fuzz_device(), (enum agpu_bar)bar, offset, size);
    fuzz_call_end();
    if ((command() & COMMAND_MEMORY) == 0 && (size == 1 || size == 2 || size == 4 || size == 8)) {
        fuzz_require(value == UINT64_MAX >> (64 - size * 8)); /* nobody answers (device.md 2) */
    }
    fuzz_require(size >= 8 || size == 0 || value <= UINT64_MAX >> (64 - size * 8));
    check(false);
    return value;
}

static bool may_touch(uint32_t reg, unsigned bar, uint64_t offset, uint32_t size)
{
    return bar == AGPU_BAR_REGISTERS && offset < reg + 4 && offset + size > reg;
}

void fuzz_bar_write(unsigned bar, uint64_t offset, uint32_t size, uint64_t value)
{
    /* A ring reset does its memory part at once. Unaligned accesses are taken to the dword they begin in. */
    const uint64_t dword = offset & ~UINT64_C(3);
    const bool reset = may_touch(AEROGPU_MMIO_REG_RING_CONTROL, bar, dword, size + 4);

    fuzz_call_begin(reset && fuzz_bus_master());
    agpu_device_bar_write(fuzz_device(), (enum agpu_bar)bar, offset, size, value);
    fuzz_call_end();
    check(reset);
    if ((command() & COMMAND_MEMORY) != 0 &&
        may_touch(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, bar, dword, size < 4 ? 4 : size)) {
        seen.framebuffer = fuzz_register64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
    }
}

uint64_t fuzz_framebuffer(void)
{
    return seen.framebuffer;
}

void fuzz_register_write(uint32_t offset, uint32_t value)
{
    const uint32_t before = command();

    if ((before & COMMAND_MEMORY) == 0) {
        fuzz_config_write(COMMAND, 2, before | COMMAND_MEMORY);
    }
    fuzz_bar_write(AGPU_BAR_REGISTERS, offset, 4, value);
    if ((before & COMMAND_MEMORY) == 0) {
        fuzz_config_write(COMMAND, 2, before);
    }
}

uint32_t fuzz_config_read(uint32_t offset, uint32_t size)
{
    uint32_t value;

    fuzz_call_begin(false);
    value = agpu_device_config_read(fuzz_device(), offset, size);
    fuzz_call_end();
    return value;
}

void fuzz_config_write(uint32_t offset, uint32_t size, uint32_t value)
{
    fuzz_call_begin(false);
    agpu_device_config_write(fuzz_device(), offset, size, value);
    fuzz_call_end();
    check(false);
}

void fuzz_service(void)
{
    uint64_t deadline;
    bool wants;

    fuzz_call_begin(fuzz_bus_master());
    deadline = agpu_device_service(fuzz_device());
    fuzz_call_end();
    wants = agpu_device_needs_service(fuzz_device());
    fuzz_require(!wants || fuzz_bus_master());
    fuzz_require(wants ? deadline <= fuzz_now() : deadline > fuzz_now());
    check(false);
}

void fuzz_idle(void)
{
    uint32_t services = 0;

    do {
        fuzz_require(services++ < MAX_SERVICES);
        fuzz_service();
    } while (agpu_device_needs_service(fuzz_device()));
    /* Nothing is left to do, so nothing is done. */
    fuzz_service();
    fuzz_require(fuzz_call_count() == 0);
}

void fuzz_reset(void)
{
    fuzz_call_begin(false);
    agpu_device_reset(fuzz_device());
    fuzz_call_end();
    fuzz_watch_power_on();
}
