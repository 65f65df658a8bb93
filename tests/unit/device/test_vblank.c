/* test_vblank.c: the vblank clock and vsync-held fences (device.md 4.4, 4.7; ring.md 7). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/unit/device/fake_driver.h"

#define PERIOD 16666667u

static void scanout(struct fake_driver *driver, uint32_t on)
{
    reg_write(driver->machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, on);
}

static uint64_t sequence(struct fake_driver *driver)
{
    return reg_read64(driver->machine, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO);
}

static uint64_t edge_time(struct fake_driver *driver)
{
    return reg_read64(driver->machine, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_TIME_NS_LO);
}

/* Submits a stream with one present. */
static uint64_t present(struct fake_driver *driver, uint32_t flags)
{
    stream_begin(driver);
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = flags;
    return submit(driver);
}

/* device.md 4.7: first edge one period after the enable write, then without drift; TIME is the scheduled
 * time. */
static void edges_are_periodic(void **state)
{
    struct fake_driver *driver = *state;
    uint64_t start;

    clock_advance(driver->machine, 10 * PERIOD);
    assert_int_equal(sequence(driver), 0); /* only while scanout is on */
    start = driver->machine->now;
    scanout(driver, 1);
    clock_advance(driver->machine, PERIOD - 1);
    assert_int_equal(sequence(driver), 0);
    clock_advance(driver->machine, 1);
    assert_int_equal(sequence(driver), 1);
    assert_int_equal(edge_time(driver), start + PERIOD);
    driver->machine->now += 5 * PERIOD / 2; /* a stall: missed edges are replayed */
    assert_int_equal(sequence(driver), 3);
    assert_int_equal(edge_time(driver), start + 3ull * PERIOD);
}

/* device.md 4.7: after 1024 missed edges in one pass the schedule restarts at now + period. */
static void long_stall(void **state)
{
    struct fake_driver *driver = *state;

    scanout(driver, 1);
    driver->machine->now += 5000ull * PERIOD;
    assert_int_equal(sequence(driver), 1024);
    assert_int_equal(vgpu_device_service(driver->machine->device), driver->machine->now + PERIOD);
}

/* device.md 4.7: disable keeps the counters, re-enable continues them one period later. */
static void disable_keeps_counters(void **state)
{
    struct fake_driver *driver = *state;
    uint64_t time;

    scanout(driver, 1);
    clock_advance(driver->machine, 3 * PERIOD + 5);
    time = edge_time(driver);
    scanout(driver, 0);
    assert_true(driver->machine->next_service == UINT64_MAX);
    driver->machine->now += 10 * PERIOD;
    assert_int_equal(sequence(driver), 3);
    assert_int_equal(edge_time(driver), time);
    scanout(driver, 1);
    clock_advance(driver->machine, PERIOD);
    assert_int_equal(sequence(driver), 4);
    assert_int_equal(edge_time(driver), driver->machine->now);
}

/* device.md 4.4: latches only while enabled; enabling produces no interrupt for an edge that was due;
 * disabling clears. */
static void interrupt(void **state)
{
    struct fake_driver *driver = *state;
    struct fake_machine *machine = driver->machine;

    scanout(driver, 1);
    machine->now += 3 * PERIOD / 2; /* an edge is due, not yet served */
    reg_write(machine, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK);
    assert_int_equal(sequence(driver), 1);
    assert_false(machine->intx);
    clock_advance(machine, PERIOD);
    assert_true(machine->intx);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_IRQ_STATUS), AEROGPU_IRQ_SCANOUT_VBLANK);
    reg_write(machine, AEROGPU_MMIO_REG_IRQ_ENABLE, 0);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_IRQ_STATUS), 0);
    reg_write(machine, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_SCANOUT_VBLANK);
    clock_advance(machine, PERIOD);
    assert_true(machine->intx);
    scanout(driver, 0); /* device.md 4.7: a pending vblank interrupt is cleared */
    assert_false(machine->intx);
}

/* ring.md 7: the fence waits for an edge after the doorbell; one held fence an edge; immediates queue
 * behind. */
static void held_fences(void **state)
{
    struct fake_driver *driver = *state;
    uint64_t fence[4];

    scanout(driver, 1);
    reg_write(driver->machine, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
    fence[0] = present(driver, AEROGPU_PRESENT_FLAG_VSYNC);
    fence[1] = submit(driver);
    fence[2] = present(driver, AEROGPU_PRESENT_FLAG_VSYNC);
    fence[3] = present(driver, 0);
    assert_int_equal(driver->ring->head, 4); /* executed, only the fences wait */
    assert_int_equal(completed_fence(driver), 0);
    assert_false(driver->machine->intx);
    clock_advance(driver->machine, PERIOD);
    assert_int_equal(completed_fence(driver), fence[1]);
    assert_true(driver->machine->intx);
    clock_advance(driver->machine, PERIOD);
    assert_int_equal(completed_fence(driver), fence[3]);
    assert_int_equal(driver->fence_page->completed_fence, fence[3]);
}

/* device.md 4.3: never completes on an edge that was already due when it was submitted. */
static void edge_already_due(void **state)
{
    struct fake_driver *driver = *state;

    scanout(driver, 1);
    driver->machine->now += 3 * PERIOD / 2;
    present(driver, AEROGPU_PRESENT_FLAG_VSYNC);
    assert_int_equal(completed_fence(driver), 0);
    assert_int_equal(sequence(driver), 1);
    driver->machine->next_service = vgpu_device_service(driver->machine->device);
    clock_advance(driver->machine, PERIOD / 2 + 1);
    assert_int_equal(completed_fence(driver), 1);
}

/* ring.md 7: what makes a submission paced: packet flags, not the descriptor; scanout on; only bit 0. */
static void pacing_rules(void **state)
{
    struct fake_driver *driver = *state;

    present(driver, AEROGPU_PRESENT_FLAG_VSYNC); /* scanout off */
    assert_int_equal(completed_fence(driver), 1);
    scanout(driver, 1);
    present(driver, ~AEROGPU_PRESENT_FLAG_VSYNC);
    assert_int_equal(completed_fence(driver), 2);
    stream_begin(driver);
    STREAM_PACKET(driver, PRESENT_EX, aerogpu_cmd_present_ex)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    STREAM_PACKET(driver, PRESENT_EX, aerogpu_cmd_present_ex)->scanout_id = 7;
    submit(driver);
    assert_int_equal(completed_fence(driver), 2);
    clock_advance(driver->machine, PERIOD);
    assert_int_equal(completed_fence(driver), 3);
}

/* ring.md 3.1, 7: an error in a packet leaves the pacing, one before execution makes the submission
 * immediate. */
static void pacing_of_failed_submissions(void **state)
{
    struct fake_driver *driver = *state;

    scanout(driver, 1);
    stream_begin(driver);
    STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer); /* handle 0 */
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    submit(driver);
    assert_int_equal(error_count(driver), 1);
    assert_int_equal(completed_fence(driver), 0);
    clock_advance(driver->machine, PERIOD);
    assert_int_equal(completed_fence(driver), 1);

    stream_begin(driver);
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    table_begin(driver);
    table_header(driver)->magic ^= 1;
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);

    table_header(driver)->magic = 0;
    stream_begin(driver);
    stream_packet(driver, AEROGPU_CMD_PRESENT, 12); /* too short even for its flags: ends the scan */
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
}

/* 4.7, ring.md 7: scanout off lets every held fence go. */
static void disable_releases(void **state)
{
    struct fake_driver *driver = *state;

    scanout(driver, 1);
    present(driver, AEROGPU_PRESENT_FLAG_VSYNC);
    present(driver, AEROGPU_PRESENT_FLAG_VSYNC);
    scanout(driver, 0);
    assert_int_equal(completed_fence(driver), 2);
}

/* device.md 2.1: completions are held back without Bus Master, also vblank-paced ones. */
static void bus_master_gates_completion(void **state)
{
    struct fake_driver *driver = *state;

    scanout(driver, 1);
    present(driver, AEROGPU_PRESENT_FLAG_VSYNC);
    command_write(driver->machine, VGPU_CONFIG_COMMAND_MEMORY);
    clock_advance(driver->machine, 2 * PERIOD);
    assert_int_equal(completed_fence(driver), 0);
    assert_int_equal(sequence(driver), 2); /* the clock goes on */
    command_write(driver->machine, VGPU_CONFIG_COMMAND_MEMORY | VGPU_CONFIG_COMMAND_BUS_MASTER);
    assert_int_equal(completed_fence(driver), 1);
}

/* ring.md 4: a fence equal to the last queued one is merged: held if any is, IRQ if any wants one. */
static void merged_fences(void **state)
{
    struct fake_driver *driver = *state;

    scanout(driver, 1);
    reg_write(driver->machine, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
    for (unsigned i = 0; i < 2; i++) {
        stream_begin(driver);
        STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
        prepare(driver);
        driver->desc.signal_fence = 5;
        driver->desc.flags = i == 0 ? AEROGPU_SUBMIT_FLAG_NO_IRQ : 0;
        post(driver);
    }
    prepare(driver);
    driver->desc.signal_fence = 3; /* lower than a queued one: covered by it */
    post(driver);
    ring_doorbell(driver);
    assert_int_equal(completed_fence(driver), 0);
    clock_advance(driver->machine, PERIOD);
    assert_int_equal(completed_fence(driver), 5);
    assert_true(driver->machine->intx);
}

/* A full queue of held fences holds the ring up, loses nothing (ring.md 3.1 DEV: never drop). */
static void full_queue(void **state)
{
    struct fake_driver *driver = *state;

    scanout(driver, 1);
    stream_begin(driver);
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    for (unsigned i = 0; i < 4100; i++) {
        prepare(driver);
        post(driver);
        ring_doorbell(driver);
    }
    assert_int_equal(driver->ring->head, 4096);
    assert_false(vgpu_device_needs_service(driver->machine->device));
    clock_advance(driver->machine, 4 * PERIOD);
    assert_int_equal(driver->ring->head, 4100);
    clock_advance(driver->machine, 4096ull * PERIOD);
    assert_int_equal(completed_fence(driver), 4100);
    assert_int_equal(error_count(driver), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(edges_are_periodic),
        TEST(long_stall),
        TEST(disable_keeps_counters),
        TEST(interrupt),
        TEST(held_fences),
        TEST(edge_already_due),
        TEST(pacing_rules),
        TEST(pacing_of_failed_submissions),
        TEST(disable_releases),
        TEST(bus_master_gates_completion),
        TEST(merged_fences),
        TEST(full_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
