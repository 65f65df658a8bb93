/* default_state.h: the state that a command list starts from and leaves behind (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_DEFAULT_STATE_H
#define AGPU_UMD_DEFERRED_DEFAULT_STATE_H

#include "umd-port/base/context.h"

/* Default state for everything bound, by packets for what is not default, the fixed-function state always;
 * for everything when a submission was lost. For deferred contexts and the immediate one. False: no room. */
bool agpu_record_default_state(struct agpu_context *context);
/* At most so many bytes of packets. */
#define AGPU_DEFAULT_STATE_BYTES 40960u

#endif
