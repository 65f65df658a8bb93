/* run_plan.c: compares the device with its plan, and cases with their plan. */
#include "tests/host/wire/run_plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases/choice/digest.h"

static enum agpu_verdict judge_features(struct agpu_run *run, const struct agpu_run_plan *plan)
{
    if (plan->missing[0] == '\0') {
        return AGPU_VERDICT_PASS;
    }
    agpu_run_problem(
        run,
        "required features are missing: %s; if the device is meant to lack them, use --require default,-WORD",
        plan->missing);
    return AGPU_VERDICT_FAIL;
}

static enum agpu_verdict judge_abi(struct agpu_run *run, const struct agpu_run_plan *plan)
{
    if (plan->together) {
        return AGPU_VERDICT_PASS; /* each of the functions has its own plan */
    }
    switch (agpu_expect_judge(plan->expect, plan->abi)) {
    case AGPU_EXPECT_WRONG:
        agpu_run_problem(
            run, "expected a device of %s, found ABI %s; check the device, or state its ABI with --expect",
            plan->expect, plan->abi[0] != '\0' ? plan->abi : "unknown");
        return AGPU_VERDICT_FAIL;
    case AGPU_EXPECT_UNSTATED:
        agpu_run_problem(run,
                         "the device has ABI %s, which exempts it from cases; if it is meant to be that old, "
                         "state it with --expect abi=",
                         plan->abi);
        return AGPU_VERDICT_SKIP;
    case AGPU_EXPECT_MET:
        break;
    }
    return AGPU_VERDICT_PASS;
}

static int by_index(const void *a, const void *b)
{
    const struct agpu_case_result *x = *(struct agpu_case_result *const *)a;
    const struct agpu_case_result *y = *(struct agpu_case_result *const *)b;

    return x->index != y->index ? (x->index < y->index ? -1 : 1) : agpu_case_order(x, y);
}

/* Compares the indexes of one device's cases, which are sorted by index. */
static bool places_agree(struct agpu_run *run, const struct agpu_run_plan *plan,
                         struct agpu_case_result *const *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct agpu_case_result *c = cases[i];

        if (c->other_index != 0) {
            agpu_run_problem(run,
                             "%s started with index %" PRIu64 " and with index %" PRIu64 "; expected one",
                             c->id, c->other_index, c->index);
            return false;
        }
        if (c->index > plan->count) {
            agpu_run_problem(run, "%s started with index %" PRIu64 ", the plan has %" PRIu64 " cases", c->id,
                             c->index, plan->count);
            return false;
        }
        if (i > 0 && c->index != 0 && c->index == cases[i - 1]->index && !run->repeated) {
            agpu_run_problem(run, "%s and %s started with the same index %" PRIu64 "; expected one case each",
                             cases[i - 1]->id, c->id, c->index);
            return false;
        }
    }
    return true;
}

static bool ids_agree(struct agpu_run *run, const struct agpu_run_plan *plan,
                      struct agpu_case_result *const *cases, size_t count)
{
    const uint32_t announced = (uint32_t)strtoul(plan->digest, NULL, 10);
    uint32_t digest = 0;

    if (plan->digest[0] == '\0' || count != plan->count) {
        return true; /* missing or surplus cases are reported elsewhere */
    }
    for (size_t i = 0; i < count; i++) {
        digest = agpu_digest_add(digest, cases[i]->id + cases[i]->subject);
    }
    if (digest != announced) {
        agpu_run_problem(run, "the names of the %zu cases that ran differ from those in the plan", count);
    }
    return digest == announced;
}

static enum agpu_verdict judge_cases(struct agpu_run *run, const struct agpu_run_plan *plan,
                                     const struct agpu_run_device *device)
{
    struct agpu_case_result **cases = calloc(run->case_count + 1, sizeof *cases);
    size_t count = 0;
    bool agree;

    if (cases == NULL) {
        agpu_run_problem(run, "memory is exhausted: the cases are not compared with their plan");
        return AGPU_VERDICT_ERROR;
    }
    for (size_t i = 0; i < run->case_count; i++) {
        if (run->cases[i]->device == device) {
            cases[count++] = run->cases[i];
        }
    }
    qsort(cases, count, sizeof *cases, by_index);
    agree = places_agree(run, plan, cases, count) && ids_agree(run, plan, cases, count);
    free(cases);
    return agree ? AGPU_VERDICT_PASS : AGPU_VERDICT_ERROR;
}

/* Returns true when the list, with one word per function, contains word. */
static bool has_word(const char *list, const char *word)
{
    char one[AGPU_EXPECT_MAX];

    for (unsigned i = 0; i < agpu_expect_count(list); i++) {
        agpu_expect_of(list, i, one);
        if (strcmp(one, word) == 0) {
            return true;
        }
    }
    return false;
}

/* Compares the plan with the requested settings: the image may be from an earlier build, or take its settings from
 * elsewhere. */
static enum agpu_verdict judge_asked(struct agpu_run *run, const struct agpu_run_plan *plan)
{
    const struct {
        const char *key, *asked, *ran;
        bool same;
    } rows[] = {
#define ROW(key, comparison)                                                                                 \
    {#key, run->asked.key, plan->key,                                                                        \
     run->asked.key == NULL || *run->asked.key == '\0' || comparison(run->asked.key, plan->key)}
        ROW(require, !strcmp),
        ROW(expect, has_word),
        ROW(allow_skips, !strcmp),
#undef ROW
    };
    enum agpu_verdict verdict = AGPU_VERDICT_PASS;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!rows[i].same) {
            agpu_run_problem(run,
                             "the image ran with %s=%s, expected %s=%s; check that it is of this build and "
                             "reads the agpu.cfg of this run",
                             rows[i].key, rows[i].ran, rows[i].key, rows[i].asked);
            verdict = AGPU_VERDICT_ERROR;
        }
    }
    return verdict;
}

enum agpu_verdict agpu_plan_judge_device(struct agpu_run *run, const struct agpu_run_plan *plan)
{
    return plan->ever ? agpu_verdict_worst(judge_features(run, plan), judge_abi(run, plan))
                      : AGPU_VERDICT_PASS;
}

static enum agpu_verdict judge_one(struct agpu_run *run, const struct agpu_run_plan *plan,
                                   const struct agpu_run_device *device)
{
    enum agpu_verdict verdict = agpu_verdict_worst(plan->earlier, agpu_plan_judge_device(run, plan));

    if (!plan->ever) {
        return AGPU_VERDICT_PASS; /* the missing plan is reported elsewhere */
    }
    if (plan->contradiction[0] != '\0') {
        agpu_run_problem(run, "%s", plan->contradiction);
        verdict = agpu_verdict_worst(verdict, AGPU_VERDICT_ERROR);
    }
    if (!plan->nothing) {
        verdict = agpu_verdict_worst(verdict, judge_asked(run, plan));
    }
    return run->attended ? verdict : agpu_verdict_worst(verdict, judge_cases(run, plan, device));
}

enum agpu_verdict agpu_plan_judge(struct agpu_run *run)
{
    enum agpu_verdict worst = judge_one(run, &run->plan, NULL);

    for (size_t i = 0; i < run->device_count; i++) {
        struct agpu_run_device *device = run->devices[i];

        device->verdict = judge_one(run, &device->plan, device);
        worst = agpu_verdict_worst(worst, device->verdict);
    }
    return worst;
}
