/* known.h: facts about a run's cases from the catalogue in this tool: sentences, places, and which cases were never
 * started. */
#ifndef AGPU_HOST_REPORT_KNOWN_H
#define AGPU_HOST_REPORT_KNOWN_H

#include "tests/host/list/cases.h"
#include "tests/host/report/report.h"

/* Returns the catalogue's entry of the case; NULL: this tool does not know it, so the image is of another build. */
const struct agpu_listed_case *agpu_report_known(const struct agpu_case_result *c);

/* Returns the planned cases that never started, in run order, malloc'd; *count is how many. Returns NULL, with
 * *count 0, when there are none or they cannot be determined: several devices, a choice of cases that the reports do
 * not contain, an image with another catalogue. */
const struct agpu_listed_case **agpu_report_not_run(const struct agpu_report *report, size_t *count);

#endif
