/* Walks the tokens of a DXBC program: every instruction has its length, every register was declared, blocks
 * nest. */
#include "tests/device/render/dxbc_private.h"

#include <string.h>

enum { MAX_NESTING = 64, MAX_INDEXABLE = 64, MAX_INDEXABLE_REGISTERS = 4096, MAX_SHARED_BYTES = 32768 };

enum block { BLOCK_IF, BLOCK_ELSE, BLOCK_LOOP, BLOCK_SWITCH };

/* Hull shader phases; other shaders stay in PHASE_NONE. */
enum phase { PHASE_NONE, PHASE_DECLARATIONS, PHASE_CONTROL_POINT, PHASE_FORK, PHASE_JOIN };

struct walk {
    const uint32_t *tokens;
    uint32_t at;  /* next token */
    uint32_t end; /* of the instruction */
    struct agpu_dxbc *dxbc;
    uint32_t temps;
    uint16_t indexable[MAX_INDEXABLE];    /* registers of x#, 0 = not declared */
    uint8_t inputs[AGPU_DXBC_REGISTERS];  /* declared components */
    uint8_t outputs[AGPU_DXBC_REGISTERS]; /* of the current phase */
    uint8_t patch[AGPU_DXBC_REGISTERS];
    uint16_t constant_registers[AGPU_DXBC_CONSTANT_BUFFERS];
    uint8_t resources[AGPU_DXBC_RESOURCES]; /* enum agpu_dxbc_binding_kind + 1 */
    uint8_t uavs[AGPU_DXBC_UAVS];
    uint8_t samplers[AGPU_DXBC_SAMPLERS];
    uint32_t shared;              /* bits of declared g# */
    uint32_t immediate_constants; /* float4 registers */
    uint64_t system_operands;     /* bits of declared operand types without a register */
    uint32_t streams;
    enum phase phase;
    bool code;  /* an instruction that is not a declaration was seen in this phase */
    bool ended; /* the last instruction was ret at nesting 0 */
    uint32_t depth;
    uint8_t blocks[MAX_NESTING];
    uint32_t loops, switches; /* open ones */
};

static bool patch_phase(const struct walk *walk)
{
    return walk->phase == PHASE_FORK || walk->phase == PHASE_JOIN;
}

/* True when some element of the signature lies in the register and covers the components. */
static bool in_signature(const struct agpu_dxbc_signature *signature, uint32_t reg, uint32_t mask)
{
    uint32_t covered = 0;
    for (uint32_t i = 0; i < signature->count; i++) {
        if (signature->elements[i].reg == reg) {
            covered |= signature->elements[i].mask;
        }
    }
    return (mask & ~covered) == 0;
}

static bool declared(const uint8_t *masks, const struct agpu_dxbc_operand *operand, uint32_t dimension)
{
    uint32_t reg = operand->index[dimension];
    if (reg >= AGPU_DXBC_REGISTERS || !masks[reg]) {
        return false;
    }
    /* Reads may name components by swizzle that nobody uses; writes may not. */
    return !operand->selects_mask || (operand->mask & ~masks[reg]) == 0;
}

/* Vertices that a two-dimensional input may be indexed by. */
static uint32_t input_vertices(const struct agpu_dxbc *dxbc)
{
    static const uint8_t of_primitive[] = {[1] = 1, [2] = 2, [3] = 3, [6] = 4, [7] = 6};
    if (dxbc->type == AGPU_DXBC_GEOMETRY) {
        return dxbc->input_primitive < sizeof of_primitive ? of_primitive[dxbc->input_primitive] : 0;
    }
    return dxbc->input_control_points;
}

static const char *check_input(const struct walk *walk, const struct agpu_dxbc_operand *operand)
{
    bool vertices = walk->dxbc->type == AGPU_DXBC_GEOMETRY || walk->dxbc->type == AGPU_DXBC_HULL;
    if (operand->dimensions != 1u + vertices) {
        return "an input register has the wrong number of indices";
    }
    if (vertices && operand->index[0] >= input_vertices(walk->dxbc)) {
        return "an input register of a vertex that the primitive does not have";
    }
    return declared(walk->inputs, operand, vertices) ? NULL : "an input register that is not declared";
}

/* The register of one operand, in code. */
static const char *check_operand(const struct walk *walk, const struct agpu_dxbc_operand *operand,
                                 bool written)
{
    uint32_t reg = operand->index[0];
    bool plain = operand->dimensions == 1 && !operand->relative[0];
    if (written && operand->components == 4 && (!operand->selects_mask || !operand->mask) &&
        operand->type != AGPU_OPERAND_NULL) {
        return "a destination without a write mask";
    }
    switch (operand->type) {
    case AGPU_OPERAND_TEMP:
        return plain && reg < walk->temps ? NULL : "a temporary register that is not declared";
    case AGPU_OPERAND_INDEXABLE_TEMP:
        return operand->dimensions == 2 && !operand->relative[0] && reg < MAX_INDEXABLE &&
                       operand->index[1] < walk->indexable[reg]
                   ? NULL
                   : "an indexable temporary register that is not declared";
    case AGPU_OPERAND_INPUT:
        return written ? "an input is written" : check_input(walk, operand);
    case AGPU_OPERAND_OUTPUT:
        if (!written || operand->dimensions != 1) {
            return "an output is read or wrongly indexed";
        }
        return declared(walk->outputs, operand, 0) ? NULL : "an output register that is not declared";
    case AGPU_OPERAND_INPUT_CONTROL_POINT:
        if (written || operand->dimensions != 2 || operand->index[0] >= walk->dxbc->input_control_points) {
            return "a control point that does not exist";
        }
        return declared(walk->inputs, operand, 1) ? NULL : "a control point register that is not declared";
    case AGPU_OPERAND_OUTPUT_CONTROL_POINT:
        if (written || !patch_phase(walk) || operand->dimensions != 2 ||
            operand->index[0] >= walk->dxbc->output_control_points ||
            operand->index[1] >= AGPU_DXBC_REGISTERS) {
            return "an output control point that does not exist";
        }
        return in_signature(&walk->dxbc->outputs, operand->index[1], 0) ? NULL : "an unknown control point";
    case AGPU_OPERAND_PATCH_CONSTANT:
        if (written || operand->dimensions != 1) {
            return "a patch constant is written or wrongly indexed";
        }
        return declared(walk->patch, operand, 0) ? NULL : "a patch constant that is not declared";
    case AGPU_OPERAND_IMMEDIATE32:
    case AGPU_OPERAND_IMMEDIATE64:
        return written ? "a number is written" : NULL;
    case AGPU_OPERAND_CONSTANT_BUFFER:
        if (written || operand->dimensions != 2 || operand->relative[0] ||
            reg >= AGPU_DXBC_CONSTANT_BUFFERS || operand->index[1] >= walk->constant_registers[reg]) {
            return "a constant that is not declared";
        }
        return NULL;
    case AGPU_OPERAND_IMMEDIATE_CONSTANTS:
        return !written && operand->dimensions == 1 && reg < walk->immediate_constants
                   ? NULL
                   : "an immediate constant that does not exist";
    case AGPU_OPERAND_RESOURCE:
        return !written && plain && reg < AGPU_DXBC_RESOURCES && walk->resources[reg]
                   ? NULL
                   : "a resource that is not declared";
    case AGPU_OPERAND_SAMPLER:
        return !written && plain && reg < AGPU_DXBC_SAMPLERS && walk->samplers[reg]
                   ? NULL
                   : "a sampler that is not declared";
    case AGPU_OPERAND_UAV:
        return plain && reg < AGPU_DXBC_UAVS && walk->uavs[reg] ? NULL : "a UAV that is not declared";
    case AGPU_OPERAND_SHARED_MEMORY:
        return plain && reg < 32 && (walk->shared >> reg & 1) ? NULL : "shared memory that is not declared";
    case AGPU_OPERAND_STREAM:
        return plain && reg == 0 && walk->streams ? NULL : "a stream that is not declared";
    case AGPU_OPERAND_NULL:
        return written ? NULL : "null is read";
    case AGPU_OPERAND_DEPTH:
    case AGPU_OPERAND_DEPTH_GREATER:
    case AGPU_OPERAND_DEPTH_LESS:
    case AGPU_OPERAND_COVERAGE:
        if (!written) {
            return "a special output is read";
        }
        break;
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
    case AGPU_OPERAND_GS_INSTANCE_ID:
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

/* One operand of code with what its indices use. */
static const char *code_operand(struct walk *walk, bool written, struct agpu_dxbc_operand *operand)
{
    struct agpu_dxbc_operand inner[3];
    uint32_t inner_count;
    if (!agpu_dxbc_operand(walk->tokens, walk->end, &walk->at, operand, inner, &inner_count)) {
        return "an operand that is malformed or passes the end of its instruction";
    }
    const char *wrong = check_operand(walk, operand, written);
    for (uint32_t i = 0; i < inner_count && !wrong; i++) {
        bool number = inner[i].type == AGPU_OPERAND_IMMEDIATE32 || inner[i].type == AGPU_OPERAND_IMMEDIATE64;
        wrong = number ? "an index by a number of the wrong form" : check_operand(walk, &inner[i], false);
    }
    return wrong;
}

static const char *open_block(struct walk *walk, enum block block)
{
    if (walk->depth >= MAX_NESTING) {
        return "blocks nest too deeply";
    }
    walk->blocks[walk->depth++] = (uint8_t)block;
    walk->loops += block == BLOCK_LOOP;
    walk->switches += block == BLOCK_SWITCH;
    return NULL;
}

static const char *close_block(struct walk *walk, enum block block, enum block or_block)
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

static const char *control_flow(struct walk *walk, uint32_t opcode)
{
    const char *wrong;
    enum agpu_dxbc_type type = walk->dxbc->type;
    walk->ended = opcode == AGPU_OP_RET && walk->depth == 0;
    switch (opcode) {
    case AGPU_OP_IF:
        return open_block(walk, BLOCK_IF);
    case AGPU_OP_ELSE:
        wrong = close_block(walk, BLOCK_IF, BLOCK_IF);
        return wrong ? wrong : open_block(walk, BLOCK_ELSE);
    case AGPU_OP_ENDIF:
        return close_block(walk, BLOCK_IF, BLOCK_ELSE);
    case AGPU_OP_LOOP:
        return open_block(walk, BLOCK_LOOP);
    case AGPU_OP_ENDLOOP:
        return close_block(walk, BLOCK_LOOP, BLOCK_LOOP);
    case AGPU_OP_SWITCH:
        return open_block(walk, BLOCK_SWITCH);
    case AGPU_OP_ENDSWITCH:
        return close_block(walk, BLOCK_SWITCH, BLOCK_SWITCH);
    case AGPU_OP_CASE:
    case AGPU_OP_DEFAULT:
        return walk->depth && walk->blocks[walk->depth - 1] == BLOCK_SWITCH ? NULL
                                                                            : "a case outside a switch";
    case AGPU_OP_BREAK:
    case AGPU_OP_BREAKC:
        return walk->loops + walk->switches ? NULL : "a break outside a loop";
    case AGPU_OP_CONTINUE:
    case AGPU_OP_CONTINUEC:
        return walk->loops ? NULL : "a continue outside a loop";
    case AGPU_OP_EMIT:
    case AGPU_OP_CUT:
    case AGPU_OP_EMIT_THEN_CUT:
    case AGPU_OP_EMIT_STREAM:
    case AGPU_OP_CUT_STREAM:
    case AGPU_OP_EMIT_THEN_CUT_STREAM:
        return type == AGPU_DXBC_GEOMETRY ? NULL : "emit or cut outside a geometry shader";
    case AGPU_OP_DISCARD:
        return type == AGPU_DXBC_PIXEL ? NULL : "discard outside a pixel shader";
    case AGPU_OP_SYNC:
        return type == AGPU_DXBC_COMPUTE ? NULL : "sync outside a compute shader";
    default:
        return NULL;
    }
}

/* What the instructions that touch memory need their operands to be. */
static const char *memory_operands(const struct walk *walk, uint32_t opcode,
                                   const struct agpu_dxbc_operand *operands, uint32_t count)
{
    (void)walk;
    const struct agpu_dxbc_operand *last = &operands[count - 1];
    bool sample = (opcode >= 69 && opcode <= 74) || opcode == 108 || opcode == 109;
    bool gather = opcode >= 126 && opcode <= 128;
    if (opcode == 45 || opcode == 61) { /* ld, resinfo */
        bool uav = opcode == 61 && operands[2].type == AGPU_OPERAND_UAV;
        return uav || operands[2].type == AGPU_OPERAND_RESOURCE ? NULL : "a read from what is no resource";
    }
    if (sample || gather) {
        bool offset = opcode == 127 || opcode == 128;
        return operands[2 + offset].type == AGPU_OPERAND_RESOURCE &&
                       operands[3 + offset].type == AGPU_OPERAND_SAMPLER
                   ? NULL
                   : "a sample without resource and sampler";
    }
    switch (opcode) {
    case 121: /* bufinfo */
    case 165: /* ld_raw */
    case 167: /* ld_structured */
        return last->type == AGPU_OPERAND_RESOURCE || last->type == AGPU_OPERAND_UAV ||
                       (last->type == AGPU_OPERAND_SHARED_MEMORY && opcode != 121)
                   ? NULL
                   : "a read from what is no buffer";
    case 163: /* ld_uav_typed */
        return last->type == AGPU_OPERAND_UAV ? NULL : "a read from what is no UAV";
    case 164: /* store_uav_typed */
        return operands[0].type == AGPU_OPERAND_UAV ? NULL : "a store to what is no UAV";
    default:
        break;
    }
    if (opcode == 166 || opcode == 168 || (opcode >= 169 && opcode <= 177)) { /* stores, atomics */
        return operands[0].type == AGPU_OPERAND_UAV || operands[0].type == AGPU_OPERAND_SHARED_MEMORY
                   ? NULL
                   : "a store to what is no memory";
    }
    if (opcode >= 180 && opcode <= 189) { /* atomics that return the old value */
        return operands[1].type == AGPU_OPERAND_UAV || operands[1].type == AGPU_OPERAND_SHARED_MEMORY
                   ? NULL
                   : "an atomic on what is no memory";
    }
    for (uint32_t i = 0; i < count; i++) {
        switch (operands[i].type) {
        case AGPU_OPERAND_RESOURCE:
        case AGPU_OPERAND_SAMPLER:
        case AGPU_OPERAND_UAV:
        case AGPU_OPERAND_SHARED_MEMORY:
            return "memory is used as a register";
        default:
            break;
        }
    }
    return NULL;
}

static const char *code(struct walk *walk, uint32_t opcode, struct agpu_dxbc_opcode form)
{
    struct agpu_dxbc_operand operands[8];
    uint32_t count = (uint32_t)form.destinations + form.sources;
    if (walk->dxbc->type == AGPU_DXBC_HULL && walk->phase < PHASE_CONTROL_POINT) {
        return "code outside a phase of a hull shader";
    }
    walk->code = true;
    const char *wrong = control_flow(walk, opcode);
    for (uint32_t i = 0; i < count && !wrong; i++) {
        wrong = code_operand(walk, i < form.destinations, &operands[i]);
    }
    if (!wrong && count) {
        wrong = memory_operands(walk, opcode, operands, count);
    }
    if (!wrong && walk->at != walk->end) {
        wrong = "an instruction's length is not that of its operands";
    }
    return wrong;
}

/* The next token of a declaration; *ok goes false at the instruction's end. */
static uint32_t word(struct walk *walk, bool *ok)
{
    if (walk->at >= walk->end) {
        *ok = false;
        return 0;
    }
    return walk->tokens[walk->at++];
}

static const char *bind(struct walk *walk, struct agpu_dxbc_binding binding)
{
    struct agpu_dxbc *dxbc = walk->dxbc;
    if (dxbc->binding_count >= AGPU_DXBC_BINDINGS) {
        return "too many resources";
    }
    dxbc->bindings[dxbc->binding_count++] = binding;
    return NULL;
}

/* The one kind of component type that the renderer's bindings know; token values: 1 unorm, 2 snorm, 3 sint,
 * 4 uint, 5 float. */
static uint8_t data_of(uint32_t type_token)
{
    switch (type_token & 0xf) {
    case 3:
        return AGPU_DXBC_INT;
    case 4:
        return AGPU_DXBC_UINT;
    case 1:
    case 2:
    case 5:
        return AGPU_DXBC_FLOAT;
    default:
        return 0;
    }
}

/* dcl_resource*, dcl_uav*: token is the opcode token, operand the declared register. */
static const char *declare_resource(struct walk *walk, uint32_t opcode, uint32_t token, uint32_t reg)
{
    bool ok = true, uav = opcode >= AGPU_OP_DCL_UAV_TYPED && opcode <= AGPU_OP_DCL_UAV_STRUCTURED;
    struct agpu_dxbc_binding binding = {
        .kind = uav ? AGPU_DXBC_UAV_BUFFER : AGPU_DXBC_BUFFER, .reg = (uint8_t)reg, .data = AGPU_DXBC_UINT};
    if (opcode == AGPU_OP_DCL_RESOURCE || opcode == AGPU_OP_DCL_UAV_TYPED) {
        uint32_t types = word(walk, &ok);
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
            binding.kind = uav ? AGPU_DXBC_UAV_TEXTURE : AGPU_DXBC_TEXTURE;
        }
    } else if (opcode == AGPU_OP_DCL_RESOURCE_STRUCTURED || opcode == AGPU_OP_DCL_UAV_STRUCTURED) {
        uint32_t stride = word(walk, &ok);
        if (stride == 0 || stride % 4 != 0 || stride > 2048) {
            return "a structure of an impossible size";
        }
    }
    if (!ok || reg >= (uav ? AGPU_DXBC_UAVS : AGPU_DXBC_RESOURCES)) {
        return "a resource declaration that is cut short or out of range";
    }
    uint8_t *slot = uav ? &walk->uavs[reg] : &walk->resources[reg];
    if (*slot) {
        return "a resource is declared twice";
    }
    *slot = (uint8_t)(binding.kind + 1);
    return bind(walk, binding);
}

static const char *declare_constants(struct walk *walk, const struct agpu_dxbc_operand *operand)
{
    uint32_t reg = operand->index[0], count = operand->index[1];
    if (operand->dimensions != 2 || reg >= AGPU_DXBC_CONSTANT_BUFFERS || count == 0 || count > 4096 ||
        walk->constant_registers[reg]) {
        return "a constant buffer that is out of range or declared twice";
    }
    walk->constant_registers[reg] = (uint16_t)count;
    return bind(walk, (struct agpu_dxbc_binding){
                          .kind = AGPU_DXBC_CONSTANT_BUFFER, .reg = (uint8_t)reg, .registers = count});
}

/* dcl_input* and dcl_output*. */
static const char *declare_register(struct walk *walk, uint32_t opcode,
                                    const struct agpu_dxbc_operand *operand)
{
    struct agpu_dxbc *dxbc = walk->dxbc;
    bool output = opcode >= AGPU_OP_DCL_OUTPUT, ok = true;
    if (opcode != AGPU_OP_DCL_INPUT && opcode != AGPU_OP_DCL_INPUT_PS && opcode != AGPU_OP_DCL_OUTPUT &&
        word(walk, &ok) > 64) {
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
        if (vertices && (operand->index[0] == 0 || operand->index[0] > input_vertices(dxbc))) {
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
        if (patch_phase(walk)) {
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
    if (!in_signature(signature, reg, operand->mask)) {
        return "a declared register is not in the signature";
    }
    masks[reg] |= operand->mask;
    return NULL;
}

static const char *begin_phase(struct walk *walk, enum phase phase)
{
    if (walk->dxbc->type != AGPU_DXBC_HULL) {
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
    walk->system_operands &= ~(1ull << AGPU_OPERAND_FORK_INSTANCE_ID | 1ull << AGPU_OPERAND_JOIN_INSTANCE_ID |
                               1ull << AGPU_OPERAND_OUTPUT_CONTROL_POINT_ID);
    memset(walk->indexable, 0, sizeof walk->indexable);
    memset(walk->outputs, 0, sizeof walk->outputs);
    return NULL;
}

/* A number that a declaration carries, in a token or in the opcode token's bits from 11 on. */
static const char *in_range(uint32_t value, uint32_t low, uint32_t high)
{
    return value >= low && value <= high ? NULL : "a declaration with a number out of range";
}

/* Declarations whose register is in an operand. */
static const char *declare_operand(struct walk *walk, uint32_t opcode, uint32_t token)
{
    struct agpu_dxbc_operand operand, inner[3];
    uint32_t inner_count;
    bool ok = true;
    if (!agpu_dxbc_operand(walk->tokens, walk->end, &walk->at, &operand, inner, &inner_count) ||
        inner_count) {
        return "a declaration with a malformed operand";
    }
    uint32_t reg = operand.index[0];
    bool plain = operand.dimensions == 1;
    switch (opcode) {
    case AGPU_OP_DCL_RESOURCE:
    case AGPU_OP_DCL_RESOURCE_RAW:
    case AGPU_OP_DCL_RESOURCE_STRUCTURED:
        return plain && operand.type == AGPU_OPERAND_RESOURCE ? declare_resource(walk, opcode, token, reg)
                                                              : "a resource declaration of something else";
    case AGPU_OP_DCL_UAV_TYPED:
    case AGPU_OP_DCL_UAV_RAW:
    case AGPU_OP_DCL_UAV_STRUCTURED:
        return plain && operand.type == AGPU_OPERAND_UAV ? declare_resource(walk, opcode, token, reg)
                                                         : "a UAV declaration of something else";
    case AGPU_OP_DCL_CONSTANT_BUFFER:
        return operand.type == AGPU_OPERAND_CONSTANT_BUFFER
                   ? declare_constants(walk, &operand)
                   : "a constant buffer declaration of something else";
    case AGPU_OP_DCL_SAMPLER:
        if (!plain || operand.type != AGPU_OPERAND_SAMPLER || reg >= AGPU_DXBC_SAMPLERS ||
            walk->samplers[reg] || (token >> 11 & 0xf) > 1) {
            return "a sampler that is out of range, declared twice or of unknown mode";
        }
        walk->samplers[reg] = 1;
        return bind(walk, (struct agpu_dxbc_binding){.kind = AGPU_DXBC_SAMPLER, .reg = (uint8_t)reg});
    case AGPU_OP_DCL_INDEX_RANGE: {
        uint32_t count = word(walk, &ok),
                 first = operand.dimensions ? operand.index[operand.dimensions - 1] : 0;
        bool input = operand.type == AGPU_OPERAND_INPUT || operand.type == AGPU_OPERAND_INPUT_CONTROL_POINT ||
                     operand.type == AGPU_OPERAND_PATCH_CONSTANT;
        const uint8_t *masks = operand.type == AGPU_OPERAND_PATCH_CONSTANT ? walk->patch
                               : input                                     ? walk->inputs
                                                                           : walk->outputs;
        if (!ok || !operand.dimensions || (!input && operand.type != AGPU_OPERAND_OUTPUT) ||
            first >= AGPU_DXBC_REGISTERS || count < 1 || count > AGPU_DXBC_REGISTERS - first) {
            return "an index range that is out of range";
        }
        for (uint32_t i = 0; i < count; i++) {
            if (!masks[first + i]) {
                return "an index range over a register that is not declared";
            }
        }
        return NULL;
    }
    case AGPU_OP_DCL_STREAM:
        if (walk->dxbc->type != AGPU_DXBC_GEOMETRY || !plain || operand.type != AGPU_OPERAND_STREAM ||
            reg != 0) {
            return "output streams other than 0 are not supported";
        }
        walk->streams = 1;
        return NULL;
    case AGPU_OP_DCL_SHARED_RAW:
    case AGPU_OP_DCL_SHARED_STRUCTURED: {
        uint32_t size = word(walk, &ok);
        uint32_t count = opcode == AGPU_OP_DCL_SHARED_STRUCTURED ? word(walk, &ok) : 1;
        if (!ok || !plain || operand.type != AGPU_OPERAND_SHARED_MEMORY || reg >= 32 ||
            walk->dxbc->type != AGPU_DXBC_COMPUTE || (walk->shared >> reg & 1) || size == 0 ||
            size % 4 != 0 || count == 0 || size > MAX_SHARED_BYTES || count > MAX_SHARED_BYTES / size) {
            return "shared memory that is out of range or declared twice";
        }
        walk->shared |= 1u << reg;
        return NULL;
    }
    default:
        return declare_register(walk, opcode, &operand);
    }
}

static const char *declaration(struct walk *walk, uint32_t opcode, uint32_t token)
{
    struct agpu_dxbc *dxbc = walk->dxbc;
    uint32_t control = token >> 11 & 0x7f, value, second;
    bool ok = true;
    const char *wrong = NULL;
    bool phase = opcode >= AGPU_OP_HS_DECLS && opcode <= AGPU_OP_HS_JOIN_PHASE;
    if (walk->code && !phase) {
        return "a declaration behind code";
    }
    switch (opcode) {
    case AGPU_OP_HS_DECLS:
        wrong = begin_phase(walk, PHASE_DECLARATIONS);
        break;
    case AGPU_OP_HS_CONTROL_POINT_PHASE:
        wrong = begin_phase(walk, PHASE_CONTROL_POINT);
        break;
    case AGPU_OP_HS_FORK_PHASE:
        wrong = begin_phase(walk, PHASE_FORK);
        break;
    case AGPU_OP_HS_JOIN_PHASE:
        wrong = begin_phase(walk, PHASE_JOIN);
        break;
    case AGPU_OP_DCL_GLOBAL_FLAGS:
        /* Double precision and minimum precision arithmetic are not supported. */
        wrong = (token >> 11 & 0x1fff & ~0x19u) ? "a global flag that is not supported" : NULL;
        break;
    case AGPU_OP_DCL_TEMPS:
        value = word(walk, &ok);
        wrong = in_range(value, 0, AGPU_DXBC_TEMPS);
        walk->temps = value;
        break;
    case AGPU_OP_DCL_INDEXABLE_TEMP: {
        uint32_t reg = word(walk, &ok);
        value = word(walk, &ok);
        second = word(walk, &ok);
        if (reg >= MAX_INDEXABLE || walk->indexable[reg] || second < 1 || second > 4) {
            return "an indexable temporary that is out of range or declared twice";
        }
        wrong = in_range(value, 1, MAX_INDEXABLE_REGISTERS);
        walk->indexable[reg] = (uint16_t)value;
        break;
    }
    case AGPU_OP_DCL_GS_OUTPUT_TOPOLOGY:
        wrong = control == 1 || control == 3 || control == 5 ? NULL : "an unknown output topology";
        break;
    case AGPU_OP_DCL_GS_INPUT_PRIMITIVE:
        dxbc->input_primitive = (uint8_t)(token >> 11 & 0x3f);
        wrong =
            dxbc->type == AGPU_DXBC_GEOMETRY && input_vertices(dxbc) ? NULL : "an unknown input primitive";
        break;
    case AGPU_OP_DCL_MAX_VERTICES:
        wrong = in_range(word(walk, &ok), 1, 1024);
        break;
    case AGPU_OP_DCL_GS_INSTANCES:
        wrong = in_range(word(walk, &ok), 1, 32);
        break;
    case AGPU_OP_DCL_INPUT_CONTROL_POINTS:
        dxbc->input_control_points = control;
        wrong = in_range(control, 1, 32);
        break;
    case AGPU_OP_DCL_OUTPUT_CONTROL_POINTS:
        dxbc->output_control_points = control;
        wrong = in_range(control, 1, 32);
        break;
    case AGPU_OP_DCL_TESS_DOMAIN:
        dxbc->domain = control & 3;
        wrong = in_range(control, 1, 3);
        break;
    case AGPU_OP_DCL_TESS_PARTITIONING:
        dxbc->partitioning = control & 7;
        wrong = in_range(control, 1, 4);
        break;
    case AGPU_OP_DCL_TESS_OUTPUT_PRIMITIVE:
        dxbc->output_primitive = control & 7;
        wrong = in_range(control, 1, 4);
        break;
    case AGPU_OP_DCL_HS_MAX_FACTOR:
        (void)word(walk, &ok);
        break;
    case AGPU_OP_DCL_FORK_INSTANCES:
    case AGPU_OP_DCL_JOIN_INSTANCES:
        wrong =
            patch_phase(walk) ? in_range(word(walk, &ok), 1, 64) : "a phase instance count outside a phase";
        break;
    case AGPU_OP_DCL_THREAD_GROUP:
        for (uint32_t i = 0; i < 3 && !wrong; i++) {
            dxbc->thread_group[i] = word(walk, &ok);
            wrong = in_range(dxbc->thread_group[i], 1, i == 2 ? 64 : 1024);
        }
        if (!wrong && dxbc->thread_group[0] * dxbc->thread_group[1] * dxbc->thread_group[2] > 1024) {
            wrong = "a thread group of more than 1024 threads";
        }
        break;
    default:
        wrong = declare_operand(walk, opcode, token);
        break;
    }
    if (!wrong && (!ok || walk->at != walk->end)) {
        wrong = "a declaration's length is not that of its contents";
    }
    return wrong;
}

/* Custom data: the immediate constant buffer counts, everything else is skipped. */
static const char *custom_data(struct walk *walk, uint32_t token, uint32_t length)
{
    enum { IMMEDIATE_CONSTANTS = 3 };
    if (token >> 11 == IMMEDIATE_CONSTANTS) {
        uint32_t words = length - 2;
        if (words == 0 || words % 4 != 0 || words / 4 > 4096 || walk->immediate_constants || walk->code) {
            return "an immediate constant buffer that is out of range, repeated or behind code";
        }
        walk->immediate_constants = words / 4;
    }
    return NULL;
}

/* One instruction at walk->at; moves past it. */
static const char *instruction(struct walk *walk, uint32_t count)
{
    uint32_t start = walk->at, token = walk->tokens[walk->at++], opcode = token & 0x7ff;
    uint32_t length = token >> 24 & 0x7f;
    bool custom = opcode == AGPU_OP_CUSTOM_DATA;
    if (custom) {
        length = walk->at < count ? walk->tokens[walk->at] : 0;
        if (length < 2) {
            return "custom data without length";
        }
    }
    if (length == 0 || length > count - start) {
        return "an instruction passes the end";
    }
    walk->end = start + length;
    if (custom) {
        walk->at = walk->end;
        return custom_data(walk, token, length);
    }
    for (bool more = token >> 31; more;) {
        if (walk->at >= walk->end) {
            return "an instruction passes its end";
        }
        more = walk->tokens[walk->at++] >> 31;
    }
    struct agpu_dxbc_opcode form = agpu_dxbc_opcode(opcode);
    if (form.form == AGPU_FORM_UNKNOWN || form.minimum > walk->dxbc->major) {
        return "an instruction that is unknown or not supported";
    }
    return form.form == AGPU_FORM_CODE ? code(walk, opcode, form) : declaration(walk, opcode, token);
}

static const char *check_end(const struct walk *walk)
{
    const struct agpu_dxbc *dxbc = walk->dxbc;
    if (walk->depth || !walk->ended) {
        return "the program has no end";
    }
    switch (dxbc->type) {
    case AGPU_DXBC_GEOMETRY:
        return dxbc->input_primitive ? NULL : "a geometry shader without input primitive";
    case AGPU_DXBC_HULL:
        return dxbc->input_control_points && dxbc->output_control_points && dxbc->domain &&
                       dxbc->partitioning && dxbc->output_primitive && dxbc->patch.count
                   ? NULL
                   : "a hull shader without its declarations";
    case AGPU_DXBC_DOMAIN:
        return dxbc->domain && dxbc->patch.count ? NULL : "a domain shader without its declarations";
    case AGPU_DXBC_COMPUTE:
        return dxbc->thread_group[0] ? NULL : "a compute shader without thread group";
    default:
        return NULL;
    }
}

const char *agpu_dxbc_check_program(const uint32_t *tokens, uint32_t count, struct agpu_dxbc *dxbc)
{
    if (count < 2 || tokens[1] < 2 || tokens[1] > count) {
        return "the program passes the end of its chunk";
    }
    dxbc->type = (uint8_t)(tokens[0] >> 16);
    dxbc->major = tokens[0] >> 4 & 0xf;
    dxbc->minor = tokens[0] & 0xf;
    if (tokens[0] >> 16 >= AGPU_DXBC_TYPES || (tokens[0] & 0xff00) != 0) {
        return "an unknown kind of program";
    }
    bool version = dxbc->major == 4 ? dxbc->minor <= 1 : dxbc->major == 5 && dxbc->minor == 0;
    bool tessellation = dxbc->type == AGPU_DXBC_HULL || dxbc->type == AGPU_DXBC_DOMAIN;
    if (!version || (tessellation && dxbc->major < 5)) {
        return "a shader model other than 4.0, 4.1 and 5.0";
    }
    struct walk walk = {.tokens = tokens, .at = 2, .dxbc = dxbc};
    /* Geometry shaders of shader model 4 have one stream without declaring it. */
    walk.streams = dxbc->major == 4;
    const char *wrong = NULL;
    while (!wrong && walk.at < tokens[1]) {
        wrong = instruction(&walk, tokens[1]);
    }
    return wrong ? wrong : check_end(&walk);
}
