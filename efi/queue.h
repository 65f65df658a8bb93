/* queue.h: bounded first-in-first-out queue of packets for a sink that is slow or not up yet. */
#ifndef AGPU_EFI_QUEUE_H
#define AGPU_EFI_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Overhead of a packet, in bytes. */
#define AGPU_QUEUE_OVERHEAD 2

struct agpu_queue {
    uint8_t *bytes; /* owned by the caller */
    size_t capacity;
    size_t first; /* offset of the oldest packet's length */
    size_t used;
    uint64_t count;   /* packets in the queue */
    uint64_t dropped; /* packets dropped because the queue was full */
};

/* Initializes an empty queue in storage, which must outlive it. */
void agpu_queue_init(struct agpu_queue *queue, void *storage, size_t capacity);

/* Appends a packet of 1..65535 bytes. When it does not fit, drops and counts it and returns false. */
bool agpu_queue_put(struct agpu_queue *queue, const void *packet, size_t size);

/* Size of the oldest packet, 0 when the queue is empty. */
size_t agpu_queue_size(const struct agpu_queue *queue);

/* Copies size bytes of the oldest packet, from offset on; false when they are not all within it. */
bool agpu_queue_peek(const struct agpu_queue *queue, size_t offset, void *to, size_t size);

/* Removes the oldest packet. */
void agpu_queue_pop(struct agpu_queue *queue);

#endif
