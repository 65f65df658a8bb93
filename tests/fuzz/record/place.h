/* place.h: maps guest memory of a run to the machine of the fuzz targets. In one process both have the same
 * addresses. In QEMU the firmware chooses the driver's memory: a window of it around the ring is moved, with
 * every address that points into it. */
#ifndef AGPU_TESTS_FUZZ_RECORD_PLACE_H
#define AGPU_TESTS_FUZZ_RECORD_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Call with the address of the ring: moves the window when the ring is outside. Returns true when it moved. */
bool place_ring(uint64_t gpa);

/* Stores the offset of [gpa, gpa + size) in the window. Returns false when the range is not inside. */
bool place_offset(uint64_t gpa, uint64_t size, uint64_t *offset);

/* Returns the address in the replay; one outside the window is unchanged. */
uint64_t place_address(uint64_t gpa);

/* Changes all 64-bit words of memory that are addresses inside the window: size bytes from offset of it. Other
 * data that looks like an address is changed too, which does no harm. */
void place_words(uint64_t offset, uint8_t *bytes, size_t size);

/* Returns the value to write to one half of an address register (high or low), given the other half. */
uint32_t place_half(bool high, uint32_t value, uint32_t other);

#endif
