/* inprocess.c: agpu_inprocess runs the whole catalogue against a device, ours or a plug-in, in one process. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/machine/location.h"
#include "tests/capture/tap.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/harness/devices.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/harness/selection.h"
#include "tests/cases/replay/replay.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/harness/stream.h"
#include "tests/ddi/record.h"
#include "tests/device/plugin/guard.h"
#include "tests/device/plugin/model.h"
#include "tests/device/plugin/port.h"
#include "tests/device/plugin/refusal.h"
#include "tests/device/plugin/warden.h"
#include "tests/host/capture/file.h"
#include "tests/host/capture/functions.h"
#include "tests/host/capture/reader.h"
#include "tests/host/list/cases.h"
#include "tests/host_platform/host_platform.h"
#include "tests/host_platform/inprocess_options.h"
#include "tests/host_platform/screen.h"
#include "tests/host_platform/supervise.h"

/* A call into a plug-in that takes longer is a hang; --hang changes the limit. */
#define HANG_S 10u

static void log_to_stream(void *ctx, enum agpu_log_level level, const char *text)
{
    agpu_stream_log(ctx, level, text);
}

static void print_case(void *ctx, const struct agpu_case *item)
{
    (void)ctx;
    printf("%-50s %s\n", item->id, item->spec);
}

/* Reads the resource use of machine and program between two rounds. */
static unsigned program_gauges(void *ctx, struct agpu_gauge *out, unsigned max)
{
    const struct agpu_host_counts *counts = agpu_host_counts(ctx);
    const struct agpu_gauge gauges[] = {
        {"round.heap_blocks", "blocks", counts->heap_live, 0},
        {"round.dma_blocks", "blocks", counts->dma_live, 0},
        /* Includes the device model's: resources, caches. */
        {"round.program_bytes", "bytes", mallinfo2().uordblks, UINT64_C(1) << 20},
    };
    unsigned count = sizeof gauges / sizeof gauges[0];

    count = count < max ? count : max;
    memcpy(out, gauges, count * sizeof gauges[0]);
    return count;
}

/* ---- capture ---- */

/* Maximum number of followed pages, and of bytes for one case's records until it is known whether they are wanted. */
#define CAPTURE_PAGES      32768u
#define CAPTURE_CASE_BYTES ((size_t)256 << 20)

struct inprocess_capture {
    struct agpu_capture_file *file;
    struct agpu_tap tap;
};

/* Context of the callbacks for each case. */
struct inprocess_cases {
    const struct agpu_stream *stream;
    struct agpu_tap *tap; /* NULL: no capture */
};

static void inprocess_case_begins(void *ctx, const struct agpu_case *item, unsigned index)
{
    const struct inprocess_cases *cases = ctx;
    const char *device = cases->stream->device;
    char place[200];

    snprintf(place, sizeof place, "in case %s%s%s", item->id, device != NULL ? " of function " : "",
             device != NULL ? device : "");
    vgpu_guard_set_place(place);
    ddi_record_case(item->id);
    if (cases->tap != NULL) {
        agpu_tap_case_begin(cases->tap, item->id, index);
    }
}

static void inprocess_case_ends(void *ctx, enum agpu_result result)
{
    const struct inprocess_cases *cases = ctx;

    if (cases->tap != NULL) {
        agpu_tap_case_end(cases->tap, (uint32_t)result, agpu_result_name(result), result > AGPU_SKIP);
    }
}

/* Puts a tap in front of the machine. Returns false with a message on failure. */
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
    ((struct inprocess_cases *)config->cases_ctx)->tap = &capture->tap;
    return true;
}

/* Returns false with a message if the file is not complete. */
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
        fprintf(stderr, "agpu_inprocess: --capture: %u cases are incomplete: no room\n",
                (unsigned)capture->tap.lost_cases);
    }
    return complete;
}

/* ---- device faults outside of cases ---- */

/* Absurd DMA of each device, as far as it was reported (tests/device/plugin/refusal.h). */
struct inprocess_faults {
    struct agpu_host *host;
    const struct agpu_stream *stream;
    uint64_t known[AGPU_HOST_DEVICES_MAX];
    char first[AGPU_HOST_DEVICES_MAX][160]; /* the case in which it was first found */
};

static void name_device(struct agpu_host *host, unsigned device, struct agpu_text *out)
{
    const struct agpu_platform *platform = agpu_host_platform(host);
    struct agpu_pci_ref ref;

    agpu_format(out, "device %s", vgpu_port_table(agpu_host_port_at(host, device))->name);
    if (platform->pci_function(platform->ctx, device, &ref)) {
        agpu_text_string(out, " at ");
        agpu_pci_describe_location(out, &ref.location);
    }
}

/* Reports accesses of a device to absurd amounts of memory: once for each device, in the case in which they first
 * occur. */
static bool take_faults(void *ctx, struct agpu_text *what)
{
    struct inprocess_faults *faults = ctx;
    const struct vgpu_port *port;
    bool any = false;

    for (unsigned i = 0; (port = agpu_host_port_at(faults->host, i)) != NULL; i++) {
        const uint64_t now = vgpu_port_absurd_dma(port);

        if (now != 0 && faults->known[i] == 0) {
            snprintf(faults->first[i], sizeof faults->first[i], "%s",
                     faults->stream->running != NULL ? faults->stream->running : "no case");
            agpu_text_string(what, what->length != 0 ? "; " : "");
            name_device(faults->host, i, what);
            agpu_format(what,
                        VGPU_DMA_ABSURD_WORDS "more than 2^52 bytes at once, first in %s; expected none: the "
                                              "run is an ERROR even if its cases pass",
                        faults->first[i]);
        }
        any = any || now != faults->known[i];
        faults->known[i] = now;
    }
    return any;
}

/* Reports the totals after all records. Returns true if there was a fault. */
static bool report_faults(struct inprocess_faults *faults)
{
    char buffer[400];
    struct agpu_text text;
    bool any = false;

    agpu_text_begin(&text, buffer, sizeof buffer);
    take_faults(faults, &text); /* faults after the summary */
    for (unsigned i = 0; i < AGPU_HOST_DEVICES_MAX; i++) {
        if (faults->known[i] != 0) {
            agpu_text_begin(&text, buffer, sizeof buffer);
            name_device(faults->host, i, &text);
            fprintf(stderr,
                    "agpu_inprocess: ERROR: %s asked for absurd DMA %" PRIu64
                    " times, first in %s; expected none; the first report has the details\n",
                    buffer, faults->known[i], faults->first[i]);
            any = true;
        }
    }
    return any;
}

#define EXITING 0x4u /* PF_EXITING of the kernel */

/* Returns the number of threads of this process that do not end. The kernel lists a thread for a moment after it was
 * joined. */
static unsigned count_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    unsigned count = 0;

    while (tasks != NULL && (task = readdir(tasks)) != NULL) {
        char path[300], line[1024];
        unsigned flags = EXITING;
        FILE *stat;

        snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
        stat = task->d_name[0] != '.' ? fopen(path, "re") : NULL;
        if (stat != NULL) {
            const char *name_end = fgets(line, sizeof line, stat) != NULL ? strrchr(line, ')') : NULL;

            if (name_end == NULL || sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %u", &flags) != 1) {
                flags = EXITING;
            }
            fclose(stat);
        }
        count += (flags & EXITING) == 0;
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return count;
}

/* The cases cause refusals, too: the number is for a comparison with another device. */
static void send_refusals(struct agpu_host *host, struct agpu_stream *stream)
{
    struct agpu_record record;
    const struct vgpu_port *port;
    uint64_t refused = 0;

    for (unsigned i = 0; (port = agpu_host_port_at(host, i)) != NULL; i++) {
        refused += vgpu_port_refused_dma(port);
    }
    agpu_record_begin(&record, AGPU_RECORD_METRIC, NULL);
    agpu_record_string(&record, AGPU_KEY(METRIC, name), "run.accesses.refused_dma");
    agpu_record_u64(&record, AGPU_KEY(METRIC, value), refused);
    agpu_record_string(&record, AGPU_KEY(METRIC, unit), "accesses");
    agpu_stream_send(stream, &record);
}

/* ---- replay ---- */

struct inprocess_replay {
    const char *path;
    struct agpu_capture_reader *reader;
    struct agpu_capture_progress progress;
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
    char place[AGPU_CAPTURE_PROGRESS_TEXT];

    if (next == AGPU_CAPTURE_NEXT_RECORD &&
        agpu_capture_progress_take(&replay->progress, item, place, sizeof place)) {
        vgpu_guard_set_place(place);
    }
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

/* Loads the plug-ins. Returns false with a message if that fails. */
static bool load_device(struct inprocess_options *options)
{
    char message[512];

    if (options->foreign != NULL &&
        !vgpu_guard_install(options->foreign, options->hang_s != 0 ? options->hang_s : HANG_S)) {
        fprintf(stderr, "agpu_inprocess: cannot start the thread that guards the device\n");
        return false;
    }
    for (unsigned i = 0; i < options->device_count; i++) {
        struct agpu_host_device *found = &options->found[i];

        vgpu_guard_name(options->devices[i]);
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

/* Checks the selection before the run. A capture has its own cases, and the test picture needs none. */
static bool cases_exist(const struct inprocess_options *options)
{
    const struct agpu_list_choice choice = {.filter = options->filter,
                                            .tags = options->tags,
                                            .shard = options->shard,
                                            .abi = options->device_count != 0 ? AGPU_LISTED_ANY
                                                   : vgpu_abi_is_legacy(options->host.abi)
                                                       ? AGPU_LISTED_LEGACY
                                                       : AGPU_LISTED_VERSIONED};
    char text[1200];

    if (options->replay != NULL || options->pattern_s != 0 ||
        !agpu_list_explain(&choice, text, sizeof text)) {
        return true;
    }
    fprintf(stderr, "agpu_inprocess: %s\n", text);
    return false;
}

static int run(struct inprocess_options *options)
{
    struct agpu_host *host;
    const struct agpu_platform *platform;
    struct agpu_stream stream = {0};
    struct inprocess_cases cases = {.stream = &stream};
    struct agpu_sink sink = {.name = "stdout", .ctx = options, .packet = inprocess_print_packet};
    struct inprocess_screen *screen = NULL;
    struct agpu_runner_config config = {
        .fixture = &agpu_device_fixture,
        .build = "in-process",
        .filter = options->filter,
        .tags = options->tags,
        .shard = options->shard,
        .cases_max = options->cases_max,
        .until_failure = options->until_failure,
        .pattern_ns = options->pattern_s * UINT64_C(1000000000),
        .stress_ns = options->stress_s * UINT64_C(1000000000),
        .explore_seed = options->explore_seed,
        .quarantine = &options->quarantine,
        .budgets = &options->budgets,
        .after = options->after,
        .died = options->died,
        .expect = options->expect,
        .allow_skips = options->allow_skips,
        .fixture_config = options->fixture_config,
        .case_begins = inprocess_case_begins,
        .case_ends = inprocess_case_ends,
        .cases_ctx = &cases,
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
    struct inprocess_faults faults = {.stream = &stream};
    bool captured, faulty, shown;
    unsigned threads, left;

    if (!load_device(options)) {
        return 2;
    }
    options->host.log = log_to_stream;
    options->host.log_ctx = &stream;
    threads = count_threads();
    host = agpu_host_create(&options->host, message, sizeof message);
    if (host == NULL) {
        fprintf(stderr, "agpu_inprocess: no device: %s\n", message);
        return 2;
    }
    for (unsigned i = 0; agpu_host_port_at(host, i) != NULL; i++) {
        vgpu_guard_watch(agpu_host_port_at(host, i));
    }
    platform = agpu_host_platform(host);
    agpu_stream_init(&stream, platform->now_ns, platform->ctx, platform->now_ns(platform->ctx));
    config.platform = platform;
    faults.host = host;
    config.at_fault = take_faults;
    config.at_fault_ctx = &faults;
    if (!open_capture(&capture, options, &config)) {
        agpu_host_destroy(host);
        return 2;
    }
    if (options->record_ddi != NULL && !ddi_record_open(options->record_ddi)) {
        fprintf(stderr, "agpu_inprocess: --record-ddi: %s: %s\n", options->record_ddi, strerror(errno));
        close_capture(&capture, options->capture);
        agpu_host_destroy(host);
        return 2;
    }
    if (!options->records) {
        sink.packet = inprocess_screen_packet;
        sink.ctx = screen = inprocess_screen_open(options);
        if (screen == NULL) {
            close_capture(&capture, options->capture);
            agpu_host_destroy(host);
            return 2;
        }
    }
    agpu_stream_add_sink(&stream, &sink);
    config.stream = &stream;
    config.tables = options->replay != NULL ? agpu_replay_catalogue(&source, &config.table_count)
                                            : agpu_catalogue(&config.table_count);
    config.case_bound_ns = options->replay != NULL ? UINT64_C(3600000000000) : 0;
    config.total_bound_ns = config.case_bound_ns;
    config.fixture_config.model = !options->any;
    config.fixture_config.settings = &options->settings;
    options->rounds.gauges = program_gauges;
    options->rounds.gauges_ctx = host;
    worst = agpu_run_devices(&config, &options->rounds,
                             options->select != NULL     ? options->select
                             : options->device_count > 1 ? "all"
                                                         : NULL,
                             &summary);
    vgpu_guard_set_place(NULL);
    if (options->foreign != NULL) {
        send_refusals(host, &stream);
    }
    shown = screen == NULL || inprocess_screen_close(screen);
    captured = close_capture(&capture, options->capture);
    if (options->record_ddi != NULL && !ddi_record_close()) {
        fprintf(stderr, "agpu_inprocess: --record-ddi: %s: it could not be written\n", options->record_ddi);
        captured = false;
    }
    faulty = report_faults(&faults) || agpu_host_counts(host)->failed_restores != 0;
    if (options->host.save.every != 0) {
        fprintf(stderr, "agpu_inprocess: saved and restored %" PRIu64 " times, %" PRIu64 " failed\n",
                agpu_host_counts(host)->restores, agpu_host_counts(host)->failed_restores);
    }
    agpu_host_destroy(host);
    left = count_threads(); /* 0: the device has taken away the right to open files */
    if (options->foreign != NULL && left > threads) {
        fprintf(stderr,
                "agpu_inprocess: device %s" VGPU_CONTRACT_WORDS
                "%u of its threads still run after destroy(): expected none\n",
                options->foreign, left - threads);
    }
    return worst == AGPU_PASS && captured && shown && !faulty ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct inprocess_options options = {0};
    int status;

    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* line by line, for readers that stop at the first failure */
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(agpu_inprocess_usage, stdout);
        return 0;
    }
    if (!agpu_inprocess_parse(argc, argv, &options) || !cases_exist(&options)) {
        return 2;
    }
    if (options.list) {
        struct agpu_runner_config config = {
            .filter = options.filter,
            .tags = options.tags,
            .shard = options.shard,
            .device = vgpu_abi_is_legacy(options.host.abi) ? AGPU_CASE_LEGACY : 0,
        };

        config.tables = agpu_catalogue(&config.table_count);
        agpu_list(&config, print_case, NULL);
        return 0;
    }
    status = vgpu_warden_is_traced() ? run(&options) : inprocess_supervise(&options, run);
    return vgpu_warden_dismiss() ? status : 1;
}
