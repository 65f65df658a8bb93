/* report_files.c: the reports of a finished run as files. */
#include "tests/host/report/report_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/host/report/output_file.h"
#include "tests/host/report/report_json.h"
#include "tests/host/report/report_junit.h"
#include "tests/host/report/report_ktap.h"

static bool write_one(const struct agpu_report *report, const char *folder, const char *name,
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
    return false;
}

bool agpu_report_write(const struct agpu_report *report, const char *folder)
{
    bool junit = write_one(report, folder, "junit.xml", agpu_report_junit);
    bool ktap = write_one(report, folder, "ktap.txt", agpu_report_ktap);

    return write_one(report, folder, "summary.json", agpu_report_json) && junit && ktap;
}
