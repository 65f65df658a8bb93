/* plan_record.h: one device's plan record, and whether a later one contradicts it. */
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
    bool together; /* of all functions at once, which have no one ABI */
    bool nothing;  /* no function was usable, which is an ERROR of its own */
    uint64_t count;
    char digest[12]; /* of the ids of the cases (tests/cases/choice/digest.h), decimal; "": it has none */
    char abi[40];    /* of the device; "": its description does not say */
    char expect[AGPU_EXPECT_MAX];
    char missing[120]; /* required features that the device lacks, as words of require=; "": none */
    char require[AGPU_CONFIG_REQUIRE_MAX + 1];
    char allow_skips[AGPU_CONFIG_FILTER_MAX + 1];
    char contradiction[300];   /* the first thing in which a later record differs; "": none */
    enum agpu_verdict earlier; /* of the device by the plans of earlier boots */
};

/* Takes a plan record in place of the one before. All of a run must say the same; attended: a person may have other cases run. */
void agpu_plan_take(struct agpu_run_plan *plan, const struct agpu_parsed_record *record, bool attended);

#endif
