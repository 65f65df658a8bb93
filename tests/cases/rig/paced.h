/* paced.h: submissions whose fences wait for vblank edges, with checks of when these fences complete (ring.md 7,
 * commands.md 11). */
#ifndef AGPU_CASES_RIG_PACED_H
#define AGPU_CASES_RIG_PACED_H

#include "tests/cases/rig/submit.h"

#define AGPU_PACED_MOST 60u /* maximum submissions in a list */

/* The contents of a submission's stream. */
enum agpu_paced_stream {
    AGPU_PACED_EMPTY, /* an empty submission */
    AGPU_PACED_PRESENT,
    AGPU_PACED_PRESENT_EX,
    AGPU_PACED_TWO,         /* two presents, the second without VSYNC */
    AGPU_PACED_TWO_OTHER,   /* two presents, the first without VSYNC */
    AGPU_PACED_AFTER_ERROR, /* a present after a packet that is an error */
    AGPU_PACED_BEFORE_ERROR,
    AGPU_PACED_AFTER_SHORT, /* a present after a packet shorter than its structure */
    AGPU_PACED_SHORT_EX,    /* a PRESENT_EX with flags that is an error because of its size */
    AGPU_PACED_BEHIND_BARE, /* after a present too short for flags, which ends the search for others */
    AGPU_PACED_LONGER,      /* a present with bytes after its structure */
    AGPU_PACED_LATE,        /* a present after many other packets */
    AGPU_PACED_NO_PRESENT,  /* packets without a present */
};

/* One submission, and the number of edges after its doorbell at which its fence completes; 0: immediately. */
struct agpu_paced {
    enum agpu_paced_stream stream;
    uint32_t flags; /* of the present */
    uint32_t edge;
    uint32_t desc_flags; /* AEROGPU_SUBMIT_FLAG_* */
    uint32_t scanout_id;
    bool no_fence; /* signals no fence: its number completes with the next one */
};

#define AGPU_PACED(stream, flags, edge)                                                                      \
    {                                                                                                        \
        stream, flags, edge, 0, 0, false                                                                     \
    }

/* Posts the submission as the next entry of the ring, without a doorbell. */
bool agpu_paced_post(struct agpu_test *test, const struct agpu_paced *paced);

/* Waits until the device has consumed the entries, whose fences need not complete. */
void agpu_paced_taken(struct agpu_test *test);

/* Follows the fences (starting with number first) of a list that was submitted at edge seq. A fence before its edge
 * fails the check; on_time receives which fences came within half a period after it. */
bool agpu_paced_follow(struct agpu_test *test, const struct agpu_paced *list, uint64_t count, uint64_t first,
                       uint64_t seq, bool *on_time);

/* Submits the list with one doorbell just after an edge (which is so if scanout was just enabled or a list has just
 * ended), and checks that each fence completes at its own edge. */
bool agpu_paced_run(struct agpu_test *test, const struct agpu_paced *list, uint32_t count);
#define AGPU_PACED_RUN(test, list) agpu_paced_run((test), (list), sizeof(list) / sizeof(list)[0])

#endif
