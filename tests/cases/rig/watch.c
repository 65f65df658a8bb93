/* watch.c: rings the doorbell, and polls the device until it is done. */
#include "tests/cases/rig/watch.h"

#include "pci/machine/test_system.h"
#include "pci/machine/wait.h"
#include "ring/ring.h"

/* Polls in one round, before the machine may idle. If the machine shows every step, one is enough. */
#define POLLS       1024u
#define POLLS_STEPS 1u

struct watch {
    bool (*poll_device)(void *ctx, bool registers);
    void *ctx;
    bool done;
    bool inside; /* reading a register may move the line, which is another step */
};

static void watch_step(void *ctx, bool registers)
{
    struct watch *watch = ctx;

    if (!watch->done && !watch->inside) {
        watch->inside = true;
        watch->done = watch->poll_device(watch->ctx, registers);
        watch->inside = false;
    }
}

bool agpu_watch_sees_steps(const struct agpu_test *test)
{
    return test->env->platform->test->observe != NULL;
}

bool agpu_watch_at(struct agpu_test *test, bool (*poll_device)(void *ctx, bool registers), void *ctx,
                   struct agpu_where where)
{
    const struct agpu_platform *platform = test->env->platform;
    struct watch watch = {.poll_device = poll_device, .ctx = ctx};
    const unsigned polls = agpu_watch_sees_steps(test) ? POLLS_STEPS : POLLS;
    struct agpu_wait wait;

    agpu_wait_begin(&wait, platform, AGPU_RELAX_FENCE);
    if (platform->test->observe != NULL) {
        platform->test->observe(platform->ctx, watch_step, &watch);
    }
    agpu_doorbell(&test->env->ring);
    do {
        for (unsigned i = 0; i < polls && !watch.done; i++) {
            watch_step(&watch, true);
        }
    } while (!watch.done && agpu_wait_again(&wait));
    if (platform->test->observe != NULL) {
        platform->test->observe(platform->ctx, NULL, NULL);
    }
    return watch.done ||
           agpu_check_status(test, AGPU_ERR_TIMEOUT, "wait for the work that is watched", where);
}
