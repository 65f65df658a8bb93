/* catalogue.c: runs agpu_inprocess twice, and compares the records. */
#include "tests/host/compare/catalogue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/plugin/model.h"
#include "tests/device/plugin/refusal.h"
#include "tests/host/compare/last_words.h"
#include "tests/host/monotonic.h"
#include "tests/host/device_output.h"
#include "tests/host/wire/line_stream.h"
#include "tests/host/wire/record.h"

#define ARGUMENTS 24
#define FACTOR    4 /* smaller factors between times are not significant */

/* One result of a run: a verdict, a choice, a number. */
struct fact {
    char kind; /* 'v', 'c' or 'm' */
    char id[128];
    char value[200];
};

struct run {
    pid_t pid;
    int from, errors;
    bool ended; /* its summary arrived */
    char running[160];
    char absurd[AGPU_CMP_TEXT];
    uint32_t count, room, cases;
    struct fact *facts;
    struct agpu_line_stream lines;
};

static void add_fact(struct run *run, char kind, const char *id, const char *value)
{
    struct fact *fact;

    if (run->count == run->room) {
        struct fact *more = realloc(run->facts, (run->room + 1024) * sizeof *more);

        if (more == NULL) {
            return;
        }
        run->facts = more;
        run->room += 1024;
    }
    fact = &run->facts[run->count++];
    fact->kind = kind;
    snprintf(fact->id, sizeof fact->id, "%s", id);
    snprintf(fact->value, sizeof fact->value, "%s", value);
}

static void take_line(struct run *run, const char *line, size_t length)
{
    static struct agpu_parsed_record record;
    const char *text = memchr(line, ';', length), *logged;
    char value[200], name[128];

    text = text != NULL ? text + 1 : line;
    if (agpu_record_parse(text, length - (size_t)(text - line), &record) != NULL) {
        return; /* a fragment of a long record, which is not one of these */
    }
    switch (record.type) {
    case AGPU_RECORD_START:
        snprintf(run->running, sizeof run->running, "%s", record.id);
        break;
    case AGPU_RECORD_END:
        run->running[0] = '\0';
        snprintf(value, sizeof value, "%s%s%.150s", agpu_record_text(&record, AGPU_KEY(END, status), "?"),
                 agpu_record_field(&record, AGPU_KEY(END, reason)) != NULL ? ": " : "",
                 agpu_record_text(&record, AGPU_KEY(END, reason), ""));
        add_fact(run, 'v', record.id, value);
        run->cases++;
        break;
    case AGPU_RECORD_CHOICE:
        add_fact(run, 'c', agpu_record_text(&record, AGPU_KEY(CHOICE, name), "?"),
                 agpu_record_text(&record, AGPU_KEY(CHOICE, value), "?"));
        break;
    case AGPU_RECORD_METRIC:
        snprintf(name, sizeof name, "%s %.60s", record.id,
                 agpu_record_text(&record, AGPU_KEY(METRIC, name), "?"));
        snprintf(value, sizeof value, "%s %.20s", agpu_record_text(&record, AGPU_KEY(METRIC, value), "?"),
                 agpu_record_text(&record, AGPU_KEY(METRIC, unit), ""));
        add_fact(run, 'm', name, value);
        break;
    case AGPU_RECORD_LOG:
        logged = agpu_record_text(&record, AGPU_KEY(LOG, text), "");
        if (run->absurd[0] == '\0' && strstr(logged, VGPU_DMA_ABSURD_WORDS) != NULL) {
            snprintf(run->absurd, sizeof run->absurd, "%s", logged);
        }
        break;
    case AGPU_RECORD_SUMMARY:
        run->ended = true;
        break;
    default:
        break;
    }
}

/* Returns true for a model that imitates a board: it is not the device of device.md 1, and is treated as any device. */
static bool is_board(const char *spec)
{
    static const char *const words[] = {
        "pm=", "pcie=", "msi=", "msix=", "bar0=", "bar1=", "vram=", "executor="};

    for (const char *word = vgpu_names_model(spec) ? strchr(spec, ',') : NULL; word != NULL;
         word = strchr(word + 1, ',')) {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (strncmp(word + 1, words[i], strlen(words[i])) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Builds the arguments of agpu_inprocess for a device. Our model is its default. */
static size_t device_arguments(const char *spec, bool legacy, char *copy, size_t size, const char **out)
{
    const char *abi = legacy ? "legacy" : "1.4";
    size_t count = 0;
    char *rest = copy, *word;

    snprintf(copy, size, "%s", spec);
    if (!vgpu_names_model(spec) || is_board(spec)) {
        out[count++] = "--device";
        out[count++] = copy;
        if (is_board(spec)) {
            out[count++] = "--clock";
            out[count++] = "manual";
        }
        return count;
    }
    strsep(&rest, ",");
    while ((word = strsep(&rest, ",")) != NULL) {
        if (strncmp(word, "fault=", 6) == 0) {
            out[count++] = "--fault";
            out[count++] = word + 6;
        } else if (strncmp(word, "abi=", 4) == 0) {
            abi = word + 4;
        }
    }
    out[count++] = "--clock";
    out[count++] = "manual";
    out[count++] = "--abi";
    out[count++] = abi;
    return count;
}

static bool start(struct run *run, const char *program, const struct agpu_cmp_catalogue_setup *setup,
                  int side, bool model)
{
    const char *arguments[ARGUMENTS] = {program};
    char copy[1024];
    size_t count = 1;
    int ends[2];

    count += device_arguments(setup->specs[side], setup->legacy, copy, sizeof copy, arguments + count);
    arguments[count++] = "--records";
    arguments[count++] = "--as";
    arguments[count++] = model ? "model" : "any";
    if (setup->filter != NULL) {
        arguments[count++] = "--filter";
        arguments[count++] = setup->filter;
    }
    run->errors = memfd_create("agpu-errors", MFD_CLOEXEC);
    if (run->errors < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    fflush(NULL);
    run->pid = fork();
    if (run->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(ends[1], STDOUT_FILENO);
        dup2(run->errors, STDERR_FILENO);
        execv(program, (char *const *)arguments);
        fprintf(stderr, "%s: %s\n", program, strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    run->from = ends[0];
    return run->pid > 0;
}

/* Returns false when the run has no more output. */
static bool take_bytes(struct run *run)
{
    char bytes[65536];
    const ssize_t got = read(run->from, bytes, sizeof bytes);
    ssize_t done = 0;

    while (got > 0 && done < got) {
        const char *line;
        size_t length;

        done +=
            (ssize_t)agpu_line_stream_take(&run->lines, bytes + done, (size_t)(got - done), &line, &length);
        if (line != NULL) {
            take_line(run, line, length);
        }
    }
    return got > 0 || (got < 0 && errno == EINTR);
}

static void finish(struct run *run, struct agpu_cmp_catalogue *out, int side, bool late)
{
    int status = 0;

    if (late) {
        kill(run->pid, SIGKILL);
    }
    while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR) {
    }
    snprintf(out->ended_in[side], sizeof out->ended_in[side], "%s", run->running);
    snprintf(out->absurd[side], sizeof out->absurd[side], "%s", run->absurd);
    if (!agpu_cmp_last_words(run->errors, out->text[side], AGPU_CMP_TEXT) && !run->ended) {
        snprintf(out->text[side], AGPU_CMP_TEXT, late ? "it took too long" : "no summary, status %d", status);
    }
    /* Also after its summary: a device may crash, or exit, when it is destroyed. */
    out->broken[side] =
        !run->ended || !WIFEXITED(status) || agpu_output_is_guard(out->text[side], strlen(out->text[side]));
    out->cases[side] = run->cases;
    close(run->from);
    close(run->errors);
}

static const struct fact *find(const struct run *run, const struct fact *like, uint32_t hint)
{
    for (uint32_t i = 0; i < run->count; i++) { /* both runs mostly have the same order */
        const struct fact *fact = &run->facts[(hint + i) % run->count];

        if (fact->kind == like->kind && strcmp(fact->id, like->id) == 0) {
            return fact;
        }
    }
    return NULL;
}

/* Returns true for a case that one of them skips because it lacks the tested property. */
static bool is_tried_on_one(const struct fact *a, const struct fact *b)
{
    const bool skipped[2] = {a != NULL && strncmp(a->value, "SKIP", 4) == 0,
                             b != NULL && strncmp(b->value, "SKIP", 4) == 0};
    const bool passed[2] = {a != NULL && strcmp(a->value, "PASS") == 0,
                            b != NULL && strcmp(b->value, "PASS") == 0};

    return (skipped[0] && (skipped[1] || passed[1])) || (skipped[1] && passed[0]);
}

/* Counts the difference, and lists it if this pass lists its kind: the first pass lists differences, the second
 * informational entries. */
static void put_difference(struct agpu_cmp_catalogue *out, const struct fact *a, const struct fact *b,
                           const struct agpu_cmp_catalogue_setup *setup, bool informs)
{
    const struct fact *named = a != NULL ? a : b;
    struct agpu_cmp_case_difference *difference;
    const char *kind = "verdict";
    uint32_t *count = &out->difference_count;

    if (named->kind == 'm') {
        kind = "metric";
        count = &out->metric_count;
    } else if (named->kind == 'c') {
        kind = "choice";
        count = setup->model && !setup->apart ? &out->difference_count : &out->choice_count;
    } else if (setup->apart && is_tried_on_one(a, b)) {
        kind = "tried";
        count = &out->tried_count;
    }
    if (informs != (count != &out->difference_count)) {
        return;
    }
    ++*count;
    if (out->listed == AGPU_CMP_CASE_DIFFERENCES) {
        return;
    }
    difference = &out->differences[out->listed++];
    difference->kind = kind;
    snprintf(difference->id, sizeof difference->id, "%s", named->id);
    snprintf(difference->values[0], sizeof difference->values[0], "%s", a != NULL ? a->value : "-");
    snprintf(difference->values[1], sizeof difference->values[1], "%s", b != NULL ? b->value : "-");
}

/* Measured numbers of two machines are never equal. */
static bool is_like(const struct fact *a, const struct fact *b)
{
    const double x = strtod(a->value, NULL), y = strtod(b->value, NULL);

    if (a->kind != 'm') {
        return strcmp(a->value, b->value) == 0;
    }
    return x <= FACTOR * y && y <= FACTOR * x;
}

/* Results of one run after the early end of the other are not differences: only counts the cases. */
static uint32_t count_untried(const struct run *ended, const struct fact *fact, bool informs)
{
    return fact->kind == 'v' && !informs && strcmp(fact->id, ended->running) != 0;
}

static void compare_runs(struct run runs[2], const struct agpu_cmp_catalogue_setup *setup, bool informs,
                         struct agpu_cmp_catalogue *out)
{
    for (uint32_t i = 0; i < runs[0].count; i++) {
        const struct fact *a = &runs[0].facts[i], *b = find(&runs[1], a, i);

        if (b == NULL && !runs[1].ended) {
            out->not_tried[1] += count_untried(&runs[1], a, informs);
        } else if (b == NULL ? a->kind != 'm' : !is_like(a, b)) {
            put_difference(out, a, b, setup, informs);
        }
    }
    for (uint32_t i = 0; i < runs[1].count; i++) {
        const struct fact *b = &runs[1].facts[i];

        if (b->kind == 'm' || find(&runs[0], b, i) != NULL) {
            continue;
        }
        if (!runs[0].ended) {
            out->not_tried[0] += count_untried(&runs[0], b, informs);
        } else {
            put_difference(out, NULL, b, setup, informs);
        }
    }
}

bool agpu_cmp_catalogue_run(const char *program, const struct agpu_cmp_catalogue_setup *setup,
                            struct agpu_cmp_catalogue *out, char text[AGPU_CMP_TEXT])
{
    static struct run runs[2];
    const bool model = setup->model && !is_board(setup->specs[0]) && !is_board(setup->specs[1]);
    const uint64_t until = agpu_monotonic_ns() + setup->seconds * UINT64_C(1000000000);
    bool open[2] = {true, true}, good = true;

    memset(out, 0, sizeof *out);
    memset(runs, 0, sizeof runs);
    if (access(program, X_OK) != 0) {
        snprintf(text, AGPU_CMP_TEXT, "%.400s: %s; build it, or name it with --inprocess", program,
                 strerror(errno));
        return false;
    }
    for (int i = 0; i < 2; i++) {
        good = start(&runs[i], program, setup, i, model) && good;
    }
    while (good && (open[0] || open[1]) && agpu_monotonic_ns() < until) {
        struct pollfd polled[2];

        for (int i = 0; i < 2; i++) {
            polled[i] = (struct pollfd){.fd = open[i] ? runs[i].from : -1, .events = POLLIN};
        }
        if (poll(polled, 2, 1000) > 0) {
            for (int i = 0; i < 2; i++) {
                open[i] = open[i] && (polled[i].revents == 0 || take_bytes(&runs[i]));
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        if (runs[i].pid > 0) {
            finish(&runs[i], out, i, open[i]);
        }
    }
    compare_runs(runs, setup, false, out);
    compare_runs(runs, setup, true, out);
    for (int i = 0; i < 2; i++) {
        free(runs[i].facts);
    }
    if (!good) {
        snprintf(text, AGPU_CMP_TEXT, "the catalogue cannot be started: %s", strerror(errno));
    }
    return good;
}
