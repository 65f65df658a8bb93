/* bench_machine.h: machine, ring and streams for the benchmarks of the device model: plain memory, nothing
 * that costs time of its own. */
#ifndef AGPU_TESTS_BENCH_DEVICE_MACHINE_H
#define AGPU_TESTS_BENCH_DEVICE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/device.h"

#define BENCH_RING_ENTRIES 4096u
#define BENCH_DOORBELL     64u /* submissions a doorbell */

struct vgpu_port;

struct bench {
    struct vgpu_device *device;
    struct vgpu_port *port; /* NULL: the device is called directly */
    uint8_t *ram;
    struct aerogpu_ring_header *ring;
    uint64_t fence;
    uint32_t stream_size;
};

/* A device with a ring, a fence page and a table whose ids 1 and 2 are 1 MiB each. Exits with a message when
 * it cannot be had. */
void bench_open(struct bench *bench);
/* The same with the device behind the plug-in table. */
void bench_open_port(struct bench *bench);
void bench_close(struct bench *bench);

/* Builds the stream; packets are zeroed apart from their header. */
void bench_stream_begin(struct bench *bench);
void *bench_packet(struct bench *bench, uint32_t opcode, size_t size);

/* Fills the whole ring with submissions, of the stream if one was begun, else empty. Not part of what is
 * measured. */
void bench_fill_ring(struct bench *bench);

/* Submits what the ring was filled with, BENCH_DOORBELL entries a doorbell, count entries in all. */
void bench_run(struct bench *bench, uint32_t count);

/* Slots of the ring, for the floor. */
const struct aerogpu_submit_desc *bench_slots(const struct bench *bench);

/* Fails the program when the device recorded an error or did not complete everything. */
void bench_check(struct bench *bench);

#endif
