/* driver.h: the guest driver of the fuzz inputs, one for each generation of the device (driver.c,
 * ../legacy/driver.c). It builds a valid ring, streams and tables in the harness's own part of guest memory,
 * counts its submissions, and knows where the device may write. After a script has changed these structures
 * without the driver, it makes no checks. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_DRIVER_H
#define AGPU_TESTS_FUZZ_MACHINE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/fuzz/machine/script.h"

/* Clears the driver: nothing posted, no stream, no table, checks enabled. */
void fuzz_driver_clear(void);

/* Sets up ring header, fence page and their registers; enables Memory Space, Bus Master and the ring. A ring
 * reset drops old work. Checks are enabled again. */
void fuzz_driver_bring_up(void);

/* Call when the script changed the ring, its registers or its structures in a way that this driver cannot
 * follow. */
void fuzz_driver_lost(void);

/* Call before the script writes a BAR. Returns false when this target does not make the write. */
bool fuzz_driver_takes_write(const struct fuzz_target *target, unsigned bar, uint64_t offset, uint32_t size,
                             uint64_t value);

/* Operations of a script. */
void fuzz_driver_packet(const struct fuzz_record *record);
void fuzz_driver_alloc(const struct fuzz_record *record);
void fuzz_driver_submit(const struct fuzz_record *record);

/* Call before each service point: sets the ranges of guest memory that the device may write. */
void fuzz_driver_permit(void);

/* Checks that all submissions complete and the ring becomes empty, once scanout no longer holds back
 * fences. */
void fuzz_driver_finish(void);

/* Checks the device after any input: reset, bring-up, and one submission that must succeed. */
void fuzz_driver_prove_alive(void);

/* Checks the device's count of memory used by guests: after all inputs it must still accept a buffer as large
 * as its limit, and no larger one. Takes milliseconds. */
void fuzz_driver_prove_limit(void);

#endif
