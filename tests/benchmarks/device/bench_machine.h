/* bench_machine.h: machine, ring and streams for benchmarks of the device model: plain memory, without costs of its
 * own. */
#ifndef AGPU_TESTS_BENCH_DEVICE_MACHINE_H
#define AGPU_TESTS_BENCH_DEVICE_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/device.h"

#define BENCH_RING_ENTRIES 4096u
#define BENCH_DOORBELL     64u /* submissions per doorbell */

struct vgpu_port;

struct bench {
    struct vgpu_device *device;
    struct vgpu_port *port; /* NULL: the device is called directly */
    uint8_t *ram;
    struct aerogpu_ring_header *ring;
    uint64_t fence;
    uint32_t stream_size;
};

/* Opens a device with a ring, a fence page, and a table whose ids 1 and 2 have 1 MiB each. Exits with a message on
 * failure. */
void bench_open(struct bench *bench);
/* Like bench_open(), but calls the device through the plug-in table. */
void bench_open_port(struct bench *bench);
void bench_close(struct bench *bench);

/* Build the stream. Packets are zeroed except for their header. */
void bench_stream_begin(struct bench *bench);
void *bench_packet(struct bench *bench, uint32_t opcode, size_t size);

/* Fills the whole ring with submissions: of the stream if there is one, otherwise empty. Not measured. */
void bench_fill_ring(struct bench *bench);

/* Submits count entries of the filled ring, BENCH_DOORBELL per doorbell. */
void bench_run(struct bench *bench, uint32_t count);

/* Returns the slots of the ring, for the floor. */
const struct aerogpu_submit_desc *bench_slots(const struct bench *bench);

/* Exits with a message if the device recorded an error or did not complete everything. */
void bench_check(struct bench *bench);

#endif
