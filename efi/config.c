/* config.c: the readers and the table generated from config.def, the readers of values with their own syntax,
 * and the parser of lines. A reader returns NULL, or what is wrong with the value; it then has changed
 * nothing. */
#include "efi/config.h"
#include "efi/config_readers.h"

#include <string.h>

#include "efi/protocol/control_frame.h"
#include "pci/select.h"
#include "tests/cases/choice/expect.h"
#include "tests/cases/choice/skips.h"
#include "tests/cases/rig/require.h"

#define MINUTES_MAX    1440
#define WATCHDOG_MIN_S 25
#define WATCHDOG_MAX_S 1200
#define REPEAT_MAX     1000000

#define STRING_OF(x) #x
#define STRING(x)    STRING_OF(x)

/* Finds the value in a list of words separated by blanks. Returns its index from 0, or sets *wrong to the
 * words expected. */
static unsigned find_word(struct agpu_span value, const char *words, const char **wrong)
{
    static char expected[80];
    struct agpu_span rest = {words, strlen(words)}, word;
    struct agpu_text text;
    bool more = true;

    agpu_text_begin(&text, expected, sizeof expected);
    for (unsigned place = 0; more; place++) {
        more = agpu_span_cut(&rest, ' ', &word);
        word = more ? word : rest;
        if (value.size == word.size && memcmp(value.at, word.at, word.size) == 0) {
            *wrong = NULL;
            return place;
        }
        agpu_text_string(&text, place == 0 ? "expected " : more ? ", " : " or ");
        for (size_t i = 0; i < word.size; i++) {
            agpu_text_char(&text, word.at[i]);
        }
    }
    *wrong = expected;
    return 0;
}

static void copy_text(char *out, struct agpu_span value)
{
    memcpy(out, value.at, value.size);
    out[value.size] = '\0';
}

#define NUMBER(key, usual, most, unit, help)                                                                 \
    static const char *agpu_config_read_##key(struct agpu_config *config, struct agpu_span value)            \
    {                                                                                                        \
        return agpu_read_decimal(value, most, &config->key) ? NULL : "expected 0.." #most " " unit;          \
    }
#define WORD(key, usual, type, words, help)                                                                  \
    static const char *agpu_config_read_##key(struct agpu_config *config, struct agpu_span value)            \
    {                                                                                                        \
        const char *wrong;                                                                                   \
        const unsigned place = find_word(value, words, &wrong);                                              \
                                                                                                             \
        config->key = wrong == NULL ? (type)place : config->key;                                             \
        return wrong;                                                                                        \
    }
#define TEXT(key, usual, most, condition, expected, help)                                                    \
    static const char *agpu_config_read_##key(struct agpu_config *config, struct agpu_span value)            \
    {                                                                                                        \
        if (value.size > (most) || !(condition)) {                                                           \
            return value.size > (most) ? #key " is longer than " STRING(most) " bytes" : expected;           \
        }                                                                                                    \
        copy_text(config->key, value);                                                                       \
        return NULL;                                                                                         \
    }
#include "efi/config.def"

const char *agpu_config_read_tags(struct agpu_config *config, struct agpu_span value)
{
    return agpu_tags_read(value.at, value.size, &config->tags) ? NULL : AGPU_TAGS_EXPECTED;
}

const char *agpu_config_read_shard(struct agpu_config *config, struct agpu_span value)
{
    return agpu_shard_read(value.at, value.size, &config->shard) ? NULL : AGPU_SHARD_EXPECTED;
}

/* Each line adds one entry. */
const char *agpu_config_read_quarantine(struct agpu_config *config, struct agpu_span value)
{
    if (config->quarantine.count == AGPU_QUARANTINE_MAX) {
        return "quarantine has 64 entries already";
    }
    return agpu_quarantine_add(&config->quarantine, value.at, value.size) ? NULL : AGPU_QUARANTINE_EXPECTED;
}

/* Each line adds one budget. */
const char *agpu_config_read_budget(struct agpu_config *config, struct agpu_span value)
{
    static char why[AGPU_BUDGET_WHY_MAX];

    return agpu_budget_add(&config->budgets, value.at, value.size, why) ? NULL : why;
}

const char *agpu_config_read_log_level(struct agpu_config *config, struct agpu_span value)
{
    static const enum agpu_log_level levels[] = {AGPU_LOG_ERROR, AGPU_LOG_WARNING, AGPU_LOG_INFO,
                                                 AGPU_LOG_DEBUG};
    const char *wrong;
    const unsigned place = find_word(value, "error warning info debug", &wrong);

    config->log_level = wrong == NULL ? levels[place] : config->log_level;
    return wrong;
}

const char *agpu_config_read_trace(struct agpu_config *config, struct agpu_span value)
{
    return agpu_trace_parse(&config->trace, value.at, value.size) ? NULL : AGPU_TRACE_EXPECTED;
}

/* Reads a path on the boot volume, in printable ASCII. */
static const char *read_path(char path[AGPU_CONFIG_PATH_MAX + 1], struct agpu_span value)
{
    const bool none = agpu_span_is(value, "off");

    if (value.size == 0 || value.size > AGPU_CONFIG_PATH_MAX) {
        return "expected off, or a path of at most 100 characters";
    }
    for (size_t i = 0; i < value.size; i++) {
        if (value.at[i] < ' ' || value.at[i] > '~') {
            return "expected off, or a path of plain characters";
        }
    }
    memcpy(path, value.at, value.size);
    path[none ? 0 : value.size] = 0;
    return NULL;
}

const char *agpu_config_read_trace_file(struct agpu_config *config, struct agpu_span value)
{
    return read_path(config->trace_file, value);
}

const char *agpu_config_read_replay(struct agpu_config *config, struct agpu_span value)
{
    return read_path(config->replay, value);
}

/* off, on or wait; after commas a port, or serial, or both. */
const char *agpu_config_read_control(struct agpu_config *config, struct agpu_span value)
{
    static const char expected[] = "expected off, on or wait, optionally followed by a port from 1 to 65535 "
                                   "and serial, each after a comma";
    struct agpu_span word;
    uint32_t port = AGPU_CTL_PORT;
    bool serial = false, more = agpu_span_cut(&value, ',', &word);
    const char *wrong;
    const unsigned chosen = find_word(more ? word : value, "off on wait", &wrong);

    if (wrong != NULL) {
        return expected;
    }
    while (more) {
        more = agpu_span_cut(&value, ',', &word);
        word = more ? word : value;
        if (agpu_span_is(word, "serial")) {
            serial = true;
        } else if (!agpu_read_decimal(word, 65535, &port) || port == 0) {
            return expected;
        }
    }
    config->control = (enum agpu_control_use)chosen;
    config->control_port = (uint16_t)port;
    config->control_serial = serial;
    return NULL;
}

const char *agpu_config_read_minutes(struct agpu_config *config, struct agpu_span value)
{
    uint32_t minutes;

    if (!agpu_read_decimal(value, MINUTES_MAX, &minutes)) {
        return "expected 0..1440 minutes";
    }
    config->repeat = minutes * 60;
    config->repeat_seconds = minutes != 0;
    return NULL;
}

/* Up to 20 s may pass between two signs of life of a case (guard.h). */
const char *agpu_config_read_watchdog_s(struct agpu_config *config, struct agpu_span value)
{
    uint32_t seconds;

    if (!agpu_read_decimal(value, WATCHDOG_MAX_S, &seconds) || (seconds != 0 && seconds < WATCHDOG_MIN_S)) {
        return "expected 0 or 25..1200 seconds";
    }
    config->watchdog_s = seconds;
    return NULL;
}

/* "5" rounds or "600s". */
const char *agpu_config_read_repeat(struct agpu_config *config, struct agpu_span value)
{
    bool seconds = value.size && value.at[value.size - 1] == 's';
    uint32_t number;

    value.size -= seconds;
    if (!agpu_read_decimal(value, REPEAT_MAX, &number)) {
        return "expected 0..1000000 rounds, or seconds with an s after them";
    }
    config->repeat = number;
    config->repeat_seconds = seconds;
    return NULL;
}

/* Sets the expectations, the functions to drive, or both; a part that is absent keeps its value. */
const char *agpu_config_read_device(struct agpu_config *config, struct agpu_span value)
{
    static const char expected[] = "expected any or model (the expectations), " AGPU_SELECT_EXPECTED
                                   " (which functions), or several of these, separated by commas";
    char picked[AGPU_CONFIG_DEVICE_MAX + 2];
    struct agpu_selector selector;
    struct agpu_span word;
    size_t used = 0;
    bool model = config->model;

    for (bool more = true; more;) {
        more = agpu_span_cut(&value, ',', &word);
        word = agpu_span_trim(more ? word : value);
        const char *wrong;
        const unsigned place = find_word(word, "any model", &wrong);
        if (wrong == NULL) {
            model = place == 1;
            continue;
        }
        if (!agpu_selector_read(word.at, word.size, &selector) ||
            used + word.size + 1 > AGPU_CONFIG_DEVICE_MAX) {
            return expected;
        }
        memcpy(picked + used, word.at, word.size);
        used += word.size;
        picked[used++] = ',';
    }
    config->model = model;
    if (used != 0) {
        picked[used - 1] = '\0';
        memcpy(config->device, picked, used);
    }
    return NULL;
}

static const struct {
    const char *key;
    const char *usual; /* the default; "": all zero */
    const char *(*read)(struct agpu_config *config, struct agpu_span value);
} keys[] = {
#define ROW(key, usual, ...) {#key, usual, agpu_config_read_##key},
#define NUMBER(...)          ROW(__VA_ARGS__)
#define WORD(...)            ROW(__VA_ARGS__)
#define TEXT(...)            ROW(__VA_ARGS__)
#define READ(...)            ROW(__VA_ARGS__)
#include "efi/config.def"
};

#define KEYS (sizeof keys / sizeof keys[0])

/* Settings of the driver stack are numbered after the keys. */
_Static_assert(KEYS + AGPU_SETTING_COUNT <= AGPU_CONFIG_KEYS_MAX, "AGPU_CONFIG_KEYS_MAX is too small");

void agpu_config_source(struct agpu_config *config, const char *name)
{
    config->sources[config->source_count++] = name;
}

const char *agpu_config_key(unsigned number)
{
    return number < KEYS                        ? keys[number].key
           : number < KEYS + AGPU_SETTING_COUNT ? agpu_setting_key((enum agpu_setting)(number - KEYS))
                                                : NULL;
}

void agpu_config_describe_sources(const struct agpu_config *config, struct agpu_text *text)
{
    bool any = false;

    for (unsigned source = 1; source <= config->source_count; source++) {
        bool first = true;

        for (unsigned key = 0; key < KEYS + AGPU_SETTING_COUNT; key++) {
            if (config->source_of[key] == source) {
                agpu_format(text, "%s%s", !first ? "," : any ? "; " : "", agpu_config_key(key));
                first = false;
                any = true;
            }
        }
        if (!first) {
            agpu_format(text, ": %s", config->sources[source - 1]);
        }
    }
    if (!any) {
        agpu_text_string(text, "defaults");
    }
}

/* True when an earlier source has set the key; it wins. */
static bool is_set(const struct agpu_config *config, size_t key)
{
    return config->source_of[key] != 0 && config->source_of[key] != config->source_count;
}

static const char *note_source(struct agpu_config *config, size_t key, const char *failed)
{
    if (failed == NULL) {
        config->source_of[key] = (uint8_t)config->source_count;
    }
    return failed;
}

static const char *parse_setting(struct agpu_config *config, struct agpu_span key, struct agpu_span value)
{
    struct agpu_settings one = {.stated = 0};
    const char *failed = agpu_setting_read(&one, key.at, key.size, value.at, value.size);

    for (unsigned i = 0; failed == NULL && i < AGPU_SETTING_COUNT; i++) {
        if (agpu_setting_is_stated(&one, (enum agpu_setting)i) && !is_set(config, KEYS + i)) {
            config->settings.stated |= one.stated;
            config->settings.value[i] = one.value[i];
            note_source(config, KEYS + i, NULL);
        }
    }
    return failed;
}

static const char *parse_line(struct agpu_config *config, struct agpu_span line)
{
    struct agpu_span key;

    if (!agpu_span_cut(&line, '=', &key)) {
        return "expected key=value";
    }
    key = agpu_span_trim(key);
    for (size_t i = 0; i < KEYS; i++) {
        if (agpu_span_is(key, keys[i].key)) {
            return is_set(config, i) ? NULL
                                     : note_source(config, i, keys[i].read(config, agpu_span_trim(line)));
        }
    }
    return parse_setting(config, key, agpu_span_trim(line));
}

void agpu_config_defaults(struct agpu_config *config)
{
    *config = (struct agpu_config){0};
    for (size_t i = 0; i < KEYS; i++) {
        if (keys[i].usual[0] != '\0') {
            keys[i].read(config, (struct agpu_span){keys[i].usual, strlen(keys[i].usual)});
        }
    }
}

void agpu_config_parse(struct agpu_config *config, const char *text, size_t size,
                       void (*report)(void *ctx, const struct agpu_config_problem *problem), void *ctx)
{
    struct agpu_span rest = {text, size}, line;

    if (size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) { /* byte order mark: editors on Windows write one */
        rest = (struct agpu_span){text + 3, size - 3};
    }
    for (unsigned number = 1; rest.size; number++) {
        if (!agpu_span_cut(&rest, '\n', &line)) {
            line = rest;
            rest.size = 0;
        }
        line = agpu_span_trim(line);
        if (!line.size || line.at[0] == '#') {
            continue;
        }
        struct agpu_config_problem problem = {number, line, parse_line(config, line)};
        if (problem.reason == NULL) {
            continue;
        }
        if (problem.text.size >= 3 && !memcmp(problem.text.at, "key", 3)) {
            problem.text.size = 3; /* a mistyped key is still nearly the secret: hide it */
        }
        if (problem.text.size > AGPU_CONFIG_LINE_SHOWN) {
            problem.text.size = AGPU_CONFIG_LINE_SHOWN;
        }
        report(ctx, &problem);
    }
}
