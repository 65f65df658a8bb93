/* report_ktap.h: a finished run as ktap.txt. */
#ifndef AGPU_HOST_REPORT_REPORT_KTAP_H
#define AGPU_HOST_REPORT_REPORT_KTAP_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* Writes the document. Returns false when memory is exhausted or the stream failed. */
bool agpu_report_ktap(FILE *out, const struct agpu_report *report);

#endif
