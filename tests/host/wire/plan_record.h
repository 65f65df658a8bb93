/* plan_record.h: one device's plan record, and a check for contradictions between plan records. */
#ifndef AGPU_HOST_WIRE_PLAN_RECORD_H
#define AGPU_HOST_WIRE_PLAN_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "efi/protocol/cfg_limits.h"
#include "tests/cases/choice/expect.h"
#include "tests/host/wire/record.h"
#include "tests/host/wire/verdict.h"

struct agpu_run_plan {
    bool seen;     /* in the current boot */
    bool ever;     /* in any boot */
    bool together; /* covers all functions at once, so it has no single ABI */
    bool nothing;  /* no function was usable, which is an ERROR of its own */
    uint64_t count;
    char digest[12]; /* digest of the ids of the cases (tests/cases/choice/digest.h), decimal; "": none */
    char abi[40];    /* ABI of the device; "": its description has none */
    char expect[AGPU_EXPECT_MAX];
    char missing[120]; /* required features that the device lacks, as words of require=; "": none */
    char require[AGPU_CONFIG_REQUIRE_MAX + 1];
    char allow_skips[AGPU_CONFIG_FILTER_MAX + 1];
    char contradiction[300];   /* the first difference in a later plan record; "": none */
    enum agpu_verdict earlier; /* verdict on the device by the plans of earlier boots */
};

/* Replaces the previous plan record. All plan records of a run must agree; attended: a person may select other cases
 * between them. */
void agpu_plan_take(struct agpu_run_plan *plan, const struct agpu_parsed_record *record, bool attended);

#endif
