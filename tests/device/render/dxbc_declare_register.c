/* Declarations of input and output registers of a DXBC program. */
#include "tests/device/render/dxbc_walk.h"

/* dcl_input* and dcl_output*. */
const char *agpu_dxbc_declare_register(struct agpu_dxbc_walk *walk, uint32_t opcode,
                                       const struct agpu_dxbc_operand *operand)
{
    struct agpu_dxbc *dxbc = walk->dxbc;
    bool output = opcode >= AGPU_OP_DCL_OUTPUT, ok = true;
    if (opcode != AGPU_OP_DCL_INPUT && opcode != AGPU_OP_DCL_INPUT_PS && opcode != AGPU_OP_DCL_OUTPUT &&
        agpu_dxbc_word(walk, &ok) > 64) {
        return "an unknown system value";
    }
    if (!ok) {
        return "a register declaration is cut short";
    }
    const struct agpu_dxbc_signature *signature = output ? &dxbc->outputs : &dxbc->inputs;
    uint8_t *masks = output ? walk->outputs : walk->inputs;
    uint32_t reg, vertices = 0;
    switch (operand->type) {
    case AGPU_OPERAND_INPUT:
    case AGPU_OPERAND_INPUT_CONTROL_POINT:
        vertices = operand->type == AGPU_OPERAND_INPUT_CONTROL_POINT || dxbc->type == AGPU_DXBC_GEOMETRY ||
                   dxbc->type == AGPU_DXBC_HULL;
        if (output || operand->dimensions != 1 + vertices) {
            return "an input declaration with the wrong indices";
        }
        if (vertices && (operand->index[0] == 0 || operand->index[0] > agpu_dxbc_input_vertices(dxbc))) {
            return "an input declaration for more vertices than there are";
        }
        break;
    case AGPU_OPERAND_PATCH_CONSTANT:
        signature = &dxbc->patch;
        masks = walk->patch;
        if (output || operand->dimensions != 1) {
            return "a patch constant declaration with the wrong indices";
        }
        break;
    case AGPU_OPERAND_OUTPUT:
        if (!output || operand->dimensions != 1) {
            return "an output declaration with the wrong indices";
        }
        if (agpu_dxbc_patch_phase(walk)) {
            signature = &dxbc->patch;
        }
        break;
    case AGPU_OPERAND_DEPTH:
    case AGPU_OPERAND_DEPTH_GREATER:
    case AGPU_OPERAND_DEPTH_LESS:
        dxbc->writes_depth = 1;
        /* fall through */
    case AGPU_OPERAND_COVERAGE:
        if (!output || dxbc->type != AGPU_DXBC_PIXEL || operand->dimensions != 0) {
            return "a pixel output of another shader";
        }
        walk->system_operands |= 1ull << operand->type;
        return NULL;
    case AGPU_OPERAND_PRIMITIVE_ID:
    case AGPU_OPERAND_OUTPUT_CONTROL_POINT_ID:
    case AGPU_OPERAND_FORK_INSTANCE_ID:
    case AGPU_OPERAND_JOIN_INSTANCE_ID:
    case AGPU_OPERAND_DOMAIN_POINT:
    case AGPU_OPERAND_THREAD_ID:
    case AGPU_OPERAND_THREAD_GROUP_ID:
    case AGPU_OPERAND_THREAD_ID_IN_GROUP:
    case AGPU_OPERAND_THREAD_ID_FLAT:
    case AGPU_OPERAND_INPUT_COVERAGE:
    case AGPU_OPERAND_GS_INSTANCE_ID: {
        static const uint64_t compute =
            1ull << AGPU_OPERAND_THREAD_ID | 1ull << AGPU_OPERAND_THREAD_GROUP_ID |
            1ull << AGPU_OPERAND_THREAD_ID_IN_GROUP | 1ull << AGPU_OPERAND_THREAD_ID_FLAT;
        static const uint64_t allowed[AGPU_DXBC_TYPES] = {
            [AGPU_DXBC_PIXEL] = 1ull << AGPU_OPERAND_INPUT_COVERAGE,
            [AGPU_DXBC_GEOMETRY] = 1ull << AGPU_OPERAND_PRIMITIVE_ID | 1ull << AGPU_OPERAND_GS_INSTANCE_ID,
            [AGPU_DXBC_HULL] = 1ull << AGPU_OPERAND_PRIMITIVE_ID |
                               1ull << AGPU_OPERAND_OUTPUT_CONTROL_POINT_ID |
                               1ull << AGPU_OPERAND_FORK_INSTANCE_ID | 1ull << AGPU_OPERAND_JOIN_INSTANCE_ID,
            [AGPU_DXBC_DOMAIN] = 1ull << AGPU_OPERAND_PRIMITIVE_ID | 1ull << AGPU_OPERAND_DOMAIN_POINT,
            [AGPU_DXBC_COMPUTE] = compute,
        };
        if (output || operand->dimensions != 0 || !(allowed[dxbc->type] >> operand->type & 1)) {
            return "a special input of another shader";
        }
        walk->system_operands |= 1ull << operand->type;
        return NULL;
    }
    default:
        return "a declaration of something that is no register";
    }
    reg = operand->index[operand->dimensions - 1];
    if (reg >= AGPU_DXBC_REGISTERS || !operand->selects_mask || !operand->mask) {
        return "a register declaration without register or mask";
    }
    if (!agpu_dxbc_in_signature(signature, reg, operand->mask)) {
        return "a declared register is not in the signature";
    }
    masks[reg] |= operand->mask;
    return NULL;
}
