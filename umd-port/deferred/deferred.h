/* deferred.h: when deferred contexts and command lists are offered (umd.md 15); without them the
 * function tables keep their refusing entries. */
#ifndef AGPU_UMD_DEFERRED_DEFERRED_H
#define AGPU_UMD_DEFERRED_DEFERRED_H

#include "umd-port/base/adapter.h"

/* Option on, and a device that can take a list's contents: by copies, or everything host-owned. Decides caps
 * THREADING and CreateDeferredContext. */
bool agpu_deferred_contexts_offered(const struct agpu_adapter *adapter);

#endif
