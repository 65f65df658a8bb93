/* watch.c: invariants of the versioned device. */
#include "tests/fuzz/machine/watch.h"

#include "pci/protocol/aerogpu_pci.h"
#include "tests/fuzz/machine/guest.h"

#define COMMAND_MEMORY  0x0002u
#define COMMAND_NO_INTX 0x0400u

/* Values at the last check; they may only increase unless the ring was reset. */
static struct {
    uint64_t completed;
    uint32_t errors;
    struct fuzz_vblanks vblanks;
    uint64_t
        framebuffer; /* committed: reads show a staged low half, which is not in effect (device.md 4.5) */
} seen;

/* Call after every call. reset: the call may have reset the ring; fence and errors may then be 0 or a little
 * more, but otherwise never decrease. */
void fuzz_check(bool reset)
{
    const uint32_t before = fuzz_registers_open();
    const uint64_t completed = fuzz_peek64(AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
    const uint32_t errors = fuzz_peek(AEROGPU_MMIO_REG_ERROR_COUNT);
    const uint32_t code = fuzz_peek(AEROGPU_MMIO_REG_ERROR_CODE);

    fuzz_require(completed >= seen.completed || (reset && completed == 0));
    /* A reset with an unusable ring address records one error itself (device.md 4.2). */
    fuzz_require(errors >= seen.errors || (reset && errors <= 1));
    fuzz_require((errors == 0) == (code == AEROGPU_ERROR_NONE));
    fuzz_require(code <= AEROGPU_ERROR_BACKEND); /* never INTERNAL (device.md 4.6) */
    seen.completed = completed;
    seen.errors = errors;
    fuzz_registers_close(before);
}

/* The line is asserted when an enabled cause is pending, unless INTx is disabled (device.md 4.4). */
static void check_line(void)
{
    const uint32_t pending = fuzz_peek(AEROGPU_MMIO_REG_IRQ_STATUS);
    const uint32_t wanted = pending & fuzz_peek(AEROGPU_MMIO_REG_IRQ_ENABLE);

    fuzz_require((pending & ~(AEROGPU_IRQ_FENCE | AEROGPU_IRQ_SCANOUT_VBLANK | AEROGPU_IRQ_ERROR)) == 0);
    fuzz_require(fuzz_intx() == (wanted != 0 && (fuzz_command() & COMMAND_NO_INTX) == 0));
}

void fuzz_observe(void)
{
    const uint32_t before = fuzz_registers_open();

    fuzz_check_vblanks(&seen.vblanks, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO,
                       AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
    check_line();
    fuzz_require(fuzz_peek(AEROGPU_MMIO_REG_MAGIC) == AEROGPU_MMIO_MAGIC);
    fuzz_require(fuzz_peek(AEROGPU_MMIO_REG_ABI_VERSION) == AEROGPU_ABI_VERSION_U32);
    fuzz_require(fuzz_peek(AEROGPU_MMIO_REG_RING_CONTROL) <= AEROGPU_RING_CONTROL_ENABLE);
    fuzz_require(fuzz_peek(AEROGPU_MMIO_REG_SCANOUT0_ENABLE) <= 1);
    fuzz_registers_close(before);
    fuzz_require(fuzz_config_read(0, 4) == (AEROGPU_PCI_DEVICE_ID << 16 | (uint32_t)AEROGPU_PCI_VENDOR_ID));
    fuzz_require((fuzz_config_read(0x10, 4) & 0xFFFFu) == 0); /* BAR0: 64 KiB of 32-bit memory */
    fuzz_require((fuzz_config_read(0x14, 4) & 0xFu) == 8);    /* BAR1: prefetchable 32-bit memory */
}

/* Registers that are not 0 after power-on (device.md 4). */
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
    seen.vblanks = (struct fuzz_vblanks){.count = 0};
    seen.framebuffer = 0;
    fuzz_require(!fuzz_intx());
    fuzz_require(fuzz_command() == 0);
    before = fuzz_registers_open();
    for (uint32_t offset = 0; offset < 0x600; offset += 4) {
        fuzz_require(fuzz_peek(offset) == power_on_value(offset));
    }
    fuzz_registers_close(before);
    fuzz_require(!vgpu_device_needs_service(fuzz_device()));
}

static bool may_touch(uint32_t reg, unsigned bar, uint64_t offset, uint32_t size)
{
    return bar == VGPU_BAR_REGISTERS && offset < reg + 4 && offset + size > reg;
}

bool fuzz_write_resets(unsigned bar, uint64_t offset, uint32_t size)
{
    /* A ring reset does its memory part at once. Unaligned accesses apply to the dword in which they begin. */
    return may_touch(AEROGPU_MMIO_REG_RING_CONTROL, bar, offset & ~UINT64_C(3), size + 4);
}

void fuzz_written(unsigned bar, uint64_t offset, uint32_t size, uint64_t value)
{
    (void)value;
    if ((fuzz_command() & COMMAND_MEMORY) != 0 &&
        may_touch(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI, bar, offset & ~UINT64_C(3), size < 4 ? 4 : size)) {
        seen.framebuffer = fuzz_register64(AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO);
    }
}

uint64_t fuzz_framebuffer(void)
{
    return seen.framebuffer;
}
