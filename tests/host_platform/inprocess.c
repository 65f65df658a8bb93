/* inprocess.c: agpu_inprocess, the whole catalogue against a device, ours or a plug-in, in one process. */
#include <stdio.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "tests/capture/tap.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/harness/devices.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/harness/selection.h"
#include "tests/cases/replay/replay.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/harness/stream.h"
#include "tests/device/plugin/guard.h"
#include "tests/device/plugin/model.h"
#include "tests/device/plugin/warden.h"
#include "tests/host/capture/file.h"
#include "tests/host/capture/reader.h"
#include "tests/host/list/quarantine_file.h"
#include "tests/host_platform/host_platform.h"

static const char usage[] =
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

/* A call into a plug-in that takes longer is a hang. */
#define HANG_S 10u

struct inprocess_options {
    const char *devices[AGPU_HOST_DEVICES_MAX]; /* model[,OPTIONS] or FILE[,OPTIONS]; none: our model */
    struct agpu_host_device found[AGPU_HOST_DEVICES_MAX];
    unsigned device_count;
    const char *foreign; /* the first of them that is not our model; NULL: none */
    struct agpu_host_config host;
    const char *filter;
    struct agpu_tag_choice tags;
    struct agpu_shard shard;
    unsigned cases_max;
    bool until_failure;
    bool all_evidence;
    unsigned stress_s;
    unsigned pattern_s;
    struct agpu_quarantine quarantine;
    struct agpu_budgets budgets;
    const char *select; /* as device= of agpu.cfg; NULL: the one, or all */
    const char *after;
    const char *require;
    const char *allow_skips;
    struct agpu_trace trace;
    enum agpu_stack_mode stack_mode;
    struct agpu_settings settings;
    struct agpu_rounds_config rounds;
    const char *capture; /* file; NULL: none */
    enum agpu_capture_mode capture_mode;
    const char *replay; /* file; NULL: the catalogue */
    uint64_t until;
    bool any; /* the device is not known to be our model */
    bool list;
    bool quiet;
};

static const char *text_of(const char *packet, size_t length)
{
    const char *semicolon = memchr(packet, ';', length);

    return semicolon != NULL ? semicolon + 1 : packet;
}

static void print_packet(void *ctx, const char *packet, size_t length)
{
    const struct inprocess_options *options = ctx;
    const char *text = text_of(packet, length);

    if (options->quiet && strncmp(text, "check ", 6) != 0 && strncmp(text, "summary ", 8) != 0 &&
        strncmp(text, "log ", 4) != 0 &&
        (strncmp(text, "end ", 4) != 0 || strstr(text, " status=PASS ") != NULL ||
         strstr(text, " status=SKIP ") != NULL)) {
        return;
    }
    fwrite(packet, 1, length, stdout);
}

static void log_to_stream(void *ctx, enum agpu_log_level level, const char *text)
{
    agpu_stream_log(ctx, level, text);
}

static void print_case(void *ctx, const struct agpu_case *item)
{
    (void)ctx;
    printf("%-50s %s\n", item->id, item->spec);
}

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

/* What the machine and the program hold between two rounds. */
static unsigned program_gauges(void *ctx, struct agpu_gauge *out, unsigned max)
{
    const struct agpu_host_counts *counts = agpu_host_counts(ctx);
    const struct agpu_gauge gauges[] = {
        {"round.heap_blocks", "blocks", counts->heap_live, 0},
        {"round.dma_blocks", "blocks", counts->dma_live, 0},
        /* With what the device model holds: resources, caches. */
        {"round.program_bytes", "bytes", mallinfo2().uordblks, UINT64_C(1) << 20},
    };
    unsigned count = sizeof gauges / sizeof gauges[0];

    count = count < max ? count : max;
    memcpy(out, gauges, count * sizeof gauges[0]);
    return count;
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

static bool parse(int argc, char **argv, struct inprocess_options *options)
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
                    value != NULL ? value : "", usage);
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

/* ---- capture ---- */

/* Memory that is followed at a time, and that one case's records may take until it is known whether they are wanted. */
#define CAPTURE_PAGES      32768u
#define CAPTURE_CASE_BYTES ((size_t)256 << 20)

struct inprocess_capture {
    struct agpu_capture_file *file;
    struct agpu_tap tap;
};

static void capture_case_begins(void *ctx, const struct agpu_case *item, unsigned index)
{
    agpu_tap_case_begin(ctx, item->id, index);
}

static void capture_case_ends(void *ctx, enum agpu_result result)
{
    agpu_tap_case_end(ctx, (uint32_t)result, agpu_result_name(result), result > AGPU_SKIP);
}

/* The machine with a tap before it. False with a message. */
static bool open_capture(struct inprocess_capture *capture, const struct inprocess_options *options,
                         struct agpu_runner_config *config)
{
    const struct agpu_platform *machine = config->platform;
    struct agpu_tap_config tap = {
        .mode = options->capture_mode,
        .producer = "agpu_inprocess",
        .pages = CAPTURE_PAGES,
        .case_bytes = options->capture_mode == AGPU_CAPTURE_ALL ? 0 : CAPTURE_CASE_BYTES,
        .registers = true,
        .write = agpu_capture_file_take,
    };
    char message[512];

    if (options->capture == NULL) {
        return true;
    }
    capture->file = agpu_capture_file_create(options->capture, message, sizeof message);
    if (capture->file == NULL) {
        fprintf(stderr, "agpu_inprocess: --capture: %s\n", message);
        return false;
    }
    tap.ctx = capture->file;
    if (!agpu_tap_init(&capture->tap, machine, &tap)) {
        fprintf(stderr, "agpu_inprocess: --capture: no memory, or %s cannot be written\n", options->capture);
        agpu_capture_file_close(capture->file, false, message, sizeof message);
        return false;
    }
    config->platform = &capture->tap.platform;
    config->case_begins = capture_case_begins;
    config->case_ends = capture_case_ends;
    config->cases_ctx = &capture->tap;
    return true;
}

/* False with a message when the file is not complete. */
static bool close_capture(struct inprocess_capture *capture, const char *path)
{
    char message[512] = "it could not be written";
    bool complete;

    if (path == NULL) {
        return true;
    }
    complete = agpu_tap_close(&capture->tap);
    complete = agpu_capture_file_close(capture->file, false, message, sizeof message) && complete;
    if (!complete) {
        fprintf(stderr, "agpu_inprocess: --capture: %s: %s\n", path, message);
    } else if (capture->tap.lost_cases != 0) {
        fprintf(stderr, "agpu_inprocess: --capture: of %u cases not everything had room\n",
                (unsigned)capture->tap.lost_cases);
    }
    return complete;
}

/* ---- replay ---- */

struct inprocess_replay {
    const char *path;
    struct agpu_capture_reader *reader;
    char message[512];
};

static const char *open_replay(void *ctx)
{
    struct inprocess_replay *replay = ctx;

    replay->reader = agpu_capture_open(replay->path, replay->message, sizeof replay->message);
    return replay->reader != NULL ? NULL : replay->message;
}

static bool next_replayed(void *ctx, struct agpu_capture_item *item, const char **wrong)
{
    struct inprocess_replay *replay = ctx;
    const enum agpu_capture_next next = agpu_capture_next(replay->reader, item);

    if (next == AGPU_CAPTURE_NEXT_CUT || next == AGPU_CAPTURE_NEXT_WRONG) {
        snprintf(replay->message, sizeof replay->message, "%s", agpu_capture_error(replay->reader));
        *wrong = replay->message;
    }
    return next == AGPU_CAPTURE_NEXT_RECORD;
}

static void close_replay(void *ctx)
{
    agpu_capture_close(((struct inprocess_replay *)ctx)->reader);
}

/* False with a message when it cannot be had. */
static bool load_device(struct inprocess_options *options)
{
    char message[512];

    if (options->foreign != NULL && (!vgpu_warden_set() || !vgpu_guard_install(options->foreign, HANG_S))) {
        fprintf(stderr, "agpu_inprocess: cannot watch over the device\n");
        return false;
    }
    for (unsigned i = 0; i < options->device_count; i++) {
        struct agpu_host_device *found = &options->found[i];

        found->device = vgpu_named_device(options->devices[i], &found->options, message, sizeof message);
        if (found->device == NULL) {
            fprintf(stderr, "agpu_inprocess: --device: %s\n", message);
            return false;
        }
    }
    if (options->device_count != 0) {
        options->host.device = options->found[0].device;
        options->host.options = options->found[0].options;
        options->host.more = options->found + 1;
        options->host.more_count = options->device_count - 1;
    }
    return true;
}

static int run(struct inprocess_options *options)
{
    struct agpu_host *host;
    const struct agpu_platform *platform;
    struct agpu_stream stream = {0};
    struct agpu_sink sink = {.name = "stdout", .ctx = options, .packet = print_packet};
    struct agpu_runner_config config = {
        .fixture = &agpu_device_fixture,
        .build = "in-process",
        .filter = options->filter,
        .tags = options->tags,
        .shard = options->shard,
        .cases_max = options->cases_max,
        .until_failure = options->until_failure,
        .all_evidence = options->all_evidence,
        .pattern_ns = options->pattern_s * UINT64_C(1000000000),
        .stress_ns = options->stress_s * UINT64_C(1000000000),
        .quarantine = &options->quarantine,
        .budgets = &options->budgets,
        .after = options->after,
        .require = options->require,
        .allow_skips = options->allow_skips,
        .trace = options->trace,
        .stack_mode = options->stack_mode,
        .settings = &options->settings,
    };
    struct inprocess_replay replay = {.path = options->replay};
    const struct agpu_replay_source source = {.ctx = &replay,
                                              .open = open_replay,
                                              .next = next_replayed,
                                              .close = close_replay,
                                              .until = options->until};
    struct agpu_summary summary;
    static struct inprocess_capture capture;
    enum agpu_result worst;
    char message[512];
    bool captured;

    if (!load_device(options)) {
        return 2;
    }
    options->host.log = log_to_stream;
    options->host.log_ctx = &stream;
    host = agpu_host_create(&options->host, message, sizeof message);
    if (host == NULL) {
        fprintf(stderr, "agpu_inprocess: no device: %s\n", message);
        return 2;
    }
    vgpu_guard_watch(agpu_host_port(host));
    platform = agpu_host_platform(host);
    agpu_stream_init(&stream, platform->now_ns, platform->ctx, platform->now_ns(platform->ctx));
    agpu_stream_add_sink(&stream, &sink);
    config.platform = platform;
    if (!open_capture(&capture, options, &config)) {
        agpu_host_destroy(host);
        return 2;
    }
    config.stream = &stream;
    config.tables = options->replay != NULL ? agpu_replay_catalogue(&source, &config.table_count)
                                            : agpu_catalogue(&config.table_count);
    config.case_bound_ns = options->replay != NULL ? UINT64_C(3600000000000) : 0;
    config.total_bound_ns = config.case_bound_ns;
    config.model = !options->any;
    options->rounds.gauges = program_gauges;
    options->rounds.gauges_ctx = host;
    worst = agpu_run_devices(&config, &options->rounds,
                             options->select != NULL     ? options->select
                             : options->device_count > 1 ? "all"
                                                         : NULL,
                             &summary);
    captured = close_capture(&capture, options->capture);
    agpu_host_destroy(host);
    return worst == AGPU_PASS && captured ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct inprocess_options options = {0};
    int status;

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* whoever reads may stop at the first failure */
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (!parse(argc, argv, &options)) {
        return 2;
    }
    if (options.list) {
        struct agpu_runner_config config = {
            .filter = options.filter,
            .tags = options.tags,
            .shard = options.shard,
            .legacy = vgpu_abi_is_legacy(options.host.abi),
        };

        config.tables = agpu_catalogue(&config.table_count);
        agpu_list(&config, print_case, NULL);
        return 0;
    }
    status = run(&options);
    return vgpu_warden_dismiss() ? status : 1;
}
