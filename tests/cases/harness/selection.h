/* selection.h: selects the cases of a run by device, name, tag and shard. */
#ifndef AGPU_CASES_HARNESS_SELECTION_H
#define AGPU_CASES_HARNESS_SELECTION_H

#include "tests/cases/harness/run.h"

/* Calls each() for every case for the device (config->device) that filter selects, in run order. For --list. */
void agpu_list(const struct agpu_runner_config *config, void (*each)(void *ctx, const struct agpu_case *item),
               void *ctx);

/* Appends why a run has no case for this device, which is named as in its plan record. The filter comes last, because
 * a long one is cut. */
void agpu_report_empty_selection(const struct agpu_runner_config *config, const char *device,
                                 struct agpu_text *text);

#endif
