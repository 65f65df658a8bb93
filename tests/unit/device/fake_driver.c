/* fake_driver.c: the unit tests' driver. */
#include "tests/unit/device/fake_driver.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"

struct fake_driver *driver_create(void)
{
    struct fake_driver *driver = calloc(1, sizeof *driver);

    assert_non_null(driver);
    driver->machine = machine_create();
    driver->ring = ram(driver->machine, RING_GPA);
    driver->fence_page = ram(driver->machine, FENCE_GPA);
    *driver->ring = (struct aerogpu_ring_header){
        .magic = AEROGPU_RING_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = RING_BYTES,
        .entry_count = RING_ENTRIES,
        .entry_stride_bytes = RING_STRIDE,
    };
    reg_write64(driver->machine, AEROGPU_MMIO_REG_RING_GPA_LO, RING_GPA);
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_SIZE_BYTES, RING_BYTES);
    reg_write64(driver->machine, AEROGPU_MMIO_REG_FENCE_GPA_LO, FENCE_GPA);
    reg_write(driver->machine, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    return driver;
}

void driver_destroy(struct fake_driver *driver)
{
    machine_destroy(driver->machine);
    free(driver);
}

int driver_setup(void **state)
{
    *state = driver_create();
    return 0;
}

int driver_teardown(void **state)
{
    driver_destroy(*state);
    return 0;
}

struct aerogpu_cmd_stream_header *stream_header(struct fake_driver *driver)
{
    return ram(driver->machine, STREAM_GPA);
}

void stream_begin(struct fake_driver *driver)
{
    *stream_header(driver) = (struct aerogpu_cmd_stream_header){
        .magic = AEROGPU_CMD_STREAM_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = sizeof(struct aerogpu_cmd_stream_header),
    };
    driver->stream_size = sizeof(struct aerogpu_cmd_stream_header);
}

void *stream_packet(struct fake_driver *driver, uint32_t opcode, size_t size)
{
    struct aerogpu_cmd_hdr *packet = ram(driver->machine, STREAM_GPA + driver->stream_size);

    assert_true(driver->stream_size > 0 && driver->stream_size + size <= STREAM_ROOM);
    memset(packet, 0, size);
    packet->opcode = opcode;
    packet->size_bytes = (uint32_t)size;
    driver->stream_size += (uint32_t)size;
    stream_header(driver)->size_bytes = driver->stream_size;
    return packet;
}

struct aerogpu_alloc_table_header *table_header(struct fake_driver *driver)
{
    return ram(driver->machine, TABLE_GPA);
}

void table_begin(struct fake_driver *driver)
{
    *table_header(driver) = (struct aerogpu_alloc_table_header){
        .magic = AEROGPU_ALLOC_TABLE_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = sizeof(struct aerogpu_alloc_table_header),
        .entry_stride_bytes = sizeof(struct aerogpu_alloc_entry),
    };
    driver->table_entries = 0;
}

struct aerogpu_alloc_entry *table_add(struct fake_driver *driver, uint32_t alloc_id)
{
    struct aerogpu_alloc_table_header *header = table_header(driver);
    struct aerogpu_alloc_entry *entry = (struct aerogpu_alloc_entry *)(header + 1) + header->entry_count;

    *entry = (struct aerogpu_alloc_entry){
        .alloc_id = alloc_id,
        .gpa = ALLOC_GPA + (uint64_t)(alloc_id - 1) % 12 * ALLOC_BYTES,
        .size_bytes = ALLOC_BYTES,
    };
    header->entry_count++;
    header->size_bytes += (uint32_t)sizeof *entry;
    return entry;
}

uint8_t *alloc_bytes(struct fake_driver *driver, uint32_t alloc_id)
{
    return ram(driver->machine, ALLOC_GPA + (uint64_t)(alloc_id - 1) % 12 * ALLOC_BYTES);
}

void prepare(struct fake_driver *driver)
{
    driver->desc = (struct aerogpu_submit_desc){
        .desc_size_bytes = sizeof driver->desc,
        .signal_fence = ++driver->fence,
    };
    if (driver->stream_size > 0) {
        driver->desc.cmd_gpa = STREAM_GPA;
        driver->desc.cmd_size_bytes = driver->stream_size;
    }
    if (table_header(driver)->magic != 0) {
        driver->desc.alloc_table_gpa = TABLE_GPA;
        driver->desc.alloc_table_size_bytes = table_header(driver)->size_bytes;
    }
}

void post(struct fake_driver *driver)
{
    const uint32_t slot = driver->ring->tail % RING_ENTRIES;

    memcpy(ram(driver->machine, RING_GPA + 64 + slot * RING_STRIDE), &driver->desc, sizeof driver->desc);
    driver->ring->tail++;
}

void ring_doorbell(struct fake_driver *driver)
{
    reg_write(driver->machine, AEROGPU_MMIO_REG_DOORBELL, 1);
}

uint64_t submit(struct fake_driver *driver)
{
    prepare(driver);
    post(driver);
    ring_doorbell(driver);
    while (vgpu_device_needs_service(driver->machine->device)) {
        vgpu_device_service(driver->machine->device);
    }
    driver->stream_size = 0;
    return driver->fence;
}

void submit_good(struct fake_driver *driver)
{
    const uint32_t errors = error_count(driver);
    const uint64_t fence = submit(driver);

    assert_int_equal(error_count(driver), errors);
    assert_int_equal(completed_fence(driver), fence);
}

void submit_bad(struct fake_driver *driver, uint32_t code)
{
    const uint32_t errors = error_count(driver);
    const uint64_t fence = submit(driver);

    assert_int_equal(error_count(driver), errors + 1); /* commands.md 3: one error per submission */
    assert_int_equal(reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_CODE), code);
    assert_int_equal(reg_read64(driver->machine, AEROGPU_MMIO_REG_ERROR_FENCE_LO), fence);
    assert_int_equal(completed_fence(driver), fence);
}

uint64_t completed_fence(struct fake_driver *driver)
{
    return reg_read64(driver->machine, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

uint32_t error_count(struct fake_driver *driver)
{
    return reg_read(driver->machine, AEROGPU_MMIO_REG_ERROR_COUNT);
}
