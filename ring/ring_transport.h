/* ring_transport.h: the ring of the versioned device as a transport of the memory manager (ring.md 1 to 5). */
#ifndef AGPU_RING_RING_TRANSPORT_H
#define AGPU_RING_RING_TRANSPORT_H

#include "ring/ring.h"

/* The ring as a transport. ring must outlive it. */
struct agpu_transport agpu_ring_transport(struct agpu_ring *ring);

#endif
