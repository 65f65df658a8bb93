/* selection.h: which cases a run takes: for the device, by name, tag and share. */
#ifndef AGPU_CASES_HARNESS_SELECTION_H
#define AGPU_CASES_HARNESS_SELECTION_H

#include "tests/cases/harness/run.h"

/* Ids of the cases for the device (config->device) that filter selects, in run order, one call each; for
 * --list. */
void agpu_list(const struct agpu_runner_config *config, void (*each)(void *ctx, const struct agpu_case *item),
               void *ctx);

/* Appends why a run has no case for this device, named as in its plan record: what was asked for, the filter last, because a
 * long one is cut. */
void agpu_tell_empty_selection(const struct agpu_runner_config *config, const char *device,
                               struct agpu_text *text);

#endif
