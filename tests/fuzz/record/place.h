/* place.h: where a run's guest memory lies in the machine of the fuzz targets. In one process it lies there
 * already. In QEMU the driver's memory is wherever its firmware had some: a window of it around the ring is
 * moved, and with it every address that points into it. */
#ifndef AGPU_TESTS_FUZZ_RECORD_PLACE_H
#define AGPU_TESTS_FUZZ_RECORD_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The ring is at this address: the window moves when that is not inside. True when it did. */
bool place_ring(uint64_t gpa);

/* Offset of [gpa, gpa + size) in the window; false when it is not inside. */
bool place_offset(uint64_t gpa, uint64_t size, uint64_t *offset);

/* The address that the replay has for this one; one outside the window stays what it is. */
uint64_t place_address(uint64_t gpa);

/* The same for all 64-bit words of memory that are addresses inside the window: size bytes from offset of it.
 * What only looks like an address is changed too, which does no harm. */
void place_words(uint64_t offset, uint8_t *bytes, size_t size);

/* The half of an address register that is written, high or low, when the other half is as given. */
uint32_t place_half(bool high, uint32_t value, uint32_t other);

#endif
