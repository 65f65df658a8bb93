/* shared_memory.h: memory that another process maps too, and cannot take away. */
#ifndef VGPU_TESTS_DEVICE_SHARED_MEMORY_H
#define VGPU_TESTS_DEVICE_SHARED_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* A memfd of size bytes of zeros, sealed against shrinking, growing and further seals: who gets the descriptor can read and
 * write, but not cut the file under the other's feet (an access there would be a SIGBUS). -1 with errno on failure. */
int vgpu_shared_memory_create(const char *name, uint64_t size);

#endif
