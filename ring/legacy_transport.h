/* legacy_transport.h: the legacy ring as a transport of the memory manager (legacy.md 4). */
#ifndef AGPU_RING_LEGACY_TRANSPORT_H
#define AGPU_RING_LEGACY_TRANSPORT_H

#include "ring/legacy.h"

/* Returns the ring as a transport. ring must outlive it. A submission with a table must also give its CPU address. */
struct agpu_transport agpu_legacy_transport(struct agpu_legacy_ring *ring);

#endif
