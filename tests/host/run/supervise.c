/* supervise.c: starts machines until the catalogue is finished. */
#include "tests/host/below.h"
#include "tests/host/run/guest_config.h"
#include "tests/host/run/supervise.h"
#include "tests/host/run/run_credentials.h"
#include "tests/host/run/run_loop.h"
#include "tests/host/wire/run_verdict.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns an absolute path, since QEMU writes the file from another working directory. */
static bool absolute_path(const char *path, char *out, size_t size)
{
    char folder[PATH_MAX] = "";

    if (path[0] != '/' && getcwd(folder, sizeof folder) == NULL) {
        return false;
    }
    int n = snprintf(out, size, "%s%s%s", folder, folder[0] ? "/" : "", path);
    return n > 0 && (size_t)n < size;
}

static void watch_machine(struct agpu_supervision *run, struct agpu_machine *machine)
{
    char screenshot[PATH_MAX];
    struct agpu_run_loop *loop = calloc(1, sizeof *loop);

    if (loop == NULL) {
        agpu_collector_end(run->session->collector, AGPU_ENDING_SETUP, "memory is exhausted");
        return;
    }
    loop->session = run->session;
    loop->machine = machine;
    loop->signal_fd = run->signal_fd;
    loop->answer_us = run->options->boot_timeout_us / 2;
    loop->names_device = run->options->vdev != NULL;
    loop->may_reset = agpu_run_config_has(run->options, "at_end");
    loop->waits = agpu_run_waits(run->options);
    loop->streams = agpu_run_config_has(run->options, "stream");
    if (run->options->screenshot != NULL &&
        absolute_path(run->options->screenshot, screenshot, sizeof screenshot)) {
        loop->screenshot = screenshot;
    }
    agpu_run_loop(loop);
    run->signal = loop->signal;
    for (unsigned i = 0; i <= AGPU_MORE_DEVICES_MAX; i++) {
        run->restores[i] += loop->restores[i];
    }
    free(loop);
}

/* Returns a signal that arrived while the machine was being prepared. */
static int pending_signal(int signal_fd)
{
    struct signalfd_siginfo info;

    return read(signal_fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

/* Returns true for signals that are sent on purpose: none of these comes from a crash. */
static bool was_killed(const struct agpu_process *process)
{
    const int by = process->ended && WIFSIGNALED(process->status) ? WTERMSIG(process->status) : 0;

    return by == SIGKILL || by == SIGTERM || by == SIGINT || by == SIGHUP;
}

/* Returns true when the run stops at the first failure, and the last case failed. */
static bool is_to_stop(const struct agpu_supervision *run)
{
    const struct agpu_case_result *last = agpu_run_last_started(agpu_collector_run(run->session->collector));

    return last != NULL && run->options->choice.until_failure &&
           agpu_case_verdict(last) > AGPU_VERDICT_SKIP && last->quarantine != AGPU_QUARANTINE_KNOWN;
}

/* Returns true when the end of this machine concerns only the running case, not the run. */
static bool may_go_on(const struct agpu_supervision *run, const struct agpu_machine *machine)
{
    switch (agpu_collector_run(run->session->collector)->ending) {
    case AGPU_ENDING_NONE:
        return run->options->choice.one_per_boot && !is_to_stop(run);
    case AGPU_ENDING_DEVICE_DIED:
        return !was_killed(&machine->vdev);
    case AGPU_ENDING_MACHINE_DIED:
        return !was_killed(&machine->qemu);
    case AGPU_ENDING_STOPPED:
    case AGPU_ENDING_EXCEPTION:
    case AGPU_ENDING_SILENCE:
    case AGPU_ENDING_CASE_TIMEOUT:
        return true;
    default:
        return false;
    }
}

static void name_evidence(unsigned boot, char *name, size_t size)
{
    snprintf(name, size, boot == 0 ? "device" : "device-%u", boot);
}

/* Names the state of a device in whose boot something failed. */
static void note_evidence(struct agpu_supervision *run, const char *name)
{
    char path[100];

    snprintf(path, sizeof path, "artifacts/%s-state.txt", name);
    if (faccessat(run->session->below, path, R_OK, 0) == 0) {
        agpu_progress_note(&run->session->progress, "  device's state     %s/%s", run->session->folder, path);
    }
}

/* Runs one machine from start to end. Returns true when another may follow. */
static bool run_one_machine(struct agpu_supervision *run, const char *after, unsigned boot)
{
    struct agpu_machine machine;
    char error[512];
    char name[32], below[50];
    bool go_on = false;

    agpu_machine_init(&machine);
    name_evidence(boot, name, sizeof name);
    /* A program of --vdev need not support evidence. */
    if (run->options->vdev == NULL) {
        snprintf(below, sizeof below, "artifacts/%s", name);
        agpu_below_path(run->session->below, below, machine.evidence, sizeof machine.evidence);
    }
    /* A new token for each machine, so that late datagrams of the previous one are ignored. */
    if (!agpu_run_credentials_make(run->options, &machine.credentials)) {
        agpu_collector_end(run->session->collector, AGPU_ENDING_SETUP,
                           "the token or key of the run cannot be made or read (see the line above)");
        return false;
    }
    agpu_collector_expect(run->session->collector, &machine.credentials);
    if (agpu_machine_start(&machine, run->options, run->accel, after, boot, run->signal_fd, error,
                           sizeof error)) {
        if (run->started != NULL) {
            run->started(run, &machine, boot);
        }
        watch_machine(run, &machine);
        go_on = run->signal == 0 && may_go_on(run, &machine);
    } else {
        agpu_collector_end(run->session->collector, AGPU_ENDING_SETUP, error);
        run->signal = pending_signal(run->signal_fd);
    }
    run->started_us = run->started_us != 0 ? run->started_us : machine.qemu_started_us;
    snprintf(run->work, sizeof run->work, "%s", machine.work);
    if (machine.qmp.version[0] != '\0') {
        snprintf(run->qemu_version, sizeof run->qemu_version, "%s", machine.qmp.version);
    }
    if (machine.command != NULL) {
        free(run->command);
        run->command = machine.command;
        machine.command = NULL;
    }
    note_evidence(run, name);
    if (run->ended != NULL && machine.qemu_started_us != 0) {
        run->ended(run, &machine, boot);
    }
    agpu_machine_destroy(&machine, run->options->keep);
    return go_on;
}

void agpu_supervise(struct agpu_supervision *run)
{
    /* A round cannot be continued in the middle. */
    const bool rounds = run->options->repeat != NULL || agpu_run_config_has(run->options, "repeat");
    const unsigned restarts = rounds ? 0 : run->options->restarts;
    const char *after = NULL;
    unsigned restarted = 0;

    for (unsigned boot = 0; run_one_machine(run, after, boot); boot++) {
        const bool planned = agpu_collector_run(run->session->collector)->ending == AGPU_ENDING_NONE;

        if (!planned && restarted == restarts) {
            if (restarts != 0) {
                agpu_run_problem(agpu_collector_run(run->session->collector),
                                 "device and machine were restarted %u times, the limit of --restarts",
                                 restarts);
            }
            break;
        }
        after = agpu_collector_resume(run->session->collector, agpu_now_us());
        if (after == NULL) {
            break;
        }
        agpu_session_tick(run->session, agpu_now_us());
        if (!planned) {
            agpu_progress_note(&run->session->progress, "restarting device and machine after %s (%u of %u)",
                               after, ++restarted, restarts);
        }
    }
}
