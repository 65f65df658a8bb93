/* fence.h: completion of fences: COMPLETED_FENCE, the fence page, and the queue behind vsync-held presents
 * (ring.md 4, 5, 7). */
#ifndef AGPU_TESTS_DEVICE_FENCE_H
#define AGPU_TESTS_DEVICE_FENCE_H

#include <stdbool.h>
#include <stdint.h>

struct agpu_device;

/* Fences that wait; when the queue is full the ring waits too, so nothing is ever dropped (ring.md 3.1). */
#define AGPU_FENCE_QUEUE_LENGTH 4096u

struct agpu_fence_entry {
    uint64_t value;
    bool wants_irq;
    bool held; /* until a vblank edge of its own */
};

struct agpu_fences {
    uint64_t completed;
    uint64_t page_gpa;
    void *page; /* mapping of this service point */
    uint32_t first;
    uint32_t count;
    uint32_t signals; /* counts fences for the fault fence_lost */
    struct agpu_fence_entry queue[AGPU_FENCE_QUEUE_LENGTH];
};

/* True when agpu_fence_signal() has room for one more. */
bool agpu_fence_has_room(const struct agpu_fences *fences);

/* A submission has finished: completes its fence now, or queues it behind held ones. value 0 signals nothing.
 */
void agpu_fence_signal(struct agpu_device *device, uint64_t value, bool wants_irq, bool held);

/* A vblank edge: lets go of the first held fence. */
void agpu_fence_edge(struct agpu_fences *fences);

/* Scanout went off: lets go of every held fence. */
void agpu_fence_release_all(struct agpu_fences *fences);

/* True when agpu_fence_drain() would complete something. */
bool agpu_fence_ready(const struct agpu_fences *fences);

/* Completes everything in front of the first held fence, as one step. Needs Bus Master. */
void agpu_fence_drain(struct agpu_device *device);

/* Writes the fence page from COMPLETED_FENCE, value last. Needs Bus Master. */
void agpu_fence_write_page(struct agpu_device *device);

/* Ring reset, register part: nothing completed, nothing queued. */
void agpu_fence_reset(struct agpu_fences *fences);

#endif
