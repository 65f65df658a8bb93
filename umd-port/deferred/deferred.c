/* deferred.c: decides whether deferred contexts are offered (umd.md 15). */
#include "umd-port/deferred/deferred.h"

bool agpu_deferred_contexts_offered(const struct agpu_adapter *adapter)
{
    const struct agpu_umd_options *options = adapter->env->options;

    return options->deferred_contexts &&
           (options->backing_mode == AGPU_BACKING_HOST || agpu_gate_transfer(adapter));
}
