/* walker.h: the renderer of the device under fuzz: draws nothing, but looks at everything that a draw hands
 * over, so that what should be gone and is not is noticed. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_WALKER_H
#define AGPU_TESTS_FUZZ_MACHINE_WALKER_H

struct agpu_renderer;

/* One renderer for all devices of the process, one at a time. */
const struct agpu_renderer *fuzz_walker(void);

#endif
