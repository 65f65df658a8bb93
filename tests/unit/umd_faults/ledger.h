/* ledger.h: the state of a device after the submissions so far. It reads each stream that the runtime gets, and fails
 * the test if a stream is malformed, names an object that does not exist, or uses memory that its allocation list
 * lacks. */
#ifndef AGPU_TESTS_UNIT_UMD_FAULTS_LEDGER_H
#define AGPU_TESTS_UNIT_UMD_FAULTS_LEDGER_H

#include "tests/unit/umd/fake.h"

#define LEDGER_HANDLES 1024u
#define LEDGER_STAGES  8u
#define LEDGER_OUTPUTS 9u /* colours, then depth */

struct ledger_object {
    bool live;
    uint32_t alloc_id; /* 0: owned by the device */
};

/* Protocol handles by slot. */
struct ledger_bindings {
    uint32_t outputs[LEDGER_OUTPUTS];
    uint32_t vertices[32], indices;
    uint32_t constants[LEDGER_STAGES][16], views[LEDGER_STAGES][128], uavs[LEDGER_STAGES][8];
};

struct ledger {
    struct fake *fake;
    const char *setup; /* the current setup, for messages */
    uint32_t fault_at;
    const struct agpu_device *device; /* NULL without a device */
    const uint32_t *last_handle;      /* last handle that the driver assigned; NULL without an adapter */
    struct ledger_object objects[LEDGER_HANDLES];
    struct ledger_bindings bound;
    /* A stream was lost, so the bindings are unknown. Its objects are not: the driver creates them again. */
    bool bindings_lost;
    /* The whole content of a stream was lost: handles up to this one may have been created in it. */
    uint32_t lost_up_to;
    uint32_t accepted; /* submissions that the runtime accepted */
    uint32_t packets;  /* packets read */
    uint32_t room;     /* bytes of the current command buffer */
};

/* Puts the ledger in front of the fake's Render, Present, GetCommandBuffer and Deallocate. One ledger at a time. */
void ledger_attach(struct ledger *ledger, struct fake *fake);
/* A stream was dropped: the device has neither its objects nor its bindings. */
void ledger_lose(struct ledger *ledger);
/* A stream was lost, but the driver retains the creation of its objects. */
void ledger_lose_bindings(struct ledger *ledger);

#endif
