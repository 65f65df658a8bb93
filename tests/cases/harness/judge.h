/* judge.h: the verdict on a run beyond that of its cases: what the device is, and how much of it was tried. */
#ifndef AGPU_CASES_HARNESS_JUDGE_H
#define AGPU_CASES_HARNESS_JUDGE_H

#include "tests/cases/harness/run.h"

/* Judges what the device is, whichever cases run, and logs why that is no PASS: FAIL when it lacks a required feature or has
 * another ABI than `expect` (one word of expect.h) states, SKIP when it is old and nothing states that it is meant to be. */
void agpu_judge_device(const struct agpu_runner_config *config, const struct agpu_fixture_device *found,
                       const char *expect, struct agpu_summary *summary);

/* Judges a required ability that was tried after the cases: result is how that ended, reason why. */
void agpu_judge_ability(const struct agpu_runner_config *config, enum agpu_result result, const char *reason,
                        struct agpu_summary *summary);

/* Returns false when so few cases were tried that the run is no PASS. A run of a part of the cases (cases_max) needs none
 * that passes. */
bool agpu_judge_enough_tried(const struct agpu_runner_config *config, const struct agpu_summary *summary);

/* At the end of a run: makes a PASS a SKIP where too much was not tried, and logs that. */
void agpu_judge_tried(const struct agpu_runner_config *config, struct agpu_summary *summary);

/* Appends "passed, but 3 cases could not be tried: 2 because ...; 1 because ..." of the skips that are not acceptable. */
void agpu_judge_describe_untried(const struct agpu_skip_tally *skips, struct agpu_text *text);

#endif
