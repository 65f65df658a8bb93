/* restart.c: the ring of a case, stopped and started. */
#include "tests/cases/rig/restart.h"

enum agpu_status agpu_ring_restart(struct agpu_env *env, const struct agpu_ring_config *config)
{
    struct agpu_ring_config possible = *config;
    enum agpu_status status;

    possible.no_fence_page |= env->prerequisites.of[AGPU_PREREQUISITE_FENCE_PAGE].broken;
    env->errors.count = 0; /* a reset clears it (device.md 4.2) */
    status = agpu_ring_stop(&env->ring);
    return status == AGPU_OK ? agpu_ring_start(&env->ring, &env->function, env->abi.features, &possible)
                             : status;
}
