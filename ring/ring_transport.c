/* ring_transport.c: the ring as the memory manager sees it. */
#include "ring/ring_transport.h"

/* Of the slots so many may wait for a doorbell; and so often somebody may look in passing before he is taken to wait. */
#define LAZY_SHARE 4u
#define LAZY_LOOKS 8u

static bool may_wait(const struct agpu_ring *ring)
{
    return ring->lazy && ring->tail - agpu_ring_head(ring) < ring->entry_count / LAZY_SHARE;
}

static bool ring_transport_has_room(void *ctx)
{
    return agpu_ring_has_room(ctx);
}

static enum agpu_status ring_transport_submit(void *ctx, const struct agpu_submission *submission)
{
    struct agpu_ring *ring = ctx;
    enum agpu_status status = agpu_ring_post(ring, submission);

    if (status == AGPU_OK) {
        ring->owed_looks = may_wait(ring) ? LAZY_LOOKS : 0;
        if (ring->owed_looks == 0) {
            agpu_doorbell(ring);
        }
    }
    return status;
}

static enum agpu_status ring_transport_completed(void *ctx, uint64_t *out)
{
    return agpu_fence_completed(ctx, out);
}

static enum agpu_status ring_transport_reset(void *ctx)
{
    return agpu_ring_reset(ctx);
}

struct agpu_transport agpu_ring_transport(struct agpu_ring *ring)
{
    return (struct agpu_transport){
        .ctx = ring,
        .has_room = ring_transport_has_room,
        .submit = ring_transport_submit,
        .completed_fence = ring_transport_completed,
        .reset = ring_transport_reset,
    };
}
