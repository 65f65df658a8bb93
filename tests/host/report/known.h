/* known.h: what the catalogue in this tool says of a run's cases: sentences, places, and which were never started. */
#ifndef AGPU_HOST_REPORT_KNOWN_H
#define AGPU_HOST_REPORT_KNOWN_H

#include "tests/host/list/cases.h"
#include "tests/host/report/report.h"

/* The case as the catalogue has it; NULL: the image that ran had cases that this tool does not know. */
const struct agpu_listed_case *agpu_report_known(const struct agpu_case_result *c);

/* The planned cases that never started, in run order, malloc'd; *count is how many. NULL, and 0, when there are none or it
 * cannot be told which: several devices, a choice that the reports do not hold, an image with other cases. */
const struct agpu_listed_case **agpu_report_not_run(const struct agpu_report *report, size_t *count);

#endif
