/* lock.h: the environment's lock, which an entry holds from AGPU_HOLD() to its return. It lets the runtime create and
 * destroy objects on one thread while another uses the immediate context (umd.md 3.3). */
#ifndef AGPU_UMD_BASE_LOCK_H
#define AGPU_UMD_BASE_LOCK_H

#include "umd-port/base/device.h"
#include "umd-port/ddi/environment.h"

struct agpu_held {
    const struct agpu_umd_environment *env; /* NULL: nothing is held */
};

/* Takes the lock. A deferred context needs none: what it shares is never written, or atomic (umd.md 15). */
static inline struct agpu_held agpu_hold(D3D10DDI_HDEVICE handle)
{
    const struct agpu_context *context = agpu_context_of(handle);
    struct agpu_held held = {NULL};

    if (context != NULL && context->device->recorder == NULL && context->device->env->lock != NULL) {
        held.env = context->device->env;
        held.env->lock(held.env->ctx);
    }
    return held;
}

static inline void agpu_release(struct agpu_held *held)
{
    if (held->env != NULL) {
        held->env->unlock(held->env->ctx);
    }
}

#define AGPU_HOLD(handle)                                                                                    \
    __attribute__((cleanup(agpu_release), unused)) struct agpu_held held_ = agpu_hold(handle)

#endif
