/* numbers.h: numbers of resources and shaders in the drawing process. */
#ifndef VGPU_TESTS_DEVICE_RENDER_NUMBERS_H
#define VGPU_TESTS_DEVICE_RENDER_NUMBERS_H

#include <stdint.h>

/* Numbers for things in the drawing process. Those given back are used again after the batch that destroys
 * them. */
struct vgpu_numbers {
    uint32_t *returned;
    uint32_t count;
    uint32_t reusable; /* of count */
    uint32_t slots;
    uint32_t next; /* never used yet */
    uint32_t limit;
};

uint32_t vgpu_number_alloc(struct vgpu_numbers *numbers); /* 0 = none left */
void vgpu_number_free(struct vgpu_numbers *numbers, uint32_t number);
void vgpu_number_batch_done(struct vgpu_numbers *numbers);
void vgpu_number_reset(struct vgpu_numbers *numbers);

#endif
