/* fake_driver.h: a minimal driver for unit tests of the device model. It builds a ring, a fence page, streams and
 * tables in the RAM of the fake machine, and tests may corrupt every field. */
#ifndef AGPU_TESTS_UNIT_DEVICE_FAKE_DRIVER_H
#define AGPU_TESTS_UNIT_DEVICE_FAKE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/unit/device/fake_machine.h"

/* Layout of guest memory. */
#define RING_GPA     (RAM_BASE + 0x1000)
#define RING_ENTRIES 16u
#define RING_STRIDE  64u
#define RING_BYTES   (64u + RING_ENTRIES * RING_STRIDE)
#define FENCE_GPA    (RAM_BASE + 0x4000)
#define TABLE_GPA    (RAM_BASE + 0x8000)
#define STREAM_GPA   (RAM_BASE + 0x10000)
#define STREAM_ROOM  0x40000u
#define ALLOC_GPA    (RAM_BASE + 0x100000) /* alloc_id 1; id n starts (n - 1) * ALLOC_BYTES further */
#define ALLOC_BYTES  0x80000u

/* The cmocka state of a test: machine, ring, and the stream and table under construction. */
struct fake_driver {
    struct fake_machine *machine;
    struct aerogpu_ring_header *ring;
    struct aerogpu_fence_page *fence_page;
    uint64_t fence; /* fence of the last submission */
    uint32_t stream_size;
    uint32_t table_entries;
    struct aerogpu_submit_desc desc; /* descriptor of the next submission */
};

/* Returns a driver on a machine of its own, with the ring enabled. */
struct fake_driver *driver_create(void);
void driver_destroy(struct fake_driver *driver);
int driver_setup(void **state);
int driver_teardown(void **state);

/* Starts a stream (header at STREAM_GPA). stream_packet() appends size zeroed bytes with opcode and size set and
 * returns them; the caller fills in the rest. */
void stream_begin(struct fake_driver *driver);
void *stream_packet(struct fake_driver *driver, uint32_t opcode, size_t size);
#define STREAM_PACKET(driver, opcode, type)                                                                  \
    ((struct type *)stream_packet(driver, AEROGPU_CMD_##opcode, sizeof(struct type)))
struct aerogpu_cmd_stream_header *stream_header(struct fake_driver *driver);

/* Starts an empty table; table_add() appends alloc_id n with its own memory. */
void table_begin(struct fake_driver *driver);
struct aerogpu_alloc_entry *table_add(struct fake_driver *driver, uint32_t alloc_id);
struct aerogpu_alloc_table_header *table_header(struct fake_driver *driver);
uint8_t *alloc_bytes(struct fake_driver *driver, uint32_t alloc_id);

/* Fills driver->desc from stream and table: next fence, both present only if begun since the last post. */
void prepare(struct fake_driver *driver);
/* Puts driver->desc into the next slot and advances tail. */
void post(struct fake_driver *driver);
/* Writes DOORBELL. The value does not matter. */
void ring_doorbell(struct fake_driver *driver);
/* Calls prepare(), post() and ring_doorbell(). Returns the fence. */
uint64_t submit(struct fake_driver *driver);

/* Submits the stream under construction. Checks that it caused no error and that its fence completed. */
void submit_good(struct fake_driver *driver);
/* Submits a stream that must fail once with this code. */
void submit_bad(struct fake_driver *driver, uint32_t code);

uint64_t completed_fence(struct fake_driver *driver);
uint32_t error_count(struct fake_driver *driver);

#endif
