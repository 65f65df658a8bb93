/* report_github.h: what a run found as annotations of GitHub Actions. */
#ifndef AGPU_HOST_REPORT_REPORT_GITHUB_H
#define AGPU_HOST_REPORT_REPORT_GITHUB_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* Writes workflow commands, one a line: problems of the run, an error for the cases that failed alike, a warning for those that
 * were not tried for one reason, the verdict. False when it could not be written. */
bool agpu_report_github(FILE *out, const struct agpu_report *report);

#endif
