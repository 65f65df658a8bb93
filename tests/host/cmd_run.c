/* cmd_run.c: `agpu run`. */
#include "tests/host/cmd_run.h"
#include "tests/host/exit_status.h"
#include "tests/host/run/accel.h"
#include "tests/host/run/run_loop.h"

#include <errno.h>
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

static void describe_environment(struct agpu_session *session, const struct agpu_run_options *options,
                                 const struct agpu_machine *machine, const char *accel)
{
    struct agpu_report *report = &session->report;
    struct utsname host;

    uname(&host);
    agpu_report_environment(report, "agpu", "%s", AGPU_VERSION);
    agpu_report_environment(report, "qemu", "%s", machine->qmp.version);
    agpu_report_environment(report, "accel", "%s", accel);
    agpu_report_environment(report, "firmware", "%s", options->ovmf_code);
    agpu_report_environment(report, "host", "%s %s %s %s", host.nodename, host.sysname, host.release,
                            host.machine);
    agpu_report_environment(report, "abi", "%s", options->abi != NULL ? options->abi : "");
    agpu_report_environment(report, "fault", "%s", options->fault != NULL ? options->fault : "");
    agpu_report_environment(report, "filter", "%s", options->filter != NULL ? options->filter : "");
}

/* QEMU writes the file, from its own working directory. */
static bool absolute_path(const char *path, char *out, size_t size)
{
    char folder[PATH_MAX] = "";

    if (path[0] != '/' && getcwd(folder, sizeof folder) == NULL) {
        return false;
    }
    int n = snprintf(out, size, "%s%s%s", folder, folder[0] ? "/" : "", path);
    return n > 0 && (size_t)n < size;
}

static void supervise_run(struct agpu_session *session, struct agpu_machine *machine,
                          const struct agpu_run_options *options, int signal_fd, int *signal)
{
    char screenshot[PATH_MAX];
    struct agpu_run_loop *loop = calloc(1, sizeof *loop);

    if (loop == NULL) {
        agpu_collector_end(session->collector, AGPU_ENDING_SETUP, "memory is exhausted");
        return;
    }
    loop->session = session;
    loop->machine = machine;
    loop->signal_fd = signal_fd;
    if (options->screenshot != NULL && absolute_path(options->screenshot, screenshot, sizeof screenshot)) {
        loop->screenshot = screenshot;
    }
    agpu_run_loop(loop);
    *signal = loop->signal;
    free(loop);
}

/* A signal that came while the machine was being prepared. */
static int pending_signal(int signal_fd)
{
    struct signalfd_siginfo info;

    return read(signal_fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

static int run_machine(const struct agpu_run_options *options)
{
    struct agpu_collector_config config = {.boot_timeout_us = options->boot_timeout_us,
                                           .silence_us = options->silence_us,
                                           .case_timeout_us = options->case_timeout_us,
                                           .run_timeout_us = options->timeout_us};
    struct agpu_session session;
    struct agpu_machine machine;
    char why[512];
    char error[512];
    int signal = 0;
    /* Before the session's clock starts: the one-time probe is no part of the run. */
    const char *accel = agpu_accel_choose(options->accel, options->qemu, options->ovmf_code,
                                          options->ovmf_vars, why, sizeof why);
    int signal_fd = run_catch_signals();

    if (signal_fd < 0) {
        fprintf(stderr, "agpu run: signalfd: %s\n", strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    if (!agpu_session_open(&session, options->out, "", &config)) {
        return AGPU_EXIT_FAIL;
    }
    if (why[0] != '\0') {
        agpu_progress_note(&session.progress, "%s", why);
    }
    agpu_machine_init(&machine);
    if (agpu_machine_start(&machine, options, accel, signal_fd, error, sizeof error)) {
        supervise_run(&session, &machine, options, signal_fd, &signal);
    } else {
        agpu_collector_end(session.collector, AGPU_ENDING_SETUP, error);
        signal = pending_signal(signal_fd);
    }
    describe_environment(&session, options, &machine, accel);
    uint64_t started = machine.qemu_started_us;
    agpu_machine_destroy(&machine, options->keep);
    bool written = agpu_session_finish(&session, started, agpu_now_us());
    bool passed = agpu_session_passed(&session);
    if (options->keep && machine.work[0] != '\0') {
        agpu_progress_note(&session.progress, "  working files      %s", machine.work);
    }
    agpu_session_close(&session);
    close(signal_fd);
    if (signal != 0) {
        return 128 + signal;
    }
    return written && passed ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}

int agpu_cmd_run(int argc, char **argv)
{
    struct agpu_run_options options;

    switch (agpu_run_options_parse(argc, argv, &options)) {
    case AGPU_OPTIONS_HELP:
        return AGPU_EXIT_PASS;
    case AGPU_OPTIONS_BAD:
        return AGPU_EXIT_USAGE;
    case AGPU_OPTIONS_RUN:
        break;
    }
    return run_machine(&options);
}
