/* inprocess_options.c: reads the command line of agpu_inprocess. */
#include "tests/host_platform/inprocess_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases/rig/prepare.h"
#include "tests/device/plugin/model.h"
#include "tests/host/list/quarantine_file.h"

const char agpu_inprocess_usage[] =
    "usage: agpu_inprocess [--device FILE|model[,OPTIONS]]... [--select WORDS] [--filter GLOBS] [--after "
    "ID] "
    "[--abi 1.0...1.4[-FEATURE]|legacy] "
    "[--clock "
    "real|manual] [--lazy] [--as model|any] [--require WORDS] [--allow-skips LIST] [--fault NAME] "
    "[--trace "
    "WORDS] "
    "[--tag WORDS] [--shard I/N] [--cases-max N] [--until-failure] [--quarantine FILE] [--budget "
    "NAME<=VALUE] "
    "[--set KEY=VALUE] "
    "[--interrupts poll|line|msi|msix] [--repeat N|Ns] [--shuffle SEED] "
    "[--capture[-failures] FILE] [--replay FILE [--until N]] [--list] [--quiet]\n"
    "  --device FILE    a shared library (agpu_device_plugin.h) as the device instead of our model; "
    "implies "
    "--as any\n"
    "                   model[,OPTIONS] is ours; given several times, so many functions, each with its "
    "verdict, and then "
    "all at once\n"
    "  --select WORDS   which functions, as device= of agpu.cfg: all, VENDOR:DEVICE, "
    "BUS:DEVICE.FUNCTION\n"
    "  --filter GLOBS   run the cases whose id matches one of the comma-separated globs\n"
    "  --tag WORDS      and have one of these tags: quick, full, stress, destructive; !TAG leaves out\n"
    "  --shard I/N      and are in the I-th of N parts\n"
    "  --cases-max N    stop behind so many; --until-failure: behind the first that fails, and without "
    "--repeat run them\n"
    "                   again and again until one does\n"
    "  --quarantine FILE  known failures (tests/host/README.md)\n"
    "  --budget NAME<=VALUE  a limit on what a case of perf.* measures; of a rate NAME>=VALUE\n"
    "  --stress S       each case of the tag stress that goes by rounds goes on for S seconds\n"
    "  --pattern S      instead of the catalogue a test picture on scanout 0, for S seconds\n"
    "  --evidence full  registers, ring and stream of every case that fails, not of the first 16 alone\n"
    "  --after ID       begin behind this one of them\n"
    "  --abi WHICH      the model as " VGPU_MODEL_ABIS "\n"
    "  --clock real     time of the host (default); manual: simulated time, the same run every time\n"
    "  --lazy           the device acts only while the driver waits; implies --as any\n"
    "  --as WHOM        model (default): the device is known to be our model; any: it is not\n"
    "  --require WORDS  what the device must have (tests/cases/rig/require.h): default, transfer, "
    "-shaders "
    "...\n"
    "  --allow-skips LIST  skips that are no reason to fail: a number, or globs over reasons, with "
    "commas "
    "between; * for all\n"
    "  --fault NAME     switch on a deliberate fault of the model\n"
    "  --trace WORDS    the user-mode driver's trace as log records: calls, state, resources, caps\n"
    "  --set KEY=VALUE  a setting of the driver stack as in agpu.cfg: budget_mib=128, pretend_abi=1.1 "
    "...\n"
    "  --interrupts WAY how the driver stack learns that the device is done: it polls (default), or "
    "takes "
    "interrupts\n"
    "  --repeat N       the catalogue N times, with other fence numbers each time; Ns: for N seconds\n"
    "  --shuffle SEED   the cases in another order, in each round in yet another\n"
    "  --capture FILE   write down what passes between driver and device (tests/capture); "
    "--capture-failures: of\n"
    "                   cases that fail only. agpu decode and agpu replay read it\n"
    "  --replay FILE    play a capture on the device as the image does, instead of the catalogue; "
    "--until N: "
    "up to submission N\n"
    "  --list           print the ids and sections of the cases instead of running them\n"
    "  --quiet          print only failures and the summary instead of every record\n"
    "Exit status: 0 when nothing failed and everything that is required was tried, 1 when not, 2 for a "
    "wrong "
    "command line.\n";

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
    const unsigned long value = strtoul(text, &end, 10);

    out->count = strcmp(end, "s") == 0 ? 0 : (unsigned)value;
    out->time_ns = strcmp(end, "s") == 0 ? value * UINT64_C(1000000000) : 0;
    return value != 0 && value <= 1000000 && (*end == '\0' || strcmp(end, "s") == 0);
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
    if (strcmp(device, "model") != 0 && strncmp(device, "model,", 6) != 0) {
        options->any = true;
        options->foreign = options->foreign != NULL ? options->foreign : device;
    }
    return true;
}

bool agpu_inprocess_parse(int argc, char **argv, struct inprocess_options *options)
{
    struct vgpu_device_config model = {0};

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--list") == 0) {
            options->list = true;
        } else if (strcmp(argv[i], "--quiet") == 0) {
            options->quiet = true;
        } else if (strcmp(argv[i], "--lazy") == 0) {
            options->host.lazy = true;
            options->any = true; /* a late device is not ours: only what every one must do is asked of it */
        } else if (strcmp(argv[i], "--as") == 0 && value != NULL &&
                   (strcmp(value, "model") == 0 || strcmp(value, "any") == 0)) {
            options->any = strcmp(value, "any") == 0;
            i++;
        } else if (strcmp(argv[i], "--device") == 0 && value != NULL) {
            if (!add_device(options, value)) {
                return false;
            }
            i++;
        } else if (strcmp(argv[i], "--filter") == 0 && value != NULL) {
            options->filter = value;
            i++;
        } else if (strcmp(argv[i], "--tag") == 0 && value != NULL &&
                   agpu_tags_read(value, strlen(value), &options->tags)) {
            i++;
        } else if (strcmp(argv[i], "--shard") == 0 && value != NULL &&
                   agpu_shard_read(value, strlen(value), &options->shard)) {
            i++;
        } else if (strcmp(argv[i], "--cases-max") == 0 && value != NULL &&
                   (options->cases_max = (unsigned)strtoul(value, NULL, 10)) != 0) {
            i++;
        } else if (strcmp(argv[i], "--stress") == 0 && value != NULL &&
                   (options->stress_s = (unsigned)strtoul(value, NULL, 10)) != 0) {
            i++;
        } else if (strcmp(argv[i], "--pattern") == 0 && value != NULL &&
                   (options->pattern_s = (unsigned)strtoul(value, NULL, 10)) != 0) {
            i++;
        } else if (strcmp(argv[i], "--evidence") == 0 && value != NULL && strcmp(value, "full") == 0) {
            options->all_evidence = true;
            i++;
        } else if (strcmp(argv[i], "--until-failure") == 0) {
            options->until_failure = true;
        } else if (strcmp(argv[i], "--quarantine") == 0 && value != NULL) {
            if (!agpu_quarantine_load(value, &options->quarantine, stderr)) {
                return false;
            }
            i++;
        } else if (strcmp(argv[i], "--budget") == 0 && value != NULL) {
            if (!parse_budget(value, &options->budgets)) {
                return false;
            }
            i++;
        } else if (strcmp(argv[i], "--select") == 0 && value != NULL) {
            options->select = value;
            i++;
        } else if (strcmp(argv[i], "--after") == 0 && value != NULL) {
            options->after = value;
            i++;
        } else if (strcmp(argv[i], "--require") == 0 && value != NULL &&
                   agpu_requirement_check(value, strlen(value))) {
            options->require = value;
            i++;
        } else if (strcmp(argv[i], "--allow-skips") == 0 && value != NULL) {
            options->allow_skips = value;
            i++;
        } else if (strcmp(argv[i], "--trace") == 0 && value != NULL &&
                   agpu_trace_parse(&options->trace, value, strlen(value))) {
            i++;
        } else if (strcmp(argv[i], "--interrupts") == 0 && value != NULL &&
                   parse_stack_mode(value, &options->stack_mode)) {
            i++;
        } else if (strcmp(argv[i], "--set") == 0 && value != NULL) {
            if (!parse_setting(value, &options->settings)) {
                return false;
            }
            i++;
        } else if (strcmp(argv[i], "--repeat") == 0 && value != NULL &&
                   parse_repeat(value, &options->rounds)) {
            i++;
        } else if (strcmp(argv[i], "--shuffle") == 0 && value != NULL &&
                   (options->rounds.shuffle = strtoull(value, NULL, 0)) != 0) {
            i++;
        } else if ((strcmp(argv[i], "--capture") == 0 || strcmp(argv[i], "--capture-failures") == 0) &&
                   value != NULL) {
            options->capture = value;
            options->capture_mode = argv[i][9] == '\0' ? AGPU_CAPTURE_ALL : AGPU_CAPTURE_FAILURES;
            i++;
        } else if (strcmp(argv[i], "--replay") == 0 && value != NULL) {
            options->replay = value;
            i++;
        } else if (strcmp(argv[i], "--until") == 0 && value != NULL &&
                   (options->until = strtoull(value, NULL, 10)) != 0) {
            i++;
        } else if (strcmp(argv[i], "--fault") == 0 && value != NULL) {
            options->host.fault = value;
            i++;
        } else if (strcmp(argv[i], "--abi") == 0 && value != NULL && vgpu_model_abi(value, &model)) {
            options->host.abi = model.abi;
            options->host.version = vgpu_abi_is_legacy(model.abi) ? NULL : value;
            i++;
        } else if (strcmp(argv[i], "--clock") == 0 && value != NULL && strcmp(value, "real") == 0) {
            options->host.clock = AGPU_HOST_CLOCK_REAL;
            i++;
        } else if (strcmp(argv[i], "--clock") == 0 && value != NULL && strcmp(value, "manual") == 0) {
            options->host.clock = AGPU_HOST_CLOCK_MANUAL;
            i++;
        } else {
            fprintf(stderr, "agpu_inprocess: cannot use \"%s%s%s\"\n%s", argv[i], value != NULL ? " " : "",
                    value != NULL ? value : "", agpu_inprocess_usage);
            return false;
        }
    }
    if (options->device_count != 0 && options->host.fault != NULL) {
        fprintf(stderr, "agpu_inprocess: --fault is of our model; it cannot be combined with --device: "
                        "--device model,fault=NAME\n");
        return false;
    }
    return true;
}
