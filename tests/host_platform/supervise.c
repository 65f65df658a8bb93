/* supervise.c: starts children until the catalogue is finished. */
#include "tests/host_platform/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/device/plugin/guard.h"
#include "tests/device/plugin/warden.h"
#include "tests/host/device_output.h"
#include "tests/host/run/symbolize.h"
#include "tests/host/wire/line_stream.h"
#include "tests/host/wire/run_model.h"
#include "tests/host_platform/screen.h"

#define WORDS 1000

struct supervision {
    struct inprocess_options *options;
    struct inprocess_screen *screen; /* NULL before the first record */
    const char *said;                /* by the guard of the child */
    struct child_stream {
        int fd; /* -1: closed */
        struct agpu_line_stream lines;
    } records, errors;
    int child;
    unsigned restarts;
    char words[WORDS]; /* why the child ended */
    char died[WORDS];
    const char *capture; /* of the first child */
    char next_capture[4096];
};

/* Prints the functions of the first crash: a driver that crashes in each case must not cost the time of each. */
static void print_stack(const struct supervision *run, const char *line, size_t length)
{
    char tool[32], offsets[1024], names[4096];

    snprintf(tool, sizeof tool, "/proc/%d/exe", getpid());
    snprintf(offsets, sizeof offsets, "%.*s", (int)length, line);
    if (run->restarts == 0 && run->options->foreign == NULL &&
        agpu_symbolize(tool, offsets + strlen(VGPU_GUARD_STACK), names, sizeof names)) {
        fputs(names, stderr);
    } else {
        fprintf(stderr, "%s\n", offsets);
    }
}

static void take_error_line(struct supervision *run, const char *line, size_t length)
{
    const size_t stack = strlen(VGPU_GUARD_STACK);

    if (length > stack && memcmp(line, VGPU_GUARD_STACK, stack) == 0) {
        print_stack(run, line, length);
        return;
    }
    fprintf(stderr, "%.*s\n", (int)length, line);
    if (!agpu_output_is_guard(line, length)) { /* the guard's report is in said: this line is of the device */
        agpu_output_take(run->words, sizeof run->words, line, length);
    }
    if (run->screen != NULL && agpu_output_is_breach(line, length)) {
        inprocess_screen_problem(run->screen, line, length);
    }
}

/* A device may print, too. */
static void take_record_line(struct supervision *run, const char *line, size_t length)
{
    char packet[AGPU_LINE_MAX + 2];

    if (length == 0 || line[0] < '0' || line[0] > '9' || memmem(line, length, ",-;", 3) == NULL) {
        fprintf(stdout, "%.*s\n", (int)length, line);
        return;
    }
    if (run->screen == NULL) {
        run->screen = inprocess_screen_open(run->options);
    }
    if (run->screen == NULL) {
        exit(2); /* the child ends, too */
    }
    memcpy(packet, line, length);
    memcpy(packet + length, "\n", 2);
    inprocess_screen_packet(run->screen, packet, length + 1);
}

static void take_child_bytes(struct supervision *run, struct child_stream *stream,
                             void (*take)(struct supervision *run, const char *line, size_t length))
{
    char bytes[65536];
    ssize_t got;

    while (stream->fd >= 0 && (got = read(stream->fd, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EAGAIN) {
            return;
        }
        for (ssize_t done = 0; done < got;) {
            const char *line;
            size_t length;

            done += (ssize_t)agpu_line_stream_take(&stream->lines, bytes + done, (size_t)(got - done), &line,
                                                   &length);
            if (line != NULL) {
                take(run, line, length);
            }
        }
    }
    if (stream->fd >= 0) {
        close(stream->fd);
        stream->fd = -1;
    }
}

/* Takes everything until the child has ended. A process that the device has started may keep the pipes open. */
static struct vgpu_warden_end watch_child(struct supervision *run)
{
    const int process = pidfd_open(run->child, 0);
    struct vgpu_warden_end end;
    const char *line;
    size_t length;
    bool ended;

    do {
        struct pollfd polled[] = {{.fd = process, .events = POLLIN},
                                  {.fd = run->records.fd, .events = POLLIN},
                                  {.fd = run->errors.fd, .events = POLLIN}};

        poll(polled, 3, 250);
        ended = vgpu_warden_ended(run->child, WNOHANG, &end);
        take_child_bytes(run, &run->records, take_record_line);
        take_child_bytes(run, &run->errors, take_error_line);
    } while (!ended);
    line = agpu_line_stream_rest(&run->errors.lines, &length);
    if (line != NULL) { /* without a newline */
        take_error_line(run, line, length);
    }
    if (process >= 0) {
        close(process);
    }
    return end;
}

static bool open_child_stream(struct child_stream *stream, int *other)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    stream->lines.length = 0;
    stream->fd = ends[0];
    *other = ends[1];
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

static bool start_child(struct supervision *run)
{
    int records, errors;

    if (!open_child_stream(&run->records, &records) || !open_child_stream(&run->errors, &errors) ||
        !vgpu_warden_fork(&run->child)) {
        return false;
    }
    if (run->child == 0) {
        dup2(records, STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
    }
    close(records);
    close(errors);
    run->words[0] = '\0';
    return true;
}

/* Prepares the next child. Returns false when the run ends here. */
static bool continue_after_case(struct supervision *run)
{
    struct inprocess_options *options = run->options;
    const bool once = options->until_failure || options->replay != NULL || options->rounds.count > 1 ||
                      options->rounds.time_ns != 0 || run->restarts == AGPU_RESTARTS_MAX;

    agpu_output_take(run->words, sizeof run->words, run->said, strlen(run->said));
    options->after = run->screen != NULL ? inprocess_screen_resume(run->screen, run->words, !once) : NULL;
    if (options->after == NULL) {
        fprintf(stderr, "%s\n", run->words);
        return false;
    }
    snprintf(run->died, sizeof run->died, "%s", run->words);
    options->died = options->records ? run->died : NULL;
    run->restarts++;
    if (run->capture != NULL) {
        snprintf(run->next_capture, sizeof run->next_capture, "%s-%u", run->capture, run->restarts);
        options->capture = run->next_capture;
    }
    return true;
}

int inprocess_supervise(struct inprocess_options *options, int (*run)(struct inprocess_options *options))
{
    static struct supervision state;
    struct vgpu_warden_end end;

    state = (struct supervision){.options = options, .capture = options->capture, .said = vgpu_guard_keep()};
    do {
        if (state.said == NULL || !start_child(&state)) {
            fprintf(stderr, "agpu_inprocess: cannot start the process of the cases: %s\n", strerror(errno));
            return 2;
        }
        if (state.child == 0) {
            if (options->foreign == NULL && !vgpu_guard_install(NULL, 0)) {
                fprintf(stderr, "agpu_inprocess: cannot install the handlers of signals\n");
                return 2;
            }
            options->quiet = false;
            options->records = true;
            return run(options);
        }
        end = watch_child(&state);
    } while (!end.finished && continue_after_case(&state));
    return (state.screen == NULL || inprocess_screen_close(state.screen)) && end.finished ? end.status : 1;
}
