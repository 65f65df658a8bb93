/* devices.h: runs the catalogue on several functions of one machine: on each function alone, with its own plan, cases
 * and verdict, and then the cases about several at once. */
#ifndef AGPU_CASES_HARNESS_DEVICES_H
#define AGPU_CASES_HARNESS_DEVICES_H

#include "tests/cases/harness/rounds.h"

#define AGPU_DEVICES_MAX 8u

/* Calls agpu_run_rounds() for each function that selection (pci/select.h) names, in scan order. If selection is NULL
 * or "" it runs on the first usable function only. With a selection every record about a device, plan and summary
 * included, has its location, "00:04.0" (stream.h). With several functions, the cases about all of them follow under
 * AGPU_DEVICES_TOGETHER.
 *
 * A word of the selection that matches no function is reported as an ERROR under that word. A function for which
 * filter, tags and shard leave no case is an ERROR under its location, unless they select only cases about several
 * functions. The last record is the summary of all devices, with sums and the worst result, which is returned. */
enum agpu_result agpu_run_devices(const struct agpu_runner_config *config,
                                  const struct agpu_rounds_config *rounds, const char *selection,
                                  struct agpu_summary *out);

#endif
