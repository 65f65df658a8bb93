/* run_plan.h: whether the device is what the plan says it must be, and the cases that ran are those of the plan. */
#ifndef AGPU_HOST_WIRE_RUN_PLAN_H
#define AGPU_HOST_WIRE_RUN_PLAN_H

#include "tests/host/wire/run_model.h"

/* Judges the plans of a run that has ended, and reports problems: FAIL for a device that lacks a required feature or has
 * another ABI than expected, SKIP for an old one of which nothing is expected, ERROR where plans contradict each other or the
 * cases that ran are not those that were announced. A person may have several plans run one after the other (run->attended):
 * their cases are not compared. Each device of several gets its own verdict. */
enum agpu_verdict agpu_plan_judge(struct agpu_run *run);

/* The same of the device alone by one plan, that of a boot which is over. */
enum agpu_verdict agpu_plan_judge_device(struct agpu_run *run, const struct agpu_run_plan *plan);

#endif
