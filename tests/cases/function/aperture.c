/* aperture.c: the VRAM aperture (BAR1) as memory: access widths, extent, no aliases (device.md 1, 5); bits of the
 * command register that must not gate it and the registers (device.md 2). */
#include "pci/registers.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/submit.h"

#define PAGE  4096u
#define FRAME AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES
/* BAR1 of every device has at least this much memory. */
#define SMALLEST (512u * 1024)

static uint64_t aperture_bytes(const struct agpu_test *t)
{
    return t->env->function.bars[agpu_aperture_index(&t->env->function)].size;
}

static uint64_t aperture_read(const struct agpu_test *t, uint64_t offset, uint32_t size)
{
    const struct agpu_platform *platform = t->env->platform;

    return platform->bar_read(platform->ctx, &t->env->function.found.ref,
                              agpu_aperture_index(&t->env->function), offset, size);
}

static void aperture_write(const struct agpu_test *t, uint64_t offset, uint32_t size, uint64_t value)
{
    const struct agpu_platform *platform = t->env->platform;

    platform->bar_write(platform->ctx, &t->env->function.found.ref, agpu_aperture_index(&t->env->function),
                        offset, size, value);
}

/* BAR1 may be larger than its memory (device.md 1); an offset without memory reads 0. */
static bool aperture_backed(const struct agpu_test *t, uint64_t offset)
{
    bool kept;

    aperture_write(t, offset, 4, 0x5AC3A5F1);
    kept = aperture_read(t, offset, 4) == 0x5AC3A5F1;
    aperture_write(t, offset, 4, 0);
    return kept;
}

/* Writes with each width at each aligned offset within 16 bytes; only the written bytes may change. */
static void aperture_lanes(struct agpu_test *t, uint64_t base, uint32_t narrowest)
{
    uint64_t byte[2] = {UINT64_C(0xF0E1D2C3B4A59687), UINT64_C(0x78695A4B3C2D1E0F)};
    uint32_t number = 0;

    aperture_write(t, base, 8, byte[0]);
    aperture_write(t, base + 8, 8, byte[1]);
    for (uint32_t size = narrowest; size <= 8; size *= 2) {
        for (uint32_t at = 0; at < 16; at += size) {
            /* Each byte differs from the byte that was there. */
            const uint64_t value =
                (UINT64_C(0x8877665544332211) + UINT64_C(0x0101010101010101) * ++number) >> (64 - 8 * size);

            byte[at / 8] &= ~((UINT64_MAX >> (64 - 8 * size)) << (at % 8 * 8));
            byte[at / 8] |= value << (at % 8 * 8);
            aperture_write(t, base + at, size, value);
            if (size < 8) { /* for 8 bytes, the next check does this read */
                agpu_check_place2(t, "BAR1 at", base + at, "written and read with bytes:", size,
                                  aperture_read(t, base + at, size), value);
            }
            agpu_check_place2(t, "eight bytes of BAR1 at", base + (at & 8), "around a write of bytes:", size,
                              aperture_read(t, base + (at & 8), 8), byte[at / 8]);
        }
        /* Reads the other half again: damage there persists, except where a later write covered it. */
        agpu_check_place2(t, "eight bytes of BAR1 at", base, "after writes of bytes:", size,
                          aperture_read(t, base, 8), byte[0]);
    }
    for (uint32_t size = narrowest; size <= 8;
         size *= 2) { /* a device must store zeros like any other value */
        aperture_write(t, base, 8, UINT64_MAX);
        aperture_write(t, base, size, 0);
        agpu_check_place2(t, "eight bytes of BAR1 at", base, "after a write of zeros, bytes:", size,
                          aperture_read(t, base, 8), size < 8 ? UINT64_MAX << (8 * size) : 0);
    }
    aperture_write(t, base, 8, byte[0]);
    for (uint32_t at = 0; at < 16; at += 5) { /* single bytes, as last written */
        agpu_check_place(t, "byte of BAR1 at", base + at, aperture_read(t, base + at, 1),
                         (byte[at / 8] >> (at % 8 * 8)) & 0xFF);
    }
    aperture_write(t, base, 8, 0);
    aperture_write(t, base + 8, 8, 0);
}

/* BAR1 must store accesses of each width, also across a page boundary and at its end. */
static void aperture_storage(struct agpu_test *t)
{
    agpu_require(t, aperture_bytes(t) != 0, AGPU_SKIP_APERTURE);
    aperture_lanes(t, FRAME, 1);
    aperture_lanes(t, FRAME + PAGE - 8, 2); /* across a page boundary */
    if (aperture_backed(t, aperture_bytes(t) - 16)) {
        aperture_lanes(t, aperture_bytes(t) - 16, 4);
    }
}

/* BAR1 must have memory from its start up to a power of two (on the model the whole BAR), and each dword of it must be
 * separate memory. Samples: every power of two, every 8th part, each 32 KiB of the first part, the last page. */
static void aperture_extent(struct agpu_test *t)
{
    enum { PARTS = 8 };
    const uint64_t bytes = aperture_bytes(t);
    uint64_t backed = bytes;

    agpu_require(t, bytes != 0, AGPU_SKIP_APERTURE);
    while (backed > SMALLEST && !aperture_backed(t, backed - 4)) {
        backed /= 2;
    }
    agpu_metric(t, "bar1_backed_bytes", backed, "B");
    if (t->env->model) {
        agpu_check_eq_hex(t, backed, bytes);
    }
    for (uint64_t at = PAGE; at < backed; at *= 2) {
        aperture_write(t, at, 4, 0xA0000000 | (uint32_t)at);
    }
    for (uint32_t at = 16; at < SMALLEST; at += 0x8000) { /* where VGA planes and windows would alias */
        aperture_write(t, at, 4, 0xE0000000 | at);
    }
    for (uint32_t i = 0; i < PARTS; i++) {
        aperture_write(t, backed / PARTS * i + 8, 4, 0xB0000000 | i);
        aperture_write(t, backed / PARTS * (i + 1) - 4, 4, 0xC0000000 | i);
    }
    aperture_write(t, backed - PAGE, 4, 0xD0000000);
    for (uint32_t i = 0; i < PARTS && backed < bytes; i++) { /* inside the BAR, beyond the memory */
        const uint64_t at = backed + backed / PARTS * i + 8;

        agpu_check_place(t, "BAR1 past its memory at", at, aperture_read(t, at, 4), 0);
        aperture_write(t, at, 4, UINT32_MAX);
        agpu_check_place(t, "BAR1 past its memory, written, at", at, aperture_read(t, at, 4), 0);
    }
    for (uint64_t at = PAGE; at < backed; at *= 2) {
        agpu_check_place(t, "BAR1 at", at, aperture_read(t, at, 4), 0xA0000000 | (uint32_t)at);
        aperture_write(t, at, 4, 0);
    }
    for (uint32_t at = 16; at < SMALLEST; at += 0x8000) {
        agpu_check_place(t, "BAR1 at", at, aperture_read(t, at, 4), 0xE0000000 | at);
        aperture_write(t, at, 4, 0);
    }
    for (uint32_t i = 0; i < PARTS; i++) {
        agpu_check_place(t, "BAR1 at", backed / PARTS * i + 8, aperture_read(t, backed / PARTS * i + 8, 4),
                         0xB0000000 | i);
        agpu_check_place(t, "BAR1 at", backed / PARTS * (i + 1) - 4,
                         aperture_read(t, backed / PARTS * (i + 1) - 4, 4), 0xC0000000 | i);
        aperture_write(t, backed / PARTS * i + 8, 4, 0);
        aperture_write(t, backed / PARTS * (i + 1) - 4, 4, 0);
    }
    agpu_check_place(t, "BAR1 at", backed - PAGE, aperture_read(t, backed - PAGE, 4), 0xD0000000);
    aperture_write(t, backed - PAGE, 4, 0);
}

/* After power-on, the aperture must read 0, sampled in its upper half. Firmware draws its picture in the lower half, no
 * other case writes here before, and aperture_extent leaves zeros. */
static void aperture_zero(struct agpu_test *t)
{
    const uint64_t bytes = aperture_bytes(t);

    agpu_require_because(t, bytes >= 8u << 20, AGPU_SKIP_APERTURE,
                         "requires a VRAM aperture (BAR1) larger than a boot picture");
    for (uint64_t at = bytes / 2; at < bytes; at += bytes / 2 / 61 & ~UINT64_C(7)) {
        agpu_check_place(t, "BAR1 at power-on, at", at, aperture_read(t, at, 8), 0);
    }
}

/* A ring reset must not change the VRAM: reads back patterns at the start and around every power of two, as far as
 * there is memory. */
static void vram_survives_reset(struct agpu_test *t)
{
    const uint64_t bytes = aperture_bytes(t), value = UINT64_C(0x99AABBCCDDEEFF01);
    uint64_t found;

    agpu_require(t, bytes != 0, AGPU_SKIP_APERTURE);
    for (unsigned check = 0; check < 2; check++) {
        for (uint64_t at = PAGE; at <= bytes; at *= 2) {
            const uint64_t places[] = {at == PAGE ? 0 : at == bytes ? 16 : at, at - 8};

            for (unsigned i = 0; i < 2; i++) {
                if (check == 0) { /* an offset without memory stays 0: detected after the reset */
                    aperture_write(t, places[i], 8, value ^ places[i]);
                } else if ((found = aperture_read(t, places[i], 8)) != 0) {
                    agpu_check_place(t, "BAR1 after a ring reset, at", places[i], found, value ^ places[i]);
                    aperture_write(t, places[i], 8, 0);
                } else {
                    agpu_check_place(t, "BAR1 after a ring reset is not 0, memory at", places[i],
                                     aperture_backed(t, places[i]), false);
                }
            }
        }
        agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    }
}

/* Checks that registers and BAR1 read back what is written. */
static void check_bars_work(struct agpu_test *t, uint32_t value)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t vram = AEROGPU_PCI_BAR1_VBE_LFB_OFFSET_BYTES;

    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_MAGIC), AEROGPU_MMIO_MAGIC);
    agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ENABLE, value);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE), value);
    if (aperture_bytes(t) != 0) {
        aperture_write(t, vram, 4, value);
        agpu_check_eq_hex(t, aperture_read(t, vram, 4), value);
        aperture_write(t, vram, 4, 0);
    }
    agpu_reg_write(function, AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
}

/* With the I/O Space bit clear or set, registers, BAR1, ring and fence page must work: runs submissions both ways. */
static void io_does_not_gate(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t on = agpu_command_read(function);

    for (unsigned io = 0; io < 2; io++) {
        agpu_command_write(function, io ? on | AGPU_PCI_COMMAND_IO : on & (uint16_t)~AGPU_PCI_COMMAND_IO);
        check_bars_work(t, 0x1000 + io);
        for (unsigned i = 0; i < 3; i++) {
            agpu_return_unless(agpu_run_empty(t));
            agpu_check_completed(t, t->env->rig.fence);
        }
        agpu_check_head(t, 3 * (io + 1));
    }
    agpu_command_write(function, on);
}

/* With Bus Master clear, DMA stops, but registers and BAR1 must still read back what is written. */
static void master_does_not_gate(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    uint16_t on = agpu_command_read(function);

    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    check_bars_work(t, 0x5A5A5A5A);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0x12345678);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES), 0x12345678);
    agpu_command_write(function, on);
    agpu_check_eq_hex(t, agpu_reg_read(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES), 0x12345678);
}

#define APERTURE_CASE(name, section, function)                                                               \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_FUNCTION, .run = (function)                      \
    }

static const struct agpu_case function_aperture_cases[] = {
    APERTURE_CASE("discovery.vram.zero_at_power_on", "device.md 5", aperture_zero),
    APERTURE_CASE("discovery.bar.vram_storage", "device.md 5", aperture_storage),
    APERTURE_CASE("discovery.vram.extent", "device.md 1", aperture_extent),
    APERTURE_CASE("discovery.vram.survives_ring_reset", "device.md 5", vram_survives_reset),
    {.id = "discovery.command.io_does_not_gate",
     .spec = "device.md 2",
     .needs = AGPU_NEED_RING,
     .run = io_does_not_gate},
    {.id = "discovery.command.master_does_not_gate",
     .spec = "device.md 2.1",
     .needs = AGPU_NEED_FUNCTION,
     .run = master_does_not_gate},
};

AGPU_CASE_TABLE(agpu_cases_function_aperture, function_aperture_cases);
