/* report_files.h: the reports of a finished run as files. */
#ifndef AGPU_HOST_REPORT_REPORT_FILES_H
#define AGPU_HOST_REPORT_REPORT_FILES_H

#include <stdbool.h>

#include "tests/host/report/report.h"

/* summary.json, junit.xml and ktap.txt in folder, each complete or not at all. One that cannot be written makes
 * the run an ERROR (agpu_report_missing()); false then, with a line on stderr. */
bool agpu_report_write(struct agpu_report *report, const char *folder);

#endif
