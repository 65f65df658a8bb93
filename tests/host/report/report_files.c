/* report_files.c: writes the reports of a finished run to files. */
#include "tests/host/report/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/host/output_file.h"
#include "tests/host/report/report_csv.h"
#include "tests/host/report/report_github.h"
#include "tests/host/report/report_html.h"
#include "tests/host/report/report_json.h"
#include "tests/host/report/report_junit.h"
#include "tests/host/report/report_ktap.h"

static const struct {
    const char *format;
    const char *name;
    bool (*write)(FILE *out, const struct agpu_report *report);
} reports[] = {
    {"junit", "junit.xml", agpu_report_junit},
    {"ktap", "ktap.txt", agpu_report_ktap},
    {"csv", "metrics.csv", agpu_report_csv},
    {"html", "report.html", agpu_report_html},
    /* the last of every run: it reports when another is missing */
    {"json", "summary.json", agpu_report_json},
    {"github", "github.txt", agpu_report_github},
};
#define FORMATS      (sizeof reports / sizeof reports[0])
#define OF_EVERY_RUN (FORMATS - 1) /* the others are written on request only */

const char *agpu_report_format(size_t number, const char **file)
{
    if (number >= FORMATS) {
        return NULL;
    }
    *file = reports[number].name;
    return reports[number].format;
}

/* A report being written. */
struct report_file {
    size_t format;
    struct agpu_output_file file;
    bool given_up; /* it could not be written, and the run has a problem that says so */
};

static void give_up(struct agpu_report *report, const struct agpu_report_place *place,
                    struct report_file *one, int failed)
{
    const char *name = reports[one->format].name, *why = strerror(failed);

    fprintf(stderr, "agpu: cannot write %s/%s: %s\n", place->path, name, why);
    agpu_report_missing(report, name, why);
    agpu_output_remove(&one->file, place->folder, name); /* also an old one with other contents */
    one->given_up = true;
}

/* Writes the report under its temporary name. Returns 0 or an errno. */
static int write_beside(const struct agpu_report *report, int folder, struct report_file *one)
{
    int failed;

    if (!agpu_output_open(&one->file, folder, reports[one->format].name)) {
        return errno;
    }
    /* visible only when complete, so full buffering is harmless */
    setvbuf(one->file.stream, NULL, _IOFBF, 1 << 16);
    errno = 0;
    if (reports[one->format].write(one->file.stream, report) && agpu_output_end(&one->file)) {
        return 0;
    }
    failed = errno != 0 ? errno : EIO;
    agpu_output_discard(&one->file);
    return failed;
}

/* Returns true when all are complete. Space that an incomplete one frees is available to the next. */
static bool write_all_beside(struct agpu_report *report, const struct agpu_report_place *place,
                             struct report_file *files, size_t count)
{
    bool all = true;

    for (size_t i = 0; i < count; i++) {
        const int failed = files[i].given_up ? 0 : write_beside(report, place->folder, &files[i]);

        if (failed != 0) {
            give_up(report, place, &files[i], failed);
            all = false;
        }
    }
    return all;
}

static bool name_all(struct agpu_report *report, const struct agpu_report_place *place,
                     struct report_file *files, size_t count)
{
    bool all = true;

    for (size_t i = 0; i < count; i++) {
        if (!files[i].given_up && !agpu_output_name(&files[i].file)) {
            give_up(report, place, &files[i], errno);
            all = false;
        }
    }
    return all;
}

/* The verdict is final only when all writable reports are written: a failure makes the run an ERROR, so all are
 * written again. This terminates because each round gives one up. */
static bool write_files(struct agpu_report *report, const struct agpu_report_place *place,
                        struct report_file *files, size_t count)
{
    bool good = true;

    while (!write_all_beside(report, place, files, count) || !name_all(report, place, files, count)) {
        good = false;
    }
    return good;
}

bool agpu_report_write(struct agpu_report *report, const struct agpu_report_place *place)
{
    struct report_file files[OF_EVERY_RUN] = {0};

    for (size_t i = 0; i < OF_EVERY_RUN; i++) {
        files[i].format = i;
    }
    return write_files(report, place, files, OF_EVERY_RUN);
}

/* Returns FORMATS when there is none of that name. */
static size_t find_format(const char *name, size_t length)
{
    size_t i = 0;

    while (i < FORMATS &&
           (strlen(reports[i].format) != length || memcmp(reports[i].format, name, length) != 0)) {
        i++;
    }
    return i;
}

bool agpu_report_write_formats(struct agpu_report *report, const struct agpu_report_place *place,
                               const char *list)
{
    struct report_file files[FORMATS] = {0};
    size_t count = 0;
    bool good = true;

    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        const size_t length = strcspn(at, ",");

        if (find_format(at, length) == FORMATS) {
            fprintf(stderr, "agpu: no such format \"%.*s\", expected one of:", (int)length, at);
            for (size_t i = 0; i < FORMATS; i++) {
                fprintf(stderr, " %s", reports[i].format);
            }
            putc('\n', stderr);
            return false;
        }
    }
    for (const char *at = list; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        const size_t i = find_format(at, strcspn(at, ","));

        if (place->folder < 0) {
            good = reports[i].write(stdout, report) && good;
        } else {
            files[count].format = i;
            count += count < FORMATS - 1;
        }
    }
    return write_files(report, place, files, count) && good;
}
