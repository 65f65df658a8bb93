/* lockstep.c: free runs of both devices, and the search for the cause where their hashes differ. */
#include "tests/host/compare/lockstep.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/host/compare/cause.h"
#include "tests/host/compare/heap.h"
#include "tests/host/monotonic.h"

#define REDUCE_SECONDS  10u
#define REDUCE_TRIES    4000u
#define HANG_SECONDS    5u /* time limit for reducing a hang */
#define HANG_S          1u /* a call that takes longer counts as a hang meanwhile */
#define HANGS_MOST      3u
#define KNOWN_ROW       5u  /* consecutive sessions with a known difference, */
#define KNOWN_AMONG     10u /* among this many: avoid its area from then on */
#define CLEAR_SESSIONS  8u  /* sessions that must be equal without an area */
#define KNOWN_SECONDS   60u /* limit of time spent on known differences, if the user sets none */
#define WORKED_SESSIONS 16u /* that are generated again to list the areas with work */
#define NS_A_S          UINT64_C(1000000000)

struct search {
    struct agpu_cmp_pair *pair;
    uint64_t until_ns; /* agpu_monotonic_ns() deadline; 0: none */
    struct agpu_cmp_difference wanted;
};

/* Runs a try within the remaining time. Returns false when the time was not sufficient, and the result is
 * meaningless. */
static bool differ_in_time(const struct search *search, const struct agpu_gen_program *program,
                           struct agpu_cmp_difference *out)
{
    const uint64_t until_ns = search->until_ns;

    for (int i = 0; i < 2; i++) {
        search->pair->sides[i].until_ns = until_ns;
    }
    agpu_cmp_differ(search->pair, program, false, out);
    for (int i = 0; i < 2; i++) {
        search->pair->sides[i].until_ns = 0;
    }
    return until_ns == 0 || agpu_monotonic_ns() < until_ns;
}

static bool is_late(void *ctx)
{
    const struct search *search = ctx;

    return search->until_ns != 0 && agpu_monotonic_ns() > search->until_ns;
}

/* Returns true when the same difference shows, for work that is equally valid. */
static bool still_fails(void *ctx, const struct agpu_gen_program *program)
{
    struct search *search = ctx;
    struct agpu_cmp_difference now;

    if (!differ_in_time(search, program, &now)) {
        return false;
    }
    return now.found && now.died[0] == search->wanted.died[0] && now.died[1] == search->wanted.died[1] &&
           now.absurd == search->wanted.absurd && now.of == search->wanted.of &&
           (now.died[0] || now.died[1] || now.what == search->wanted.what) &&
           (!now.errors || search->wanted.errors);
}

static uint32_t packets_of(const struct agpu_gen_program *program)
{
    uint32_t submissions, packets;

    agpu_cmp_size(program, &submissions, &packets);
    return packets;
}

/* For a difference in memory, tries the program with that region filled from the start: packets that only fill it may
 * then be unnecessary. Takes the result when it has fewer packets. */
static void shrink_further(struct agpu_gen_reduction *reduction, struct agpu_gen_program *program)
{
    const struct search *search = reduction->ctx;
    struct agpu_gen_program filled = AGPU_CMP_PROGRAM;
    struct agpu_cmp_difference here;

    if (search->wanted.died[0] || search->wanted.died[1] || search->wanted.what != AGPU_CMP_SAW_MEMORY) {
        return;
    }
    agpu_cmp_differ(search->pair, program, true, &here);
    if (here.what == AGPU_CMP_SAW_MEMORY && here.bytes > 0 && here.region < AGPU_GEN_RING) {
        agpu_cmp_prefill(program, here.region, &filled);
        reduction->pinned = AGPU_CMP_PREFILLED;
        if (reduction->fails(reduction->ctx, &filled)) {
            agpu_cmp_reduce(reduction, &filled);
            reduction->pinned = 0;
            if (packets_of(&filled) < packets_of(program)) {
                agpu_cmp_reduce(reduction, &filled);
                agpu_gen_program_copy(program, &filled);
            }
        }
    }
    agpu_cmp_program_free(&filled);
}

bool agpu_cmp_investigate(struct agpu_cmp_pair *pair, const struct agpu_gen_program *program, bool reduce,
                          uint64_t seconds, struct agpu_cmp_finding *out)
{
    struct search search = {.pair = pair};
    struct agpu_gen_reduction reduction = {
        .fails = still_fails,
        .late = is_late,
        .ctx = &search,
        .most_tries = REDUCE_TRIES,
    };
    const unsigned hang_s[2] = {pair->sides[0].hang_s, pair->sides[1].hang_s};

    out->program = AGPU_CMP_PROGRAM;
    agpu_cmp_differ(pair, program, false, &search.wanted);
    if (!search.wanted.found) {
        return false;
    }
    agpu_gen_program_copy(&out->program, program);
    if (search.wanted.step + 1 < out->program.step_count) {
        out->program.step_count = search.wanted.step + 1; /* later steps do not matter */
    }
    /* Each try of a hanging program takes the time of a hang; one that draws may take long. */
    for (int i = 0; i < 2; i++) {
        const bool hangs = search.wanted.died[i] && agpu_cmp_is_hang(search.wanted.text[i]);

        pair->sides[i].hang_s = hangs && !pair->sides[i].draws && hang_s[i] > HANG_S ? HANG_S : hang_s[i];
    }
    if (reduce) {
        search.until_ns = agpu_monotonic_ns() + seconds * NS_A_S;
        agpu_cmp_reduce(&reduction, &out->program);
        shrink_further(&reduction, &out->program);
    }
    for (int i = 0; i < 2; i++) {
        pair->sides[i].hang_s = hang_s[i];
    }
    out->tries = reduction.tries;
    agpu_cmp_differ(pair, &out->program, true, &out->difference);
    /* Restores the original program if the reduced one does not fail each time, or does not hang when a call gets
     * its full time. */
    if (!out->difference.found || out->difference.died[0] != search.wanted.died[0] ||
        out->difference.died[1] != search.wanted.died[1]) {
        agpu_gen_program_copy(&out->program, program);
        out->difference = search.wanted;
    }
    agpu_cmp_find_cause(pair, &out->program, &out->difference);
    agpu_cmp_sentence(&out->program, &out->difference, out->sentence);
    agpu_cmp_signature(&out->program, &out->difference, out->signature);
    out->section = agpu_cmp_section(&out->program, &out->difference);
    return true;
}

static uint64_t weight_of(const struct agpu_cmp_finding *finding)
{
    return (uint64_t)packets_of(&finding->program) << 32 | finding->program.step_count;
}

void agpu_cmp_finding_merge(struct agpu_cmp_finding *into, struct agpu_cmp_finding *finding)
{
    const uint32_t times = into->times + finding->times;

    if (!finding->history && weight_of(finding) < weight_of(into)) {
        const uint64_t session = into->session;

        agpu_cmp_program_free(&into->program);
        *into = *finding;
        into->shown_in = finding->session;
        into->session = session;
    } else {
        agpu_cmp_program_free(&finding->program);
    }
    into->times = times;
    memset(finding, 0, sizeof *finding);
}

static void print_progress(const struct agpu_cmp_lockstep *lockstep, const char *line)
{
    if (lockstep->progress != NULL) {
        lockstep->progress(lockstep->progress_ctx, line);
    }
}

/* ---- sessions ---- */

/* Results of one session on both devices. */
struct session_result {
    uint64_t number;
    bool died; /* one of them died */
    struct agpu_cmp_record records[2];
    char hang[AGPU_CMP_TEXT]; /* signature of a hang; "": none */
};

struct lockstep_run {
    struct agpu_cmp_lockstep *lockstep;
    struct agpu_cmp_side runners[2];
    struct agpu_gen generator;
    bool running;
    uint64_t began_ns, known_ns; /* known_ns: time spent on differences that showed nothing new */
    uint32_t row;                /* number of those in a row */
    uint64_t row_from;           /* session */
    bool unavoidable;            /* leaving out an area does not avoid it */
};

/* Reports a difference that does not show on new devices. */
static void report_history(const struct agpu_cmp_lockstep *lockstep, const struct agpu_cmp_record records[2],
                           struct agpu_cmp_finding *finding)
{
    finding->history = true;
    finding->section = "device.md 2";
    for (uint32_t i = 0; i < 2; i++) {
        if (records[i].absurd != 0 && !lockstep->pair->absurd_known[i]) {
            finding->difference.absurd = true;
            finding->difference.of = i;
            snprintf(finding->sentence, sizeof finding->sentence,
                     "%c: it asked for absurd DMA, more than 2^52 bytes at once, in session %" PRIu64
                     ", but only after the sessions before it: expected none",
                     'A' + (int)i, finding->session);
            agpu_cmp_signature(&finding->program, &finding->difference, finding->signature);
            return;
        }
    }
    snprintf(finding->sentence, sizeof finding->sentence,
             "session %" PRIu64 " differs only after the sessions before it, not on new devices: some state "
             "survives a reset of the function, or the result depends on time%s",
             finding->session,
             lockstep->finding_count > 0
                 ? "; or it is one of the other differences, which does not appear each time"
                 : "");
    snprintf(finding->signature, sizeof finding->signature, "history");
}

static struct agpu_cmp_finding *find_known(struct agpu_cmp_lockstep *lockstep, const char *signature)
{
    for (uint32_t i = 0; i < lockstep->finding_count; i++) {
        if (strcmp(lockstep->findings[i].signature, signature) == 0) {
            return &lockstep->findings[i];
        }
    }
    return NULL;
}

/* Handles a session that differs: finds out whether the difference is new. */
static bool add_finding(struct lockstep_run *run, const struct session_result *result)
{
    struct agpu_cmp_lockstep *lockstep = run->lockstep;
    struct agpu_cmp_finding *finding = &lockstep->findings[lockstep->finding_count];
    struct agpu_cmp_finding *known = result->hang[0] != '\0' ? find_known(lockstep, result->hang) : NULL;
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    char line[AGPU_CMP_TEXT + 128];

    if (known != NULL) { /* investigating it again takes time, and shows nothing new */
        known->times++;
        return false;
    }
    memset(finding, 0, sizeof *finding);
    agpu_gen_generate(&run->generator, &lockstep->plan, result->number, &program);
    finding->session = finding->shown_in = result->number;
    finding->left_out = lockstep->left_out;
    finding->times = 1;
    if (!agpu_cmp_investigate(lockstep->pair, &program, lockstep->reduce,
                              lockstep->reduce_seconds != 0 ? lockstep->reduce_seconds
                              : result->hang[0] != '\0'     ? HANG_SECONDS
                                                            : REDUCE_SECONDS,
                              finding)) {
        agpu_gen_program_copy(&finding->program, &program);
        report_history(lockstep, result->records, finding);
    }
    agpu_cmp_program_free(&program);
    lockstep->pair->absurd_known[finding->difference.of] |= finding->difference.absurd;
    known = find_known(lockstep, finding->signature);
    if (known != NULL) {
        agpu_cmp_finding_merge(known, finding);
        return false;
    }
    snprintf(line, sizeof line, "difference: %s: %s", finding->section, finding->sentence);
    print_progress(lockstep, line);
    lockstep->finding_count++;
    return true;
}

/* Every session of such a device may request it. */
static void count_absurd(struct agpu_cmp_lockstep *lockstep, const struct agpu_cmp_record records[2])
{
    for (uint32_t i = 0; i < lockstep->finding_count; i++) {
        const struct agpu_cmp_difference *difference = &lockstep->findings[i].difference;

        lockstep->findings[i].times += difference->absurd && records[difference->of].absurd != 0;
    }
}

/* Returns true when the sessions differ in something that is not known. */
static bool is_different(const struct agpu_cmp_pair *pair, const struct session_result *result)
{
    const struct agpu_cmp_record *records = result->records;

    return result->died || records[0].hash != records[1].hash ||
           (records[0].absurd != 0 && !pair->absurd_known[0]) ||
           (records[1].absurd != 0 && !pair->absurd_known[1]);
}

static void stop_both(struct lockstep_run *run)
{
    agpu_cmp_stop(&run->runners[0]);
    agpu_cmp_stop(&run->runners[1]);
    run->running = false;
}

/* Returns false when a device cannot be created any more; text says why. */
static bool run_session(struct lockstep_run *run, const struct agpu_gen_plan *plan,
                        struct session_result *result, char text[AGPU_CMP_TEXT])
{
    bool got[2], good = true;

    for (int i = 0; i < 2 && !run->running; i++) {
        agpu_cmp_free_start(&run->runners[i], plan, result->number, UINT64_MAX);
    }
    run->running = true;
    for (int i = 0; i < 2; i++) {
        got[i] = agpu_cmp_free_next(&run->runners[i], &result->records[i]);
    }
    result->died = !got[0] || !got[1];
    for (int i = 0; i < 2 && result->died; i++) { /* it died in this session, or never started */
        if (!got[i] && agpu_cmp_finish(&run->runners[i], text) == AGPU_CMP_NO_DEVICE) {
            good = false;
        } else if (!got[i] && agpu_cmp_is_hang(text)) {
            agpu_cmp_hang_signature(i, text, result->hang);
        }
    }
    if (result->died) {
        stop_both(run);
    }
    return good;
}

static enum agpu_cmp_stop why_over(const struct lockstep_run *run)
{
    const struct agpu_cmp_lockstep *lockstep = run->lockstep;

    if (lockstep->finding_count >= lockstep->most) {
        return AGPU_CMP_STOP_MOST;
    }
    if (lockstep->hangs >= HANGS_MOST) {
        return AGPU_CMP_STOP_HANGS;
    }
    if (lockstep->seconds == 0) {
        return run->known_ns > KNOWN_SECONDS * NS_A_S ? AGPU_CMP_STOP_KNOWN : AGPU_CMP_STOP_NONE;
    }
    return agpu_monotonic_ns() - run->began_ns > lockstep->seconds * NS_A_S ? AGPU_CMP_STOP_SECONDS
                                                                            : AGPU_CMP_STOP_NONE;
}

/* ---- what is known, and in the way ---- */

static bool is_clear_without(struct lockstep_run *run, uint32_t areas, uint64_t session)
{
    struct agpu_gen_plan plan = run->lockstep->plan;
    char text[AGPU_CMP_TEXT];
    bool clear = true;

    plan.areas = areas;
    stop_both(run);
    for (uint64_t n = 0; clear && n < CLEAR_SESSIONS; n++) {
        struct session_result result = {.number = session + n};

        clear = run_session(run, &plan, &result, text) && !is_different(run->lockstep->pair, &result);
        run->lockstep->hangs += result.hang[0] != '\0';
    }
    stop_both(run);
    return clear;
}

/* Nearly every session shows a known difference, which hides rarer ones: leaves out the area that causes it. Each
 * attempt ends with the first session that differs. */
static void keep_clear(struct lockstep_run *run, uint64_t session)
{
    struct agpu_cmp_lockstep *lockstep = run->lockstep;
    char line[AGPU_CMP_TEXT], without[AGPU_CMP_TEXT];

    for (uint32_t i = 0; i < AGPU_GEN_AREA_COUNT && why_over(run) == AGPU_CMP_STOP_NONE; i++) {
        const uint32_t left = lockstep->plan.areas & ~(1u << i);

        if (left == lockstep->plan.areas || left == 0 || !is_clear_without(run, left, session)) {
            continue;
        }
        lockstep->plan.areas = left;
        lockstep->left_out_from = lockstep->left_out == 0 ? session : lockstep->left_out_from;
        lockstep->left_out |= 1u << i;
        agpu_cmp_without_text(lockstep, without);
        snprintf(line, sizeof line, "continues %.400s", without);
        print_progress(lockstep, line);
        return;
    }
    run->unavoidable = true;
}

static void note_known(struct lockstep_run *run, uint64_t session, uint64_t spent_ns)
{
    run->known_ns += spent_ns;
    run->row_from = run->row == 0 ? session : run->row_from;
    run->row++;
    if (run->row == KNOWN_ROW) {
        if (session - run->row_from < KNOWN_AMONG && !run->unavoidable &&
            !run->lockstep->plan.common.legacy) {
            keep_clear(run, session + 1);
        }
        run->row = 0;
    }
}

static void take_session(struct lockstep_run *run, const struct session_result *result)
{
    struct agpu_cmp_lockstep *lockstep = run->lockstep;
    const uint64_t began = agpu_monotonic_ns();

    if (!result->died) {
        lockstep->sessions++;
        lockstep->ran += result->records[0].streams;
        lockstep->refused += result->records[0].invalid;
        count_absurd(lockstep, result->records);
    }
    if (!is_different(lockstep->pair, result)) {
        return;
    }
    lockstep->differing++;
    lockstep->hangs += result->hang[0] != '\0';
    if (add_finding(run, result)) {
        run->row = 0;
    } else {
        note_known(run, result->number, agpu_monotonic_ns() - began);
    }
}

/* The devices run the same sessions in other processes. */
static uint32_t find_worked(struct lockstep_run *run)
{
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    uint32_t worked = 0;

    for (uint64_t n = 0; n < WORKED_SESSIONS && n < run->lockstep->sessions; n++) {
        agpu_gen_generate(&run->generator, &run->lockstep->plan, run->lockstep->first_session + n, &program);
        worked |= run->generator.worked;
    }
    agpu_cmp_program_free(&program);
    return worked;
}

static bool open_runners(struct lockstep_run *run)
{
    const struct agpu_cmp_pair *pair = run->lockstep->pair;
    bool good = true;

    for (int i = 0; i < 2; i++) {
        good = agpu_cmp_side_open(&run->runners[i], pair->sides[i].spec, pair->sides[i].hang_s) && good;
        run->runners[i].draws = pair->sides[i].draws;
        run->runners[i].shaped = pair->sides[i].shaped;
        run->runners[i].shape = pair->sides[i].shape;
    }
    return good;
}

bool agpu_cmp_lockstep_run(struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT])
{
    struct lockstep_run run = {.lockstep = lockstep, .began_ns = agpu_monotonic_ns()};
    bool good = open_runners(&run);

    if (!good) {
        snprintf(text, AGPU_CMP_TEXT, "no memory");
    }
    for (uint64_t session = lockstep->first_session; good && lockstep->ran < lockstep->streams; session++) {
        struct session_result result = {.number = session};

        lockstep->stop = why_over(&run);
        if (lockstep->stop != AGPU_CMP_STOP_NONE) {
            lockstep->untried = lockstep->streams - lockstep->ran;
            break;
        }
        good = run_session(&run, &lockstep->plan, &result, text);
        if (good) {
            take_session(&run, &result);
        }
    }
    lockstep->worked = find_worked(&run);
    agpu_cmp_side_close(&run.runners[0]);
    agpu_cmp_side_close(&run.runners[1]);
    lockstep->busy_seconds += (double)(agpu_monotonic_ns() - run.began_ns) * 1e-9;
    return good;
}

void agpu_cmp_stop_text(const struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT])
{
    static const char *const why[] = {
        [AGPU_CMP_STOP_NONE] = "",
        [AGPU_CMP_STOP_MOST] = "by --most, which is reached",
        [AGPU_CMP_STOP_SECONDS] = "by --seconds",
        [AGPU_CMP_STOP_KNOWN] =
            "since nearly every session shows a known difference (fix it first, or give --seconds)",
        [AGPU_CMP_STOP_HANGS] = "since the device hung again and again, for --hang seconds each time",
    };

    text[0] = '\0';
    if (lockstep->stop != AGPU_CMP_STOP_NONE) {
        snprintf(text, AGPU_CMP_TEXT, "stopped early %s: %" PRIu64 " of %" PRIu64 " streams were not run",
                 why[lockstep->stop], lockstep->untried, lockstep->streams);
    }
}

void agpu_cmp_areas_text(uint32_t wanted, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < AGPU_GEN_AREA_COUNT && length < size; i++) {
        if ((wanted >> i & 1) != 0) {
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? "," : "",
                                       agpu_gen_area_info(i)->name);
        }
    }
}

void agpu_cmp_without_text(const struct agpu_cmp_lockstep *lockstep, char text[AGPU_CMP_TEXT])
{
    char areas[256];

    text[0] = '\0';
    if (lockstep->left_out != 0) {
        agpu_cmp_areas_text(lockstep->left_out, areas, sizeof areas);
        snprintf(text, AGPU_CMP_TEXT,
                 "without %s from session %" PRIu64
                 " on, since nearly every session showed a known difference; fix it, and compare again",
                 areas, lockstep->left_out_from);
    }
}

void agpu_cmp_lockstep_free(struct agpu_cmp_lockstep *lockstep)
{
    for (uint32_t i = 0; i < lockstep->finding_count; i++) {
        agpu_cmp_program_free(&lockstep->findings[i].program);
    }
    lockstep->finding_count = 0;
}
