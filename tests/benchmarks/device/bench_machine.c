/* bench_machine.c: the machine of the device benchmarks. */
#include "tests/benchmarks/device/bench_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/plugin/model.h"
#include "tests/device/plugin/port.h"

#define RAM_BASE   0x100000ull
#define RAM_SIZE   (32u << 20)
#define RING_GPA   RAM_BASE
#define FENCE_GPA  (RAM_BASE + (1u << 20))
#define TABLE_GPA  (RAM_BASE + (2u << 20))
#define STREAM_GPA (RAM_BASE + (4u << 20))
#define ALLOC_GPA  (RAM_BASE + (16u << 20))
#define ALLOC_SIZE (1u << 20)
#define RING_BYTES (64u + BENCH_RING_ENTRIES * 64u)

#define CONFIG_COMMAND    0x04u
#define MEMORY_AND_MASTER 0x06u

static void *dma_pointer(void *ctx, uint64_t gpa, uint64_t size, bool write)
{
    const struct bench *bench = ctx;

    (void)write;
    return gpa >= RAM_BASE && gpa - RAM_BASE < RAM_SIZE && size <= RAM_SIZE - (gpa - RAM_BASE)
               ? bench->ram + (gpa - RAM_BASE)
               : NULL;
}

static uint64_t dma_extent(void *ctx, uint64_t gpa, bool write)
{
    (void)ctx;
    (void)write;
    return gpa >= RAM_BASE && gpa - RAM_BASE < RAM_SIZE ? RAM_SIZE - (gpa - RAM_BASE) : 0;
}

static void set_intx(void *ctx, bool asserted)
{
    (void)ctx;
    (void)asserted;
}

static uint64_t now_ns(void *ctx)
{
    (void)ctx;
    return 0;
}

static void discard_line(void *ctx, const char *line)
{
    (void)ctx;
    (void)line;
}

static void *at(const struct bench *bench, uint64_t gpa)
{
    return bench->ram + (gpa - RAM_BASE);
}

/* Writes a register with its service points, as front ends do. */
static void write_register(struct bench *bench, uint32_t offset, uint32_t value)
{
    if (bench->port != NULL) {
        vgpu_port_bar_write(bench->port, VGPU_BAR_REGISTERS, offset, 4, value);
        while (vgpu_port_service(bench->port) != UINT64_MAX) {
        }
        return;
    }
    vgpu_device_bar_write(bench->device, VGPU_BAR_REGISTERS, offset, 4, value);
    do {
        vgpu_device_service(bench->device);
    } while (vgpu_device_needs_service(bench->device));
}

static uint32_t read_register(struct bench *bench, uint32_t offset)
{
    return (uint32_t)vgpu_device_bar_read(bench->device, VGPU_BAR_REGISTERS, offset, 4);
}

static void build_table(struct bench *bench)
{
    struct aerogpu_alloc_table_header *table = at(bench, TABLE_GPA);
    struct aerogpu_alloc_entry *entries = (struct aerogpu_alloc_entry *)(table + 1);

    *table = (struct aerogpu_alloc_table_header){
        .magic = AEROGPU_ALLOC_TABLE_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = sizeof *table + 2 * sizeof *entries,
        .entry_count = 2,
        .entry_stride_bytes = sizeof *entries,
    };
    for (uint32_t i = 0; i < 2; i++) {
        entries[i] = (struct aerogpu_alloc_entry){
            .alloc_id = i + 1, .gpa = ALLOC_GPA + i * ALLOC_SIZE, .size_bytes = ALLOC_SIZE};
    }
}

static void open_device(struct bench *bench, bool through_port)
{
    const struct vgpu_device_machine machine = {bench, dma_pointer, dma_extent, set_intx, now_ns, NULL};
    const struct vgpu_port_machine around = {.ctx = bench,
                                             .dma_pointer = dma_pointer,
                                             .dma_extent = dma_extent,
                                             .set_intx = set_intx,
                                             .now_ns = now_ns,
                                             .log = discard_line};
    char message[256] = "";

    *bench = (struct bench){.ram = calloc(1, RAM_SIZE)};
    if (through_port) {
        bench->port = vgpu_port_create(&around, vgpu_model_plugin(), "render=off", message, sizeof message);
        bench->device = bench->port != NULL ? vgpu_model_of(bench->port) : NULL;
    } else {
        bench->device = vgpu_device_create(&machine, &(struct vgpu_device_config){0});
    }
    if (bench->ram == NULL || bench->device == NULL) {
        fprintf(stderr, "expected memory for a device, found none: free some and run again %s\n", message);
        exit(1);
    }
    memset(bench->ram, 1, RAM_SIZE); /* so that page faults are not measured */
    bench->ring = at(bench, RING_GPA);
    *bench->ring = (struct aerogpu_ring_header){
        .magic = AEROGPU_RING_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = RING_BYTES,
        .entry_count = BENCH_RING_ENTRIES,
        .entry_stride_bytes = 64,
    };
    build_table(bench);
    if (through_port) {
        vgpu_port_config_write(bench->port, CONFIG_COMMAND, 2, MEMORY_AND_MASTER);
    } else {
        vgpu_device_config_write(bench->device, CONFIG_COMMAND, 2, MEMORY_AND_MASTER);
    }
    write_register(bench, AEROGPU_MMIO_REG_RING_GPA_LO, (uint32_t)RING_GPA);
    write_register(bench, AEROGPU_MMIO_REG_RING_SIZE_BYTES, RING_BYTES);
    write_register(bench, AEROGPU_MMIO_REG_FENCE_GPA_LO, (uint32_t)FENCE_GPA);
    write_register(bench, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
}

void bench_open(struct bench *bench)
{
    open_device(bench, false);
}

void bench_open_port(struct bench *bench)
{
    open_device(bench, true);
}

void bench_close(struct bench *bench)
{
    if (bench->port != NULL) {
        vgpu_port_destroy(bench->port);
    } else {
        vgpu_device_destroy(bench->device);
    }
    free(bench->ram);
}

void bench_stream_begin(struct bench *bench)
{
    struct aerogpu_cmd_stream_header *header = at(bench, STREAM_GPA);

    *header = (struct aerogpu_cmd_stream_header){
        .magic = AEROGPU_CMD_STREAM_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = sizeof *header,
    };
    bench->stream_size = sizeof *header;
}

void *bench_packet(struct bench *bench, uint32_t opcode, size_t size)
{
    struct aerogpu_cmd_stream_header *header = at(bench, STREAM_GPA);
    struct aerogpu_cmd_hdr *packet = at(bench, STREAM_GPA + bench->stream_size);

    memset(packet, 0, size);
    packet->opcode = opcode;
    packet->size_bytes = (uint32_t)size;
    bench->stream_size += (uint32_t)size;
    header->size_bytes = bench->stream_size;
    return packet;
}

const struct aerogpu_submit_desc *bench_slots(const struct bench *bench)
{
    return (const struct aerogpu_submit_desc *)(bench->ring + 1);
}

void bench_fill_ring(struct bench *bench)
{
    struct aerogpu_submit_desc *slots = (struct aerogpu_submit_desc *)(bench->ring + 1);

    for (uint32_t i = 0; i < BENCH_RING_ENTRIES; i++) {
        slots[(bench->ring->tail + i) % BENCH_RING_ENTRIES] = (struct aerogpu_submit_desc){
            .desc_size_bytes = sizeof slots[0],
            .cmd_gpa = bench->stream_size > 0 ? STREAM_GPA : 0,
            .cmd_size_bytes = bench->stream_size,
            .alloc_table_gpa = bench->stream_size > 0 ? TABLE_GPA : 0,
            .alloc_table_size_bytes =
                bench->stream_size > 0
                    ? ((struct aerogpu_alloc_table_header *)at(bench, TABLE_GPA))->size_bytes
                    : 0,
            .signal_fence = bench->fence + i + 1,
        };
    }
}

void bench_run(struct bench *bench, uint32_t count)
{
    while (count > 0) {
        const uint32_t batch = count < BENCH_DOORBELL ? count : BENCH_DOORBELL;

        bench->ring->tail += batch;
        write_register(bench, AEROGPU_MMIO_REG_DOORBELL, 1);
        bench->fence += batch;
        count -= batch;
    }
}

void bench_check(struct bench *bench)
{
    const uint64_t completed = read_register(bench, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) |
                               (uint64_t)read_register(bench, AEROGPU_MMIO_REG_COMPLETED_FENCE_HI) << 32;
    const uint32_t errors = read_register(bench, AEROGPU_MMIO_REG_ERROR_COUNT);

    if (completed != bench->fence || errors != 0) {
        fprintf(stderr,
                "expected fence %llu without errors, found fence %llu and %u errors: see the device model\n",
                (unsigned long long)bench->fence, (unsigned long long)completed, errors);
        exit(1);
    }
}
