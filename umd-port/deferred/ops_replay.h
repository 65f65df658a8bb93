/* ops_replay.h: execution of packets that only lists contain (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_OPS_REPLAY_H
#define AGPU_UMD_DEFERRED_OPS_REPLAY_H

#include "umd-port/deferred/execution.h"
#include "umd-port/deferred/ops.h"

/* Returns the upper bound of the op's packets on this device, in bytes. */
uint64_t agpu_op_bytes(const struct agpu_list_body *body, const struct agpu_op_header *op);
/* Records the packets of the op for the current state of its resources, and repeats it in CPU copies. */
void agpu_replay_op(struct agpu_execution *execution, const struct agpu_op_header *op);
/* Completes a copy packet that was just put into the stream: handles for its references, write-back flag, CPU
 * copies. */
void agpu_replay_copy(struct agpu_execution *execution, void *packet);

#endif
