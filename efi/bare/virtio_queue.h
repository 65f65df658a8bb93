/* virtio_queue.h: a split virtqueue (virtio 1.2, chapter 2.7) of slots with one descriptor each. The device may write
 * anything into its part: every value is checked before it is used. */
#ifndef AGPU_EFI_BARE_VIRTIO_QUEUE_H
#define AGPU_EFI_BARE_VIRTIO_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#define AGPU_VIRTQ_SIZE 64u

/* Memory that driver and device share; at a multiple of 16. */
struct agpu_virtq_memory {
    struct agpu_virtq_descriptor {
        uint64_t address;
        uint32_t bytes;
        uint16_t flags, next;
    } descriptors[AGPU_VIRTQ_SIZE];
    struct {
        uint16_t flags, index, ring[AGPU_VIRTQ_SIZE], event;
    } available;
    struct {
        uint16_t flags, index;
        struct agpu_virtq_used {
            uint32_t slot, bytes;
        } ring[AGPU_VIRTQ_SIZE];
        uint16_t event;
    } used __attribute__((aligned(4)));
};

struct agpu_virtq {
    struct agpu_virtq_memory *memory;
    uint16_t seen;    /* used entries that were taken */
    uint16_t pending; /* slots that the device has */
    bool busy[AGPU_VIRTQ_SIZE];
    uint32_t bytes[AGPU_VIRTQ_SIZE]; /* of each buffer: the device could change the descriptor */
    bool broken;                     /* the device broke the protocol: it gets no more work */
};

/* Starts an empty queue in memory that is cleared here. */
void agpu_virtq_init(struct agpu_virtq *queue, struct agpu_virtq_memory *memory);

/* Returns a slot that the device does not have; -1: it has all, or the queue is broken. */
int agpu_virtq_free_slot(const struct agpu_virtq *queue);

/* Gives a free slot with its buffer to the device. */
void agpu_virtq_post(struct agpu_virtq *queue, unsigned slot, uint64_t address, uint32_t bytes,
                     bool device_writes);

/* Takes back a slot that the device has finished, with the number of bytes it wrote, at most those of the buffer.
 * Returns -1 when there is none; sets broken when the device's part is inconsistent. */
int agpu_virtq_take(struct agpu_virtq *queue, uint32_t *bytes);

#endif
