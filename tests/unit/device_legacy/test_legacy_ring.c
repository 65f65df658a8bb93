/* test_legacy_ring.c: ring, fences and submission descriptors of the legacy device (legacy.md 3, 4, 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "tests/device/bus/config_space.h"
#include "tests/device/inspect/inspect.h"
#include "tests/unit/device_legacy/legacy_machine.h"

#define RING    (RAM_BASE + 0x1000)
#define DESC    (RAM_BASE + 0x8000)
#define ENTRIES 5u /* no power of two */

static struct aerogpu_legacy_ring_entry_submit *entry(struct fake_machine *machine, uint32_t index)
{
    return (struct aerogpu_legacy_ring_entry_submit *)ram(machine, RING) + index;
}

static struct aerogpu_legacy_submission_desc_header *descriptor(struct fake_machine *machine)
{
    return ram(machine, DESC);
}

/* A good descriptor, and good entries with fences 1, 2, ... that all use it. */
static void make_ring(struct fake_machine *machine)
{
    *descriptor(machine) = (struct aerogpu_legacy_submission_desc_header){
        .version = AEROGPU_LEGACY_SUBMISSION_DESC_VERSION, .type = AEROGPU_LEGACY_SUBMIT_RENDER};
    for (uint32_t i = 0; i < ENTRIES; i++) {
        *entry(machine, i) = (struct aerogpu_legacy_ring_entry_submit){
            .type = AEROGPU_LEGACY_RING_ENTRY_SUBMIT,
            .fence = i + 1,
            .desc_size = sizeof(struct aerogpu_legacy_submission_desc_header),
            .desc_gpa = DESC,
        };
    }
    reg_write(machine, AEROGPU_LEGACY_REG_RING_BASE_LO, (uint32_t)RING);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_BASE_HI, 0);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, ENTRIES);
}

static void post(struct fake_machine *machine, uint32_t tail)
{
    reg_write(machine, AEROGPU_LEGACY_REG_RING_TAIL, tail);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
}

static uint32_t fence(struct fake_machine *machine)
{
    return reg_read(machine, AEROGPU_LEGACY_REG_FENCE_COMPLETED);
}

static uint64_t malformed(struct fake_machine *machine)
{
    return vgpu_device_stats(machine->device)->malformed;
}

/* legacy.md 3: doorbell to fence, round the ring, one slot always free. */
static void round_the_ring(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    for (uint32_t i = 0; i < 3 * ENTRIES; i++) {
        const uint32_t next = (i + 1) % ENTRIES;

        entry(machine, i % ENTRIES)->fence = i + 1;
        post(machine, next);
        assert_int_equal(fence(machine), i + 1);
        assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), next);
    }
    assert_int_equal(malformed(machine), 0);
    assert_int_equal(vgpu_device_stats(machine->device)->submissions, 3 * ENTRIES);
}

/* Several entries at one doorbell: one interrupt, the last fence. */
static void batch(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    post(machine, 4);
    assert_int_equal(fence(machine), 4);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 4);
    assert_int_equal(machine->intx_changes, 1);
}

/* head == tail: nothing to do, no interrupt. */
static void empty(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    post(machine, 0);
    assert_int_equal(fence(machine), 0);
    assert_int_equal(machine->intx_changes, 0);
}

/* RING_BASE = 0 or count = 0: the doorbell is ignored and not remembered. */
static void no_ring(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_BASE_LO, 0);
    post(machine, 2);
    assert_int_equal(fence(machine), 0);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 0);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_BASE_LO, (uint32_t)RING);
    assert_int_equal(fence(machine), 0);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 0);
    post(machine, 2);
    assert_int_equal(fence(machine), 0);
    assert_false(vgpu_device_needs_service(machine->device));
}

/* legacy.md 2: a doorbell is lost while Bus Master = 0. */
static void bus_master(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY);
    post(machine, 2);
    command_write(machine, VGPU_CONFIG_COMMAND_MEMORY | VGPU_CONFIG_COMMAND_BUS_MASTER);
    assert_int_equal(fence(machine), 0);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    assert_int_equal(fence(machine), 2);
}

/* head and tail are reduced modulo count; HEAD reads what was written until the next doorbell. */
static void reduced_indices(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_HEAD, 3 * ENTRIES + 1);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 3 * ENTRIES + 1);
    post(machine, 0xFFFFFFFF - 0xFFFFFFFF % ENTRIES - ENTRIES + 3); /* 3 */
    assert_int_equal(fence(machine), 3);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 3);
    assert_int_equal(vgpu_device_stats(machine->device)->submissions, 2);
}

/* type != 1: the entry is skipped, its fence is not read. */
static void other_types(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    entry(machine, 1)->type = 0;
    entry(machine, 3)->type = 2;
    post(machine, 2);
    assert_int_equal(fence(machine), 1);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 2);
    post(machine, 4);
    assert_int_equal(fence(machine), 3);
    assert_int_equal(malformed(machine), 0);
}

/* Fences are unsigned, do not wrap, and a stale one raises no interrupt. */
static void stale_fences(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    entry(machine, 0)->fence = 0x80000000;
    entry(machine, 1)->fence = 5;
    entry(machine, 2)->fence = 0x80000000;
    post(machine, 1);
    assert_int_equal(fence(machine), 0x80000000);
    reg_write(machine, AEROGPU_LEGACY_REG_INT_ACK, 1);
    post(machine, 3);
    assert_int_equal(fence(machine), 0x80000000);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 3);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), 0);
    assert_false(machine->intx);
}

/* desc_gpa = 0, desc_size < 32, version != 1: malformed; the fence still completes. */
static void malformed_descriptors(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    entry(machine, 0)->desc_gpa = 0;
    post(machine, 1);
    assert_int_equal(fence(machine), 1);
    assert_int_equal(malformed(machine), 1);
    entry(machine, 1)->desc_size = 31;
    post(machine, 2);
    assert_int_equal(fence(machine), 2);
    assert_int_equal(malformed(machine), 2);
    descriptor(machine)->version = 2;
    post(machine, 3);
    assert_int_equal(fence(machine), 3);
    assert_int_equal(malformed(machine), 3);
    descriptor(machine)->version = 1;
    entry(machine, 3)->desc_gpa = UINT64_MAX - 31; /* ends at 2^64: wraps (device.md 0) */
    post(machine, 4);
    assert_int_equal(fence(machine), 4);
    assert_int_equal(malformed(machine), 4);
    entry(machine, 4)->desc_gpa = 0x10; /* not mapped: reads FF, so a bad version */
    post(machine, 0);
    assert_int_equal(fence(machine), 5);
    assert_int_equal(malformed(machine), 5);
}

/* legacy.md 4: types are not interpreted, a size above 32 is good, allocations are not checked. */
static void driver_defined_parts(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    descriptor(machine)->type = 77;
    descriptor(machine)->allocation_count = 0xFFFFFFFF;
    entry(machine, 0)->desc_size = 0xFFFFFFFF;
    post(machine, 1);
    assert_int_equal(fence(machine), 1);
    assert_int_equal(malformed(machine), 0);
}

/* legacy.md 5 DEV: command bytes are skipped: they are not even read. */
static void commands_are_skipped(void **state)
{
    struct fake_machine *machine = *state;
    uint64_t before;

    make_ring(machine);
    before = vgpu_device_stats(machine->device)->dma_read_bytes;
    descriptor(machine)->dma_buffer_gpa = DESC + 0x100;
    descriptor(machine)->dma_buffer_size = 0x100;
    memset(ram(machine, DESC + 0x100), 0xFF, 0x100);
    post(machine, 1);
    assert_int_equal(fence(machine), 1);
    assert_int_equal(vgpu_device_stats(machine->device)->dma_read_bytes - before,
                     sizeof(struct aerogpu_legacy_ring_entry_submit) +
                         sizeof(struct aerogpu_legacy_submission_desc_header));
}

/* DEV: an entry that wraps is skipped; the head goes on. */
static void wrapping_entries(void **state)
{
    struct fake_machine *machine = *state;

    make_ring(machine);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_BASE_LO, 0xFFFFFFF0);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_BASE_HI, 0xFFFFFFFF);
    post(machine, 4);
    assert_int_equal(fence(machine), 0);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 4);
    assert_int_equal(vgpu_device_stats(machine->device)->submissions, 0);
}

/* A count near 2^32 is worked on in bounded service points, and ends when the ring is redefined. */
static void huge_ring(void **state)
{
    struct fake_machine *machine = *state;

    reg_write(machine, AEROGPU_LEGACY_REG_RING_BASE_LO, (uint32_t)RING);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 0xFFFFFFFF);
    post(machine, 0xFFFFFFFE);
    assert_true(vgpu_device_needs_service(machine->device));
    assert_int_equal(machine->next_service, machine->now);
    make_ring(machine);
    assert_false(vgpu_device_needs_service(machine->device));
    post(machine, 1);
    assert_int_equal(fence(machine), 1);
}

/* A batch that is worked on in pieces ends like one that is not. A second doorbell waits for it. */
static void batch_in_pieces(void **state)
{
    struct fake_machine *machine = *state;
    const uint32_t count = 3u << 20;

    make_ring(machine);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, count); /* beyond RAM: FF bytes, not type 1 */
    post(machine, count - 1);
    assert_true(vgpu_device_needs_service(machine->device));
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), 0);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_INT_STATUS), 0);
    reg_write(machine, AEROGPU_LEGACY_REG_RING_DOORBELL, 1);
    for (unsigned i = 0; i < 100 && vgpu_device_needs_service(machine->device); i++) {
        vgpu_device_service(machine->device);
    }
    assert_false(vgpu_device_needs_service(machine->device));
    assert_int_equal(fence(machine), ENTRIES);
    assert_int_equal(reg_read(machine, AEROGPU_LEGACY_REG_RING_HEAD), count - 1);
    assert_int_equal(machine->intx_changes, 1);
}

struct legacy_logged {
    char text[1024];
    size_t length;
};

static void take(void *ctx, const char *text, size_t length)
{
    struct legacy_logged *logged = ctx;

    assert_true(length < sizeof logged->text - logged->length);
    memcpy(logged->text + logged->length, text, length);
    logged->length += length;
}

/* One line a submission: fence, flags and what its descriptor says. */
static void log_of_submissions(void **state)
{
    struct fake_machine *machine = *state;
    struct legacy_logged logged = {.length = 0};
    const struct vgpu_submission_log log = {.ctx = &logged, .line = take};

    assert_true(vgpu_device_set_submission_log(machine->device, &log));
    make_ring(machine);
    descriptor(machine)->type = AEROGPU_LEGACY_SUBMIT_PRESENT;
    descriptor(machine)->dma_buffer_size = 96;
    descriptor(machine)->allocation_count = 2;
    entry(machine, 0)->flags = 7;
    entry(machine, 1)->desc_size = 0;
    entry(machine, 2)->type = 0; /* skipped: no submission */
    post(machine, 3);
    assert_string_equal(
        logged.text, "{\"t_ns\":1000000000,\"fence\":1,\"flags\":7,\"type\":\"PRESENT\",\"stream_bytes\":96,"
                     "\"allocs\":2,\"malformed\":false}\n"
                     "{\"t_ns\":1000000000,\"fence\":2,\"flags\":0,\"type\":\"NONE\",\"stream_bytes\":0,"
                     "\"allocs\":0,\"malformed\":true}\n");
}

/* Commands are not executed, so there is nothing to look at. */
static void no_resources(void **state)
{
    struct fake_machine *machine = *state;
    struct vgpu_resource_info info;
    struct vgpu_pixels pixels;

    assert_int_equal(vgpu_device_resources(machine->device, &info, 1), 0);
    assert_non_null(vgpu_device_read_texture(machine->device, 1, 0, 0, &pixels));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(round_the_ring),
        TEST(batch),
        TEST(empty),
        TEST(no_ring),
        TEST(bus_master),
        TEST(reduced_indices),
        TEST(other_types),
        TEST(stale_fences),
        TEST(malformed_descriptors),
        TEST(driver_defined_parts),
        TEST(commands_are_skipped),
        TEST(wrapping_entries),
        TEST(huge_ring),
        TEST(batch_in_pieces),
        TEST(log_of_submissions),
        TEST(no_resources),
    };

    return cmocka_run_group_tests_name("legacy ring", tests, NULL, NULL);
}
