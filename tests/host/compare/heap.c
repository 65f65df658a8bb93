/* heap.c: memory of programs. */
#include "tests/host/compare/heap.h"

#include <stdio.h>
#include <stdlib.h>

#define PARTS_MOST (UINT32_C(1) << 20)

void *agpu_cmp_grow(void *array, size_t bytes)
{
    array = realloc(array, bytes);
    if (array == NULL) {
        fprintf(stderr, "agpu compare: no memory for a program: expected %zu bytes more\n", bytes);
        abort();
    }
    return array;
}

void agpu_cmp_program_free(struct agpu_gen_program *program)
{
    free(program->steps);
    free(program->bytes);
    free(program->entries);
    free(program->patches);
    *program = AGPU_CMP_PROGRAM;
}

void agpu_cmp_reduce(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program)
{
    struct agpu_gen_program scratch = AGPU_CMP_PROGRAM;

    reduction->scratch = &scratch;
    reduction->part_room = PARTS_MOST;
    reduction->parts = agpu_cmp_grow(NULL, PARTS_MOST * sizeof *reduction->parts);
    agpu_gen_reduce(reduction, program);
    free(reduction->parts);
    agpu_cmp_program_free(&scratch);
}

void agpu_cmp_size(const struct agpu_gen_program *program, uint32_t *submissions, uint32_t *packets)
{
    *submissions = *packets = 0;
    for (uint32_t i = 0; i < program->step_count; i++) {
        uint32_t at = 0;

        if (program->steps[i].op == AGPU_GEN_SUBMIT) {
            ++*submissions;
            while (agpu_gen_packet_next(program, &program->steps[i], &at) != NULL) {
                ++*packets;
            }
        }
    }
}
