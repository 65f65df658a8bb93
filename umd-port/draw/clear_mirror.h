/* clear_mirror.h: repeats colour clears in CPU copies, so that host-owned targets can be read back (umd.md
 * 11). */
#ifndef AGPU_UMD_DRAW_CLEAR_MIRROR_H
#define AGPU_UMD_DRAW_CLEAR_MIRROR_H

#include "umd-port/base/device.h"
#include "umd-port/state/objects.h"

/* Writes the packed colour to the view's subresources in the resource's shadow or, with the test option, in its guest
 * memory. Row padding is not changed. Formats other than 8-bit and 16-bit colour are ignored. */
void agpu_mirror_clear(struct agpu_device *device, const struct agpu_view *view, const float *rgba);

#endif
