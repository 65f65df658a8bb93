/* report_files.c: the reports of a finished run as files. */
#include "tests/host/report/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/host/report/output_file.h"
#include "tests/host/report/report_csv.h"
#include "tests/host/report/report_github.h"
#include "tests/host/report/report_html.h"
#include "tests/host/report/report_json.h"
#include "tests/host/report/report_junit.h"
#include "tests/host/report/report_kcidb.h"
#include "tests/host/report/report_ktap.h"
#include "tests/host/report/report_tap.h"

static bool write_one(struct agpu_report *report, const char *folder, const char *name,
                      bool (*write)(FILE *out, const struct agpu_report *report))
{
    struct agpu_output_file file;

    if (agpu_output_open(&file, folder, name)) {
        setvbuf(file.stream, NULL, _IOFBF, 1 << 16); /* complete or not at all: no line is in a hurry */
        if (write(file.stream, report) && agpu_output_commit(&file)) {
            return true;
        }
        agpu_output_discard(&file);
    }
    fprintf(stderr, "agpu: cannot write %s/%s: %s\n", folder, name, strerror(errno));
    agpu_report_missing(report, name);
    return false;
}

static const struct {
    const char *format;
    const char *name;
    bool (*write)(FILE *out, const struct agpu_report *report);
} reports[] = {
    {"junit", "junit.xml", agpu_report_junit},    {"ktap", "ktap.txt", agpu_report_ktap},
    {"tap", "tap.txt", agpu_report_tap},          {"kcidb", "kcidb.json", agpu_report_kcidb},
    {"csv", "metrics.csv", agpu_report_csv},      {"html", "report.html", agpu_report_html},
    {"json", "summary.json", agpu_report_json}, /* the last of every run: it says when another is missing */
    {"github", "github.txt", agpu_report_github},
};
#define FORMATS      (sizeof reports / sizeof reports[0])
#define OF_EVERY_RUN (FORMATS - 1) /* the others are written for who asks for them */

const char *agpu_report_format(size_t number, const char **file)
{
    if (number >= FORMATS) {
        return NULL;
    }
    *file = reports[number].name;
    return reports[number].format;
}

bool agpu_report_write(struct agpu_report *report, const char *folder)
{
    bool good = true;

    for (size_t i = 0; i < OF_EVERY_RUN; i++) {
        good = write_one(report, folder, reports[i].name, reports[i].write) && good;
    }
    return good;
}

/* FORMATS when there is none of that name. */
static size_t find_format(const char *name, size_t length)
{
    size_t i = 0;

    while (i < FORMATS &&
           (strlen(reports[i].format) != length || memcmp(reports[i].format, name, length) != 0)) {
        i++;
    }
    return i;
}

bool agpu_report_write_formats(struct agpu_report *report, const char *folder, const char *list)
{
    bool good = true;

    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        const size_t length = strcspn(at, ",");

        if (find_format(at, length) == FORMATS) {
            fprintf(stderr, "agpu: there is no format \"%.*s\", but:", (int)length, at);
            for (size_t i = 0; i < FORMATS; i++) {
                fprintf(stderr, " %s", reports[i].format);
            }
            putc('\n', stderr);
            return false;
        }
    }
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        const size_t i = find_format(at, strcspn(at, ","));

        if (strcmp(folder, "-") == 0) {
            good = reports[i].write(stdout, report) && good;
        } else {
            good = write_one(report, folder, reports[i].name, reports[i].write) && good;
        }
    }
    return good;
}
