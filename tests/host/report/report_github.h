/* report_github.h: the findings of a run as annotations of GitHub Actions. */
#ifndef AGPU_HOST_REPORT_REPORT_GITHUB_H
#define AGPU_HOST_REPORT_REPORT_GITHUB_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* Writes workflow commands, one per line: the problems of the run, an error per group of cases that failed alike, a
 * warning per group that was skipped for one reason, the verdict. Returns false when it could not be written. */
bool agpu_report_github(FILE *out, const struct agpu_report *report);

#endif
