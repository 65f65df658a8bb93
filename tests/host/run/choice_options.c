/* choice_options.c: reads the options of choice_options.h and writes them into agpu.cfg. */
#include "tests/host/run/choice_options.h"
#include "tests/host/list/quarantine_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Time by which rounds "until one fails" end before the run's time limit, so that the run does not become a timeout. */
#define END_BEFORE_S 60u
#define STRESS_MAX_S 3600u

static bool refuse(const char *option, const char *value, const char *expected)
{
    fprintf(stderr, "agpu run: %s \"%s\": %s\n", option, value, expected);
    return false;
}

bool agpu_choice_option(struct agpu_choice_options *choice, enum agpu_choice_option option, const char *value)
{
    char why[AGPU_BUDGET_WHY_MAX];
    char *end;

    switch (option) {
    case AGPU_CHOICE_PATTERN:
        choice->pattern_s = (unsigned)strtoul(value, &end, 10);
        return (end != value && *end == '\0' && choice->pattern_s > 0 && choice->pattern_s <= STRESS_MAX_S) ||
               refuse("--pattern", value, "expected seconds, from 1 to 3600");
    case AGPU_CHOICE_TAG:
        choice->tag_words = value;
        return agpu_tags_read(value, strlen(value), &choice->tags) ||
               refuse("--tag", value, AGPU_TAGS_EXPECTED);
    case AGPU_CHOICE_SHARD:
        choice->shard_words = value;
        return agpu_shard_read(value, strlen(value), &choice->shard) ||
               refuse("--shard", value, AGPU_SHARD_EXPECTED);
    case AGPU_CHOICE_UNTIL_FAILURE:
        choice->until_failure = true;
        return true;
    case AGPU_CHOICE_ONE_PER_BOOT:
        choice->one_per_boot = true;
        return true;
    case AGPU_CHOICE_QUARANTINE:
        return agpu_quarantine_load(value, &choice->quarantine, stderr);
    case AGPU_CHOICE_BUDGET:
        return agpu_budget_add(&choice->budgets, value, strlen(value), why) || refuse("--budget", value, why);
    case AGPU_CHOICE_STRESS:
        choice->stress_s = (unsigned)strtoul(value, &end, 10);
        return (end != value && *end == '\0' && choice->stress_s > 0 && choice->stress_s <= STRESS_MAX_S) ||
               refuse("--stress", value, "expected seconds for each case, from 1 to 3600");
    case AGPU_CHOICE_OPTIONS:
        break;
    }
    return false;
}

void agpu_choice_write(const struct agpu_choice_options *choice, bool repeat, uint64_t seconds, FILE *out)
{
    if (choice->tag_words != NULL) {
        fprintf(out, "tags=%s\n", choice->tag_words);
    }
    if (choice->shard_words != NULL) {
        fprintf(out, "shard=%s\n", choice->shard_words);
    }
    if (choice->one_per_boot) {
        fputs("cases_max=1\n", out);
    }
    if (choice->until_failure) {
        fputs("until_failure=on\n", out);
        if (!repeat && !choice->one_per_boot) {
            fprintf(out, "repeat=%" PRIu64 "s\n",
                    seconds > 2 * END_BEFORE_S ? seconds - END_BEFORE_S : (seconds + 1) / 2);
        }
    }
    if (choice->pattern_s != 0) {
        fprintf(out, "pattern_s=%u\n", choice->pattern_s);
    }
    if (choice->stress_s != 0) {
        fprintf(out, "stress_s=%u\n", choice->stress_s);
    }
    for (unsigned i = 0; i < choice->budgets.count; i++) {
        const struct agpu_budget *budget = &choice->budgets.entries[i];

        fprintf(out, "budget=%s%s%" PRIu64 "\n", budget->name, budget->least ? ">=" : "<=", budget->value);
    }
    for (unsigned i = 0; i < choice->quarantine.count; i++) {
        const struct agpu_quarantine_entry *entry = &choice->quarantine.entries[i];

        fprintf(out, "quarantine=%s %04u-%02u-%02u %s\n", entry->glob, entry->until / 10000,
                entry->until / 100 % 100, entry->until % 100, entry->reason);
    }
}

void agpu_choice_help(FILE *out)
{
    fputs(
        "  --tag WORDS          only cases of these kinds: quick, full, stress, destructive; !KIND excludes\n"
        "  --shard I/N          only the I-th of N parts of them\n"
        "  --until-failure      stop after the first case that fails; without --repeat the cases run again "
        "and\n"
        "                       again until one does, or until shortly before --timeout\n"
        "  --stress S           each case of the tag stress repeats its rounds for S seconds; give more "
        "--timeout\n"
        "                       for it\n"
        "  --pattern S          show a test picture with a moving cursor on scanout 0 for S seconds, for a "
        "person to\n"
        "                       check, instead of running the catalogue\n"
        "  --one-per-boot       restart device and machine for each case\n"
        "  --budget NAME<=VALUE a limit on a figure that a perf.* case measures; the case fails when it is "
        "exceeded.\n"
        "                       For a rate NAME>=VALUE. NAME is the name of a metric, as "
        "register_read_ns_p99; up to\n"
        "                       32 times. Without it no time is checked\n"
        "  --quarantine FILE    known failures: lines of GLOB YYYY-MM-DD REASON. They are reported, but do "
        "not change\n"
        "                       the verdict until the end of their day; one that passes is reported, too\n",
        out);
}
