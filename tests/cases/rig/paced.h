/* paced.h: submissions whose fences wait for vblank edges, and when those came (ring.md 7, commands.md 11). */
#ifndef AGPU_CASES_RIG_PACED_H
#define AGPU_CASES_RIG_PACED_H

#include "tests/cases/rig/submit.h"

#define AGPU_PACED_MOST 60u /* submissions in a list */

/* What one submission has in its stream. */
enum agpu_paced_stream {
    AGPU_PACED_EMPTY, /* an empty submission */
    AGPU_PACED_PRESENT,
    AGPU_PACED_PRESENT_EX,
    AGPU_PACED_TWO,         /* the second present without VSYNC */
    AGPU_PACED_TWO_OTHER,   /* the first */
    AGPU_PACED_AFTER_ERROR, /* behind a packet that is an error */
    AGPU_PACED_AFTER_SHORT, /* behind a packet shorter than its structure */
    AGPU_PACED_SHORT_EX,    /* a PRESENT_EX that is an error for its size, and has its flags */
    AGPU_PACED_BEHIND_BARE, /* behind a present too short to have flags, which ends the search for others */
    AGPU_PACED_LONGER,      /* with bytes behind its structure */
    AGPU_PACED_LATE,        /* behind many other packets */
    AGPU_PACED_NO_PRESENT,  /* packets, and no present */
};

/* One submission, and the edge after its doorbell at which its fence completes; 0: at once. */
struct agpu_paced {
    enum agpu_paced_stream stream;
    uint32_t flags; /* of the present */
    uint32_t edge;
    uint32_t desc_flags; /* AEROGPU_SUBMIT_FLAG_* */
    uint32_t scanout_id;
    bool no_fence; /* signals nothing: its number is left out, and done with the next one */
};

#define AGPU_PACED(stream, flags, edge)                                                                      \
    {                                                                                                        \
        stream, flags, edge, 0, 0, false                                                                     \
    }

/* Puts it behind the last one in the ring, without a doorbell. */
bool agpu_paced_post(struct agpu_test *test, const struct agpu_paced *paced);

/* Lets the device take the entries, for which their fences need not complete. */
void agpu_paced_taken(struct agpu_test *test);

/* Follows the fences, first of them first, of a list that was submitted at edge seq. Earlier than its edge is wrong; on_time notes
 * those that came within half a period of it. */
bool agpu_paced_follow(struct agpu_test *test, const struct agpu_paced *list, uint64_t count, uint64_t first,
                       uint64_t seq, bool *on_time);

/* Submits the list with one doorbell just behind an edge, as it is where scanout was just enabled or a list has just ended, and
 * finds each fence completing at its own. */
bool agpu_paced_run(struct agpu_test *test, const struct agpu_paced *list, uint32_t count);
#define AGPU_PACED_RUN(test, list) agpu_paced_run((test), (list), sizeof(list) / sizeof(list)[0])

#endif
