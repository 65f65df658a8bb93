/* run_plan.h: checks that the device meets the plan's requirements, and that the cases that ran are those of the
 * plan. */
#ifndef AGPU_HOST_WIRE_RUN_PLAN_H
#define AGPU_HOST_WIRE_RUN_PLAN_H

#include "tests/host/wire/run_model.h"

/* Checks the plans of a run that has ended, and reports problems. FAIL: the device lacks a required feature or has
 * an unexpected ABI. SKIP: an old device of which nothing is expected. ERROR: plans contradict each other, or the
 * cases that ran are not the announced ones. Cases are not compared when run->attended, since a person may run
 * several plans one after the other. With several devices each gets its own verdict. */
enum agpu_verdict agpu_plan_judge(struct agpu_run *run);

/* Returns the verdict on the device alone by one plan, that of a boot which has ended. */
enum agpu_verdict agpu_plan_judge_device(struct agpu_run *run, const struct agpu_run_plan *plan);

#endif
