/* main.c: agpu_inject runs the catalogue on a device in the same process while something fails: every run must
 * end with a complete report, and no case may pass without what it depends on. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cases/catalogue.h"
#include "tests/cases/choice/filter.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/harness/selection.h"
#include "tests/cases/rig/prepare.h"
#include "tests/host/monotonic.h"
#include "tests/host_platform/host_platform.h"
#include "tests/inject/injection.h"
#include "tests/inject/judge.h"

#define CASES_MAX  4096u
#define NEIGHBOURS 4u /* cases that run after the chosen one */
#define FILTER_MAX 1000u
#define LIMIT_S    120u /* a run takes a second, so this is a hang */
#define SWEEP_MAX  48u  /* of one kind in one case; of more events, a selection at equal distances */

static const char usage[] =
    "usage: agpu_inject [--seeds FIRST-LAST] [--kind KIND] [--sweep] [--filter GLOBS] [--strict] [--quiet]\n"
    "Injects failures. Each seed chooses a case, a failure and its moment; the case runs with its neighbours "
    "on\n"
    "its own device, in its own process.\n"
    "  --seeds FIRST-LAST  default 1-1000\n"
    "  --kind KIND         only this: heap, dma, callback, work, fence, stop, stop_long, death or "
    "death_late\n"
    "  --sweep             no seeds: each case on its own, and each moment of it\n"
    "  --filter GLOBS      choose among these cases\n"
    "  --strict            a case that passes despite an injected failure is an error, too\n"
    "  --quiet             print only errors and the counts\n"
    "Exit status: 0 when every run ended as it must, 1 when not, 2 for a wrong command line.\n";

struct inject_options {
    uint64_t first, last;
    enum agpu_injection_kind kind; /* NOTHING: chosen by the seed */
    bool sweep, quiet, strict;
    const char *filter;
};

static const struct agpu_case *cases[CASES_MAX];
static unsigned case_count;

static void add_case(void *ctx, const struct agpu_case *item)
{
    (void)ctx;
    if (case_count < CASES_MAX) {
        cases[case_count++] = item;
    }
}

static bool needs_device(const char *id)
{
    for (unsigned i = 0; i < case_count; i++) {
        if (strcmp(cases[i]->id, id) == 0) {
            return cases[i]->needs >= AGPU_NEED_FUNCTION;
        }
    }
    return false;
}

static void log_nothing(void *ctx, enum agpu_log_level level, const char *text)
{
    agpu_stream_log(ctx, level, text);
}

/* Runs the cases that match filter once. */
static bool run_once(const char *filter, enum agpu_injection_kind kind, uint64_t n, unsigned variant,
                     struct agpu_judge *judge)
{
    static struct agpu_stream stream;
    struct agpu_host_config host_config = {
        .clock = AGPU_HOST_CLOCK_MANUAL, .log = log_nothing, .log_ctx = &stream};
    struct agpu_sink sink = {.name = "judge", .ctx = judge, .packet = agpu_judge_packet};
    char message[200] = "";
    struct agpu_host *host = agpu_host_create(&host_config, message, sizeof message);
    const struct agpu_platform *machine;
    struct agpu_runner_config config = {.stream = &stream,
                                        .fixture = &agpu_device_fixture,
                                        .build = "inject",
                                        .filter = filter,
                                        .fixture_config.model = true};
    enum agpu_result worst;

    *judge = (struct agpu_judge){.needs_device = needs_device};
    if (host == NULL) {
        fprintf(stderr, "agpu_inject: no device: %s\n", message);
        _exit(2);
    }
    machine = agpu_host_platform(host);
    agpu_stream_init(&stream, machine->now_ns, machine->ctx, 0);
    agpu_stream_add_sink(&stream, &sink);
    config.platform = agpu_injection_begin(machine, kind, n, variant, &stream.running);
    config.tables = agpu_catalogue(&config.table_count);
    worst = agpu_run(&config, NULL);
    agpu_host_destroy(host);
    return agpu_judge_conclude(judge, worst);
}

/* Report of a child: one line, empty when there is no problem, and whether the injection happened. */
struct report {
    bool fired;
    bool noticed;
    char passed[300];
    char line[700];
};

static void write_report(int fd, const struct report *report)
{
    if (write(fd, report, sizeof *report) != (ssize_t)sizeof *report) {
        _exit(3);
    }
}

static void report_run(int fd, const struct agpu_judge *judge)
{
    struct report report = {.fired = agpu_injection_what()[0] != '\0'};
    size_t used = 0;

    memcpy(report.passed, judge->passed, sizeof report.passed);
    report.noticed = judge->counts[AGPU_PASS] + judge->counts[AGPU_SKIP] < judge->ended;
    for (unsigned i = 0; i < judge->problem_count && used < sizeof report.line; i++) {
        used += (size_t)snprintf(report.line + used, sizeof report.line - used, "%s%s", i ? "; " : "",
                                 judge->problems[i]);
    }
    write_report(fd, &report);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *seed;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void name_cases(char *filter, unsigned from, unsigned count)
{
    size_t used = 0;

    for (unsigned i = from; i < from + count && i < case_count; i++) {
        used += (size_t)snprintf(filter + used, FILTER_MAX - used, "%s%s", used ? "," : "", cases[i]->id);
    }
}

/* In the child: runs once without an injection, to count events, and once with one. */
static void run_seed(int fd, uint64_t seed, const struct inject_options *options)
{
    struct agpu_judge judge;
    char filter[FILTER_MAX];
    uint64_t state = seed;
    const unsigned chosen = (unsigned)(next_random(&state) % case_count);
    enum agpu_injection_kind kind = (enum agpu_injection_kind)(next_random(&state) % AGPU_INJECT_KINDS);

    if (options->kind != AGPU_INJECT_NOTHING) {
        kind = options->kind;
    }
    name_cases(filter, chosen, 1 + NEIGHBOURS);
    if (!run_once(filter, AGPU_INJECT_NOTHING, 0, 0, &judge)) {
        report_run(fd, &judge);
        return;
    }
    const uint64_t events = agpu_injection_count(kind);
    if (events != 0) {
        run_once(filter, kind, 1 + next_random(&state) % events, (unsigned)next_random(&state), &judge);
    }
    report_run(fd, &judge);
}

static void run_sweep(int fd, unsigned index, const struct inject_options *options)
{
    struct agpu_judge judge;
    const char *filter = cases[index]->id;

    if (!run_once(filter, AGPU_INJECT_NOTHING, 0, 0, &judge)) {
        report_run(fd, &judge);
        return;
    }
    uint64_t events[AGPU_INJECT_KINDS];
    for (unsigned k = 0; k < AGPU_INJECT_KINDS; k++) {
        events[k] = agpu_injection_count((enum agpu_injection_kind)k);
    }
    for (unsigned k = 0; k < AGPU_INJECT_KINDS; k++) {
        const uint64_t step = 1 + events[k] / SWEEP_MAX;

        for (uint64_t n = 1; n <= events[k]; n += step) {
            if (options->kind == AGPU_INJECT_NOTHING || options->kind == k) {
                alarm(LIMIT_S);
                run_once(filter, (enum agpu_injection_kind)k, n, (unsigned)n, &judge);
                report_run(fd, &judge);
            }
        }
    }
}

struct totals {
    uint64_t runs, fired, noticed, passed, wrong;
};

static void take_report(const struct report *report, const char *what, const struct inject_options *options,
                        struct totals *totals)
{
    totals->runs++;
    totals->fired += report->fired;
    totals->noticed += report->noticed;
    if (report->line[0] != '\0') {
        totals->wrong++;
        printf("%s: %s\n", what, report->line);
    } else if (report->passed[0] != '\0') {
        totals->passed++;
        totals->wrong += options->strict;
        printf("%s: %s\n", what, report->passed);
    } else if (!options->quiet) {
        printf("%s: %s\n", what,
               !report->fired    ? "nothing to go wrong"
               : report->noticed ? "noticed"
                                 : "harmless");
    }
}

/* Runs one child and reads all of its reports. */
static void supervise(const struct inject_options *options, uint64_t number, struct totals *totals)
{
    struct report report;
    char what[160];
    int pipe_fds[2];
    int status;
    bool any = false;

    if (options->sweep) {
        snprintf(what, sizeof what, "%s", cases[number]->id);
    } else {
        snprintf(what, sizeof what, "seed %" PRIu64, number);
    }
    fflush(stdout);
    if (pipe(pipe_fds) != 0) {
        perror("agpu_inject: pipe");
        exit(2);
    }
    const pid_t child = fork();
    if (child < 0) {
        perror("agpu_inject: fork");
        exit(2);
    }
    if (child == 0) {
        close(pipe_fds[0]);
        alarm(LIMIT_S);
        if (options->sweep) {
            run_sweep(pipe_fds[1], (unsigned)number, options);
        } else {
            run_seed(pipe_fds[1], number, options);
        }
        exit(0);
    }
    close(pipe_fds[1]);
    while (read(pipe_fds[0], &report, sizeof report) == (ssize_t)sizeof report) {
        any = true;
        take_report(&report, what, options, totals);
    }
    close(pipe_fds[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0 || (!any && !options->sweep)) {
        totals->wrong++;
        printf("%s: the run ended by %s %d\n", what, WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}

static bool parse_kind(const char *text, enum agpu_injection_kind *out)
{
    for (unsigned k = 0; k < AGPU_INJECT_KINDS; k++) {
        if (strcmp(agpu_injection_name((enum agpu_injection_kind)k), text) == 0) {
            *out = (enum agpu_injection_kind)k;
            return true;
        }
    }
    return false;
}

static bool parse_options(int argc, char **argv, struct inject_options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--sweep") == 0) {
            options->sweep = true;
        } else if (strcmp(argv[i], "--strict") == 0) {
            options->strict = true;
        } else if (strcmp(argv[i], "--quiet") == 0) {
            options->quiet = true;
        } else if (strcmp(argv[i], "--filter") == 0 && value != NULL) {
            options->filter = value;
            i++;
        } else if (strcmp(argv[i], "--kind") == 0 && value != NULL && parse_kind(value, &options->kind)) {
            i++;
        } else if (strcmp(argv[i], "--seeds") == 0 && value != NULL &&
                   sscanf(value, "%" SCNu64 "-%" SCNu64, &options->first, &options->last) == 2 &&
                   options->first <= options->last) {
            i++;
        } else {
            fprintf(stderr, "agpu_inject: cannot use \"%s\"\n%s", argv[i], usage);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct inject_options options = {.first = 1, .last = 1000, .kind = AGPU_INJECT_NOTHING};
    struct agpu_runner_config list = {0};
    struct totals totals = {0};
    const uint64_t started = agpu_monotonic_ns();

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (!parse_options(argc, argv, &options)) {
        return 2;
    }
    list.filter = options.filter;
    list.tables = agpu_catalogue(&list.table_count);
    agpu_list(&list, add_case, NULL);
    if (case_count == 0) {
        fprintf(stderr, "agpu_inject: no case matches the filter\n");
        return 2;
    }
    if (options.sweep) {
        options.first = 0;
        options.last = case_count - 1;
    }
    for (uint64_t number = options.first; number <= options.last; number++) {
        supervise(&options, number, &totals);
    }
    printf("%" PRIu64 " runs in %.1f s: in %" PRIu64 " something went wrong, %" PRIu64 " noticed it, %" PRIu64
           " passed all the same, %" PRIu64 " did not end as they must\n",
           totals.runs, (double)(agpu_monotonic_ns() - started) / 1e9, totals.fired, totals.noticed,
           totals.passed, totals.wrong);
    return totals.wrong != 0;
}
