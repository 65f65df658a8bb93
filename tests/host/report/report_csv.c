/* report_csv.c: metrics.csv: the measurements, one per line (RFC 4180), for spreadsheets and plots. */
#include "tests/host/report/report_csv.h"

#include <string.h>

#include "tests/host/report/text.h"

/* Writes a quoted cell; a text that a spreadsheet would take for a formula gets a ' in front. */
static void csv_cell(FILE *out, const char *text)
{
    putc('"', out);
    if (*text != '\0' && strchr("=+-@", *text) != NULL && text[1] != '\0') {
        putc('\'', out);
    }
    while (*text != '\0') {
        size_t n = strcspn(text, "\"");

        agpu_text_write_line(out, text, n);
        if (text[n] == '"') {
            fputs("\"\"", out);
            n++;
        }
        text += n;
    }
    putc('"', out);
}

bool agpu_report_csv(FILE *out, const struct agpu_report *report)
{
    struct agpu_run *run = report->run;

    fputs("case,name,unit,samples,min,p50,p99,max\r\n", out);
    for (size_t i = 0; i < run->metrics.count; i++) {
        struct agpu_metric *metric = &run->metrics.items[i];

        csv_cell(out, metric->id);
        putc(',', out);
        csv_cell(out, metric->name);
        putc(',', out);
        csv_cell(out, metric->unit);
        fprintf(out, ",%zu,%.17g,%.17g,%.17g,%.17g\r\n", metric->count, agpu_metric_percentile(metric, 0),
                agpu_metric_percentile(metric, 50), agpu_metric_percentile(metric, 99),
                agpu_metric_percentile(metric, 100));
    }
    return fflush(out) == 0 && !ferror(out);
}
