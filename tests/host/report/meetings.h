/* meetings.h: how often the cases explore.* made two things meet (tests/cases/choice/meetings.def). */
#ifndef AGPU_HOST_REPORT_MEETINGS_H
#define AGPU_HOST_REPORT_MEETINGS_H

#include "tests/host/wire/run_model.h"

struct agpu_report_meeting {
    const char *name, *section;
    double times;
};

/* Number of meetings; 0 when the run has none of these cases. */
size_t agpu_report_meetings(const struct agpu_run *run);
struct agpu_report_meeting agpu_report_meeting_at(const struct agpu_run *run, size_t meeting);

#endif
