/* report_html.c: report.html: the fixed parts of page/ around the run as JSON; a table for browsers without scripts. */
#include "tests/host/report/report_html.h"

#include <report_page.inc> /* generated: page/page.py */

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/json_out.h"
#include "tests/host/list/sections.h"
#include "tests/host/report/known.h"
#include "tests/host/report/meetings.h"
#include "tests/host/report/pictures.h"
#include "tests/host/report/text.h"
#include "pci/protocol/register_table.h"
#include "tests/host/wire/groups.h"
#include "tests/host/wire/run_verdict.h"

#define COUNT(array)         (sizeof(array) / sizeof(array)[0])
#define SAMPLES_SHOWN        512u
#define write_parts(out, of) write_all(out, of, COUNT(of))

static void write_all(FILE *out, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(parts[i], out);
    }
}

/* ---- without script ---- */

static void write_cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    agpu_text_write_xml(out, text);
    fputs("</td>", out);
}

static void write_plain(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    const struct agpu_counts counts = agpu_run_counts(run);

    fprintf(out,
            "<noscript><div class=\"plain\"><h1>%s: %" PRIu64 " of %" PRIu64 " planned cases, %" PRIu64
            " passed</h1><p>",
            agpu_verdict_name(run->verdict), counts.total, run->planned,
            counts.by_verdict[AGPU_VERDICT_PASS]);
    agpu_text_write_xml(out, run->device != NULL ? run->device : "no device was found");
    fputs("</p>", out);
    for (size_t i = 0; i < run->problem_count; i++) {
        fputs("<p class=\"problem\">", out);
        agpu_text_write_xml(out, run->problems[i]);
        fputs("</p>", out);
    }
    fputs("<table><thead><tr><th>status</th><th>case</th><th>time, us</th><th>why</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < run->case_count; i++) {
        const struct agpu_case_result *c = run->cases[i];
        const enum agpu_verdict verdict = agpu_case_verdict(c);
        char *headline = verdict != AGPU_VERDICT_PASS ? agpu_report_headline(c) : NULL;

        fputs("<tr>", out);
        write_cell(out, agpu_verdict_name(verdict));
        write_cell(out, c->id);
        fprintf(out, "<td>%" PRIu64 "</td>", c->duration_us);
        write_cell(out, headline != NULL ? headline : "");
        fputs("</tr>\n", out);
        free(headline);
    }
    fputs("</tbody></table></div></noscript>\n", out);
}

/* ---- data ---- */

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void add(json_t *array, json_t *value)
{
    json_array_append_new(array, value);
}

static json_t *json_names(char *const *names, size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        add(list, agpu_json_string(names[i]));
    }
    return list;
}

static json_t *json_seconds(double value)
{
    return value >= 0 ? agpu_json_figure(value) : json_null();
}

static json_t *json_checks(const struct agpu_case_result *c)
{
    json_t *list = json_array();

    for (size_t i = 0; i < c->checks_kept; i++) {
        const struct agpu_check *check = &c->checks[i];

        add(list,
            json_pack("[o,o,o,o,o,I]", agpu_json_string(check->expr != NULL ? check->expr : "?"),
                      agpu_json_string(check->expected), agpu_json_string(check->actual),
                      agpu_json_string(check->note), agpu_json_string(check->file), (json_int_t)check->line));
    }
    return list;
}

/* Returns the members that only some cases have; NULL when there are none. */
static json_t *json_more(const struct agpu_report *report, const struct agpu_case_result *c, size_t group)
{
    const struct agpu_listed_case *known = agpu_report_known(c);
    char *const *names;
    const size_t files = agpu_report_files(report, c, &names);
    json_t *more;

    if (known == NULL && c->reason == NULL && c->checks_kept == 0 && c->log_size == 0 && files == 0 &&
        group == 0) {
        return NULL;
    }
    more = json_pack("{s:b}", "allowed", (int)c->skip_allowed);
    if (group != 0) {
        set(more, "group", agpu_json_count(group));
    }
    if (known != NULL) {
        set(more, "says", agpu_json_string(known->says));
        set(more, "spec", agpu_json_string(known->spec));
        set(more, "file", agpu_json_string(known->file));
        set(more, "line", json_integer(known->line));
    }
    if (agpu_report_has_reason(c)) {
        set(more, "reason", agpu_json_string(c->reason));
    }
    if (c->blocked_by != NULL) {
        set(more, "blocked", agpu_json_string(c->blocked_by));
    }
    if (c->cause != NULL) {
        set(more, "cause", agpu_json_string(c->cause));
    }
    if (c->checks_kept != 0) {
        set(more, "checks", json_checks(c));
    }
    if (c->checks_failed > c->checks_kept) {
        set(more, "more", agpu_json_count(c->checks_failed - c->checks_kept));
    }
    if (c->log_size != 0) {
        set(more, "log", agpu_json_text(c->log, c->log_size));
        set(more, "logMore", agpu_json_count(c->log_left_out));
    }
    if (files != 0) {
        set(more, "files", json_names(names, files));
    }
    return more;
}

/* Adds the cases, and the groups of the failed ones as [cause, cases it blocks, reason], by number. */
static void set_cases(json_t *data, const struct agpu_report *report)
{
    json_t *list = json_array(), *named = json_object();
    struct agpu_case_groups groups;

    agpu_groups_of_failures(report->run, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        const struct agpu_case_group *group = &groups.items[i];
        char number[24];

        snprintf(number, sizeof number, "%zu", group->number);
        set(named, number,
            json_pack("[o,I,o]", agpu_json_string(group->cause), (json_int_t)group->blocked,
                      agpu_json_string(group->reason)));
    }

    for (size_t i = 0; i < report->run->case_count; i++) {
        const struct agpu_case_result *c = report->run->cases[i];
        json_t *more = json_more(report, c, groups.of != NULL ? groups.of[i] : 0);
        json_t *entry =
            json_pack("[o,i,I,o]", agpu_json_string(c->id), (int)agpu_case_verdict(c),
                      (json_int_t)c->duration_us, c->started ? agpu_json_count(c->started_us) : json_null());

        if (more != NULL) {
            add(entry, more);
        }
        add(list, entry);
    }
    agpu_groups_free(&groups);
    set(data, "cases", list);
    set(data, "groups", named);
}

/* Adds the registers that have bits with names, or are not 0 after reset: [reset, [mask, name], ...], by name. */
static void set_registers(json_t *data)
{
    static const struct {
        const char *name;
        uint32_t mask;
        const char *bit;
    } bits[] = {
        {"IRQ_STATUS", AEROGPU_IRQ_FENCE, "FENCE"},
        {"IRQ_STATUS", AEROGPU_IRQ_SCANOUT_VBLANK, "SCANOUT_VBLANK"},
        {"IRQ_STATUS", AEROGPU_IRQ_ERROR, "ERROR"},
        {"IRQ_ENABLE", AEROGPU_IRQ_FENCE, "FENCE"},
        {"IRQ_ENABLE", AEROGPU_IRQ_SCANOUT_VBLANK, "SCANOUT_VBLANK"},
        {"IRQ_ENABLE", AEROGPU_IRQ_ERROR, "ERROR"},
    };
    size_t count;
    const struct aerogpu_register *registers = aerogpu_registers(false, &count);
    json_t *named = json_object();

    for (size_t i = 0; i < count; i++) {
        json_t *entry = json_pack("[I]", (json_int_t)registers[i].reset);

        for (size_t k = 0; k < COUNT(bits); k++) {
            if (strcmp(bits[k].name, registers[i].name) == 0) {
                add(entry, json_pack("[I,s]", (json_int_t)bits[k].mask, bits[k].bit));
            }
        }
        if (json_array_size(entry) > 1 || registers[i].reset != 0) {
            set(named, registers[i].name, entry);
        } else {
            json_decref(entry);
        }
    }
    set(data, "registers", named);
}

/* Adds the sections that the cases cite as [title, place, lines], by name; without lines when no case that cites it
 * failed. */
static void set_rules(json_t *data, const struct agpu_report *report)
{
    json_t *rules = json_object();

    for (size_t i = 0; i < report->run->case_count; i++) {
        const struct agpu_case_result *c = report->run->cases[i];
        const struct agpu_listed_case *known = agpu_report_known(c);
        const struct agpu_section *section = known != NULL ? agpu_section_find(known->spec) : NULL;
        json_t *rule;

        if (section == NULL) {
            continue;
        }
        rule = json_object_get(rules, section->name);
        if (rule == NULL) {
            rule = json_pack("[s,s]", section->title, section->place);
            set(rules, section->name, rule);
        }
        if (agpu_case_verdict(c) > AGPU_VERDICT_SKIP && json_array_size(rule) == 2) {
            json_t *lines = json_array();

            for (size_t k = 0; section->text[k] != NULL; k++) {
                add(lines, json_string(section->text[k]));
            }
            add(rule, lines);
        }
    }
    set(data, "rules", rules);
}

/* Returns the folder of the documents and sources: PREFIX/share/doc/agpu belongs to PREFIX/libexec/agpu/agpu, the tree
 * to build/PRESET/tests/host/agpu. null: this program lies elsewhere. */
static json_t *json_documents(void)
{
    static const char part[] = "/tests/handbook";
    static const char *const from_program[] = {"../../share/doc/agpu", "../../../.."};
    char program[PATH_MAX], path[PATH_MAX + 64], *folder = NULL, *slash;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    json_t *found;

    program[length > 0 ? length : 0] = '\0';
    slash = strrchr(program, '/');
    for (size_t i = 0; i < COUNT(from_program) && slash != NULL && folder == NULL; i++) {
        snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - program), program, from_program[i], part);
        folder = realpath(path, NULL);
    }
    if (folder != NULL) {
        folder[strlen(folder) - strlen(part)] = '\0';
    }
    found = agpu_json_string(folder);
    free(folder);
    return found;
}

static json_t *json_not_run(const struct agpu_report *report)
{
    size_t count;
    const struct agpu_listed_case **items = agpu_report_not_run(report, &count);
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++) {
        add(list, agpu_json_string(items[i]->id));
    }
    free(items);
    return list;
}

/* Returns the verdicts of the run to compare with. */
static json_t *json_before(const struct agpu_report *report)
{
    json_t *cases;

    if (report->before == NULL) {
        return json_null();
    }
    cases = json_array();
    for (size_t i = 0; i < report->before->case_count; i++) {
        const struct agpu_case_result *c = report->before->cases[i];

        add(cases, json_pack("[o,i]", agpu_json_string(c->id), (int)agpu_case_verdict(c)));
    }
    return json_pack("{s:o,s:o}", "name", agpu_json_string(report->before_name), "cases", cases);
}

/* Returns the samples sorted by size, evenly thinned out if there are many. */
static json_t *json_samples(struct agpu_metric *metric)
{
    const size_t shown = metric->count < SAMPLES_SHOWN ? metric->count : SAMPLES_SHOWN;
    json_t *list = json_array();

    for (size_t k = 0; k < shown; k++) {
        const double percent = shown == 1 ? 50 : 100.0 * (double)k / (double)(shown - 1);

        add(list, agpu_json_figure(agpu_metric_percentile(metric, percent)));
    }
    return list;
}

static json_t *json_metrics(struct agpu_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < run->metrics.count; i++) {
        struct agpu_metric *metric = &run->metrics.items[i];

        add(list, json_pack("[o,o,o,o,I]", agpu_json_string(metric->id), agpu_json_string(metric->name),
                            agpu_json_string(metric->unit), json_samples(metric), (json_int_t)metric->count));
    }
    return list;
}

static json_t *json_meetings(const struct agpu_run *run)
{
    json_t *list = json_array();

    for (size_t i = 0; i < agpu_report_meetings(run); i++) {
        const struct agpu_report_meeting meeting = agpu_report_meeting_at(run, i);

        add(list, json_pack("[s,s,o]", meeting.name, meeting.section, agpu_json_figure(meeting.times)));
    }
    return list;
}

static bool has_end(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);

    return length > tail && strcmp(name + length - tail, end) == 0;
}

static json_t *json_base64(const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;
    json_t *made;

    for (size_t i = 0; text != NULL && i < size; i += 3) {
        const unsigned more = size - i > 1 ? bytes[i + 1] : 0u, most = size - i > 2 ? bytes[i + 2] : 0u;
        const unsigned bits = (unsigned)bytes[i] << 16 | more << 8 | most;

        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = size - i > 1 ? digits[bits >> 6 & 63] : '=';
        *to++ = size - i > 2 ? digits[bits & 63] : '=';
    }
    made = text != NULL ? json_stringn(text, (size_t)(to - text)) : NULL;
    free(text);
    return made;
}

/* Returns one file as ["png" or "binary", base64, size], ["text", text, size] or ["other", null, size]. */
static json_t *json_file(const struct agpu_report *report, const char *name, size_t *left)
{
    const bool picture = has_end(name, ".png"), text = has_end(name, ".txt");
    /* The page draws this comparison itself. */
    const size_t most = has_end(name, AGPU_SIDE_BY_SIDE) ? 0
                        : picture                        ? AGPU_PAGE_PICTURE_MAX
                        : text                           ? AGPU_PAGE_TEXT_MAX
                                                         : AGPU_PAGE_BINARY_MAX;
    char path[4400];
    unsigned char *bytes = NULL;
    json_t *contents = NULL;
    FILE *file;
    long size = -1;

    snprintf(path, sizeof path, "%s/artifacts/%s", report->folder, name);
    file = fopen(path, "re");
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
        rewind(file);
    }
    if (size > 0 && (size_t)size <= most && (size_t)size <= *left) {
        bytes = malloc((size_t)size);
    }
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size) {
        *left -= (size_t)size;
        contents = text ? agpu_json_text((char *)bytes, (size_t)size) : json_base64(bytes, (size_t)size);
    }
    free(bytes);
    if (file != NULL) {
        fclose(file);
    }
    return json_pack("[s,o,I]",
                     contents == NULL ? "other"
                     : picture        ? "png"
                     : text           ? "text"
                                      : "binary",
                     contents != NULL ? contents : json_null(), (json_int_t)size);
}

/* Adds the files of the run, and the names of those that belong to none of its cases. */
static void set_files(json_t *data, const struct agpu_report *report)
{
    const struct agpu_artifact_list *list = report->artifacts;
    const size_t count = list != NULL ? list->count : 0;
    bool *taken = calloc(count + 1, sizeof *taken);
    size_t left = AGPU_PAGE_FILES_MAX;
    json_t *files = json_object(), *of_run = json_array();

    for (size_t i = 0; i < report->run->case_count && count != 0 && taken != NULL; i++) {
        size_t first;
        const size_t own = agpu_artifact_list_of(list, report->run->cases[i]->id, &first);

        for (size_t k = 0; k < own; k++) {
            taken[first + k] = true;
        }
    }
    for (size_t i = 0; i < count; i++) {
        json_t *name = agpu_json_string(list->names[i]);

        set(files, json_string_value(name), json_file(report, list->names[i], &left));
        if (taken != NULL && !taken[i]) {
            add(of_run, json_incref(name));
        }
        json_decref(name);
    }
    set(data, "files", files);
    set(data, "runFiles", of_run);
    free(taken);
}

static void set_lists(json_t *data, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    json_t *restarts = json_array(), *devices = json_array(), *environment = json_array(),
           *choices = json_array();

    for (size_t i = 0; i < run->restart_count; i++) {
        const struct agpu_restart *restart = &run->restarts[i];

        add(restarts, json_pack("[I,s,o,o]", (json_int_t)restart->boot, agpu_ending_name(restart->ending),
                                agpu_json_string(restart->text), agpu_json_string(restart->id)));
    }
    for (size_t i = 0; i < run->device_count; i++) {
        const struct agpu_run_device *device = run->devices[i];

        add(devices, json_pack("[o,o,s]", agpu_json_string(device->name), agpu_json_string(device->device),
                               agpu_verdict_name(device->verdict)));
    }
    for (size_t i = 0; i < report->environment_count; i++) {
        add(environment, json_pack("[o,o]", agpu_json_string(report->environment[i].name),
                                   agpu_json_string(report->environment[i].value)));
    }
    for (size_t i = 0; i < run->choice_count; i++) {
        const struct agpu_device_choice *choice = &run->choices[i];

        add(choices, json_pack("[o,o,o]", agpu_json_string(choice->name), agpu_json_string(choice->value),
                               agpu_json_string(choice->id)));
    }
    set(data, "problems", json_names(run->problems, run->problem_count));
    set(data, "restarts", restarts);
    set(data, "devices", devices);
    set(data, "environment", environment);
    set(data, "choices", choices);
}

static json_t *json_time(int64_t time_ns)
{
    return time_ns == AGPU_TIMELINE_UNKNOWN ? json_null() : json_integer(time_ns);
}

/* Returns [id, uncertainty of the clocks, left out, [[fence, slot, bytes, posted, seen, taken, done], ...]], in
 * nanoseconds. */
static json_t *json_lane(const struct agpu_timeline *timeline, const struct agpu_timeline_case *test)
{
    json_t *entries = json_array();

    for (size_t k = 0; k < test->count; k++) {
        const struct agpu_timeline_entry *entry = &timeline->entries[test->first + k];
        char fence[24];

        /* A fence value may exceed the integers that JavaScript represents exactly. */
        snprintf(fence, sizeof fence, "%" PRIu64, entry->fence);
        add(entries, json_pack("[s,I,I,o,o,o,o]", fence, (json_int_t)entry->slot,
                               (json_int_t)entry->stream_bytes, json_time(entry->posted),
                               json_time(entry->seen), json_time(entry->taken), json_time(entry->done)));
    }
    return json_pack("[o,I,I,o]", agpu_json_string(test->id), (json_int_t)test->play_ns,
                     (json_int_t)test->left_out, entries);
}

static json_t *json_timeline(const struct agpu_timeline *timeline)
{
    json_t *cases;

    if (timeline == NULL) {
        return json_null();
    }
    cases = json_array();
    for (size_t i = 0; i < timeline->case_count; i++) {
        add(cases, json_lane(timeline, &timeline->cases[i]));
    }
    return json_pack("{s:b,s:I,s:o}", "device", (int)timeline->device, "leftOut",
                     (json_int_t)timeline->cases_left_out, "cases", cases);
}

static bool write_data(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    json_t *data = json_object();
    bool good;

    set(data, "verdict", json_string(agpu_verdict_name(run->verdict)));
    set(data, "planned", agpu_json_count(run->planned));
    set(data, "notRun", agpu_json_count(agpu_run_counts(run).not_run));
    set(data, "build", agpu_json_string(run->build));
    set(data, "device", agpu_json_string(run->device));
    set(data, "judged", agpu_json_string(run->judged));
    set(data, "abi", agpu_json_string(run->abi));
    set(data, "require", agpu_json_string(run->require));
    set(data, "expect", agpu_json_string(run->expect));
    set(data, "again", agpu_json_string(report->again));
    set(data, "qemu", agpu_json_string(report->qemu));
    set(data, "started", json_seconds(report->started_at));
    set(data, "wall", json_seconds(report->wall_s));
    set(data, "bootToEntry", json_seconds(report->boot_to_entry_s));
    set(data, "entryToRecord", json_seconds(report->entry_to_first_record_s));
    set_lists(data, report);
    set_cases(data, report);
    set_registers(data);
    set_rules(data, report);
    set(data, "documents", json_documents());
    set(data, "notRunCases", json_not_run(report));
    set(data, "before", json_before(report));
    set(data, "metrics", json_metrics(report->run));
    set(data, "meetings", json_meetings(report->run));
    set(data, "lanes", json_timeline(report->timeline));
    set_files(data, report);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    good = agpu_json_page(data, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
    fputs("</script>\n", out);
    json_decref(data);
    return good;
}

bool agpu_report_html(FILE *out, const struct agpu_report *report)
{
    bool good;

    write_parts(out, page_head);
    fprintf(out, "<title>%s ", agpu_verdict_name(report->run->verdict));
    agpu_text_write_xml(out, report->run->device != NULL ? report->run->device : "");
    fputs("</title>\n</head>\n<body>\n", out);
    write_plain(out, report);
    write_parts(out, page_body);
    good = write_data(out, report);
    fputs("<script>", out);
    write_parts(out, page_script);
    fputs("</script>\n</body>\n</html>\n", out);
    return good && fflush(out) == 0 && !ferror(out);
}
