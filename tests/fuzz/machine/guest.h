/* guest.h: the machine around the device under fuzz: guest memory that detects every access without permission
 * and may change while the device reads, a clock, the interrupt line.
 *
 * Guest memory has two mappings. The device gets pointers into one, which AddressSanitizer keeps poisoned
 * except for the ranges that the device requested in the current call; the harness uses the other. Ranges
 * requested for reading must be unchanged afterwards; ranges requested for writing may differ only where the
 * device may write. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_GUEST_H
#define AGPU_TESTS_FUZZ_MACHINE_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/device.h"

/* The first MiB holds the structures of the harness (ring, fence page, tables, streams). The memory of
 * allocations follows, at the address used by the host platform, so that its runs can be replayed here. */
#define FUZZ_OWN_BYTES  (1u << 20)
#define FUZZ_BASE       (UINT64_C(0x123450000) - FUZZ_OWN_BYTES)
#define FUZZ_RAM_BYTES  (FUZZ_OWN_BYTES + (64u << 20))
#define FUZZ_PAGE       4096u
#define FUZZ_PAGES      (FUZZ_RAM_BYTES / FUZZ_PAGE)
#define FUZZ_ALTERATION 4096u /* maximum number of queued alterations */

/* Memory that a guest can make the device allocate (tests/device/README.md), and the device's own: the longest
 * stream and table, and bookkeeping. */
#define FUZZ_DEVICE_LIMIT (UINT64_C(1) << 30)
#define FUZZ_DEVICE_KEEPS (UINT64_C(192) << 20)

/* Prints the failed condition and aborts the program, which libFuzzer detects. */
#define fuzz_require(condition) fuzz_require_that((condition), #condition, __FILE__, __LINE__)
void fuzz_require_that(bool good, const char *what, const char *file, int line);

/* One change of guest memory, made after skip more callbacks of the device. */
struct fuzz_alteration {
    uint32_t offset; /* in guest memory, modulo its size */
    uint32_t value;  /* XORed in */
    uint16_t skip;
};

/* Creates the machine and its device, of the retired or the versioned generation. Call once per process. */
void fuzz_guest_open(bool legacy);
bool fuzz_guest_is_legacy(void);
/* Destroys the device and creates a new one. Nothing of the old one may remain. */
void fuzz_guest_new_device(void);
/* Resets memory before each input: all zero, mapped, no alterations. The device is not touched. The clock
 * continues until fuzz_clock_restart(): only a device after power-on may see time go back. */
void fuzz_guest_clear(void);
void fuzz_clock_restart(void);

/* Number of bytes that the program has allocated and not freed. */
uint64_t fuzz_allocated(void);

struct vgpu_device *fuzz_device(void);
uint64_t fuzz_now(void);
void fuzz_advance(uint64_t ns);
bool fuzz_intx(void);

/* Access of the harness to guest memory, between calls into the device. The range is cut at the end of
 * memory. */
void fuzz_memory_write(uint32_t offset, const void *bytes, size_t size);
void fuzz_memory_read(uint32_t offset, void *bytes, size_t size);

enum fuzz_mapping { FUZZ_MAPPED, FUZZ_UNMAPPED, FUZZ_READONLY, FUZZ_MAPPINGS };
/* Changes the device's access to pages. */
void fuzz_map(uint32_t page, uint32_t count, enum fuzz_mapping mapping);
/* Splits memory into two regions at this page; 0 = one region. */
void fuzz_split(uint32_t page);

/* Queues an alteration; it is dropped when the queue is full. */
void fuzz_alter(struct fuzz_alteration alteration);
/* True when all memory is mapped and no alteration is queued. */
bool fuzz_memory_plain(void);

/* Ranges of guest memory that the device may write: [gpa, gpa + size). Only used while writes are checked. */
void fuzz_writable_clear(void);
void fuzz_writable_add(uint64_t gpa, uint64_t size);
void fuzz_judge_writes(bool judge);

/* Call around each call into the device: begin() forbids all accesses, end() checks the effects on memory.
 * dma: whether the device may use DMA. */
void fuzz_call_begin(bool dma);
void fuzz_call_end(void);
/* Returns the number of callbacks during the last call. */
uint64_t fuzz_call_count(void);

#endif
