/* dxbc_declare.c: declarations of a DXBC program except input and output registers: resources, temporaries,
 * phases, numbers. */
#include "tests/device/render/dxbc_declare.h"

#include <string.h>

#include "tests/device/render/dxbc_declare_register.h"

static const char *add_binding(struct vgpu_dxbc_walk *walk, struct vgpu_dxbc_binding binding)
{
    struct vgpu_dxbc *dxbc = walk->dxbc;

    if (dxbc->binding_count >= VGPU_DXBC_BINDINGS) {
        return "too many resources";
    }
    dxbc->bindings[dxbc->binding_count++] = binding;
    return NULL;
}

/* Component type as the renderer's bindings encode it. Token values: 1 unorm, 2 snorm, 3 sint, 4 uint, 5
 * float. */
static uint8_t data_of(uint32_t type_token)
{
    switch (type_token & 0xf) {
    case 3:
        return VGPU_DXBC_INT;
    case 4:
        return VGPU_DXBC_UINT;
    case 1:
    case 2:
    case 5:
        return VGPU_DXBC_FLOAT;
    default:
        return 0;
    }
}

/* dcl_resource*, dcl_uav*: token is the opcode token, operand the declared register. */
static const char *declare_resource(struct vgpu_dxbc_walk *walk, uint32_t opcode, uint32_t token,
                                    uint32_t reg)
{
    bool ok = true, uav = opcode >= VGPU_OP_DCL_UAV_TYPED && opcode <= VGPU_OP_DCL_UAV_STRUCTURED;
    struct vgpu_dxbc_binding binding = {
        .kind = uav ? VGPU_DXBC_UAV_BUFFER : VGPU_DXBC_BUFFER, .reg = (uint8_t)reg, .data = VGPU_DXBC_UINT};

    if (opcode == VGPU_OP_DCL_RESOURCE || opcode == VGPU_OP_DCL_UAV_TYPED) {
        uint32_t types = vgpu_dxbc_word(walk, &ok);

        binding.dimension = token >> 11 & 0x1f;
        binding.data = data_of(types);
        if (!binding.data || binding.dimension == 0 || binding.dimension > 10 || binding.dimension == 4 ||
            binding.dimension == 9) {
            return "a resource of a kind that does not exist here";
        }
        if (uav && (binding.dimension == 6 || binding.dimension == 10)) {
            return "a UAV of a kind that does not exist";
        }
        if (binding.dimension != 1) {
            binding.kind = uav ? VGPU_DXBC_UAV_TEXTURE : VGPU_DXBC_TEXTURE;
        }
    } else if (opcode == VGPU_OP_DCL_RESOURCE_STRUCTURED || opcode == VGPU_OP_DCL_UAV_STRUCTURED) {
        uint32_t stride = vgpu_dxbc_word(walk, &ok);

        if (stride == 0 || stride % 4 != 0 || stride > 2048) {
            return "a structure of an impossible size";
        }
    }
    if (!ok || reg >= (uav ? VGPU_DXBC_UAVS : VGPU_DXBC_RESOURCES)) {
        return "a resource declaration that is cut short or out of range";
    }
    uint8_t *slot = uav ? &walk->uavs[reg] : &walk->resources[reg];
    if (*slot) {
        return "a resource is declared twice";
    }
    *slot = (uint8_t)(binding.kind + 1);
    return add_binding(walk, binding);
}

static const char *declare_constants(struct vgpu_dxbc_walk *walk, const struct vgpu_dxbc_operand *operand)
{
    uint32_t reg = operand->index[0], count = operand->index[1];

    if (operand->dimensions != 2 || reg >= VGPU_DXBC_CONSTANT_BUFFERS || count == 0 || count > 4096 ||
        walk->constant_registers[reg]) {
        return "a constant buffer that is out of range or declared twice";
    }
    walk->constant_registers[reg] = (uint16_t)count;
    return add_binding(walk, (struct vgpu_dxbc_binding){
                                 .kind = VGPU_DXBC_CONSTANT_BUFFER, .reg = (uint8_t)reg, .registers = count});
}

static const char *begin_phase(struct vgpu_dxbc_walk *walk, enum vgpu_dxbc_phase phase)
{
    if (walk->dxbc->type != VGPU_DXBC_HULL) {
        return "a phase outside a hull shader";
    }
    if (phase == PHASE_DECLARATIONS ? walk->phase != PHASE_NONE : walk->phase == PHASE_NONE) {
        return "hull shader phases in the wrong order";
    }
    if (phase == PHASE_CONTROL_POINT && walk->phase != PHASE_DECLARATIONS) {
        return "hull shader phases in the wrong order";
    }
    if (walk->phase >= PHASE_CONTROL_POINT && (!walk->ended || walk->depth)) {
        return "a hull shader phase without end";
    }
    walk->phase = phase;
    walk->code = false;
    walk->ended = false;
    walk->temps = 0;
    walk->system_operands &= ~(1ull << VGPU_OPERAND_FORK_INSTANCE_ID | 1ull << VGPU_OPERAND_JOIN_INSTANCE_ID |
                               1ull << VGPU_OPERAND_OUTPUT_CONTROL_POINT_ID);
    memset(walk->indexable, 0, sizeof walk->indexable);
    memset(walk->outputs, 0, sizeof walk->outputs);
    return NULL;
}

/* Checks a number in a declaration, which is in a token of its own or in bits 11 and up of the opcode
 * token. */
static const char *in_range(uint32_t value, uint32_t low, uint32_t high)
{
    return value >= low && value <= high ? NULL : "a declaration with a number out of range";
}

/* Declarations whose register is an operand. */
static const char *declare_operand(struct vgpu_dxbc_walk *walk, uint32_t opcode, uint32_t token)
{
    struct vgpu_dxbc_operand operand, inner[3];
    uint32_t inner_count;
    bool ok = true;

    if (!vgpu_dxbc_operand(walk->tokens, walk->end, &walk->at, &operand, inner, &inner_count) ||
        inner_count) {
        return "a declaration with a malformed operand";
    }
    uint32_t reg = operand.index[0];
    bool plain = operand.dimensions == 1;
    switch (opcode) {
    case VGPU_OP_DCL_RESOURCE:
    case VGPU_OP_DCL_RESOURCE_RAW:
    case VGPU_OP_DCL_RESOURCE_STRUCTURED:
        return plain && operand.type == VGPU_OPERAND_RESOURCE ? declare_resource(walk, opcode, token, reg)
                                                              : "a resource declaration of something else";
    case VGPU_OP_DCL_UAV_TYPED:
    case VGPU_OP_DCL_UAV_RAW:
    case VGPU_OP_DCL_UAV_STRUCTURED:
        return plain && operand.type == VGPU_OPERAND_UAV ? declare_resource(walk, opcode, token, reg)
                                                         : "a UAV declaration of something else";
    case VGPU_OP_DCL_CONSTANT_BUFFER:
        return operand.type == VGPU_OPERAND_CONSTANT_BUFFER
                   ? declare_constants(walk, &operand)
                   : "a constant buffer declaration of something else";
    case VGPU_OP_DCL_SAMPLER:
        if (!plain || operand.type != VGPU_OPERAND_SAMPLER || reg >= VGPU_DXBC_SAMPLERS ||
            walk->samplers[reg] || (token >> 11 & 0xf) > 1) {
            return "a sampler that is out of range, declared twice or of unknown mode";
        }
        walk->samplers[reg] = 1;
        return add_binding(walk, (struct vgpu_dxbc_binding){.kind = VGPU_DXBC_SAMPLER, .reg = (uint8_t)reg});
    case VGPU_OP_DCL_INDEX_RANGE: {
        uint32_t count = vgpu_dxbc_word(walk, &ok),
                 first = operand.dimensions ? operand.index[operand.dimensions - 1] : 0;
        bool input = operand.type == VGPU_OPERAND_INPUT || operand.type == VGPU_OPERAND_INPUT_CONTROL_POINT ||
                     operand.type == VGPU_OPERAND_PATCH_CONSTANT;
        const uint8_t *masks = operand.type == VGPU_OPERAND_PATCH_CONSTANT ? walk->patch
                               : input                                     ? walk->inputs
                                                                           : walk->outputs;

        if (!ok || !operand.dimensions || (!input && operand.type != VGPU_OPERAND_OUTPUT) ||
            first >= VGPU_DXBC_REGISTERS || count < 1 || count > VGPU_DXBC_REGISTERS - first) {
            return "an index range that is out of range";
        }
        for (uint32_t i = 0; i < count; i++) {
            if (!masks[first + i]) {
                return "an index range over a register that is not declared";
            }
        }
        return NULL;
    }
    case VGPU_OP_DCL_STREAM:
        if (walk->dxbc->type != VGPU_DXBC_GEOMETRY || !plain || operand.type != VGPU_OPERAND_STREAM ||
            reg != 0) {
            return "output streams other than 0 are not supported";
        }
        walk->streams = 1;
        return NULL;
    case VGPU_OP_DCL_SHARED_RAW:
    case VGPU_OP_DCL_SHARED_STRUCTURED: {
        uint32_t size = vgpu_dxbc_word(walk, &ok);
        uint32_t count = opcode == VGPU_OP_DCL_SHARED_STRUCTURED ? vgpu_dxbc_word(walk, &ok) : 1;

        if (!ok || !plain || operand.type != VGPU_OPERAND_SHARED_MEMORY || reg >= 32 ||
            walk->dxbc->type != VGPU_DXBC_COMPUTE || (walk->shared >> reg & 1) || size == 0 ||
            size % 4 != 0 || count == 0 || size > MAX_SHARED_BYTES || count > MAX_SHARED_BYTES / size) {
            return "shared memory that is out of range or declared twice";
        }
        walk->shared |= 1u << reg;
        return NULL;
    }
    default:
        return vgpu_dxbc_declare_register(walk, opcode, &operand);
    }
}

const char *vgpu_dxbc_declaration(struct vgpu_dxbc_walk *walk, uint32_t opcode, uint32_t token)
{
    struct vgpu_dxbc *dxbc = walk->dxbc;
    uint32_t control = token >> 11 & 0x7f, value, second;
    bool ok = true;
    const char *wrong = NULL;
    bool phase = opcode >= VGPU_OP_HS_DECLS && opcode <= VGPU_OP_HS_JOIN_PHASE;

    if (walk->code && !phase) {
        return "a declaration after code";
    }
    switch (opcode) {
    case VGPU_OP_HS_DECLS:
        wrong = begin_phase(walk, PHASE_DECLARATIONS);
        break;
    case VGPU_OP_HS_CONTROL_POINT_PHASE:
        wrong = begin_phase(walk, PHASE_CONTROL_POINT);
        break;
    case VGPU_OP_HS_FORK_PHASE:
        wrong = begin_phase(walk, PHASE_FORK);
        break;
    case VGPU_OP_HS_JOIN_PHASE:
        wrong = begin_phase(walk, PHASE_JOIN);
        break;
    case VGPU_OP_DCL_GLOBAL_FLAGS:
        /* Double precision and minimum precision arithmetic are not supported. */
        wrong = (token >> 11 & 0x1fff & ~0x19u) ? "a global flag that is not supported" : NULL;
        break;
    case VGPU_OP_DCL_TEMPS:
        value = vgpu_dxbc_word(walk, &ok);
        wrong = in_range(value, 0, VGPU_DXBC_TEMPS);
        walk->temps = value;
        break;
    case VGPU_OP_DCL_INDEXABLE_TEMP: {
        uint32_t reg = vgpu_dxbc_word(walk, &ok);

        value = vgpu_dxbc_word(walk, &ok);
        second = vgpu_dxbc_word(walk, &ok);
        if (reg >= MAX_INDEXABLE || walk->indexable[reg] || second < 1 || second > 4) {
            return "an indexable temporary that is out of range or declared twice";
        }
        wrong = in_range(value, 1, MAX_INDEXABLE_REGISTERS);
        walk->indexable[reg] = (uint16_t)value;
        break;
    }
    case VGPU_OP_DCL_GS_OUTPUT_TOPOLOGY:
        wrong = control == 1 || control == 3 || control == 5 ? NULL : "an unknown output topology";
        break;
    case VGPU_OP_DCL_GS_INPUT_PRIMITIVE:
        dxbc->input_primitive = (uint8_t)(token >> 11 & 0x3f);
        wrong = dxbc->type == VGPU_DXBC_GEOMETRY && vgpu_dxbc_input_vertices(dxbc)
                    ? NULL
                    : "an unknown input primitive";
        break;
    case VGPU_OP_DCL_MAX_VERTICES:
        wrong = in_range(vgpu_dxbc_word(walk, &ok), 1, 1024);
        break;
    case VGPU_OP_DCL_GS_INSTANCES:
        wrong = in_range(vgpu_dxbc_word(walk, &ok), 1, 32);
        break;
    case VGPU_OP_DCL_INPUT_CONTROL_POINTS:
        dxbc->input_control_points = control;
        wrong = in_range(control, 1, 32);
        break;
    case VGPU_OP_DCL_OUTPUT_CONTROL_POINTS:
        dxbc->output_control_points = control;
        wrong = in_range(control, 1, 32);
        break;
    case VGPU_OP_DCL_TESS_DOMAIN:
        dxbc->domain = control & 3;
        wrong = in_range(control, 1, 3);
        break;
    case VGPU_OP_DCL_TESS_PARTITIONING:
        dxbc->partitioning = control & 7;
        wrong = in_range(control, 1, 4);
        break;
    case VGPU_OP_DCL_TESS_OUTPUT_PRIMITIVE:
        dxbc->output_primitive = control & 7;
        wrong = in_range(control, 1, 4);
        break;
    case VGPU_OP_DCL_HS_MAX_FACTOR:
        (void)vgpu_dxbc_word(walk, &ok);
        break;
    case VGPU_OP_DCL_FORK_INSTANCES:
    case VGPU_OP_DCL_JOIN_INSTANCES:
        wrong = vgpu_dxbc_patch_phase(walk) ? in_range(vgpu_dxbc_word(walk, &ok), 1, 64)
                                            : "a phase instance count outside a phase";
        break;
    case VGPU_OP_DCL_THREAD_GROUP:
        for (uint32_t i = 0; i < 3 && wrong == NULL; i++) {
            dxbc->thread_group[i] = vgpu_dxbc_word(walk, &ok);
            wrong = in_range(dxbc->thread_group[i], 1, i == 2 ? 64 : 1024);
        }
        if (wrong == NULL && dxbc->thread_group[0] * dxbc->thread_group[1] * dxbc->thread_group[2] > 1024) {
            wrong = "a thread group of more than 1024 threads";
        }
        break;
    default:
        wrong = declare_operand(walk, opcode, token);
        break;
    }
    if (wrong == NULL && (!ok || walk->at != walk->end)) {
        wrong = "a declaration's length is not that of its contents";
    }
    return wrong;
}
