/* watch.c: invariants of the retired device (legacy.md 1, 2). */
#include "tests/fuzz/machine/watch.h"

#include "pci/protocol/aerogpu_legacy.h"
#include "tests/fuzz/legacy/expect.h"
#include "tests/fuzz/machine/guest.h"

#define COMMAND_MEMORY  0x0002u
#define COMMAND_NO_INTX 0x0400u

/* What the models added to the legacy header (legacy.md 2). */
#define REG_FEATURES_LO    0x0008u
#define REG_IRQ_STATUS     0x0300u
#define REG_IRQ_ENABLE     0x0304u
#define REG_VBLANK_SEQ_LO  0x0420u
#define REG_VBLANK_TIME_LO 0x0428u
#define REG_VBLANK_PERIOD  0x0430u
#define REGISTER_END       0x0500u

/* What was seen last; it only goes up until the function is reset. */
static struct {
    uint32_t completed;
    struct fuzz_vblanks vblanks;
} seen;

/* The line as far as it shows without reading IRQ_STATUS, which catches the vblank clock up. */
static void check_line(void)
{
    const bool unmasked = fuzz_peek(AEROGPU_REG_INT_STATUS) != 0;

    if ((fuzz_command() & COMMAND_NO_INTX) != 0) {
        fuzz_require(!fuzz_intx());
    } else if (unmasked || fuzz_peek(REG_IRQ_ENABLE) == 0) {
        fuzz_require(fuzz_intx() == unmasked);
    }
}

void fuzz_check(bool reset)
{
    const uint32_t before = fuzz_registers_open();
    const uint32_t completed = fuzz_peek(AEROGPU_REG_FENCE_COMPLETED);

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

/* Registers of the ring keep what is written; another number of entries begins the ring anew. */
void fuzz_written(unsigned bar, uint64_t offset, uint32_t size, uint64_t value)
{
    const bool ring = offset >= AEROGPU_REG_RING_BASE_LO && offset <= AEROGPU_REG_RING_TAIL;

    if (bar != VGPU_BAR_REGISTERS || !ring || offset % 4 != 0 || size != 4 ||
        (fuzz_command() & COMMAND_MEMORY) == 0) {
        return;
    }
    fuzz_require(fuzz_register((uint32_t)offset) == (uint32_t)value);
    if (offset == AEROGPU_REG_RING_ENTRY_COUNT) {
        fuzz_require(fuzz_register(AEROGPU_REG_RING_HEAD) == 0);
        fuzz_require(fuzz_register(AEROGPU_REG_RING_TAIL) == 0);
    }
}

static void check_interrupts(void)
{
    const uint32_t unmasked = fuzz_peek(AEROGPU_REG_INT_STATUS);
    const uint32_t pending = fuzz_peek(REG_IRQ_STATUS);
    const bool wanted = unmasked != 0 || (pending & fuzz_peek(REG_IRQ_ENABLE)) != 0;

    fuzz_require((unmasked & ~AEROGPU_INT_FENCE) == 0);
    fuzz_require((pending & ~3u) == 0);
    fuzz_require(fuzz_intx() == (wanted && (fuzz_command() & COMMAND_NO_INTX) == 0));
}

void fuzz_observe(void)
{
    const uint32_t before = fuzz_registers_open();

    fuzz_check_vblanks(&seen.vblanks, REG_VBLANK_SEQ_LO, REG_VBLANK_TIME_LO);
    check_interrupts();
    fuzz_require(fuzz_peek(AEROGPU_REG_MAGIC) == AEROGPU_MMIO_MAGIC);
    fuzz_require(fuzz_peek(AEROGPU_REG_VERSION) == AEROGPU_MMIO_VERSION);
    fuzz_require(fuzz_peek(AEROGPU_REG_SCANOUT_ENABLE) <= 1);
    fuzz_require(fuzz_peek(AEROGPU_REG_SCANOUT_FORMAT) <= AEROGPU_SCANOUT_X8R8G8B8);
    fuzz_registers_close(before);
    fuzz_require(fuzz_config_read(0, 4) == (AEROGPU_PCI_DEVICE_ID << 16 | AEROGPU_PCI_VENDOR_ID));
    fuzz_require((fuzz_config_read(0x10, 4) & 0xFFFFu) == 0); /* BAR0: 64 KiB of 32-bit memory */
    fuzz_require(fuzz_config_read(0x14, 4) == 0);             /* no BAR1 */
}

/* Registers that are not 0 after power-on. */
static uint32_t power_on_value(uint32_t offset)
{
    switch (offset) {
    case AEROGPU_REG_MAGIC:
        return AEROGPU_MMIO_MAGIC;
    case AEROGPU_REG_VERSION:
        return AEROGPU_MMIO_VERSION;
    case REG_FEATURES_LO:
        return 8;
    case REG_VBLANK_PERIOD:
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
