/* walker.h: the renderer of the device under fuzz. It reads everything that a draw passes on, so that a
 * dangling object is detected, and then calls the renderer (tests/device/render), which draws if there is a
 * Vulkan driver and answers BACKEND otherwise. */
#ifndef AGPU_TESTS_FUZZ_MACHINE_WALKER_H
#define AGPU_TESTS_FUZZ_MACHINE_WALKER_H

#include <stdint.h>

struct vgpu_renderer;

/* Memory that the renderer may keep from earlier inputs: translated shaders (64 MiB and one more), numbers. */
#define FUZZ_RENDERER_KEEPS (UINT64_C(96) << 20)

/* Creates the renderer; call once per process, before the devices, which it outlives. The first draw starts its
 * processes, which are reused: a start costs more than a thousand inputs. */
void fuzz_walker_open(void);

/* Starts another input, with its own time budget for drawing. */
void fuzz_walker_begin(void);

/* Returns the renderer for all devices of the process, one at a time. */
const struct vgpu_renderer *fuzz_walker(void);

#endif
