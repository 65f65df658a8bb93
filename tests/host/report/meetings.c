/* meetings.c: adds up the metrics meeting.* by the rows of the explorer's table. */
#include "tests/host/report/meetings.h"

#include <string.h>

static const struct agpu_report_meeting table[] = {
#define AGPU_MEETING(constant, name, section, fact, event) {name, section, 0},
#include "tests/cases/choice/meetings.def"
#undef AGPU_MEETING
};

static const char prefix[] = "meeting.";

static bool is_meeting(const struct agpu_metric *metric)
{
    return strncmp(metric->name, prefix, sizeof prefix - 1) == 0;
}

size_t agpu_report_meetings(const struct agpu_run *run)
{
    for (size_t i = 0; i < run->metrics.count; i++) {
        if (is_meeting(&run->metrics.items[i])) {
            return sizeof table / sizeof table[0];
        }
    }
    return 0;
}

struct agpu_report_meeting agpu_report_meeting_at(const struct agpu_run *run, size_t meeting)
{
    struct agpu_report_meeting made = table[meeting];

    for (size_t i = 0; i < run->metrics.count; i++) {
        const struct agpu_metric *metric = &run->metrics.items[i];

        if (is_meeting(metric) && strcmp(metric->name + sizeof prefix - 1, made.name) == 0) {
            for (size_t k = 0; k < metric->count; k++) {
                made.times += metric->samples[k];
            }
        }
    }
    return made;
}
