/* heap.h: programs of a comparison grow on the heap. */
#ifndef AGPU_HOST_COMPARE_HEAP_H
#define AGPU_HOST_COMPARE_HEAP_H

#include "tests/cases/random/program.h"

/* An empty program. */
#define AGPU_CMP_PROGRAM ((struct agpu_gen_program){.grow = agpu_cmp_grow})

/* realloc() that ends the process when memory is exhausted. */
void *agpu_cmp_grow(void *array, size_t bytes);
void agpu_cmp_program_free(struct agpu_gen_program *program);

#endif
