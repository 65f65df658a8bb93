/* ops.h: packets of command lists that are not in the protocol, called ops: work whose packets depend on the state of
 * resources when the list is executed, and CPU work. Execution replaces them; the device never gets them (umd.md
 * 15). */
#ifndef AGPU_UMD_DEFERRED_OPS_H
#define AGPU_UMD_DEFERRED_OPS_H

#include <stdbool.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "umd-port/ddi/d3d10ddiarg.h"

/* Far from the protocol's opcodes. */
#define AGPU_OP_FIRST 0x7FFF0001u

enum agpu_op {
    AGPU_OP_WRITE = AGPU_OP_FIRST, /* writes bytes to a subresource: UpdateSubresource and Unmap */
    AGPU_OP_WRITE_ON_CPU,          /* the same, by the CPU; first in its section */
    AGPU_OP_COPY_ON_CPU,           /* copies bytes between buffers, by the CPU; first in its section */
    AGPU_OP_COPY_ACROSS,           /* copies between texture formats; first in its section */
    AGPU_OP_READ_ARGUMENTS,        /* reads arguments of the following indirect work; first in its section */
    AGPU_OP_CLEARED,               /* a CLEAR to repeat in the CPU's copy of the target */
    AGPU_OP_END_QUERY,             /* the end of an event query */
    AGPU_OP_DRAW_INDIRECT,         /* with the arguments just read */
    AGPU_OP_DRAW_INDEXED_INDIRECT,
    AGPU_OP_DISPATCH_INDIRECT,
    AGPU_OP_END, /* one past the last */
};

/* True for an op, false for an opcode of the protocol. */
static inline bool agpu_is_op(uint32_t opcode)
{
    return opcode >= AGPU_OP_FIRST && opcode < AGPU_OP_END;
}

/* Every op names one object: by symbol while recording, by reference number in a finished list. */
struct agpu_op_header {
    struct aerogpu_cmd_hdr hdr;
    uint32_t object;
} AEROGPU_CMD_PACKED;

struct agpu_op_write {
    struct agpu_op_header head;
    uint32_t subresource;
    uint32_t boxed; /* 0: the whole subresource */
    D3D10_DDI_BOX box;
    uint32_t row_pitch;  /* of data */
    uint64_t bytes;      /* of data */
    const uint8_t *data; /* in the list's arena */
} AEROGPU_CMD_PACKED;

struct agpu_op_copy {
    struct agpu_op_header head; /* the destination */
    uint32_t source;            /* like head.object */
    uint64_t dst_offset, src_offset, bytes;
} AEROGPU_CMD_PACKED;

/* Begins like agpu_op_copy. */
struct agpu_op_copy_across {
    struct agpu_op_header head;
    uint32_t source;
    uint32_t dst_index, src_index, dst_x, dst_y;
    uint32_t x, y, width, height; /* of the source */
} AEROGPU_CMD_PACKED;

struct agpu_op_cleared {
    struct agpu_op_header head; /* the target's resource */
    uint32_t part;              /* 1: the range below, 0: mip 0 of layer 0 */
    uint32_t mip, first_layer, layers;
    float rgba[4];
} AEROGPU_CMD_PACKED;

struct agpu_op_arguments {
    struct agpu_op_header head;
    uint32_t offset, words; /* range in the buffer */
} AEROGPU_CMD_PACKED;

/* True for copies, which name a second object. */
static inline bool agpu_op_is_copy(uint32_t opcode)
{
    return opcode == AGPU_OP_COPY_ON_CPU || opcode == AGPU_OP_COPY_ACROSS;
}

/* True for work of the CPU or with submissions of its own, which is done before the section's references are listed. */
static inline bool agpu_op_is_on_cpu(uint32_t opcode)
{
    return opcode == AGPU_OP_WRITE_ON_CPU || opcode == AGPU_OP_READ_ARGUMENTS || agpu_op_is_copy(opcode);
}

static inline bool agpu_op_is_write(uint32_t opcode)
{
    return opcode == AGPU_OP_WRITE || opcode == AGPU_OP_WRITE_ON_CPU;
}

struct agpu_resource;
struct agpu_update;
/* Converts the write to an update of the resource as it is now. False: it does not fit the resource. */
bool agpu_plan_write(const struct agpu_op_write *write, const struct agpu_resource *resource,
                     struct agpu_update *update);

#endif
