/* recorder.h: what a run of the catalogue does to the device, written as scripts for the fuzz targets: one
 * file an episode, which begins with a ring reset. */
#ifndef AGPU_TESTS_FUZZ_RECORD_RECORDER_H
#define AGPU_TESTS_FUZZ_RECORD_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/fuzz/machine/script.h"

/* A file gets no more than this, as much as searches use; what comes after is not recorded until the next
 * episode. */
#define RECORD_FILE_BYTES (16u << 10)

enum record_target { RECORD_ACCESS, RECORD_STREAM, RECORD_TARGETS };

/* Files of other targets: number of target's folder. Errors end the program. */
FILE *record_open(const char *target, unsigned number);
void record_bytes(FILE *file, const void *bytes, size_t size);
void record_close(FILE *file);

/* Machine time of the run; 0 when there is no device yet. */
uint64_t record_now(void);

/* Whose registers they are: the files of the retired device are inputs of another target. */
void record_generation(bool legacy);

/* Starts the next file of every target. */
void record_episode(void);
void record(enum record_target target, enum fuzz_op op, uint8_t argument, const void *operand, size_t size);

/* Puts the registers and the configuration as they are known at the head of an episode. */
void record_register(uint32_t offset, uint32_t value);
void record_config(uint32_t offset, uint32_t size, uint32_t value);

/* The last value written to a register. */
uint32_t record_register_value(uint32_t offset);

/* Guest memory of the run: [gpa, gpa + size), NULL where there is none. */
const uint8_t *record_guest(uint64_t gpa, uint64_t size);

/* What is new in [gpa, gpa + size) since the target's replay last had it, or the first part of that. */
void record_memory(enum record_target target, uint64_t gpa, uint64_t size);

/* A doorbell rings: what the ring holds becomes submissions of the stream target. */
void record_submissions(void);
/* The ring is reset. */
void record_submissions_dropped(void);

#endif
