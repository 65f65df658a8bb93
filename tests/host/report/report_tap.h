/* report_tap.h: tap.txt: TAP version 14, with evidence as YAML. */
#ifndef AGPU_HOST_REPORT_REPORT_TAP_H
#define AGPU_HOST_REPORT_REPORT_TAP_H

#include <stdbool.h>
#include <stdio.h>

#include "tests/host/report/report.h"

/* False when it could not be written. */
bool agpu_report_tap(FILE *out, const struct agpu_report *report);

#endif
