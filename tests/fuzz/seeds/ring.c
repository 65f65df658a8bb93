/* ring.c: inputs with ring, descriptors and tables: malformed, unmapped, changing. */
#include <stdio.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/fuzz/seeds/writer.h"

/* Addresses of the ring of the harness's driver, and of its streams and tables. */
#define RING 0x1000u
#define POOL 0x8000u

static void some_work(void)
{
    seed_alloc(1, 0, 0, 0x1000);
    seed_alloc(2, AEROGPU_ALLOC_FLAG_READONLY, 0x800, 0x1000);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 1, .size_bytes = 256, .backing_alloc_id = 1);
    PACKET(CREATE_BUFFER, create_buffer, .buffer_handle = 2, .size_bytes = 256, .backing_alloc_id = 2);
    PACKET(COPY_BUFFER, copy_buffer, .dst_buffer = 1, .src_buffer = 2, .size_bytes = 256,
           .flags = AEROGPU_COPY_FLAG_WRITEBACK_DST);
}

/* Each field of each structure with interesting values, one input for each structure. */
static void bad_fields(void)
{
    static const char *const names[] = {"bad-desc", "bad-stream", "bad-table", "bad-entry", "bad-ring"};
    static const uint8_t lengths[] = {64, 24, 24, 32, 32};
    static const uint32_t values[] = {0, 1, 0x20, 0x41, 0x00020000, 0x7FFFFFFF, UINT32_MAX};

    for (uint32_t where = 0; where < FUZZ_PATCHES; where++) {
        seed_begin("ring", names[where]);
        for (uint32_t offset = 0; offset < lengths[where]; offset += 4) {
            for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
                some_work();
                seed_submit_patched(0, (enum fuzz_patch)where, offset, values[i]);
                seed_submit(0);
                seed_record(FUZZ_OP_BRINGUP, 0, NULL, 0);
            }
        }
    }
}

/* Changes each word after the device has read it. */
static void double_fetch(void)
{
    char name[32];

    for (uint16_t skip = 0; skip < 8; skip++) {
        snprintf(name, sizeof name, "changes-after-%u", skip);
        seed_begin("ring", name);
        for (uint32_t offset = 0; offset < 64; offset += 4) {
            const uint32_t places[] = {RING + offset, RING + 64 + offset, POOL + offset,
                                       POOL + 0xA0 + offset};

            for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
                seed_alter(places[i], 0x7FFFFFF0, skip);
                some_work();
                seed_submit(0);
                seed_record(FUZZ_OP_BRINGUP, 0, NULL, 0);
            }
        }
    }
}

static void index_wrap(void)
{
    static const uint32_t indices[2] = {UINT32_MAX - 2, UINT32_MAX - 2};

    seed_begin("ring", "index-wrap");
    seed_memory(RING + 24, indices, sizeof indices);
    for (int i = 0; i < 6; i++) {
        const uint32_t tail = UINT32_MAX - 1 + (uint32_t)i;

        some_work();
        seed_submit(FUZZ_SUBMIT_NO_DOORBELL);
        seed_memory(RING + 28, &tail, sizeof tail);
        seed_write(AEROGPU_MMIO_REG_DOORBELL, 1);
    }
}

static void holes(void)
{
    seed_begin("ring", "holes");
    for (uint8_t mapping = 1; mapping <= 3; mapping++) {
        for (uint32_t page = 1; page < 16; page++) {
            seed_map(page, 1, mapping);
            some_work();
            seed_submit(0);
            seed_submit(0);
            seed_map(0, 256, 0);
        }
        seed_map(0x100, 2, mapping); /* the allocations */
        some_work();
        seed_submit(0);
        seed_map(0x100, 2, 0);
        seed_record(FUZZ_OP_BRINGUP, 0, NULL, 0);
    }
}

/* Batches, coalesced doorbells, a full ring, more vsync fences than the device can hold. */
static void batches(void)
{
    seed_begin("ring", "batches");
    for (int i = 0; i < 70; i++) {
        some_work();
        seed_submit(FUZZ_SUBMIT_NO_DOORBELL);
    }
    seed_write(AEROGPU_MMIO_REG_DOORBELL, 1);
    seed_write(AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    for (int i = 0; i < 80; i++) {
        PACKET(PRESENT, present, .flags = AEROGPU_PRESENT_FLAG_VSYNC);
        seed_submit(FUZZ_SUBMIT_NO_SERVICE);
    }
    seed_record(FUZZ_OP_SERVICE, 0, NULL, 0);
    seed_time(50000000);
    seed_write(AEROGPU_MMIO_REG_RING_CONTROL, 0);
    seed_submit(0);
    seed_write(AEROGPU_MMIO_REG_RING_CONTROL, 1);
    seed_write(AEROGPU_MMIO_REG_RING_CONTROL, 3);
    seed_submit(0);
}

/* A table with a very large size in every slot of a very large ring: the work must be bounded. */
static void much_work(void)
{
    const struct aerogpu_alloc_table_header table = {.magic = AEROGPU_ALLOC_TABLE_MAGIC,
                                                     .abi_version = AEROGPU_ABI_VERSION_U32,
                                                     .size_bytes = 0x00FFFFF8,
                                                     .entry_count = 0x1FFFF,
                                                     .entry_stride_bytes = 128};
    const struct aerogpu_cmd_stream_header stream = {
        .magic = AEROGPU_CMD_STREAM_MAGIC, .abi_version = AEROGPU_ABI_VERSION_U32, .size_bytes = 62u << 20};
    const uint64_t table_gpa = UINT64_C(0x123450000), stream_gpa = table_gpa + 0x1000;
    const uint64_t ring = UINT64_C(0x123450000) - (1u << 20) + RING;

    seed_begin("ring-slow", "much-work");
    seed_memory(1u << 20, &table, sizeof table);
    seed_memory((1u << 20) + 0x1000, &stream, sizeof stream);
    for (int i = 0; i < 36; i++) {
        const struct aerogpu_submit_desc desc = {
            .desc_size_bytes = sizeof desc,
            .cmd_gpa = stream_gpa,
            .cmd_size_bytes = 62u << 20,
            .alloc_table_gpa = table_gpa,
            .alloc_table_size_bytes = 0x01000000,
            .signal_fence = 1 + (uint64_t)i,
        };

        seed_memory(RING + 64 + (uint32_t)i * 64, &desc, sizeof desc);
    }
    const uint32_t tail = 36;
    seed_memory(RING + 28, &tail, sizeof tail);
    seed_write(AEROGPU_MMIO_REG_RING_GPA_LO, (uint32_t)ring);
    seed_write(AEROGPU_MMIO_REG_DOORBELL, 1);
}

void seeds_of_ring(void)
{
    bad_fields();
    double_fetch();
    index_wrap();
    holes();
    batches();
    much_work();
}
