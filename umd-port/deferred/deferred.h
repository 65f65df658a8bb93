/* deferred.h: decides whether deferred contexts and command lists are offered (umd.md 15). Otherwise the function
 * tables keep their refusing entries. */
#ifndef AGPU_UMD_DEFERRED_DEFERRED_H
#define AGPU_UMD_DEFERRED_DEFERRED_H

#include "umd-port/base/adapter.h"

/* True when the option is on and the device can receive a list's contents: through copies, or because everything is
 * host-owned. Decides caps THREADING and CreateDeferredContext. */
bool agpu_deferred_contexts_offered(const struct agpu_adapter *adapter);

#endif
