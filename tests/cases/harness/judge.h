/* judge.h: the parts of a run's verdict that do not come from its cases: properties of the device, and how much was
 * tested. */
#ifndef AGPU_CASES_HARNESS_JUDGE_H
#define AGPU_CASES_HARNESS_JUDGE_H

#include "tests/cases/harness/run.h"

/* Checks the properties of the device, independent of the cases, and logs why they rule out PASS. FAIL: the device
 * lacks a required feature, or has another ABI than `expect` (one word of expect.h). SKIP: it is an old device, which
 * `expect` does not allow. */
void agpu_judge_device(const struct agpu_runner_config *config, const struct agpu_fixture_device *found,
                       const char *expect, struct agpu_summary *summary);

/* Adds the result of testing a required ability after the cases; reason explains it. */
void agpu_judge_ability(const struct agpu_runner_config *config, enum agpu_result result, const char *reason,
                        struct agpu_summary *summary);

/* Returns false if too few cases ran for a PASS. A run of only a part of the cases (cases_max) needs none that
 * passes. */
bool agpu_judge_enough_tried(const struct agpu_runner_config *config, const struct agpu_summary *summary);

/* At the end of a run: turns a PASS into a SKIP if too much was not run, and logs that. */
void agpu_judge_tried(const struct agpu_runner_config *config, struct agpu_summary *summary);

/* Appends "passed, but 3 cases could not be run: 2 because ...; 1 because ..." for the skips that are not
 * acceptable. */
void agpu_judge_describe_untried(const struct agpu_skip_tally *skips, struct agpu_text *text);

#endif
