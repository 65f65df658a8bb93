/* report_junit.h: a finished run as junit.xml. */
#ifndef AGPU_HOST_REPORT_REPORT_JUNIT_H
#define AGPU_HOST_REPORT_REPORT_JUNIT_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* Writes the document. Returns false when memory is exhausted or the stream failed. */
bool agpu_report_junit(FILE *out, const struct agpu_report *report);

#endif
