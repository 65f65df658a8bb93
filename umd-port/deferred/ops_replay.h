/* ops_replay.h: execution of the packets that only lists contain (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_OPS_REPLAY_H
#define AGPU_UMD_DEFERRED_OPS_REPLAY_H

#include "umd-port/deferred/execution.h"
#include "umd-port/deferred/ops.h"

/* Most bytes that the op's packets take on this device. */
uint64_t agpu_op_bytes(const struct agpu_list_body *body, const struct agpu_op_header *op);
/* Records what the op stands for as things are now, and repeats it in CPU copies. */
void agpu_replay_op(struct agpu_execution *execution, const struct agpu_op_header *op);
/* Completes a copy packet that was just put into the stream: handles for its references, write-back
 * flag, CPU copies. */
void agpu_replay_copy(struct agpu_execution *execution, void *packet);

#endif
