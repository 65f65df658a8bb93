/* stream_world.h: the image's end and the collector's end of the stream, the link between them, and a clock. */
#ifndef AGPU_TESTS_UNIT_HOST_STREAM_STREAM_WORLD_H
#define AGPU_TESTS_UNIT_HOST_STREAM_STREAM_WORLD_H

#include "efi/net/uplink.h"
#include "tests/host/wire/intake.h"

#define WORLD_ITEMS_MAX 20000
#define WORLD_STEP_NS   UINT64_C(20000000) /* longest step */

/* Probability of each fault per step, in thousandths. */
struct world_faults {
    unsigned cut;      /* the connection ends; bytes in flight may arrive or not */
    unsigned stall;    /* no bytes move for up to 30 s */
    unsigned refused;  /* a connection attempt fails */
    unsigned damage;   /* a byte changes */
    unsigned repeated; /* bytes are repeated */
    unsigned missing;  /* bytes are lost */
    unsigned swapped;  /* bytes are reordered */
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
    uint8_t arrived[WORLD_ITEMS_MAX]; /* number of times that each item was received */
    uint64_t last;                    /* number after that of the last received item */
    unsigned connections, opened, over;
    /* Receives each new item, which is then not compared with those of world_put(). NULL: no callback. */
    void (*taken)(void *ctx, const struct agpu_intake_item *item);
    void *taken_ctx;
};

/* Starts without faults. keyed: both ends have the same key. ring: bytes in the image's buffer, 0: the full size. */
void world_begin(struct stream_world *world, uint64_t seed, bool keyed, size_t ring);

/* The image sends item number world->put. Its size and content follow from the number. */
void world_put(struct stream_world *world);

/* The image sends this item. */
void world_put_item(struct stream_world *world, enum agpu_item_kind kind, const void *bytes, size_t size);

/* Advances by one step of time, with its faults. */
void world_step(struct stream_world *world);

/* Steps until every item is acknowledged. Returns false after this many steps. */
bool world_drain(struct stream_world *world, unsigned steps);

uint32_t world_random(struct stream_world *world);

#endif
