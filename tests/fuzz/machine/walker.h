/* walker.h: the renderer of the device under fuzz. It looks at everything that a draw hands over, so that
 * what should be gone and is not is noticed, then gives it to the renderer (tests/device/render), which draws
 * for real where there is a Vulkan driver and answers BACKEND where there is none. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_WALKER_H
#define AGPU_TESTS_FUZZ_MACHINE_WALKER_H

#include <stdint.h>

struct vgpu_renderer;

/* What the renderer may keep of the inputs before: translated shaders (64 MiB and one more), numbers. */
#define FUZZ_RENDERER_KEEPS (UINT64_C(96) << 20)

/* Makes the renderer; once a process, before the devices, which it outlives. Its processes are started by the
 * first draw and kept: that costs more than a thousand inputs. */
void fuzz_walker_open(void);

/* Another input: it gets its own time for drawing. */
void fuzz_walker_begin(void);

/* One renderer for all devices of the process, one at a time. */
const struct vgpu_renderer *fuzz_walker(void);

#endif
