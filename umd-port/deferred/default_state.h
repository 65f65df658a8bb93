/* default_state.h: the state in which a command list starts, and which it leaves (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_DEFAULT_STATE_H
#define AGPU_UMD_DEFERRED_DEFAULT_STATE_H

#include "umd-port/base/context.h"

/* Records packets that set default state: for bindings that differ from it, and always for the fixed-function state;
 * after a lost submission for everything. For deferred contexts and the immediate one. False: no room. */
bool agpu_record_default_state(struct agpu_context *context);
/* Upper bound of these packets in bytes. */
#define AGPU_DEFAULT_STATE_BYTES 40960u

#endif
