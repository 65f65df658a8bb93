/* explore.c: random work, with the outcome that the reference predicts. */
#include <string.h>

#include "tests/cases/explore/fields.h"
#include "tests/cases/explore/meetings.h"
#include "tests/cases/explore/session.h"
#include "tests/cases/harness/artifact.h"
#include "tests/cases/random/describe.h"
#include "tests/cases/random/fields.h"
#include "tests/cases/random/generate.h"
#include "tests/cases/random/reduce.h"
#include "tests/cases/rig/draws.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/restart.h"
#include "tests/shaders/shaders.h"

#define PROGRAM_BYTES ((size_t)1 << 20)
/* Time of a case on a real clock. */
#define CASE_NS UINT64_C(600000000)

/* Limits of a reduction. */
#define SHRINK_NS      UINT64_C(8000000000)
#define SHRINK_WAIT_NS UINT64_C(30000000)
#define SHRINK_TRIES   400u
#define SHRINK_STEPS   300000u /* repeated ones, too: simulated time bounds no work */
#define HEAVY_TRIES    40u     /* each takes several service points */
#define PARTS          8192u
#define LINES_MOST     60u
/* Limit of a case as text: leaves room for the evidence of a failure. */
#define CASE_BYTES (AGPU_ARTIFACT_CASE_MAX - 16384u)

#define AREA(name) (1u << AGPU_GEN_AREA_##name)
#define QUEUE      (AREA(RING) | AREA(FENCE) | AREA(STREAM))
#define OBJECTS    (AREA(BUFFER) | AREA(TEXTURE) | AREA(VIEW))
#define PIPELINE   (AREA(CLEAR) | AREA(STATE))
/* The machine owns BAR1 and the capabilities, and random values could make a device write foreign memory. */
#define ALL                                                                                                  \
    (QUEUE | OBJECTS | PIPELINE | AREA(REGISTERS) | AREA(CONFIG) | AREA(SCANOUT) | AREA(DRAW) |              \
     AREA(COMPUTE) | AREA(SHARED) | AREA(ERROR))

/* The abilities that the objects and scenes of random/fields.h need. */
#define FIELDS_ASK                                                                                           \
    (AGPU_ASKS_VIEWS | AGPU_ASKS_DEPTH_READ | AGPU_ASKS_LAYERS | AGPU_ASKS_TARGETS | AGPU_ASKS_TARGET_MIPS | \
     AGPU_ASKS_ROW_PARTS | AGPU_ASKS_FIRST_PARTS | AGPU_ASKS_CLEAR_ALL | AGPU_ASKS_ABI_1_2)

struct explore_subject {
    uint32_t areas, focus;
    uint32_t sessions, submissions; /* 0 sessions: those of random/fields.h */
};

#define CHOICE(name) (UINT64_C(1) << AGPU_GEN_CHOICE_##name)

static struct agpu_gen_plan explore_plan(const struct agpu_test *t, const struct explore_subject *subject,
                                         bool draws, const struct agpu_explore *explore)
{
    /* A machine may add capabilities, a firmware may own configuration space, and not every machine passes on accesses
     * that are not aligned. */
    const uint64_t not_compared =
        CHOICE(BARS) | CHOICE(CAPABILITIES) | (explore->exact ? 0 : CHOICE(ACCESS_WIDTH));
    struct agpu_gen_plan plan = {.areas = subject->areas & ~(explore->lax ? AREA(ERROR) : 0),
                                 .focus = subject->focus,
                                 .submissions = subject->submissions,
                                 .draws = draws,
                                 .fields = subject->sessions == 0,
                                 .common = {.features = t->env->abi.features}};

    plan.common.choices.compared = t->env->model ? ~not_compared : 0;
    plan.again = (subject->areas & AREA(FENCE)) == 0 ? 0 : explore->exact ? 1u << 16 : 1u << 8;
    if (t->env->model && (subject->focus & AREA(RING)) != 0) { /* with work of several service points */
        plan.heavy = explore->exact ? 1 : 4;
        plan.areas &= ~(explore->exact ? 0 : AREA(SCANOUT)); /* in which edges would come */
    }
    plan.seed = t->explore_seed;
    for (const char *id = t->test_case->id; *id != '\0'; id++) {
        plan.seed = (plan.seed ^ (uint8_t)*id) * UINT64_C(0x100000001B3);
    }
    return plan;
}

/* ---- mismatches ---- */

struct explore_search {
    struct agpu_explore *explore;
    struct agpu_explore_mismatch wanted;
    uint64_t until_ns, until_worked;
};

static bool fails_alike(void *ctx, const struct agpu_gen_program *program)
{
    struct explore_search *search = ctx;
    const struct agpu_explore_mismatch *found = &search->explore->mismatch;

    return !agpu_explore_run(search->explore, program) && found->what == search->wanted.what &&
           found->check.region == search->wanted.check.region;
}

static bool search_is_late(void *ctx)
{
    const struct explore_search *search = ctx;
    const struct agpu_platform *platform = search->explore->platform;

    return platform->now_ns(platform->ctx) > search->until_ns ||
           search->explore->worked > search->until_worked;
}

/* Returns the number of tries. */
static uint32_t shrink(struct agpu_explore *explore, struct agpu_gen_program *program, bool heavy)
{
    const struct agpu_platform *platform = explore->platform;
    const uint64_t now = platform->now_ns(platform->ctx), deadline = explore->test->deadline_ns;
    const uint64_t left =
        deadline > now ? (deadline - now) / 2 : 0; /* the case must end in time to report it */
    const uint64_t most = explore->exact || left > SHRINK_NS ? SHRINK_NS : left;
    struct explore_search search = {explore, explore->mismatch, now + most, explore->worked + SHRINK_STEPS};
    struct agpu_gen_program scratch;
    void *memory = platform->heap_alloc(platform->ctx, PROGRAM_BYTES);
    struct agpu_gen_reduction reduction = {
        .fails = fails_alike,
        .late = search_is_late,
        .ctx = &search,
        .most_tries = heavy ? HEAVY_TRIES : SHRINK_TRIES,
        .scratch = &scratch,
        .parts = platform->heap_alloc(platform->ctx, PARTS * sizeof(struct agpu_gen_part)),
        .part_room = PARTS,
    };

    if (memory != NULL && reduction.parts != NULL) {
        agpu_gen_program_place(&scratch, memory, PROGRAM_BYTES);
        explore->bound_ns = SHRINK_WAIT_NS;
        explore->until_ns = UINT64_MAX;
        explore->field = UINT32_MAX; /* the works of a smaller program are not those of the rows */
        agpu_gen_reduce(&reduction, program);
        explore->recorded = program;
        if (!fails_alike(&search, program) || !fails_alike(&search, program)) {
            explore->mismatch = search.wanted; /* it comes and goes, or needs what was before */
            explore->recorded = NULL;
        }
    }
    platform->heap_free(platform->ctx, reduction.parts);
    platform->heap_free(platform->ctx, memory);
    return reduction.tries;
}

struct explore_log {
    const struct agpu_platform *platform;
    uint32_t lines;
};

static void log_line(void *ctx, const char *text)
{
    struct explore_log *log = ctx;

    if (log->lines++ < LINES_MOST) {
        log->platform->log(log->platform->ctx, AGPU_LOG_INFO, text);
    }
}

struct explore_writing {
    const struct agpu_gen_program *program;
    struct agpu_text text;
};

static void write_line(void *ctx, const char *line)
{
    struct explore_writing *writing = ctx;

    agpu_format(&writing->text, "%s\n", line);
}

static uint64_t recorded_fence(void *ctx, uint32_t step)
{
    return ((const struct explore_writing *)ctx)->program->steps[step].value;
}

/* Sends the reduced session as a case of the catalogue. Returns why that is not possible; NULL: it was sent. */
static const char *send_case(struct agpu_test *t, const struct agpu_explore *explore, const char *sentence)
{
    const struct agpu_explore_mismatch *found = &explore->mismatch;
    const struct agpu_gen_program *program = explore->recorded;
    const uint8_t byte = (uint8_t)found->check.value;
    struct explore_writing writing = {.program = program};
    struct agpu_gen_case item = {.section = found->section,
                                 .sentence = sentence,
                                 .program = program,
                                 .check = found->check,
                                 .completed = recorded_fence,
                                 .line = write_line,
                                 .ctx = &writing};
    char name[64], id[80];
    const char *refused = NULL;
    char *memory;

    if (program == NULL) {
        return "it comes and goes, or needs the work before it";
    }
    item.steps = found->step < program->step_count ? found->step + 1 : program->step_count;
    refused = found->check.size == 0 ? "the specification leaves the value open"
                                     : agpu_gen_emit_refuses(program, item.steps);
    memory = t->platform->heap_alloc(t->platform->ctx, CASE_BYTES);
    if (refused == NULL && memory == NULL) {
        refused = "no memory";
    }
    if (refused == NULL) {
        agpu_format_line(name, sizeof name, "%s", t->test_case->id);
        for (char *c = name; *c != '\0'; c++) {
            *c = *c == '.' ? '_' : *c;
        }
        agpu_format_line(id, sizeof id, "found.%s", name);
        item.id = id;
        item.name = name;
        item.check.bytes = &byte;
        agpu_text_begin(&writing.text, memory, CASE_BYTES);
        agpu_gen_emit(&item);
        refused = writing.text.truncated || !agpu_artifact_send(t, "case.c", memory, writing.text.length)
                      ? "it is too long"
                      : NULL;
    }
    t->platform->heap_free(t->platform->ctx, memory);
    return refused;
}

static void report_mismatch(struct agpu_test *t, struct agpu_explore *explore, uint32_t session,
                            struct agpu_gen_program *program, bool heavy)
{
    const uint32_t steps = program->step_count, at = explore->mismatch.step;
    const bool drew = explore->field != UINT32_MAX && explore->field > session * AGPU_GEN_FIELDS_ONCE;
    const char *row = drew ? agpu_gen_field_row(explore->field - 1) : NULL;
    const bool of_draws = explore->mismatch.what == agpu_fields_rule;
    const uint32_t tries = of_draws ? 0 : shrink(explore, program, heavy);
    const struct agpu_explore_mismatch *found = &explore->mismatch;
    struct explore_log log = {.platform = t->platform};
    const char *refused;
    char line[400];
    struct agpu_text text;

    agpu_text_begin(&text, line, sizeof line);
    agpu_format(&text, "%s", found->what);
    if (found->check.kind == AGPU_GEN_CHECK_MEMORY) {
        agpu_format(&text, " at %s + 0x%x", agpu_gen_region_name(found->check.region), found->check.offset);
    }
    if (!of_draws) {
        agpu_format(&text, " is 0x%jx", found->check.value);
    }
    if (!of_draws && found->most != found->check.value) {
        agpu_format(&text, " to 0x%jx", found->most);
    }
    if (row != NULL) {
        agpu_format(&text, " with %s of fields.def", row);
    }
    agpu_format(&text, " after step %u of seed %ju, session %u (%s): found ", at, t->explore_seed, session,
                found->section);
    if (of_draws) {
        agpu_fields_explain(&text, found->actual);
    } else {
        agpu_format(&text, "0x%jx", found->actual);
    }
    refused = of_draws ? "a row needs its three draws" : send_case(t, explore, line);
    agpu_format(&text, "; reduced from %u to %u steps in %u tries, which log records list; %s%s", steps,
                program->step_count, tries,
                refused != NULL ? "no case to paste: " : "case to paste: artifact case.c",
                refused != NULL ? refused : "");
    agpu_check_true(t, false, line, AGPU_HERE);
    agpu_gen_describe(program, log_line, &log);
}

/* ---- sessions ---- */

static void explore_sessions(struct agpu_test *t, struct agpu_explore *explore,
                             const struct agpu_gen_plan *plan, uint32_t sessions)
{
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_gen *generator = platform->heap_alloc(platform->ctx, sizeof *generator);
    void *memory = platform->heap_alloc(platform->ctx, PROGRAM_BYTES);
    struct agpu_gen_program program;
    bool good = generator != NULL && memory != NULL;
    uint32_t i = 0;

    explore->until_ns = explore->exact ? UINT64_MAX : platform->now_ns(platform->ctx) + CASE_NS;
    if (!good) {
        agpu_error(t, "no memory for a program");
    }
    for (; good && i < sessions && platform->now_ns(platform->ctx) < explore->until_ns; i++) {
        agpu_gen_program_place(&program, memory, PROGRAM_BYTES);
        agpu_gen_generate(generator, plan, i, &program);
        explore->field = plan->fields && plan->draws ? i * AGPU_GEN_FIELDS_ONCE : UINT32_MAX;
        good = agpu_explore_run(explore, &program);
        if (!good &&
            (explore->exact || agpu_time_left(t))) { /* else waits were cut short: TIMEOUT, no failure */
            report_mismatch(t, explore, i, &program, plan->heavy != 0);
        }
    }
    if (good) { /* one check, however many sessions the time allowed */
        agpu_check_passed(t);
    }
    agpu_metric(t, "explore_untried", sessions - i, "sessions");
    platform->heap_free(platform->ctx, memory);
    platform->heap_free(platform->ctx, generator);
}

/* Given random work, the device must do what the reference predicts, after each step. */
static void explore_subject(struct agpu_test *t)
{
    const struct agpu_ref_shader shaders[] = {
#define AGPU_REF_BLOB(name, PROGRAM) {agpu_##name.words, agpu_##name.size_bytes, AGPU_REF_##PROGRAM},
#include "tests/cases/reference/shaders.def"
    };
    const struct explore_subject *subject = t->test_case->arg;
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_ring_config ring = {0};
    const bool fields = subject->sessions == 0;
    const bool draws = fields || ((subject->areas & (AREA(DRAW) | AREA(COMPUTE))) != 0 && t->env->model &&
                                  agpu_draws_find(t) == AGPU_DRAWS);
    struct agpu_gen_plan plan;
    struct agpu_explore *explore;
    enum agpu_status status;

    agpu_require(t, t->env->requirement.hidden == 0, AGPU_SKIP_NOT_REQUIRED); /* it executes no packet */
    agpu_return_unless(!fields || (agpu_asks(t, FIELDS_ASK) && agpu_draws_shaders(t)));
    explore = platform->heap_alloc(platform->ctx, sizeof *explore);
    agpu_require_ok(t, explore != NULL ? AGPU_OK : AGPU_ERR_NO_MEMORY);
    status = agpu_explore_open(explore, t, shaders, draws ? sizeof shaders / sizeof shaders[0] : 0);
    if (status == AGPU_OK) {
        plan = explore_plan(t, subject, draws, explore);
        explore_sessions(t, explore, &plan, fields ? agpu_gen_fields_sessions() : subject->sessions);
        agpu_metric(t, "explore_steps", explore->steps, "steps");
        agpu_metric(t, "explore_submissions", explore->submissions, "submissions");
        agpu_metric(t, "explore_early", explore->early, "sessions");
        agpu_metric(t, "explore_lost", explore->lost, "sessions");
        agpu_meetings_report(explore);
        if (fields) {
            agpu_metric(t, "fields", agpu_gen_fields_count(), "fields");
            agpu_metric(t, "fields_effective", explore->fields_effective, "fields");
        }
        agpu_metric(t, "explore_exact", agpu_ref_counts(explore->ref)->exact, "submissions");
    } else {
        agpu_setup(t, status, "memory for random work", AGPU_HERE);
    }
    agpu_explore_close(explore);
    platform->heap_free(platform->ctx, explore);
    agpu_check_ok(t, agpu_ring_restart(t->env, &ring));
}

#define EXPLORE_CASE(name, section, ...)                                                                     \
    {                                                                                                        \
        .id = "explore." name, .spec = section, .needs = AGPU_NEED_RING, .run = explore_subject,             \
        .arg = &(const struct explore_subject)                                                               \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

static const struct agpu_case explore_explore_cases[] = {
    /* rings, batches, resets */
    EXPLORE_CASE("ring", "ring.md 2",
                 QUEUE | AREA(CONFIG) | AREA(BUFFER) | AREA(SCANOUT) | AREA(ERROR) | AREA(REGISTERS),
                 AREA(RING), 24, 20),
    /* fences and vblank */
    EXPLORE_CASE("fence", "ring.md 7", QUEUE | AREA(SCANOUT) | AREA(CONFIG), AREA(SCANOUT), 24, 20),
    /* causes of interrupts, masks, acknowledges */
    EXPLORE_CASE("interrupts", "device.md 4.4",
                 AREA(FENCE) | AREA(SCANOUT) | AREA(ERROR) | AREA(CONFIG) | AREA(REGISTERS), AREA(SCANOUT),
                 20, 20),
    /* objects and allocation tables */
    EXPLORE_CASE("objects", "commands.md 6.1", OBJECTS | AREA(SHARED) | AREA(ERROR), AREA(VIEW), 20, 30),
    /* copies, uploads, dirty ranges */
    EXPLORE_CASE("copies", "commands.md 6.4", OBJECTS, AREA(VIEW), 20, 30),
    /* state of the pipeline */
    EXPLORE_CASE("state", "commands.md 8", OBJECTS | PIPELINE | AREA(ERROR), AREA(TEXTURE) | PIPELINE, 16,
                 30),
    /* draws */
    EXPLORE_CASE("draws", "commands.md 11", OBJECTS | PIPELINE | AREA(DRAW), AREA(DRAW), 12, 20),
    /* each field of the bound state */
    {.id = "explore.fields",
     .spec = "commands.md 8",
     .needs = AGPU_NEED_RING,
     .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,
     .run = explore_subject,
     .arg = &(const struct explore_subject){.areas = AREA(DRAW) | AREA(COMPUTE)}},
    /* dispatches */
    EXPLORE_CASE("compute", "commands.md 11", AREA(BUFFER) | AREA(STATE) | AREA(COMPUTE),
                 AREA(BUFFER) | AREA(COMPUTE), 8, 20),
    /* shared surfaces */
    EXPLORE_CASE("sharing", "commands.md 12", OBJECTS | AREA(SHARED) | AREA(CLEAR), AREA(SHARED), 24, 30),
    /* all of it */
    EXPLORE_CASE("everything", "device.md 4", ALL, AREA(SCANOUT), 8, 40),
};

AGPU_CASE_TABLE(agpu_cases_explore_explore, explore_explore_cases);
