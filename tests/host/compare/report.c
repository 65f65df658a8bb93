/* report.c: findings as text, JSON, HTML. */
#include "tests/host/compare/report.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "tests/host/compare/reduce.h"
#include "tests/host/report/text.h"
#include "tests/host/json_out.h"

bool agpu_cmp_report_good(const struct agpu_cmp_report *report)
{
    bool good = report->catalogue == NULL || (report->catalogue->difference_count == 0 &&
                                              !report->catalogue->broken[0] && !report->catalogue->broken[1]);

    for (size_t i = 0; i < report->part_count; i++) {
        good = good && report->parts[i].finding_count == 0 && report->parts[i].differing == 0;
    }
    return good;
}

/* ---- programs ---- */

static void write_packets(const struct agpu_cmp_program *program, const struct agpu_cmp_step *step, FILE *out)
{
    const uint32_t *packet;
    uint32_t at = 0;

    for (uint32_t i = 0; i < step->entries; i++) {
        const struct agpu_cmp_entry *entry = &program->entries[step->entries_at + i];

        fprintf(out, "    allocation 0x%x: %s + 0x%x, %" PRIu64 " bytes%s\n", entry->id,
                agpu_cmp_region_name(entry->region), entry->offset, entry->size,
                (entry->flags & 1) != 0 ? ", READONLY" : "");
    }
    while ((packet = agpu_cmp_packet_next(program, step, &at)) != NULL) {
        fprintf(out, "    %s", agpu_cmp_packet_name(packet[0]));
        for (uint32_t i = 2; i < packet[1] / 4 && i < 18; i++) {
            fprintf(out, " %x", packet[i]);
        }
        fprintf(out, "%s\n", packet[1] > 72 ? " ..." : "");
    }
    if (at < step->bytes) {
        fprintf(out, "    %u bytes that are no packet\n", step->bytes - at);
    }
    for (uint32_t i = 0; i < step->patches; i++) {
        static const char *const where[] = {"descriptor", "stream header", "table", "ring header"};
        const struct agpu_cmp_patch *patch = &program->patches[step->patches_at + i];

        fprintf(out, "    %s + 0x%x := 0x%" PRIx64 "\n", where[patch->where & 3], patch->offset,
                patch->value);
    }
}

void agpu_cmp_program_text(const struct agpu_cmp_program *program, FILE *out)
{
    for (uint32_t i = 0; i < program->step_count; i++) {
        const struct agpu_cmp_step *step = &program->steps[i];

        fprintf(out, "  %u %s", i, agpu_cmp_op_name((enum agpu_cmp_op)step->op));
        switch ((enum agpu_cmp_op)step->op) {
        case AGPU_CMP_REGISTER_WRITE:
        case AGPU_CMP_CONFIG_WRITE:
            fprintf(out, " 0x%x := 0x%" PRIx64 " (%u bytes)\n", step->offset, step->value, step->size);
            break;
        case AGPU_CMP_REGISTER_READ:
        case AGPU_CMP_CONFIG_READ:
            fprintf(out, " 0x%x (%u bytes)\n", step->offset, step->size);
            break;
        case AGPU_CMP_ADDRESS_WRITE:
            fprintf(out, " 0x%x := %s + 0x%" PRIx64 "%s\n", step->offset, agpu_cmp_region_name(step->region),
                    step->value,
                    step->size == 4   ? ", lower half"
                    : step->size == 1 ? ", upper half"
                                      : "");
            break;
        case AGPU_CMP_APERTURE_WRITE:
            fprintf(out, " 0x%" PRIx64 " := 0x%" PRIx64 " (%u bytes)\n", step->value, step->fence,
                    step->size);
            break;
        case AGPU_CMP_APERTURE_READ:
            fprintf(out, " 0x%" PRIx64 " (%u bytes)\n", step->value, step->size);
            break;
        case AGPU_CMP_MEMORY:
            fprintf(out, ": %u bytes to %s + 0x%x\n", step->bytes, agpu_cmp_region_name(step->region),
                    step->offset);
            break;
        case AGPU_CMP_FILL:
            fprintf(out, ": %" PRIu64 " bytes of seed 0x%" PRIx64 " to %s + 0x%x\n", step->value, step->fence,
                    agpu_cmp_region_name(step->region), step->offset);
            break;
        case AGPU_CMP_RING_SET:
            fprintf(out, ": %" PRIu64 " entries of %u bytes at ring + 0x%x, first index 0x%" PRIx64 "\n",
                    step->value, step->size + 64u, step->offset, step->fence);
            break;
        case AGPU_CMP_SUBMIT:
            fprintf(out, ": fence 0x%" PRIx64 ", flags %x%s\n", step->fence, step->flags,
                    step->invalid ? ", may fail" : "");
            write_packets(program, step, out);
            break;
        case AGPU_CMP_ADVANCE:
            fprintf(out, ": %" PRIu64 "/16 of a vblank period\n", step->value);
            break;
        default:
            fputc('\n', out);
            break;
        }
    }
}

/* ---- text ---- */

static void write_finding(const struct agpu_cmp_finding *finding, FILE *out)
{
    uint32_t submissions, packets;

    agpu_cmp_size(&finding->program, &submissions, &packets);
    fprintf(out, "\n%s: ", finding->section);
    agpu_text_write_line(out, finding->sentence, strlen(finding->sentence));
    fprintf(out,
            "\n  seen %u time%s, first in session %" PRIu64
            "; least that shows it: %u steps, %u submissions, %u packets\n",
            finding->times, finding->times == 1 ? "" : "s", finding->session, finding->program.step_count,
            submissions, packets);
    if (!finding->history) {
        agpu_cmp_program_text(&finding->program, out);
    }
}

static void write_catalogue(const struct agpu_cmp_catalogue *catalogue, FILE *out)
{
    fprintf(out, "catalogue: %u cases on A, %u on B, %u differences, %u numbers far apart\n",
            catalogue->cases[0], catalogue->cases[1], catalogue->difference_count, catalogue->metric_count);
    for (int i = 0; i < 2; i++) {
        if (catalogue->broken[i]) {
            fprintf(out, "  the catalogue on %c did not end: ", 'A' + i);
            agpu_text_write_line(out, catalogue->text[i], strlen(catalogue->text[i]));
            fputc('\n', out);
        }
    }
    for (uint32_t i = 0; i < catalogue->listed; i++) {
        const struct agpu_cmp_case_difference *difference = &catalogue->differences[i];

        fprintf(out, "  %-8s %s: A ", difference->kind, difference->id);
        agpu_text_write_line(out, difference->values[0], strlen(difference->values[0]));
        fputs(", B ", out);
        agpu_text_write_line(out, difference->values[1], strlen(difference->values[1]));
        fputc('\n', out);
    }
    if (catalogue->listed < catalogue->difference_count + catalogue->metric_count) {
        fprintf(out, "  and %u more\n",
                catalogue->difference_count + catalogue->metric_count - catalogue->listed);
    }
}

void agpu_cmp_report_text(const struct agpu_cmp_report *report, FILE *out)
{
    for (int i = 0; i < 2; i++) {
        fprintf(out, "%c: %s, \"%s\", ABI %u.%u, features 0x%" PRIx64 ", BAR1 %" PRIu64 " KiB\n", 'A' + i,
                report->specs[i], report->probes[i].name, report->probes[i].abi >> 16,
                report->probes[i].abi & 0xFFFF, report->probes[i].features,
                report->probes[i].bar1_bytes >> 10);
    }
    if (report->catalogue != NULL) {
        write_catalogue(report->catalogue, out);
    }
    for (size_t i = 0; i < report->part_count; i++) {
        const struct agpu_cmp_lockstep *part = &report->parts[i];

        fprintf(out,
                "random work%s: %" PRIu64 " streams in %" PRIu64 " sessions on both in %.1f s, %" PRIu64
                " sessions differ, %u difference%s%s\n",
                part->plan.common.legacy ? ", legacy" : "", part->ran, part->sessions, part->busy_seconds,
                part->differing, part->finding_count, part->finding_count == 1 ? "" : "s",
                part->stopped ? "; stopped early" : "");
        if (part->refused > 0) {
            fprintf(out, "  %" PRIu64 " sessions in which A reports errors for work that is valid\n",
                    part->refused);
        }
        for (uint32_t j = 0; j < part->finding_count; j++) {
            write_finding(&part->findings[j], out);
        }
    }
    if (!agpu_cmp_report_good(report)) {
        fprintf(out, "\nagain: %s\n", report->command);
    }
}

/* ---- JSON ---- */

static json_t *text_json(const char *text)
{
    size_t length;
    char *utf8 = agpu_text_utf8(text, strlen(text), &length);
    json_t *json = utf8 != NULL ? json_stringn(utf8, length) : NULL;

    free(utf8);
    return json;
}

static json_t *finding_json(const struct agpu_cmp_finding *finding)
{
    uint32_t submissions, packets;
    char *program = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&program, &size);
    json_t *json;

    if (out == NULL) {
        return NULL;
    }
    agpu_cmp_program_text(&finding->program, out);
    fclose(out);
    agpu_cmp_size(&finding->program, &submissions, &packets);
    json = json_pack(
        "{s:o, s:s, s:s, s:I, s:i, s:b, s:i, s:i, s:i, s:s}", "sentence", text_json(finding->sentence),
        "section", finding->section, "signature", finding->signature, "session", (json_int_t)finding->session,
        "times", (int)finding->times, "history", finding->history, "steps", (int)finding->program.step_count,
        "submissions", (int)submissions, "packets", (int)packets, "program", finding->history ? "" : program);
    free(program);
    return json;
}

static json_t *part_json(const struct agpu_cmp_lockstep *part)
{
    json_t *findings = json_array();

    for (uint32_t i = 0; i < part->finding_count; i++) {
        json_array_append_new(findings, finding_json(&part->findings[i]));
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:b, s:o}", "abi",
                     part->plan.common.legacy ? "legacy" : "1.4", "seed", (json_int_t)part->plan.seed,
                     "streams", (json_int_t)part->ran, "sessions", (json_int_t)part->sessions, "differing",
                     (json_int_t)part->differing, "refused", (json_int_t)part->refused, "seconds",
                     part->busy_seconds, "stopped", part->stopped, "findings", findings);
}

static json_t *catalogue_json(const struct agpu_cmp_catalogue *catalogue)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < catalogue->listed; i++) {
        const struct agpu_cmp_case_difference *difference = &catalogue->differences[i];

        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "kind", difference->kind, "id",
                                              difference->id, "a", text_json(difference->values[0]), "b",
                                              text_json(difference->values[1])));
    }
    return json_pack("{s:[i,i], s:i, s:[b,b], s:o}", "cases", (int)catalogue->cases[0],
                     (int)catalogue->cases[1], "difference_count", (int)catalogue->difference_count, "broken",
                     catalogue->broken[0], catalogue->broken[1], "differences", list);
}

bool agpu_cmp_report_json(const struct agpu_cmp_report *report, FILE *out)
{
    json_t *devices = json_array(), *parts = json_array(), *json;
    bool good;

    for (int i = 0; i < 2; i++) {
        json_array_append_new(
            devices, json_pack("{s:o, s:o, s:i, s:I, s:I}", "spec", text_json(report->specs[i]), "name",
                               text_json(report->probes[i].name), "abi", (int)report->probes[i].abi,
                               "features", (json_int_t)report->probes[i].features, "bar1_bytes",
                               (json_int_t)report->probes[i].bar1_bytes));
    }
    for (size_t i = 0; i < report->part_count; i++) {
        json_array_append_new(parts, part_json(&report->parts[i]));
    }
    json = json_pack("{s:b, s:s, s:o, s:s, s:o?, s:o}", "same", agpu_cmp_report_good(report), "as",
                     report->model ? "model" : "any", "devices", devices, "command", report->command,
                     "catalogue", report->catalogue != NULL ? catalogue_json(report->catalogue) : NULL,
                     "random", parts);
    good = json != NULL && agpu_json_out(json, out, JSON_INDENT(1)) && fputc('\n', out) != EOF;
    json_decref(json);
    return good;
}

/* ---- HTML ---- */

static void html_program(const struct agpu_cmp_program *program, FILE *out)
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

static void html_row(FILE *out, const char *first, const char *second, const char *third)
{
    fputs("<tr><td>", out);
    agpu_text_write_xml(out, first);
    fputs("</td><td>", out);
    agpu_text_write_xml(out, second);
    fputs("</td><td>", out);
    agpu_text_write_xml(out, third);
    fputs("</td></tr>\n", out);
}

void agpu_cmp_report_html(const struct agpu_cmp_report *report, FILE *out)
{
    fprintf(out, "<section class=\"compare\">\n<h2>Two devices side by side: %s</h2>\n<p>A: ",
            agpu_cmp_report_good(report) ? "no difference" : "they differ");
    agpu_text_write_xml(out, report->specs[0]);
    fputs("; B: ", out);
    agpu_text_write_xml(out, report->specs[1]);
    fputs("</p>\n", out);
    if (report->catalogue != NULL) {
        fprintf(out,
                "<h3>Catalogue: %u differences</h3>\n<table><tr><th>case</th><th>A</th><th>B</th></tr>\n",
                report->catalogue->difference_count);
        for (uint32_t i = 0; i < report->catalogue->listed; i++) {
            const struct agpu_cmp_case_difference *difference = &report->catalogue->differences[i];

            html_row(out, difference->id, difference->values[0], difference->values[1]);
        }
        fputs("</table>\n", out);
    }
    for (size_t i = 0; i < report->part_count; i++) {
        const struct agpu_cmp_lockstep *part = &report->parts[i];

        fprintf(out, "<h3>Random work%s: %" PRIu64 " streams, %u differences</h3>\n<ul>\n",
                part->plan.common.legacy ? ", legacy" : "", part->ran, part->finding_count);
        for (uint32_t j = 0; j < part->finding_count; j++) {
            fputs("<li><b>", out);
            agpu_text_write_xml(out, part->findings[j].section);
            fputs("</b>: ", out);
            agpu_text_write_xml(out, part->findings[j].sentence);
            html_program(&part->findings[j].program, out);
            fputs("</li>\n", out);
        }
        fputs("</ul>\n", out);
    }
    fputs("</section>\n", out);
}
