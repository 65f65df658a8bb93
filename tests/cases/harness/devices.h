/* devices.h: the catalogue on several functions of one machine: each alone, with its own plan, cases and verdict, and then
 * the cases about several at once. */
#ifndef AGPU_CASES_HARNESS_DEVICES_H
#define AGPU_CASES_HARNESS_DEVICES_H

#include "tests/cases/harness/rounds.h"

#define AGPU_DEVICES_MAX 8u

/* agpu_run_rounds() on each function that selection (pci/select.h) names, in scan order; with NULL or "" on the first
 * usable one, and nothing else. With a selection every record of a device says which (stream.h): its location,
 * "00:04.0"; plan and summary of it too. With several functions, the cases about all of them follow under
 * AGPU_DEVICES_TOGETHER. A word of the selection that names no function ends as an ERROR by its own name, and a function
 * for which filter, tags and shard leave no case as one by its location, unless they leave none but cases about several.
 * The last record is the summary of all, of no device: sums, and the worst result, which is returned. */
enum agpu_result agpu_run_devices(const struct agpu_runner_config *config,
                                  const struct agpu_rounds_config *rounds, const char *selection,
                                  struct agpu_summary *out);

#endif
