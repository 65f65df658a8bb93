/* meet.h: prepares two devices: probes each, makes our model imitate the other's board, and determines what both
 * have in common, for which the work is generated. */
#ifndef AGPU_HOST_COMPARE_MEET_H
#define AGPU_HOST_COMPARE_MEET_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/agree.h"
#include "tests/host/compare/difference.h"

struct agpu_cmp_meeting {
    const char *specs[2]; /* as given; they must stay valid */
    unsigned hang_s;
    bool draws;
    bool as_given;                       /* do not make our model imitate the other */
    uint64_t insisted, let_go;           /* choices that are always compared, and those that never are */
    bool model;                          /* all other choices are compared */
    struct agpu_cmp_probe probes[2];     /* probes of the devices that are compared */
    char adapted[2][256];                /* the spec that replaces the given one; "": none */
    struct agpu_cmp_agreement chosen;    /* differing choices of the two given devices */
    struct agpu_cmp_agreement agreement; /* differing choices of the two compared devices */
    struct agpu_gen_common common;       /* common to those */
};

/* Fills in the meeting and the pair, whose sides the caller closes in any case. Returns false with the device that
 * cannot be created, and the reason, in text. */
bool agpu_cmp_meet(struct agpu_cmp_meeting *meeting, struct agpu_cmp_pair *pair, char text[AGPU_CMP_TEXT]);

/* Returns the spec that is compared. */
const char *agpu_cmp_meeting_spec(const struct agpu_cmp_meeting *meeting, int side);

#endif
