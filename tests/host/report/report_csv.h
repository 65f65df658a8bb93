/* report_csv.h: metrics.csv: the measurements, one per line (RFC 4180). */
#ifndef AGPU_HOST_REPORT_REPORT_CSV_H
#define AGPU_HOST_REPORT_REPORT_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* Returns false when it could not be written. */
bool agpu_report_csv(FILE *out, const struct agpu_report *report);

#endif
