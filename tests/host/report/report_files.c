/* report_files.c: the reports of a finished run as files. */
#include "tests/host/report/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/host/report/output_file.h"
#include "tests/host/report/report_html.h"
#include "tests/host/report/report_json.h"
#include "tests/host/report/report_junit.h"
#include "tests/host/report/report_ktap.h"

static bool write_one(struct agpu_report *report, const char *folder, const char *name,
                      bool (*write)(FILE *out, const struct agpu_report *report))
{
    struct agpu_output_file file;

    if (agpu_output_open(&file, folder, name)) {
        if (write(file.stream, report) && agpu_output_commit(&file)) {
            return true;
        }
        agpu_output_discard(&file);
    }
    fprintf(stderr, "agpu: cannot write %s/%s: %s\n", folder, name, strerror(errno));
    agpu_report_missing(report, name);
    return false;
}

bool agpu_report_write(struct agpu_report *report, const char *folder)
{
    static const struct {
        const char *name;
        bool (*write)(FILE *out, const struct agpu_report *report);
    } reports[] = {
        {"junit.xml", agpu_report_junit},
        {"ktap.txt", agpu_report_ktap},
        {"report.html", agpu_report_html},
        {"summary.json", agpu_report_json}, /* the last: it says when another is missing */
    };
    bool good = true;

    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++) {
        good = write_one(report, folder, reports[i].name, reports[i].write) && good;
    }
    return good;
}
