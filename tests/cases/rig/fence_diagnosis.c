/* fence_diagnosis.c: tests fences with empty submissions, one by one and several with one doorbell (ring.md 2, 4). */
#include "tests/cases/rig/fence_diagnosis.h"

#include <string.h>

#include "pci/machine/test_system.h"
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"

#define MS UINT64_C(1000000)

#define EXAMS_MOST 3u

/* Submissions one by one: as many as fit into a time limit, since a defect may affect only every n-th. */
#define SINGLES       64u
#define SINGLES_LEAST 20u
#define SINGLES_NS    (300 * MS)
/* Time limit for a fence. A fence is late if it takes this long and this many times the median of those before. */
#define LOOKED_NS   (4000 * MS)
#define LATE_NS     (1000 * MS)
#define LATE_TIMES  20u
#define LATE_BEHIND 4u /* number of samples from which the median is usable */

#define BATCHES     24u
#define BATCH       8u
#define BATCH_NS    (50 * MS)
#define BATCHES_NS  (300 * MS)
#define BATCH_TIMES 50u

/* Polls in one round, before the machine may idle: the time between two fences is short. */
#define POLLS 4096u

struct fence_diagnosis {
    struct agpu_env *env;
    struct agpu_latency latency; /* of fences that completed in time */
    uint64_t fence;              /* last posted fence */
    uint64_t highest;            /* highest value seen */
    uint64_t back_from, back_to; /* first decrease of the value; 0: none */
    struct agpu_text text;
};

static uint64_t diagnosis_now(const struct fence_diagnosis *diagnosis)
{
    return diagnosis->env->platform->now_ns(diagnosis->env->platform->ctx);
}

static bool diagnosis_post(struct fence_diagnosis *diagnosis)
{
    const struct agpu_submission submission = {.fence = ++diagnosis->fence};

    return agpu_ring_wait_room(&diagnosis->env->ring) == AGPU_OK &&
           agpu_ring_post(&diagnosis->env->ring, &submission) == AGPU_OK;
}

/* Polls once; also called between two steps of the device. Returns true if the last fence has completed. */
static bool poll_fence(void *ctx, bool registers)
{
    struct fence_diagnosis *diagnosis = ctx;
    const struct agpu_ring *ring = &diagnosis->env->ring;
    const bool page = ring->page.cpu != NULL;
    uint64_t shown;

    if (!page && !registers) {
        return false;
    }
    shown = page ? agpu_fence_page_value(ring) : agpu_fence_mmio_value(ring->function);
    if (shown < diagnosis->highest && diagnosis->back_from == 0) {
        diagnosis->back_from = diagnosis->highest;
        diagnosis->back_to = shown;
    }
    diagnosis->highest = shown > diagnosis->highest ? shown : diagnosis->highest;
    return shown >= diagnosis->fence;
}

static void poll_between_steps(void *ctx, bool registers)
{
    poll_fence(ctx, registers);
}

/* Rings the doorbell, and waits for the last fence. took: nanoseconds. The registers decide at the end. */
static bool diagnosis_wait(struct fence_diagnosis *diagnosis, uint64_t bound_ns, uint64_t *took)
{
    const struct agpu_platform *platform = diagnosis->env->platform;
    const uint64_t begun = diagnosis_now(diagnosis);
    struct agpu_wait wait;
    bool there = false;

    agpu_wait_begin_ns(&wait, platform, AGPU_RELAX_FENCE, bound_ns);
    if (platform->test->observe != NULL) {
        platform->test->observe(platform->ctx, poll_between_steps, diagnosis);
    }
    agpu_doorbell(&diagnosis->env->ring);
    do {
        for (unsigned i = 0; i < (platform->test->observe != NULL ? 1 : POLLS) && !there; i++) {
            there = poll_fence(diagnosis, true);
        }
    } while (!there && agpu_wait_again(&wait));
    if (platform->test->observe != NULL) {
        platform->test->observe(platform->ctx, NULL, NULL);
    }
    *took = diagnosis_now(diagnosis) - begun;
    return there || agpu_fence_mmio_value(diagnosis->env->ring.function) >= diagnosis->fence;
}

/* "3000 ms", "28 us". */
static void report_time(struct agpu_text *text, uint64_t ns)
{
    agpu_format(text, "%ju %s", ns >= 10 * MS ? ns / MS : ns / 1000, ns >= 10 * MS ? "ms" : "us");
}

static void report_late(struct fence_diagnosis *diagnosis, unsigned number, uint64_t took)
{
    agpu_format(&diagnosis->text, "the device completes fences late: of %u empty submissions one took ",
                number);
    report_time(&diagnosis->text, took);
    agpu_text_string(&diagnosis->text, ", the others ");
    report_time(&diagnosis->text, agpu_latency_median(&diagnosis->latency));
    agpu_text_string(&diagnosis->text, " (ring.md 4)");
}

/* Diagnoses a fence that did not complete: it is lost if the next one completes. */
static void report_lost(struct fence_diagnosis *diagnosis, unsigned number)
{
    uint64_t took;

    if (!diagnosis_post(diagnosis) || !diagnosis_wait(diagnosis, LOOKED_NS / 8, &took)) {
        diagnosis->env->fence_diagnosis.held = EXAMS_MOST;
        return; /* the device has stopped completely, which the case has reported */
    }
    agpu_format(&diagnosis->text,
                "the device loses fences: of %u empty submissions that of the last but one was not "
                "completed in ",
                number + 1);
    report_time(&diagnosis->text, LOOKED_NS);
    agpu_text_string(&diagnosis->text, ", that of the last was (ring.md 4)");
}

/* Returns true if each one completed, and in time. */
static bool singles_come(struct fence_diagnosis *diagnosis)
{
    const uint64_t begun = diagnosis_now(diagnosis);
    uint64_t slowest = 0;

    for (unsigned number = 1; number <= SINGLES; number++) {
        const uint64_t spent = diagnosis_now(diagnosis) - begun;
        uint64_t took;

        if (spent > (number > SINGLES_LEAST ? SINGLES_NS : LOOKED_NS)) {
            break;
        }
        if (!diagnosis_post(diagnosis)) {
            return false;
        }
        if (!diagnosis_wait(diagnosis, LOOKED_NS, &took)) {
            report_lost(diagnosis, number);
            return false;
        }
        agpu_latency_add(&diagnosis->latency, took);
        slowest = took > slowest ? took : slowest;
        if (number >= LATE_BEHIND && slowest >= LATE_NS &&
            slowest / LATE_TIMES > agpu_latency_median(&diagnosis->latency)) {
            report_late(diagnosis, number, slowest);
            return false;
        }
    }
    return true;
}

static void report_back(struct fence_diagnosis *diagnosis)
{
    agpu_format(&diagnosis->text,
                "the device completes fences out of order: the completed fence went back from 0x%jx to 0x%jx "
                "while submissions of one doorbell ran (ring.md 4)",
                diagnosis->back_from, diagnosis->back_to);
}

/* Diagnoses a device that completes single submissions, but not all of several with one doorbell. */
static void report_short(struct fence_diagnosis *diagnosis, uint64_t ends_at, uint64_t expected)
{
    agpu_format(&diagnosis->text,
                "the device completes fences out of order, or loses the last one of a doorbell: %u of one "
                "doorbell end at 0x%jx, expected 0x%jx, and one by one all come (ring.md 4)",
                BATCH, ends_at, expected);
}

static void examine_batches(struct fence_diagnosis *diagnosis)
{
    const uint64_t bound = BATCH_NS + BATCH_TIMES * agpu_latency_median(&diagnosis->latency);
    const uint64_t begun = diagnosis_now(diagnosis);
    uint64_t ends_at = 0, expected = 0, took;
    bool all = true;

    for (unsigned batch = 0; batch < BATCHES && diagnosis->back_from == 0 &&
                             (!all || diagnosis_now(diagnosis) - begun < BATCHES_NS);
         batch++) {
        for (unsigned i = 0; i < BATCH; i++) {
            if (!diagnosis_post(diagnosis)) {
                return;
            }
        }
        if (!diagnosis_wait(diagnosis, bound, &took)) {
            all = false;
            ends_at = diagnosis->highest;
            expected = diagnosis->fence;
        }
    }
    if (diagnosis->back_from != 0) {
        report_back(diagnosis);
    } else if (!all) {
        report_short(diagnosis, ends_at, expected);
    }
}

static void examine_fences(struct agpu_env *env)
{
    const struct agpu_ring_config config = {.no_fence_page =
                                                env->prerequisites.of[AGPU_PREREQUISITE_FENCE_PAGE].broken};
    struct fence_diagnosis diagnosis = {.env = env};

    agpu_text_begin(&diagnosis.text, env->fence_diagnosis.found, sizeof env->fence_diagnosis.found);
    env->fence_diagnosis.held++;
    env->dirty = true; /* the next case makes the device idle, whatever state this leaves */
    agpu_kmd_adapter_stop(&env->adapter); /* also drops a cached ring */
    if (agpu_kmd_adapter_start(&env->adapter, &config, &env->transport) != AGPU_OK) {
        return;
    }
    if (singles_come(&diagnosis)) {
        examine_batches(&diagnosis);
    }
    agpu_kmd_adapter_stop(&env->adapter);
}

void agpu_fence_diagnosis_note(struct agpu_test *test)
{
    struct agpu_env *env = test->env;
    const struct agpu_ring *ring = &env->ring;

    /* Unread slots are a different failure. */
    env->fence_diagnosis.missed =
        (env->umd.runtime != NULL && agpu_runtime_kmd(env->umd.runtime)->counters.resets != 0) ||
        (ring->memory.cpu != NULL && agpu_ring_head(ring) == ring->tail &&
         agpu_fence_mmio_value(&env->function) < ring->last_submitted);
}

/* Returns true if the case gets the diagnosis. A case that could not be prepared because of a broken fence
 * prerequisite gets an earlier diagnosis, but starts no new one. */
static bool must_be_reported(const struct agpu_test *test, bool *missed)
{
    struct agpu_env *env = test->env;
    const bool unprepared =
        test->cause != NULL && test->cause == agpu_prerequisite_name(AGPU_PREREQUISITE_FENCE);

    *missed = env->fence_diagnosis.missed;
    env->fence_diagnosis.missed = false;
    return (*missed || unprepared) && test->result > AGPU_ERROR && !env->abi.legacy &&
           !agpu_reg_gone(&env->function);
}

void agpu_fence_diagnosis_add(struct agpu_test *test)
{
    struct agpu_env *env = test->env;
    char kept[sizeof test->reason];
    bool missed;

    if (!must_be_reported(test, &missed)) {
        return;
    }
    if (missed && env->fence_diagnosis.found[0] == '\0' && env->fence_diagnosis.held < EXAMS_MOST) {
        examine_fences(env);
    }
    if (env->fence_diagnosis.found[0] == '\0') {
        return;
    }
    memcpy(kept, test->reason, sizeof kept);
    agpu_format_line(test->reason, sizeof test->reason, "%s; %s", env->fence_diagnosis.found, kept);
}
