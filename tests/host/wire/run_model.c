/* run_model.c: the cases of a run, their verdicts and evidence. */
#include "tests/host/wire/run_model.h"

#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void agpu_run_init(struct agpu_run *run)
{
    *run = (struct agpu_run){0};
}

static void free_case(struct agpu_case_result *c)
{
    for (size_t i = 0; i < c->checks_kept; i++) {
        free(c->checks[i].expr);
        free(c->checks[i].file);
        free(c->checks[i].expected);
        free(c->checks[i].actual);
        free(c->checks[i].note);
    }
    free(c->checks);
    free(c->log);
    free(c->reason);
    free(c->blocked_by);
    free(c->quarantine_reason);
    free(c->back_trace);
    free(c->cause);
    free(c->id);
    free(c);
}

static void keep_node(void *node)
{
    (void)node; /* the cases array owns it */
}

static void free_choice(struct agpu_device_choice *choice)
{
    free(choice->id);
    free(choice->name);
    free(choice->value);
}

void agpu_run_free(struct agpu_run *run)
{
    tdestroy(run->by_id, keep_node);
    for (size_t i = 0; i < run->case_count; i++) {
        free_case(run->cases[i]);
    }
    for (size_t i = 0; i < run->problem_count; i++) {
        free(run->problems[i]);
    }
    for (size_t i = 0; i < run->device_count; i++) {
        free(run->devices[i]->name);
        free(run->devices[i]->device);
        free(run->devices[i]);
    }
    for (size_t i = 0; i < run->choice_count; i++) {
        free_choice(&run->choices[i]);
    }
    for (size_t i = 0; i < run->restart_count; i++) {
        free(run->restarts[i].text);
        free(run->restarts[i].id);
    }
    free(run->restarts);
    free(run->choices);
    free(run->cases);
    free(run->build);
    free(run->device);
    free(run->judged);
    free(run->abi);
    free(run->require);
    free(run->expect);
    free(run->allow_skips);
    free(run->asked.require);
    free(run->asked.expect);
    free(run->asked.allow_skips);
    free(run->ending_text);
    free(run->device_fault);
    agpu_metrics_free(&run->metrics);
    *run = (struct agpu_run){0};
}

void agpu_run_problem(struct agpu_run *run, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        return;
    }
    bool known = run->problem_count == AGPU_PROBLEMS_MAX;
    for (size_t i = 0; i < run->problem_count && !known; i++) {
        known = strcmp(run->problems[i], text) == 0;
    }
    if (known) {
        free(text);
    } else {
        run->problems[run->problem_count++] = text;
    }
}

void agpu_run_device_fault(struct agpu_run *run, const char *text)
{
    agpu_run_problem(run, "%s", text);
    if (run->device_fault == NULL) {
        run->device_fault = strdup(text);
    }
}

/* Reserves memory for the run. Returns false, and reports a problem, when the limit is reached. */
static bool charge_memory(struct agpu_run *run, size_t bytes)
{
    const size_t max = run->memory_max != 0 ? run->memory_max : AGPU_RUN_MEMORY_MAX;

    if (bytes <= max && run->memory <= max - bytes) {
        run->memory += bytes;
        return true;
    }
    agpu_run_problem(
        run,
        "the run has more text than the %zu KiB that agpu holds in memory: the rest is only in results.jsonl",
        max / 1024);
    return false;
}

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const struct agpu_case_result *)a)->id, ((const struct agpu_case_result *)b)->id);
}

static struct agpu_case_result *add_case(struct agpu_run *run, const char *id)
{
    if (run->case_count == AGPU_CASES_MAX) {
        agpu_run_problem(run, "more than %d different cases: the rest is not counted", AGPU_CASES_MAX);
        return NULL;
    }
    /* Twice the size of the array, which grows by doubling. The tree's node has three pointers and a colour. */
    if (!charge_memory(run, sizeof(struct agpu_case_result) + strlen(id) + 1 + 6 * sizeof(void *))) {
        return NULL;
    }
    if (run->case_count == run->case_capacity) {
        size_t capacity = run->case_capacity ? run->case_capacity * 2 : 64;
        struct agpu_case_result **cases = realloc(run->cases, capacity * sizeof(struct agpu_case_result *));

        if (cases == NULL) {
            return NULL;
        }
        run->cases = cases;
        run->case_capacity = capacity;
    }
    struct agpu_case_result *c = calloc(1, sizeof *c);
    if (c == NULL || (c->id = strdup(id)) == NULL || tsearch(c, &run->by_id, compare_ids) == NULL) {
        if (c != NULL) {
            free_case(c);
        }
        agpu_run_problem(run, "memory is exhausted: case %s is not counted", id);
        return NULL;
    }
    c->boot = run->boot;
    c->first_boot = run->boot;
    c->first_seq = UINT64_MAX;
    run->cases[run->case_count++] = c;
    return c;
}

static struct agpu_case_result *find_case(struct agpu_run *run, const struct agpu_run_device *device,
                                          const char *name)
{
    struct agpu_case_result *c = run->last_started;

    if (c == NULL || strcmp(c->id, name) != 0) { /* most records belong to the running case */
        const struct agpu_case_result key = {.id = (char *)(uintptr_t)name};
        void *node = tfind(&key, &run->by_id, compare_ids);

        c = node != NULL ? *(struct agpu_case_result **)node : add_case(run, name);
    }
    if (c != NULL && device != NULL) {
        c->device = device;
        c->subject = strlen(device->name) + 1;
    }
    return c;
}

static char *evidence_text(struct agpu_run *run, const struct agpu_parsed_record *record, const char *key)
{
    const struct agpu_field *field = agpu_record_field(record, key);
    const size_t length = field != NULL ? strnlen(field->text, AGPU_EVIDENCE_TEXT_MAX) : 0;

    return field != NULL && charge_memory(run, length + 1) ? strndup(field->text, length) : NULL;
}

static void replace_text(struct agpu_run *run, char **to, char *text)
{
    if (text != NULL) {
        const size_t freed = *to != NULL ? strlen(*to) + 1 : 0;

        run->memory -= freed < run->memory ? freed : run->memory;
        free(*to);
        *to = text;
    }
}

/* Checks for a location or a word: the name becomes part of names of cases, suites and files. */
static bool is_device_name(const struct agpu_field *field)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:_-";

    return field->length > 0 && field->length <= AGPU_DEVICE_NAME_MAX &&
           strspn(field->text, allowed) == field->length;
}

/* Returns the device that a record names; NULL when it names none. */
static struct agpu_run_device *find_device(struct agpu_run *run, const struct agpu_parsed_record *record)
{
    const char *key = record->type == AGPU_RECORD_PLAN ? AGPU_KEY(PLAN, at) : AGPU_KEY(EVERY, device);
    const struct agpu_field *field = agpu_record_field(record, key);
    struct agpu_run_device *device;

    if (field == NULL) {
        return NULL;
    }
    if (!is_device_name(field)) {
        agpu_run_problem(run,
                         "a record has an invalid device name: it is treated as a record without a device");
        return NULL;
    }
    for (size_t i = 0; i < run->device_count; i++) {
        if (strcmp(run->devices[i]->name, field->text) == 0) {
            return run->devices[i];
        }
    }
    device = run->device_count < AGPU_DEVICES_OF_RUN ? calloc(1, sizeof *device) : NULL;
    if (device == NULL || (device->name = strdup(field->text)) == NULL) {
        free(device);
        agpu_run_problem(run, "more than %d devices: records of %s are not separated", AGPU_DEVICES_OF_RUN,
                         field->text);
        return NULL;
    }
    run->devices[run->device_count++] = device;
    return device;
}

/* Joins the descriptions of all devices into one line. */
static void join_devices(struct agpu_run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        return;
    }
    for (size_t i = 0; i < run->device_count; i++) {
        const struct agpu_run_device *device = run->devices[i];

        fprintf(out, "%s%s: %s", i != 0 ? "; " : "", device->name,
                device->device != NULL ? device->device : "?");
    }
    if (fclose(out) == 0) {
        replace_text(run, &run->device, text);
    } else {
        free(text);
    }
}

static void on_plan(struct agpu_run *run, struct agpu_run_device *device,
                    const struct agpu_parsed_record *record)
{
    struct agpu_run_plan *plan = device != NULL ? &device->plan : &run->plan;
    const uint64_t before = plan->count;

    run->plan_seen = true;
    replace_text(run, &run->build, evidence_text(run, record, AGPU_KEY(PLAN, build)));
    replace_text(run, &run->judged, evidence_text(run, record, AGPU_KEY(PLAN, judged)));
    replace_text(run, &run->require, evidence_text(run, record, AGPU_KEY(PLAN, require)));
    replace_text(run, &run->expect, evidence_text(run, record, AGPU_KEY(PLAN, expect)));
    replace_text(run, &run->allow_skips, evidence_text(run, record, AGPU_KEY(PLAN, allow_skips)));
    agpu_plan_take(plan, record, run->attended);
    plan->together = device != NULL && strcmp(device->name, AGPU_DEVICES_TOGETHER) == 0;
    replace_text(run, &run->abi, plan->abi[0] != '\0' ? strdup(plan->abi) : NULL);
    if (device == NULL) {
        run->planned = plan->count;
        replace_text(run, &run->device, evidence_text(run, record, AGPU_KEY(PLAN, device)));
        return;
    }
    run->planned += plan->count - before; /* a plan after a restart replaces the first */
    replace_text(run, &device->device, evidence_text(run, record, AGPU_KEY(PLAN, device)));
    join_devices(run);
}

static void take_index(struct agpu_case_result *c, const struct agpu_parsed_record *record)
{
    const uint64_t index = agpu_record_count(record, AGPU_KEY(START, index), 0);

    if (c->index != 0 && index != c->index && agpu_record_field(record, AGPU_KEY(START, round)) == NULL) {
        c->other_index = c->index; /* each round may have a different order */
    }
    c->index = index;
}

static void on_start(struct agpu_run *run, struct agpu_case_result *c,
                     const struct agpu_parsed_record *record, uint32_t boot, uint64_t seq, uint64_t now_us)
{
    if (run->last_started == NULL || run->last_started->boot < boot || seq > run->last_started->start_seq) {
        run->last_started = c;
    }
    if (c->boot < boot) { /* started again after a restart: verdict keeps the earlier failure */
        c->ended = false;
        c->announced = false;
        c->boot = boot;
        c->start_seq = c->end_seq = 0;
    }
    if (c->boot == boot && c->started && seq < c->start_seq) { /* a late record of an earlier round */
        run->repeated = true;
        return;
    }
    if (c->ended && seq > c->end_seq) { /* started again in another round: verdict keeps the worst */
        c->ended = false;
        run->repeated = true;
    }
    c->started = true;
    take_index(c, record);
    c->start_seq = seq;
    c->started_us = now_us;
}

static void on_check(struct agpu_run *run, struct agpu_case_result *c,
                     const struct agpu_parsed_record *record)
{
    c->checks_failed++;
    if (c->checks_kept == AGPU_CHECKS_PER_CASE || run->checks_kept == AGPU_CHECKS_MAX) {
        return;
    }
    if (c->checks == NULL && !charge_memory(run, AGPU_CHECKS_PER_CASE * sizeof *c->checks)) {
        return;
    }
    if (c->checks == NULL && (c->checks = calloc(AGPU_CHECKS_PER_CASE, sizeof *c->checks)) == NULL) {
        return;
    }
    c->checks[c->checks_kept++] = (struct agpu_check){
        .expr = evidence_text(run, record, AGPU_KEY(CHECK, expr)),
        .file = evidence_text(run, record, AGPU_KEY(CHECK, file)),
        .expected = evidence_text(run, record, AGPU_KEY(CHECK, expected)),
        .actual = evidence_text(run, record, AGPU_KEY(CHECK, actual)),
        .note = evidence_text(run, record, AGPU_KEY(CHECK, note)),
        .line = agpu_record_count(record, AGPU_KEY(CHECK, line), 0),
    };
    run->checks_kept++;
}

/* Takes the image's result for its list of known failures. */
static void take_quarantine(struct agpu_run *run, struct agpu_case_result *c,
                            const struct agpu_parsed_record *record)
{
    const char *word = agpu_record_text(record, AGPU_KEY(END, quarantine), "");

    c->quarantine = AGPU_QUARANTINE_NOTHING;
    for (unsigned i = AGPU_QUARANTINE_KNOWN; i <= AGPU_QUARANTINE_EXPIRED; i++) {
        if (strcmp(word, agpu_quarantine_word((enum agpu_quarantine_verdict)i)) == 0) {
            c->quarantine = (enum agpu_quarantine_verdict)i;
        }
    }
    c->quarantine_until = agpu_record_count(record, AGPU_KEY(END, quarantine_until), 0);
    replace_text(run, &c->quarantine_reason, evidence_text(run, record, AGPU_KEY(END, quarantine_reason)));
}

static void on_end(struct agpu_run *run, struct agpu_case_result *c, const struct agpu_parsed_record *record,
                   uint32_t boot, uint64_t seq, uint64_t now_us)
{
    const char *status = agpu_record_text(record, AGPU_KEY(END, status), "");
    const char *skip = agpu_record_text(record, AGPU_KEY(END, skip), "");
    enum agpu_verdict verdict;
    bool known = agpu_verdict_parse(status, &verdict);

    if (!known) {
        verdict = AGPU_VERDICT_ERROR;
    }
    bool died = run->post_mortem && run->ending == AGPU_ENDING_DEVICE_DIED;
    if (died && verdict > AGPU_VERDICT_SKIP) {
        /* Without its device every read returns all ones: this failure is a consequence of the death, and the end
         * record was written after it. The case remains the one that was running. */
        run->echo_seen = true;
        c->started = true;
        if (run->last_started == NULL && c->boot == boot) {
            run->last_started = c;
        }
        return;
    }
    /* A record of an earlier round may be late; one from a later boot gives the result of the case during which the
     * machine died. */
    const bool late = boot < c->boot || (boot == c->boot && seq < c->end_seq);
    if (!late) {
        c->ended = !c->started || boot > c->boot || seq > c->start_seq;
        c->start_seq = boot > c->boot ? 0 : c->start_seq; /* numbers of different boots do not compare */
        c->boot = boot;
        c->end_seq = seq;
        c->ended_us = now_us;
        c->duration_us = agpu_record_count(record, AGPU_KEY(END, us), 0);
    }
    run->ends.by_verdict[verdict]++;
    run->ends.total++;
    c->announced = c->announced && verdict <= c->verdict;
    if (verdict >= c->verdict) { /* it may have been worse in another round */
        replace_text(run, &c->reason,
                     known ? evidence_text(run, record, AGPU_KEY(END, reason))
                           : strdup("its end record has a status that is not one of PASS FAIL ERROR SKIP "
                                    "TIMEOUT CRASH"));
        c->skip = agpu_skip_of(skip, strlen(skip));
        replace_text(run, &c->blocked_by, evidence_text(run, record, AGPU_KEY(END, blocked_by)));
        replace_text(run, &c->cause, evidence_text(run, record, AGPU_KEY(END, cause)));
        take_quarantine(run, c, record);
    }
    c->verdict = agpu_verdict_worst(c->verdict, verdict);
    if (c->ended && !late) {
        agpu_run_add_finished(run, c);
    }
}

static void on_metric(struct agpu_run *run, const char *id, const struct agpu_parsed_record *record)
{
    const char *text = agpu_record_text(record, AGPU_KEY(METRIC, value), "");
    char *end;
    double value = strtod(text, &end);
    const char *name = agpu_record_text(record, AGPU_KEY(METRIC, name), "");

    const size_t known = run->metrics.count;
    /* value - value == 0: neither infinite nor NaN */
    if (end == text || *end != '\0' || !(value - value == 0)) {
        agpu_run_problem(run, "metric %.80s has the value \"%.40s\", which is not a number", name, text);
    } else if (!charge_memory(run, 2 * sizeof value) ||
               !agpu_metrics_add(&run->metrics, id, name,
                                 agpu_record_text(record, AGPU_KEY(METRIC, unit), ""), value)) {
        agpu_run_problem(
            run, "more metrics than agpu holds in memory: %.80s and later ones are only in results.jsonl",
            name);
    }
    if (run->metrics.count > known) {
        charge_memory(run, sizeof run->metrics.items[0] + strlen(id) + strlen(name));
    }
}

static void on_choice(struct agpu_run *run, const char *id, const struct agpu_parsed_record *record)
{
    const char *name = agpu_record_text(record, AGPU_KEY(CHOICE, name), "");
    const char *value = agpu_record_text(record, AGPU_KEY(CHOICE, value), "");
    struct agpu_device_choice *grown;
    struct agpu_device_choice made;

    for (size_t i = 0; i < run->choice_count; i++) {
        if (strcmp(run->choices[i].id, id) == 0 && strcmp(run->choices[i].name, name) == 0 &&
            strcmp(run->choices[i].value, value) == 0) {
            return;
        }
    }
    made = (struct agpu_device_choice){.id = strdup(id), .name = strdup(name), .value = strdup(value)};
    grown = run->choice_count < AGPU_CHOICES_MAX &&
                    charge_memory(run, sizeof *grown + strlen(id) + strlen(name) + strlen(value) + 3)
                ? realloc(run->choices, (run->choice_count + 1) * sizeof *grown)
                : NULL;
    if (grown != NULL) {
        run->choices = grown;
    }
    if (grown == NULL || made.id == NULL || made.name == NULL || made.value == NULL) {
        free_choice(&made);
        agpu_run_problem(
            run, "more choices of the device than agpu holds in memory: the rest is only in results.jsonl");
        return;
    }
    run->choices[run->choice_count++] = made;
}

/* Trace lines come by the thousand: those beyond the limit are counted here, and are in results.jsonl. */
static void keep_log(struct agpu_run *run, struct agpu_case_result *c, const char *text, size_t length)
{
    size_t size = c->log_size + length + 1;
    char *log =
        size <= AGPU_LOG_PER_CASE_MAX && charge_memory(run, length + 1) ? realloc(c->log, size) : NULL;

    if (log == NULL) {
        c->log_left_out++;
        return;
    }
    memcpy(log + c->log_size, text, length);
    log[size - 1] = '\n';
    c->log = log;
    c->log_size = size;
}

static void on_log(struct agpu_run *run, struct agpu_case_result *c, const struct agpu_parsed_record *record)
{
    if (c != NULL) {
        const struct agpu_field *text = agpu_record_field(record, AGPU_KEY(LOG, text));

        keep_log(run, c, text->text, text->length);
    }
    const char *level = agpu_record_text(record, AGPU_KEY(LOG, level), "");
    if (strcmp(level, "error") == 0 || strcmp(level, "warning") == 0) {
        agpu_run_problem(run, "%s: %.*s", level, AGPU_EVIDENCE_TEXT_MAX,
                         agpu_record_text(record, AGPU_KEY(LOG, text), ""));
    }
}

void agpu_run_summary_begin(struct agpu_image_summary *summary)
{
    *summary = (struct agpu_image_summary){
        .earlier = summary->seen ? agpu_verdict_worst(summary->earlier, summary->status) : summary->earlier};
}

static void on_summary(struct agpu_image_summary *summary, const struct agpu_parsed_record *record)
{
    agpu_run_summary_begin(summary);
    summary->seen = true;
    summary->us = agpu_record_count(record, AGPU_KEY(SUMMARY, us), 0);
    if (!agpu_verdict_parse(agpu_record_text(record, AGPU_KEY(SUMMARY, status), ""), &summary->status)) {
        summary->status = AGPU_VERDICT_ERROR;
    }
    for (enum agpu_verdict i = AGPU_VERDICT_PASS; i < AGPU_VERDICT_COUNT; i++) {
        summary->counts.by_verdict[i] = agpu_record_count(record, agpu_verdict_count_key(i), 0);
    }
    summary->counts.total = agpu_record_count(record, AGPU_KEY(SUMMARY, total), 0);
    summary->untried = agpu_record_count(record, AGPU_KEY(SUMMARY, untried), UINT64_MAX);
    summary->left = agpu_record_count(record, AGPU_KEY(SUMMARY, left), 0);
}

static bool of_run_after_death(const struct agpu_parsed_record *record)
{
    return record->type == AGPU_RECORD_START || record->type == AGPU_RECORD_CHECK ||
           record->type == AGPU_RECORD_END || record->type == AGPU_RECORD_SUMMARY;
}

/* Writes the name of the record's case: DEVICE/ID with several devices. */
static void name_case(char name[AGPU_CASE_NAME_MAX + 1], const struct agpu_run_device *device,
                      const struct agpu_parsed_record *record)
{
    if (device == NULL) {
        strcpy(name, record->id); /* at most AGPU_RECEIVED_ID_MAX bytes */
    } else {
        snprintf(name, AGPU_CASE_NAME_MAX + 1, "%s/%s", device->name, record->id);
    }
}

void agpu_run_back_trace(struct agpu_run *run, const struct agpu_parsed_record *record, const char *lines)
{
    const struct agpu_run_device *device = find_device(run, record);
    const size_t length = strlen(lines);
    char name[AGPU_CASE_NAME_MAX + 1];
    struct agpu_case_result *c;

    name_case(name, device, record);
    c = find_case(run, device, name);
    if (c != NULL && length != 0) {
        replace_text(run, &c->back_trace, strdup(lines));
        keep_log(run, c, lines, length - 1);
    }
}

int agpu_case_order(const struct agpu_case_result *x, const struct agpu_case_result *y)
{
    if (x->first_boot != y->first_boot) {
        return x->first_boot < y->first_boot ? -1 : 1;
    }
    if (x->first_seq != y->first_seq) {
        return x->first_seq < y->first_seq ? -1 : 1;
    }
    return strcmp(x->id, y->id);
}

void agpu_run_record(struct agpu_run *run, const struct agpu_parsed_record *record, uint32_t boot,
                     uint64_t seq, uint64_t now_us)
{
    struct agpu_case_result *c = NULL;
    bool of_case = record->type == AGPU_RECORD_LOG && strcmp(record->id, "-") != 0;
    struct agpu_run_device *device = find_device(run, record);
    char name[AGPU_CASE_NAME_MAX + 1];

    name_case(name, device, record);
    if (run->echo_seen && of_run_after_death(record)) {
        return; /* the image continued for a moment without its device */
    }
    if (record->type == AGPU_RECORD_START || record->type == AGPU_RECORD_CHECK ||
        record->type == AGPU_RECORD_END || of_case) {
        c = find_case(run, device, name);
        if (c == NULL) {
            return;
        }
        if (boot < c->first_boot || (boot == c->first_boot && seq < c->first_seq)) {
            c->first_boot = boot;
            c->first_seq = seq;
        }
    }
    switch (record->type) {
    case AGPU_RECORD_PLAN:
        on_plan(run, device, record);
        break;
    case AGPU_RECORD_START:
        on_start(run, c, record, boot, seq, now_us);
        break;
    case AGPU_RECORD_CHECK:
        on_check(run, c, record);
        break;
    case AGPU_RECORD_END:
        on_end(run, c, record, boot, seq, now_us);
        break;
    case AGPU_RECORD_METRIC:
        on_metric(run, name, record);
        break;
    case AGPU_RECORD_CHOICE:
        on_choice(run, name, record);
        break;
    case AGPU_RECORD_LOG:
        on_log(run, c, record);
        break;
    case AGPU_RECORD_SUMMARY:
        on_summary(device != NULL ? &device->summary : &run->summary, record);
        break;
    case AGPU_RECORD_HEARTBEAT:
    case AGPU_RECORD_ARTIFACT:
    case AGPU_RECORD_TYPE_COUNT:
        break;
    }
}

struct agpu_case_result *agpu_run_last_started(const struct agpu_run *run)
{
    struct agpu_case_result *last = run->last_started;

    return last != NULL && last->boot == run->boot ? last : NULL;
}

void agpu_run_add_finished(struct agpu_run *run, struct agpu_case_result *c)
{
    if (c->queued) {
        return;
    }
    c->queued = true;
    c->next_finished = NULL;
    if (run->first_finished == NULL) {
        run->first_finished = c;
    } else {
        run->latest_finished->next_finished = c;
    }
    run->latest_finished = c;
}

struct agpu_case_result *agpu_run_finished(const struct agpu_run *run)
{
    return run->first_finished;
}

void agpu_run_remove_finished(struct agpu_run *run)
{
    struct agpu_case_result *c = run->first_finished;

    run->first_finished = c->next_finished;
    c->queued = false;
}

struct agpu_case_result *agpu_run_current(const struct agpu_run *run)
{
    struct agpu_case_result *last = agpu_run_last_started(run);

    return last != NULL && !last->ended && !run->summary.seen ? last : NULL;
}
