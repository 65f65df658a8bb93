/* dxbc_declare_register.c: declarations of input and output registers of a DXBC program. */
#include "tests/device/render/dxbc_declare_register.h"

#include <stddef.h>

/* dcl_input* and dcl_output*. */
const char *vgpu_dxbc_declare_register(struct vgpu_dxbc_walk *walk, uint32_t opcode,
                                       const struct vgpu_dxbc_operand *operand)
{
    struct vgpu_dxbc *dxbc = walk->dxbc;
    bool output = opcode >= VGPU_OP_DCL_OUTPUT, ok = true;

    if (opcode != VGPU_OP_DCL_INPUT && opcode != VGPU_OP_DCL_INPUT_PS && opcode != VGPU_OP_DCL_OUTPUT &&
        vgpu_dxbc_word(walk, &ok) > 64) {
        return "an unknown system value";
    }
    if (!ok) {
        return "a register declaration is cut short";
    }
    const struct vgpu_dxbc_signature *signature = output ? &dxbc->outputs : &dxbc->inputs;
    uint8_t *masks = output ? walk->outputs : walk->inputs;
    uint32_t reg, vertices = 0;
    switch (operand->type) {
    case VGPU_OPERAND_INPUT:
    case VGPU_OPERAND_INPUT_CONTROL_POINT:
        vertices = operand->type == VGPU_OPERAND_INPUT_CONTROL_POINT || dxbc->type == VGPU_DXBC_GEOMETRY ||
                   dxbc->type == VGPU_DXBC_HULL;
        if (output || operand->dimensions != 1 + vertices) {
            return "an input declaration with the wrong indices";
        }
        if (vertices && (operand->index[0] == 0 || operand->index[0] > vgpu_dxbc_input_vertices(dxbc))) {
            return "an input declaration for more vertices than there are";
        }
        break;
    case VGPU_OPERAND_PATCH_CONSTANT:
        signature = &dxbc->patch;
        masks = walk->patch;
        if (output || operand->dimensions != 1) {
            return "a patch constant declaration with the wrong indices";
        }
        break;
    case VGPU_OPERAND_OUTPUT:
        if (!output || operand->dimensions != 1) {
            return "an output declaration with the wrong indices";
        }
        if (vgpu_dxbc_patch_phase(walk)) {
            signature = &dxbc->patch;
        }
        break;
    case VGPU_OPERAND_DEPTH:
    case VGPU_OPERAND_DEPTH_GREATER:
    case VGPU_OPERAND_DEPTH_LESS:
        dxbc->writes_depth = 1;
        /* fall through */
    case VGPU_OPERAND_COVERAGE:
        if (!output || dxbc->type != VGPU_DXBC_PIXEL || operand->dimensions != 0) {
            return "a pixel output of another shader";
        }
        walk->system_operands |= 1ull << operand->type;
        return NULL;
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
    case VGPU_OPERAND_GS_INSTANCE_ID: {
        static const uint64_t compute =
            1ull << VGPU_OPERAND_THREAD_ID | 1ull << VGPU_OPERAND_THREAD_GROUP_ID |
            1ull << VGPU_OPERAND_THREAD_ID_IN_GROUP | 1ull << VGPU_OPERAND_THREAD_ID_FLAT;
        static const uint64_t allowed[VGPU_DXBC_TYPES] = {
            [VGPU_DXBC_PIXEL] = 1ull << VGPU_OPERAND_INPUT_COVERAGE,
            [VGPU_DXBC_GEOMETRY] = 1ull << VGPU_OPERAND_PRIMITIVE_ID | 1ull << VGPU_OPERAND_GS_INSTANCE_ID,
            [VGPU_DXBC_HULL] = 1ull << VGPU_OPERAND_PRIMITIVE_ID |
                               1ull << VGPU_OPERAND_OUTPUT_CONTROL_POINT_ID |
                               1ull << VGPU_OPERAND_FORK_INSTANCE_ID | 1ull << VGPU_OPERAND_JOIN_INSTANCE_ID,
            [VGPU_DXBC_DOMAIN] = 1ull << VGPU_OPERAND_PRIMITIVE_ID | 1ull << VGPU_OPERAND_DOMAIN_POINT,
            [VGPU_DXBC_COMPUTE] = compute,
        };
        if (output || operand->dimensions != 0 || !(allowed[dxbc->type] >> operand->type & 1)) {
            return "a special input of another shader";
        }
        walk->system_operands |= 1ull << operand->type;
        return NULL;
    }
    default:
        return "a declaration of something that is not a register";
    }
    reg = operand->index[operand->dimensions - 1];
    if (reg >= VGPU_DXBC_REGISTERS || !operand->selects_mask || !operand->mask) {
        return "a register declaration without register or mask";
    }
    if (!vgpu_dxbc_in_signature(signature, reg, operand->mask)) {
        return "a declared register is not in the signature";
    }
    masks[reg] |= operand->mask;
    return NULL;
}
