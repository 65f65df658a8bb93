/* quarantine.h: known failures: cases that are expected to fail for a stated reason until a stated day. They are run and
 * reported, and do not make the verdict worse; one that passes is reported too, and behind its day an entry counts for
 * nothing. Freestanding: the image and the host tool judge by the same. */
#ifndef AGPU_CASES_CHOICE_QUARANTINE_H
#define AGPU_CASES_CHOICE_QUARANTINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_QUARANTINE_MAX        64u
#define AGPU_QUARANTINE_GLOB_MAX   100u
#define AGPU_QUARANTINE_REASON_MAX 140u
#define AGPU_QUARANTINE_EXPECTED                                                                             \
    "expected GLOB YYYY-MM-DD REASON: which cases (at most 100 characters), the last day of the entry, and " \
    "why (at most 140)"

struct agpu_quarantine_entry {
    char glob[AGPU_QUARANTINE_GLOB_MAX + 1]; /* of ids (filter.h) */
    char reason[AGPU_QUARANTINE_REASON_MAX + 1];
    uint32_t until; /* 20261231; the entry holds on that day */
};

struct agpu_quarantine {
    struct agpu_quarantine_entry entries[AGPU_QUARANTINE_MAX];
    unsigned count;
    uint32_t today; /* 0: nobody knows; then no entry has expired */
};

/* Reads "GLOB YYYY-MM-DD REASON" as a further entry. False, and nothing is added, when it is none or there is no room. */
bool agpu_quarantine_add(struct agpu_quarantine *list, const char *text, size_t size);

enum agpu_quarantine_verdict {
    AGPU_QUARANTINE_NOTHING, /* no entry speaks of it, or the case was skipped */
    AGPU_QUARANTINE_KNOWN,   /* failed, as an entry says */
    AGPU_QUARANTINE_PASSED,  /* did not, though an entry says so */
    AGPU_QUARANTINE_EXPIRED, /* failed, and the entry that speaks of it is out of date */
};

/* What the list says of a case that ended. entry gets the one that speaks of it, or NULL. list may be NULL. */
enum agpu_quarantine_verdict agpu_quarantine_judge(const struct agpu_quarantine *list, const char *id,
                                                   bool failed, bool passed,
                                                   const struct agpu_quarantine_entry **entry);

/* "known", "passed", "expired"; "" for nothing. */
const char *agpu_quarantine_word(enum agpu_quarantine_verdict verdict);

#endif
