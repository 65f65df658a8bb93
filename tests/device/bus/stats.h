/* stats.h: event counters of a device. Each part counts its own events; inspect/ shows them. */
#ifndef VGPU_BUS_STATS_H
#define VGPU_BUS_STATS_H

#include <stdint.h>

#define VGPU_STATS_OPCODES 0x800u /* above the last opcode of the protocol */

/* Errors by code: AEROGPU_ERROR_CMD_DECODE, OOB and BACKEND use their number as index, INTERNAL and others use
 * 0. */
#define VGPU_STATS_ERRORS 4u

/* Events since the device was created; resets do not clear them. */
struct vgpu_device_stats {
    uint64_t submissions;                 /* completed; empty and failed ones count */
    uint64_t malformed;                   /* legacy: submissions with a bad descriptor (legacy.md 3) */
    uint64_t doorbells;                   /* writes of the register */
    uint64_t packets[VGPU_STATS_OPCODES]; /* executed, by opcode; failed ones count */
    uint64_t unknown_packets;             /* skipped: opcode unknown */
    uint64_t moved_bytes;                 /* by creations, uploads, copies, clears, presents */
    uint64_t errors[VGPU_STATS_ERRORS];
    uint64_t interrupts; /* rising edges of the line */
    uint64_t vblanks;
    uint64_t ring_resets;
    uint64_t device_resets;
    uint64_t dma_read_bytes; /* from guest memory */
    uint64_t dma_written_bytes;
};

#endif
