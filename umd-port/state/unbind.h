/* unbind.h: unbinds a resource that is destroyed (umd.md 5.7). */
#ifndef AGPU_UMD_STATE_UNBIND_H
#define AGPU_UMD_STATE_UNBIND_H

#include "umd-port/base/context.h"

/* Removes resource from all bindings. Records the packets if there is room; the caches drop it in any case. False:
 * there was no room for a packet. */
bool agpu_unbind_destroyed(struct agpu_context *context, struct agpu_resource *resource);

#endif
