/* watch.c: invariants of the retired device (legacy.md 1, 2). */
#include "tests/fuzz/machine/watch.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "tests/fuzz/legacy/expect.h"
#include "tests/fuzz/machine/guest.h"

#define COMMAND_MEMORY  0x0002u
#define COMMAND_NO_INTX 0x0400u

#define REGISTER_END 0x0500u

/* Values at the last check; they only increase until the function is reset. */
static struct {
    uint32_t completed;
    struct fuzz_vblanks vblanks;
} seen;

/* Checks the line without reading IRQ_STATUS, which would catch up the vblank clock. */
static void check_line(void)
{
    const bool unmasked = fuzz_peek(AEROGPU_LEGACY_REG_INT_STATUS) != 0;

    if ((fuzz_command() & COMMAND_NO_INTX) != 0) {
        fuzz_require(!fuzz_intx());
    } else if (unmasked || fuzz_peek(AEROGPU_LEGACY_REG_IRQ_ENABLE) == 0) {
        fuzz_require(fuzz_intx() == unmasked);
    }
}

void fuzz_check(bool reset)
{
    const uint32_t before = fuzz_registers_open();
    const uint32_t completed = fuzz_peek(AEROGPU_LEGACY_REG_FENCE_COMPLETED);

    (void)reset; /* there is no ring reset */
    fuzz_require(completed >= seen.completed);
    seen.completed = completed;
    check_line();
    fuzz_registers_close(before);
    fuzz_expect_check();
}

bool fuzz_write_resets(unsigned bar, uint64_t offset, uint32_t size)
{
    (void)bar;
    (void)offset;
    (void)size;
    return false;
}

/* Ring registers keep the value written; another number of entries resets the ring. */
void fuzz_written(unsigned bar, uint64_t offset, uint32_t size, uint64_t value)
{
    const bool ring = offset >= AEROGPU_LEGACY_REG_RING_BASE_LO && offset <= AEROGPU_LEGACY_REG_RING_TAIL;

    if (bar != VGPU_BAR_REGISTERS || !ring || offset % 4 != 0 || size != 4 ||
        (fuzz_command() & COMMAND_MEMORY) == 0) {
        return;
    }
    fuzz_require(fuzz_register((uint32_t)offset) == (uint32_t)value);
    if (offset == AEROGPU_LEGACY_REG_RING_ENTRY_COUNT) {
        fuzz_require(fuzz_register(AEROGPU_LEGACY_REG_RING_HEAD) == 0);
        fuzz_require(fuzz_register(AEROGPU_LEGACY_REG_RING_TAIL) == 0);
    }
}

static void check_interrupts(void)
{
    const uint32_t unmasked = fuzz_peek(AEROGPU_LEGACY_REG_INT_STATUS);
    const uint32_t pending = fuzz_peek(AEROGPU_LEGACY_REG_IRQ_STATUS);
    const bool wanted = unmasked != 0 || (pending & fuzz_peek(AEROGPU_LEGACY_REG_IRQ_ENABLE)) != 0;

    fuzz_require((unmasked & ~AEROGPU_LEGACY_INT_FENCE) == 0);
    fuzz_require((pending & ~3u) == 0);
    fuzz_require(fuzz_intx() == (wanted && (fuzz_command() & COMMAND_NO_INTX) == 0));
}

void fuzz_observe(void)
{
    const uint32_t before = fuzz_registers_open();

    fuzz_check_vblanks(&seen.vblanks, AEROGPU_LEGACY_REG_VBLANK_SEQ_LO, AEROGPU_LEGACY_REG_VBLANK_TIME_NS_LO);
    check_interrupts();
    fuzz_require(fuzz_peek(AEROGPU_LEGACY_REG_MAGIC) == AEROGPU_LEGACY_MMIO_MAGIC);
    fuzz_require(fuzz_peek(AEROGPU_LEGACY_REG_VERSION) == AEROGPU_LEGACY_MMIO_VERSION);
    fuzz_require(fuzz_peek(AEROGPU_LEGACY_REG_SCANOUT_ENABLE) <= 1);
    fuzz_require(fuzz_peek(AEROGPU_LEGACY_REG_SCANOUT_FORMAT) <= AEROGPU_LEGACY_SCANOUT_X8R8G8B8);
    fuzz_registers_close(before);
    fuzz_require(fuzz_config_read(0, 4) ==
                 (AEROGPU_LEGACY_PCI_DEVICE_ID << 16 | AEROGPU_LEGACY_PCI_VENDOR_ID));
    fuzz_require((fuzz_config_read(0x10, 4) & 0xFFFFu) == 0); /* BAR0: 64 KiB of 32-bit memory */
    fuzz_require(fuzz_config_read(0x14, 4) == 0);             /* no BAR1 */
}

/* Registers that are not 0 after power-on. */
static uint32_t power_on_value(uint32_t offset)
{
    switch (offset) {
    case AEROGPU_LEGACY_REG_MAGIC:
        return AEROGPU_LEGACY_MMIO_MAGIC;
    case AEROGPU_LEGACY_REG_VERSION:
        return AEROGPU_LEGACY_MMIO_VERSION;
    case AEROGPU_LEGACY_REG_FEATURES_LO:
        return 8;
    case AEROGPU_LEGACY_REG_VBLANK_PERIOD_NS:
        return 16666667;
    default:
        return 0;
    }
}

void fuzz_watch_power_on(void)
{
    uint32_t before;

    seen.completed = 0;
    seen.vblanks = (struct fuzz_vblanks){.count = 0};
    fuzz_expect_power_on();
    fuzz_require(!fuzz_intx());
    fuzz_require(fuzz_command() == 0);
    before = fuzz_registers_open();
    for (uint32_t offset = 0; offset < REGISTER_END; offset += 4) {
        fuzz_require(fuzz_peek(offset) == power_on_value(offset));
    }
    fuzz_registers_close(before);
    fuzz_require(!vgpu_device_needs_service(fuzz_device()));
}
