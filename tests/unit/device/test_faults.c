/* test_faults.c: each deliberate fault has a name, and changes what its name says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/faults.h"
#include "tests/device/monotonic.h"
#include "tests/unit/device/packets_short.h"

/* Exercises much of the device and reduces all observations to one number. Each fault must change it. */
static uint64_t mixed;

static void mix(uint64_t value)
{
    mixed = (mixed ^ value) * 0x100000001B3ull;
}

static void look(struct fake_driver *driver)
{
    struct fake_machine *machine = driver->machine;

    mix(completed_fence(driver));
    mix(driver->fence_page->completed_fence);
    mix(*(const uint64_t *)(const void *)((const uint8_t *)driver->fence_page +
                                          4096)); /* past the fence page */
    mix(driver->ring->head);
    mix(error_count(driver));
    mix(reg_read(machine, AEROGPU_MMIO_REG_IRQ_STATUS));
    mix(machine->intx);
    mix(reg_read64(machine, AEROGPU_MMIO_REG_SCANOUT0_VBLANK_SEQ_LO));
    for (unsigned i = 0; i < 512; i++) {
        mix(alloc_bytes(driver, 2)[i]);
        mix(alloc_bytes(driver, 3)[i]);
    }
}

static void run(struct fake_driver *driver)
{
    submit(driver);
    look(driver);
}

static void copies(struct fake_driver *driver)
{
    for (unsigned i = 0; i < 256; i++) {
        alloc_bytes(driver, 1)[i] = (uint8_t)(i + 1);
    }
    table_begin(driver);
    table_add(driver, 1);
    table_add(driver, 2);
    table_add(driver, 3)->flags = AEROGPU_ALLOC_FLAG_READONLY;
    stream_begin(driver);
    add_buffer(driver, 1, 256, 1);
    add_buffer(driver, 2, 256, 2);
    add_buffer(driver, 3, 256, 3);
    add_buffer(driver, 4, 256, 0);
    add_copy(driver, 2, 4, 256)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    run(driver);
    alloc_bytes(driver, 1)[7] = 0x99;
    stream_begin(driver);
    add_dirty(driver, 1, 0, 16);
    add_copy(driver, 2, 1, 64)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    run(driver);
    stream_begin(driver);
    add_upload(driver, 4, 4, "abcdefgh", 8);
    add_copy(driver, 2, 4, 64)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    run(driver);
    stream_begin(driver);
    add_copy(driver, 3, 1, 64)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    run(driver);
    stream_begin(driver);
    stream_packet(driver, 0x9999, 16);
    run(driver);
    table_add(driver, 3);
    run(driver);
    ((uint32_t *)(void *)table_header(driver))[0] = 0;
}

static void textures(struct fake_driver *driver)
{
    uint32_t pixels[16];

    stream_begin(driver);
    add_texture(driver, 10, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    add_targets(driver, 10, 0);
    add_clear(driver, AEROGPU_CLEAR_COLOR, 1, 0.5f, 0, 1);
    submit(driver);
    table_begin(driver);
    table_add(driver, 2);
    stream_begin(driver);
    add_texture(driver, 11, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 2);
    add_texture_copy(driver, 11, 10, 4, 4)->flags = AEROGPU_COPY_FLAG_WRITEBACK_DST;
    run(driver);
    memcpy(pixels, alloc_bytes(driver, 2), sizeof pixels);
    ((uint32_t *)(void *)table_header(driver))[0] = 0;
    stream_begin(driver);
    struct aerogpu_cmd_export_shared_surface *share =
        STREAM_PACKET(driver, EXPORT_SHARED_SURFACE, aerogpu_cmd_export_shared_surface);
    share->resource_handle = 10;
    share->share_token = 5;
    STREAM_PACKET(driver, RELEASE_SHARED_SURFACE, aerogpu_cmd_release_shared_surface)->share_token = 5;
    share = STREAM_PACKET(driver, EXPORT_SHARED_SURFACE, aerogpu_cmd_export_shared_surface);
    share->resource_handle = 10;
    share->share_token = 5;
    run(driver);
}

static void display(struct fake_driver *driver)
{
    struct fake_machine *machine = driver->machine;

    reg_write64(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0x1000);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0x2000);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    mix(reg_read(machine, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO));
    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    stream_begin(driver);
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    run(driver);
    clock_advance(machine, 40000000);
    look(driver);
}

static void interrupts(struct fake_driver *driver)
{
    struct fake_machine *machine = driver->machine;

    submit(driver); /* masked interrupt */
    look(driver);
    reg_write(machine, AEROGPU_MMIO_REG_IRQ_ENABLE, AEROGPU_IRQ_FENCE);
    prepare(driver);
    driver->desc.flags = AEROGPU_SUBMIT_FLAG_NO_IRQ;
    post(driver);
    ring_doorbell(driver);
    look(driver);
    submit(driver);
    reg_write(machine, AEROGPU_MMIO_REG_IRQ_ACK, 2);
    look(driver);
    for (unsigned i = 0; i < 40; i++) {
        submit(driver);
        look(driver);
    }
    for (unsigned i = 0; i < 5; i++) { /* several submissions with one doorbell */
        prepare(driver);
        post(driver);
    }
    ring_doorbell(driver);
    look(driver);
}

/* Reads configuration space with all capabilities. */
static void configuration(const struct fake_driver *driver)
{
    uint64_t fastest = UINT64_MAX;

    for (uint32_t offset = 0; offset < 256; offset += 4) {
        const uint64_t start = vgpu_monotonic_ns();
        uint64_t took;

        mix(vgpu_device_config_read(driver->machine->device, offset, 4));
        took = vgpu_monotonic_ns() - start;
        fastest = took < fastest ? took : fastest;
    }
    mix(fastest > 30000000);
}

static uint64_t observe(const char *fault)
{
    struct fake_driver *driver = driver_create(fault);

    mixed = 0xCBF29CE484222325ull;
    configuration(driver);
    copies(driver);
    textures(driver);
    interrupts(driver);
    display(driver);
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL,
              AEROGPU_RING_CONTROL_RESET | AEROGPU_RING_CONTROL_ENABLE);
    look(driver);
    stream_begin(driver);
    add_buffer(driver, 4, 128, 0); /* a different size: an error if handle 4 still exists */
    run(driver);
    driver_destroy(driver);
    return mixed;
}

static void every_fault_shows(void **state)
{
    const uint64_t good = observe(NULL);
    size_t count = 0;

    (void)state;
    assert_true(observe("") == good); /* the observation is reproducible */
    for (size_t i = 1; vgpu_fault_info(i) != NULL; i++) {
        if (observe(vgpu_fault_info(i)->name) == good) {
            fail_msg("fault %s changes nothing", vgpu_fault_info(i)->name);
        }
        count++;
    }
    assert_int_equal(count, VGPU_FAULT_COUNT - 1);
}

static void names(void **state)
{
    enum vgpu_fault fault;
    uint32_t parameter;

    (void)state;
    for (size_t i = 1; i < VGPU_FAULT_COUNT; i++) {
        assert_true(vgpu_fault_find(vgpu_fault_info(i)->name, &fault, &parameter));
        assert_int_equal(fault, i);
        assert_int_equal(parameter, vgpu_fault_info(i)->parameter);
    }
    assert_true(vgpu_fault_find(NULL, &fault, &parameter));
    assert_int_equal(fault, VGPU_FAULT_NONE);
    assert_true(vgpu_fault_find("fence_lost:7", &fault, &parameter));
    assert_int_equal(fault, VGPU_FAULT_FENCE_LOST);
    assert_int_equal(parameter, 7);
    assert_false(vgpu_fault_find("fence_lost:0", &fault, &parameter));
    assert_false(vgpu_fault_find("fence_lost:", &fault, &parameter));
    assert_false(vgpu_fault_find("fence_lost:x", &fault, &parameter));
    assert_false(vgpu_fault_find("fence_lost:1234567890", &fault, &parameter));
    assert_false(vgpu_fault_find("irq_ack_all:1", &fault, &parameter)); /* takes no parameter */
    assert_false(vgpu_fault_find("fence_los", &fault, &parameter));
    assert_false(vgpu_fault_find("no such fault", &fault, &parameter));
    assert_null(vgpu_fault_info(0));
    assert_null(vgpu_fault_info(VGPU_FAULT_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(every_fault_shows)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
