/* state.h: the current state of the device, as one line of evidence. */
#ifndef AGPU_CASES_RIG_STATE_H
#define AGPU_CASES_RIG_STATE_H

#include "tests/cases/rig/env.h"

/* Appends the state after a wait that timed out: "head 3, tail 4; waits for fence 0x4, COMPLETED_FENCE 0x3, fence
 * page 0x3; IRQ_STATUS 0x0, IRQ_ENABLE 0x0; RING_CONTROL 0x1; ERROR_COUNT 0". */
void agpu_state_describe(const struct agpu_env *env, struct agpu_text *text);

/* Appends the error registers: "ERROR_CODE 3 (BACKEND), ERROR_FENCE 0x4, ERROR_COUNT 1". */
void agpu_state_errors(const struct agpu_env *env, struct agpu_text *text);

/* Appends the name of a packet: "CREATE_BUFFER". */
void agpu_state_packet_name(struct agpu_text *text, uint32_t opcode);

/* Appends the names of the packets in the rig's stream, in order: "CREATE_BUFFER, COPY_BUFFER". */
void agpu_state_packets(const struct agpu_rig *rig, struct agpu_text *text);

#endif
