/* inprocess_options.c: parses the command line of agpu_inprocess. */
#include "tests/host_platform/inprocess_options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases/harness/order.h"
#include "tests/cases/rig/prepare.h"
#include "tests/device/plugin/model.h"
#include "tests/host/capture/functions.h"
#include "tests/host/list/quarantine_file.h"

#define HANG_MOST_S 3600u

const char agpu_inprocess_usage[] =
    "usage: agpu_inprocess [OPTIONS]\n"
    "  --device FILE    a shared library (agpu_device_plugin.h) as the device instead of the model; implies\n"
    "                   --as any. model[,OPTIONS] is the model. Given several times: several functions, "
    "each\n"
    "                   with its own verdict, then all of them together\n"
    "  --select WORDS   functions to run on, as device= of agpu.cfg: all, VENDOR:DEVICE, "
    "BUS:DEVICE.FUNCTION\n"
    "  --filter GLOBS   only cases whose id matches one of the comma-separated globs\n"
    "  --tag WORDS      only cases with one of these tags: quick, full, stress, destructive; !TAG excludes\n"
    "  --shard I/N      only the I-th of N parts\n"
    "  --cases-max N    stop after N cases; --until-failure: stop after the first that fails, and without\n"
    "                   --repeat run them again and again until one does\n"
    "  --quarantine FILE  known failures (tests/handbook/machine.md)\n"
    "  --budget NAME<=VALUE  a limit on a figure that a perf.* case measures; for a rate NAME>=VALUE\n"
    "  --stress S       each case of the tag stress repeats its rounds for S seconds\n"
    "  --explore-seed S seed of the explore.* cases in the first round; each later round has the next one\n"
    "  --pattern S      show a test picture on scanout 0 for S seconds instead of running the catalogue\n"
    "  --evidence full  registers, ring and stream of every failed case, not only of the first 16\n"
    "  --after ID       start after this case\n"
    "  --abi WHICH      the model as " VGPU_MODEL_ABIS "\n"
    "  --clock real     time of the host (default); manual: simulated time, every run is identical\n"
    "  --save-restore N[,SEED]  save the device's state, destroy it, create and load it again, after every "
    "N-th\n"
    "                   service point on average, at random distances (pci/device.md 2.3)\n"
    "  --lazy           the device acts only while the driver waits; implies --as any\n"
    "  --as WHOM        model (default): the device is known to be the model; any: it is not\n"
    "  --hang S         a call into a plug-in that takes longer is a hang (default 10)\n"
    "  --require WORDS  features that the device must have (tests/cases/rig/require.h): default, software,\n"
    "                   fences, transfer, -shaders ...\n"
    "  --expect WORDS   ABI that the device must have: abi=1.0 to abi=1.4, abi=legacy; default: that of the\n"
    "                   model, any of a plug-in (tests/cases/choice/expect.h)\n"
    "  --allow-skips LIST  acceptable skips: a number, or words of tests/cases/choice/skips.def, separated "
    "by\n"
    "                   commas; all for every reason\n"
    "  --fault NAME     a model with this fault of tests/faults, built by tests/run --fault NAME\n"
    "  --trace WORDS    the user-mode driver's trace as log records: calls, state, resources, caps\n"
    "  --set KEY=VALUE  a setting of the driver stack as in agpu.cfg: budget_mib=128, pretend_abi=1.1 ...\n"
    "  --interrupts WAY the driver polls (poll, default), or waits for interrupts: line, msi, msix\n"
    "  --repeat N       run the catalogue N times, with other fence numbers each time; Ns: for N seconds\n"
    "  --shuffle SEED   another order of the cases, different in each round; reverse: from the end\n"
    "  --capture FILE   record the traffic between driver and device (tests/capture); --capture-failures: "
    "only\n"
    "                   that of failed cases. agpu decode and agpu replay read it\n"
    "  --record-ddi FILE  record the calls into the user-mode driver, with the callbacks and packets that "
    "each "
    "causes,\n"
    "                   as a text for agpu replay --ddi\n"
    "  --replay FILE    play a capture on the device as the image does, instead of the catalogue; --until "
    "N:\n"
    "                   up to submission N\n"
    "  --list           print ids and sections of the cases, and exit\n"
    "  --quiet          print only failures and the summary, not every case\n"
    "  --records        print the records of the run, as the image sends them, for other programs\n"
    "  --out DIR        write reports, as agpu run: report.html, junit.xml, pictures and registers of "
    "failures\n"
    "Exit status: 0 nothing failed and every skip is acceptable, 1 when not, 2 for a wrong command line or "
    "a\n"
    "rejected device. A crash, or a hang of a plug-in, is a CRASH of the case, and the run continues after "
    "it;\n"
    "not in a debugger.\n";

static bool parse_stack_mode(const char *text, enum agpu_stack_mode *mode)
{
    static const char *const words[] = {[AGPU_STACK_POLLS] = "poll",
                                        [AGPU_STACK_LINE] = "line",
                                        [AGPU_STACK_MSI] = "msi",
                                        [AGPU_STACK_MSIX] = "msix"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *mode = (enum agpu_stack_mode)i;
            return true;
        }
    }
    return false;
}

static bool parse_repeat(const char *text, struct agpu_rounds_config *out)
{
    char *end;
    const unsigned long value = text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;

    if (value == 0) {
        return false;
    }
    out->count = strcmp(end, "s") == 0 ? 0 : (unsigned)value;
    out->time_ns = strcmp(end, "s") == 0 ? value * UINT64_C(1000000000) : 0;
    return value <= 1000000 && (*end == '\0' || strcmp(end, "s") == 0);
}

static bool parse_setting(const char *text, struct agpu_settings *settings)
{
    const char *equals = strchr(text, '=');
    const char *wrong = equals == NULL ? "expected KEY=VALUE"
                                       : agpu_setting_read(settings, text, (size_t)(equals - text),
                                                           equals + 1, strlen(equals + 1));

    if (wrong != NULL) {
        fprintf(stderr, "agpu_inprocess: --set %s: %s\n", text, wrong);
    }
    return wrong == NULL;
}

static bool parse_budget(const char *text, struct agpu_budgets *budgets)
{
    char why[AGPU_BUDGET_WHY_MAX];
    const bool good = agpu_budget_add(budgets, text, strlen(text), why);

    if (!good) {
        fprintf(stderr, "agpu_inprocess: --budget %s: %s\n", text, why);
    }
    return good;
}

static bool add_device(struct inprocess_options *options, const char *device)
{
    if (options->device_count == AGPU_HOST_DEVICES_MAX) {
        fprintf(stderr, "agpu_inprocess: --device: a machine has room for %u\n", AGPU_HOST_DEVICES_MAX);
        return false;
    }
    options->devices[options->device_count++] = device;
    if (!vgpu_names_model(device)) {
        options->any = true;
        options->foreign = options->foreign != NULL ? options->foreign : device;
    }
    return true;
}

enum {
    OPT_DEVICE = 1,
    OPT_SELECT,
    OPT_FILTER,
    OPT_TAG,
    OPT_SHARD,
    OPT_CASES_MAX,
    OPT_UNTIL_FAILURE,
    OPT_QUARANTINE,
    OPT_BUDGET,
    OPT_STRESS,
    OPT_EXPLORE_SEED,
    OPT_PATTERN,
    OPT_EVIDENCE,
    OPT_AFTER,
    OPT_ABI,
    OPT_CLOCK,
    OPT_SAVE_RESTORE,
    OPT_LAZY,
    OPT_AS,
    OPT_HANG,
    OPT_REQUIRE,
    OPT_EXPECT,
    OPT_ALLOW_SKIPS,
    OPT_FAULT,
    OPT_TRACE,
    OPT_SET,
    OPT_INTERRUPTS,
    OPT_REPEAT,
    OPT_SHUFFLE,
    OPT_CAPTURE,
    OPT_CAPTURE_FAILURES,
    OPT_RECORD_DDI,
    OPT_REPLAY,
    OPT_UNTIL,
    OPT_LIST,
    OPT_QUIET,
    OPT_RECORDS,
    OPT_OUT,
};

static const struct option long_options[] = {
    {"device", required_argument, NULL, OPT_DEVICE},
    {"select", required_argument, NULL, OPT_SELECT},
    {"filter", required_argument, NULL, OPT_FILTER},
    {"tag", required_argument, NULL, OPT_TAG},
    {"shard", required_argument, NULL, OPT_SHARD},
    {"cases-max", required_argument, NULL, OPT_CASES_MAX},
    {"until-failure", no_argument, NULL, OPT_UNTIL_FAILURE},
    {"quarantine", required_argument, NULL, OPT_QUARANTINE},
    {"budget", required_argument, NULL, OPT_BUDGET},
    {"stress", required_argument, NULL, OPT_STRESS},
    {"explore-seed", required_argument, NULL, OPT_EXPLORE_SEED},
    {"pattern", required_argument, NULL, OPT_PATTERN},
    {"evidence", required_argument, NULL, OPT_EVIDENCE},
    {"after", required_argument, NULL, OPT_AFTER},
    {"abi", required_argument, NULL, OPT_ABI},
    {"clock", required_argument, NULL, OPT_CLOCK},
    {"save-restore", required_argument, NULL, OPT_SAVE_RESTORE},
    {"lazy", no_argument, NULL, OPT_LAZY},
    {"as", required_argument, NULL, OPT_AS},
    {"hang", required_argument, NULL, OPT_HANG},
    {"require", required_argument, NULL, OPT_REQUIRE},
    {"expect", required_argument, NULL, OPT_EXPECT},
    {"allow-skips", required_argument, NULL, OPT_ALLOW_SKIPS},
    {"fault", required_argument, NULL, OPT_FAULT},
    {"trace", required_argument, NULL, OPT_TRACE},
    {"set", required_argument, NULL, OPT_SET},
    {"interrupts", required_argument, NULL, OPT_INTERRUPTS},
    {"repeat", required_argument, NULL, OPT_REPEAT},
    {"shuffle", required_argument, NULL, OPT_SHUFFLE},
    {"capture", required_argument, NULL, OPT_CAPTURE},
    {"capture-failures", required_argument, NULL, OPT_CAPTURE_FAILURES},
    {"record-ddi", required_argument, NULL, OPT_RECORD_DDI},
    {"replay", required_argument, NULL, OPT_REPLAY},
    {"until", required_argument, NULL, OPT_UNTIL},
    {"list", no_argument, NULL, OPT_LIST},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"records", no_argument, NULL, OPT_RECORDS},
    {"out", required_argument, NULL, OPT_OUT},
    {NULL, 0, NULL, 0},
};

static bool skips_are_known(const char *value)
{
    size_t length;

    return agpu_skips_check(value, strlen(value), &length) == NULL;
}

static bool parse_number(const char *text, unsigned *out)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);

    *out = (unsigned)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value != 0 && value <= UINT_MAX;
}

static bool parse_seed(const char *text, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 0);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *out != 0;
}

/* Parses one of two words; *second is set for the second. */
static bool parse_either(const char *text, const char *first_word, const char *second_word, bool *second)
{
    *second = strcmp(text, second_word) == 0;
    return *second || strcmp(text, first_word) == 0;
}

static bool parse_abi(const char *text, struct agpu_host_config *host)
{
    struct vgpu_device_config model = {0};

    if (!vgpu_model_abi(text, &model)) {
        return false;
    }
    host->abi = model.abi;
    host->version = vgpu_abi_is_legacy(model.abi) ? NULL : text;
    return true;
}

/* Parses options that select cases. Returns -1 for other options. */
static int take_choice(int option, const char *value, struct inprocess_options *options)
{
    switch (option) {
    case OPT_SELECT:
        options->select = value;
        return true;
    case OPT_FILTER:
        options->filter = value;
        return true;
    case OPT_TAG:
        return agpu_tags_read(value, strlen(value), &options->tags);
    case OPT_SHARD:
        return agpu_shard_read(value, strlen(value), &options->shard);
    case OPT_CASES_MAX:
        return parse_number(value, &options->cases_max);
    case OPT_UNTIL_FAILURE:
        options->until_failure = true;
        return true;
    case OPT_AFTER:
        options->after = value;
        return true;
    case OPT_REPEAT:
        return parse_repeat(value, &options->rounds);
    case OPT_SHUFFLE:
        if (strcmp(value, "reverse") == 0) {
            options->rounds.shuffle = AGPU_ORDER_REVERSED;
            return true;
        }
        return parse_seed(value, &options->rounds.shuffle);
    case OPT_STRESS:
        return parse_number(value, &options->stress_s);
    case OPT_EXPLORE_SEED:
        return parse_number(value, &options->explore_seed);
    case OPT_PATTERN:
        return parse_number(value, &options->pattern_s);
    case OPT_LIST:
        options->list = true;
        return true;
    default:
        return -1;
    }
}

/* Parses options that describe the device and its machine. Returns -1 for other options. */
static int take_machine(int option, const char *value, struct inprocess_options *options)
{
    bool second;

    switch (option) {
    case OPT_DEVICE:
        return add_device(options, value);
    case OPT_ABI:
        return parse_abi(value, &options->host);
    case OPT_CLOCK:
        if (!parse_either(value, "real", "manual", &second)) {
            return false;
        }
        options->host.clock = second ? AGPU_HOST_CLOCK_MANUAL : AGPU_HOST_CLOCK_REAL;
        return true;
    case OPT_SAVE_RESTORE:
        return vgpu_save_parse(value, &options->host.save);
    case OPT_LAZY:
        options->host.lazy = true;
        options->any = true; /* a late device is not our model: check only what is required of every device */
        return true;
    case OPT_AS:
        return parse_either(value, "model", "any", &options->any);
    case OPT_HANG:
        return parse_number(value, &options->hang_s) && options->hang_s <= HANG_MOST_S;
    case OPT_FAULT:
        options->fault = value;
        return true;
    case OPT_INTERRUPTS:
        return parse_stack_mode(value, &options->fixture_config.stack_mode);
    case OPT_SET:
        return parse_setting(value, &options->settings);
    default:
        return -1;
    }
}

/* Parses options for the expectations of the run and its output. */
static bool take_judgement(int option, const char *value, struct inprocess_options *options)
{
    switch (option) {
    case OPT_QUARANTINE:
        return agpu_quarantine_load(value, &options->quarantine, stderr);
    case OPT_BUDGET:
        return parse_budget(value, &options->budgets);
    case OPT_REQUIRE:
        options->fixture_config.require = value;
        return agpu_requirement_check(value, strlen(value));
    case OPT_ALLOW_SKIPS:
        options->allow_skips = value;
        return skips_are_known(value);
    case OPT_EXPECT:
        options->expect = value;
        return agpu_expect_check(value, strlen(value));
    case OPT_EVIDENCE:
        options->fixture_config.all_evidence = true;
        return strcmp(value, "full") == 0;
    case OPT_TRACE:
        return agpu_trace_parse(&options->fixture_config.trace, value, strlen(value));
    case OPT_CAPTURE:
    case OPT_CAPTURE_FAILURES:
        if (options->capture != NULL) {
            fprintf(stderr,
                    "agpu_inprocess: expected --capture or --capture-failures once; found it a second time "
                    "after \"%s\"\n",
                    options->capture);
            return false;
        }
        options->capture = value;
        options->capture_mode = option == OPT_CAPTURE ? AGPU_CAPTURE_ALL : AGPU_CAPTURE_FAILURES;
        return true;
    case OPT_RECORD_DDI:
        options->record_ddi = value;
        return true;
    case OPT_REPLAY:
        options->replay = value;
        return true;
    case OPT_UNTIL:
        return agpu_capture_submission_read("agpu_inprocess", "--until", value, &options->until);
    case OPT_QUIET:
        options->quiet = true;
        return true;
    case OPT_RECORDS:
        options->records = true;
        return true;
    case OPT_OUT:
        options->out = value;
        return *value != '\0';
    default:
        return false;
    }
}

static bool take_option(int option, const char *value, struct inprocess_options *options)
{
    int taken = take_choice(option, value, options);

    taken = taken < 0 ? take_machine(option, value, options) : taken;
    return taken < 0 ? take_judgement(option, value, options) : taken != 0;
}

/* Returns what a value must be; NULL: the parser has printed that itself. */
static const char *expected_of(int option)
{
    switch (option) {
    case OPT_TAG:
        return AGPU_TAGS_EXPECTED;
    case OPT_SHARD:
        return AGPU_SHARD_EXPECTED;
    case OPT_CASES_MAX:
        return "expected a number of cases, from 1";
    case OPT_REPEAT:
        return "expected a number of rounds, from 1 to 1000000, or of seconds, as 60s";
    case OPT_SHUFFLE:
        return "expected a number from 1, decimal or as 0x1f";
    case OPT_STRESS:
    case OPT_PATTERN:
        return "expected a number of seconds, from 1";
    case OPT_ABI:
        return "expected " VGPU_MODEL_ABIS;
    case OPT_CLOCK:
        return "expected real or manual";
    case OPT_SAVE_RESTORE:
        return VGPU_SAVE_EXPECTED;
    case OPT_AS:
        return "expected model or any";
    case OPT_HANG:
        return "expected a number of seconds, from 1 to 3600";
    case OPT_INTERRUPTS:
        return "expected poll, line, msi or msix";
    case OPT_REQUIRE:
        return AGPU_REQUIRE_EXPECTED;
    case OPT_EXPECT:
        return AGPU_EXPECT_EXPECTED;
    case OPT_ALLOW_SKIPS:
        return agpu_skips_expected;
    case OPT_EVIDENCE:
        return "expected full";
    case OPT_TRACE:
        return AGPU_TRACE_EXPECTED;
    case OPT_OUT:
        return "expected a folder";
    default:
        return NULL;
    }
}

static const char see_help[] = "agpu_inprocess: see agpu_inprocess --help\n";

/* Sets one word for each device: our model must have the ABI it was started with. */
static void expect_our_models(struct inprocess_options *options)
{
    char word[AGPU_EXPECT_MAX];

    if (options->device_count == 0) {
        agpu_expect_of_model(vgpu_abi_is_legacy(options->host.abi) ? "legacy" : options->host.version,
                             options->expected_text);
    }
    for (unsigned i = 0; i < options->device_count; i++) {
        agpu_expect_of_device(options->devices[i], word);
        strcat(options->expected_text, i != 0 ? "," : "");
        strcat(options->expected_text, word);
    }
    options->expect = options->expected_text;
}

/* Replaces our model by the one with the fault. */
static void use_fault(struct inprocess_options *options)
{
    char text[VGPU_MODEL_OPTIONS];

    vgpu_model_options(text,
                       options->host.abi == VGPU_ABI_LEGACY                ? "legacy"
                       : options->host.abi == VGPU_ABI_LEGACY_AS_VERSIONED ? "legacy-as-a3a0"
                                                                           : options->host.version,
                       options->fault);
    snprintf(options->fault_device, sizeof options->fault_device, "model,%s", text);
    add_device(options, options->fault_device);
}

bool agpu_inprocess_parse(int argc, char **argv, struct inprocess_options *options)
{
    int option, at = 0;

    options->argv = argv;
    while ((option = getopt_long(argc, argv, "", long_options, &at)) != -1) {
        if (option == '?') { /* getopt has printed the error */
            fprintf(stderr, "%s", see_help);
            return false;
        }
        if (!take_option(option, optarg, options)) {
            const char *expected = expected_of(option);

            fprintf(stderr, "agpu_inprocess: cannot use --%s \"%s\"%s%s\n%s", long_options[at].name,
                    optarg != NULL ? optarg : "", expected != NULL ? ": " : "",
                    expected != NULL ? expected : "", see_help);
            return false;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "agpu_inprocess: unexpected argument \"%s\": every word belongs to an option\n%s",
                argv[optind], see_help);
        return false;
    }
    if (options->records && options->out != NULL) {
        fprintf(stderr,
                "agpu_inprocess: expected --records, or --out with the reports of the run, found both: "
                "agpu report --serial FILE --out DIR makes the reports of saved records\n");
        return false;
    }
    if (options->until != 0 && options->replay == NULL) {
        fprintf(stderr,
                "agpu_inprocess: --until names a submission of a capture: expected --replay FILE, too\n");
        return false;
    }
    if (options->device_count != 0 && options->fault != NULL) {
        fprintf(stderr, "agpu_inprocess: --fault applies to the project's model; with --device use --device "
                        "model,fault=NAME\n");
        return false;
    }
    if (options->device_count != 0 &&
        (options->host.version != NULL || vgpu_abi_is_legacy(options->host.abi))) {
        fprintf(stderr, "agpu_inprocess: --abi applies to the project's model; with --device use --device "
                        "model,abi=WHICH\n");
        return false;
    }
    if (options->fault != NULL) {
        use_fault(options);
    }
    if (options->hang_s != 0 && options->foreign == NULL) {
        fprintf(stderr, "agpu_inprocess: --hang applies to a plug-in: expected --device FILE, too\n");
        return false;
    }
    if (options->expect == NULL) {
        expect_our_models(options);
    }
    if (agpu_expect_count(options->expect) > (options->device_count != 0 ? options->device_count : 1)) {
        fprintf(stderr,
                "agpu_inprocess: --expect %s: expected a word for each device, found %u words for %u\n%s",
                options->expect, agpu_expect_count(options->expect),
                options->device_count != 0 ? options->device_count : 1, see_help);
        return false;
    }
    return true;
}
