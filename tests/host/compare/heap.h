/* heap.h: programs of a comparison grow on the heap. */
#ifndef AGPU_HOST_COMPARE_HEAP_H
#define AGPU_HOST_COMPARE_HEAP_H

#include "tests/cases/random/reduce.h"

/* An empty program. */
#define AGPU_CMP_PROGRAM ((struct agpu_gen_program){.grow = agpu_cmp_grow})

/* realloc() that ends the process when memory is exhausted. */
void *agpu_cmp_grow(void *array, size_t bytes);
void agpu_cmp_program_free(struct agpu_gen_program *program);
/* Reduces a program, with memory for the parts and the scratch program. */
void agpu_cmp_reduce(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program);

/* Counts submissions and packets of a program, for reports. */
void agpu_cmp_size(const struct agpu_gen_program *program, uint32_t *submissions, uint32_t *packets);

#endif
