/* dxbc_walk.h: state of the walk through the tokens of a DXBC program: position and declarations so far. */
#ifndef VGPU_TESTS_DEVICE_RENDER_DXBC_WALK_H
#define VGPU_TESTS_DEVICE_RENDER_DXBC_WALK_H

#include "tests/device/render/dxbc_operand.h"
#include "tests/device/render/dxbc_shader.h"

enum { MAX_NESTING = 64, MAX_INDEXABLE = 64, MAX_INDEXABLE_REGISTERS = 4096, MAX_SHARED_BYTES = 32768 };

enum vgpu_dxbc_block { BLOCK_IF, BLOCK_ELSE, BLOCK_LOOP, BLOCK_SWITCH };

/* Hull shader phases; other shaders stay in PHASE_NONE. */
enum vgpu_dxbc_phase { PHASE_NONE, PHASE_DECLARATIONS, PHASE_CONTROL_POINT, PHASE_FORK, PHASE_JOIN };

struct vgpu_dxbc_walk {
    const uint32_t *tokens;
    uint32_t at;  /* next token */
    uint32_t end; /* end of the instruction */
    struct vgpu_dxbc *dxbc;
    uint32_t temps;
    uint16_t indexable[MAX_INDEXABLE];    /* registers of x#, 0 = not declared */
    uint8_t inputs[VGPU_DXBC_REGISTERS];  /* declared components */
    uint8_t outputs[VGPU_DXBC_REGISTERS]; /* of the current phase */
    uint8_t patch[VGPU_DXBC_REGISTERS];
    uint16_t constant_registers[VGPU_DXBC_CONSTANT_BUFFERS];
    uint8_t resources[VGPU_DXBC_RESOURCES]; /* enum vgpu_dxbc_binding_kind + 1 */
    uint8_t uavs[VGPU_DXBC_UAVS];
    uint8_t samplers[VGPU_DXBC_SAMPLERS];
    uint32_t shared;              /* bit mask of declared g# */
    uint32_t immediate_constants; /* float4 registers */
    uint64_t system_operands;     /* bit mask of declared operand types without a register */
    uint32_t streams;
    enum vgpu_dxbc_phase phase;
    bool code;  /* this phase has an instruction that is not a declaration */
    bool ended; /* the last instruction was ret at nesting 0 */
    uint32_t depth;
    uint8_t blocks[MAX_NESTING];
    uint32_t loops, switches; /* number of open ones */
};

static inline bool vgpu_dxbc_patch_phase(const struct vgpu_dxbc_walk *walk)
{
    return walk->phase == PHASE_FORK || walk->phase == PHASE_JOIN;
}

/* True when elements of the signature are in the register and cover the components. */
bool vgpu_dxbc_in_signature(const struct vgpu_dxbc_signature *signature, uint32_t reg, uint32_t mask);
/* Number of vertices that may index a two-dimensional input. */
uint32_t vgpu_dxbc_input_vertices(const struct vgpu_dxbc *dxbc);

/* Returns the next token of a declaration; sets *ok to false at the end of the instruction. */
uint32_t vgpu_dxbc_word(struct vgpu_dxbc_walk *walk, bool *ok);

#endif
