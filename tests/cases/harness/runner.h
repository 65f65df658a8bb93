/* runner.h: runs the catalogue on one machine: plan, each case between start and end, heartbeat, summary. */
#ifndef AGPU_CASES_HARNESS_RUNNER_H
#define AGPU_CASES_HARNESS_RUNNER_H

#include "tests/cases/harness/run.h"

/* Finds the device, runs every selected case and sends all records. Restores the device's command register before it
 * returns. Without a usable device the plan has device=none and its one case ends as ERROR with the reason. Returns
 * the worst result. PASS alone means success: all skips are acceptable (skips.h). SKIP: nothing failed, but too many
 * cases could not run. An empty selection is an ERROR. */
enum agpu_result agpu_run(const struct agpu_runner_config *config, struct agpu_summary *out);

#endif
