/* reference.h: predicts registers and guest memory of the versioned device from the same input as the device: register
 * writes, time, guest memory. Written from the specification alone; shares no code with any device (README.md).
 *
 * Call agpu_ref_write(), agpu_ref_command() or agpu_ref_advance() before the device gets the same input: the reference
 * must read guest memory before the device changes it. When the device has finished, compare: agpu_ref_settle(), then
 * agpu_ref_read() for each register, agpu_ref_writes() for memory, agpu_ref_forget(). */
#ifndef AGPU_CASES_REFERENCE_REFERENCE_H
#define AGPU_CASES_REFERENCE_REFERENCE_H

#include "tests/cases/reference/types.h"

struct agpu_ref;

/* Returns a device after power-on, or NULL when the arena is too small for one. */
struct agpu_ref *agpu_ref_create(const struct agpu_ref_config *config);
/* Function reset (device.md 2.2). */
void agpu_ref_power_on(struct agpu_ref *ref);

/* The command register has this value from now on (device.md 2). Deferred work waits for agpu_ref_advance(). */
void agpu_ref_command(struct agpu_ref *ref, uint32_t command);
/* A write to BAR0 within one dword or of 8 bytes, and everything that it starts. */
void agpu_ref_write(struct agpu_ref *ref, uint64_t now_ns, uint64_t offset, uint32_t size, uint64_t value);
/* Time passes, deferred work is done. */
void agpu_ref_advance(struct agpu_ref *ref, uint64_t now_ns);

struct agpu_ref_word agpu_ref_read(const struct agpu_ref *ref, uint32_t offset);
/* Returns whether the interrupt line is asserted (device.md 4.4). */
bool agpu_ref_line(const struct agpu_ref *ref);

/* Returns whether a refused draw, or an exhausted arena, has left unknown which objects exist: until a ring reset only
 * fences, head and registers other than those of errors are predicted. */
bool agpu_ref_is_lost(const struct agpu_ref *ref);

/* Takes the device's error registers after its work, which decide what could not be predicted: whether a draw was
 * refused. */
void agpu_ref_settle(struct agpu_ref *ref, uint32_t error_count, uint32_t error_code, uint64_t error_fence);

/* Calls `take` for each aligned chunk of memory with predicted writes since agpu_ref_forget(). */
void agpu_ref_writes(const struct agpu_ref *ref, void *ctx,
                     void (*take)(void *ctx, uint64_t address, const uint8_t *bytes, const uint8_t *states));
/* Returns the state of one byte of memory. */
enum agpu_ref_byte agpu_ref_byte_at(const struct agpu_ref *ref, uint64_t address);
/* The predicted writes are in memory. */
void agpu_ref_forget(struct agpu_ref *ref);

const struct agpu_ref_counts *agpu_ref_counts(const struct agpu_ref *ref);

#endif
