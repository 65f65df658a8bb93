/* verdict.h: the statuses a case or a run can end with, worst last, and their names on the wire. */
#ifndef AGPU_HOST_WIRE_VERDICT_H
#define AGPU_HOST_WIRE_VERDICT_H

#include <stdbool.h>

/* In order of badness, the same as on the image (tests/cases/harness/status.h): the worst of several wins. */
enum agpu_verdict {
    AGPU_VERDICT_PASS, /* the device did what the case expects */
    AGPU_VERDICT_SKIP, /* not tried; the reason names what is missing. A run: passed, but too much was not tried */
    AGPU_VERDICT_INTERRUPTED, /* a person ended the run before it was known; the host's own, no record says it */
    AGPU_VERDICT_ERROR,       /* the test system is wrong: setup failed, or records were lost */
    AGPU_VERDICT_FAIL,        /* the device is wrong */
    AGPU_VERDICT_TIMEOUT,     /* no progress for a stated time */
    AGPU_VERDICT_CRASH,       /* machine, firmware, image or device model died under the case */
    AGPU_VERDICT_COUNT
};

/* "PASS" ...; never NULL. */
const char *agpu_verdict_name(enum agpu_verdict verdict);

/* The verdict called name (upper case, as records carry it); false if no record carries such a one. */
bool agpu_verdict_parse(const char *name, enum agpu_verdict *out);

static inline enum agpu_verdict agpu_verdict_worst(enum agpu_verdict a, enum agpu_verdict b)
{
    return a > b ? a : b;
}

#endif
