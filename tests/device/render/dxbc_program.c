/* dxbc_program.c: walks the tokens of a DXBC program: checks instruction lengths, declared registers and block
 * nesting. */
#include "tests/device/render/dxbc_program.h"

#include <stddef.h>

#include "tests/device/render/dxbc_code.h"
#include "tests/device/render/dxbc_declare.h"
#include "tests/device/render/dxbc_walk.h"

/* Custom data: reads the immediate constant buffer and skips everything else. */
static const char *custom_data(struct vgpu_dxbc_walk *walk, uint32_t token, uint32_t length)
{
    enum { IMMEDIATE_CONSTANTS = 3 };
    if (token >> 11 == IMMEDIATE_CONSTANTS) {
        uint32_t words = length - 2;

        if (words == 0 || words % 4 != 0 || words / 4 > 4096 || walk->immediate_constants || walk->code) {
            return "an immediate constant buffer that is out of range, repeated or after code";
        }
        walk->immediate_constants = words / 4;
    }
    return NULL;
}

/* Checks the instruction at walk->at, which moves past it. */
static const char *check_instruction(struct vgpu_dxbc_walk *walk, uint32_t count)
{
    uint32_t start = walk->at, token = walk->tokens[walk->at++], opcode = token & 0x7ff;
    uint32_t length = token >> 24 & 0x7f;
    bool custom = opcode == VGPU_OP_CUSTOM_DATA;

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
    struct vgpu_dxbc_opcode form = vgpu_dxbc_opcode(opcode);
    if (form.form == VGPU_FORM_UNKNOWN || form.minimum > walk->dxbc->major) {
        return "an instruction that is unknown or not supported";
    }
    return form.form == VGPU_FORM_CODE ? vgpu_dxbc_code(walk, opcode, form)
                                       : vgpu_dxbc_declaration(walk, opcode, token);
}

static const char *check_end(const struct vgpu_dxbc_walk *walk)
{
    const struct vgpu_dxbc *dxbc = walk->dxbc;

    if (walk->depth || !walk->ended) {
        return "the program has no end";
    }
    switch (dxbc->type) {
    case VGPU_DXBC_GEOMETRY:
        return dxbc->input_primitive ? NULL : "a geometry shader without input primitive";
    case VGPU_DXBC_HULL:
        return dxbc->input_control_points && dxbc->output_control_points && dxbc->domain &&
                       dxbc->partitioning && dxbc->output_primitive && dxbc->patch.count
                   ? NULL
                   : "a hull shader without its declarations";
    case VGPU_DXBC_DOMAIN:
        return dxbc->domain && dxbc->patch.count ? NULL : "a domain shader without its declarations";
    case VGPU_DXBC_COMPUTE:
        return dxbc->thread_group[0] ? NULL : "a compute shader without thread group";
    default:
        return NULL;
    }
}

const char *vgpu_dxbc_check_program(const uint32_t *tokens, uint32_t count, struct vgpu_dxbc *dxbc)
{
    if (count < 2 || tokens[1] < 2 || tokens[1] > count) {
        return "the program passes the end of its chunk";
    }
    dxbc->type = (uint8_t)(tokens[0] >> 16);
    dxbc->major = tokens[0] >> 4 & 0xf;
    dxbc->minor = tokens[0] & 0xf;
    if (tokens[0] >> 16 >= VGPU_DXBC_TYPES || (tokens[0] & 0xff00) != 0) {
        return "an unknown kind of program";
    }
    bool version = dxbc->major == 4 ? dxbc->minor <= 1 : dxbc->major == 5 && dxbc->minor == 0;
    bool tessellation = dxbc->type == VGPU_DXBC_HULL || dxbc->type == VGPU_DXBC_DOMAIN;
    if (!version || (tessellation && dxbc->major < 5)) {
        return "a shader model other than 4.0, 4.1 and 5.0";
    }
    struct vgpu_dxbc_walk walk = {.tokens = tokens, .at = 2, .dxbc = dxbc};
    /* Geometry shaders of shader model 4 have one stream without a declaration. */
    walk.streams = dxbc->major == 4;
    const char *wrong = NULL;
    while (wrong == NULL && walk.at < tokens[1]) {
        wrong = check_instruction(&walk, tokens[1]);
    }
    return wrong != NULL ? wrong : check_end(&walk);
}
