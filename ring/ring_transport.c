/* ring_transport.c: the versioned ring as a transport of the memory manager. */
#include "ring/ring_transport.h"

static bool ring_transport_has_room(void *ctx)
{
    return agpu_ring_has_room(ctx);
}

static enum agpu_status ring_transport_submit(void *ctx, const struct agpu_submission *submission)
{
    struct agpu_ring *ring = ctx;
    enum agpu_status status = agpu_ring_post(ring, submission);

    if (status == AGPU_OK) {
        agpu_doorbell(ring);
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
