/* post.h: the driver's side of a ring: writes a program's submissions to guest memory, valid or not
 * as the program requires (ring.md 1, 3, 8; legacy.md 3, 4). */
#ifndef AGPU_CASES_RANDOM_POST_H
#define AGPU_CASES_RANDOM_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/cases/random/program.h"

/* Guest memory of the machine that runs the program. */
struct agpu_gen_memory {
    void *ctx;
    /* Returns the CPU's pointer to a place of size bytes that it is about to write; NULL when it is not inside the
     * region. */
    void *(*write)(void *ctx, uint32_t region, uint64_t offset, uint64_t size);
    /* Returns the device's address of a place. */
    uint64_t (*address)(void *ctx, uint32_t region, uint64_t offset);
};

struct agpu_gen_posting {
    uint32_t at; /* offset of the ring in its region */
    uint32_t count, stride, bytes;
    uint32_t tail;
    uint32_t since_doorbell;
    uint32_t streams_at, tables_at; /* offsets for the next ones */
};

/* Writes the header of the ring that the step describes; the retired device has none. */
void agpu_gen_post_ring(struct agpu_gen_posting *posting, const struct agpu_gen_memory *memory,
                        const struct agpu_gen_step *step, bool legacy);
/* Writes stream, table, descriptor and tail of a submission. Returns the tail. */
uint32_t agpu_gen_post(struct agpu_gen_posting *posting, const struct agpu_gen_memory *memory,
                       const struct agpu_gen_program *program, const struct agpu_gen_step *step, bool legacy);

#endif
