/* report_github.c: the findings of a run as annotations of GitHub Actions: workflow commands on standard output.
 * GitHub shows the first ten of a step, so cases with the same message are grouped. */
#include "tests/host/report/report_github.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/list/cases.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/groups.h"
#include "tests/host/wire/run_verdict.h"

/* Writes text as the value of a property (property), or as the message after the second pair of colons. Escapes
 * every byte that would end the line or the value. */
static void write_value(FILE *out, const char *text, bool property)
{
    for (; *text != '\0'; text++) {
        const bool special =
            *text == '%' || *text == '\r' || *text == '\n' || (property && (*text == ':' || *text == ','));

        if (special) {
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text);
        } else {
            agpu_text_write_line(out, text, 1);
        }
    }
}

/* Writes the most useful location: the check that failed, else the body of the case. */
static void write_place(FILE *out, const struct agpu_case_result *c)
{
    const struct agpu_listed_case *known = agpu_listed_case_find(c->id + c->subject);
    const char *file = known != NULL ? known->file : NULL;
    uint64_t line = known != NULL ? known->line : 0;

    if (c->checks_kept != 0 && c->checks[0].file != NULL) {
        file = agpu_report_tree_path(c->checks[0].file);
        line = c->checks[0].line;
    }
    if (file != NULL) {
        fputs("file=", out);
        write_value(out, file, true);
        fprintf(out, ",line=%" PRIu64 ",", line);
    }
}

/* Writes a group as one annotation; level is error or warning. */
static void write_group(FILE *out, const char *level, const struct agpu_case_group *group)
{
    const struct agpu_case_result *c = group->first;
    const struct agpu_listed_case *known = agpu_listed_case_find(c->id + c->subject);
    char *headline = agpu_report_headline(c);

    fprintf(out, "::%s ", level);
    write_place(out, c);
    fprintf(out, "title=%s ", agpu_verdict_name(agpu_case_verdict(c)));
    write_value(out, c->id, true);
    if (group->count > 1) {
        fprintf(out, " and %zu with the same message", group->count - 1);
    }
    if (group->blocked > 0) {
        fprintf(out, ", blocks %zu", group->blocked);
    }
    fputs("::", out);
    write_value(out, headline != NULL && headline[0] != '\0' ? headline : group->reason, false);
    if (known != NULL) {
        fputs("%0A", out);
        write_value(out, known->says, false);
        fputs(" [", out);
        write_value(out, known->spec, false);
        putc(']', out);
    }
    putc('\n', out);
    free(headline);
}

bool agpu_report_github(FILE *out, const struct agpu_report *report)
{
    const struct agpu_run *run = report->run;
    const struct agpu_counts counts = agpu_run_counts(run);
    struct agpu_case_groups groups;

    for (size_t i = 0; i < run->problem_count; i++) {
        fputs("::error title=the run::", out);
        write_value(out, run->problems[i], false);
        putc('\n', out);
    }
    agpu_groups_of_failures(run, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        write_group(out, "error", &groups.items[i]);
    }
    agpu_groups_free(&groups);
    agpu_groups_of_skips(run, &groups);
    for (size_t i = 0; i < groups.count; i++) {
        if (!groups.items[i].first->skip_allowed) {
            write_group(out, "warning", &groups.items[i]);
        }
    }
    agpu_groups_free(&groups);
    fprintf(out, "::notice title=AeroGPU %s::%" PRIu64 " of %" PRIu64 " cases passed, device ",
            agpu_verdict_name(run->verdict), counts.by_verdict[AGPU_VERDICT_PASS], run->planned);
    write_value(out, run->device != NULL ? run->device : "unknown", false);
    putc('\n', out);
    return fflush(out) == 0 && !ferror(out);
}
