/* report.c: the findings as text and JSON. */
#include "tests/host/compare/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases/random/describe.h"
#include "tests/host/compare/heap.h"
#include "tests/host/compare/report_catalogue.h"
#include "tests/host/report/text.h"
#include "tests/host/json_out.h"

void agpu_cmp_report_count(const struct agpu_cmp_report *report, struct agpu_cmp_sums *sums)
{
    const struct agpu_cmp_catalogue *catalogue = report->catalogue;

    *sums = (struct agpu_cmp_sums){.idle = report->part_count > 0 ? report->asked : 0};
    for (int i = 0; i < 2; i++) {
        sums->rules += report->meeting->probes[i].wrongs.count;
        sums->catalogue += catalogue != NULL && catalogue->broken[i];
        sums->catalogue += catalogue != NULL && catalogue->absurd[i][0] != '\0';
    }
    for (uint32_t i = 0; i < report->meeting->agreement.count; i++) {
        sums->insisted += report->meeting->agreement.list[i].compared;
    }
    sums->catalogue += catalogue != NULL ? catalogue->difference_count : 0;
    for (size_t i = 0; i < report->part_count; i++) {
        const struct agpu_cmp_lockstep *part = &report->parts[i];

        sums->random += part->finding_count > 0 ? part->finding_count : part->differing > 0;
        sums->streams += part->ran;
        sums->untried += part->untried;
        sums->idle &= ~part->worked;
    }
}

bool agpu_cmp_report_good(const struct agpu_cmp_report *report)
{
    struct agpu_cmp_sums sums;

    agpu_cmp_report_count(report, &sums);
    return sums.rules + sums.insisted + sums.catalogue + sums.random + sums.idle == 0;
}

static void add_part(char text[AGPU_CMP_TEXT], const char *before, uint64_t count, const char *one,
                     const char *many)
{
    const size_t length = strlen(text);

    if (count > 0) {
        snprintf(text + length, AGPU_CMP_TEXT - length, "%s%" PRIu64 " %s", before, count,
                 count == 1 ? one : many);
    }
}

void agpu_cmp_report_verdict(const struct agpu_cmp_report *report, char text[AGPU_CMP_TEXT])
{
    const struct agpu_cmp_catalogue *catalogue = report->catalogue;
    struct agpu_cmp_sums sums;

    agpu_cmp_report_count(report, &sums);
    if (agpu_cmp_report_good(report)) {
        snprintf(text, AGPU_CMP_TEXT, "%s in",
                 sums.untried == 0 ? "the two do the same," : "no difference found");
        add_part(text, " ", catalogue != NULL ? catalogue->cases[0] : 0, "case", "cases");
        add_part(text, catalogue != NULL ? " and " : " ", sums.streams, "random stream", "random streams");
        if (catalogue == NULL && sums.streams == 0) {
            snprintf(text, AGPU_CMP_TEXT, "only the properties of the two were compared");
        }
        add_part(text, "; ", sums.untried, "stream was not run", "streams were not run");
        return;
    }
    if (sums.rules + sums.insisted + sums.catalogue + sums.random == 0) {
        char areas[AGPU_CMP_TEXT / 2];

        agpu_cmp_areas_text(sums.idle, areas, sizeof areas);
        snprintf(
            text, AGPU_CMP_TEXT,
            "not compared: nothing was generated for %s: the choices of the two, or --without, leave no work",
            areas);
        return;
    }
    snprintf(text, AGPU_CMP_TEXT, "the two differ:");
    add_part(text, " ", sums.rules, "rule broken by one device on its own",
             "rules broken by one device on its own");
    add_part(text, sums.rules > 0 ? ", " : " ", sums.insisted, "choice that should be equal",
             "choices that should be equal");
    add_part(text, sums.rules + sums.insisted > 0 ? ", " : " ", sums.catalogue, "difference in the catalogue",
             "differences in the catalogue");
    add_part(text, sums.rules + sums.insisted + sums.catalogue > 0 ? ", " : " ", sums.random,
             "difference in random work", "differences in random work");
}

/* ---- what is left out ---- */

static void add_name(char text[AGPU_CMP_TEXT], const char *name)
{
    const size_t length = strlen(text);

    snprintf(text + length, AGPU_CMP_TEXT - length, "%s%s", length > 0 ? " " : "", name);
}

/* An area that neither device supports is not left out because of the other. */
static bool is_missed(const struct agpu_cmp_meeting *meeting, enum agpu_gen_area area)
{
    const bool any_bar1 = meeting->probes[0].bar1_bytes != 0 || meeting->probes[1].bar1_bytes != 0;

    return (area != AGPU_GEN_AREA_BOARD || meeting->common.listed) &&
           (area != AGPU_GEN_AREA_APERTURE || any_bar1);
}

void agpu_cmp_report_left_out(const struct agpu_cmp_report *report, char areas[AGPU_CMP_TEXT],
                              char choices[AGPU_CMP_TEXT])
{
    const struct agpu_cmp_meeting *meeting = report->meeting;
    const uint32_t apart = agpu_gen_areas_apart(&meeting->common);
    const bool same = meeting->agreement.count == 0;
    uint64_t named = 0;

    areas[0] = choices[0] = '\0';
    for (size_t i = 0; i < AGPU_GEN_AREA_COUNT && !same; i++) {
        if ((apart >> i & 1) != 0 && is_missed(meeting, (enum agpu_gen_area)i)) {
            add_name(areas, agpu_gen_area_info(i)->name);
        }
    }
    for (uint32_t i = 0; i < meeting->agreement.count; i++) {
        const struct agpu_cmp_chosen *chosen = &meeting->agreement.list[i];

        if (!chosen->compared && (named >> chosen->choice & 1) == 0) {
            named |= UINT64_C(1) << chosen->choice;
            add_name(choices, agpu_gen_choice_info(chosen->choice)->name);
        }
    }
}

/* ---- programs ---- */

static void print_program_line(void *out, const char *text)
{
    fprintf(out, "  %s\n", text);
}

void agpu_cmp_program_text(const struct agpu_gen_program *program, FILE *out)
{
    agpu_gen_describe(program, print_program_line, out);
}

/* ---- text ---- */

void agpu_cmp_count(uint64_t count, const char *one, FILE *out)
{
    fprintf(out, "%" PRIu64 " %s%s", count, one, count == 1 ? "" : "s");
}

static void write_finding(const struct agpu_cmp_finding *finding, FILE *out)
{
    uint32_t submissions, packets;
    char areas[AGPU_CMP_TEXT];

    agpu_cmp_size(&finding->program, &submissions, &packets);
    fprintf(out, "\n%s: ", finding->section);
    agpu_text_write_line(out, finding->sentence, strlen(finding->sentence));
    fputs("\n  seen ", out);
    agpu_cmp_count(finding->times, "time", out);
    fprintf(out, ", first in session %" PRIu64, finding->session);
    if (finding->left_out != 0) {
        agpu_cmp_areas_text(finding->left_out, areas, sizeof areas);
        fprintf(out, " (--without %s)", areas);
    }
    fprintf(out, "; the smallest work that shows it, from session %" PRIu64 ": ", finding->shown_in);
    agpu_cmp_count(finding->program.step_count, "step", out);
    fputs(", ", out);
    agpu_cmp_count(submissions, "submission", out);
    fputs(", ", out);
    agpu_cmp_count(packets, "packet", out);
    fputc('\n', out);
    if (!finding->history) {
        agpu_cmp_program_text(&finding->program, out);
    }
}

static void write_chosen(const struct agpu_cmp_chosen *chosen, FILE *out)
{
    fprintf(out, "  %-14s %s: %s on A, %s on B%s\n", agpu_gen_choice_info(chosen->choice)->section,
            chosen->what, chosen->values[0], chosen->values[1],
            chosen->compared ? ": a difference, because of --with" : "");
}

void agpu_cmp_report_devices(const struct agpu_cmp_report *report, FILE *out)
{
    const struct agpu_cmp_meeting *meeting = report->meeting;
    char areas[AGPU_CMP_TEXT], choices[AGPU_CMP_TEXT];

    for (int i = 0; i < 2; i++) {
        const struct agpu_cmp_probe *probe = &meeting->probes[i];

        fprintf(out, "%c: %s, \"%s\", ABI %u.%u, features 0x%" PRIx64 ", BAR1 %" PRIu64 " KiB\n", 'A' + i,
                agpu_cmp_meeting_spec(meeting, i), probe->name, probe->abi >> 16, probe->abi & 0xFFFF,
                probe->features, probe->bar1_bytes >> 10);
    }
    if (meeting->chosen.count > 0) {
        fprintf(out, "different choices, which the specification allows:\n");
        for (uint32_t i = 0; i < meeting->chosen.count; i++) {
            write_chosen(&meeting->chosen.list[i], out);
        }
    }
    for (int i = 0; i < 2; i++) {
        if (meeting->adapted[i][0] != '\0') {
            fprintf(out,
                    "%c, given as %s, is the project's model: it gets the options of the other (not with "
                    "--as-given)\n",
                    'A' + i, meeting->specs[i]);
        }
    }
    agpu_cmp_report_left_out(report, areas, choices);
    if (areas[0] != '\0') {
        fprintf(out, "left out, since not both have it: %s\n", areas);
    }
    if (choices[0] != '\0') {
        fprintf(out, "not compared, since their choices differ: %s (agpu compare --list)\n", choices);
    }
    for (int i = 0; i < 2; i++) {
        const struct agpu_cmp_wrongs *wrongs = &meeting->probes[i].wrongs;

        for (uint32_t n = 0; n < wrongs->count; n++) {
            fprintf(out, "\n%s: on %c by itself: %s\n", wrongs->list[n].section, 'A' + i,
                    wrongs->list[n].text);
        }
    }
}

void agpu_cmp_report_text(const struct agpu_cmp_report *report, FILE *out)
{
    char verdict[AGPU_CMP_TEXT], text[AGPU_CMP_TEXT];

    if (report->catalogue != NULL) {
        agpu_cmp_report_catalogue(report->catalogue, out);
    }
    for (size_t i = 0; i < report->part_count; i++) {
        const struct agpu_cmp_lockstep *part = &report->parts[i];

        fprintf(out, "random work%s: ", part->plan.common.legacy ? ", legacy" : "");
        agpu_cmp_count(part->ran, "stream", out);
        fputs(" in ", out);
        agpu_cmp_count(part->sessions, "session", out);
        fprintf(out, " on both in %.1f s, ", part->busy_seconds);
        agpu_cmp_count(part->differing, "session", out);
        fprintf(out, " %s, ", part->differing == 1 ? "differs" : "differ");
        agpu_cmp_count(part->finding_count, "difference", out);
        fputc('\n', out);
        agpu_cmp_without_text(part, text);
        fprintf(out, "%s%s%s", text[0] != '\0' ? "  " : "", text, text[0] != '\0' ? "\n" : "");
        agpu_cmp_stop_text(part, text);
        fprintf(out, "%s%s%s", text[0] != '\0' ? "  " : "", text, text[0] != '\0' ? "\n" : "");
        if (part->refused > 0) {
            fputs("  ", out);
            agpu_cmp_count(part->refused, "session", out);
            fputs(" in which A reports errors for work that is valid\n", out);
        }
        for (uint32_t j = 0; j < part->finding_count; j++) {
            write_finding(&part->findings[j], out);
        }
    }
    agpu_cmp_report_verdict(report, verdict);
    fprintf(out, "\nverdict: %s\n", verdict);
    if (!agpu_cmp_report_good(report)) {
        fprintf(out, "again: %s\n", report->command);
    }
}

/* ---- JSON ---- */

static json_t *finding_json(const struct agpu_cmp_finding *finding)
{
    uint32_t submissions, packets;
    char *program = NULL, areas[AGPU_CMP_TEXT];
    size_t size = 0;
    FILE *out = open_memstream(&program, &size);
    json_t *json;

    if (out == NULL) {
        return NULL;
    }
    agpu_cmp_program_text(&finding->program, out);
    fclose(out);
    agpu_cmp_size(&finding->program, &submissions, &packets);
    agpu_cmp_areas_text(finding->left_out, areas, sizeof areas);
    json = json_pack("{s:o, s:s, s:o, s:I, s:s, s:I, s:i, s:b, s:i, s:i, s:i, s:s}", "sentence",
                     agpu_json_string(finding->sentence), "section", finding->section, "signature",
                     agpu_json_string(finding->signature), "session", (json_int_t)finding->session, "without",
                     areas, "program_session", (json_int_t)finding->shown_in, "times", (int)finding->times,
                     "history", finding->history, "steps", (int)finding->program.step_count, "submissions",
                     (int)submissions, "packets", (int)packets, "program", finding->history ? "" : program);
    free(program);
    return json;
}

static json_t *part_json(const struct agpu_cmp_lockstep *part)
{
    json_t *findings = json_array();
    char areas[AGPU_CMP_TEXT], why[AGPU_CMP_TEXT];

    for (uint32_t i = 0; i < part->finding_count; i++) {
        json_array_append_new(findings, finding_json(&part->findings[i]));
    }
    agpu_cmp_areas_text(part->left_out, areas, sizeof areas);
    agpu_cmp_stop_text(part, why);
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:b, s:s, s:I, s:s, s:I, s:o}", "abi",
                     part->plan.common.legacy ? "legacy" : "1.4", "seed", (json_int_t)part->plan.seed,
                     "streams", (json_int_t)part->ran, "sessions", (json_int_t)part->sessions, "differing",
                     (json_int_t)part->differing, "refused", (json_int_t)part->refused, "seconds",
                     part->busy_seconds, "stopped", part->stop != AGPU_CMP_STOP_NONE, "stopped_why", why,
                     "streams_not_tried", (json_int_t)part->untried, "left_out", areas, "left_out_from",
                     (json_int_t)part->left_out_from, "findings", findings);
}

static json_t *catalogue_json(const struct agpu_cmp_catalogue *catalogue)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < catalogue->listed; i++) {
        const struct agpu_cmp_case_difference *difference = &catalogue->differences[i];

        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "kind", difference->kind, "id",
                                              difference->id, "a", agpu_json_string(difference->values[0]),
                                              "b", agpu_json_string(difference->values[1])));
    }
    return json_pack("{s:[i,i], s:i, s:i, s:i, s:[b,b], s:[s,s], s:[i,i], s:[o,o], s:o}", "cases",
                     (int)catalogue->cases[0], (int)catalogue->cases[1], "difference_count",
                     (int)catalogue->difference_count, "choice_count", (int)catalogue->choice_count,
                     "tried_on_one", (int)catalogue->tried_count, "broken", catalogue->broken[0],
                     catalogue->broken[1], "ended_in", catalogue->ended_in[0], catalogue->ended_in[1],
                     "cases_not_tried", (int)catalogue->not_tried[0], (int)catalogue->not_tried[1],
                     "absurd_dma", agpu_json_string(catalogue->absurd[0]),
                     agpu_json_string(catalogue->absurd[1]), "differences", list);
}

static json_t *device_json(const struct agpu_cmp_meeting *meeting, int side)
{
    const struct agpu_cmp_probe *probe = &meeting->probes[side];
    json_t *wrongs = json_array();

    for (uint32_t i = 0; i < probe->wrongs.count; i++) {
        json_array_append_new(wrongs, json_pack("{s:s, s:s}", "section", probe->wrongs.list[i].section,
                                                "text", probe->wrongs.list[i].text));
    }
    return json_pack("{s:o, s:o, s:o, s:i, s:I, s:I, s:o}", "spec", agpu_json_string(meeting->specs[side]),
                     "compared_as", agpu_json_string(agpu_cmp_meeting_spec(meeting, side)), "name",
                     agpu_json_string(probe->name), "abi", (int)probe->abi, "features",
                     (json_int_t)probe->features, "bar1_bytes", (json_int_t)probe->bar1_bytes, "breaks",
                     wrongs);
}

static json_t *chosen_json(const struct agpu_cmp_meeting *meeting)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < meeting->chosen.count; i++) {
        const struct agpu_cmp_chosen *chosen = &meeting->chosen.list[i];
        const struct agpu_gen_choice_info *info = agpu_gen_choice_info(chosen->choice);

        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "choice", info->name, "section",
                                        info->section, "what", chosen->what, "a", chosen->values[0], "b",
                                        chosen->values[1], "difference", chosen->compared));
    }
    return list;
}

bool agpu_cmp_report_json(const struct agpu_cmp_report *report, FILE *out)
{
    const struct agpu_cmp_meeting *meeting = report->meeting;
    json_t *devices = json_array(), *parts = json_array(), *json;
    char areas[AGPU_CMP_TEXT], choices[AGPU_CMP_TEXT], verdict[AGPU_CMP_TEXT];
    struct agpu_cmp_sums sums;
    bool good;

    agpu_cmp_report_count(report, &sums);

    for (int i = 0; i < 2; i++) {
        json_array_append_new(devices, device_json(meeting, i));
    }
    for (size_t i = 0; i < report->part_count; i++) {
        json_array_append_new(parts, part_json(&report->parts[i]));
    }
    agpu_cmp_report_verdict(report, verdict);
    agpu_cmp_report_left_out(report, areas, choices);
    json = json_pack("{s:b, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:o?, s:o}", "same",
                     agpu_cmp_report_good(report) && sums.untried == 0, "verdict", verdict, "as",
                     meeting->model ? "model" : "any", "devices", devices, "chosen_otherwise",
                     chosen_json(meeting), "areas_left_out", areas, "choices_not_compared", choices,
                     "command", agpu_json_string(report->command), "catalogue",
                     report->catalogue != NULL ? catalogue_json(report->catalogue) : NULL, "random", parts);
    good = json != NULL && agpu_json_out(json, out, JSON_INDENT(1)) && fputc('\n', out) != EOF;
    json_decref(json);
    return good;
}
