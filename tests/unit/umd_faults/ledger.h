/* ledger.h: what a device would know after the submissions so far: reads every stream handed to the runtime
 * and fails the test when one is malformed, names what was never created or is gone, or works on memory that
 * its allocation list does not name. */
#ifndef AGPU_TESTS_UNIT_UMD_FAULTS_LEDGER_H
#define AGPU_TESTS_UNIT_UMD_FAULTS_LEDGER_H

#include "tests/unit/umd/fake.h"

#define LEDGER_HANDLES 1024u
#define LEDGER_STAGES  8u
#define LEDGER_OUTPUTS 9u /* colours, then depth */

struct ledger_object {
    bool live;
    uint32_t alloc_id; /* 0 = device-owned */
};

/* Protocol handles by slot. */
struct ledger_bindings {
    uint32_t outputs[LEDGER_OUTPUTS];
    uint32_t vertices[32], indices;
    uint32_t constants[LEDGER_STAGES][16], views[LEDGER_STAGES][128], uavs[LEDGER_STAGES][8];
};

struct ledger {
    struct fake *fake;
    const char *setup; /* what is running, for messages */
    uint32_t fault_at;
    const struct agpu_device *device; /* NULL while there is none */
    const uint32_t *last_handle;      /* that the driver gave out; NULL before there is an adapter */
    struct ledger_object objects[LEDGER_HANDLES];
    struct ledger_bindings bound;
    /* A stream was lost: whatever is bound is unknown. What it created is not: the driver sends that again. */
    bool bindings_lost;
    /* Unless it was dropped as a whole: handles up to this one may have been created in it. */
    uint32_t lost_up_to;
    uint32_t accepted; /* submissions that the runtime took */
    uint32_t packets;  /* looked at */
    uint32_t room;     /* bytes of the current command buffer */
};

/* Puts the ledger in front of the fake's Render, Present, GetCommandBuffer and Deallocate. One at a time. */
void ledger_attach(struct ledger *ledger, struct fake *fake);
/* A stream was dropped: its objects and bindings are not the device's. */
void ledger_lose(struct ledger *ledger);
/* A stream was lost, and what it created is kept. */
void ledger_lose_bindings(struct ledger *ledger);

#endif
