/* guest.h: the machine around the device under fuzz: guest memory that shows every access the device was not
 * entitled to, memory that changes while the device reads, a clock, the interrupt line.
 *
 * Guest memory has two mappings. The device gets pointers into one, which AddressSanitizer keeps poisoned but
 * for what the device asked for in the current call; the harness uses the other. What the device asked for to
 * read must be unchanged afterwards, and what it asked for to write may differ only where it may write. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_GUEST_H
#define AGPU_TESTS_FUZZ_MACHINE_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/device/device.h"

/* The first MiB holds what the harness builds itself (ring, fence page, tables, streams). Behind it is the
 * memory of allocations, at the address that the host platform has, so that its runs can be replayed here. */
#define FUZZ_OWN_BYTES  (1u << 20)
#define FUZZ_BASE       (UINT64_C(0x123450000) - FUZZ_OWN_BYTES)
#define FUZZ_RAM_BYTES  (FUZZ_OWN_BYTES + (64u << 20))
#define FUZZ_PAGE       4096u
#define FUZZ_PAGES      (FUZZ_RAM_BYTES / FUZZ_PAGE)
#define FUZZ_ALTERATION 4096u /* queued alterations, at most */

/* Memory that a guest can make the device hold (tests/device/README.md), and what the device keeps beside it:
 * the longest stream and table, and bookkeeping. */
#define FUZZ_DEVICE_LIMIT (UINT64_C(1) << 30)
#define FUZZ_DEVICE_KEEPS (UINT64_C(192) << 20)

/* Says what is not so and ends the program, which is how libFuzzer learns of it. */
#define fuzz_require(condition) fuzz_require_that((condition), #condition, __FILE__, __LINE__)
void fuzz_require_that(bool good, const char *what, const char *file, int line);

/* One change of guest memory, made when the device has called back skip times more. */
struct fuzz_alteration {
    uint32_t offset; /* in guest memory, taken modulo its size */
    uint32_t value;  /* XORed in */
    uint16_t skip;
};

/* Makes the machine and its device, of the retired generation or of the versioned; once a process. */
void fuzz_guest_open(bool legacy);
/* Destroys the device and makes a new one: nothing of it may remain. */
void fuzz_guest_new_device(void);
/* All memory zero, mapped and plain, no alterations: as before every input. The device is
 * not touched; time goes on, until restart: only a device after power-on may see it go back. */
void fuzz_guest_clear(void);
void fuzz_clock_restart(void);

/* Bytes that the program has allocated and not freed. */
uint64_t fuzz_allocated(void);

struct vgpu_device *fuzz_device(void);
uint64_t fuzz_now(void);
void fuzz_advance(uint64_t ns);
bool fuzz_intx(void);

/* Harness access to guest memory, between calls into the device. The range is cut off at the end of
 * memory. */
void fuzz_memory_write(uint32_t offset, const void *bytes, size_t size);
void fuzz_memory_read(uint32_t offset, void *bytes, size_t size);

enum fuzz_mapping { FUZZ_MAPPED, FUZZ_UNMAPPED, FUZZ_READONLY, FUZZ_MAPPINGS };
/* Changes how pages answer to the device. */
void fuzz_map(uint32_t page, uint32_t count, enum fuzz_mapping mapping);
/* Memory is two regions that meet at this page; 0 = one region. */
void fuzz_split(uint32_t page);

/* Queues an alteration; dropped when the queue is full. */
void fuzz_alter(struct fuzz_alteration alteration);
/* Memory is all mapped and no alteration waits. */
bool fuzz_memory_plain(void);

/* Ranges of guest memory that the device may write: [gpa, gpa + size). Only asked when writes are judged. */
void fuzz_writable_clear(void);
void fuzz_writable_add(uint64_t gpa, uint64_t size);
void fuzz_judge_writes(bool judge);

/* Around each call into the device: begin() forbids everything, end() checks what was done to memory.
 * dma says whether the device may use DMA at all. */
void fuzz_call_begin(bool dma);
void fuzz_call_end(void);
/* Callbacks made during the last call, and bytes they asked for. */
uint64_t fuzz_call_count(void);

#endif
