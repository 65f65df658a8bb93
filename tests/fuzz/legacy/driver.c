/* driver.c: the guest driver of the retired device: writes ring entries and descriptors to the ring in the
 * registers. It never loses track: expect.c computes the device's behaviour for any ring. */
#include "tests/fuzz/machine/driver.h"

#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/fuzz/legacy/expect.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/machine/watch.h"

#define RING         0x1000u
#define RING_ENTRIES 16u
#define DESC         0x8000u /* one for each of 256 entries, then reused */
#define DESC_BYTES   64u

#define COMMAND        0x04u
#define COMMAND_MEMORY 0x0002u
#define COMMAND_READY  0x0006u /* Memory Space, Bus Master */

/* A ring may have 2^32 entries, which keep the device busy for minutes by design. Here the maximum is more
 * than one service point handles, and such a ring gets few doorbells. */
#define MOST_ENTRIES    (1u << 22)
#define LONG_ENTRIES    (1u << 16)
#define MOST_LONG_WALKS 3u

static struct {
    uint32_t fence; /* last fence used */
    uint32_t posted;
    uint32_t long_walks;
} driver;

void fuzz_driver_clear(void)
{
    memset(&driver, 0, sizeof driver);
    fuzz_judge_writes(true); /* this device never writes memory */
}

void fuzz_driver_lost(void)
{
}

/* Value of a register after a write of BAR0 (device.md 3): 8 bytes are two dwords, fewer than 4 a part of
 * one. */
static bool left_by_write(uint32_t reg, uint64_t offset, uint32_t size, uint64_t value, uint32_t *out)
{
    const uint32_t shift = (uint32_t)(offset % 4 * 8);
    const uint32_t mask = (size == 1 ? 0xFFu : 0xFFFFu) << shift;

    if (size == 8 && ((offset + 4) & ~UINT64_C(3)) == reg) {
        *out = (uint32_t)(value >> 32);
        return true;
    }
    if ((offset & ~UINT64_C(3)) != reg) {
        return false;
    }
    *out = size >= 4 ? (uint32_t)value : (fuzz_register(reg) & ~mask) | ((uint32_t)value << shift & mask);
    return true;
}

static bool within_limits(uint64_t offset, uint32_t size, uint64_t value)
{
    uint32_t left;

    if (left_by_write(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, offset, size, value, &left)) {
        return left <= MOST_ENTRIES;
    }
    return !left_by_write(AEROGPU_LEGACY_REG_RING_DOORBELL, offset, size, value, &left) ||
           fuzz_register(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT) <= LONG_ENTRIES ||
           driver.long_walks++ < MOST_LONG_WALKS;
}

bool fuzz_driver_takes_write(const struct fuzz_target *target, unsigned bar, uint64_t offset, uint32_t size,
                             uint64_t value)
{
    (void)target;
    if (bar != VGPU_BAR_REGISTERS || (fuzz_command() & COMMAND_MEMORY) == 0) {
        return true;
    }
    if (!within_limits(offset, size, value)) {
        return false;
    }
    fuzz_expect_write(offset, size);
    return true;
}

void fuzz_driver_permit(void)
{
    fuzz_expect_service();
}

static void write_register(uint32_t offset, uint32_t value)
{
    if (within_limits(offset, 4, value)) {
        fuzz_expect_write(offset, 4);
        fuzz_register_write(offset, value);
    }
}

void fuzz_driver_bring_up(void)
{
    const uint64_t ring = FUZZ_BASE + RING;

    fuzz_judge_writes(true);
    fuzz_config_write(COMMAND, 2, COMMAND_READY);
    write_register(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, RING_ENTRIES);
    write_register(AEROGPU_LEGACY_REG_RING_BASE_LO, (uint32_t)ring);
    write_register(AEROGPU_LEGACY_REG_RING_BASE_HI, (uint32_t)(ring >> 32));
}

static void service(void)
{
    fuzz_driver_permit();
    fuzz_idle();
}

/* Writes to guest memory; an address outside it is ignored. */
static void put(uint64_t gpa, const void *bytes, size_t size)
{
    if (gpa >= FUZZ_BASE && gpa - FUZZ_BASE <= FUZZ_RAM_BYTES - size) {
        fuzz_memory_write((uint32_t)(gpa - FUZZ_BASE), bytes, size);
    }
}

/* Operand, all bytes optional: type of the entry, distance of its fence, size and version of the descriptor,
 * each 0 for the valid value. Argument FUZZ_SUBMIT_NO_STREAM: no descriptor. */
void fuzz_driver_submit(const struct fuzz_record *record)
{
    uint8_t operand[4] = {0};
    const uint32_t count = fuzz_register(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT);
    const uint32_t tail = count != 0 ? fuzz_register(AEROGPU_LEGACY_REG_RING_TAIL) % count : 0;
    const uint64_t base = fuzz_register64(AEROGPU_LEGACY_REG_RING_BASE_LO);
    const uint64_t desc = FUZZ_BASE + DESC + driver.posted++ % 256 * DESC_BYTES;

    memcpy(operand, record->bytes != NULL ? record->bytes : operand,
           record->length < sizeof operand ? record->length : sizeof operand);
    driver.fence += operand[1] != 0 ? operand[1] : (record->argument & FUZZ_SUBMIT_SAME_FENCE) == 0;
    const struct aerogpu_legacy_submission_desc_header header = {
        .version = operand[3] != 0 ? operand[3] : AEROGPU_LEGACY_SUBMISSION_DESC_VERSION,
        .type = AEROGPU_LEGACY_SUBMIT_RENDER,
        .fence = driver.fence,
    };
    const struct aerogpu_legacy_ring_entry_submit entry = {
        .type = operand[0] != 0 ? operand[0] : AEROGPU_LEGACY_RING_ENTRY_SUBMIT,
        .fence = driver.fence,
        .desc_size = operand[2] != 0 ? operand[2] : (uint32_t)sizeof header,
        .desc_gpa = (record->argument & FUZZ_SUBMIT_NO_STREAM) == 0 ? desc : 0,
    };
    put(desc, &header, sizeof header);
    put(base + (uint64_t)tail * sizeof entry, &entry, sizeof entry);
    if (count != 0) {
        write_register(AEROGPU_LEGACY_REG_RING_TAIL, (tail + 1) % count);
    }
    if ((record->argument & FUZZ_SUBMIT_NO_DOORBELL) == 0) {
        write_register(AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
        if ((record->argument & FUZZ_SUBMIT_NO_SERVICE) == 0) {
            service();
        }
    }
}

/* This device skips command bytes, and ignores the allocations of descriptors. */
void fuzz_driver_packet(const struct fuzz_record *record)
{
    (void)record;
}

void fuzz_driver_alloc(const struct fuzz_record *record)
{
    (void)record;
}

void fuzz_driver_finish(void)
{
    fuzz_config_write(COMMAND, 2, COMMAND_READY);
    write_register(AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    service();
}

void fuzz_driver_prove_alive(void)
{
    const uint32_t before = fuzz_register(AEROGPU_LEGACY_REG_FENCE_COMPLETED);
    const struct fuzz_record submit = {.op = FUZZ_OP_SUBMIT};

    fuzz_driver_bring_up();
    driver.fence = before;
    fuzz_driver_submit(&submit);
    /* A fence at its maximum does not wrap (legacy.md 3). */
    fuzz_require(fuzz_register(AEROGPU_LEGACY_REG_FENCE_COMPLETED) ==
                 (before != UINT32_MAX ? before + 1 : before));
    fuzz_driver_clear();
}

void fuzz_driver_prove_limit(void)
{
    /* The device keeps no memory for a guest. */
}
