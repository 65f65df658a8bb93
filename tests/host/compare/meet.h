/* meet.h: two devices meet: each is looked at by itself, our model becomes a board like the other, and what both have is what the
 * work is made for. */
#ifndef AGPU_HOST_COMPARE_MEET_H
#define AGPU_HOST_COMPARE_MEET_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/compare/agree.h"
#include "tests/host/compare/difference.h"

struct agpu_cmp_meeting {
    const char *specs[2]; /* as given; they must stay */
    unsigned hang_s;
    bool draws;
    bool as_given;                   /* our model is not made like the other */
    uint64_t insisted, let_go;       /* choices that are compared whatever they are; and those that are not */
    bool model;                      /* all others are */
    struct agpu_cmp_probe probes[2]; /* of the devices that are compared */
    char adapted[2][256]; /* the spec that is used in place of the one that was given; "": that one */
    struct agpu_cmp_agreement chosen;    /* otherwise by the two that were given */
    struct agpu_cmp_agreement agreement; /* and by the two that are compared */
    struct agpu_cmp_common common;       /* what those have */
};

/* Fills the meeting and the pair, whose sides the caller closes in any case. False with the device that cannot be made, and
 * why, in text. */
bool agpu_cmp_meet(struct agpu_cmp_meeting *meeting, struct agpu_cmp_pair *pair, char text[AGPU_CMP_TEXT]);

/* The spec that is compared. */
const char *agpu_cmp_meeting_spec(const struct agpu_cmp_meeting *meeting, int side);

#endif
