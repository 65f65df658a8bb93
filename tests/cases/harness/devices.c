/* devices.c: runs each selected function in turn, then all of them together. */
#include "tests/cases/harness/devices.h"

#include "pci/select.h"
#include "tests/cases/choice/expect.h"
#include "tests/cases/harness/report.h"
#include "tests/cases/harness/selection.h"

static const struct agpu_case not_there = {.id = "discovery.function.usable", .spec = "device.md 1"};

struct device_runs {
    struct agpu_runner_config config;
    const struct agpu_rounds_config *rounds;
    struct agpu_pci_found known[AGPU_DEVICES_MAX];
    size_t known_count;
    struct agpu_pci_found picked[AGPU_DEVICES_MAX];
    unsigned numbers[AGPU_DEVICES_MAX]; /* of the selected functions, among the known ones */
    struct agpu_functions functions;    /* the selected ones */
    struct agpu_summary sum;
    bool any; /* something was run */
};

static void add_summary(struct device_runs *runs, const struct agpu_summary *one)
{
    struct agpu_summary *sum = &runs->sum;

    sum->worst = agpu_result_worse(sum->worst, one->worst);
    for (unsigned i = 0; i < AGPU_RESULT_COUNT; i++) {
        sum->counts[i] += one->counts[i];
    }
    sum->ended += one->ended;
    sum->planned += one->planned;
    for (unsigned i = 0; i < AGPU_SKIP_COUNT; i++) {
        sum->skips.of[i] += one->skips.of[i];
    }
    sum->skips.untried += one->skips.untried;
    sum->blocked += one->blocked;
    sum->known += one->known;
    sum->stopped = sum->stopped || one->stopped;
    sum->left += one->left;
    if (sum->device_wrong == NULL) {
        sum->device_wrong = one->device_wrong;
    }
    if (sum->first_cause == NULL) {
        sum->first_cause = one->first_cause;
    }
    runs->any = true;
}

static void count_selected(void *ctx, const struct agpu_case *item)
{
    (void)item;
    ++*(unsigned *)ctx;
}

/* Counts the cases that are selected for any function, whatever its device is, or for all functions together. */
static unsigned selected_cases(const struct device_runs *runs, bool together)
{
    struct agpu_functions functions = runs->functions;
    struct agpu_runner_config selection = runs->config;
    unsigned count = 0;

    functions.together = together;
    selection.fixture_config.functions = &functions;
    selection.device = AGPU_CASE_ANY_DEVICE;
    agpu_list(&selection, count_selected, &count);
    return count;
}

/* Returns true if only cases about several functions are selected: then no function needs cases of its own. Otherwise
 * each function needs at least one, because a user who selected it must not get a PASS that is due to the others; the
 * runner reports functions without cases. */
static bool only_together(const struct device_runs *runs)
{
    return runs->functions.count > 1 && selected_cases(runs, true) != 0 && selected_cases(runs, false) == 0;
}

static void log_verdict(struct device_runs *runs, const char *device, const struct agpu_summary *one)
{
    agpu_stream_format(runs->config.stream, AGPU_LOG_INFO, "device %s: %s, %u of %u cases passed", device,
                       agpu_result_name(one->worst), one->counts[AGPU_PASS], one->ended);
}

static void run_one(struct device_runs *runs, const char *device)
{
    struct agpu_summary one = {.worst = AGPU_ERROR};

    runs->config.stream->device = device;
    agpu_run_rounds(&runs->config, runs->rounds, &one);
    runs->config.stream->device = NULL;
    log_verdict(runs, device, &one);
    add_summary(runs, &one);
}

static void list_known(const struct device_runs *runs, struct agpu_text *text)
{
    agpu_text_string(text, runs->known_count == 0 ? "none" : "");
    for (size_t i = 0; i < runs->known_count; i++) {
        agpu_text_string(text, i != 0 ? ", " : "");
        agpu_pci_describe(text, &runs->known[i]);
    }
}

/* Reports a word that matches no function: a user who selected that function must not get a PASS that is due to the
 * others. */
static void report_missing(struct device_runs *runs, const char *word, size_t size)
{
    struct agpu_summary one = {.worst = AGPU_ERROR, .counts = {[AGPU_ERROR] = 1}, .ended = 1, .planned = 1};
    struct agpu_stream *stream = runs->config.stream;
    char name[AGPU_STREAM_DEVICE_MAX + 1], reason[240];
    struct agpu_record record;
    struct agpu_text text;

    agpu_text_begin(&text, name, sizeof name);
    for (size_t i = 0; i < size; i++) {
        agpu_text_char(&text, word[i]);
    }
    agpu_text_begin(&text, reason, sizeof reason);
    agpu_format(&text, "device=%s names no AeroGPU function of this machine; there are: ", name);
    list_known(runs, &text);
    stream->device = name;
    agpu_record_begin(&record, AGPU_RECORD_PLAN, NULL);
    agpu_record_u64(&record, AGPU_KEY(PLAN, count), 1);
    agpu_record_string(&record, AGPU_KEY(PLAN, build),
                       runs->config.build != NULL ? runs->config.build : "unknown");
    if (runs->config.run != NULL) {
        agpu_record_string(&record, AGPU_KEY(PLAN, run), runs->config.run);
    }
    agpu_record_string(&record, AGPU_KEY(PLAN, device), "none");
    agpu_record_u64(&record, AGPU_KEY(PLAN, format), AGPU_RECORD_VERSION);
    agpu_stream_send(stream, &record);
    agpu_send_result(&runs->config, &not_there, 1, AGPU_ERROR, AGPU_SKIP_NONE, reason);
    agpu_send_summary(stream, &one);
    stream->device = NULL;
    add_summary(runs, &one);
}

/* Selects the functions that the selection names, and reports words that match none. */
static void pick_functions(struct device_runs *runs, const char *selection)
{
    bool taken[AGPU_DEVICES_MAX] = {false};
    struct agpu_selector selector;
    const char *word;
    size_t size;

    while (agpu_selector_next(&selection, &word, &size)) {
        const bool good = agpu_selector_read(word, size, &selector);
        bool named = false;

        for (size_t i = 0; good && i < runs->known_count; i++) {
            if (agpu_selector_takes(&selector, &runs->known[i])) {
                named = taken[i] = true;
            }
        }
        if (!named) {
            report_missing(runs, word, size);
        }
    }
    for (size_t i = 0; i < runs->known_count; i++) {
        if (taken[i]) {
            runs->numbers[runs->functions.count] = (unsigned)i;
            runs->picked[runs->functions.count++] = runs->known[i];
        }
    }
}

static void run_picked(struct device_runs *runs)
{
    struct agpu_functions *functions = &runs->functions;
    const unsigned alone = only_together(runs) ? 0 : functions->count;
    char name[AGPU_STREAM_DEVICE_MAX + 1];
    struct agpu_text text;

    for (functions->driven = 0; functions->driven < alone; functions->driven++) {
        agpu_text_begin(&text, name, sizeof name);
        agpu_pci_describe_location(&text, &runs->picked[functions->driven].ref.location);
        functions->number = runs->numbers[functions->driven];
        run_one(runs, name);
    }
    functions->driven = 0;
    functions->number = runs->numbers[0];
    if (functions->count > 1 && selected_cases(runs, true) != 0) {
        functions->together = true;
        run_one(runs, AGPU_DEVICES_TOGETHER);
    }
}

enum agpu_result agpu_run_devices(const struct agpu_runner_config *config,
                                  const struct agpu_rounds_config *rounds, const char *selection,
                                  struct agpu_summary *out)
{
    const struct agpu_platform *platform = config->platform;
    uint64_t start;
    struct device_runs runs = {.config = *config, .rounds = rounds, .sum = {.worst = AGPU_PASS}};

    if (selection == NULL || *selection == '\0') {
        return agpu_run_rounds(config, rounds, out);
    }
    start = platform->now_ns(platform->ctx);
    runs.functions.all = runs.picked;
    runs.config.fixture_config.functions = &runs.functions;
    runs.known_count = agpu_scan_known(platform, runs.known, AGPU_DEVICES_MAX);
    if (runs.known_count > AGPU_DEVICES_MAX) {
        agpu_stream_log(config->stream, AGPU_LOG_WARNING,
                        "more AeroGPU functions than one run drives: the first 8 are");
        runs.known_count = AGPU_DEVICES_MAX;
    }
    pick_functions(&runs, selection);
    run_picked(&runs);
    if (!runs.any) { /* only commas and spaces: no word names a function */
        runs.config.fixture_config.functions = NULL;
        return agpu_run_rounds(&runs.config, rounds, out);
    }
    runs.sum.elapsed_us = (platform->now_ns(platform->ctx) - start) / 1000;
    agpu_send_summary(config->stream, &runs.sum);
    if (out != NULL) {
        *out = runs.sum;
    }
    return runs.sum.worst;
}
