/* fence_exam.c: empty submissions, one by one and several behind one doorbell (ring.md 2, 4). */
#include "tests/cases/rig/fence_exam.h"

#include <string.h>

#include "pci/machine/test_system.h"
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"

#define MS UINT64_C(1000000)

#define EXAMS_MOST 3u

/* One by one: as many as a device completes in a time, since a defect may come with every n-th. */
#define SINGLES       64u
#define SINGLES_LEAST 20u
#define SINGLES_NS    (300 * MS)
/* Looked for so long; late is what takes so long, and so many times the median of those before. */
#define LOOKED_NS   (4000 * MS)
#define LATE_NS     (1000 * MS)
#define LATE_TIMES  20u
#define LATE_BEHIND 4u /* the median is one from here on */

#define BATCHES     24u
#define BATCH       8u
#define BATCH_NS    (50 * MS)
#define BATCHES_NS  (300 * MS)
#define BATCH_TIMES 50u

/* Looks in one round, before the machine is let idle: the moment between two fences is short. */
#define LOOKS 4096u

struct fence_exam {
    struct agpu_env *env;
    struct agpu_latency latency; /* of the fences that came soon */
    uint64_t fence;              /* the last one that was posted */
    uint64_t highest;            /* that was seen */
    uint64_t back_from, back_to; /* the first step back; 0: none */
    struct agpu_text text;
};

static uint64_t exam_now(const struct fence_exam *exam)
{
    return exam->env->platform->now_ns(exam->env->platform->ctx);
}

static bool exam_post(struct fence_exam *exam)
{
    const struct agpu_submission submission = {.fence = ++exam->fence};

    return agpu_ring_wait_room(&exam->env->ring) == AGPU_OK &&
           agpu_ring_post(&exam->env->ring, &submission) == AGPU_OK;
}

/* One look; also called between two steps of the device. True when the last fence is there. */
static bool look_at_fence(void *ctx, bool registers)
{
    struct fence_exam *exam = ctx;
    const struct agpu_ring *ring = &exam->env->ring;
    const bool page = ring->page.cpu != NULL;
    uint64_t shown;

    if (!page && !registers) {
        return false;
    }
    shown = page ? agpu_fence_page_value(ring) : agpu_fence_mmio_value(ring->function);
    if (shown < exam->highest && exam->back_from == 0) {
        exam->back_from = exam->highest;
        exam->back_to = shown;
    }
    exam->highest = shown > exam->highest ? shown : exam->highest;
    return shown >= exam->fence;
}

static void look_between_steps(void *ctx, bool registers)
{
    look_at_fence(ctx, registers);
}

/* Rings the doorbell, and waits for the last fence. took: nanoseconds. The registers have the last word. */
static bool exam_wait(struct fence_exam *exam, uint64_t bound_ns, uint64_t *took)
{
    const struct agpu_platform *platform = exam->env->platform;
    const uint64_t begun = exam_now(exam);
    struct agpu_wait wait;
    bool there = false;

    agpu_wait_begin_ns(&wait, platform, AGPU_RELAX_FENCE, bound_ns);
    if (platform->test->observe != NULL) {
        platform->test->observe(platform->ctx, look_between_steps, exam);
    }
    agpu_doorbell(&exam->env->ring);
    do {
        for (unsigned i = 0; i < (platform->test->observe != NULL ? 1 : LOOKS) && !there; i++) {
            there = look_at_fence(exam, true);
        }
    } while (!there && agpu_wait_again(&wait));
    if (platform->test->observe != NULL) {
        platform->test->observe(platform->ctx, NULL, NULL);
    }
    *took = exam_now(exam) - begun;
    return there || agpu_fence_mmio_value(exam->env->ring.function) >= exam->fence;
}

/* "3000 ms", "28 us". */
static void say_time(struct agpu_text *text, uint64_t ns)
{
    agpu_format(text, "%ju %s", ns >= 10 * MS ? ns / MS : ns / 1000, ns >= 10 * MS ? "ms" : "us");
}

static void say_late(struct fence_exam *exam, unsigned number, uint64_t took)
{
    agpu_format(&exam->text, "the device completes fences late: of %u empty submissions one took ", number);
    say_time(&exam->text, took);
    agpu_text_string(&exam->text, ", the others ");
    say_time(&exam->text, agpu_latency_median(&exam->latency));
    agpu_text_string(&exam->text, " (ring.md 4)");
}

/* One that never came: it was lost when the next one does. */
static void say_lost(struct fence_exam *exam, unsigned number)
{
    uint64_t took;

    if (!exam_post(exam) || !exam_wait(exam, LOOKED_NS / 8, &took)) {
        exam->env->fence_exam.held = EXAMS_MOST;
        return; /* it stands still, which the case has said */
    }
    agpu_format(&exam->text,
                "the device loses fences: of %u empty submissions that of the last but one was not "
                "completed in ",
                number + 1);
    say_time(&exam->text, LOOKED_NS);
    agpu_text_string(&exam->text, ", that of the last was (ring.md 4)");
}

/* True: each came, and came soon. */
static bool singles_come(struct fence_exam *exam)
{
    const uint64_t begun = exam_now(exam);
    uint64_t slowest = 0;

    for (unsigned number = 1; number <= SINGLES; number++) {
        const uint64_t spent = exam_now(exam) - begun;
        uint64_t took;

        if (spent > (number > SINGLES_LEAST ? SINGLES_NS : LOOKED_NS)) {
            break;
        }
        if (!exam_post(exam)) {
            return false;
        }
        if (!exam_wait(exam, LOOKED_NS, &took)) {
            say_lost(exam, number);
            return false;
        }
        agpu_latency_add(&exam->latency, took);
        slowest = took > slowest ? took : slowest;
        if (number >= LATE_BEHIND && slowest >= LATE_NS &&
            slowest / LATE_TIMES > agpu_latency_median(&exam->latency)) {
            say_late(exam, number, slowest);
            return false;
        }
    }
    return true;
}

static void say_back(struct fence_exam *exam)
{
    agpu_format(&exam->text,
                "the device completes fences out of order: the completed fence went back from 0x%jx to 0x%jx "
                "while submissions of one doorbell ran (ring.md 4)",
                exam->back_from, exam->back_to);
}

/* One by one they come, several of one doorbell do not all. */
static void say_short(struct fence_exam *exam, uint64_t ends_at, uint64_t expected)
{
    agpu_format(&exam->text,
                "the device completes fences out of order, or loses the last one of a doorbell: %u of one "
                "doorbell end at 0x%jx, expected 0x%jx, and one by one all come (ring.md 4)",
                BATCH, ends_at, expected);
}

static void examine_batches(struct fence_exam *exam)
{
    const uint64_t bound = BATCH_NS + BATCH_TIMES * agpu_latency_median(&exam->latency);
    const uint64_t begun = exam_now(exam);
    uint64_t ends_at = 0, expected = 0, took;
    bool all = true;

    for (unsigned batch = 0;
         batch < BATCHES && exam->back_from == 0 && (!all || exam_now(exam) - begun < BATCHES_NS); batch++) {
        for (unsigned i = 0; i < BATCH; i++) {
            if (!exam_post(exam)) {
                return;
            }
        }
        if (!exam_wait(exam, bound, &took)) {
            all = false;
            ends_at = exam->highest;
            expected = exam->fence;
        }
    }
    if (exam->back_from != 0) {
        say_back(exam);
    } else if (!all) {
        say_short(exam, ends_at, expected);
    }
}

static void examine_fences(struct agpu_env *env)
{
    const struct agpu_ring_config config = {.no_fence_page = env->basics.of[AGPU_BASIC_FENCE_PAGE].broken};
    struct fence_exam exam = {.env = env};

    agpu_text_begin(&exam.text, env->fence_exam.found, sizeof env->fence_exam.found);
    env->fence_exam.held++;
    env->dirty = true;                    /* the next case makes it quiet, whatever is left here */
    agpu_kmd_adapter_stop(&env->adapter); /* a ring that was kept, if any */
    if (agpu_kmd_adapter_start(&env->adapter, &config, &env->transport) != AGPU_OK) {
        return;
    }
    if (singles_come(&exam)) {
        examine_batches(&exam);
    }
    agpu_kmd_adapter_stop(&env->adapter);
}

void agpu_fence_exam_note(struct agpu_test *test)
{
    struct agpu_env *env = test->env;
    const struct agpu_ring *ring = &env->ring;

    /* Slots that were not read are another thing. */
    env->fence_exam.missed =
        (env->umd.runtime != NULL && agpu_runtime_kmd(env->umd.runtime)->counters.resets != 0) ||
        (ring->memory.cpu != NULL && agpu_ring_head(ring) == ring->tail &&
         agpu_fence_mmio_value(&env->function) < ring->last_submitted);
}

/* One that could not be prepared since the first fence of all was missing hears what is known, and no more is tried for it. */
static bool is_to_be_told(const struct agpu_test *test, bool *missed)
{
    struct agpu_env *env = test->env;
    const bool unprepared = test->cause != NULL && test->cause == agpu_basic_name(AGPU_BASIC_FENCE);

    *missed = env->fence_exam.missed;
    env->fence_exam.missed = false;
    return (*missed || unprepared) && test->result > AGPU_ERROR && !env->abi.legacy &&
           !agpu_reg_gone(&env->function);
}

void agpu_fence_exam_tell(struct agpu_test *test)
{
    struct agpu_env *env = test->env;
    char kept[sizeof test->reason];
    bool missed;

    if (!is_to_be_told(test, &missed)) {
        return;
    }
    if (missed && env->fence_exam.found[0] == '\0' && env->fence_exam.held < EXAMS_MOST) {
        examine_fences(env);
    }
    if (env->fence_exam.found[0] == '\0') {
        return;
    }
    memcpy(kept, test->reason, sizeof kept);
    agpu_format_line(test->reason, sizeof test->reason, "%s; %s", env->fence_exam.found, kept);
}
