/* replay.h: loads a past run from its results.jsonl and, for facts that no record contains, its summary.json. */
#ifndef AGPU_HOST_REPORT_REPLAY_H
#define AGPU_HOST_REPORT_REPLAY_H

#include "tests/host/report/report.h"

struct agpu_replay {
    struct agpu_run run;
    struct agpu_source_stats stats;
    struct agpu_gaps gaps;
    struct agpu_report report;
    struct agpu_artifact_list artifacts; /* storage for report.artifacts */
    char folder[4200];
    char *again;
    char **words; /* NULL at the end; NULL: unknown */
    char *directory;
    char *qemu;
};

/* Reads path (a results.jsonl, its folder, or a folder whose `latest` leads to one) and summary.json beside it if
 * present (start, times, environment, why the run ended), and concludes the run. Returns false with a line on
 * stderr; free in both cases. */
bool agpu_replay_load(struct agpu_replay *replay, const char *path);
void agpu_replay_free(struct agpu_replay *replay);

#endif
