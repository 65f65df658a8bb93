/* run_verdict.h: the rules that turn a run's records and its end into verdicts. */
#ifndef AGPU_HOST_WIRE_RUN_VERDICT_H
#define AGPU_HOST_WIRE_RUN_VERDICT_H

#include "tests/host/wire/run_model.h"

/* "device_died" ...; what summary.json calls it. */
const char *agpu_ending_name(enum agpu_ending ending);
bool agpu_ending_parse(const char *name, enum agpu_ending *out);
/* What it makes of the case that was running: CRASH or TIMEOUT. */
enum agpu_verdict agpu_ending_case_verdict(enum agpu_ending ending);

/* The machine started again without being asked: the case that ran is a CRASH and a new plan follows. */
void agpu_run_restarted(struct agpu_run *run, uint64_t now_us);

/* The run is over for this reason. Records may still follow, if they were sent before. The first reason
 * stays. */
void agpu_run_end(struct agpu_run *run, enum agpu_ending ending, const char *text);

/* The machine of a run that ended is started again, to go on behind the case that started last: that case, if it has not
 * ended, gets its verdict from the ending, which is taken back. The run never passes any more. Returns the case's id, valid
 * as long as the run; NULL, and nothing is changed, when there is nothing to go on behind: no case started in this boot,
 * it was the last one, it ran in several rounds, or AGPU_RESTARTS_MAX is reached. */
const char *agpu_run_resume(struct agpu_run *run, uint64_t now_us);

/* The machine did what it was told to do in one boot, and cases are left: it is started again, to go on behind the case that
 * started last. Returns its id as agpu_run_resume() does. */
const char *agpu_run_next_boot(struct agpu_run *run);

/* Gives every case its final verdict, and the run its own. No record may follow. */
void agpu_run_conclude(struct agpu_run *run, uint64_t now_us);

/* Counts of cases that ended; after conclude, of all. */
struct agpu_counts agpu_run_counts(const struct agpu_run *run);

/* The same of one of several devices. */
struct agpu_counts agpu_device_counts(const struct agpu_run *run, const struct agpu_run_device *device);

/* Verdict of a case by what is known now. */
enum agpu_verdict agpu_case_verdict(const struct agpu_case_result *c);

#endif
