/* gate.c: completions held back, slowed down, or left out. */
#include "tests/cases/rig/gate.h"

#include "tests/cases/rig/env.h"

/* One case runs at a time, and the stack that it opened is closed by the harness after it. */
static struct agpu_gate {
    const struct agpu_transport *inner;
    struct agpu_transport transport;
    bool held;
    uint32_t crawl_polls, slots; /* 0: not crawling */
    bool hung;
    uint64_t shown, submitted;
    uint32_t polls;
    struct agpu_gate_counts counts;
} gate;

static bool gate_has_room(void *ctx)
{
    (void)ctx;
    if ((gate.slots != 0 && gate.submitted - gate.shown >= gate.slots) ||
        (!gate.hung && !gate.inner->has_room(gate.inner->ctx))) {
        gate.counts.full++;
        return false;
    }
    return true;
}

static enum agpu_status gate_submit(void *ctx, const struct agpu_submission *submission)
{
    enum agpu_status status = gate.hung ? AGPU_OK : gate.inner->submit(gate.inner->ctx, submission);

    (void)ctx;
    if (status == AGPU_OK) {
        if (gate.counts.submits++ == 0) {
            gate.shown = submission->fence - 1; /* wherever the run's numbers begin */
        }
        gate.submitted = submission->fence;
    }
    return status;
}

static enum agpu_status gate_completed(void *ctx, uint64_t *out)
{
    uint64_t value;
    enum agpu_status status = gate.inner->completed_fence(gate.inner->ctx, &value);

    (void)ctx;
    if (status != AGPU_OK) {
        return status;
    }
    if (gate.crawl_polls != 0) {
        if (++gate.polls % gate.crawl_polls == 0 && gate.shown < value) {
            gate.shown++;
        }
    } else if (!gate.held) {
        gate.shown = value;
    }
    *out = gate.shown;
    return AGPU_OK;
}

static enum agpu_status gate_reset(void *ctx)
{
    enum agpu_status status = gate.inner->reset(gate.inner->ctx);

    (void)ctx;
    gate.counts.resets++;
    gate.held = gate.hung = false;
    gate.crawl_polls = gate.slots = 0;
    gate.shown = gate.submitted;
    return status;
}

const struct agpu_transport *agpu_gate_init(const struct agpu_transport *inner)
{
    gate = (struct agpu_gate){.inner = inner};
    gate.transport = (struct agpu_transport){
        .has_room = gate_has_room,
        .submit = gate_submit,
        .completed_fence = gate_completed,
        .reset = gate_reset,
    };
    return &gate.transport;
}

void agpu_gate_hold(struct agpu_test *test)
{
    agpu_runtime_poll(test->env->umd.runtime);
    gate.held = true;
}

void agpu_gate_open(struct agpu_test *test)
{
    gate.held = false;
    gate.crawl_polls = gate.slots = 0;
    agpu_runtime_poll(test->env->umd.runtime);
}

void agpu_gate_crawl(struct agpu_test *test, uint32_t polls, uint32_t slots)
{
    agpu_runtime_poll(test->env->umd.runtime);
    gate.crawl_polls = polls;
    gate.slots = slots;
}

void agpu_gate_hang(struct agpu_test *test)
{
    agpu_runtime_wait_idle(test->env->umd.runtime);
    gate.hung = true;
}

struct agpu_gate_counts agpu_gate_counts(void)
{
    return gate.counts;
}
