/* dxbc_operand.h: operand tokens of a DXBC program, and the form of every opcode. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_OPERAND_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

/* Operand types. */
enum vgpu_dxbc_operand_type {
    VGPU_OPERAND_TEMP = 0,
    VGPU_OPERAND_INPUT = 1,
    VGPU_OPERAND_OUTPUT = 2,
    VGPU_OPERAND_INDEXABLE_TEMP = 3,
    VGPU_OPERAND_IMMEDIATE32 = 4,
    VGPU_OPERAND_IMMEDIATE64 = 5,
    VGPU_OPERAND_SAMPLER = 6,
    VGPU_OPERAND_RESOURCE = 7,
    VGPU_OPERAND_CONSTANT_BUFFER = 8,
    VGPU_OPERAND_IMMEDIATE_CONSTANTS = 9,
    VGPU_OPERAND_PRIMITIVE_ID = 11,
    VGPU_OPERAND_DEPTH = 12,
    VGPU_OPERAND_NULL = 13,
    VGPU_OPERAND_RASTERIZER = 14,
    VGPU_OPERAND_COVERAGE = 15,
    VGPU_OPERAND_STREAM = 16,
    VGPU_OPERAND_OUTPUT_CONTROL_POINT_ID = 22,
    VGPU_OPERAND_FORK_INSTANCE_ID = 23,
    VGPU_OPERAND_JOIN_INSTANCE_ID = 24,
    VGPU_OPERAND_INPUT_CONTROL_POINT = 25,
    VGPU_OPERAND_OUTPUT_CONTROL_POINT = 26,
    VGPU_OPERAND_PATCH_CONSTANT = 27,
    VGPU_OPERAND_DOMAIN_POINT = 28,
    VGPU_OPERAND_UAV = 30,
    VGPU_OPERAND_SHARED_MEMORY = 31,
    VGPU_OPERAND_THREAD_ID = 32,
    VGPU_OPERAND_THREAD_GROUP_ID = 33,
    VGPU_OPERAND_THREAD_ID_IN_GROUP = 34,
    VGPU_OPERAND_INPUT_COVERAGE = 35,
    VGPU_OPERAND_THREAD_ID_FLAT = 36,
    VGPU_OPERAND_GS_INSTANCE_ID = 37,
    VGPU_OPERAND_DEPTH_GREATER = 38,
    VGPU_OPERAND_DEPTH_LESS = 39
};

/* One decoded operand. For a relative index only the constant part is known. */
struct vgpu_dxbc_operand {
    uint8_t type; /* enum vgpu_dxbc_operand_type, or an unknown number */
    uint8_t dimensions;
    bool relative[3];
    uint32_t index[3];
    uint8_t mask;       /* components written or declared; for other selections, components read */
    uint8_t components; /* 0, 1 or 4 */
    bool selects_mask;
};

/* Decodes the operand at *at, which moves past it. inner receives every operand inside a relative index.
 * Returns false when the operand does not fit or is malformed. */
bool vgpu_dxbc_operand(const uint32_t *tokens, uint32_t end, uint32_t *at, struct vgpu_dxbc_operand *operand,
                       struct vgpu_dxbc_operand inner[3], uint32_t *inner_count);

/* Form of an opcode. */
enum vgpu_dxbc_form {
    VGPU_FORM_UNKNOWN, /* not supported by the renderer */
    VGPU_FORM_CODE,
    VGPU_FORM_DECLARATION
};

struct vgpu_dxbc_opcode {
    uint8_t form; /* enum vgpu_dxbc_form */
    uint8_t destinations;
    uint8_t sources;
    uint8_t minimum; /* lowest shader model, major number */
};

/* Returns the properties of an opcode. */
struct vgpu_dxbc_opcode vgpu_dxbc_opcode(uint32_t opcode);

/* Opcodes that the checks use by name. */
enum vgpu_dxbc_opcodes {
    VGPU_OP_BREAK = 2,
    VGPU_OP_BREAKC = 3,
    VGPU_OP_CASE = 6,
    VGPU_OP_CONTINUE = 7,
    VGPU_OP_CONTINUEC = 8,
    VGPU_OP_CUT = 9,
    VGPU_OP_DEFAULT = 10,
    VGPU_OP_DISCARD = 13,
    VGPU_OP_ELSE = 18,
    VGPU_OP_EMIT = 19,
    VGPU_OP_EMIT_THEN_CUT = 20,
    VGPU_OP_ENDIF = 21,
    VGPU_OP_ENDLOOP = 22,
    VGPU_OP_ENDSWITCH = 23,
    VGPU_OP_IF = 31,
    VGPU_OP_LOOP = 48,
    VGPU_OP_CUSTOM_DATA = 53,
    VGPU_OP_RET = 62,
    VGPU_OP_SWITCH = 76,
    VGPU_OP_DCL_RESOURCE = 88,
    VGPU_OP_DCL_CONSTANT_BUFFER = 89,
    VGPU_OP_DCL_SAMPLER = 90,
    VGPU_OP_DCL_INDEX_RANGE = 91,
    VGPU_OP_DCL_GS_OUTPUT_TOPOLOGY = 92,
    VGPU_OP_DCL_GS_INPUT_PRIMITIVE = 93,
    VGPU_OP_DCL_MAX_VERTICES = 94,
    VGPU_OP_DCL_INPUT = 95,
    VGPU_OP_DCL_INPUT_SGV = 96,
    VGPU_OP_DCL_INPUT_SIV = 97,
    VGPU_OP_DCL_INPUT_PS = 98,
    VGPU_OP_DCL_INPUT_PS_SGV = 99,
    VGPU_OP_DCL_INPUT_PS_SIV = 100,
    VGPU_OP_DCL_OUTPUT = 101,
    VGPU_OP_DCL_OUTPUT_SGV = 102,
    VGPU_OP_DCL_OUTPUT_SIV = 103,
    VGPU_OP_DCL_TEMPS = 104,
    VGPU_OP_DCL_INDEXABLE_TEMP = 105,
    VGPU_OP_DCL_GLOBAL_FLAGS = 106,
    VGPU_OP_HS_DECLS = 113,
    VGPU_OP_HS_CONTROL_POINT_PHASE = 114,
    VGPU_OP_HS_FORK_PHASE = 115,
    VGPU_OP_HS_JOIN_PHASE = 116,
    VGPU_OP_EMIT_STREAM = 117,
    VGPU_OP_CUT_STREAM = 118,
    VGPU_OP_EMIT_THEN_CUT_STREAM = 119,
    VGPU_OP_DCL_STREAM = 143,
    VGPU_OP_DCL_INPUT_CONTROL_POINTS = 147,
    VGPU_OP_DCL_OUTPUT_CONTROL_POINTS = 148,
    VGPU_OP_DCL_TESS_DOMAIN = 149,
    VGPU_OP_DCL_TESS_PARTITIONING = 150,
    VGPU_OP_DCL_TESS_OUTPUT_PRIMITIVE = 151,
    VGPU_OP_DCL_HS_MAX_FACTOR = 152,
    VGPU_OP_DCL_FORK_INSTANCES = 153,
    VGPU_OP_DCL_JOIN_INSTANCES = 154,
    VGPU_OP_DCL_THREAD_GROUP = 155,
    VGPU_OP_DCL_UAV_TYPED = 156,
    VGPU_OP_DCL_UAV_RAW = 157,
    VGPU_OP_DCL_UAV_STRUCTURED = 158,
    VGPU_OP_DCL_SHARED_RAW = 159,
    VGPU_OP_DCL_SHARED_STRUCTURED = 160,
    VGPU_OP_DCL_RESOURCE_RAW = 161,
    VGPU_OP_DCL_RESOURCE_STRUCTURED = 162,
    VGPU_OP_SYNC = 190,
    VGPU_OP_DCL_GS_INSTANCES = 206
};

#endif
