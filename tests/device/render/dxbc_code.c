/* dxbc_code.c: checks instructions of a DXBC program: operands are declared, blocks nest, memory accesses use
 * the right kind of register. */
#include "tests/device/render/dxbc_code.h"

#include <stddef.h>

static bool register_declared(const uint8_t *masks, const struct vgpu_dxbc_operand *operand,
                              uint32_t dimension)
{
    uint32_t reg = operand->index[dimension];

    if (reg >= VGPU_DXBC_REGISTERS || !masks[reg]) {
        return false;
    }
    /* The swizzle of a read may name components that are not used; a write must not. */
    return !operand->selects_mask || (operand->mask & ~masks[reg]) == 0;
}

static const char *check_input(const struct vgpu_dxbc_walk *walk, const struct vgpu_dxbc_operand *operand)
{
    bool vertices = walk->dxbc->type == VGPU_DXBC_GEOMETRY || walk->dxbc->type == VGPU_DXBC_HULL;

    if (operand->dimensions != 1u + vertices) {
        return "an input register has the wrong number of indices";
    }
    if (vertices && operand->index[0] >= vgpu_dxbc_input_vertices(walk->dxbc)) {
        return "an input register of a vertex that the primitive does not have";
    }
    return register_declared(walk->inputs, operand, vertices) ? NULL
                                                              : "an input register that is not declared";
}

/* Checks the register of one operand of an instruction. */
static const char *check_operand(const struct vgpu_dxbc_walk *walk, const struct vgpu_dxbc_operand *operand,
                                 bool written)
{
    uint32_t reg = operand->index[0];
    bool plain = operand->dimensions == 1 && !operand->relative[0];

    if (written && operand->components == 4 && (!operand->selects_mask || !operand->mask) &&
        operand->type != VGPU_OPERAND_NULL) {
        return "a destination without a write mask";
    }
    switch (operand->type) {
    case VGPU_OPERAND_TEMP:
        return plain && reg < walk->temps ? NULL : "a temporary register that is not declared";
    case VGPU_OPERAND_INDEXABLE_TEMP:
        return operand->dimensions == 2 && !operand->relative[0] && reg < MAX_INDEXABLE &&
                       operand->index[1] < walk->indexable[reg]
                   ? NULL
                   : "an indexable temporary register that is not declared";
    case VGPU_OPERAND_INPUT:
        return written ? "an input is written" : check_input(walk, operand);
    case VGPU_OPERAND_OUTPUT:
        if (!written || operand->dimensions != 1) {
            return "an output is read or wrongly indexed";
        }
        return register_declared(walk->outputs, operand, 0) ? NULL
                                                            : "an output register that is not declared";
    case VGPU_OPERAND_INPUT_CONTROL_POINT:
        if (written || operand->dimensions != 2 || operand->index[0] >= walk->dxbc->input_control_points) {
            return "a control point that does not exist";
        }
        return register_declared(walk->inputs, operand, 1) ? NULL
                                                           : "a control point register that is not declared";
    case VGPU_OPERAND_OUTPUT_CONTROL_POINT:
        if (written || !vgpu_dxbc_patch_phase(walk) || operand->dimensions != 2 ||
            operand->index[0] >= walk->dxbc->output_control_points ||
            operand->index[1] >= VGPU_DXBC_REGISTERS) {
            return "an output control point that does not exist";
        }
        return vgpu_dxbc_in_signature(&walk->dxbc->outputs, operand->index[1], 0)
                   ? NULL
                   : "an unknown control point";
    case VGPU_OPERAND_PATCH_CONSTANT:
        if (written || operand->dimensions != 1) {
            return "a patch constant is written or wrongly indexed";
        }
        return register_declared(walk->patch, operand, 0) ? NULL : "a patch constant that is not declared";
    case VGPU_OPERAND_IMMEDIATE32:
    case VGPU_OPERAND_IMMEDIATE64:
        return written ? "a number is written" : NULL;
    case VGPU_OPERAND_CONSTANT_BUFFER:
        if (written || operand->dimensions != 2 || operand->relative[0] ||
            reg >= VGPU_DXBC_CONSTANT_BUFFERS || operand->index[1] >= walk->constant_registers[reg]) {
            return "a constant that is not declared";
        }
        return NULL;
    case VGPU_OPERAND_IMMEDIATE_CONSTANTS:
        return !written && operand->dimensions == 1 && reg < walk->immediate_constants
                   ? NULL
                   : "an immediate constant that does not exist";
    case VGPU_OPERAND_RESOURCE:
        return !written && plain && reg < VGPU_DXBC_RESOURCES && walk->resources[reg]
                   ? NULL
                   : "a resource that is not declared";
    case VGPU_OPERAND_SAMPLER:
        return !written && plain && reg < VGPU_DXBC_SAMPLERS && walk->samplers[reg]
                   ? NULL
                   : "a sampler that is not declared";
    case VGPU_OPERAND_UAV:
        return plain && reg < VGPU_DXBC_UAVS && walk->uavs[reg] ? NULL : "a UAV that is not declared";
    case VGPU_OPERAND_SHARED_MEMORY:
        return plain && reg < 32 && (walk->shared >> reg & 1) ? NULL : "shared memory that is not declared";
    case VGPU_OPERAND_STREAM:
        return plain && reg == 0 && walk->streams ? NULL : "a stream that is not declared";
    case VGPU_OPERAND_NULL:
        return written ? NULL : "null is read";
    case VGPU_OPERAND_DEPTH:
    case VGPU_OPERAND_DEPTH_GREATER:
    case VGPU_OPERAND_DEPTH_LESS:
    case VGPU_OPERAND_COVERAGE:
        if (!written) {
            return "a special output is read";
        }
        break;
    case VGPU_OPERAND_PRIMITIVE_ID:
    case VGPU_OPERAND_OUTPUT_CONTROL_POINT_ID:
    case VGPU_OPERAND_FORK_INSTANCE_ID:
    case VGPU_OPERAND_JOIN_INSTANCE_ID:
    case VGPU_OPERAND_DOMAIN_POINT:
    case VGPU_OPERAND_THREAD_ID:
    case VGPU_OPERAND_THREAD_GROUP_ID:
    case VGPU_OPERAND_THREAD_ID_IN_GROUP:
    case VGPU_OPERAND_THREAD_ID_FLAT:
    case VGPU_OPERAND_INPUT_COVERAGE:
    case VGPU_OPERAND_GS_INSTANCE_ID:
        if (written) {
            return "a special input is written";
        }
        break;
    default:
        return "an operand of unknown type";
    }
    return operand->dimensions == 0 && (walk->system_operands >> operand->type & 1)
               ? NULL
               : "a special register that is not declared";
}

/* Checks one operand of an instruction with the registers in its indices. */
static const char *code_operand(struct vgpu_dxbc_walk *walk, bool written, struct vgpu_dxbc_operand *operand)
{
    struct vgpu_dxbc_operand inner[3];
    uint32_t inner_count;

    if (!vgpu_dxbc_operand(walk->tokens, walk->end, &walk->at, operand, inner, &inner_count)) {
        return "an operand that is malformed or passes the end of its instruction";
    }
    const char *wrong = check_operand(walk, operand, written);
    for (uint32_t i = 0; i < inner_count && wrong == NULL; i++) {
        bool number = inner[i].type == VGPU_OPERAND_IMMEDIATE32 || inner[i].type == VGPU_OPERAND_IMMEDIATE64;

        wrong = number ? "an index by a number of the wrong form" : check_operand(walk, &inner[i], false);
    }
    return wrong;
}

static const char *open_block(struct vgpu_dxbc_walk *walk, enum vgpu_dxbc_block block)
{
    if (walk->depth >= MAX_NESTING) {
        return "blocks nest too deeply";
    }
    walk->blocks[walk->depth++] = (uint8_t)block;
    walk->loops += block == BLOCK_LOOP;
    walk->switches += block == BLOCK_SWITCH;
    return NULL;
}

static const char *close_block(struct vgpu_dxbc_walk *walk, enum vgpu_dxbc_block block,
                               enum vgpu_dxbc_block or_block)
{
    if (walk->depth == 0 || (walk->blocks[walk->depth - 1] != (uint8_t)block &&
                             walk->blocks[walk->depth - 1] != (uint8_t)or_block)) {
        return "a block ends that was not begun";
    }
    walk->depth--;
    walk->loops -= block == BLOCK_LOOP;
    walk->switches -= block == BLOCK_SWITCH;
    return NULL;
}

static const char *control_flow(struct vgpu_dxbc_walk *walk, uint32_t opcode)
{
    const char *wrong;
    enum vgpu_dxbc_type type = walk->dxbc->type;

    walk->ended = opcode == VGPU_OP_RET && walk->depth == 0;
    switch (opcode) {
    case VGPU_OP_IF:
        return open_block(walk, BLOCK_IF);
    case VGPU_OP_ELSE:
        wrong = close_block(walk, BLOCK_IF, BLOCK_IF);
        return wrong != NULL ? wrong : open_block(walk, BLOCK_ELSE);
    case VGPU_OP_ENDIF:
        return close_block(walk, BLOCK_IF, BLOCK_ELSE);
    case VGPU_OP_LOOP:
        return open_block(walk, BLOCK_LOOP);
    case VGPU_OP_ENDLOOP:
        return close_block(walk, BLOCK_LOOP, BLOCK_LOOP);
    case VGPU_OP_SWITCH:
        return open_block(walk, BLOCK_SWITCH);
    case VGPU_OP_ENDSWITCH:
        return close_block(walk, BLOCK_SWITCH, BLOCK_SWITCH);
    case VGPU_OP_CASE:
    case VGPU_OP_DEFAULT:
        return walk->depth && walk->blocks[walk->depth - 1] == BLOCK_SWITCH ? NULL
                                                                            : "a case outside a switch";
    case VGPU_OP_BREAK:
    case VGPU_OP_BREAKC:
        return walk->loops + walk->switches ? NULL : "a break outside a loop";
    case VGPU_OP_CONTINUE:
    case VGPU_OP_CONTINUEC:
        return walk->loops ? NULL : "a continue outside a loop";
    case VGPU_OP_EMIT:
    case VGPU_OP_CUT:
    case VGPU_OP_EMIT_THEN_CUT:
    case VGPU_OP_EMIT_STREAM:
    case VGPU_OP_CUT_STREAM:
    case VGPU_OP_EMIT_THEN_CUT_STREAM:
        return type == VGPU_DXBC_GEOMETRY ? NULL : "emit or cut outside a geometry shader";
    case VGPU_OP_DISCARD:
        return type == VGPU_DXBC_PIXEL ? NULL : "discard outside a pixel shader";
    case VGPU_OP_SYNC:
        return type == VGPU_DXBC_COMPUTE ? NULL : "sync outside a compute shader";
    default:
        return NULL;
    }
}

/* Checks the kinds of operands of instructions that access memory. */
static const char *memory_operands(const struct vgpu_dxbc_walk *walk, uint32_t opcode,
                                   const struct vgpu_dxbc_operand *operands, uint32_t count)
{
    (void)walk;
    const struct vgpu_dxbc_operand *last = &operands[count - 1];
    bool sample = (opcode >= 69 && opcode <= 74) || opcode == 108 || opcode == 109;
    bool gather = opcode >= 126 && opcode <= 128;
    if (opcode == 45 || opcode == 61) { /* ld, resinfo */
        bool uav = opcode == 61 && operands[2].type == VGPU_OPERAND_UAV;
        return uav || operands[2].type == VGPU_OPERAND_RESOURCE
                   ? NULL
                   : "a read from a register that is not a resource";
    }
    if (sample || gather) {
        bool offset = opcode == 127 || opcode == 128;

        return operands[2 + offset].type == VGPU_OPERAND_RESOURCE &&
                       operands[3 + offset].type == VGPU_OPERAND_SAMPLER
                   ? NULL
                   : "a sample without resource and sampler";
    }
    switch (opcode) {
    case 121: /* bufinfo */
    case 165: /* ld_raw */
    case 167: /* ld_structured */
        return last->type == VGPU_OPERAND_RESOURCE || last->type == VGPU_OPERAND_UAV ||
                       (last->type == VGPU_OPERAND_SHARED_MEMORY && opcode != 121)
                   ? NULL
                   : "a read from a register that is not a buffer";
    case 163: /* ld_uav_typed */
        return last->type == VGPU_OPERAND_UAV ? NULL : "a read from a register that is not a UAV";
    case 164: /* store_uav_typed */
        return operands[0].type == VGPU_OPERAND_UAV ? NULL : "a store to a register that is not a UAV";
    default:
        break;
    }
    if (opcode == 166 || opcode == 168 || (opcode >= 169 && opcode <= 177)) { /* stores, atomics */
        return operands[0].type == VGPU_OPERAND_UAV || operands[0].type == VGPU_OPERAND_SHARED_MEMORY
                   ? NULL
                   : "a store to a register that is not memory";
    }
    if (opcode >= 180 && opcode <= 189) { /* atomics that return the old value */
        return operands[1].type == VGPU_OPERAND_UAV || operands[1].type == VGPU_OPERAND_SHARED_MEMORY
                   ? NULL
                   : "an atomic on a register that is not memory";
    }
    for (uint32_t i = 0; i < count; i++) {
        switch (operands[i].type) {
        case VGPU_OPERAND_RESOURCE:
        case VGPU_OPERAND_SAMPLER:
        case VGPU_OPERAND_UAV:
        case VGPU_OPERAND_SHARED_MEMORY:
            return "memory is used as a register";
        default:
            break;
        }
    }
    return NULL;
}

const char *vgpu_dxbc_code(struct vgpu_dxbc_walk *walk, uint32_t opcode, struct vgpu_dxbc_opcode form)
{
    struct vgpu_dxbc_operand operands[8];
    uint32_t count = (uint32_t)form.destinations + form.sources;

    if (walk->dxbc->type == VGPU_DXBC_HULL && walk->phase < PHASE_CONTROL_POINT) {
        return "code outside a phase of a hull shader";
    }
    walk->code = true;
    const char *wrong = control_flow(walk, opcode);
    for (uint32_t i = 0; i < count && wrong == NULL; i++) {
        wrong = code_operand(walk, i < form.destinations, &operands[i]);
    }
    if (wrong == NULL && count) {
        wrong = memory_operands(walk, opcode, operands, count);
    }
    if (wrong == NULL && walk->at != walk->end) {
        wrong = "an instruction's length is not that of its operands";
    }
    return wrong;
}
