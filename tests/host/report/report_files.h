/* report_files.h: writes the reports of a finished run to files. */
#ifndef AGPU_HOST_REPORT_REPORT_FILES_H
#define AGPU_HOST_REPORT_REPORT_FILES_H

#include <stdbool.h>

#include "tests/host/report/report.h"

/* Returns the name of a format, "ktap", and its file, "ktap.txt"; NULL after the last. */
const char *agpu_report_format(size_t number, const char **file);

/* The folder that reports are written into. */
struct agpu_report_place {
    const char *path; /* for messages */
    int folder;       /* its descriptor */
};

/* Writes only the formats of a comma-separated list, to place; a descriptor of -1: to stdout. Returns false as
 * agpu_report_write(), or when a name is unknown, with a line on stderr that lists the names. */
bool agpu_report_write_formats(struct agpu_report *report, const struct agpu_report_place *place,
                               const char *list);

/* Writes all reports into place, each complete or not at all. One that cannot be written makes the run an ERROR
 * (agpu_report_missing()); then returns false, with a line on stderr. */
bool agpu_report_write(struct agpu_report *report, const struct agpu_report_place *place);

#endif
