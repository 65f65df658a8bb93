/* unbind.h: unbinds a resource that is destroyed (umd.md 5.7). */
#ifndef AGPU_UMD_STATE_UNBIND_H
#define AGPU_UMD_STATE_UNBIND_H

#include "umd-port/base/context.h"

/* Removes resource from everything bound, packets included as far as there is room; the caches drop it in
 * any case. False: some packet found no room. */
bool agpu_unbind_destroyed(struct agpu_context *context, struct agpu_resource *resource);

#endif
