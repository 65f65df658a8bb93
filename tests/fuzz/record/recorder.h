/* recorder.h: writes a run of the catalogue as scripts for the fuzz targets: one file for each episode, which
 * begins with a ring reset. */
#ifndef AGPU_TESTS_FUZZ_RECORD_RECORDER_H
#define AGPU_TESTS_FUZZ_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/fuzz/machine/script.h"

/* Maximum size of a file, the same as in searches; the rest of the episode is not recorded. */
#define RECORD_FILE_BYTES (16u << 10)

enum record_target { RECORD_ACCESS, RECORD_STREAM, RECORD_TARGETS };

/* Opens file `number` in the directory of another target. Errors end the program. */
FILE *record_open(const char *target, unsigned number);
void record_bytes(FILE *file, const void *bytes, size_t size);
void record_close(FILE *file);

/* Returns the machine time of the run; 0 before there is a device. */
uint64_t record_now(void);

/* Sets the generation of the device: files of the retired device are inputs of another target. */
void record_generation(bool legacy);

/* Starts the next file of every target. */
void record_episode(void);
void record(enum record_target target, enum fuzz_op op, uint8_t argument, const void *operand, size_t size);

/* Record a register or configuration write, to be repeated at the start of each episode. */
void record_register(uint32_t offset, uint32_t value);
void record_config(uint32_t offset, uint32_t size, uint32_t value);

/* Returns the last value written to a register. */
uint32_t record_register_value(uint32_t offset);

/* Returns guest memory of the run, [gpa, gpa + size), NULL where there is none. */
const uint8_t *record_guest(uint64_t gpa, uint64_t size);

/* Records what changed in [gpa, gpa + size) since the target's last record, or the first part of it. */
void record_memory(enum record_target target, uint64_t gpa, uint64_t size);

/* Call at a doorbell: writes the entries of the ring as submissions of the stream target. */
void record_submissions(void);
/* Call when the ring is reset. */
void record_submissions_dropped(void);

#endif
