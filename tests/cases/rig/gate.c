/* gate.c: delays, slows down or drops completions, or really stops the device. */
#include "tests/cases/rig/gate.h"

#include "pci/config.h"
#include "pci/function.h"
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "tests/cases/rig/env.h"

/* The manager's hang timeout while the gate causes a hang: waiting two seconds would test nothing more. */
#define HANG_NS UINT64_C(10000000)

/* One case runs at a time, and the harness closes its stack afterwards. */
static struct agpu_gate {
    const struct agpu_transport *inner;
    const struct agpu_function *stopped; /* NULL: only hides progress */
    uint16_t command;                    /* command register of the running device */
    struct agpu_transport transport;
    bool held;
    uint32_t crawl_polls, slots; /* 0: off */
    bool hung;
    struct agpu_kmd_config *shortened; /* the memory manager's, with its timeout shortened from: */
    uint64_t tdr_timeout_ns;
    uint64_t shown, submitted;
    uint32_t polls;
    struct agpu_gate_counts counts;
} gate;

static void stop_device(void)
{
    agpu_command_write(gate.stopped, gate.command & (uint16_t) ~(unsigned)AGPU_PCI_COMMAND_MASTER);
}

/* The device has stored the doorbell, but a driver must not depend on that (device.md 2.1). */
static void start_device(void)
{
    agpu_command_write(gate.stopped, gate.command);
    agpu_reg_write(gate.stopped, AEROGPU_MMIO_REG_DOORBELL, 1);
}

static bool gate_has_room(void *ctx)
{
    const bool reached = !gate.hung || gate.stopped != NULL;

    (void)ctx;
    if ((gate.slots != 0 && gate.submitted - gate.shown >= gate.slots) ||
        (reached && !gate.inner->has_room(gate.inner->ctx))) {
        gate.counts.full++;
        return false;
    }
    return true;
}

static enum agpu_status gate_submit(void *ctx, const struct agpu_submission *submission)
{
    enum agpu_status status = AGPU_OK;

    (void)ctx;
    if (gate.stopped != NULL && gate.crawl_polls != 0 && !gate.held) {
        stop_device();
        gate.held = true;
        gate.polls = 0;
    }
    if (!gate.hung || gate.stopped != NULL) {
        status = gate.inner->submit(gate.inner->ctx, submission);
    }
    if (status == AGPU_OK) {
        if (gate.counts.submits++ == 0) {
            gate.shown = submission->fence - 1; /* fence numbers may start anywhere */
        }
        gate.submitted = submission->fence;
    }
    return status;
}

/* For a stopped device the real progress is shown. */
static uint64_t shown_of_stopped(uint64_t value)
{
    if (gate.crawl_polls != 0 && gate.held && ++gate.polls >= gate.crawl_polls) {
        start_device();
        gate.held = false;
    }
    return value;
}

static enum agpu_status gate_completed(void *ctx, uint64_t *out)
{
    uint64_t value;
    enum agpu_status status = gate.inner->completed_fence(gate.inner->ctx, &value);

    (void)ctx;
    if (status != AGPU_OK) {
        return status;
    }
    if (gate.stopped != NULL) {
        gate.shown = shown_of_stopped(value);
    } else if (gate.crawl_polls != 0) {
        if (++gate.polls % gate.crawl_polls == 0 && gate.shown < value) {
            gate.shown++;
        }
    } else if (!gate.held) {
        gate.shown = value;
    }
    *out = gate.shown;
    return AGPU_OK;
}

/* Windows reads this registry value only once; our manager reads its configuration each time. */
static void shorten_hang_bound(struct agpu_test *test)
{
    gate.shortened = &agpu_runtime_kmd(test->env->umd.runtime)->config;
    gate.tdr_timeout_ns = gate.shortened->tdr_timeout_ns;
    gate.shortened->tdr_timeout_ns = HANG_NS;
}

static void restore_hang_bound(void)
{
    if (gate.shortened != NULL) {
        gate.shortened->tdr_timeout_ns = gate.tdr_timeout_ns;
    }
    gate.shortened = NULL;
}

static enum agpu_status gate_reset(void *ctx)
{
    enum agpu_status status;

    (void)ctx;
    if (gate.stopped != NULL && (gate.held || gate.hung)) {
        /* Drop the pending work before restarting: the registers' part of a reset does not wait for Bus Master
         * (device.md 4.2). */
        agpu_reg_write(gate.stopped, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        agpu_reg_write(gate.stopped, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
        agpu_command_write(gate.stopped, gate.command);
    }
    status = gate.inner->reset(gate.inner->ctx);
    gate.counts.resets++;
    restore_hang_bound();
    gate.held = gate.hung = false;
    gate.crawl_polls = gate.slots = 0;
    gate.shown = gate.submitted;
    return status;
}

const struct agpu_transport *agpu_gate_init(const struct agpu_transport *inner,
                                            const struct agpu_function *stopped)
{
    gate = (struct agpu_gate){.inner = inner, .stopped = stopped};
    if (stopped != NULL) {
        gate.command = agpu_command_read(stopped) | AGPU_PCI_COMMAND_MASTER;
    }
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
    if (gate.stopped != NULL && !gate.held) {
        agpu_runtime_wait_idle(test->env->umd.runtime); /* do not stop within a submission */
        stop_device();
    } else {
        agpu_runtime_poll(test->env->umd.runtime);
    }
    gate.held = true;
}

void agpu_gate_open(struct agpu_test *test)
{
    if (gate.stopped != NULL && (gate.held || gate.hung)) {
        start_device();
    }
    restore_hang_bound();
    gate.held = gate.hung = false;
    gate.crawl_polls = gate.slots = 0;
    agpu_runtime_poll(test->env->umd.runtime);
}

void agpu_gate_crawl(struct agpu_test *test, uint32_t polls, uint32_t slots)
{
    agpu_runtime_poll(test->env->umd.runtime);
    gate.crawl_polls = polls;
    gate.slots = slots;
}

void agpu_gate_hang_in_time(struct agpu_test *test)
{
    agpu_runtime_wait_idle(test->env->umd.runtime);
    if (gate.stopped != NULL) {
        stop_device();
    }
    gate.hung = true;
}

void agpu_gate_hang(struct agpu_test *test)
{
    agpu_gate_hang_in_time(test);
    shorten_hang_bound(test);
}

void agpu_gate_hang_now(struct agpu_test *test)
{
    stop_device();
    gate.hung = true;
    shorten_hang_bound(test);
}

struct agpu_gate_counts agpu_gate_counts(void)
{
    return gate.counts;
}
