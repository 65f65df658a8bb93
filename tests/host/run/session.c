/* session.c: connects collector, result folder and terminal display of one machine. */
#include "efi/protocol/serial_line.h"
#include "tests/host/report/text.h"
#include "tests/host/monotonic.h"
#include "tests/host/run/session.h"
#include "tests/host/report/pictures.h"
#include "tests/host/report/streams.h"
#include "tests/host/run/symbolize.h"
#include "tests/host/report/report_files.h"
#include "tests/host/report/result_folder.h"
#include "tests/host/wire/run_verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONSOLE_LOG_MAX    (UINT64_C(64) << 20)
#define NETCONSOLE_LOG_MAX (UINT64_C(256) << 20)
#define REDRAW_US          UINT64_C(100000)

uint64_t agpu_now_us(void)
{
    return agpu_monotonic_ns() / 1000;
}

/* Limit for symbolized back traces: each takes time, and one defect may end hundreds of cases. */
#define TRACES_MAX 32u

static void explain_stack(struct agpu_session *s, const struct agpu_parsed_record *record)
{
    const char *offsets = agpu_record_text(record, AGPU_KEY(LOG, stack), "");
    char lines[4096];

    if (offsets[0] == '\0' || strcmp(record->id, "-") == 0 || s->symbols[0] == '\0' ||
        s->traces == TRACES_MAX) {
        return;
    }
    s->traces++;
    if (agpu_symbolize(s->symbols, offsets, lines, sizeof lines)) {
        agpu_run_back_trace(agpu_collector_run(s->collector), record, lines);
    } else {
        agpu_run_problem(agpu_collector_run(s->collector), "%s", lines);
    }
}

/* Reserves disk space. Returns false when all runs together have reached their limit; reports that once. */
static bool take_disk(struct agpu_session *s, uint64_t bytes, uint64_t files)
{
    const bool room = agpu_disk_take(s->disk, bytes, files);

    if (!room && !s->disk->reported) {
        fputs("agpu: all runs together have written the limit of --max-mib: later records count for the "
              "verdict, but are not stored\n",
              stderr);
        s->disk->reported = true;
    }
    return room;
}

/* Returns the size of a record in results.jsonl, which exists twice while it is sorted: text, keys and quotes. */
static uint64_t disk_of_record(const struct agpu_parsed_record *record)
{
    uint64_t bytes = 200;

    for (size_t i = 0; i < record->field_count; i++) {
        bytes += strlen(record->fields[i].key) + 2 * record->fields[i].length + 8;
    }
    return 2 * bytes;
}

static void note_incomplete(struct agpu_session *s)
{
    agpu_run_problem(agpu_collector_run(s->collector), "results.jsonl is not complete: %s", strerror(errno));
}

static const char no_room[] = "--max-mib or the bound of files is reached";

/* Reserves space for a piece of a file, and for the file if this is its first piece. */
static bool take_artifact(struct agpu_session *s, size_t size)
{
    s->files_before = s->artifacts.files;
    return take_disk(s, size, 0) && (s->disk == NULL || s->disk->files_left > 0);
}

static void end_artifact(struct agpu_session *s, const struct agpu_parsed_record *record, const char *wrong)
{
    take_disk(s, 0, s->artifacts.files - s->files_before);
    if (wrong != NULL) {
        agpu_run_problem(agpu_collector_run(s->collector), "artifact %s of %s: %s",
                         agpu_record_text(record, AGPU_KEY(ARTIFACT, name), ""), record->id, wrong);
    }
}

static void on_record(void *ctx, const struct agpu_received *received)
{
    struct agpu_session *s = ctx;
    struct agpu_run *run = agpu_collector_run(s->collector);

    if (!take_disk(s, disk_of_record(received->record), 0)) {
        agpu_run_problem(run, "results.jsonl is not complete: --max-mib is reached");
    } else if (!agpu_results_add(&s->results, received)) {
        note_incomplete(s);
    }
    s->failed_checks += received->record->type == AGPU_RECORD_CHECK;
    agpu_pieces_announced(&s->pieces, received->record);
    if (received->record->type == AGPU_RECORD_ARTIFACT &&
        !agpu_streamed_capture_announced(received->record)) {
        const struct agpu_field *data = agpu_record_field(received->record, AGPU_KEY(ARTIFACT, data));

        if (data != NULL) {
            const bool room = take_artifact(s, data->length);

            end_artifact(s, received->record,
                         room ? agpu_artifacts_add(&s->artifacts, received->record) : no_room);
        } else { /* the data arrives beside the record */
            const bool room = take_artifact(s, 0);

            end_artifact(s, received->record,
                         room ? agpu_artifacts_put(&s->artifacts, received->record, "", 0) : no_room);
        }
    }
    if (received->record->type == AGPU_RECORD_LOG) {
        explain_stack(s, received->record);
    }
    if (received->record->type == AGPU_RECORD_PLAN) {
        agpu_progress_note(&s->progress, "image up: %llu cases, build %s, device %s",
                           (unsigned long long)agpu_record_count(received->record, AGPU_KEY(PLAN, count), 0),
                           run->build != NULL ? run->build : "?",
                           agpu_record_text(received->record, AGPU_KEY(PLAN, device), "?"));
    }
}

void agpu_session_log(struct agpu_session *s, const char *who, const char *line, size_t length)
{
    if (agpu_log_room(&s->console, length + 32)) {
        fprintf(s->console.stream, "[%9.3f %s] ", (double)(agpu_now_us() - s->start_us) / 1e6, who);
        agpu_text_write_console(s->console.stream, line, length);
        putc('\n', s->console.stream);
    }
}

/* The image's beginning without UEFI has no records yet (efi/bare/console.c). */
#define BARE_LINE "agpu.elf: "

static void on_console(void *ctx, enum agpu_source source, const char *line, size_t length, bool is_record)
{
    const struct agpu_session *s = ctx;

    /* Records are in results.jsonl; the console shows them once. Replies to an agpu ctl on the port are not meant
     * for people. */
    if (!is_record && agpu_serial_line_is_meant(line, length)) {
        return;
    }
    if (!is_record && length > sizeof BARE_LINE && memcmp(line, BARE_LINE, sizeof BARE_LINE - 1) == 0) {
        agpu_run_problem(agpu_collector_run(s->collector), "%.*s", (int)length, line);
    }
    if (!is_record || source == s->console_of) {
        agpu_session_log(ctx, agpu_source_name(source), line, length);
    }
}

static void on_case_done(void *ctx, const struct agpu_case_result *c)
{
    struct agpu_session *s = ctx;

    /* The files that the case sent have arrived by now. */
    if (agpu_case_verdict(c) > AGPU_VERDICT_SKIP && agpu_artifact_list_read(&s->files, s->below)) {
        s->report.artifacts = &s->files;
    }
    agpu_progress_case(&s->progress, agpu_collector_run(s->collector), &s->report, c);
    s->report.artifacts = NULL;
    agpu_artifact_list_free(&s->files);
}

bool agpu_session_open(struct agpu_session *s, const char *folder, const char *prefix,
                       struct agpu_collector_config *config)
{
    *s = (struct agpu_session){
        .start_us = agpu_now_us(), .below = -1, .lock = -1, .console_of = AGPU_SOURCE_SERIAL};
    if (strlen(folder) + 64 > sizeof s->folder) {
        fprintf(stderr, "agpu: the path of the output folder is too long: %s\n", folder);
        return false;
    }
    strcpy(s->folder, folder);
    s->below = agpu_result_folder_open(folder, &s->lock);
    if (s->below < 0) {
        return false;
    }
    s->report.folder = s->folder;
    s->artifacts.folder = s->below;
    s->capture.folder = s->below;
    if (config->start_us == 0) {
        config->start_us = s->start_us;
    }
    config->output = (struct agpu_collector_output){
        .ctx = s, .record = on_record, .console = on_console, .case_done = on_case_done};
    s->collector = agpu_collector_create(config);
    bool good = s->collector != NULL;
    if (good) {
        agpu_result_folder_clean(s->below);
        good = agpu_results_open(&s->results, s->below, s->start_us) &&
               agpu_log_open(&s->netconsole, s->below, "netconsole.log", NETCONSOLE_LOG_MAX) &&
               agpu_log_open(&s->console, s->below, "console.log", CONSOLE_LOG_MAX);
    }
    if (!good) {
        fprintf(stderr, "agpu: cannot use the output folder %s: %s\n", folder, strerror(errno));
        agpu_session_close(s);
        return false;
    }
    s->report.started_at = (double)time(NULL);
    agpu_progress_init(&s->progress, stdout, prefix, s->start_us);
    return true;
}

static void take_capture(struct agpu_session *s, const struct agpu_parsed_record *record, const char *piece,
                         size_t size)
{
    const unsigned count = s->capture.count;
    const bool room = take_disk(s, size, 0) && (s->disk == NULL || s->disk->files_left > 0);
    const char *wrong = agpu_streamed_capture_put(&s->capture, record, piece, size, room ? NULL : no_room);

    take_disk(s, 0, s->capture.count - count);
    if (wrong != NULL) {
        agpu_run_problem(agpu_collector_run(s->collector), "%s is not complete: %s", s->capture.name, wrong);
    }
}

/* The collector already has the record. */
static void take_piece(struct agpu_session *s, const char *boot, const char *message, size_t size,
                       const char *piece, size_t piece_size)
{
    static struct agpu_parsed_record record;
    const char *wrong = agpu_pieces_take(&s->pieces, s->collector, boot, message, size, piece_size, &record);

    if (wrong != NULL) {
        agpu_run_problem(agpu_collector_run(s->collector), "stream: a piece of a file is dropped: %s", wrong);
    } else if (agpu_streamed_capture_announced(&record)) {
        take_capture(s, &record, piece, piece_size);
    } else {
        const bool room = take_artifact(s, piece_size);

        end_artifact(s, &record,
                     room ? agpu_artifacts_put(&s->artifacts, &record, piece, piece_size) : no_room);
    }
}

bool agpu_session_item(struct agpu_session *s, const char *boot, const struct agpu_intake_item *item,
                       uint64_t now_us)
{
    size_t message = item->size, piece_size;
    const char *piece;
    const bool has_piece = item->kind == AGPU_ITEM_PIECE &&
                           agpu_pieces_cut(item->bytes, item->size, &message, &piece, &piece_size);

    if (!agpu_collector_item(s->collector, boot, item->bytes, message, now_us)) {
        return false;
    }
    if (has_piece) {
        take_piece(s, boot, item->bytes, message, piece, piece_size);
    }
    return true;
}

bool agpu_session_flush(struct agpu_session *s)
{
    const bool good = agpu_results_flush(&s->results);

    if (!good && !s->stuck) {
        agpu_progress_note(&s->progress,
                           "! %s/results.jsonl cannot be written: %s; records wait in memory: make room",
                           s->folder, strerror(errno));
    } else if (good && s->stuck) {
        agpu_progress_note(&s->progress, "! %s/results.jsonl can be written again, no record is lost",
                           s->folder);
    }
    s->stuck = !good;
    /* Logs for people; they have a size limit anyway. */
    agpu_log_flush(&s->netconsole);
    agpu_log_flush(&s->console);
    return good;
}

/* Only this session uses the stream: no lock. */
static void write_datagram(FILE *out, const char *bytes, size_t size)
{
    if (agpu_text_plain(bytes, size) == size) {
        fwrite_unlocked(bytes, 1, size, out);
    } else {
        agpu_text_write_line(out, bytes, size);
    }
    putc_unlocked('\n', out);
}

bool agpu_session_packet(struct agpu_session *s, const char *bytes, size_t size, uint64_t now_us)
{
    if (!agpu_collector_packet(s->collector, bytes, size, now_us)) {
        return false;
    }
    if (take_disk(s, size + 1, 0) && agpu_log_room(&s->netconsole, 4 * size + 1)) {
        write_datagram(s->netconsole.stream, bytes, size > 0 && bytes[size - 1] == '\n' ? size - 1 : size);
    }
    return true;
}

void agpu_session_limit_memory(struct agpu_session *s, size_t bytes)
{
    agpu_collector_run(s->collector)->memory_max = bytes / 2;
    s->results.count_max = bytes / 4 / sizeof s->results.entries[0];
}

void agpu_session_stream(struct agpu_session *s, enum agpu_source source, const char *bytes, size_t size,
                         uint64_t now_us)
{
    agpu_collector_stream(s->collector, source, bytes, size, now_us);
}

void agpu_session_tick(struct agpu_session *s, uint64_t now_us)
{
    struct agpu_run *run = agpu_collector_run(s->collector);

    agpu_collector_tick(s->collector, now_us);
    agpu_session_flush(s);
    for (; s->problems_shown < run->problem_count; s->problems_shown++) {
        agpu_progress_note(&s->progress, "! %s", run->problems[s->problems_shown]);
    }
    agpu_progress_update(&s->progress, run, now_us);
}

uint64_t agpu_session_deadline(const struct agpu_session *s, uint64_t now_us)
{
    uint64_t deadline = agpu_collector_deadline(s->collector);
    uint64_t redraw = now_us + REDRAW_US;

    return s->progress.terminal && redraw < deadline ? redraw : deadline;
}

static double span_seconds(uint64_t from_us, uint64_t to_us)
{
    return from_us && to_us >= from_us ? (double)(to_us - from_us) / 1e6 : -1;
}

static void set_times(struct agpu_session *s, uint64_t boot_us, uint64_t now_us)
{
    const struct agpu_source_stats *stats = agpu_collector_stats(s->collector);
    uint64_t entry = stats->first_us[AGPU_SOURCE_DEBUGCON];

    if (entry == 0) {
        entry = stats->first_us[AGPU_SOURCE_SERIAL];
    }
    uint64_t first = stats->first_us[AGPU_SOURCE_UDP] ? stats->first_us[AGPU_SOURCE_UDP] : stats->plan_us;
    s->report.wall_s = span_seconds(s->start_us, now_us);
    s->report.boot_to_entry_s = span_seconds(boot_us, entry);
    s->report.entry_to_first_record_s = span_seconds(entry, first);
    s->report.boot_to_summary_s = stats->summary_us ? span_seconds(boot_us, stats->summary_us) : -1;
}

static void end_capture(struct agpu_session *s)
{
    const char *lacks = NULL;

    if (s->capture.name[0] == '\0') {
        return;
    }
    lacks = agpu_streamed_capture_lacks(&s->capture);
    if (lacks != NULL && s->capture.wrong == NULL) { /* else it was already reported */
        agpu_run_problem(agpu_collector_run(s->collector), "%s is not complete: %s", s->capture.name, lacks);
    }
    agpu_progress_note(&s->progress, "  capture            %s/%s, over the stream%s%s", s->folder,
                       s->capture.name, lacks != NULL ? ", not complete: " : "", lacks != NULL ? lacks : "");
}

/* Returns written; reports a file that was not. */
static bool is_written(struct agpu_session *s, const char *name, bool written)
{
    const char *why = strerror(errno);

    if (!written) {
        fprintf(stderr, "agpu: cannot write %s/%s: %s\n", s->folder, name, why);
        agpu_report_missing(&s->report, name, why);
    }
    return written;
}

bool agpu_session_finish(struct agpu_session *s, uint64_t boot_us, uint64_t now_us)
{
    const uint64_t missing = agpu_pieces_missing(&s->pieces);
    const struct agpu_report_place place = {.path = s->folder, .folder = s->below};

    if (missing != 0) {
        agpu_run_problem(
            agpu_collector_run(s->collector),
            "%llu announced pieces of files never arrived: their stream ended early, or had no room here",
            (unsigned long long)missing);
    }
    end_capture(s);
    agpu_collector_finish(s->collector, now_us);
    set_times(s, boot_us, now_us);
    s->report.run = agpu_collector_run(s->collector);
    s->report.stats = agpu_collector_stats(s->collector);
    s->report.gaps = agpu_collector_gaps(s->collector);
    bool good = is_written(s, "results.jsonl", agpu_results_commit(&s->results));
    unlinkat(s->below, "artifacts", AT_REMOVEDIR); /* fails when there are files in it */
    if (agpu_artifact_list_read(&s->files, s->below) &&
        agpu_pictures_enlarge(s->below, &s->files) + agpu_streams_decode(s->below, &s->files) != 0) {
        agpu_artifact_list_free(&s->files);
        agpu_artifact_list_read(&s->files, s->below);
    }
    s->report.artifacts = &s->files;
    good = is_written(s, "netconsole.log", agpu_log_close(&s->netconsole)) && good;
    good = is_written(s, "console.log", agpu_log_close(&s->console)) && good;
    good = agpu_report_write(&s->report, &place) && good;
    agpu_progress_summary(&s->progress, &s->report, s->folder);
    return good;
}

bool agpu_session_passed(struct agpu_session *s)
{
    return agpu_collector_run(s->collector)->verdict == AGPU_VERDICT_PASS;
}

void agpu_session_close(struct agpu_session *s)
{
    agpu_log_close(&s->netconsole);
    agpu_log_close(&s->console);
    agpu_results_discard(&s->results);
    agpu_artifact_list_free(&s->files);
    if (s->below >= 0) {
        close(s->below);
        close(s->lock);
        s->below = s->lock = -1;
    }
    agpu_pieces_free(&s->pieces);
    agpu_progress_close(&s->progress);
    agpu_collector_destroy(s->collector);
    s->collector = NULL;
}
