/* config.c: one reader a key. A reader gives NULL, or what is wrong with the value, having changed
 * nothing. */
#include "efi/config.h"
#include "efi/config_net.h"

#include <string.h>

#include "efi/protocol/control_frame.h"
#include "pci/select.h"
#include "tests/cases/choice/expect.h"
#include "tests/cases/choice/skips.h"
#include "tests/cases/rig/require.h"

#define DHCP_TIMEOUT_DEFAULT_MS 5000
#define DHCP_TIMEOUT_MAX_MS     600000
#define TIMEOUT_MAX_S           86400
#define RESUME_MAX              100
#define WATCHDOG_MIN_S          25
#define WATCHDOG_MAX_S          1200
#define REPEAT_MAX              1000000
#define CASES_MAX               1000000

static const char *read_filter(struct agpu_config *config, struct agpu_span value)
{
    if (value.size > AGPU_CONFIG_FILTER_MAX) {
        return "filter is longer than 1000 bytes";
    }
    memcpy(config->filter, value.at, value.size);
    config->filter[value.size] = 0;
    return NULL;
}

static const char *read_tags(struct agpu_config *config, struct agpu_span value)
{
    return agpu_tags_read(value.at, value.size, &config->tags) ? NULL : AGPU_TAGS_EXPECTED;
}

static const char *read_shard(struct agpu_config *config, struct agpu_span value)
{
    return agpu_shard_read(value.at, value.size, &config->shard) ? NULL : AGPU_SHARD_EXPECTED;
}

static const char *read_cases_max(struct agpu_config *config, struct agpu_span value)
{
    return agpu_read_decimal(value, CASES_MAX, &config->cases_max) ? NULL : "expected 0..1000000 cases";
}

/* One entry a line. */
static const char *read_quarantine(struct agpu_config *config, struct agpu_span value)
{
    if (config->quarantine.count == AGPU_QUARANTINE_MAX) {
        return "quarantine has 64 entries already";
    }
    return agpu_quarantine_add(&config->quarantine, value.at, value.size) ? NULL : AGPU_QUARANTINE_EXPECTED;
}

/* One a line. */
static const char *read_budget(struct agpu_config *config, struct agpu_span value)
{
    static char why[AGPU_BUDGET_WHY_MAX];

    return agpu_budget_add(&config->budgets, value.at, value.size, why) ? NULL : why;
}

static const char *read_after(struct agpu_config *config, struct agpu_span value)
{
    if (value.size > AGPU_CONFIG_AFTER_MAX) {
        return "after is longer than 200 bytes";
    }
    memcpy(config->after, value.at, value.size);
    config->after[value.size] = 0;
    return NULL;
}

static const char *read_require(struct agpu_config *config, struct agpu_span value)
{
    if (value.size > AGPU_CONFIG_REQUIRE_MAX || !agpu_requirement_check(value.at, value.size)) {
        return AGPU_REQUIRE_EXPECTED;
    }
    memcpy(config->require, value.at, value.size);
    config->require[value.size] = 0;
    return NULL;
}

static const char *read_expect(struct agpu_config *config, struct agpu_span value)
{
    if (value.size > AGPU_CONFIG_REQUIRE_MAX || !agpu_expect_check(value.at, value.size)) {
        return AGPU_EXPECT_EXPECTED;
    }
    memcpy(config->expect, value.at, value.size);
    config->expect[value.size] = 0;
    return NULL;
}

static const char *read_allow_skips(struct agpu_config *config, struct agpu_span value)
{
    size_t length;

    if (value.size > AGPU_CONFIG_FILTER_MAX) {
        return "allow_skips is longer than 1000 bytes";
    }
    if (agpu_skips_check(value.at, value.size, &length) != NULL) {
        return agpu_skips_expected;
    }
    memcpy(config->allow_skips, value.at, value.size);
    config->allow_skips[value.size] = 0;
    return NULL;
}

static const char *read_test_hook(struct agpu_config *config, struct agpu_span value)
{
    if (value.size > AGPU_CONFIG_HOOK_MAX) {
        return "test_hook is longer than 400 bytes";
    }
    memcpy(config->test_hook, value.at, value.size);
    config->test_hook[value.size] = 0;
    return NULL;
}

/* A word that stands for a number. */
struct config_choice {
    const char *word;
    int value;
};

static bool choose_value(const struct config_choice *choices, size_t count, struct agpu_span value, int *out)
{
    for (size_t i = 0; i < count; i++) {
        if (agpu_span_is(value, choices[i].word)) {
            *out = choices[i].value;
            return true;
        }
    }
    return false;
}

static const char *read_at_end(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {{"poweroff", AGPU_AT_END_POWEROFF},
                                                 {"reboot", AGPU_AT_END_REBOOT},
                                                 {"shell", AGPU_AT_END_SHELL},
                                                 {"halt", AGPU_AT_END_HALT}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected poweroff, reboot, shell or halt";
    }
    config->at_end = (enum agpu_at_end)chosen;
    return NULL;
}

static const char *read_log_level(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {{"error", AGPU_LOG_ERROR},
                                                 {"warning", AGPU_LOG_WARNING},
                                                 {"info", AGPU_LOG_INFO},
                                                 {"debug", AGPU_LOG_DEBUG}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected error, warning, info or debug";
    }
    config->log_level = (enum agpu_log_level)chosen;
    return NULL;
}

static const char *read_trace(struct agpu_config *config, struct agpu_span value)
{
    return agpu_trace_parse(&config->trace, value.at, value.size) ? NULL : AGPU_TRACE_EXPECTED;
}

/* A path of the boot volume in plain characters. */
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

static const char *read_trace_file(struct agpu_config *config, struct agpu_span value)
{
    return read_path(config->trace_file, value);
}

static const char *read_replay(struct agpu_config *config, struct agpu_span value)
{
    return read_path(config->replay, value);
}

static const char *read_replay_until(struct agpu_config *config, struct agpu_span value)
{
    if (!agpu_read_decimal(value, UINT32_MAX, &config->replay_until)) {
        return "expected the number of a submission, or 0 for all";
    }
    return NULL;
}

static const char *read_serial(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {
        {"auto", AGPU_SERIAL_AUTO}, {"spare", AGPU_SERIAL_SPARE}, {"off", AGPU_SERIAL_OFF}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected auto, spare or off";
    }
    config->serial = (enum agpu_serial_use)chosen;
    return NULL;
}

/* off, on or wait; behind commas a port, or serial, or both. */
static const char *read_control(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {
        {"off", AGPU_CONTROL_OFF}, {"on", AGPU_CONTROL_ON}, {"wait", AGPU_CONTROL_WAIT}};
    static const char expected[] =
        "expected off, on or wait, and perhaps, each behind a comma, a port from 1 to "
        "65535 and serial";
    struct agpu_span word;
    uint32_t port = AGPU_CTL_PORT;
    bool serial = false, more = agpu_span_cut(&value, ',', &word);
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], more ? word : value, &chosen)) {
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

static const char *read_dhcp_timeout(struct agpu_config *config, struct agpu_span value)
{
    if (!agpu_read_decimal(value, DHCP_TIMEOUT_MAX_MS, &config->dhcp_timeout_ms)) {
        return "expected 0..600000 milliseconds";
    }
    return NULL;
}

static const char *read_dhcp_config(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {{"off", false}, {"on", true}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected on or off";
    }
    config->dhcp_config = chosen != 0;
    return NULL;
}

static const char *read_case_timeout(struct agpu_config *config, struct agpu_span value)
{
    if (!agpu_read_decimal(value, TIMEOUT_MAX_S, &config->case_timeout_s)) {
        return "expected 0..86400 seconds";
    }
    return NULL;
}

static const char *read_stress(struct agpu_config *config, struct agpu_span value)
{
    if (!agpu_read_decimal(value, TIMEOUT_MAX_S, &config->stress_s)) {
        return "expected 0..86400 seconds";
    }
    return NULL;
}

static const char *read_pattern(struct agpu_config *config, struct agpu_span value)
{
    if (!agpu_read_decimal(value, TIMEOUT_MAX_S, &config->pattern_s)) {
        return "expected 0..86400 seconds";
    }
    return NULL;
}

/* Soak: rounds for so long. */
static const char *read_minutes(struct agpu_config *config, struct agpu_span value)
{
    uint32_t minutes;

    if (!agpu_read_decimal(value, TIMEOUT_MAX_S / 60, &minutes)) {
        return "expected 0..1440 minutes";
    }
    config->repeat = minutes * 60;
    config->repeat_seconds = minutes != 0;
    return NULL;
}

static const char *read_resume(struct agpu_config *config, struct agpu_span value)
{
    if (!agpu_read_decimal(value, RESUME_MAX, &config->resume)) {
        return "expected 0..100 resets";
    }
    return NULL;
}

/* Between two signs of life of a case pass up to 20 s (guard.h). */
static const char *read_watchdog(struct agpu_config *config, struct agpu_span value)
{
    uint32_t seconds;

    if (!agpu_read_decimal(value, WATCHDOG_MAX_S, &seconds) || (seconds != 0 && seconds < WATCHDOG_MIN_S)) {
        return "expected 0 or 25..1200 seconds";
    }
    config->watchdog_s = seconds;
    return NULL;
}

static const char *read_run_timeout(struct agpu_config *config, struct agpu_span value)
{
    if (!agpu_read_decimal(value, TIMEOUT_MAX_S, &config->run_timeout_s)) {
        return "expected 0..86400 seconds";
    }
    return NULL;
}

/* "5" rounds or "600s". */
static const char *read_repeat(struct agpu_config *config, struct agpu_span value)
{
    bool seconds = value.size && value.at[value.size - 1] == 's';
    uint32_t number;

    value.size -= seconds;
    if (!agpu_read_decimal(value, REPEAT_MAX, &number)) {
        return "expected 0..1000000 rounds, or seconds with an s behind them";
    }
    config->repeat = number;
    config->repeat_seconds = seconds;
    return NULL;
}

static const char *read_until_failure(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {{"off", false}, {"on", true}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected on or off";
    }
    config->until_failure = chosen;
    return NULL;
}

static const char *read_evidence(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {{"brief", false}, {"full", true}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected brief or full";
    }
    config->all_evidence = chosen;
    return NULL;
}

static const char *read_shuffle(struct agpu_config *config, struct agpu_span value)
{
    if (!agpu_read_decimal(value, UINT32_MAX, &config->shuffle)) {
        return "expected 0..4294967295";
    }
    return NULL;
}

static const char *read_dma_high(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {
        {"auto", AGPU_DMA_HIGH_AUTO}, {"off", AGPU_DMA_HIGH_OFF}, {"on", AGPU_DMA_HIGH_ON}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected auto, off or on";
    }
    config->dma_high = (enum agpu_dma_high)chosen;
    return NULL;
}

static const char *read_capture(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {
        {"off", AGPU_CAPTURE_NONE}, {"submissions", AGPU_CAPTURE_ALL}, {"failures", AGPU_CAPTURE_FAILURES}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected off, submissions or failures";
    }
    config->capture = (enum agpu_capture_mode)chosen;
    return NULL;
}

static const char *read_capture_to(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {
        {"any", AGPU_CAPTURE_TO_ANY}, {"volume", AGPU_CAPTURE_TO_VOLUME}, {"stream", AGPU_CAPTURE_TO_STREAM}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected any, volume or stream";
    }
    config->capture_to = (enum agpu_capture_to)chosen;
    return NULL;
}

static const char *read_interrupts(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {{"poll", AGPU_STACK_POLLS},
                                                 {"line", AGPU_STACK_LINE},
                                                 {"msi", AGPU_STACK_MSI},
                                                 {"msix", AGPU_STACK_MSIX}};
    int chosen;

    if (!choose_value(words, sizeof words / sizeof words[0], value, &chosen)) {
        return "expected poll, line, msi or msix";
    }
    config->stack_mode = (enum agpu_stack_mode)chosen;
    return NULL;
}

/* Two things in one line, each of which stays as it was where the line does not speak of it: as what the devices are
 * judged, and which functions are driven. */
static const char *read_device_key(struct agpu_config *config, struct agpu_span value)
{
    static const struct config_choice words[] = {{"any", false}, {"model", true}};
    static const char expected[] = "expected any or model (as what it is judged), " AGPU_SELECT_EXPECTED
                                   " (which functions), or several with commas between";
    char picked[AGPU_CONFIG_DEVICE_MAX + 2];
    struct agpu_selector selector;
    struct agpu_span word;
    size_t used = 0;
    int judged = config->model;

    for (bool more = true; more;) {
        more = agpu_span_cut(&value, ',', &word);
        word = agpu_span_trim(more ? word : value);
        if (choose_value(words, sizeof words / sizeof words[0], word, &judged)) {
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
    config->model = judged;
    if (used != 0) {
        picked[used - 1] = '\0';
        memcpy(config->device, picked, used);
    }
    return NULL;
}

static const struct {
    const char *key;
    const char *(*read)(struct agpu_config *config, struct agpu_span value);
} keys[] = {
    {"netconsole", agpu_config_read_netconsole},
    {"token", agpu_config_read_token},
    {"key", agpu_config_read_key},
    {"stream", agpu_config_read_stream},
    {"control", read_control},
    {"ip", agpu_config_read_ip},
    {"target", agpu_config_read_target},
    {"dns", agpu_config_read_dns},
    {"vlan", agpu_config_read_vlan},
    {"filter", read_filter},
    {"tags", read_tags},
    {"shard", read_shard},
    {"cases_max", read_cases_max},
    {"quarantine", read_quarantine},
    {"budget", read_budget},
    {"after", read_after},
    {"require", read_require},
    {"expect", read_expect},
    {"allow_skips", read_allow_skips},
    {"at_end", read_at_end},
    {"log_level", read_log_level},
    {"trace", read_trace},
    {"trace_file", read_trace_file},
    {"serial", read_serial},
    {"device", read_device_key},
    {"dma_high", read_dma_high},
    {"capture", read_capture},
    {"capture_to", read_capture_to},
    {"interrupts", read_interrupts},
    {"replay", read_replay},
    {"replay_until", read_replay_until},
    {"repeat", read_repeat},
    {"evidence", read_evidence},
    {"until_failure", read_until_failure},
    {"shuffle", read_shuffle},
    {"dhcp_timeout_ms", read_dhcp_timeout},
    {"dhcp_config", read_dhcp_config},
    {"pattern_s", read_pattern},
    {"minutes", read_minutes},
    {"stress_s", read_stress},
    {"case_timeout_s", read_case_timeout},
    {"run_timeout_s", read_run_timeout},
    {"resume", read_resume},
    {"watchdog_s", read_watchdog},
    {"test_hook", read_test_hook},
};

#define KEYS (sizeof keys / sizeof keys[0])

/* Settings of the driver stack are numbered behind the others. */
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
                agpu_text_string(text, !first ? "," : any ? "; " : "");
                agpu_text_string(text, agpu_config_key(key));
                first = false;
                any = true;
            }
        }
        if (!first) {
            agpu_text_string(text, ": ");
            agpu_text_string(text, config->sources[source - 1]);
        }
    }
    if (!any) {
        agpu_text_string(text, "defaults");
    }
}

/* What a stronger source said stays. */
static bool is_said(const struct agpu_config *config, size_t key)
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
        if (agpu_setting_is_stated(&one, (enum agpu_setting)i) && !is_said(config, KEYS + i)) {
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
            return is_said(config, i) ? NULL
                                      : note_source(config, i, keys[i].read(config, agpu_span_trim(line)));
        }
    }
    return parse_setting(config, key, agpu_span_trim(line));
}

void agpu_config_defaults(struct agpu_config *config)
{
    *config = (struct agpu_config){
        /* The whole local network hears the records, so that nothing has to be configured to see some. */
        .netconsole = {.enabled = true,
                       .extended = true,
                       .source_port = AGPU_NETCONSOLE_SOURCE_PORT,
                       .target = {.ip = agpu_ip_of_v4(UINT32_MAX), .port = AGPU_NETCONSOLE_TARGET_PORT},
                       .nic = -1},
        .at_end = AGPU_AT_END_POWEROFF,
        .log_level = AGPU_LOG_INFO,
        .serial = AGPU_SERIAL_AUTO,
        .dhcp_timeout_ms = DHCP_TIMEOUT_DEFAULT_MS,
        .dhcp_config = true,
        .resume = 8,
        .watchdog_s = 120,
    };
}

void agpu_config_parse(struct agpu_config *config, const char *text, size_t size,
                       void (*report)(void *ctx, const struct agpu_config_problem *problem), void *ctx)
{
    struct agpu_span rest = {text, size}, line;

    if (size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) { /* editors on Windows begin UTF-8 files so */
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
            problem.text.size = 3; /* a key with a slip in it is still nearly the key */
        }
        if (problem.text.size > AGPU_CONFIG_LINE_SHOWN) {
            problem.text.size = AGPU_CONFIG_LINE_SHOWN;
        }
        report(ctx, &problem);
    }
}
