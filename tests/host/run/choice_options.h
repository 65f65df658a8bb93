/* choice_options.h: the options by which a run takes some of the cases, stops early, or knows of failures; each is a line of
 * agpu.cfg too. */
#ifndef AGPU_HOST_RUN_CHOICE_OPTIONS_H
#define AGPU_HOST_RUN_CHOICE_OPTIONS_H

#include <stdio.h>

#include "tests/cases/choice/budget.h"
#include "tests/cases/choice/quarantine.h"
#include "tests/cases/choice/shard.h"
#include "tests/cases/choice/tags.h"

enum agpu_choice_option {
    AGPU_CHOICE_TAG,
    AGPU_CHOICE_SHARD,
    AGPU_CHOICE_UNTIL_FAILURE,
    AGPU_CHOICE_ONE_PER_BOOT,
    AGPU_CHOICE_QUARANTINE,
    AGPU_CHOICE_BUDGET,
    AGPU_CHOICE_STRESS,
    AGPU_CHOICE_PATTERN,
    AGPU_CHOICE_OPTIONS
};

struct agpu_choice_options {
    const char *tag_words;
    const char *shard_words;
    struct agpu_tag_choice tags;
    struct agpu_shard shard;
    bool until_failure;
    bool one_per_boot; /* the machine is started anew for each case */
    struct agpu_quarantine quarantine;
    struct agpu_budgets budgets;
    unsigned stress_s;  /* 0: not given */
    unsigned pattern_s; /* the same */
};

/* Takes one option with its value. False with a line on stderr. */
bool agpu_choice_option(struct agpu_choice_options *choice, enum agpu_choice_option option,
                        const char *value);

/* The lines of agpu.cfg. repeat: rounds are asked for elsewhere; seconds: how long the run may take. */
void agpu_choice_write(const struct agpu_choice_options *choice, bool repeat, uint64_t seconds, FILE *out);

/* For --help. */
void agpu_choice_help(FILE *out);

#endif
