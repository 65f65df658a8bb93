/* steps.h: cases that apply a list of steps to the function: memory, registers, rings and submissions as plain data,
 * valid or not. For cases that a tool wrote (`agpu compare --cases`, `agpu reduce`); needs AGPU_NEED_FUNCTION.
 *
 *     static const uint32_t sizes[AGPU_STEPS_REGIONS] = {4096, ...};     of each region that is used
 *     agpu_return_unless(agpu_steps_open(&steps, test, sizes));
 *     agpu_steps_ring(&steps, 0, 8, 64, 0);
 *     agpu_steps_submit(&steps, &(struct agpu_steps_submission){.fence = 1});
 *     agpu_steps_doorbell(&steps, 1, 1);
 *     agpu_steps_check_register(&steps, AEROGPU_MMIO_REG_ERROR_COUNT, 4, 0);
 *     agpu_steps_close(&steps); */
#ifndef AGPU_CASES_RIG_STEPS_H
#define AGPU_CASES_RIG_STEPS_H

#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

/* Memory of the device; regions 0 to 3 are for resources. */
enum agpu_steps_region {
    AGPU_STEPS_DATA,
    AGPU_STEPS_RING = 4,
    AGPU_STEPS_FENCE,
    AGPU_STEPS_STREAMS,
    AGPU_STEPS_TABLES,
    AGPU_STEPS_REGIONS,
};

/* An entry of an allocation table. */
struct agpu_steps_entry {
    uint32_t id, flags;
    uint32_t region, offset;
    uint64_t size;
};

/* A patch: size bytes at offset of a structure, written after everything else. */
enum agpu_steps_where { AGPU_STEPS_IN_DESC, AGPU_STEPS_IN_STREAM, AGPU_STEPS_IN_TABLE, AGPU_STEPS_IN_RING };
struct agpu_steps_patch {
    uint32_t where, size, offset;
    uint64_t value;
};

struct agpu_steps_submission {
    uint64_t fence;
    uint32_t flags;
    const uint32_t *packets; /* NULL: no stream, unless empty_stream */
    uint32_t packet_bytes;
    bool empty_stream;
    const struct agpu_steps_entry *entries;
    uint32_t entry_count;
    const struct agpu_steps_patch *patches;
    uint32_t patch_count;
};

struct agpu_steps {
    struct agpu_test *test;
    struct agpu_dma regions[AGPU_STEPS_REGIONS];
    uint32_t ring_at, count, stride, tail;
    uint32_t streams_at, tables_at;
    bool misfit; /* a step did not fit: the case itself is wrong, which closing reports */
};

/* Allocates the regions, sizes[] bytes each, 0: none. Returns false if that failed, which is recorded. */
bool agpu_steps_open(struct agpu_steps *steps, struct agpu_test *test,
                     const uint32_t sizes[AGPU_STEPS_REGIONS]);
/* Stops the ring and frees. */
void agpu_steps_close(struct agpu_steps *steps);

/* Accesses size bytes (1, 2, 4 or 8) in BAR0. */
void agpu_steps_register(struct agpu_steps *steps, uint32_t offset, uint32_t size, uint64_t value);
/* Sets the register pair at offset to the address of a place in a region; halves: 1 the lower one, 2 the upper one, 3
 * both in that order. */
void agpu_steps_address(struct agpu_steps *steps, uint32_t offset, uint32_t region, uint64_t place,
                        uint32_t halves);
void agpu_steps_config(struct agpu_steps *steps, uint32_t offset, uint32_t size, uint32_t value);

void agpu_steps_bytes(struct agpu_steps *steps, uint32_t region, uint32_t offset, const void *bytes,
                      uint32_t size);
/* Fills memory with bytes that depend on the seed and their place. */
void agpu_steps_fill(struct agpu_steps *steps, uint32_t region, uint32_t offset, uint32_t size,
                     uint64_t seed);

/* Enables a ring in its region: number of entries, their stride, and the index of the first. */
void agpu_steps_ring(struct agpu_steps *steps, uint32_t offset, uint32_t count, uint32_t stride,
                     uint32_t first);
/* Posts a submission; the next doorbell announces it to the device. */
void agpu_steps_submit(struct agpu_steps *steps, const struct agpu_steps_submission *submission);
/* Rings the doorbell with this value, waits until this fence is complete (0: does not wait), and lets the device
 * finish. */
void agpu_steps_doorbell(struct agpu_steps *steps, uint32_t value, uint64_t fence);
/* Waits for this many sixteenths of a vblank period. */
void agpu_steps_pass(struct agpu_steps *steps, uint32_t sixteenths);
/* Lets them pass without any access to the device. */
void agpu_steps_stall(struct agpu_steps *steps, uint32_t sixteenths);

#define agpu_steps_check_register(steps, offset, size, expected)                                             \
    agpu_steps_check_register_at((steps), (offset), (size), (expected), AGPU_HERE)
#define agpu_steps_check_config(steps, offset, size, expected)                                               \
    agpu_steps_check_config_at((steps), (offset), (size), (expected), AGPU_HERE)
#define agpu_steps_check_memory(steps, region, offset, expected, size)                                       \
    agpu_steps_check_memory_at((steps), (region), (offset), (expected), (size), AGPU_HERE)
/* Checks the INTA# line, on machines that can read it. */
#define agpu_steps_check_line(steps, expected) agpu_steps_check_line_at((steps), (expected), AGPU_HERE)

bool agpu_steps_check_register_at(struct agpu_steps *steps, uint32_t offset, uint32_t size, uint64_t expected,
                                  struct agpu_where where);
bool agpu_steps_check_config_at(struct agpu_steps *steps, uint32_t offset, uint32_t size, uint32_t expected,
                                struct agpu_where where);
bool agpu_steps_check_memory_at(struct agpu_steps *steps, uint32_t region, uint32_t offset,
                                const void *expected, uint32_t size, struct agpu_where where);
bool agpu_steps_check_line_at(struct agpu_steps *steps, bool expected, struct agpu_where where);

#endif
