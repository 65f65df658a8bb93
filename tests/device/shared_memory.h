/* shared_memory.h: memory shared with another process, which cannot shrink it. */
#ifndef VGPU_TESTS_DEVICE_SHARED_MEMORY_H
#define VGPU_TESTS_DEVICE_SHARED_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Creates a memfd of size bytes of zeros, sealed against shrinking, growing and further seals. A process that
 * gets the descriptor can read and write, but cannot truncate the file (an access would then raise SIGBUS
 * here). Returns -1 with errno on failure. */
int vgpu_shared_memory_create(const char *name, uint64_t size);

#endif
