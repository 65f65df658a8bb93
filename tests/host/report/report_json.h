/* report_json.h: a finished run as summary.json. */
#ifndef AGPU_HOST_REPORT_REPORT_JSON_H
#define AGPU_HOST_REPORT_REPORT_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* Writes the document. Returns false when memory is exhausted or the stream failed. */
bool agpu_report_json(FILE *out, const struct agpu_report *report);

#endif
