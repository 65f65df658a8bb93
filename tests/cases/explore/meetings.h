/* meetings.h: counts how often sessions made two things meet that the specification has a rule for. */
#ifndef AGPU_CASES_EXPLORE_MEETINGS_H
#define AGPU_CASES_EXPLORE_MEETINGS_H

#include "tests/cases/explore/beside.h"

/* Counts the meetings of a step before it is carried out. */
void agpu_meetings_count(struct agpu_explore *explore, const struct agpu_gen_step *step);
/* Counts the meetings of a packet before the reference executes it. ctx: the struct agpu_explore. */
void agpu_meetings_packet(void *ctx, const uint32_t *packet);
/* Sends the counts that are not 0 as metrics of the case. */
void agpu_meetings_report(const struct agpu_explore *explore);

#endif
