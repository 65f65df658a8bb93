/* point_size.c: adds a PointSize output of 1.0 to a SPIR-V vertex or domain shader. */
#include "tests/device/shaderc/point_size.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 5,
    FUNCTION_WORDS = 5,
    MOST_IDS = 1 << 22, /* maximum in a module (SPIR-V specification) */
    ADDED = 64,         /* words; more than all additions */
    OP_ENTRY_POINT = 15,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_FUNCTION = 54,
    OP_VARIABLE = 59,
    OP_STORE = 62,
    OP_DECORATE = 71,
    OP_LABEL = 248,
    STORAGE_OUTPUT = 3,
    DECORATION_BUILTIN = 11,
    BUILTIN_POINT_SIZE = 1,
};

struct spirv_module {
    const uint32_t *in;
    uint32_t in_words;
    uint32_t *out;
    uint32_t out_words;
    uint32_t entry_function;
    uint32_t float_type; /* 0 = not found */
};

static uint32_t spirv_opcode(uint32_t word)
{
    return word & 0xffff;
}

static void put_instruction(struct spirv_module *module, uint32_t op, const uint32_t *operands,
                            uint32_t count)
{
    module->out[module->out_words++] = (count + 1) << 16 | op;
    memcpy(module->out + module->out_words, operands, count * sizeof *operands);
    module->out_words += count;
}

/* Checks that exactly one function has the entry's number: each one would get a store, and there is space for
 * one. */
static bool has_one_entry(const struct spirv_module *module)
{
    unsigned count = 0;

    for (uint32_t at = HEADER; at < module->in_words; at += module->in[at] >> 16) {
        count += spirv_opcode(module->in[at]) == OP_FUNCTION && module->in[at + 2] == module->entry_function;
    }
    return count == 1;
}

/* Finds the parts of the module. Returns false when something is malformed. */
static bool scan_module(struct spirv_module *module)
{
    for (uint32_t at = HEADER; at < module->in_words;) {
        const uint32_t *instruction = module->in + at;
        uint32_t length = instruction[0] >> 16;

        if (length == 0 || length > module->in_words - at) {
            return false;
        }
        if (spirv_opcode(instruction[0]) == OP_FUNCTION && length != FUNCTION_WORDS) {
            return false;
        }
        if (spirv_opcode(instruction[0]) == OP_ENTRY_POINT) {
            /* Exactly one entry point, with space for another variable. */
            if (length < 4 || length == UINT16_MAX || module->entry_function != 0) {
                return false;
            }
            module->entry_function = instruction[2];
        } else if (spirv_opcode(instruction[0]) == OP_TYPE_FLOAT && length == 3 && instruction[2] == 32) {
            module->float_type = instruction[1];
        } else if (spirv_opcode(instruction[0]) == OP_DECORATE && length == 4 &&
                   instruction[2] == DECORATION_BUILTIN && instruction[3] == BUILTIN_POINT_SIZE) {
            return false;
        }
        at += length;
    }
    return module->entry_function != 0 && has_one_entry(module);
}

static void copy_module(struct spirv_module *module)
{
    uint32_t bound = module->in[3], variable = bound, pointer = bound + 1, one = bound + 2,
             type = module->float_type;
    bool decorated = false, declared = false, inside = false, store = false;
    uint32_t added = 3;

    if (!type) {
        type = bound + added++;
    }
    memcpy(module->out, module->in, HEADER * sizeof *module->out);
    module->out[3] = bound + added;
    module->out_words = HEADER;
    for (uint32_t at = HEADER; at < module->in_words;) {
        const uint32_t *instruction = module->in + at;
        uint32_t length = instruction[0] >> 16, op = spirv_opcode(instruction[0]);

        if (op == OP_DECORATE && !decorated) {
            put_instruction(module, OP_DECORATE,
                            (uint32_t[]){variable, DECORATION_BUILTIN, BUILTIN_POINT_SIZE}, 3);
            decorated = true;
        }
        if (op == OP_FUNCTION && !declared) {
            if (!module->float_type) {
                put_instruction(module, OP_TYPE_FLOAT, (uint32_t[]){type, 32}, 2);
            }
            put_instruction(module, OP_TYPE_POINTER, (uint32_t[]){pointer, STORAGE_OUTPUT, type}, 3);
            put_instruction(module, OP_VARIABLE, (uint32_t[]){pointer, variable, STORAGE_OUTPUT}, 3);
            put_instruction(module, OP_CONSTANT, (uint32_t[]){type, one, 0x3f800000}, 3);
            declared = true;
        }
        if (op == OP_FUNCTION && instruction[2] == module->entry_function) {
            inside = true;
        }
        /* After the variables of the first block. */
        if (store && op != OP_VARIABLE) {
            put_instruction(module, OP_STORE, (uint32_t[]){variable, one}, 2);
            store = false;
        }
        memcpy(module->out + module->out_words, instruction, length * sizeof *instruction);
        if (op == OP_ENTRY_POINT) {
            module->out[module->out_words] += 1u << 16;
            module->out[module->out_words + length] = variable;
            module->out_words++;
        }
        module->out_words += length;
        if (inside && op == OP_LABEL) {
            store = true;
            inside = false;
        }
        at += length;
    }
}

uint32_t *vgpu_point_size(const uint32_t *words, uint32_t *size)
{
    struct spirv_module module = {.in = words, .in_words = *size / 4};

    if (module.in_words < HEADER || words[3] > MOST_IDS || !scan_module(&module)) {
        return NULL;
    }
    module.out = malloc((module.in_words + ADDED) * sizeof *module.out);
    if (module.out == NULL) {
        return NULL;
    }
    copy_module(&module);
    *size = module.out_words * 4;
    return module.out;
}
