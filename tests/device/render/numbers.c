/* numbers.c: allocates numbers of resources and shaders in the drawing process. */
#include "tests/device/render/numbers.h"

#include <stdlib.h>

uint32_t vgpu_number_alloc(struct vgpu_numbers *numbers)
{
    if (numbers->reusable) {
        uint32_t number = numbers->returned[--numbers->reusable];

        numbers->returned[numbers->reusable] = numbers->returned[--numbers->count];
        return number;
    }
    if (numbers->next == 0) {
        numbers->next = 1;
    }
    return numbers->next < numbers->limit ? numbers->next++ : 0;
}

void vgpu_number_free(struct vgpu_numbers *numbers, uint32_t number)
{
    if (numbers->count == numbers->slots) {
        uint32_t slots = numbers->slots ? 2 * numbers->slots : 64;
        uint32_t *grown = realloc(numbers->returned, slots * sizeof *grown);

        if (grown == NULL) {
            return; /* the number is not used again */
        }
        numbers->returned = grown;
        numbers->slots = slots;
    }
    numbers->returned[numbers->count++] = number;
}

void vgpu_number_batch_done(struct vgpu_numbers *numbers)
{
    numbers->reusable = numbers->count;
}

void vgpu_number_reset(struct vgpu_numbers *numbers)
{
    numbers->count = 0;
    numbers->reusable = 0;
    numbers->next = 1;
}
