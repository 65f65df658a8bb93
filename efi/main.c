/* main.c: sequence of the application: entry record, configuration, network, the catalogue, exit. */
#include <string.h>

#include "efi/backtrace.h"
#include "efi/boot_id.h"
#include "efi/capture.h"
#include "efi/clock.h"
#include "efi/config.h"
#include "efi/config_load.h"
#include "efi/control/service.h"
#include "efi/control/wait.h"
#include "efi/crash.h"
#include "efi/date.h"
#include "efi/debugcon.h"
#include "efi/gauges.h"
#include "efi/guard.h"
#include "efi/leave.h"
#include "efi/machine.h"
#include "efi/net/net.h"
#include "efi/platform.h"
#include "efi/processors.h"
#include "efi/progress.h"
#include "efi/pump.h"
#include "efi/replay.h"
#include "efi/screen.h"
#include "efi/serial.h"
#include "efi/test_hook.h"
#include "efi/watchdog.h"
#include "efi/trap.h"
#include "efi/trace_file.h"
#include "efi/build_id.h"
#include "tests/cases/catalogue.h"
#include "tests/cases/harness/devices.h"
#include "tests/cases/harness/judge.h"
#include "tests/cases/harness/runner.h"
#include "tests/cases/rig/prepare.h"

/* A replayed capture is a single case and may be long. */
#define REPLAY_BOUND_NS (3600 * AGPU_NS_PER_S)

static struct agpu_stream stream;
static struct agpu_config config;
static uint64_t run_key = AGPU_PROGRESS_HASH_FIRST; /* hash of build and configuration text */
static char configured[1000];                       /* sources of the configuration */
static struct agpu_progress_found resumed;
static const char *resumed_reason; /* result text of the case in which the machine died; NULL: none */
static char running[96];

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static void warn_trace_file(const char *failed)
{
    agpu_stream_format(&stream, AGPU_LOG_WARNING, "trace_file=%s: %s; the trace is only in the records",
                       config.trace_file, failed);
}

/* Debug lines are the driver's trace. */
static void write_log_record(enum agpu_log_level level, const char *text)
{
    const char *failed = level == AGPU_LOG_DEBUG ? agpu_trace_file_append(text) : NULL;

    if (level <= config.log_level) {
        agpu_stream_log(&stream, level, text);
    }
    if (failed != NULL) {
        warn_trace_file(failed);
    }
}

/* The first record, at time zero, on every sink. The host measures the boot time from it. */
static void send_entry(void)
{
    agpu_stream_format(&stream, AGPU_LOG_INFO, "entry agpu.efi build " AGPU_BUILD_ID " at 0x%jx",
                       agpu_image_base());
}

static void load_config(void)
{
    const char *failed;

    agpu_config_load(&config, &stream, &run_key);
    if (config.trace_file[0] != '\0') {
        failed = agpu_trace_file_open(config.trace_file);
        if (failed != NULL) {
            warn_trace_file(failed);
        }
    }
}

/* Nothing can change the configuration from now on. */
static void end_config(void)
{
    struct agpu_text text;

    agpu_config_load_end();
    agpu_text_begin(&text, configured, sizeof configured);
    agpu_config_describe_sources(&config, &text);
    if (agpu_trace_on(&config.trace)) { /* trace lines are debug records */
        config.log_level = AGPU_LOG_DEBUG;
    }
    config.trace.module_path = agpu_module_path();
}

/* Logs the properties of the machine. */
static void log_machine(const char *clock_source, const char *serial)
{
    char buffer[200];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, "machine: firmware ");
    for (const CHAR16 *c = agpu_system->FirmwareVendor; c != NULL && *c; c++) {
        agpu_text_char(&text, *c < 0x7F ? (char)*c : '?');
    }
    agpu_format(&text, " revision 0x%x, TSC %ju kHz by %s, serial records on %s",
                agpu_system->FirmwareRevision, agpu_clock_khz(), clock_source,
                serial != NULL ? serial : "nothing");
    write_log_record(AGPU_LOG_INFO, buffer);
}

/* Waits for the network, at most dhcp_timeout_ms, before the cases start, so that the start record of a case
 * that freezes the machine has been sent. */
static void wait_for_network(void)
{
    uint64_t until = agpu_clock_ns(NULL) + config.dhcp_timeout_ms * AGPU_NS_PER_MS;

    while (agpu_net_state() == AGPU_NET_WAITING && agpu_clock_ns(NULL) < until) {
        agpu_pump();
        agpu_pause();
    }
    if (agpu_net_state() == AGPU_NET_WAITING) {
        agpu_stream_log(&stream, AGPU_LOG_WARNING,
                        "no address from DHCP or a router within dhcp_timeout_ms; the cases start, records "
                        "are queued and sent if an address arrives");
    }
}

static void on_progress(void *ctx, const struct agpu_progress *progress)
{
    struct agpu_text text;

    agpu_guard_enter(AGPU_GUARD_SERVICE);
    agpu_watchdog_kick();
    agpu_text_begin(&text, running, sizeof running);
    if (progress->running != NULL) {
        agpu_text_string(&text, progress->running);
    }
    agpu_screen_progress(ctx, progress);
    agpu_control_count(progress->summary);
    if (progress->running != NULL && agpu_progress_is_open()) {
        /* The case may freeze this boot. The record of the first case needs more time, because the target's
         * MAC is not resolved yet (ARP). */
        agpu_pump_out(progress->summary->ended <= 1 ? 2 * AGPU_NS_PER_S : 3 * AGPU_NS_PER_MS);
    } else {
        agpu_pump();
    }
    agpu_guard_leave(AGPU_GUARD_SERVICE);
}

/* Reboots between two cases on request; the next boot starts a new run. */
static void begin_anew(void)
{
    agpu_stream_log(&stream, AGPU_LOG_WARNING, "control: a client sent reboot while cases were running");
    agpu_control_drain();
    agpu_progress_close();
    agpu_pump_out(AGPU_NS_PER_S);
    agpu_net_stop();
    agpu_leave(AGPU_AT_END_REBOOT);
}

static void on_case(void *ctx, const struct agpu_case *item)
{
    (void)ctx;
    agpu_guard_enter(AGPU_GUARD_SERVICE);
    agpu_control_case(item->id);
    if (agpu_control_wants_reboot()) {
        begin_anew();
    }
    agpu_progress_case(item->id);
    agpu_guard_leave(AGPU_GUARD_SERVICE);
}

static const char *running_case(void)
{
    return running[0] ? running : NULL;
}

/* A run that can be resumed is resumed by the next boot. */
static void on_crash(void)
{
    agpu_leave_crashed(agpu_progress_is_open() ? AGPU_AT_END_REBOOT : config.at_end);
}

static void describe_death(struct agpu_text *text)
{
    agpu_format(text, "the machine was reset, or lost power, in this case (%u of %u that resume= allows)",
                resumed.resets, config.resume);
}

/* Determines whether this boot continues a run, and after which case. */
static void resume_run(void)
{
    static char died[160];
    char buffer[480];
    struct agpu_text text;
    const char *failed;

    if (config.resume == 0 || config.control == AGPU_CONTROL_WAIT || config.repeat > 1 ||
        config.repeat_seconds || config.device[0] != '\0') {
        return;
    }
    run_key = agpu_progress_hash(run_key, AGPU_BUILD_ID, sizeof AGPU_BUILD_ID);
    failed = agpu_progress_open(run_key, &resumed);
    agpu_text_begin(&text, buffer, sizeof buffer);
    if (failed != NULL) {
        agpu_format(&text, "a reset would end this run, because its position cannot be stored: %s", failed);
    } else if (resumed.resets != 0) {
        struct agpu_text reason;

        agpu_text_begin(&reason, died, sizeof died);
        describe_death(&reason);
        agpu_format(&text, "the run continues after %s: %s",
                    resumed.running[0] != '\0' ? resumed.running : "the start, before any case", died);
    } else {
        return;
    }
    agpu_stream_log(&stream, AGPU_LOG_WARNING, buffer);
    if (resumed.running[0] != '\0') {
        memcpy(config.after, resumed.running, sizeof config.after);
        resumed_reason = died;
    }
}

static void open_watchdog(void)
{
    char buffer[160];

    if (config.watchdog_s == 0) {
        return;
    }
    agpu_format_line(buffer, sizeof buffer, "watchdog of %u s: %s", config.watchdog_s,
                     agpu_watchdog_open(config.watchdog_s));
    write_log_record(AGPU_LOG_INFO, buffer);
}

static void warn_of_capture(const char *failed)
{
    agpu_stream_format(&stream, AGPU_LOG_WARNING, "capture: %s", failed);
}

static void open_capture(struct agpu_runner_config *run)
{
    const char *failed = config.capture != AGPU_CAPTURE_NONE
                             ? agpu_capture_open(run, config.capture, config.capture_to)
                             : NULL;

    if (failed != NULL) {
        warn_of_capture(failed);
    }
}

static void close_capture(void)
{
    uint64_t lost;
    const char *failed = agpu_capture_close(&lost);
    char buffer[80];

    if (failed != NULL) {
        warn_of_capture(failed);
    }
    if (lost != 0) {
        agpu_format_line(buffer, sizeof buffer, "%ju cases are incomplete: no room", lost);
        warn_of_capture(buffer);
    }
}

static void open_platform(void *ctx, struct agpu_platform *platform)
{
    const struct agpu_efi_hooks hooks = {
        .relax = agpu_pump_relax, .log = write_log_record, .dma_high = config.dma_high};

    (void)ctx;
    agpu_efi_platform_init(platform, &hooks);
}

static void close_platform(void *ctx)
{
    (void)ctx;
    agpu_efi_platform_close();
}

static struct agpu_fixture_config make_fixture_config(void)
{
    return (struct agpu_fixture_config){.model = config.model,
                                        .require = config.require,
                                        .trace = config.trace,
                                        .settings = &config.settings,
                                        .stack_mode = config.interrupts,
                                        .all_evidence = config.evidence};
}

/* Runs the configured cases, or, for a client's request, the cases that globs select, once. */
static enum agpu_result run_catalogue(const char *globs, struct agpu_summary *summary)
{
    struct agpu_platform platform;

    agpu_screen_restart();
    open_platform(NULL, &platform);
    struct agpu_runner_config run = {
        .platform = &platform,
        .stream = &stream,
        .fixture = agpu_control_fixture(&agpu_device_fixture),
        .fixture_config = make_fixture_config(),
        .build = AGPU_BUILD_ID,
        .run = agpu_boot_id(),
        .configured = configured,
        .filter = config.filter,
        .tags = config.tags,
        .shard = config.shard,
        .cases_max = config.cases_max,
        .until_failure = config.until_failure,
        .quarantine = &config.quarantine,
        .budgets = &config.budgets,
        .after = config.after,
        .expect = config.expect,
        .allow_skips = config.allow_skips,
        .case_bound_ns = config.case_timeout_s * AGPU_NS_PER_S,
        .pattern_ns = config.pattern_s * AGPU_NS_PER_S,
        .stress_ns = config.stress_s * AGPU_NS_PER_S,
        .explore_seed = config.explore_seed,
        .total_bound_ns = config.run_timeout_s * AGPU_NS_PER_S,
        .died = resumed_reason,
        .give_up = resumed.resets > config.resume
                       ? "not run: the machine was reset more often than resume= allows"
                       : NULL,
        .guard = {.call = agpu_processors_guard_call, .ctx = &stream},
        .progress = on_progress,
        .case_comes = on_case,
        .at_fault = agpu_config_is_wrong,
    };
    if (config.test_hook[0] != 0) {
        run.instead = agpu_test_hook;
        run.instead_ctx = config.test_hook;
    }
    config.quarantine.today = agpu_date_today();
    if (config.quarantine.count != 0 && config.quarantine.today == 0) {
        agpu_stream_log(&stream, AGPU_LOG_WARNING,
                        "the firmware's clock has an implausible date, so no entry of quarantine= expires: "
                        "set the machine's clock");
    }
    if (config.replay[0] != '\0') {
        run.tables =
            agpu_replay_catalogue(agpu_replay_file(config.replay, config.replay_until), &run.table_count);
        run.case_bound_ns = run.case_bound_ns != 0 ? run.case_bound_ns : REPLAY_BOUND_NS;
        run.total_bound_ns = run.total_bound_ns != 0 ? run.total_bound_ns : REPLAY_BOUND_NS;
    } else {
        run.tables = agpu_catalogue(&run.table_count);
    }
    struct agpu_rounds_config rounds = {
        .count = config.repeat_seconds ? 0 : config.repeat,
        .time_ns = config.repeat_seconds ? config.repeat * AGPU_NS_PER_S : 0,
        .shuffle = config.shuffle,
        .gauges = agpu_gauges_read,
    };
    if (globs != NULL) {
        rounds = (struct agpu_rounds_config){.count = 1};
        run.filter = globs;
        run.tags = (struct agpu_tag_choice){0};
        run.shard = (struct agpu_shard){0};
        run.after = NULL;
        run.cases_max = 1000000; /* the expected minimum does not apply to a part of the cases */
        run.pattern_ns = 0;
    }
    open_capture(&run);
    enum agpu_result worst = agpu_run_devices(&run, &rounds, config.device, summary);
    close_capture();
    close_platform(NULL);
    return worst;
}

/* Worst result of all runs that clients requested. */
static enum agpu_result asked_worst = AGPU_PASS;
static unsigned asked_runs;

static void run_asked(void *ctx, const char *globs, struct agpu_summary *out)
{
    (void)ctx;
    asked_runs++;
    asked_worst = agpu_result_worse(asked_worst, run_catalogue(globs, out));
}

static void open_control(void)
{
    struct agpu_monitor_config monitor_config = {
        .fixture = &agpu_device_fixture,
        .fixture_config = make_fixture_config(),
        .build = AGPU_BUILD_ID,
        .boot = agpu_boot_id(),
        .machine_open = open_platform,
        .machine_close = close_platform,
        .run = run_asked,
    };

    monitor_config.tables = agpu_catalogue(&monitor_config.table_count);
    agpu_control_open(&stream, &config, &monitor_config);
}

/* Runs the cases, or the requests of clients instead, until the image must leave. SKIP when no case was
 * requested. */
static enum agpu_result run_attended(struct agpu_summary *summary)
{
    const bool waits = config.control == AGPU_CONTROL_WAIT && agpu_control_is_open();
    enum agpu_monitor_wish wish = waits ? agpu_control_wait(&stream) : AGPU_MONITOR_GO;
    enum agpu_result worst = wish == AGPU_MONITOR_GO || asked_runs != 0 ? AGPU_PASS : AGPU_SKIP;

    if (wish != AGPU_MONITOR_GO) {
        agpu_stream_log(&stream, AGPU_LOG_INFO,
                        "control: a client sent quit before the run that agpu.cfg describes");
    }
    while (wish == AGPU_MONITOR_GO) {
        worst = agpu_result_worse(worst, run_catalogue(NULL, summary));
        wish = agpu_control_wish();
        if (waits && wish == AGPU_MONITOR_NOTHING && agpu_control_is_reachable()) {
            wish = agpu_control_wait(&stream);
        }
    }
    if (wish == AGPU_MONITOR_REBOOT) {
        config.at_end = AGPU_AT_END_REBOOT;
    }
    agpu_control_drain();
    return agpu_result_worse(worst, asked_worst);
}

/* Shows the verdict in the host's words, and, unless it is PASS, the most important reason. */
static void show_verdict(enum agpu_result worst, const struct agpu_summary *summary)
{
    char buffer[240];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_format(&text, "finished: %s", agpu_result_name(worst));
    if (summary->blocked != 0 && summary->first_cause != NULL) {
        agpu_format(&text, ", cause: %s (%u cases could not be run because of it)", summary->first_cause,
                    summary->blocked);
    } else if (worst == AGPU_SKIP && summary->ended == 0 && asked_runs == 0) {
        agpu_text_string(&text, ", no case was run");
    } else if (summary->device_wrong != NULL) {
        agpu_format(&text, ", %s", summary->device_wrong);
    } else if (worst == AGPU_SKIP) {
        agpu_text_string(&text, ", ");
        agpu_judge_describe_untried(&summary->skips, &text);
    }
    agpu_screen_finish(buffer, worst == AGPU_PASS);
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    agpu_clock_start();
    agpu_machine_init(image, system);
    agpu_image_find();
    agpu_stream_init(&stream, agpu_clock_ns, NULL, 0);
    const bool debugcon = agpu_debugcon_add(&stream);
    agpu_serial_add_sink(&stream);
    agpu_net_add_sink(&stream);
    send_entry();
    const char *clock_source = agpu_clock_calibrate();
    agpu_trap_open();
    agpu_guard_open(&stream);
    agpu_crash_hook(&stream, running_case, on_crash);

    load_config();
    const bool spared = config.serial == AGPU_SERIAL_SPARE && debugcon;
    const char *serial = NULL;
    if (config.serial == AGPU_SERIAL_OFF || spared) {
        agpu_serial_close();
    } else {
        serial = agpu_serial_open();
    }
    agpu_screen_open(&stream, AGPU_BUILD_ID, serial == NULL && !spared);
    log_machine(clock_source, serial);
    open_control();
    agpu_net_start(&stream, &config, AGPU_BUILD_ID, agpu_config_load_dhcp);
    wait_for_network();
    end_config();

    struct agpu_summary summary = {.worst = AGPU_PASS};
    resume_run();
    open_watchdog();
    enum agpu_result worst = run_attended(&summary);
    agpu_progress_close();
    agpu_watchdog_close();
    show_verdict(worst, &summary);
    agpu_trace_file_close();
    agpu_net_report();
    agpu_leave_drain();
    agpu_net_report_waiting();
    agpu_net_stop();
    agpu_crash_unhook();
    agpu_guard_close();
    agpu_trap_close();
    agpu_serial_end_talk();
    agpu_leave(config.at_end);
    agpu_efi_platform_give_back();
    agpu_screen_close();
    return worst == AGPU_PASS ? EFI_SUCCESS : EFI_ABORTED;
}
