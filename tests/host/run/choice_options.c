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
    fputs("  --tag WORDS          only cases of these kinds: quick, full, stress, destructive; !KIND leaves "
          "out\n"
          "  --shard I/N          only the I-th of N parts of them\n"
          "  --until-failure      stop behind the first case that fails; without --repeat the cases run "
          "again and\n"
          "                       again until one does, or until shortly before --timeout\n"
          "  --stress S           each case of the tag stress that goes by rounds goes on for S seconds; "
          "give more\n"
          "                       --timeout for it\n"
          "  --pattern S          instead of the catalogue a test picture with a moving cursor on scanout 0, "
          "for S\n"
          "                       seconds, for a person to judge\n"
          "  --one-per-boot       start device and machine anew for each case\n"
          "  --budget NAME<=VALUE a limit on what a case of perf.* measures, which makes the case fail where "
          "it "
          "is\n"
          "                       exceeded; of a rate NAME>=VALUE. NAME is that of a metric, as\n"
          "                       register_read_ns_p99; may be given up to 32 times. Without one no time is "
          "judged\n"
          "  --quarantine FILE    failures that are known: lines of GLOB YYYY-MM-DD REASON. They are "
          "reported and make\n"
          "                       the verdict no worse until behind their day; one that passes is reported "
          "too\n",
          out);
}
