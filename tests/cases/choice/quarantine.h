/* quarantine.h: known failures: cases that are expected to fail, for a stated reason, until a stated day. The runner
 * runs and reports them, but their failure does not worsen the verdict. A quarantined case that passes is reported as
 * well. After its day an entry has no effect. Freestanding: the image and the host tool apply the same rules. */
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
    char glob[AGPU_QUARANTINE_GLOB_MAX + 1]; /* matches case ids (filter.h) */
    char reason[AGPU_QUARANTINE_REASON_MAX + 1];
    uint32_t until; /* 20261231: the last day on which the entry is valid */
};

struct agpu_quarantine {
    struct agpu_quarantine_entry entries[AGPU_QUARANTINE_MAX];
    unsigned count;
    uint32_t today; /* 0: date unknown; then no entry expires */
};

/* Parses "GLOB YYYY-MM-DD REASON" and appends it. Returns false and adds nothing if the text is invalid or the list is
 * full. */
bool agpu_quarantine_add(struct agpu_quarantine *list, const char *text, size_t size);

enum agpu_quarantine_verdict {
    AGPU_QUARANTINE_NOTHING, /* no entry matches, or the case was skipped */
    AGPU_QUARANTINE_KNOWN,   /* the case failed, as an entry predicts */
    AGPU_QUARANTINE_PASSED,  /* the case passed, although an entry predicts a failure */
    AGPU_QUARANTINE_EXPIRED, /* the case failed, and the matching entry has expired */
};

/* Applies the list to the result of a case. entry receives the matching entry, or NULL. list may be NULL. */
enum agpu_quarantine_verdict agpu_quarantine_judge(const struct agpu_quarantine *list, const char *id,
                                                   bool failed, bool passed,
                                                   const struct agpu_quarantine_entry **entry);

/* Returns "known", "passed" or "expired"; "" for AGPU_QUARANTINE_NOTHING. */
const char *agpu_quarantine_word(enum agpu_quarantine_verdict verdict);

#endif
