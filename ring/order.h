/* order.h: the memory-ordering operations on memory shared with the device, each wrapped once (ring.md 1, 9).
 *
 * The memory is write-back cacheable and DMA coherent; these order the CPU's own accesses. */
#ifndef AGPU_RING_ORDER_H
#define AGPU_RING_ORDER_H

#include <stdint.h>

/* Makes all earlier stores visible to the device before any later store, register writes included. Used in front of the
 * tail (descriptor first) and between tail and doorbell. A full fence, because the doorbell goes through a platform
 * call whose store may be of another memory type. */
static inline void agpu_store_barrier(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Publishes an index or a value that the device reads: one store, not torn, ordered after all earlier stores. */
static inline void agpu_publish32(void *address, uint32_t value)
{
    __atomic_store_n((uint32_t *)address, value, __ATOMIC_RELEASE);
}

/* Publishes the 64-bit completed_fence, which the driver poisons before a reset. */
static inline void agpu_publish64(void *address, uint64_t value)
{
    __atomic_store_n((uint64_t *)address, value, __ATOMIC_RELEASE);
}

/* Reads a value that the device writes: one load, not torn, ordered before all later loads. Results that the device
 * wrote before its fence are therefore visible once the fence is. */
static inline uint32_t agpu_observe32(const void *address)
{
    return __atomic_load_n((const uint32_t *)address, __ATOMIC_ACQUIRE);
}

static inline uint64_t agpu_observe64(const void *address)
{
    return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE);
}

#endif
