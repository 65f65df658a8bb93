/* submit.c: checks outcomes of submissions. */
#include "tests/cases/rig/submit.h"

#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/ring.h"
#include "ring/irq.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/state.h"

#define SETTLE_LOOKS 1u
#define SOON_NS      UINT64_C(300000000)

/* A value of ERROR_COUNT with all bits set is taken for the end of a saturating counter only from here on. */
#define COUNT_END_LEAST 15u

uint32_t agpu_error_code(const struct agpu_env *env)
{
    return agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_CODE);
}

uint64_t agpu_error_fence(const struct agpu_env *env)
{
    return agpu_reg_read64(&env->function, AEROGPU_MMIO_REG_ERROR_FENCE_LO);
}

static bool counts_errors(const struct agpu_env *env)
{
    return (env->abi.features & AEROGPU_FEATURE_ERROR_INFO) != 0;
}

uint32_t agpu_error_count(struct agpu_env *env)
{
    env->errors.count = counts_errors(env) ? agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_COUNT) : 0;
    env->errors.read = true;
    return env->errors.count;
}

uint32_t agpu_error_count_before(struct agpu_env *env)
{
    const uint32_t last = env->errors.count;
    const bool read = env->errors.read;
    const uint32_t now = agpu_error_count(env);

    env->errors.late |= read && now > last;
    return now;
}

/* Two plain reads are enough: nothing runs that could change one half in between. */
static uint64_t error_fence_at_rest(const struct agpu_env *env)
{
    const uint64_t high = agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_FENCE_HI);

    return high << 32 | agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_FENCE_LO);
}

struct agpu_error_info agpu_error_info(struct agpu_env *env)
{
    return (struct agpu_error_info){
        .code = agpu_error_code(env), .fence = error_fence_at_rest(env), .count = agpu_error_count(env)};
}

struct agpu_error_info agpu_errors_so_far(struct agpu_env *env)
{
    return (struct agpu_error_info){.count = agpu_error_count_before(env)};
}

void agpu_settle(struct agpu_test *test)
{
    const struct agpu_env *env = test->env;
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, env->platform, AGPU_RELAX_IDLE, agpu_latency_settle_ns(&env->latency));
    wait.pace_ns = agpu_latency_settle_ns(&env->latency) / SETTLE_LOOKS;
    do {
        /* Some devices work only when a register is accessed. */
        agpu_reg_read(&env->function, AEROGPU_MMIO_REG_MAGIC);
    } while (agpu_wait_again(&wait));
}

void agpu_ack_errors(struct agpu_env *env)
{
    if (env->errors.pending) {
        agpu_irq_ack(&env->function, AEROGPU_IRQ_ERROR);
    }
    env->errors.pending = false;
}

static bool finish_stream(struct agpu_test *test, struct agpu_submission *out)
{
    if (agpu_rig_finish(&test->env->rig, out)) {
        return true;
    }
    agpu_error(test, "the case's packets or allocations do not fit the rig");
    return false;
}

bool agpu_submit_wait_at(struct agpu_test *test, const struct agpu_submission *submission,
                         struct agpu_where where)
{
    struct agpu_ring *ring = &test->env->ring;
    enum agpu_status status;

    if (!agpu_time_left(test)) {
        return false;
    }
    /* A slot may free up later than the fence of its submission completes (ring.md 2). */
    if (!agpu_check_status(test, agpu_ring_wait_room(ring), "wait for a ring slot", where)) {
        return false;
    }
    status = agpu_ring_post(ring, submission);
    if (!agpu_check_status(test, status, "post the submission", where)) {
        return false;
    }
    agpu_doorbell(ring);
    return agpu_check_status(test, agpu_fence_wait(ring, submission->fence), "wait for the fence", where);
}

bool agpu_run_empty_at(struct agpu_test *test, struct agpu_where where)
{
    struct agpu_submission submission = {.fence = ++test->env->rig.fence};

    return agpu_submit_wait_at(test, &submission, where);
}

/* Appends the error registers and the last submission. */
static void describe_submission(const struct agpu_test *test, struct agpu_text *text)
{
    agpu_state_errors(test->env, text);
    agpu_format(text, "; submitted fence 0x%jx: ", test->env->rig.fence);
    agpu_state_packets(&test->env->rig, text);
}

/* Checks that there is no error; a failure includes the error registers and the last submission. */
static bool check_no_error(struct agpu_test *test, uint32_t actual, uint32_t expected, const char *expr,
                           bool hex, struct agpu_where where)
{
    char note[300];
    struct agpu_text text;

    if (actual == expected) {
        return agpu_check_passed(test);
    }
    agpu_text_begin(&text, note, sizeof note);
    agpu_text_string(&text, "the device refuses valid work: ");
    describe_submission(test, &text);
    return agpu_check_u64_noted(test, actual, expected, expr, hex, note, where);
}

bool agpu_check_no_errors_counted_at(struct agpu_test *test, struct agpu_where where)
{
    return check_no_error(test, agpu_error_count(test->env), 0, "ERROR_COUNT is 0", false, where);
}

/* An ERROR still pending from an earlier fault of the case is no evidence about this submission. */
static bool check_no_error_pending(struct agpu_test *test, struct agpu_where where)
{
    return test->env->errors.pending ||
           check_no_error(test, agpu_irq_status(&test->env->function) & AEROGPU_IRQ_ERROR, 0,
                          "IRQ_STATUS has no ERROR (bit 31) after a valid submission", true, where);
}

bool agpu_check_valid_outcome_at(struct agpu_test *test, uint32_t before, struct agpu_where where)
{
    struct agpu_env *env = test->env;

    return agpu_check_page_at(test, env->rig.fence, where) &&
           agpu_check_completed_at(test, env->rig.fence, where) &&
           agpu_check_head_at(test, env->ring.tail, where) &&
           check_no_error(test, agpu_error_count(env), before, "ERROR_COUNT unchanged by a valid submission",
                          false, where) &&
           check_no_error_pending(test, where);
}

static bool run_valid(struct agpu_test *test, uint32_t abi_version, struct agpu_where where)
{
    struct agpu_env *env = test->env;
    const uint32_t before = agpu_error_count_before(env);
    struct agpu_submission submission;
    bool ok = finish_stream(test, &submission);

    if (ok && abi_version != 0) {
        agpu_rig_stream_header(&env->rig)->abi_version = abi_version;
    }
    ok = ok && agpu_submit_wait_at(test, &submission, where) &&
         agpu_check_valid_outcome_at(test, before, where);
    agpu_rig_begin_over(&env->rig);
    return ok;
}

bool agpu_run_clean_at(struct agpu_test *test, struct agpu_where where)
{
    return run_valid(test, 0, where);
}

bool agpu_run_of_minor_at(struct agpu_test *test, uint32_t minor, struct agpu_where where)
{
    return run_valid(test, 1u << 16 | minor, where);
}

void agpu_check_no_late_error(struct agpu_test *test)
{
    struct agpu_env *env = test->env;
    const unsigned checks = test->checks;

    if (!env->errors.read) {
        return;
    }
    /* All ones: the case may have disabled memory decode of the function, which is restored later. */
    if (agpu_error_count_before(env) != UINT32_MAX || !agpu_reg_gone(&env->function)) {
        check_no_error(test, env->errors.late, false, "ERROR_COUNT does not grow between two submissions",
                       false, AGPU_HERE);
    }
    agpu_check_drop(test, checks); /* these do not count for the body */
}

/* Reports that no error was counted for an invalid submission. It is unknown if the device executed it or just does
 * not count it. */
static bool check_accepted(struct agpu_test *test, uint32_t actual, uint32_t expected, const char *expr,
                           struct agpu_where where)
{
    char note[300];
    struct agpu_text text;

    agpu_text_begin(&text, note, sizeof note);
    agpu_text_string(&text, "the device accepts invalid work, or does not count it: ");
    if (actual >= COUNT_END_LEAST && (actual & (actual + 1)) == 0) {
        agpu_text_string(&text, "its count may end here; ");
    }
    describe_submission(test, &text);
    return agpu_check_u64_noted(test, actual, expected, expr, false, note, where);
}

bool agpu_wait_error_count_at(struct agpu_test *test, uint32_t count, struct agpu_where where)
{
    struct agpu_env *env = test->env;
    struct agpu_wait wait;

    agpu_wait_begin(&wait, env->platform, AGPU_RELAX_FENCE);
    do {
        if (agpu_error_count(env) >= count) {
            return agpu_check_passed(test);
        }
    } while (agpu_wait_again(&wait));
    return check_accepted(test, agpu_reg_read(&env->function, AEROGPU_MMIO_REG_ERROR_COUNT), count,
                          "ERROR_COUNT after a fault", where);
}

/* Known devices report different codes for faults of a descriptor and of anything after it (device.md 4.6); only our
 * model must report a specific one. */
static bool error_code_accepted(const struct agpu_env *env, uint32_t code, uint32_t expected)
{
    if (env->model) {
        return code == expected;
    }
    return code == AEROGPU_ERROR_CMD_DECODE || code == AEROGPU_ERROR_OOB || code == AEROGPU_ERROR_BACKEND;
}

/* Checks what every error record has in common: its fence, and ERROR pending. */
static bool check_error_recorded(struct agpu_test *test, const struct agpu_error_info *after, uint64_t fence,
                                 struct agpu_where where)
{
    const bool ok =
        agpu_check_u64(test, after->fence, fence, "ERROR_FENCE is the failed submission's", false, where);

    test->env->errors.pending = true;
    return agpu_check_true(test, (agpu_irq_status(&test->env->function) & AEROGPU_IRQ_ERROR) != 0,
                           "IRQ_STATUS has ERROR pending", where) &&
           ok;
}

static bool check_one_error(struct agpu_test *test, const struct agpu_error_info *before,
                            const struct agpu_error_info *after, struct agpu_where where)
{
    char note[300];
    struct agpu_text text;

    if (after->count == before->count + 1) {
        return agpu_check_passed(test);
    }
    agpu_text_begin(&text, note, sizeof note);
    agpu_text_string(&text, after->count == before->count ? "the device accepts invalid work: "
                                                          : "the device records one fault as several: ");
    describe_submission(test, &text);
    return agpu_check_u64_noted(test, after->count, before->count + 1, "ERROR_COUNT grew by one", false, note,
                                where);
}

bool agpu_check_error_at(struct agpu_test *test, const struct agpu_error_info *before, uint64_t fence,
                         uint32_t code, struct agpu_where where)
{
    struct agpu_env *env = test->env;
    const struct agpu_error_info after = agpu_error_info(env);
    bool ok;

    if (env->model) {
        ok = check_one_error(test, before, &after, where);
    } else {
        ok = after.count > before->count ||
             check_accepted(test, after.count, before->count + 1, "ERROR_COUNT grew", where);
    }
    if (!error_code_accepted(env, after.code, code)) {
        ok &= agpu_check_u64(test, after.code, code, "ERROR_CODE is an accepted one", true, where);
    }
    return check_error_recorded(test, &after, fence, where) && ok;
}

bool agpu_check_ring_error_at(struct agpu_test *test, const struct agpu_error_info *before, uint32_t code,
                              struct agpu_where where)
{
    const struct agpu_error_info after = agpu_error_info(test->env);
    bool ok = check_one_error(test, before, &after, where);

    ok &= agpu_check_u64(test, after.code, code, "ERROR_CODE of a fault of the ring", true, where);
    return check_error_recorded(test, &after, 0, where) && ok;
}

/* After an expected fault: acknowledges it, and checks that an empty submission runs without error. */
static bool device_recovers(struct agpu_test *test, struct agpu_where where)
{
    const uint32_t before = agpu_error_count(test->env);

    agpu_ack_errors(test->env);
    return agpu_run_empty_at(test, where) && agpu_check_valid_outcome_at(test, before, where);
}

bool agpu_run_faulty_desc_at(struct agpu_test *test, const struct aerogpu_submit_desc *desc, uint32_t code,
                             struct agpu_where where)
{
    struct agpu_ring *ring = &test->env->ring;
    struct agpu_error_info before = agpu_errors_so_far(test->env);
    enum agpu_status status = agpu_ring_post_desc(ring, desc);
    bool ok;

    agpu_ack_errors(test->env);
    if (!agpu_check_status(test, status, "post the descriptor", where)) {
        return false;
    }
    agpu_doorbell(ring);
    if (desc->signal_fence != 0) {
        ok = agpu_check_status(test, agpu_fence_wait(ring, desc->signal_fence),
                               "the failed submission's fence completes", where);
    } else {
        ok = agpu_wait_error_count_at(test, before.count + 1, where);
    }
    if (ok) {
        ok = agpu_check_error_at(test, &before, desc->signal_fence, code, where);
    }
    return device_recovers(test, where) && ok;
}

bool agpu_run_fault_at(struct agpu_test *test, uint32_t code, struct agpu_where where)
{
    struct agpu_submission submission;
    struct aerogpu_submit_desc desc;
    bool ok = false;

    if (finish_stream(test, &submission) &&
        agpu_check_status(test, agpu_ring_describe(&submission, &desc), "describe the submission", where)) {
        ok = agpu_run_faulty_desc_at(test, &desc, code, where);
    }
    agpu_rig_begin_over(&test->env->rig);
    return ok;
}

bool agpu_run_fault_or_pass_at(struct agpu_test *test, uint32_t code, bool *passed, struct agpu_where where)
{
    struct agpu_error_info before = agpu_errors_so_far(test->env);
    struct agpu_submission submission;
    bool ok;

    *passed = false;
    if (test->env->model) {
        return agpu_run_fault_at(test, code, where);
    }
    agpu_ack_errors(test->env);
    ok = finish_stream(test, &submission) && agpu_submit_wait_at(test, &submission, where);
    agpu_rig_begin_over(&test->env->rig);
    if (!ok) {
        return false;
    }
    /* The error comes before the fence (ring.md 9). */
    *passed = agpu_error_count(test->env) == before.count &&
              (agpu_irq_status(&test->env->function) & AEROGPU_IRQ_ERROR) == 0;
    if (!*passed) {
        ok = agpu_check_error_at(test, &before, submission.fence, code, where);
    }
    return device_recovers(test, where) && ok;
}

static uint64_t read_head(const struct agpu_env *env)
{
    return agpu_ring_head(&env->ring);
}

static uint64_t read_completed(const struct agpu_env *env)
{
    return agpu_fence_mmio_value(&env->function);
}

static uint64_t read_irq(const struct agpu_env *env)
{
    return agpu_irq_status(&env->function);
}

/* Appends "FENCE, ERROR". */
static void name_causes(struct agpu_text *text, uint64_t causes)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } named[] = {{AEROGPU_IRQ_FENCE, "FENCE"},
                 {AEROGPU_IRQ_SCANOUT_VBLANK, "SCANOUT_VBLANK"},
                 {AEROGPU_IRQ_ERROR, "ERROR"}};
    const char *before = "";

    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if ((causes & named[i].bit) != 0) {
            agpu_format(text, "%s%s", before, named[i].name);
            causes &= ~(uint64_t)named[i].bit;
            before = ", ";
        }
    }
    if (causes != 0) {
        agpu_format(text, "%san undefined bit 0x%jx", before, causes);
    }
}

/* Reports the causes that are set but should not be, and those that are missing. */
static void mismatch_causes(const struct agpu_test *test, uint64_t actual, uint64_t expected,
                            struct agpu_text *text)
{
    (void)test;
    if ((actual & ~expected) != 0) {
        name_causes(text, actual & ~expected);
        agpu_text_string(text, " is pending, and should not be");
    }
    if ((expected & ~actual) != 0) {
        agpu_text_string(text, text->length != 0 ? "; " : "");
        name_causes(text, expected & ~actual);
        agpu_text_string(text, " should be pending, and is not");
    }
}

/* Reports a fence that was never submitted, is missing, or has gone back. */
static void mismatch_fence(const struct agpu_test *test, uint64_t actual, uint64_t expected,
                           struct agpu_text *text)
{
    const struct agpu_ring *ring = &test->env->ring;

    if (actual > ring->last_submitted) {
        agpu_text_string(text, "no submission has this fence");
    } else if (actual < ring->last_completed) {
        agpu_format(text, "the fence went back: 0x%jx was seen before", ring->last_completed);
    } else if (actual < expected) {
        agpu_text_string(text, "the fence is not signalled");
    } else {
        agpu_text_string(text, "a fence is signalled that should not be");
    }
}

/* Waits a third of a second at most: these values change together with a fence that was already seen. explain may be
 * NULL: then the report has only the numbers. */
static bool check_soon(struct agpu_test *test, uint64_t (*read)(const struct agpu_env *env),
                       uint64_t expected, const char *what, bool hex,
                       void (*explain)(const struct agpu_test *test, uint64_t actual, uint64_t expected,
                                       struct agpu_text *text),
                       struct agpu_where where)
{
    char note[160];
    struct agpu_text text;
    struct agpu_wait wait;
    uint64_t value;

    agpu_wait_begin_ns(&wait, test->env->platform, AGPU_RELAX_FENCE, SOON_NS);
    do {
        value = read(test->env);
        if (value == expected) {
            return agpu_check_passed(test);
        }
    } while (agpu_wait_again(&wait));
    agpu_text_begin(&text, note, sizeof note);
    if (explain != NULL) {
        explain(test, value, expected, &text);
    }
    return agpu_check_u64_noted(test, value, expected, what, hex, text.length != 0 ? note : NULL, where);
}

bool agpu_check_head_at(struct agpu_test *test, uint32_t value, struct agpu_where where)
{
    return check_soon(test, read_head, value, "ring head", false, NULL, where);
}

bool agpu_check_completed_at(struct agpu_test *test, uint64_t value, struct agpu_where where)
{
    return check_soon(test, read_completed, value, "COMPLETED_FENCE", true, mismatch_fence, where);
}

static uint64_t read_page(const struct agpu_env *env)
{
    return agpu_fence_page_value(&env->ring);
}

bool agpu_check_page_at(struct agpu_test *test, uint64_t value, struct agpu_where where)
{
    return test->env->ring.page.cpu == NULL ||
           check_soon(test, read_page, value, "completed_fence of the fence page", true, mismatch_fence,
                      where);
}

bool agpu_check_irq_at(struct agpu_test *test, uint32_t causes, struct agpu_where where)
{
    agpu_ack_errors(test->env);
    return check_soon(test, read_irq, causes, "IRQ_STATUS", true, mismatch_causes, where);
}
