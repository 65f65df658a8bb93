/* screen.c: feeds the records of a run in one process to the collector and display of the host tool (screen.h). */
#include "tests/host_platform/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/device_output.h"
#include "tests/host/run/again.h"
#include "tests/host/run/session.h"

/* Without a folder the session has only a collector, a report and the display. */
struct inprocess_screen {
    const struct inprocess_options *options;
    struct agpu_session session;
    bool has_folder;
    char *command, *again;
};

static void show_case(void *ctx, const struct agpu_case_result *c)
{
    struct inprocess_screen *screen = ctx;

    if (screen->options->records) {
        return;
    }
    agpu_progress_case(&screen->session.progress, agpu_collector_run(screen->session.collector),
                       &screen->session.report, c);
}

static void take_record(void *ctx, const struct agpu_received *received)
{
    (void)ctx;
    (void)received; /* only a folder stores records */
}

/* Returns the command without its choice of cases and its folder; NULL when memory is exhausted. */
static char *command_of(char *const *argv)
{
    size_t count = 0;
    char **words, *text = NULL;

    while (argv[count] != NULL) {
        count++;
    }
    words = calloc(count + 1, sizeof *words);
    for (size_t i = 0, at = 0; words != NULL && i < count; i++) {
        if (strcmp(argv[i], "--filter") == 0 || strcmp(argv[i], "--out") == 0) {
            i++; /* and its value */
        } else if (strncmp(argv[i], "--filter=", 9) != 0 && strncmp(argv[i], "--out=", 6) != 0) {
            words[at++] = argv[i];
        }
    }
    text = words != NULL ? agpu_shell_line(words) : NULL;
    free(words);
    return text;
}

struct inprocess_screen *inprocess_screen_open(const struct inprocess_options *options)
{
    const char *out = options->out;
    struct inprocess_screen *screen = calloc(1, sizeof *screen);
    struct agpu_collector_config config = {
        .output = {.ctx = screen, .record = take_record, .case_done = show_case}};
    struct agpu_session *session;

    if (screen == NULL) {
        fputs("agpu_inprocess: memory is exhausted\n", stderr);
        return NULL;
    }
    screen->options = options;
    session = &screen->session;
    screen->has_folder = out != NULL;
    if (out != NULL && !agpu_session_open(session, out, "", &config)) {
        free(screen);
        return NULL;
    }
    if (out == NULL) {
        *session = (struct agpu_session){.start_us = agpu_now_us(), .below = -1, .lock = -1};
        session->collector = agpu_collector_create(&config);
        agpu_progress_init(&session->progress, stdout, "", session->start_us);
    }
    session->progress.quiet = options->quiet;
    screen->command = command_of(options->argv);
    if (session->collector == NULL || screen->command == NULL ||
        asprintf(&screen->again, "%s {case}", screen->command) < 0) {
        fputs("agpu_inprocess: memory is exhausted\n", stderr);
        screen->again = NULL;
        inprocess_screen_close(screen);
        return NULL;
    }
    session->report.again = screen->again;
    agpu_collector_run(session->collector)->quarantine = &options->quarantine;
    return screen;
}

void inprocess_print_packet(void *ctx, const char *packet, size_t length)
{
    const struct inprocess_options *options = ctx;
    const char *semicolon = memchr(packet, ';', length);
    const char *text = semicolon != NULL ? semicolon + 1 : packet;

    if (options->quiet && strncmp(text, "check ", 6) != 0 && strncmp(text, "summary ", 8) != 0 &&
        strncmp(text, "log ", 4) != 0 &&
        (strncmp(text, "end ", 4) != 0 || strstr(text, " status=PASS ") != NULL ||
         strstr(text, " status=SKIP ") != NULL)) {
        return;
    }
    fwrite(packet, 1, length, stdout);
}

void inprocess_screen_packet(void *ctx, const char *packet, size_t length)
{
    struct inprocess_screen *screen = ctx;
    struct agpu_session *session = &screen->session;
    const uint64_t now = agpu_now_us();

    if (screen->options->records) {
        inprocess_print_packet((void *)(uintptr_t)screen->options, packet, length);
        agpu_collector_packet(session->collector, packet, length, now);
    } else if (screen->has_folder) {
        agpu_session_packet(session, packet, length, now);
        agpu_session_tick(session, now);
    } else {
        agpu_collector_packet(session->collector, packet, length, now);
        agpu_progress_update(&session->progress, agpu_collector_run(session->collector), now);
    }
}

void inprocess_screen_problem(struct inprocess_screen *screen, const char *line, size_t length)
{
    char text[AGPU_EVIDENCE_TEXT_MAX];

    agpu_output_copy(text, sizeof text, line, length);
    agpu_run_problem(agpu_collector_run(screen->session.collector), "%s", text);
}

const char *inprocess_screen_resume(struct inprocess_screen *screen, const char *words, bool may_continue)
{
    struct agpu_collector *collector = screen->session.collector;
    const struct agpu_run *run = agpu_collector_run(collector);
    const struct agpu_case_result *running;
    const char *after;

    agpu_collector_end(collector, AGPU_ENDING_DEVICE_DIED, words);
    after = may_continue ? agpu_collector_resume(collector, agpu_now_us()) : NULL;
    running = agpu_run_current(run);
    if (after == NULL && may_continue && screen->options->records && running != NULL &&
        running->index == run->planned && strchr(running->id, '/') == NULL) {
        return running->id; /* the next process sends the end of the last case, and the summary */
    }
    if (after != NULL && !screen->options->records) {
        agpu_progress_note(&screen->session.progress, "restarting the device after %s (%zu of %d)", after,
                           run->restart_count, AGPU_RESTARTS_MAX);
    }
    return after;
}

bool inprocess_screen_close(struct inprocess_screen *screen)
{
    struct agpu_session *session = &screen->session;
    const uint64_t now = agpu_now_us();
    bool passed = true;

    if (screen->options->records) {
        ; /* the process of the device has sent the verdict */
    } else if (session->collector != NULL && screen->has_folder) {
        passed = agpu_session_finish(session, 0, now);
    } else if (session->collector != NULL) {
        agpu_collector_finish(session->collector, now);
        session->report.run = agpu_collector_run(session->collector);
        session->report.wall_s = (double)(now - session->start_us) / 1e6;
        session->report.boot_to_entry_s = session->report.entry_to_first_record_s = -1;
        agpu_progress_summary(&session->progress, &session->report, NULL);
    }
    passed =
        passed && (screen->options->records || (session->collector != NULL && agpu_session_passed(session)));
    agpu_session_close(session);
    free(screen->command);
    free(screen->again);
    free(screen);
    return passed;
}
