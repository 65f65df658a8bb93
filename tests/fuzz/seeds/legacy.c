/* legacy.c: inputs for the retired device. */
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/fuzz/machine/guest.h"
#include "tests/fuzz/seeds/writer.h"

/* SUBMIT with the operand of ../legacy/driver.c. */
static void submit(uint8_t flags, uint8_t type, uint8_t step, uint8_t desc_size, uint8_t version)
{
    const uint8_t operand[] = {type, step, desc_size, version};

    seed_record(FUZZ_OP_SUBMIT, flags, operand, sizeof operand);
}

static void submissions(void)
{
    seed_begin("legacy", "submissions");
    seed_record(FUZZ_OP_BRINGUP, 0, "", 0);
    seed_write(0x0304, 3);
    for (int i = 0; i < 40; i++) { /* more than two rounds of the ring */
        submit(0, 0, 0, 0, 0);
    }
    seed_write(AEROGPU_LEGACY_REG_INT_ACK, 1);
    submit(0, 2, 0, 0, 0);  /* not a submission */
    submit(0, 0, 0, 31, 0); /* descriptors that are malformed */
    submit(0, 0, 0, 0, 2);
    submit(FUZZ_SUBMIT_NO_STREAM, 0, 0, 0, 0);
    submit(FUZZ_SUBMIT_SAME_FENCE, 0, 0, 0, 0); /* a stale fence */
    submit(FUZZ_SUBMIT_NO_DOORBELL, 0, 200, 0, 0);
    submit(FUZZ_SUBMIT_NO_SERVICE, 0, 0, 0, 0);
    seed_write(0x0308, 1);
    seed_config(4, 2, 2); /* without Bus Master the doorbell is lost */
    submit(0, 0, 0, 0, 0);
    seed_config(4, 2, 6);
    seed_record(FUZZ_OP_IDLE, 0, "", 0);
    submit(0, 0, 0, 0, 0);
    seed_write(0x0304, 0);
    seed_write(AEROGPU_LEGACY_REG_INT_ACK, 1);
}

static void rings(void)
{
    const uint64_t last = UINT64_MAX - 40;
    const struct aerogpu_legacy_ring_entry_submit behind = {.type = AEROGPU_LEGACY_RING_ENTRY_SUBMIT,
                                                            .fence = 1000000};

    seed_begin("legacy", "rings");
    seed_record(FUZZ_OP_BRINGUP, 0, "", 0);
    seed_write(AEROGPU_LEGACY_REG_RING_TAIL, 100); /* reduced modulo the count */
    seed_write(AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    submit(0, 0, 0, 0, 0);
    seed_write(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 5);
    seed_memory(0x1000 + 5 * sizeof behind, &behind, sizeof behind); /* after the ring: must not be read */
    for (int i = 0; i < 12; i++) {
        submit(0, 0, 0, 0, 0);
    }
    seed_write(AEROGPU_LEGACY_REG_RING_HEAD, UINT32_MAX);
    submit(0, 0, 0, 0, 0);
    seed_write(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 1);
    submit(0, 0, 0, 0, 0);
    seed_write(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 7);
    seed_write(AEROGPU_LEGACY_REG_RING_BASE_LO, (uint32_t)last); /* entries that wrap */
    seed_write(AEROGPU_LEGACY_REG_RING_BASE_HI, (uint32_t)(last >> 32));
    seed_write(AEROGPU_LEGACY_REG_RING_TAIL, 5);
    seed_write(AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    seed_write(AEROGPU_LEGACY_REG_RING_BASE_LO, 0); /* no ring */
    seed_write(AEROGPU_LEGACY_REG_RING_BASE_HI, 0);
    submit(0, 0, 0, 0, 0);
    seed_record(FUZZ_OP_BRINGUP, 0, "", 0);
    seed_map(1, 1, FUZZ_UNMAPPED);
    submit(0, 0, 0, 0, 0);
    seed_record(FUZZ_OP_RESET, 0, "", 0);
    seed_record(FUZZ_OP_BRINGUP, 0, "", 0);
    submit(0, 0, 0, 0, 0);
    seed_alter(0x1000 + 24, 1, 0);
    submit(0, 0, 0, 0, 0);
}

static void scanout(void)
{
    seed_begin("legacy", "scanout");
    seed_record(FUZZ_OP_BRINGUP, 0, "", 0);
    seed_write(0x0304, 3);
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 32);
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_HEIGHT, 8);
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_PITCH, 130);
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_FORMAT, AEROGPU_LEGACY_SCANOUT_X8R8G8B8);
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_FB_LO, (uint32_t)FUZZ_BASE);
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_FB_HI, (uint32_t)(FUZZ_BASE >> 32));
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 1);
    for (int i = 0; i < 4; i++) {
        seed_time(20000000);
        submit(0, 0, 0, 0, 0);
        seed_write(0x0308, 2);
        seed_record(FUZZ_OP_IDLE, 0, "", 0);
    }
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_FORMAT, 7);
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0x1000);
    seed_write(AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
}

/* More entries than one service point handles. */
static void long_ring(void)
{
    seed_begin("legacy-slow", "long-ring");
    seed_record(FUZZ_OP_BRINGUP, 0, "", 0);
    seed_write(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 4000000);
    seed_write(AEROGPU_LEGACY_REG_RING_TAIL, 3999999);
    seed_write(AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    seed_record(FUZZ_OP_BRINGUP, 0, "", 0);
    submit(0, 0, 0, 0, 0);
}

void seeds_of_legacy(void)
{
    submissions();
    rings();
    scanout();
    long_ring();
}
