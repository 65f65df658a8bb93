/* run_verdict.h: the rules that turn a run's records and its end into verdicts. */
#ifndef AGPU_HOST_WIRE_RUN_VERDICT_H
#define AGPU_HOST_WIRE_RUN_VERDICT_H

#include "tests/host/wire/run_model.h"

/* Returns the name in summary.json: "device_died" ... */
const char *agpu_ending_name(enum agpu_ending ending);
bool agpu_ending_parse(const char *name, enum agpu_ending *out);
/* Returns the verdict of the case that was running at this ending: CRASH or TIMEOUT. */
enum agpu_verdict agpu_ending_case_verdict(enum agpu_ending ending);

/* The machine restarted unrequested: the running case becomes a CRASH, and a new plan follows. */
void agpu_run_restarted(struct agpu_run *run, uint64_t now_us);

/* Ends the run for this reason. Records that were sent before may still follow. Later calls change nothing. */
void agpu_run_end(struct agpu_run *run, enum agpu_ending ending, const char *text);

/* The machine of an ended run is started again and continues after the case that started last. If that case has not
 * ended, it gets its verdict from the ending, which is then cleared. The run can no longer pass. Returns the case's
 * id, valid as long as the run. Returns NULL, and changes nothing, when the run cannot continue: no case started in
 * this boot, it was the last one, it ran in several rounds, or AGPU_RESTARTS_MAX is reached. */
const char *agpu_run_resume(struct agpu_run *run, uint64_t now_us);

/* The machine finished the cases requested for one boot, and cases are left: it is started again and continues after
 * the case that started last. Returns that case's id as agpu_run_resume() does. */
const char *agpu_run_next_boot(struct agpu_run *run);

/* Sets the final verdict of every case, and of the run. No record may follow. */
void agpu_run_conclude(struct agpu_run *run, uint64_t now_us);

/* Returns the counts of cases that ended; after agpu_run_conclude(), of all cases. */
struct agpu_counts agpu_run_counts(const struct agpu_run *run);

/* Returns the counts for one of several devices. */
struct agpu_counts agpu_device_counts(const struct agpu_run *run, const struct agpu_run_device *device);

/* Returns the verdict of a case from the records so far. */
enum agpu_verdict agpu_case_verdict(const struct agpu_case_result *c);

#endif
