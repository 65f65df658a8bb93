/* report_page.c: the findings as an HTML fragment. */
#include "tests/host/compare/report_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/compare/report_catalogue.h"
#include "tests/host/report/text.h"

static void html_program(const struct agpu_gen_program *program, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL) {
        return;
    }
    agpu_cmp_program_text(program, stream);
    fclose(stream);
    fputs("<details><summary>program</summary><pre>", out);
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        agpu_text_write_xml(out, line);
        fputc('\n', out);
    }
    fputs("</pre></details>", out);
    free(text);
}

static void html_cells(FILE *out, const char *first, const char *second, const char *third)
{
    fputs("<td>", out);
    agpu_text_write_xml(out, first);
    fputs("</td><td>", out);
    agpu_text_write_xml(out, second);
    fputs("</td><td>", out);
    agpu_text_write_xml(out, third);
    fputs("</td></tr>\n", out);
}

static void html_row(FILE *out, const char *first, const char *second, const char *third)
{
    fputs("<tr>", out);
    html_cells(out, first, second, third);
}

static void html_devices(const struct agpu_cmp_report *report, FILE *out)
{
    const struct agpu_cmp_meeting *meeting = report->meeting;
    char areas[AGPU_CMP_TEXT], choices[AGPU_CMP_TEXT];

    for (int i = 0; i < 2; i++) {
        fprintf(out, "<p>%c: ", 'A' + i);
        agpu_text_write_xml(out, meeting->specs[i]);
        if (meeting->adapted[i][0] != '\0') {
            fputs(", the project's model with the options of the other: ", out);
            agpu_text_write_xml(out, meeting->adapted[i]);
        }
        fputs("</p>\n", out);
    }
    if (meeting->chosen.count > 0) {
        fputs("<h3>Different choices, which the specification "
              "allows</h3>\n<table><tr><th>what</th><th>A</th><th>B</th></tr>\n",
              out);
        for (uint32_t i = 0; i < meeting->chosen.count; i++) {
            const struct agpu_cmp_chosen *chosen = &meeting->chosen.list[i];

            html_row(out, chosen->what, chosen->values[0], chosen->values[1]);
        }
        fputs("</table>\n", out);
    }
    agpu_cmp_report_left_out(report, areas, choices);
    if (areas[0] != '\0' || choices[0] != '\0') {
        fprintf(out, "<p>Left out for it: %s%s%s</p>\n", areas,
                areas[0] != '\0' && choices[0] != '\0' ? "; " : "", choices);
    }
    for (int i = 0; i < 2; i++) {
        const struct agpu_cmp_wrongs *wrongs = &meeting->probes[i].wrongs;

        for (uint32_t n = 0; n < wrongs->count; n++) {
            fprintf(out, "<p><b>%s</b>: on %c by itself: ", wrongs->list[n].section, 'A' + i);
            agpu_text_write_xml(out, wrongs->list[n].text);
            fputs("</p>\n", out);
        }
    }
}

static void html_catalogue(const struct agpu_cmp_catalogue *catalogue, FILE *out)
{
    char text[AGPU_CMP_TEXT];

    fputs("<h3>Catalogue: ", out);
    agpu_cmp_count(catalogue->difference_count, "difference", out);
    fputs("</h3>\n", out);
    for (int i = 0; i < 2; i++) {
        if (catalogue->broken[i]) {
            agpu_cmp_report_broken(catalogue, i, text);
            fprintf(out, "<p>on %c it did not end: ", 'A' + i);
            agpu_text_write_xml(out, text);
            fputs("</p>\n", out);
        }
        if (catalogue->absurd[i][0] != '\0') {
            fprintf(out, "<p>on %c: ", 'A' + i);
            agpu_text_write_xml(out, catalogue->absurd[i]);
            fputs("</p>\n", out);
        }
    }
    fputs("<table><tr><th>kind</th><th>case</th><th>A</th><th>B</th></tr>\n", out);
    for (uint32_t i = 0; i < catalogue->listed; i++) {
        const struct agpu_cmp_case_difference *difference = &catalogue->differences[i];

        fprintf(out, "<tr><td>%s</td>", difference->kind);
        html_cells(out, difference->id, difference->values[0], difference->values[1]);
    }
    fputs("</table>\n", out);
}

static void html_finding(const struct agpu_cmp_finding *finding, FILE *out)
{
    fputs("<li><b>", out);
    agpu_text_write_xml(out, finding->section);
    fputs("</b>: ", out);
    agpu_text_write_xml(out, finding->sentence);
    fprintf(out, " (seen %u time%s, first in session %" PRIu64 ")", finding->times,
            finding->times == 1 ? "" : "s", finding->session);
    if (!finding->history) {
        html_program(&finding->program, out);
    }
    fputs("</li>\n", out);
}

static void html_note(FILE *out, const char *text)
{
    if (text[0] != '\0') {
        fputs("<p>", out);
        agpu_text_write_xml(out, text);
        fputs("</p>\n", out);
    }
}

void agpu_cmp_report_html(const struct agpu_cmp_report *report, FILE *out)
{
    char verdict[AGPU_CMP_TEXT], text[AGPU_CMP_TEXT];

    agpu_cmp_report_verdict(report, verdict);
    fprintf(out, "<section class=\"compare\">\n<h2>Two devices side by side: %s</h2>\n<p>",
            agpu_cmp_report_good(report) ? "no difference" : "they differ");
    agpu_text_write_xml(out, verdict);
    fputs("</p>\n", out);
    html_devices(report, out);
    if (report->catalogue != NULL) {
        html_catalogue(report->catalogue, out);
    }
    for (size_t i = 0; i < report->part_count; i++) {
        const struct agpu_cmp_lockstep *part = &report->parts[i];

        fprintf(out, "<h3>Random work%s: ", part->plan.common.legacy ? ", legacy" : "");
        agpu_cmp_count(part->ran, "stream", out);
        fputs(", ", out);
        agpu_cmp_count(part->finding_count, "difference", out);
        fputs("</h3>\n", out);
        agpu_cmp_without_text(part, text);
        html_note(out, text);
        agpu_cmp_stop_text(part, text);
        html_note(out, text);
        fputs("<ul>\n", out);
        for (uint32_t j = 0; j < part->finding_count; j++) {
            html_finding(&part->findings[j], out);
        }
        fputs("</ul>\n", out);
    }
    fputs("<p>Again: <code>", out);
    agpu_text_write_xml(out, report->command);
    fputs("</code></p>\n</section>\n", out);
}
