/* expect.c: the retired device's ring, step by step as in legacy.md 3. */
#include "tests/fuzz/legacy/expect.h"

#include <stdbool.h>
#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/machine/watch.h"

/* A longer ring takes several service points; how many is up to the model. */
#define MOST_ENTRIES 4096u

static struct {
    bool doorbell; /* rung, and not yet consumed */
    bool known;    /* the values below are the expected ones after the next service point */
    bool lost;     /* a ring that is too long is active: nothing is known until the ring changes */
    uint32_t fence_before, fence, head;
    uint32_t interrupts; /* INT_STATUS */
} expect;

void fuzz_expect_power_on(void)
{
    memset(&expect, 0, sizeof expect);
}

static bool hits(uint64_t offset, uint32_t size, uint32_t reg)
{
    return (offset & ~UINT64_C(3)) == reg || (size == 8 && ((offset + 4) & ~UINT64_C(3)) == reg);
}

void fuzz_expect_write(uint64_t offset, uint32_t size)
{
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        return;
    }
    if (hits(offset, size, AEROGPU_LEGACY_REG_RING_DOORBELL) && fuzz_bus_master()) {
        expect.doorbell = true;
    }
    if (hits(offset, size, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT)) {
        expect.lost = false;
    }
}

/* Reads memory as the device does: missing memory is all ones (device.md 2). */
static void read_memory(uint64_t gpa, void *out, size_t size)
{
    uint8_t *to = out;

    for (size_t i = 0; i < size; i++, gpa++) {
        to[i] = 0xFF;
        if (gpa >= FUZZ_BASE && gpa - FUZZ_BASE < FUZZ_RAM_BYTES) {
            fuzz_memory_read((uint32_t)(gpa - FUZZ_BASE), &to[i], 1);
        }
    }
}

static void walk(uint64_t base, uint32_t count)
{
    const uint32_t tail = fuzz_register(AEROGPU_LEGACY_REG_RING_TAIL) % count;
    uint32_t head = expect.head % count;

    for (uint32_t left = count; head != tail && left > 0; left--) {
        struct aerogpu_legacy_ring_entry_submit entry;
        const uint64_t gpa = base + (uint64_t)head * sizeof entry;

        if (gpa >= base && gpa <= UINT64_MAX - sizeof entry) { /* an entry that wraps is skipped */
            read_memory(gpa, &entry, sizeof entry);
            if (entry.type == AEROGPU_LEGACY_RING_ENTRY_SUBMIT && entry.fence > expect.fence) {
                expect.fence = entry.fence; /* regardless of its descriptor */
                expect.interrupts = AEROGPU_LEGACY_INT_FENCE;
            }
        }
        head = (head + 1) % count;
    }
    expect.head = head;
}

void fuzz_expect_service(void)
{
    const uint64_t base = fuzz_register64(AEROGPU_LEGACY_REG_RING_BASE_LO);
    const uint32_t count = fuzz_register(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT);

    expect.known = !expect.lost && fuzz_memory_plain();
    expect.fence = fuzz_register(AEROGPU_LEGACY_REG_FENCE_COMPLETED);
    expect.fence_before = expect.fence;
    expect.head = fuzz_register(AEROGPU_LEGACY_REG_RING_HEAD);
    expect.interrupts = fuzz_register(AEROGPU_LEGACY_REG_INT_STATUS);
    if (!expect.doorbell || !fuzz_bus_master()) {
        return;
    }
    expect.doorbell = false;
    if (base == 0 || count == 0) {
        return;
    }
    if (count > MOST_ENTRIES) {
        expect.known = false;
        expect.lost = true;
    } else if (expect.known) {
        walk(base, count);
    }
}

void fuzz_expect_check(void)
{
    const bool advanced = expect.fence > expect.fence_before;

    if (!expect.known) {
        return;
    }
    expect.known = false;
    fuzz_require(fuzz_register(AEROGPU_LEGACY_REG_FENCE_COMPLETED) == expect.fence);
    fuzz_require(fuzz_register(AEROGPU_LEGACY_REG_RING_HEAD) == expect.head);
    fuzz_require(fuzz_register(AEROGPU_LEGACY_REG_INT_STATUS) == expect.interrupts);
    if (advanced) {
        fuzz_require((fuzz_register(AEROGPU_LEGACY_REG_IRQ_STATUS) & 1u) != 0);
    }
}
