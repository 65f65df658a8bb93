/* check.c: runs efi/config.c on the host, and suggests the nearest valid word for a refused one. */
#include "tests/host/cfg/check.h"

#include <stdio.h>
#include <string.h>

#include "efi/config.h"
#include "tests/host/list/nearest.h"

#define REASON_MAX 1400

struct answer {
    const struct agpu_cfg_check *check;
    unsigned problems;
};

static void count_problem(void *ctx, const struct agpu_config_problem *problem)
{
    (void)problem;
    ++*(unsigned *)ctx;
}

static bool is_understood(const char *line)
{
    static struct agpu_config config; /* large */
    unsigned problems = 0;

    agpu_config_defaults(&config);
    agpu_config_parse(&config, line, strlen(line), count_problem, &problems);
    return problems == 0;
}

/* A line with the part of its value that is to be replaced by another word. */
struct cfg_place {
    const char *line;
    size_t length;      /* length of the line */
    size_t from, until; /* range of the part in it */
};

/* Returns true when the line is valid with this word in place, or the word by itself. */
static bool fits_in(void *ctx, const char *word)
{
    const struct cfg_place *place = ctx;
    const int key = (int)strcspn(place->line, "=");
    char line[512];

    snprintf(line, sizeof line, "%.*s%s%.*s", (int)place->from, place->line, word,
             (int)(place->length - place->until), place->line + place->until);
    if (is_understood(line)) {
        return true;
    }
    snprintf(line, sizeof line, "%.*s=%s", key, place->line, word);
    return is_understood(line);
}

/* Finds the nearest valid word for each wrong word of a list that is separated by commas or blanks. */
static void find_nearest_words(const char *line, size_t length, const char *reason,
                               struct agpu_nearest *nearest)
{
    static const char between[] = ", \t!-";
    const size_t start = strcspn(line, "=") + 1;
    char part[128], alone[256];

    for (size_t at = start; at < length;) {
        size_t end = at;

        while (end < length && strchr(between, line[end]) == NULL) {
            end++;
        }
        snprintf(part, sizeof part, "%.*s", (int)(end - at), line + at);
        snprintf(alone, sizeof alone, "%.*s%s", (int)start, line, part);
        if (end > at && end - at < sizeof part && !is_understood(alone)) {
            struct cfg_place place = {line, length, at, end};

            agpu_nearest_add_words(nearest, part, reason, fits_in, &place);
        }
        at = end + 1;
    }
}

static void find_nearest_keys(const char *line, struct agpu_nearest *nearest)
{
    const char *key;
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)strcspn(line, "= \t"), line);
    for (unsigned i = 0; (key = agpu_config_key(i)) != NULL; i++) {
        agpu_nearest_add(nearest, word, key, key);
    }
}

static void report(struct answer *answer, unsigned number, const char *line, size_t length,
                   const char *reason)
{
    char copy[AGPU_CONFIG_LINE_SHOWN + 1];

    snprintf(copy, sizeof copy, "%.*s", (int)length, line);
    answer->problems++;
    answer->check->wrong(answer->check->ctx, number, copy, reason);
}

static void report_problem(void *ctx, const struct agpu_config_problem *problem)
{
    struct agpu_nearest nearest = {0};
    char expected[REASON_MAX], reason[REASON_MAX + 200];

    /* The reader has a single buffer for such texts, and find_nearest_words() calls it again. */
    snprintf(expected, sizeof expected, "%s", problem->reason);
    if (memchr(problem->text.at, '=', problem->text.size) != NULL) {
        find_nearest_words(problem->text.at, problem->text.size, expected, &nearest);
        if (strcmp(expected, agpu_setting_unknown) == 0) {
            find_nearest_keys(problem->text.at, &nearest);
        }
    }
    snprintf(reason, sizeof reason, "%s%s%s", expected, nearest.count != 0 ? "; the nearest: " : "",
             nearest.count != 0 ? nearest.names[0] : "");
    report(ctx, problem->line, problem->text.at, problem->text.size, reason);
}

/* Reports an impossible request of the last line with this key. */
static void report_key(struct answer *answer, const char *key, const char *reason)
{
    const char *text = answer->check->text, *last = key;
    const size_t length = strlen(key);
    size_t size = length;
    unsigned number = 0, found = 0;

    for (const char *line = text; line < text + answer->check->size;) {
        const char *end = memchr(line, '\n', (size_t)(text + answer->check->size - line));
        const char *word = line + strspn(line, " \t");

        number++;
        end = end != NULL ? end : text + answer->check->size;
        if (strncmp(word, key, length) == 0 && word[length + strspn(word + length, " \t")] == '=') {
            found = number;
            last = word;
            size = (size_t)(end - word);
        }
        line = end + 1;
    }
    report(answer, found, last, size, reason);
}

/* A run that replays a capture or shows the test picture does not plan the catalogue. */
static void check_cases(struct answer *answer, const struct agpu_config *config)
{
    const struct agpu_list_choice choice = {
        .filter = config->filter, .tags = config->tags, .shard = config->shard, .abi = answer->check->abi};
    const struct agpu_list_choice behind = {.filter = config->after, .abi = answer->check->abi};
    char reason[REASON_MAX];

    if (config->replay[0] == '\0' && config->pattern_s == 0 &&
        agpu_list_explain(&choice, reason, sizeof reason)) {
        report_key(answer,
                   config->filter[0] != '\0' ? "filter"
                   : config->shard.count > 1 ? "shard"
                                             : "tags",
                   reason);
    }
    if (config->after[0] != '\0' && agpu_list_explain(&behind, reason, sizeof reason)) {
        report_key(answer, "after", reason);
    }
}

unsigned agpu_cfg_check(const struct agpu_cfg_check *check)
{
    static struct agpu_config config; /* large */
    struct answer answer = {.check = check};
    char reason[120];

    if (check->size > AGPU_CONFIG_FILE_MAX - check->spare) {
        snprintf(reason, sizeof reason,
                 "expected at most %zu bytes, which is what the image reads, found %zu: shorten it",
                 AGPU_CONFIG_FILE_MAX - check->spare, check->size);
        report(&answer, 0, "", 0, reason);
        return answer.problems;
    }
    agpu_config_defaults(&config);
    agpu_config_parse(&config, check->text, check->size, report_problem, &answer);
    if (config.control != AGPU_CONTROL_OFF && !config.keyed && !check->keyed) {
        report_key(&answer, "control",
                   "expected key= beside it, 64 hexadecimal digits (openssl rand -hex 32): without a key the "
                   "image answers no client");
    }
    check_cases(&answer, &config);
    return answer.problems;
}
