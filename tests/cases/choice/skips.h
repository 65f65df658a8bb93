/* skips.h: which skips a run may have and still be a PASS, and the count of all by reason.
 *
 * A case that was not tried says nothing about the device. A skip is acceptable when what is missing is not
 * the device's to have, or when whoever ran the catalogue said that it is not required; AGPU_SKIPS_ALLOWED
 * has all of these. Any other skip makes the run "passed, but n cases could not be tried", which is no
 * success. allow_skips= (agpu.cfg, --allow-skips) adds to them: globs over the reasons with commas between, a
 * number of skips, or both. */
#ifndef AGPU_CASES_CHOICE_SKIPS_H
#define AGPU_CASES_CHOICE_SKIPS_H

#include <stdbool.h>
#include <stddef.h>

#include "pci/machine/text.h"

/* Globs over reasons.
 *   model choice   the specification leaves it to the device, and the device is not known to be our model
 *   a machine that the machine under test cannot show or do it: its INTx line cannot be seen, BAR1 cannot be
 *                  mapped, it makes no unaligned access
 *   not required   require= says that this device need not have it
 *   ABI 1.n        the device says that it is of an earlier minor (commands.md 13)
 *   BAR1           a board may have none, or little of it (device.md 1)
 *   a function may what PCI offers and this ABI does not ask for (device.md 1.1, 2.2) */
#define AGPU_SKIPS_ALLOWED                                                                                   \
    "*(model choice)", "a machine that *", "*(not required)", "a VRAM aperture (BAR1)*", "*(ABI 1.?)",       \
        "a function may have *"

#define AGPU_SKIP_REASONS_MAX 12

struct agpu_skip_tally {
    struct {
        char text[128];
        unsigned count;
        bool allowed;
    } reasons[AGPU_SKIP_REASONS_MAX]; /* in the order of the first; a reason too many counts with the last */
    unsigned reason_count;
    unsigned untried; /* skips that are not acceptable */
};

/* Is a skip for this reason acceptable? allow is the user's addition, NULL or "" for none. */
bool agpu_skip_allowed(const char *allow, const char *reason);

/* How many further skips allow accepts: the sum of its numbers. */
unsigned agpu_skip_quota(const char *allow);

void agpu_skip_count(struct agpu_skip_tally *tally, const char *reason, bool allowed);

/* "562 cases could not be tried: 560 because ...; 2 because ...": those that are not acceptable. */
void agpu_skip_describe(const struct agpu_skip_tally *tally, struct agpu_text *text);

#endif
