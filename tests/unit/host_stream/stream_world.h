/* stream_world.h: an image's and a collector's end of the stream, a link between them, and a clock. */
#ifndef AGPU_TESTS_UNIT_HOST_STREAM_STREAM_WORLD_H
#define AGPU_TESTS_UNIT_HOST_STREAM_STREAM_WORLD_H

#include "efi/net/uplink.h"
#include "tests/host/wire/intake.h"

#define WORLD_ITEMS_MAX 20000
#define WORLD_STEP_NS   UINT64_C(20000000) /* the longest */

/* What may happen in a step, in thousandths. */
struct world_faults {
    unsigned cut;     /* both ends learn that the connection is gone; what was on its way may arrive or not */
    unsigned stall;   /* nothing passes for up to 30 s */
    unsigned refused; /* a connection is not made */
    unsigned damage;  /* a byte changes */
    unsigned repeated; /* bytes come twice */
    unsigned missing;  /* bytes are left out */
    unsigned swapped;  /* bytes come in another order */
};

struct world_pipe {
    uint8_t bytes[40000];
    size_t size;
};

struct stream_world {
    struct agpu_uplink uplink;
    struct agpu_intake intake;
    struct agpu_intake_run run;
    struct agpu_credentials credentials;
    uint8_t storage[1 << 20];
    struct world_faults faults;
    uint64_t random;
    uint64_t now_ns;
    uint64_t stalled_until_ns;
    uint8_t nonces;
    bool linked;
    struct world_pipe up, down;
    uint64_t put;                     /* items given to the image's end */
    uint8_t arrived[WORLD_ITEMS_MAX]; /* how often each was taken */
    uint64_t last;                    /* number behind the last that was taken */
    unsigned connections, opened, over;
    /* Who gets the items that are news, instead of a look at whether they are world_put()'s; NULL: nobody. */
    void (*taken)(void *ctx, const struct agpu_intake_item *item);
    void *taken_ctx;
};

/* Fresh, without faults. keyed: both have the same key. ring: bytes that the image keeps, 0: all that there are. */
void world_begin(struct stream_world *world, uint64_t seed, bool keyed, size_t ring);

/* The image says something: item number world->put, of a size and content that follow from its number. */
void world_put(struct stream_world *world);

/* It says this. */
void world_put_item(struct stream_world *world, enum agpu_item_kind kind, const void *bytes, size_t size);

/* One step of time, with its faults. */
void world_step(struct stream_world *world);

/* Steps until all that was put is acknowledged, at most so many. */
bool world_drain(struct stream_world *world, unsigned steps);

uint32_t world_random(struct stream_world *world);

#endif
