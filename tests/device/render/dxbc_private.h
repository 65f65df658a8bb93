/* dxbc_private.h: what the files that read a DXBC container share: chunk reading on one side, tokens on the
 * other. */
#ifndef AGPU_TESTS_DEVICE_RENDER_DXBC_PRIVATE_H
#define AGPU_TESTS_DEVICE_RENDER_DXBC_PRIVATE_H

#include "tests/device/render/dxbc.h"

/* Checks the program's tokens against the signatures in dxbc and completes dxbc. NULL or what is wrong. */
const char *agpu_dxbc_check_program(const uint32_t *tokens, uint32_t count, struct agpu_dxbc *dxbc);

/* What an operand may be. */
enum agpu_dxbc_operand_type {
    AGPU_OPERAND_TEMP = 0,
    AGPU_OPERAND_INPUT = 1,
    AGPU_OPERAND_OUTPUT = 2,
    AGPU_OPERAND_INDEXABLE_TEMP = 3,
    AGPU_OPERAND_IMMEDIATE32 = 4,
    AGPU_OPERAND_IMMEDIATE64 = 5,
    AGPU_OPERAND_SAMPLER = 6,
    AGPU_OPERAND_RESOURCE = 7,
    AGPU_OPERAND_CONSTANT_BUFFER = 8,
    AGPU_OPERAND_IMMEDIATE_CONSTANTS = 9,
    AGPU_OPERAND_PRIMITIVE_ID = 11,
    AGPU_OPERAND_DEPTH = 12,
    AGPU_OPERAND_NULL = 13,
    AGPU_OPERAND_RASTERIZER = 14,
    AGPU_OPERAND_COVERAGE = 15,
    AGPU_OPERAND_STREAM = 16,
    AGPU_OPERAND_OUTPUT_CONTROL_POINT_ID = 22,
    AGPU_OPERAND_FORK_INSTANCE_ID = 23,
    AGPU_OPERAND_JOIN_INSTANCE_ID = 24,
    AGPU_OPERAND_INPUT_CONTROL_POINT = 25,
    AGPU_OPERAND_OUTPUT_CONTROL_POINT = 26,
    AGPU_OPERAND_PATCH_CONSTANT = 27,
    AGPU_OPERAND_DOMAIN_POINT = 28,
    AGPU_OPERAND_UAV = 30,
    AGPU_OPERAND_SHARED_MEMORY = 31,
    AGPU_OPERAND_THREAD_ID = 32,
    AGPU_OPERAND_THREAD_GROUP_ID = 33,
    AGPU_OPERAND_THREAD_ID_IN_GROUP = 34,
    AGPU_OPERAND_INPUT_COVERAGE = 35,
    AGPU_OPERAND_THREAD_ID_FLAT = 36,
    AGPU_OPERAND_GS_INSTANCE_ID = 37,
    AGPU_OPERAND_DEPTH_GREATER = 38,
    AGPU_OPERAND_DEPTH_LESS = 39
};

/* One decoded operand. Of a relative index only the constant part is known. */
struct agpu_dxbc_operand {
    uint8_t type; /* enum agpu_dxbc_operand_type, or a number that is none */
    uint8_t dimensions;
    bool relative[3];
    uint32_t index[3];
    uint8_t mask;       /* components written or declared; of other selections: those read */
    uint8_t components; /* 0, 1 or 4 */
    bool selects_mask;
};

/* Decodes the operand at *at, which moves past it. Calls visit for every operand inside a relative index.
 * False when the operand does not fit or is malformed. */
bool agpu_dxbc_operand(const uint32_t *tokens, uint32_t end, uint32_t *at, struct agpu_dxbc_operand *operand,
                       struct agpu_dxbc_operand inner[3], uint32_t *inner_count);

/* How an opcode is written: how many operands, how many of them are destinations. */
enum agpu_dxbc_form {
    AGPU_FORM_UNKNOWN, /* not an opcode that the renderer takes */
    AGPU_FORM_CODE,
    AGPU_FORM_DECLARATION
};

struct agpu_dxbc_opcode {
    uint8_t form; /* enum agpu_dxbc_form */
    uint8_t destinations;
    uint8_t sources;
    uint8_t minimum; /* lowest shader model, major number */
};

/* What is known of an opcode. */
struct agpu_dxbc_opcode agpu_dxbc_opcode(uint32_t opcode);

/* Opcodes that the checks name. */
enum agpu_dxbc_opcodes {
    AGPU_OP_BREAK = 2,
    AGPU_OP_BREAKC = 3,
    AGPU_OP_CASE = 6,
    AGPU_OP_CONTINUE = 7,
    AGPU_OP_CONTINUEC = 8,
    AGPU_OP_CUT = 9,
    AGPU_OP_DEFAULT = 10,
    AGPU_OP_DISCARD = 13,
    AGPU_OP_ELSE = 18,
    AGPU_OP_EMIT = 19,
    AGPU_OP_EMIT_THEN_CUT = 20,
    AGPU_OP_ENDIF = 21,
    AGPU_OP_ENDLOOP = 22,
    AGPU_OP_ENDSWITCH = 23,
    AGPU_OP_IF = 31,
    AGPU_OP_LOOP = 48,
    AGPU_OP_CUSTOM_DATA = 53,
    AGPU_OP_RET = 62,
    AGPU_OP_SWITCH = 76,
    AGPU_OP_DCL_RESOURCE = 88,
    AGPU_OP_DCL_CONSTANT_BUFFER = 89,
    AGPU_OP_DCL_SAMPLER = 90,
    AGPU_OP_DCL_INDEX_RANGE = 91,
    AGPU_OP_DCL_GS_OUTPUT_TOPOLOGY = 92,
    AGPU_OP_DCL_GS_INPUT_PRIMITIVE = 93,
    AGPU_OP_DCL_MAX_VERTICES = 94,
    AGPU_OP_DCL_INPUT = 95,
    AGPU_OP_DCL_INPUT_SGV = 96,
    AGPU_OP_DCL_INPUT_SIV = 97,
    AGPU_OP_DCL_INPUT_PS = 98,
    AGPU_OP_DCL_INPUT_PS_SGV = 99,
    AGPU_OP_DCL_INPUT_PS_SIV = 100,
    AGPU_OP_DCL_OUTPUT = 101,
    AGPU_OP_DCL_OUTPUT_SGV = 102,
    AGPU_OP_DCL_OUTPUT_SIV = 103,
    AGPU_OP_DCL_TEMPS = 104,
    AGPU_OP_DCL_INDEXABLE_TEMP = 105,
    AGPU_OP_DCL_GLOBAL_FLAGS = 106,
    AGPU_OP_HS_DECLS = 113,
    AGPU_OP_HS_CONTROL_POINT_PHASE = 114,
    AGPU_OP_HS_FORK_PHASE = 115,
    AGPU_OP_HS_JOIN_PHASE = 116,
    AGPU_OP_EMIT_STREAM = 117,
    AGPU_OP_CUT_STREAM = 118,
    AGPU_OP_EMIT_THEN_CUT_STREAM = 119,
    AGPU_OP_DCL_STREAM = 143,
    AGPU_OP_DCL_INPUT_CONTROL_POINTS = 147,
    AGPU_OP_DCL_OUTPUT_CONTROL_POINTS = 148,
    AGPU_OP_DCL_TESS_DOMAIN = 149,
    AGPU_OP_DCL_TESS_PARTITIONING = 150,
    AGPU_OP_DCL_TESS_OUTPUT_PRIMITIVE = 151,
    AGPU_OP_DCL_HS_MAX_FACTOR = 152,
    AGPU_OP_DCL_FORK_INSTANCES = 153,
    AGPU_OP_DCL_JOIN_INSTANCES = 154,
    AGPU_OP_DCL_THREAD_GROUP = 155,
    AGPU_OP_DCL_UAV_TYPED = 156,
    AGPU_OP_DCL_UAV_RAW = 157,
    AGPU_OP_DCL_UAV_STRUCTURED = 158,
    AGPU_OP_DCL_SHARED_RAW = 159,
    AGPU_OP_DCL_SHARED_STRUCTURED = 160,
    AGPU_OP_DCL_RESOURCE_RAW = 161,
    AGPU_OP_DCL_RESOURCE_STRUCTURED = 162,
    AGPU_OP_SYNC = 190,
    AGPU_OP_DCL_GS_INSTANCES = 206
};

#endif
