/* run_loop.c: polls all descriptors of a running machine until it has ended. */
#include "tests/host/run/run_loop.h"
#include "tests/host/below.h"
#include "tests/host/device_output.h"
#include "tests/host/wire/run_verdict.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Time from the summary to QEMU's end: the image drains its sinks and powers off. It waits 3 s for the network, or two
 * minutes for a stream whose collector still acknowledges, with pauses of up to 30 s. */
#define LEAVE_US        UINT64_C(20000000)
#define LEAVE_STREAM_US UINT64_C(150000000)
/* The device model exits with status 0 when its client has disconnected: QEMU must then end at once. */
#define CLIENT_GONE_US UINT64_C(500000)
#define SCREENSHOT_MS  1500
#define DRAIN_MS       300
/* A virtual port delivers its bytes one by one, and waking up for each would load both processors. So pause after
 * some, to let more accumulate. */
#define GATHER_US 1000
/* Time for the device model's last output: accesses of the guest to nonexistent registers, and counters. */
#define LAST_WORDS_MS  1000
#define LAST_OUTPUT_MS 15000 /* when the run needs its output or its file */

static struct agpu_run *run_of(struct agpu_run_loop *loop)
{
    return agpu_collector_run(loop->session->collector);
}

static void end_run(struct agpu_run_loop *loop, enum agpu_ending ending, const char *text)
{
    agpu_collector_end(loop->session->collector, ending, text);
}

/* ---- input ---- */

static void take_datagrams(struct agpu_run_loop *loop)
{
    char packet[65536];

    for (int i = 0; i < 256 && loop->machine->udp >= 0; i++) {
        ssize_t n = recv(loop->machine->udp, packet, sizeof packet, MSG_DONTWAIT);

        if (n < 0) {
            return;
        }
        agpu_session_packet(loop->session, packet, (size_t)n, agpu_now_us());
    }
}

/* Reads once: a flooding stream must not starve the rest of the loop. */
static bool take_stream(struct agpu_run_loop *loop, struct agpu_console *console, enum agpu_source source)
{
    char bytes[65536];
    size_t n = agpu_console_read(console, bytes, sizeof bytes);

    if (n > 0) {
        agpu_session_stream(loop->session, source, bytes, n, agpu_now_us());
    }
    return n > 0;
}

/* Records a violation that no device may commit: it does not stop the run, but decides its verdict. */
static void heed(struct agpu_run_loop *loop, const char *line, size_t length)
{
    const char *sentence = agpu_output_absurd(line, length);
    const struct agpu_case_result *c = agpu_run_last_started(run_of(loop));
    char words[400], text[640];

    if (sentence != NULL) {
        agpu_output_copy(words, sizeof words, sentence, (size_t)(line + length - sentence));
        snprintf(text, sizeof text, "%s%s%s%s", words, c != NULL ? " (while " : "", c != NULL ? c->id : "",
                 c != NULL ? " ran, or just before)" : "");
        agpu_run_device_fault(run_of(loop), text);
    } else if (agpu_output_is_breach(line, length)) {
        agpu_output_copy(text, sizeof text, line, length);
        agpu_run_problem(run_of(loop), "%s", text);
    }
}

static void take_output(struct agpu_run_loop *loop, int *fd, struct agpu_line_stream *lines, const char *who)
{
    char bytes[65536];
    ssize_t n = *fd >= 0 ? read(*fd, bytes, sizeof bytes) : -1;

    if (n <= 0) {
        agpu_close(fd);
        return;
    }
    for (size_t at = 0; at < (size_t)n;) {
        const char *line;
        size_t length;

        at += agpu_line_stream_take(lines, bytes + at, (size_t)n - at, &line, &length);
        if (line == NULL) {
            continue;
        }
        agpu_session_log(loop->session, who, line, length);
        if (lines == &loop->vdev_lines) {
            agpu_output_take(loop->last_words, sizeof loop->last_words, line, length);
        }
        if (lines == &loop->vdev_lines && length > 0) {
            agpu_output_copy(loop->vdev_output, sizeof loop->vdev_output, line, length);
            heed(loop, line, length);
        }
        bool qemu = lines == &loop->qemu_lines;
        if (qemu && !loop->complaint[0] && memmem(line, length, "warning:", 8) == NULL) {
            snprintf(loop->complaint, sizeof loop->complaint, "%.*s", (int)(length < 200 ? length : 200),
                     line);
        }
    }
}

static void take_signal(struct agpu_run_loop *loop)
{
    struct signalfd_siginfo info;

    if (read(loop->signal_fd, &info, sizeof info) == sizeof info) {
        char text[80];

        loop->signal = (int)info.ssi_signo;
        snprintf(text, sizeof text, "interrupted by %s", strsignal(loop->signal));
        end_run(loop, AGPU_ENDING_INTERRUPTED, text);
    }
}

/* ---- deaths ---- */

static void check_vdev(struct agpu_run_loop *loop, uint64_t now)
{
    struct agpu_process *vdev = &loop->machine->vdev;
    bool running = vdev->pid > 0 && !vdev->ended;

    if (!running || !agpu_process_poll(vdev) || run_of(loop)->summary.seen) {
        return;
    }
    char how[80];
    char text[440];
    struct pollfd output = {.fd = loop->machine->vdev_output, .events = POLLIN};
    agpu_process_describe(vdev, how, sizeof how);
    if (output.fd >= 0 && poll(&output, 1, 0) > 0) {
        take_output(loop, &loop->machine->vdev_output, &loop->vdev_lines, "vdev");
    }
    if (vdev->status == 0 && loop->orderly_until_us == 0) {
        loop->orderly_until_us = now + CLIENT_GONE_US;
        return;
    }
    /* The guard process knows which call the device was in, since a hang leaves no signal to report. */
    if (loop->last_words[0] != '\0') {
        snprintf(text, sizeof text, "%s; its process ended: %s", loop->last_words, how);
    } else {
        snprintf(text, sizeof text, "device model ended: %s", how);
    }
    end_run(loop, AGPU_ENDING_DEVICE_DIED, text);
}

static void log_device(void *ctx, const char *who, const char *line, size_t length)
{
    struct agpu_run_loop *loop = ctx;

    agpu_session_log(loop->session, who, line, length);
    heed(loop, line, length);
}

static void check_more_devices(struct agpu_run_loop *loop)
{
    char text[440];

    if (agpu_more_devices_take(&loop->machine->more, log_device, loop, text, sizeof text) &&
        !run_of(loop)->summary.seen) {
        end_run(loop, AGPU_ENDING_DEVICE_DIED, text);
    }
}

static void check_orderly_end(struct agpu_run_loop *loop, uint64_t now)
{
    const uint64_t leave_us = loop->streams ? LEAVE_STREAM_US : LEAVE_US;

    if (loop->orderly_until_us == 0 && run_of(loop)->summary.seen && !loop->waits) {
        loop->orderly_until_us = now + leave_us;
    }
    if (loop->orderly_until_us == 0 || now < loop->orderly_until_us || loop->stopping) {
        return;
    }
    if (run_of(loop)->summary.seen) {
        agpu_run_problem(run_of(loop), "%s was still running %d s after the summary and was ended",
                         loop->machine->name, (int)(leave_us / 1000000));
        loop->stopping = true;
    } else {
        char text[440];

        snprintf(text, sizeof text, "device model ended: exit status 0, while QEMU was running%s%s",
                 loop->last_words[0] != '\0' ? ": " : "", loop->last_words);
        end_run(loop, AGPU_ENDING_DEVICE_DIED, text);
    }
}

/* Returns the last output of the device's program, for a message. */
static const char *vdev_output(const struct agpu_run_loop *loop)
{
    return loop->vdev_output[0] == '\0' ? "(nothing)" : loop->vdev_output;
}

/* QEMU sends its greeting before it creates its devices, and accepts commands after that. Returns the time by which
 * it must. QEMU whose monitor connection is closed is already exiting. */
static uint64_t answer_deadline(const struct agpu_run_loop *loop)
{
    const struct agpu_machine *m = loop->machine;
    const bool greeted = m->qmp.fd >= 0 && m->qmp.version[0] != '\0' && !m->qmp.ready;
    const bool waits = m->vdev.pid > 0 && greeted && loop->answer_us != 0;

    return waits ? m->qemu_started_us + loop->answer_us : UINT64_MAX;
}

static void check_answer(struct agpu_run_loop *loop, uint64_t now)
{
    char text[440];

    if (now >= answer_deadline(loop)) {
        snprintf(
            text, sizeof text,
            "QEMU still waits for the device after %.1f s: expected answers at its vfio-user socket, "
            "found none; it accepts no connection, or leaves a message without reply. Its last output: %s",
            (double)loop->answer_us / 1e6, vdev_output(loop));
        end_run(loop, AGPU_ENDING_SETUP, text);
    }
}

/* Determines the ending after QEMU has ended and all its output was read. */
static void judge_qemu(struct agpu_run_loop *loop)
{
    const struct agpu_machine *m = loop->machine;
    const struct agpu_source_stats *stats = agpu_collector_stats(loop->session->collector);
    bool heard = stats->received[AGPU_SOURCE_DEBUGCON] + stats->received[AGPU_SOURCE_SERIAL] +
                     stats->received[AGPU_SOURCE_UDP] + stats->received[AGPU_SOURCE_STREAM] >
                 0;
    char how[80];
    char text[700];

    agpu_process_describe(&m->qemu, how, sizeof how);
    if (run_of(loop)->ending != AGPU_ENDING_NONE) {
        return;
    }
    const bool reset = strcmp(m->qmp.shutdown_reason, "guest-reset") == 0;
    if (run_of(loop)->summary.seen) {
        if (WIFSIGNALED(m->qemu.status) && !loop->stopping) {
            agpu_run_problem(run_of(loop), "%s ended after the summary: %s", m->name, how);
        } else if (m->qemu.status == 0 && reset && !loop->may_reset) {
            agpu_run_problem(run_of(loop), "expected the machine to power off after the summary, found a "
                                           "reset: records that were still to be sent are lost");
        }
        return;
    }
    if (m->qemu.status == 0 && loop->waits && !run_of(loop)->plan_seen) {
        agpu_run_problem(run_of(loop), "a client sent quit to the image before any case had run");
        return;
    }
    if (m->qemu.status == 0) {
        snprintf(text, sizeof text, "the machine %s before the summary",
                 reset ? "reset itself" : "powered off");
        end_run(loop, AGPU_ENDING_STOPPED, text);
        return;
    }
    /* When the device's answer kills the machine, its last output belongs into the message. */
    snprintf(text, sizeof text, "%s ended: %s%s%s%s%s", m->name, how, loop->complaint[0] ? ": " : "",
             loop->complaint, loop->names_device ? "; the last output of the device's program: " : "",
             loop->names_device ? vdev_output(loop) : "");
    end_run(loop, heard || WIFSIGNALED(m->qemu.status) ? AGPU_ENDING_MACHINE_DIED : AGPU_ENDING_SETUP, text);
}

/* ---- the loop ---- */

enum {
    FD_QEMU,
    FD_VDEV,
    FD_SIGNAL,
    FD_UDP,
    FD_TCP,
    FD_DEBUGCON,
    FD_SERIAL,
    FD_QEMU_OUT,
    FD_VDEV_OUT,
    FD_QMP,
    FD_MORE,
    FD_COUNT
};

/* Prefix of its lines in console.log. */
static const char *qemu_name(const struct agpu_machine *m)
{
    return strcmp(m->name, "QEMU") == 0 ? "qemu" : "machine";
}

/* Waits for an event, at most until deadline, and handles all that are pending. Checks for dead processes first:
 * input after the device's death must be evaluated as such. */
static void step_run(struct agpu_run_loop *loop, uint64_t deadline_us)
{
    struct agpu_machine *m = loop->machine;
    struct pollfd fds[FD_COUNT] = {
        [FD_QEMU] = {.fd = m->qemu.pidfd},
        [FD_VDEV] = {.fd = m->vdev.pidfd},
        [FD_SIGNAL] = {.fd = loop->signal_fd},
        [FD_UDP] = {.fd = m->udp},
        [FD_TCP] = {.fd = agpu_run_stream_fd(&loop->stream)},
        [FD_DEBUGCON] = {.fd = agpu_console_poll_fd(&m->debugcon)},
        [FD_SERIAL] = {.fd = agpu_console_poll_fd(&m->serial)},
        [FD_QEMU_OUT] = {.fd = m->qemu_output},
        [FD_VDEV_OUT] = {.fd = m->vdev_output},
        [FD_QMP] = {.fd = m->qmp.fd},
    };

    fds[FD_MORE].fd = m->more.events;
    for (size_t i = 0; i < FD_COUNT; i++) {
        fds[i].events = POLLIN;
    }
    uint64_t now = agpu_now_us();
    const bool gathers = m->debugcon.kind == AGPU_CONSOLE_PIPE && now < loop->gather_until_us;
    if (gathers) {
        fds[FD_DEBUGCON].fd = -1;
        deadline_us = deadline_us < loop->gather_until_us ? deadline_us : loop->gather_until_us;
    }
    uint64_t wait_us = deadline_us > now ? deadline_us - now : 0;
    int timeout = wait_us > 3600000000 ? -1 : (int)((wait_us + 999) / 1000);
    const int events = poll(fds, FD_COUNT, timeout);
    if (events < 0) {
        return;
    }
    if (gathers && events > 0) {
        /* read before the death check: this input precedes it */
        take_stream(loop, &m->debugcon, AGPU_SOURCE_DEBUGCON);
    }
    check_vdev(loop, agpu_now_us());
    if (fds[FD_MORE].revents) {
        check_more_devices(loop);
    }
    if (fds[FD_SIGNAL].revents) {
        take_signal(loop);
    }
    if (fds[FD_DEBUGCON].revents) {
        take_stream(loop, &m->debugcon, AGPU_SOURCE_DEBUGCON);
        loop->gather_until_us = agpu_now_us() + GATHER_US;
    }
    if (fds[FD_UDP].revents) {
        take_datagrams(loop);
    }
    if (fds[FD_TCP].revents || agpu_now_us() >= loop->stream.deadline_us) {
        agpu_run_stream_serve(&loop->stream, agpu_now_us());
    }
    if (fds[FD_SERIAL].revents) {
        take_stream(loop, &m->serial, AGPU_SOURCE_SERIAL);
    }
    if (fds[FD_QEMU_OUT].revents) {
        take_output(loop, &m->qemu_output, &loop->qemu_lines, qemu_name(m));
    }
    if (fds[FD_VDEV_OUT].revents) {
        take_output(loop, &m->vdev_output, &loop->vdev_lines, "vdev");
    }
    if (fds[FD_QMP].revents) {
        agpu_qmp_receive(&m->qmp);
    }
}

/* A file or socket gives no notification for data that is already there; pipes are polled. */
static void drain_console(struct agpu_run_loop *loop, struct agpu_console *console, enum agpu_source source)
{
    agpu_console_settle(console);
    while (console->kind != AGPU_CONSOLE_PIPE && take_stream(loop, console, source)) {
    }
}

/* Reads all remaining output after QEMU has ended. */
static void drain_sources(struct agpu_run_loop *loop)
{
    struct agpu_machine *m = loop->machine;
    uint64_t until = agpu_now_us() + DRAIN_MS * 1000;

    agpu_close(&m->qmp.fd);
    drain_console(loop, &m->debugcon, AGPU_SOURCE_DEBUGCON);
    drain_console(loop, &m->serial, AGPU_SOURCE_SERIAL);
    while ((agpu_console_is_open(&m->debugcon) || agpu_console_is_open(&m->serial) || m->qemu_output >= 0) &&
           agpu_now_us() < until) {
        step_run(loop, until);
    }
    take_datagrams(loop);
    agpu_run_stream_drain(&loop->stream, agpu_now_us());
}

static bool take_screenshot(struct agpu_run_loop *loop, const char *path)
{
    struct agpu_machine *m = loop->machine;

    if (!agpu_qmp_screendump(&m->qmp, path)) {
        return false;
    }
    loop->shot = m->qmp.sent;
    uint64_t until = agpu_now_us() + SCREENSHOT_MS * 1000;
    while (m->qmp.fd >= 0 && m->qmp.answered < loop->shot && agpu_now_us() < until &&
           !agpu_process_poll(&m->qemu)) {
        step_run(loop, until);
    }
    return m->qmp.answered >= loop->shot && !m->qmp.failed;
}

/* Returns true when the machine stopped for an unknown reason: its screen is evidence. */
static bool screen_is_evidence(enum agpu_ending ending)
{
    return agpu_ending_case_verdict(ending) == AGPU_VERDICT_TIMEOUT || ending == AGPU_ENDING_EXCEPTION;
}

static void stop_machine(struct agpu_run_loop *loop)
{
    struct agpu_machine *m = loop->machine;
    enum agpu_ending ending = run_of(loop)->ending;
    char path[100], shot[32] = "screen.ppm";
    int artifacts;

    loop->stopping = true;
    if (screen_is_evidence(ending)) {
        agpu_machine_take_evidence(m); /* while it is still in the state of the failed case */
    }
    if (run_of(loop)->boot != 0) {
        snprintf(shot, sizeof shot, "screen-%u.ppm", run_of(loop)->boot);
    }
    if (loop->screenshot != NULL && ending != AGPU_ENDING_DEVICE_DIED &&
        !take_screenshot(loop, loop->screenshot)) {
        agpu_run_problem(run_of(loop), "no screenshot: QEMU did not write %s", loop->screenshot);
    }
    if (loop->screenshot == NULL && screen_is_evidence(ending) && ending != AGPU_ENDING_INTERRUPTED &&
        (artifacts = agpu_below_folder(loop->session->below, "artifacts")) >= 0) {
        unlinkat(artifacts, shot, 0);
        agpu_below_path(artifacts, shot, path, sizeof path);
        take_screenshot(loop, path);
        close(artifacts);
    }
    agpu_process_kill(&m->qemu);
}

/* Collects the first device's last output. */
static void drain_vdev(struct agpu_run_loop *loop, uint64_t until)
{
    struct agpu_machine *m = loop->machine;

    while (m->vdev_output >= 0) {
        struct pollfd fds[] = {{.fd = m->vdev_output, .events = POLLIN},
                               {.fd = m->vdev.pidfd, .events = POLLIN}};
        const uint64_t now = agpu_now_us();
        /* then read only what is already there */
        const bool over = now >= until || agpu_process_poll(&m->vdev);

        if (poll(fds, 2, over ? 0 : (int)((until - now + 999) / 1000)) < 0 && errno != EINTR) {
            return;
        }
        if (fds[0].revents) {
            take_output(loop, &m->vdev_output, &loop->vdev_lines, "vdev");
        } else if (over) {
            return;
        }
    }
}

/* Lets the devices exit by themselves and collects their last output and the counts of restores; a device that does
 * not exit is killed later. The signal goes only to the process itself, which terminates its helper processes. */
static void dismiss_devices(struct agpu_run_loop *loop)
{
    struct agpu_machine *m = loop->machine;
    const uint64_t until = agpu_now_us() + (m->vdev_writes ? LAST_OUTPUT_MS : LAST_WORDS_MS) * UINT64_C(1000);

    if (m->vdev.pid > 0 && !agpu_process_poll(&m->vdev)) {
        kill(m->vdev.pid, SIGTERM);
    }
    agpu_more_devices_signal(&m->more, SIGTERM);
    drain_vdev(loop, until);
    loop->restores[0] = agpu_output_restores(m->vdev_report, m->restores_key);
    for (uint64_t now = agpu_now_us(); agpu_more_devices_signal(&m->more, 0) && now < until;
         now = agpu_now_us()) {
        poll(&(struct pollfd){.fd = m->more.events, .events = POLLIN}, 1, (int)((until - now + 999) / 1000));
        check_more_devices(loop);
    }
    for (unsigned i = 0; i < m->more.count; i++) {
        loop->restores[1 + i] = agpu_output_restores(m->more.of[i].report, m->more.of[i].restores_key);
    }
}

void agpu_run_loop(struct agpu_run_loop *loop)
{
    struct agpu_machine *m = loop->machine;
    const uint64_t failed_before = loop->session->failed_checks;

    if (!agpu_run_stream_open(&loop->stream, m->tcp, &m->credentials, loop->session)) {
        end_run(loop, AGPU_ENDING_SETUP, "cannot take connections: memory or descriptors are exhausted");
    }
    for (;;) {
        uint64_t now = agpu_now_us();

        check_orderly_end(loop, now);
        check_answer(loop, now);
        agpu_session_tick(loop->session, now);
        bool paused = m->qmp.guest_shutdown && loop->screenshot != NULL; /* -action shutdown=pause */
        if (run_of(loop)->ending != AGPU_ENDING_NONE || loop->stopping || paused) {
            break;
        }
        if (agpu_process_poll(&m->qemu)) {
            break;
        }
        if (!loop->evidence_taken && loop->session->failed_checks != failed_before) {
            loop->evidence_taken = true; /* only the first failure's evidence is written */
            agpu_machine_take_evidence(m);
        }
        uint64_t deadline = agpu_session_deadline(loop->session, now);
        if (loop->orderly_until_us && loop->orderly_until_us < deadline) {
            deadline = loop->orderly_until_us;
        }
        if (loop->stream.deadline_us < deadline) {
            deadline = loop->stream.deadline_us;
        }
        if (answer_deadline(loop) < deadline) {
            deadline = answer_deadline(loop);
        }
        agpu_together_tick(&m->together, now);
        if (m->together.check_us < deadline) {
            deadline = m->together.check_us;
        }
        step_run(loop, deadline);
    }
    if (!m->qemu.ended) {
        bool paused = m->qmp.guest_shutdown;

        stop_machine(loop);
        drain_sources(loop);
        if (paused && run_of(loop)->ending == AGPU_ENDING_NONE && !run_of(loop)->summary.seen) {
            end_run(loop, AGPU_ENDING_STOPPED, "the machine powered off before the summary");
        }
    } else {
        drain_sources(loop);
        judge_qemu(loop);
    }
    dismiss_devices(loop);
    agpu_run_stream_close(&loop->stream);
}
