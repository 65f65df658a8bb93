/* driver.h: the guest driver of the fuzz inputs, one for each generation of the device (driver.c,
 * ../legacy/driver.c): builds a valid ring, streams and tables in the harness's own
 * part of guest memory, keeps count of what it posted, and knows what the device may write. Once a script has
 * changed these structures behind its back it no longer judges. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_DRIVER_H
#define AGPU_TESTS_FUZZ_MACHINE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/fuzz/machine/script.h"

/* Nothing posted, no stream, no table, judging. */
void fuzz_driver_clear(void);

/* Ring header, fence page and their registers; Memory and Bus Master on, ring enabled. Old work is dropped by
 * a ring reset. Judging starts anew. */
void fuzz_driver_bring_up(void);

/* The script did something to the ring, its registers or its structures that this driver cannot follow. */
void fuzz_driver_lost(void);

/* The script is about to write a BAR. False: this target does not. */
bool fuzz_driver_takes_write(const struct fuzz_target *target, unsigned bar, uint64_t offset, uint32_t size,
                             uint64_t value);

/* Operations of a script. */
void fuzz_driver_packet(const struct fuzz_record *record);
void fuzz_driver_alloc(const struct fuzz_record *record);
void fuzz_driver_submit(const struct fuzz_record *record);

/* Before each service point: says to the guest memory what the device may write now. */
void fuzz_driver_permit(void);

/* Everything posted must complete and the ring must be empty, once scanout no longer holds fences back. */
void fuzz_driver_finish(void);

/* After whatever happened: reset, bring-up, one submission that must succeed. */
void fuzz_driver_prove_alive(void);

/* The device counts what guests make it hold: after all inputs it still takes a buffer as large as its limit,
 * and none that is larger. Costs milliseconds. */
void fuzz_driver_prove_limit(void);

#endif
