/* cmd_run.c: `agpu run`. */
#include "tests/host/cmd_run.h"
#include "tests/device/plugin/model.h"
#include "tests/host/capture/copy.h"
#include "tests/host/capture/functions.h"
#include "tests/host/exit_status.h"
#include "tests/host/history/import.h"
#include "tests/host/report/replay.h"
#include "tests/host/report/result_folder.h"
#include "tests/host/run/accel.h"
#include "tests/host/run/again.h"
#include "tests/host/run/capture_disk.h"
#include "tests/host/run/device_check.h"
#include "tests/host/run/esp_config.h"
#include "tests/host/run/guest_config.h"
#include "tests/host/run/needs.h"
#include "tests/host/run/options_agree.h"
#include "tests/host/run/rerun.h"
#include "tests/host/run/run_ctl.h"
#include "tests/host/run/supervise.h"
#include "tests/host/run/tpm.h"
#include "tests/host/run_capture.h"
#include "tests/host/run_timeline.h"
#include "tests/host/vdev/vdev_fault.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

static int run_catch_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    return sigprocmask(SIG_BLOCK, &set, NULL) == 0 ? signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK) : -1;
}

/* Appends the fault in the options of our model, "model,fault=NAME", as one of several devices. */
static void add_fault(char *text, size_t size, const char *device)
{
    const char *fault = device != NULL && vgpu_names_model(device) ? strstr(device, ",fault=") : NULL;
    const size_t used = strlen(text);

    if (fault != NULL) {
        fault += strlen(",fault=");
        snprintf(text + used, size - used, "%s%.*s", used != 0 ? " + " : "", (int)strcspn(fault, ","), fault);
    }
}

/* Finds the fault that was injected into the device; "": none. */
static void find_fault(const struct agpu_run_options *options, char *text, size_t size)
{
    snprintf(text, size, "%s", options->fault != NULL ? options->fault : "");
    add_fault(text, size, options->plugin);
    for (unsigned i = 0; i < options->more_device_count; i++) {
        add_fault(text, size, options->more_devices[i]);
    }
}

static void describe_environment(struct agpu_session *session, const struct agpu_run_options *options,
                                 const struct agpu_supervision *run)
{
    char fault[200], devices[256] = "", machine[512], restores[200] = "";
    struct utsname host;

    uname(&host);
    snprintf(machine, sizeof machine, "%s %s %s %s", host.nodename, host.sysname, host.release, host.machine);
    find_fault(options, fault, sizeof fault);
    snprintf(devices, sizeof devices, "%s", options->plugin != NULL ? options->plugin : "");
    for (unsigned i = 0; i < options->more_device_count; i++) {
        const size_t used = strlen(devices);

        snprintf(devices + used, sizeof devices - used, "%s%s", used != 0 ? " + " : "",
                 options->more_devices[i]);
    }
    for (unsigned i = 0; options->save_restore != NULL && i <= options->more_device_count; i++) {
        const size_t used = strlen(restores);

        snprintf(restores + used, sizeof restores - used, "%s%" PRIu64, i != 0 ? " + " : "",
                 run->restores[i]);
    }
    const enum agpu_firmware firmware = agpu_hardware_firmware(&options->hardware);
    /* In the order in which replay.c lists them. */
    const struct {
        const char *name, *value;
    } given[] = {
        {"agpu", AGPU_VERSION},
        {"qemu", run->qemu_version},
        {"accel", run->accel},
        {"firmware", firmware == AGPU_FIRMWARE_NONE   ? "none (direct boot)"
                     : firmware == AGPU_FIRMWARE_BIOS ? "SeaBIOS"
                                                      : options->ovmf_code},
        {"host", machine},
        {"abi", options->abi},
        {"fault", fault},
        {"filter", options->filter},
        {"machine", options->machine},
        {"plugin", devices},
        {"restores", restores},
        {"save_restore", options->save_restore},
        {"vdev", options->vdev},
    };
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        agpu_report_environment(&session->report, given[i].name, "%s",
                                given[i].value != NULL ? given[i].value : "");
    }
}

/* A device that was not restored has not been tested as requested. */
static void report_restores(struct agpu_session *session, const struct agpu_supervision *run)
{
    struct agpu_run *records = agpu_collector_run(session->collector);
    char text[200];

    for (unsigned i = 0; i <= run->options->more_device_count && records->ending == AGPU_ENDING_NONE; i++) {
        if (run->restores[i] == 0) {
            snprintf(text, sizeof text,
                     "--save-restore %s: expected device %u to be restored at least once, found no time: "
                     "choose a smaller number, or more cases",
                     run->options->save_restore, i + 1);
            agpu_run_device_fault(records, text);
        }
    }
    agpu_progress_note(&session->progress, "  saved and restored %s times",
                       agpu_report_environment_of(&session->report, "restores"));
}

/* The capture of the running machine, and the timeline data of the first boot's. */
struct guest_view {
    struct agpu_run_capture *capture;
    struct agpu_side list;
    bool all;
};

static void name_disk(const struct agpu_machine *machine, char disk[160])
{
    snprintf(disk, 160, "%s/" AGPU_CAPTURE_DISK, machine->work);
}

static void follow_capture(struct agpu_supervision *run, struct agpu_machine *machine, unsigned boot)
{
    struct guest_view *guest = run->machines_ctx;
    const bool wanted = boot == 0 && run->options->device_capture == NULL;
    char disk[160];

    name_disk(machine, disk);
    guest->capture = agpu_run_capture_follow(run->session, disk, boot, wanted ? &guest->list : NULL);
}

/* Called after QEMU has ended, because it reads QEMU's disk. */
static void collect_capture(struct agpu_supervision *run, struct agpu_machine *machine, unsigned boot)
{
    struct guest_view *guest = run->machines_ctx;
    char disk[160];

    agpu_process_kill(&machine->qemu);
    name_disk(machine, disk);
    if (agpu_run_capture_collect(run->session, guest->capture, disk, boot)) {
        guest->all = true;
    }
    guest->capture = NULL;
}

/* Chooses the folder of this run: the given one, or the next numbered one. */
static bool choose_folder(const struct agpu_run_options *options, char *folder, size_t size)
{
    if (options->out != NULL) {
        snprintf(folder, size, "%s", options->out);
        return true;
    }
    if (agpu_result_folder_next(options->results, folder, size)) {
        return true;
    }
    fprintf(stderr, "agpu run: cannot make a result folder in %s: %s\n", options->results, strerror(errno));
    return false;
}

/* Limits of the search for a run to compare with: numbers to search, runs to read. */
#define BEFORE_NUMBERS 200u
#define BEFORE_READ    10u

/* Returns the last run in the same folder of results with the same setup, to compare with; NULL: there is none. */
static struct agpu_replay *load_before(const struct agpu_session *session)
{
    const char *name = strrchr(session->folder, '/');
    const unsigned long number = name != NULL ? strtoul(name + 1, NULL, 10) : 0;
    struct agpu_report report = session->report;
    char wanted[AGPU_HISTORY_SETUP_MAX], setup[AGPU_HISTORY_SETUP_MAX], path[4200];
    unsigned read = 0;

    report.run = agpu_collector_run(session->collector);
    agpu_history_setup(&report, wanted, sizeof wanted);
    for (unsigned long i = 1; i <= BEFORE_NUMBERS && i < number && read < BEFORE_READ; i++) {
        struct agpu_replay *before;

        snprintf(path, sizeof path, "%.*s/%04lu/results.jsonl", (int)(name - session->folder),
                 session->folder, number - i);
        before = access(path, R_OK) == 0 ? calloc(1, sizeof *before) : NULL;
        if (before == NULL) {
            continue;
        }
        read++;
        if (agpu_replay_load(before, path)) {
            agpu_history_setup(&before->report, setup, sizeof setup);
            if (strcmp(setup, wanted) == 0) {
                return before;
            }
        }
        agpu_replay_free(before);
        free(before);
    }
    return NULL;
}

/* The commands that repeat this run. */
struct again {
    char *text;
    char **words;
    char directory[PATH_MAX];
};

static int run_machine(struct agpu_run_options *options, const struct again *again)
{
    const bool resumes = agpu_run_resumes(options);
    /* A machine that resets and continues is silent while it boots, and its case continues meanwhile. */
    const uint64_t boot_us = resumes ? options->boot_timeout_us : 0;
    struct agpu_collector_config config = {.boot_timeout_us = options->boot_timeout_us,
                                           .silence_us = options->silence_us + boot_us,
                                           .case_timeout_us = options->case_timeout_us + boot_us,
                                           .run_timeout_us = options->timeout_us,
                                           .restart_ends = !resumes};
    struct agpu_session session;
    struct guest_view guest = {.list = agpu_run_timeline_list()};
    struct agpu_supervision run = {.session = &session, .options = options, .machines_ctx = &guest};
    char folder[4096];

    if (!agpu_run_needs_are_here(options)) {
        return AGPU_EXIT_FAIL;
    }
    if (agpu_run_captures_to_disk(options)) {
        run.started = follow_capture;
        run.ended = collect_capture;
    }
    /* Before the session's clock starts: the one-time probe does not count as run time. */
    if (options->machine == NULL) {
        run.accel = agpu_accel_choose(options->accel, options->qemu, options->ovmf_code, options->ovmf_vars);
        options->tpm = agpu_hardware_firmware(&options->hardware) == AGPU_FIRMWARE_UEFI &&
                       agpu_tpm_is_possible(options->qemu, options->qemu_args);
    }
    run.signal_fd = run_catch_signals();
    if (run.signal_fd < 0) {
        fprintf(stderr, "agpu run: signalfd: %s\n", strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    if (!choose_folder(options, folder, sizeof folder) || !agpu_session_open(&session, folder, "", &config)) {
        close(run.signal_fd);
        return AGPU_EXIT_FAIL;
    }
    if (options->out == NULL) {
        agpu_result_folder_set_latest(options->results, folder);
    }
    session.report.again = again->text;
    session.report.words = again->words;
    session.report.directory = again->directory;
    if (agpu_run_spares_serial(options)) {
        session.console_of = AGPU_SOURCE_DEBUGCON;
    }
    if (options->image == NULL ||
        !agpu_find_beside(options->image, "agpu.debug", session.symbols, sizeof session.symbols)) {
        session.symbols[0] = '\0';
    }
    agpu_collector_run(session.collector)->attended = agpu_run_waits(options);
    agpu_collector_run(session.collector)->asked =
        (struct agpu_run_asked){.require = agpu_run_config_value(options, "require"),
                                .expect = agpu_run_config_value(options, "expect"),
                                .allow_skips = agpu_run_config_value(options, "allow_skips")};
    agpu_collector_run(session.collector)->quarantine = &options->choice.quarantine;
    if (run.accel != NULL && strcmp(run.accel, options->accel) != 0 && strcmp(run.accel, "tcg") == 0) {
        agpu_progress_note(&session.progress, "no KVM here: the run is slower, its results are the same");
    }
    if (!agpu_run_ctl_prepare(options, &session)) {
        agpu_session_close(&session);
        close(run.signal_fd);
        return AGPU_EXIT_FAIL;
    }
    agpu_supervise(&run);
    agpu_run_ctl_end(options);
    describe_environment(&session, options, &run);
    if (options->save_restore != NULL) {
        report_restores(&session, &run);
    }
    struct agpu_replay *before = options->out == NULL ? load_before(&session) : NULL;
    if (before != NULL) {
        session.report.before = &before->run;
        session.report.before_name = before->folder;
    }
    session.report.qemu = run.command;
    if (agpu_run_capture_streamed(&session, options->device_capture == NULL ? &guest.list : NULL)) {
        guest.all = true;
    }
    struct agpu_timeline *timeline =
        options->capture != NULL
            ? agpu_run_timeline(folder, options->device_capture, guest.all ? &guest.list : NULL)
            : NULL;
    session.report.timeline = timeline;
    if (options->keep && run.work[0] != '\0') {
        agpu_progress_note(&session.progress, "  working files      %s", run.work);
    }
    bool written = agpu_session_finish(&session, run.started_us, agpu_now_us());
    bool passed = agpu_session_passed(&session);
    agpu_session_close(&session);
    if (options->out == NULL && run.signal == 0) {
        agpu_history_note_run(options->results, folder);
    }
    free(run.command);
    agpu_run_timeline_free(timeline);
    agpu_side_close(&guest.list);
    if (before != NULL) {
        agpu_replay_free(before);
        free(before);
    }
    close(run.signal_fd);
    if (run.signal != 0) {
        return 128 + run.signal;
    }
    return written && passed ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}

/* The image cannot decompress: the capture is stored unpacked. */
static int run_replay(struct agpu_run_options *options, const struct again *again)
{
    const char *folder = getenv("TMPDIR");
    char path[4096], message[400];
    const char *name = NULL;
    uint32_t function = 0;
    int fd, status = AGPU_EXIT_FAIL;

    if (options->replay_function != NULL &&
        !agpu_capture_function_read("agpu run", options->replay_function, &function, &name)) {
        return AGPU_EXIT_USAGE;
    }
    if (!agpu_capture_function_find("agpu run", options->replay, name, &function)) {
        return AGPU_EXIT_FAIL;
    }
    snprintf(path, sizeof path, "%s/agpu-replay-XXXXXX", folder != NULL ? folder : "/tmp");
    fd = mkstemp(path);
    if (fd < 0) {
        fprintf(stderr, "agpu run: --replay: %s: %s\n", path, strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    close(fd);
    if (agpu_capture_unpack(options->replay, function, options->replay_cases, path, message,
                            sizeof message)) {
        options->replay = path;
        status = run_machine(options, again);
    } else {
        fprintf(stderr, "agpu run: --replay: %s: %s\n", options->replay, message);
    }
    unlink(path);
    return status;
}

/* A run cannot be repeated on a device with another injected fault. */
static bool has_its_fault(const struct agpu_rerun *rerun, const struct agpu_run_options *options)
{
    const char *was = agpu_report_environment_of(&rerun->replay.report, "fault");
    char fault[200];

    find_fault(options, fault, sizeof fault);
    if (strcmp(was, fault) == 0) {
        return true;
    }
    fprintf(
        stderr,
        "agpu run: the run of %s cannot be repeated: expected its device with the fault \"%s\", found the "
        "fault \"%s\"\n",
        rerun->from, was, fault);
    return false;
}

/* Returns true when nothing in the run needs a firmware, a disk or a screen: our model, from our image. A capture of
 * all cases is faster on a disk, one of failures goes over the network. */
static bool boots_directly(const struct agpu_run_options *options)
{
    char elf[PATH_MAX];
    const bool model = agpu_run_starts_device(options) && options->vdev == NULL && options->machine == NULL &&
                       (options->plugin == NULL || vgpu_names_model(options->plugin));
    const bool disk =
        (options->capture != NULL && (!options->nic || strcmp(options->capture, "failures") != 0)) ||
        options->replay != NULL || options->screenshot != NULL || options->keep ||
        strstr(options->image, ".iso") != NULL || agpu_run_config_has(options, "capture") ||
        agpu_run_config_has(options, "trace_file");

    return model && !disk && !options->own_firmware && options->qemu_args == NULL &&
           options->hardware.of[AGPU_HARDWARE_IOMMU] == NULL &&
           agpu_find_beside(options->image, "agpu.elf", elf, sizeof elf);
}

int agpu_cmd_run(int argc, char **argv)
{
    static struct agpu_run_options options;
    static struct agpu_rerun rerun;
    struct again again = {0};
    enum agpu_options_result parsed = agpu_run_options_parse(argc, argv, &options);
    int status = AGPU_EXIT_USAGE;

    if (parsed == AGPU_OPTIONS_HELP) {
        return AGPU_EXIT_PASS;
    }
    if (parsed == AGPU_OPTIONS_RUN && options.fault != NULL && strcmp(options.fault, "list") == 0) {
        agpu_vdev_faults_list();
        return AGPU_EXIT_PASS;
    }
    if (parsed == AGPU_OPTIONS_RUN && options.failed_from != NULL) {
        const char *from = options.failed_from;

        parsed = AGPU_OPTIONS_BAD;
        if (agpu_rerun_read(&rerun, argc, argv, from)) {
            argc = rerun.argc;
            argv = rerun.argv;
            parsed = agpu_run_options_parse(argc, argv, &options);
        }
        if (parsed == AGPU_OPTIONS_RUN &&
            (!agpu_rerun_choose(&rerun, &options) || !has_its_fault(&rerun, &options))) {
            parsed = AGPU_OPTIONS_BAD;
        }
    }
    if (parsed == AGPU_OPTIONS_RUN && options.hardware.of[AGPU_HARDWARE_BOOT] == NULL &&
        boots_directly(&options)) {
        agpu_hardware_choose(&options.hardware, AGPU_HARDWARE_BOOT, "direct");
    }
    if (parsed == AGPU_OPTIONS_RUN && agpu_run_options_agree(&options) &&
        agpu_run_devices_can_be_made(&options)) {
        again.words = agpu_again_words(argc, argv, &options);
        again.text = rerun.replay.again != NULL ? strdup(rerun.replay.again) : agpu_again(argc, argv);
        if (getcwd(again.directory, sizeof again.directory) == NULL) {
            again.directory[0] = '\0';
        }
        status = options.replay != NULL ? run_replay(&options, &again) : run_machine(&options, &again);
    }
    free(again.text);
    agpu_words_free(again.words);
    if (rerun.from != NULL) {
        agpu_rerun_free(&rerun);
    }
    return status;
}
