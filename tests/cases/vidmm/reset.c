/* reset.c: a device that hangs: detection in time, reset, lost work and surviving state (vidmm.md 7). The gate makes
 * the hang, so that every device can take part: submissions that never arrive, or a device that is stopped. */
#include <string.h>

#include "mm/kmd/interrupt.h"
#include "pci/machine/wait.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 4096u
#define T    AEROGPU_FEATURE_TRANSFER

static struct agpu_kmd *vidmm_reset_kmd(struct agpu_test *t)
{
    return agpu_runtime_kmd(t->env->umd.runtime);
}

/* The gate shortens it further while it makes a hang (gate.h). */
#define TDR_NS 200000000u

static void vidmm_reset_impatient(struct agpu_runtime_config *config)
{
    config->kmd.tdr_timeout_ns = TDR_NS;
    config->kmd.tdr_limit = 2;
}

/* For cases in which a hang would be a failure: the hang timer adds at most an eighth for each poll, and a fence comes
 * earlier. */
#define PATIENT_NS  100000000u
#define PAUSE_NS    2000000u
#define CRAWL_LOOKS 5u

static void vidmm_reset_patient(struct agpu_runtime_config *config)
{
    config->kmd.tdr_timeout_ns = PATIENT_NS;
}

/* The client's work never reaches the device; a waiting caller detects that. */
static bool vidmm_reset_hang(struct agpu_test *t)
{
    agpu_gate_hang(t);
    agpu_client_nop();
    if (!agpu_client_submit(t)) {
        return false;
    }
    agpu_check(t, !agpu_runtime_wait_idle(t->env->umd.runtime));
    return agpu_check_eq_u64(t, agpu_gate_counts().resets, 1);
}

/* After a hang, one reset must complete all pending fences. */
static void everything_completes(struct agpu_test *t)
{
    uint64_t submitted;

    agpu_gate_hang(t);
    for (unsigned i = 0; i < 3; i++) {
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
    }
    submitted = vidmm_reset_kmd(t)->submitted;
    agpu_check(t, !agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_check_eq_u64(t, agpu_gate_counts().resets, 1);
    agpu_check_eq_u64(t, vidmm_reset_kmd(t)->completed, submitted); /* lost counts as complete */
    agpu_check_eq_u64(t, vidmm_reset_kmd(t)->pending_count, 0);
    agpu_check_eq_u64(t, vidmm_reset_kmd(t)->counters.resets, 1);
}

/* Given a hang and its reset, an allocation must keep the bytes written before. */
static void allocations_survive(struct agpu_test *t)
{
    struct agpu_client_memory memory;
    uint8_t data[SIZE];

    agpu_return_unless(agpu_client_alloc(t, SIZE, &memory) && agpu_client_submit(t));
    agpu_fill_pattern(data, SIZE, 1);
    agpu_return_unless(agpu_client_write(t, &memory, 0, data, SIZE) && agpu_client_submit(t));
    agpu_return_unless(vidmm_reset_hang(t));
    agpu_client_check(t, &memory, data, SIZE);
}

/* After a hang the guilty device must be reported HUNG, another device RESET, and further submissions must fail. */
static void guilty_and_others(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    struct agpu_client_wish wish = {.bytes = SIZE, .shared = true};
    struct agpu_client_memory shared;
    D3D10DDI_HRESOURCE buffer;
    uint8_t data[64];

    /* The driver's device has objects on the device; the client hangs it. */
    agpu_fill_pattern(data, sizeof data, 2);
    buffer = agpu_make_default(t, sizeof data, data);
    agpu_assert(t, buffer.pDrvPrivate != NULL);
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_check_hr(t, agpu_runtime_device_lost(umd->runtime_device), S_OK);
    agpu_return_unless(agpu_check_hr(t, agpu_client_allocate(&wish, &shared), S_OK));
    agpu_gate_hang(t);
    agpu_client_free(t, &shared); /* the kernel driver's release of the token is queued first */
    agpu_client_nop();
    agpu_return_unless(agpu_client_submit(t));
    agpu_check_hr(t, umd->context.pfnFlush(umd->device), S_OK);
    agpu_check_eq_u64(t, vidmm_reset_kmd(t)->pending_count, 3);
    agpu_check(t, !agpu_runtime_wait_idle(umd->runtime));
    agpu_check_hr(t, agpu_client_lost(), DXGI_ERROR_DEVICE_HUNG);
    /* Its objects on the device are gone as well. */
    agpu_check_hr(t, agpu_runtime_device_lost(umd->runtime_device), DXGI_ERROR_DEVICE_RESET);
    agpu_client_nop();
    agpu_check(t, FAILED(agpu_client_render()));
}

static const struct agpu_transport *whole_transport;

static enum agpu_status failing_reset(void *ctx)
{
    whole_transport->reset(ctx);
    return AGPU_ERR_TIMEOUT;
}

/* Given a reset that fails after the first hang, the device must be removed for every client. */
static void failed_reset_removes(struct agpu_test *t)
{
    static struct agpu_transport failing;
    struct agpu_kmd *kmd = vidmm_reset_kmd(t);
    bool hung;

    whole_transport = kmd->transport;
    failing = *whole_transport;
    failing.reset = failing_reset;
    kmd->transport = &failing;
    hung = vidmm_reset_hang(t);
    kmd->transport = whole_transport;
    agpu_return_unless(hung);
    agpu_check(t, kmd->removed);
    agpu_check_hr(t, agpu_client_lost(), DXGI_ERROR_DEVICE_REMOVED);
    agpu_check_hr(t, agpu_runtime_device_lost(t->env->umd.runtime_device), DXGI_ERROR_DEVICE_REMOVED);
}

static enum agpu_status fence_of_lost(void *ctx, uint64_t *out)
{
    (void)ctx, (void)out;
    return AGPU_ERR_LOST;
}

/* Given a device that no longer answers, the next poll must reset it once, complete its work, and remove it for every
 * client. */
static void lost_device_is_removed(struct agpu_test *t)
{
    static struct agpu_transport lost;
    struct agpu_kmd *kmd = vidmm_reset_kmd(t);

    agpu_gate_hold(t);
    agpu_client_nop();
    agpu_return_unless(agpu_client_submit(t));
    whole_transport = kmd->transport;
    lost = *whole_transport;
    lost.completed_fence = fence_of_lost;
    kmd->transport = &lost;
    agpu_runtime_poll(t->env->umd.runtime);
    kmd->transport = whole_transport;
    agpu_check(t, kmd->removed);
    agpu_check_eq_u64(t, agpu_gate_counts().resets, 1);
    agpu_check_eq_u64(t, kmd->pending_count, 0);
    agpu_check_eq_u64(t, kmd->completed, kmd->submitted);
    agpu_check_hr(t, agpu_client_lost(), DXGI_ERROR_DEVICE_REMOVED);
}

/* After a hang, a new client must be able to submit work with higher fences. */
static void new_client_goes_on(struct agpu_test *t)
{
    struct agpu_client_memory source, target;
    uint8_t data[SIZE];
    uint64_t before;

    agpu_return_unless(vidmm_reset_hang(t));
    before = vidmm_reset_kmd(t)->submitted;
    agpu_client_close(t);
    agpu_return_unless(agpu_client_open(t));
    agpu_return_unless(agpu_client_alloc(t, SIZE, &source) && agpu_client_alloc(t, SIZE, &target));
    agpu_return_unless(agpu_client_submit(t));
    agpu_fill_pattern(data, SIZE, 3);
    agpu_return_unless(agpu_client_write(t, &source, 0, data, SIZE));
    agpu_client_copy(&target, &source);
    agpu_return_unless(agpu_client_submit(t));
    agpu_check(t, vidmm_reset_kmd(t)->submitted > before); /* numbers continue */
    agpu_client_check(t, &target, data, SIZE);
}

/* A lock that waits for a hanging fence must return DEVICEREMOVED after the reset. */
static void lock_is_released(struct agpu_test *t)
{
    struct agpu_client_memory a, b;
    HRESULT hr;

    agpu_return_unless(agpu_client_alloc(t, SIZE, &a) && agpu_client_alloc(t, SIZE, &b));
    agpu_return_unless(agpu_client_submit(t));
    agpu_gate_hang(t);
    agpu_client_copy(&b, &a);
    agpu_return_unless(agpu_client_submit(t));
    hr = agpu_client_lock(&b, AGPU_LOCK_READ); /* waits for a fence that never completes */
    agpu_check_hr(t, hr, D3DDDIERR_DEVICEREMOVED);
    agpu_check_eq_u64(t, agpu_gate_counts().resets, 1);
}

/* A second hang, with the limit at two, must remove the device: every later submission fails. */
static void second_hang_removes(struct agpu_test *t)
{
    agpu_return_unless(vidmm_reset_hang(t));
    agpu_client_close(t);
    agpu_return_unless(agpu_client_open(t));
    agpu_gate_hang(t);
    agpu_client_nop();
    agpu_return_unless(agpu_client_submit(t));
    agpu_check(t, !agpu_runtime_wait_idle(t->env->umd.runtime));
    agpu_check(t, vidmm_reset_kmd(t)->removed);
    agpu_client_nop();
    agpu_check_hr(t, agpu_client_render(), D3DDDIERR_DEVICEREMOVED);
}

/* A slow device that completes fences must not be reset, although the work takes longer than the limit. */
static void slow_is_no_hang(struct agpu_test *t)
{
    const uint64_t started = t->env->platform->now_ns(t->env->platform->ctx);
    const unsigned checks = t->checks;
    uint32_t i = 0;

    /* Slow progress is not a hang: it takes longer than the limit, but a fence completes every few polls. */
    agpu_gate_crawl(t, CRAWL_LOOKS, 0);
    while (t->env->platform->now_ns(t->env->platform->ctx) - started < PATIENT_NS / 4u * 5u &&
           agpu_time_left(t)) {
        agpu_check_drop(t, checks); /* their number depends on time */
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
        agpu_wait_stall(t->env->platform, PAUSE_NS);
        i++;
    }
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_check_eq_u64(t, agpu_gate_counts().resets, 0);
    agpu_check(t, i != 0);
}

/* A submission must be late only after more than the limit without progress. Each poll counts at most an eighth of the
 * limit and 1 ns. Completed work must never be late. */
static void late_after_the_limit(struct agpu_test *t)
{
    static struct agpu_kmd kmd;
    uint64_t now = 1000;

    memset(&kmd, 0, sizeof kmd);
    kmd.config.tdr_timeout_ns = 80;
    kmd.submitted = 1;
    agpu_hang_clock_restart(&kmd.hang_clock, now);
    for (uint32_t i = 0; i < 8; i++) { /* 80 ns in steps below the most */
        agpu_check(t, !agpu_kmd_is_late(&kmd, now += 10));
    }
    agpu_check(t, agpu_kmd_is_late(&kmd, ++now));
    kmd.completed = 1;
    agpu_check(t, !agpu_kmd_is_late(&kmd, ++now));
    kmd.completed = 0;
    agpu_hang_clock_restart(&kmd.hang_clock, now);
    for (uint32_t i = 0; i < 7; i++) { /* 77 of 700 ns */
        agpu_check(t, !agpu_kmd_is_late(&kmd, now += 100));
    }
    agpu_check(t, agpu_kmd_is_late(&kmd, now += 100));
}

/* ---- device errors ---- */

/* Given a stream that the device refuses, the kernel driver must count the device's error code, notify its fence while
 * an older one seems unfinished, and refuse further work until the restart. */
static void fault_of_the_device(struct agpu_test *t)
{
    struct agpu_kmd *kmd = vidmm_reset_kmd(t);
    struct agpu_wait wait;

    agpu_gate_hold(t);
    agpu_client_nop();
    agpu_return_unless(agpu_client_submit(t));
    ((struct aerogpu_cmd_hdr *)agpu_client_packet(AEROGPU_CMD_NOP, 8))->size_bytes = 4;
    agpu_return_unless(agpu_client_submit(t) && agpu_wait_error_count(t, 1));
    t->env->device_errors = 1;
    agpu_wait_begin(&wait, t->env->platform, AGPU_RELAX_FENCE);
    do {
        agpu_runtime_poll(t->env->umd.runtime);
    } while (!kmd->latched && agpu_wait_again(&wait));
    const uint32_t code = agpu_error_code(t->env);
    const unsigned slot = code == AEROGPU_ERROR_CMD_DECODE ? 0 : code == AEROGPU_ERROR_OOB ? 1 : 2;
    agpu_check_eq_u64(t, kmd->counters.irq_error, 1);
    agpu_check_eq_u64(t, kmd->counters.error_codes[slot], 1);
    agpu_check_eq_u64(t, kmd->last_fault, kmd->submitted);
    agpu_client_nop();
    agpu_check_hr(t, agpu_client_render(), D3DDDIERR_DEVICEREMOVED);
    agpu_kmd_restart(kmd);
    agpu_gate_open(t);
    agpu_client_nop();
    agpu_return_unless(agpu_client_submit(t));
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* The fence to blame for an error must be the device's if it can be right, else the manager's. */
static void fault_fence(struct agpu_test *t)
{
    static const struct {
        struct agpu_fault_report
            report; /* readable, fence of the device, whether a FENCE cause was handled */
        uint64_t completed, submitted, expected;
    } rows[] = {
        {{true, 7, true}, 5, 10, 7},     /* in range; fence handled */
        {{true, 7, false}, 5, 10, 7},    /* in range; above completed */
        {{true, 10, false}, 5, 10, 10},  /* the last submitted */
        {{true, 5, true}, 5, 10, 5},     /* equal to completed: counts if the fence was handled */
        {{true, 5, false}, 5, 10, 6},    /* otherwise the next one is at fault */
        {{true, 4, true}, 5, 10, 5},     /* below completed */
        {{true, 11, true}, 5, 10, 5},    /* above submitted */
        {{true, 11, false}, 5, 10, 6},   /* same, fence not handled */
        {{true, 0, false}, 5, 10, 6},    /* no fence recorded */
        {{false, 7, true}, 5, 10, 5},    /* not readable */
        {{false, 7, false}, 5, 10, 6},   /* not readable, fence not handled */
        {{false, 7, false}, 10, 10, 10}, /* nothing is outstanding */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        agpu_check_place(t, "fence to blame in row", (uint32_t)i,
                         agpu_fence_faulted(&rows[i].report, rows[i].completed, rows[i].submitted),
                         rows[i].expected);
    }
}

/* The first four errors and then those with a power of two as number must be notified, never one fence twice; each
 * cause and error code must be counted, and only an error latches. */
static void fault_notifications(struct agpu_test *t)
{
    static const uint32_t codes[] = {AEROGPU_ERROR_CMD_DECODE, AEROGPU_ERROR_OOB, AEROGPU_ERROR_BACKEND,
                                     AEROGPU_ERROR_NONE};
    static struct agpu_kmd kmd;
    const struct agpu_kmd_interrupt other = {.causes = AEROGPU_IRQ_SCANOUT_VBLANK};
    struct agpu_kmd_interrupt error = {.causes = AEROGPU_IRQ_ERROR, .fault.mmio_readable = true};

    memset(&kmd, 0, sizeof kmd);
    kmd.submitted = UINT64_C(1) << 33;
    agpu_check(t, !agpu_kmd_interrupt(&kmd, &other, 0));
    agpu_check(t, !kmd.latched);
    for (uint32_t i = 1; i <= 17; i++) {
        const bool notified = i <= 4 || i == 8 || i == 16;

        error.fault.mmio_fence = (UINT64_C(1) << 32) + (i == 4 ? 3 : i);
        error.error_code = codes[(i - 1) % 4];
        agpu_check_eq_u64(t, agpu_kmd_interrupt(&kmd, &error, 0), notified && i != 4);
        if (notified) {
            agpu_check_eq_hex(t, kmd.last_fault, error.fault.mmio_fence);
            agpu_check_eq_u64(t, kmd.notified_fence, i == 4 ? 3 : i);
        }
    }
    agpu_check(t, kmd.latched);
    agpu_check_eq_u64(t, kmd.counters.faults_notified, 5);
    agpu_check_eq_u64(t, kmd.counters.errors, 17);
    agpu_check_eq_u64(t, kmd.counters.irq_error, 17);
    agpu_check_eq_u64(t, kmd.counters.irq_vblank, 1);
    agpu_check_eq_u64(t, kmd.counters.irq_fence, 0);
    for (uint32_t i = 0; i < 4; i++) {
        agpu_check_eq_u64(t, kmd.counters.error_codes[i], i == 0 ? 5 : 4);
    }
}

#define CASE_WITH(name, function, how)                                                                       \
    AGPU_STACK_CASE(name, "vidmm.md 7", T, 0, .body = function, .gate = true, .client = true,                \
                    .configure = how)
#define CASE(name, function) CASE_WITH(name, function, vidmm_reset_impatient)

/* Runs a CASE() body on a device that really hangs: the device is stopped until the reset (gate.h). */
#define STOPPED(name, function)                                                                              \
    AGPU_STACK_CASE("vidmm.hang.stopped_device." name, "vidmm.md 7", T, 0, .body = function, .gate = true,   \
                    .stop = true, .client = true, .configure = vidmm_reset_impatient)

static const struct agpu_case vidmm_reset_cases[] = {
    CASE("vidmm.hang.everything_completes", everything_completes),
    CASE("vidmm.hang.allocations_survive", allocations_survive),
    CASE("vidmm.hang.guilty_and_others", guilty_and_others),
    CASE("vidmm.hang.new_client_goes_on", new_client_goes_on),
    CASE("vidmm.hang.lock_is_released", lock_is_released),
    CASE("vidmm.hang.second_hang_removes", second_hang_removes),
    CASE("vidmm.hang.failed_reset", failed_reset_removes),
    CASE("vidmm.hang.lost_device", lost_device_is_removed),
    {.id = "vidmm.hang.limit", .spec = "vidmm.md 7", .run = late_after_the_limit},
    CASE_WITH("vidmm.hang.slow_is_no_hang", slow_is_no_hang, vidmm_reset_patient),
    STOPPED("everything_completes", everything_completes),
    STOPPED("allocations_survive", allocations_survive),
    STOPPED("guilty_and_others", guilty_and_others),
    STOPPED("new_client_goes_on", new_client_goes_on),
    STOPPED("lock_is_released", lock_is_released),
    STOPPED("second_hang_removes", second_hang_removes),
    AGPU_STACK_CASE("vidmm.fault.of_the_device", "vidmm.md 7", AEROGPU_FEATURE_ERROR_INFO, 0,
                    .body = fault_of_the_device, .gate = true, .client = true),
    {.id = "vidmm.fault.fence", .spec = "vidmm.md 7", .run = fault_fence},
    {.id = "vidmm.fault.notifications", .spec = "vidmm.md 7", .run = fault_notifications},
};

AGPU_CASE_TABLE(agpu_cases_vidmm_reset, vidmm_reset_cases);
