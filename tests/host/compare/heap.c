/* heap.c: memory of programs. */
#include "tests/host/compare/heap.h"

#include <stdio.h>
#include <stdlib.h>

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
