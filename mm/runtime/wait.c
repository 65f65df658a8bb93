/* wait.c: the only code of mm/ that waits: polls the device, lets the machine work, ends in bounded time (vidmm.md 4.3,
 * 6.4). */
#include "mm/runtime/wait.h"

#include "mm/runtime/types.h"

static uint64_t runtime_now(const struct agpu_runtime *runtime)
{
    return runtime->config.platform->now_ns(runtime->config.platform->ctx);
}

static void poll_fence_page(struct agpu_runtime *runtime, uint64_t now)
{
    agpu_kmd_poll(&runtime->kmd, now);
}

/* For pending work that raises an interrupt: reads the fence only when the work is as late as a hang. A fence that is
 * then complete has lost its interrupt. */
static void poll_when_late(struct agpu_runtime *runtime, uint64_t now)
{
    struct agpu_kmd *kmd = &runtime->kmd;
    const uint64_t completed = kmd->completed;

    if (agpu_kmd_is_late(kmd, now)) {
        poll_fence_page(runtime, now);
        kmd->counters.irq_lost += kmd->completed != completed;
    }
}

void agpu_runtime_poll(struct agpu_runtime *runtime)
{
    struct agpu_kmd_interrupt interrupt = {0};
    const bool interrupted = runtime->config.service_interrupt != NULL &&
                             runtime->config.service_interrupt(runtime->config.interrupt_ctx, &interrupt);
    const uint64_t now = runtime_now(runtime);

    if (interrupted) {
        agpu_kmd_interrupt(&runtime->kmd, &interrupt, now);
    }
    if (interrupted || !runtime->config.interrupt_driven || !agpu_kmd_awaits_interrupt(&runtime->kmd)) {
        poll_fence_page(runtime, now);
    } else {
        poll_when_late(runtime, now);
    }
}

void agpu_runtime_poll_if_busy(struct agpu_runtime *runtime)
{
    if (agpu_kmd_idle(&runtime->kmd)) {
        return;
    }
    agpu_runtime_poll(runtime);
    if (agpu_kmd_idle(&runtime->kmd)) {
        /* The last submission reports an error before its fence: do not miss it. */
        agpu_runtime_poll(runtime);
    }
}

static void restart_bound(struct agpu_runtime_wait *wait)
{
    const struct agpu_runtime *runtime = wait->runtime;

    agpu_wait_begin_ns(&wait->wait, runtime->config.platform, wait->reason, UINT64_MAX);
    agpu_hang_clock_restart(&wait->clock, runtime_now(runtime));
    wait->completed = runtime->kmd.completed;
}

/* Gives up after twice the time for detecting and recovering from a hang, measured by the same clock, so that the wait
 * always ends after the recovery. */
static bool gives_up(struct agpu_runtime_wait *wait)
{
    const uint64_t limit = wait->runtime->kmd.config.tdr_timeout_ns;

    return agpu_hang_clock_poll(&wait->clock, runtime_now(wait->runtime), limit) > 2u * limit;
}

void agpu_runtime_wait_begin(struct agpu_runtime_wait *wait, struct agpu_runtime *runtime,
                             enum agpu_relax_reason reason)
{
    wait->runtime = runtime;
    wait->reason = reason;
    wait->resets = runtime->kmd.counters.resets;
    restart_bound(wait);
}

NTSTATUS agpu_runtime_wait_again(struct agpu_runtime_wait *wait)
{
    struct agpu_runtime *runtime = wait->runtime;

    agpu_runtime_poll(runtime);
    if (runtime->kmd.counters.resets != wait->resets || runtime->kmd.removed) {
        return STATUS_DEVICE_REMOVED;
    }
    if (runtime->kmd.completed != wait->completed) {
        restart_bound(wait);
        return STATUS_SUCCESS;
    }
    return !gives_up(wait) && agpu_wait_again(&wait->wait) ? STATUS_SUCCESS : STATUS_DEVICE_REMOVED;
}

NTSTATUS agpu_runtime_wait_fence(struct agpu_runtime *runtime, uint64_t fence)
{
    struct agpu_runtime_wait wait;

    if (runtime->kmd.completed >= fence) {
        return STATUS_SUCCESS;
    }
    agpu_runtime_poll_if_busy(runtime);
    agpu_runtime_wait_begin(&wait, runtime, AGPU_RELAX_FENCE);
    while (runtime->kmd.completed < fence) {
        NTSTATUS status = agpu_runtime_wait_again(&wait);

        if (status != STATUS_SUCCESS) {
            return status;
        }
    }
    return STATUS_SUCCESS;
}

bool agpu_runtime_wait_idle(struct agpu_runtime *runtime)
{
    return agpu_runtime_wait_fence(runtime, runtime->kmd.submitted) == STATUS_SUCCESS;
}
