/* numbers.h: allocates numbers of resources and shaders in the drawing process. */
#ifndef VGPU_TESTS_DEVICE_RENDER_NUMBERS_H
#define VGPU_TESTS_DEVICE_RENDER_NUMBERS_H

#include <stdint.h>

/* Numbers of objects in the drawing process. A freed number is reused after the batch that destroys its
 * object. */
struct vgpu_numbers {
    uint32_t *returned;
    uint32_t count;
    uint32_t reusable; /* part of count */
    uint32_t slots;
    uint32_t next; /* first number that was never used */
    uint32_t limit;
};

uint32_t vgpu_number_alloc(struct vgpu_numbers *numbers); /* 0 = none left */
void vgpu_number_free(struct vgpu_numbers *numbers, uint32_t number);
void vgpu_number_batch_done(struct vgpu_numbers *numbers);
void vgpu_number_reset(struct vgpu_numbers *numbers);

#endif
