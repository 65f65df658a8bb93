/* post.h: the driver's side of a ring for a comparison: writes a program's submissions to guest memory, valid or not
 * as the program requires (ring.md 1, 3, 8; legacy.md 3, 4). */
#ifndef AGPU_HOST_COMPARE_POST_H
#define AGPU_HOST_COMPARE_POST_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/machine.h"
#include "tests/cases/random/program.h"

struct agpu_cmp_posting {
    uint32_t at; /* offset of the ring in its region */
    uint32_t count, stride, bytes;
    uint32_t tail;
    uint32_t since_doorbell;
    uint32_t streams_at, tables_at; /* offsets for the next ones */
};

/* Writes the header of the ring that the step describes; the retired device has none. */
void agpu_cmp_post_ring(struct agpu_cmp_posting *posting, struct agpu_cmp_machine *machine,
                        const struct agpu_gen_step *step, bool legacy);
/* Writes stream, table, descriptor and tail of a submission. Returns the tail. */
uint32_t agpu_cmp_post(struct agpu_cmp_posting *posting, struct agpu_cmp_machine *machine,
                       const struct agpu_gen_program *program, const struct agpu_gen_step *step, bool legacy);

#endif
