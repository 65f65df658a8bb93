/* test_ring.c: doorbells, ring header, indices, reset (ring.md 1, 2; device.md 2.1, 4.2, 4.3). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/config_space.h"
#include "tests/unit/device/fake_driver.h"

#define BUS (VGPU_CONFIG_COMMAND_MEMORY | VGPU_CONFIG_COMMAND_BUS_MASTER)

static void control(struct fake_driver *driver, uint32_t value)
{
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL, value);
}

static void post_empty(struct fake_driver *driver)
{
    prepare(driver);
    post(driver);
}

/* ring.md 2: entries in order, head behind them, fence by register and page; several posts share a
 * doorbell. */
static void runs_entries(void **state)
{
    struct fake_driver *driver = *state;

    for (unsigned i = 0; i < 5; i++) {
        post_empty(driver);
    }
    assert_int_equal(driver->ring->head, 0);
    ring_doorbell(driver);
    assert_int_equal(driver->ring->head, 5);
    assert_int_equal(completed_fence(driver), 5);
    assert_int_equal(driver->fence_page->completed_fence, 5);
    assert_int_equal(driver->fence_page->magic, AEROGPU_FENCE_PAGE_MAGIC);
    assert_int_equal(driver->fence_page->abi_version, AEROGPU_ABI_VERSION_U32);
    assert_int_equal(error_count(driver), 0);
    ring_doorbell(driver); /* nothing pending */
    assert_int_equal(error_count(driver), 0);
}

/* ring.md 1: indices run free and wrap modulo 2^32; pending == entry_count is accepted. */
static void indices_wrap(void **state)
{
    struct fake_driver *driver = *state;

    driver->ring->head = driver->ring->tail = 0xFFFFFFF8u;
    for (unsigned i = 0; i < RING_ENTRIES; i++) {
        post_empty(driver);
    }
    ring_doorbell(driver);
    assert_int_equal(driver->ring->head, 8);
    assert_int_equal(completed_fence(driver), RING_ENTRIES);
    assert_int_equal(error_count(driver), 0);
}

/* ring.md 2: more pending than entries: CMD_DECODE, all dropped, no fence. */
static void too_many_pending(void **state)
{
    struct fake_driver *driver = *state;

    driver->ring->tail = RING_ENTRIES + 1;
    ring_doorbell(driver);
    assert_int_equal(driver->ring->head, RING_ENTRIES + 1);
    assert_int_equal(error_count(driver), 1);
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_CMD_DECODE);
    assert_int_equal(completed_fence(driver), 0);
    submit_good(driver); /* the ring stays enabled */
}

/* ring.md 2: each header field, CMD_DECODE, head unchanged, ring stays enabled. */
static void header_fields(void **state)
{
    struct fake_driver *driver = *state;
    const struct aerogpu_ring_header good = *driver->ring;
    struct aerogpu_ring_header bad[10];
    const size_t count = sizeof bad / sizeof bad[0];

    for (size_t i = 0; i < count; i++) {
        bad[i] = good;
    }
    bad[0].magic = 0;
    bad[1].abi_version = 0x00020004;
    bad[2].abi_version = 0x00000004;
    bad[3].entry_count = 0;
    bad[4].entry_count = 12;
    bad[5].entry_stride_bytes = 63;
    bad[6].size_bytes = RING_BYTES - 1;
    bad[7].size_bytes = RING_BYTES + 1; /* > RING_SIZE */
    bad[8].entry_count = 0x80000000u;
    bad[9].entry_stride_bytes = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        *driver->ring = bad[i];
        driver->ring->tail = 1;
        ring_doorbell(driver);
        assert_int_equal(error_count(driver), i + 1);
        assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_CMD_DECODE);
        assert_int_equal(reg_read64(driver->machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO), 0);
        assert_int_equal(driver->ring->head, 0);
        assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL), 1);
    }
    *driver->ring = good;
    driver->ring->abi_version = 0x0001FFFF; /* any minor */
    driver->ring->flags = ~0u;              /* not checked */
    submit_good(driver);
}

/* ring.md 1: any stride from 64 on, without alignment; bytes behind the descriptor are ignored. */
static void odd_stride(void **state)
{
    struct fake_driver *driver = *state;
    const uint32_t stride = 99;

    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 4096);
    driver->ring->size_bytes = 4096;
    driver->ring->entry_stride_bytes = stride;
    for (unsigned i = 0; i < 3; i++) {
        prepare(driver);
        driver->desc.desc_size_bytes = stride;
        memcpy(ram(driver->machine, RING_GPA + 64 + i * stride), &driver->desc, sizeof driver->desc);
        driver->ring->tail++;
    }
    ring_doorbell(driver);
    assert_int_equal(completed_fence(driver), 3);
    assert_int_equal(error_count(driver), 0);
}

/* ring.md 2: RING_GPA or RING_SIZE 0 is CMD_DECODE, an address that wraps is OOB. */
static void ring_registers(void **state)
{
    struct fake_driver *driver = *state;
    struct fake_machine *machine = driver->machine;

    reg_write(machine, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
    ring_doorbell(driver);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_CMD_DECODE);
    reg_write(machine, AEROGPU_MMIO_REG_RING_SIZE_BYTES, RING_BYTES);
    reg_write64(machine, AEROGPU_MMIO_REG_RING_GPA_LO, UINT64_MAX - 63);
    ring_doorbell(driver);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_OOB);
    reg_write64(machine, AEROGPU_MMIO_REG_RING_GPA_LO, UINT64_MAX - 8);
    ring_doorbell(driver);
    reg_write64(machine, AEROGPU_MMIO_REG_RING_GPA_LO, 0x40); /* unmapped: reads FF, bad magic */
    ring_doorbell(driver);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_CMD_DECODE);
    assert_int_equal(error_count(driver), 4);
}

/* ring.md 2: wrapping RING_SIZE with addressable indices: OOB and head := tail. */
static void wrapping_size_drops(void **state)
{
    struct fake_driver *driver = *state;

    /* No RAM lies that high; what counts is that the indices are touched only inside the address space. */
    reg_write64(driver->machine, AEROGPU_MMIO_REG_RING_GPA_LO, UINT64_MAX - 0xFFF);
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0x2000);
    ring_doorbell(driver);
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_OOB);
}

/* device.md 4.3: a doorbell consumed while disabled is discarded, enabling does not replay it. */
static void disabled_ring(void **state)
{
    struct fake_driver *driver = *state;

    control(driver, 0);
    post_empty(driver);
    ring_doorbell(driver);
    assert_int_equal(driver->ring->head, 0);
    control(driver, AEROGPU_RING_CONTROL_ENABLE);
    assert_int_equal(driver->ring->head, 0);
    assert_int_equal(error_count(driver), 0);
    ring_doorbell(driver);
    assert_int_equal(driver->ring->head, 1);
}

/* device.md 2.1: without Bus Master nothing moves; the doorbell is remembered, once. */
static void doorbell_waits_for_bus_master(void **state)
{
    struct fake_driver *driver = *state;

    command_write(driver->machine, VGPU_CONFIG_COMMAND_MEMORY);
    post_empty(driver);
    driver->machine->dma_calls = 0;
    ring_doorbell(driver);
    ring_doorbell(driver);
    assert_int_equal(driver->machine->dma_calls, 0);
    assert_int_equal(completed_fence(driver), 0);
    assert_true(driver->machine->next_service == UINT64_MAX);
    command_write(driver->machine, BUS);
    assert_int_equal(driver->ring->head, 1);
    assert_int_equal(completed_fence(driver), 1);
    command_write(driver->machine,
                  VGPU_CONFIG_COMMAND_BUS_MASTER); /* device.md 2: without Memory it is lost */
    post_empty(driver);
    ring_doorbell(driver);
    command_write(driver->machine, BUS);
    assert_int_equal(driver->ring->head, 1);
}

/* device.md 4.2: everything that a reset clears, and what it keeps. */
static void reset_effects(void **state)
{
    struct fake_driver *driver = *state;
    struct fake_machine *machine = driver->machine;

    reg_write(machine, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    stream_begin(driver);
    STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer); /* invalid */
    submit_bad(driver, AEROGPU_ERROR_CMD_DECODE);
    stream_begin(driver);
    struct aerogpu_cmd_create_buffer *create =
        STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);
    create->buffer_handle = 9;
    create->size_bytes = 64;
    submit_good(driver);
    reg_write(machine, AEROGPU_MMIO_REG_CURSOR_X, 3);
    post_empty(driver); /* posted, no doorbell: lost by head := tail */
    control(driver, AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    assert_int_equal(completed_fence(driver), 0);
    assert_int_equal(driver->fence_page->completed_fence, 0);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_IRQ_STATUS), 0);
    assert_false(machine->intx);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_IRQ_ENABLE), AEROGPU_IRQ_FENCE | AEROGPU_IRQ_ERROR);
    assert_int_equal(error_count(driver), 0);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_ERROR_CODE), 0);
    assert_int_equal(reg_read64(machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO), 0);
    assert_true(reg_read64(machine, AEROGPU_MMIO_REG_RING_GPA_LO) == RING_GPA);
    assert_true(reg_read64(machine, AEROGPU_MMIO_REG_FENCE_GPA_LO) == FENCE_GPA);
    assert_int_equal(reg_read(machine, AEROGPU_MMIO_REG_CURSOR_X), 3);
    assert_int_equal(driver->ring->head, driver->ring->tail);
    driver->fence = 0;
    stream_begin(driver); /* the handle is free again, the size may differ */
    create = STREAM_PACKET(driver, CREATE_BUFFER, aerogpu_cmd_create_buffer);
    create->buffer_handle = 9;
    create->size_bytes = 128;
    submit_good(driver);
    assert_int_equal(completed_fence(driver), 1);
}

/* device.md 4.2: the registers clear at the write, the memory part waits for Bus Master; a later doorbell is
 * not lost. */
static void reset_without_bus_master(void **state)
{
    struct fake_driver *driver = *state;

    submit_good(driver);
    command_write(driver->machine, VGPU_CONFIG_COMMAND_MEMORY);
    control(driver, AEROGPU_RING_CONTROL_RESET);
    assert_int_equal(completed_fence(driver), 0);
    assert_int_equal(driver->fence_page->completed_fence, 1);
    driver->ring->tail = 7;
    command_write(driver->machine, BUS);
    assert_int_equal(driver->ring->head, 7);
    assert_int_equal(driver->fence_page->completed_fence, 0);

    command_write(driver->machine, VGPU_CONFIG_COMMAND_MEMORY);
    control(driver, AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    ring_doorbell(driver); /* after the RESET write: processed after the reset */
    driver->ring->tail = 9;
    command_write(driver->machine, BUS);
    assert_int_equal(driver->ring->head, 9);
    assert_int_equal(error_count(driver), 0);
    assert_false(vgpu_device_needs_service(driver->machine->device));
}

/* device.md 4.2: with a ring address that wraps the ring part is skipped and OOB recorded; the fence page is
 * written. */
static void reset_wrapping_ring(void **state)
{
    struct fake_driver *driver = *state;

    submit_good(driver);
    reg_write64(driver->machine, AEROGPU_MMIO_REG_RING_GPA_LO, UINT64_MAX - 31);
    control(driver, AEROGPU_RING_CONTROL_RESET);
    assert_int_equal(error_count(driver), 1);
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), AEROGPU_ERROR_OOB);
    assert_int_equal(driver->fence_page->completed_fence, 0);
}

/* device.md 4.2: vsync-held fences are dropped, they never complete. */
static void reset_drops_held(void **state)
{
    struct fake_driver *driver = *state;

    reg_write(driver->machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    stream_begin(driver);
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    submit(driver);
    control(driver, AEROGPU_RING_CONTROL_RESET);
    clock_advance(driver->machine, 100000000);
    assert_int_equal(completed_fence(driver), 0);
}

/* The ring works the same where guest memory is not one piece, and where it is not aligned. */
static void fragmented_memory(void **state)
{
    struct fake_driver *driver = *state;
    const uint64_t middle = RAM_BASE + RAM_SIZE / 2;
    const uint64_t gpas[] = {middle - 64, middle - 100, middle - 26, RAM_BASE + 0x2001};

    driver->machine->split = true;
    for (size_t i = 0; i < sizeof gpas / sizeof gpas[0]; i++) {
        struct aerogpu_ring_header header = *(struct aerogpu_ring_header *)ram(driver->machine, RING_GPA);

        header.head = header.tail = 0;
        prepare(driver);
        memcpy(ram(driver->machine, gpas[i] + 64), &driver->desc, sizeof driver->desc);
        header.tail = 1;
        memcpy(ram(driver->machine, gpas[i]), &header, sizeof header);
        reg_write64(driver->machine, AEROGPU_MMIO_REG_RING_GPA_LO, gpas[i]);
        reg_write64(driver->machine, AEROGPU_MMIO_REG_FENCE_GPA_LO, gpas[i] + 0x10000 - 4);
        ring_doorbell(driver);
        assert_int_equal(completed_fence(driver), driver->fence);
        memcpy(&header, ram(driver->machine, gpas[i]), sizeof header);
        assert_int_equal(header.head, 1);
    }
    assert_int_equal(error_count(driver), 0);
}

/* ring.md 5: fence page: not written when programmed, nothing when it wraps or is unmapped, 0 = none. */
static void fence_page_address(void **state)
{
    struct fake_driver *driver = *state;
    const uint64_t gpas[] = {0, UINT64_MAX - 55, 0x40, RAM_BASE + RAM_SIZE - 12};

    assert_int_equal(driver->fence_page->magic, 0);
    for (size_t i = 0; i < sizeof gpas / sizeof gpas[0]; i++) {
        reg_write64(driver->machine, AEROGPU_MMIO_REG_FENCE_GPA_LO, gpas[i]);
        submit_good(driver);
    }
    assert_int_equal(driver->fence_page->magic, 0);
    uint32_t half;
    memcpy(&half, ram(driver->machine, RAM_BASE + RAM_SIZE - 12), sizeof half); /* mapped part is written */
    assert_int_equal(half, AEROGPU_FENCE_PAGE_MAGIC);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, driver_setup, driver_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_entries),
        TEST(indices_wrap),
        TEST(too_many_pending),
        TEST(header_fields),
        TEST(odd_stride),
        TEST(ring_registers),
        TEST(wrapping_size_drops),
        TEST(disabled_ring),
        TEST(doorbell_waits_for_bus_master),
        TEST(reset_effects),
        TEST(reset_without_bus_master),
        TEST(reset_wrapping_ring),
        TEST(reset_drops_held),
        TEST(fragmented_memory),
        TEST(fence_page_address),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
