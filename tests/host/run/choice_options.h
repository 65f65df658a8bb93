/* choice_options.h: the options that select cases, stop a run early, or list known failures; each is also a key of
 * agpu.cfg. */
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
    bool one_per_boot; /* the machine is restarted for each case */
    struct agpu_quarantine quarantine;
    struct agpu_budgets budgets;
    unsigned stress_s;  /* 0: not given */
    unsigned pattern_s; /* 0: not given */
};

/* Takes one option with its value. Returns false with a line on stderr. */
bool agpu_choice_option(struct agpu_choice_options *choice, enum agpu_choice_option option,
                        const char *value);

/* Writes the lines of agpu.cfg. repeat: other options request rounds; seconds: time limit of the run. */
void agpu_choice_write(const struct agpu_choice_options *choice, bool repeat, uint64_t seconds, FILE *out);

/* Writes the options for --help. */
void agpu_choice_help(FILE *out);

#endif
