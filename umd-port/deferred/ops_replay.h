/* ops_replay.h: execution of the packets that only lists contain (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_OPS_REPLAY_H
#define AGPU_UMD_DEFERRED_OPS_REPLAY_H

#include "umd-port/deferred/list_body.h"
#include "umd-port/deferred/ops.h"
#include "umd-port/resource/update.h"

/* How far an execution has come. */
struct agpu_place {
    uint32_t offset; /* in the list's stream */
    uint32_t fixup;  /* the first at or behind offset */
    uint32_t use;    /* first entry of the section's uses */
};

/* Execution in progress. The stream has room for everything, so packets and ops do not fail. */
struct agpu_execution {
    struct agpu_device *device;
    const struct agpu_list_body *body;
    struct agpu_place at;
    struct agpu_place unsent; /* packets from here on are in the present stream */
    uint64_t epoch;           /* of the allocation list that goes with it */
    uint32_t arguments[5];    /* of the indirect work that comes next */
};

static inline struct agpu_resource *agpu_referenced_resource(const struct agpu_list_body *body,
                                                             uint32_t reference)
{
    const struct agpu_list_reference *entry = &body->refs[reference - 1];

    return entry->use == AGPU_USE_RESOURCE ? entry->object->object : NULL;
}

/* Most bytes that the op's packets take on this device. */
uint64_t agpu_op_bytes(const struct agpu_list_body *body, const struct agpu_op_header *op);
/* Records what the op stands for now, and does the CPU's part of it. */
void agpu_replay_op(struct agpu_execution *execution, const struct agpu_op_header *op);
/* The CPU's part of a list: submits what is recorded, as far as it touches the same memory, and does the op.
 * Fails as submissions and locks do. */
HRESULT agpu_do_on_cpu(struct agpu_execution *execution, const struct agpu_op_header *op);
/* The write as an update of the resource as it is now. False: nothing that could be written. */
bool agpu_plan_write(const struct agpu_op_write *write, const struct agpu_resource *resource,
                     struct agpu_update *update);
/* A copy packet just put into the stream, still with references in it. */
void agpu_replay_copy(struct agpu_execution *execution, void *packet);

#endif
