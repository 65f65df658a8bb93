/* import.c: imports finished runs into the history, each once (import.h). */
#include "tests/host/history/import.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/history/place.h"
#include "tests/host/report/replay.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/run_verdict.h"

#define TEXT_KEPT 300 /* bytes stored of a case's reason */
/* in place of a run's number: the file is unusable, so that it is not read and reported again */
#define UNUSABLE -1

/* The statements of one import. */
struct import_writer {
    struct agpu_history *history;
    struct agpu_statement *known_name;
    struct agpu_statement *name;
    struct agpu_statement *result;
    struct agpu_statement *metric;
    struct agpu_statement *sample;
    int64_t run;
};

/* Computes the digest that identifies a run: the same run in two folders counts once. */
static bool digest_file(const char *path, uint8_t digest[SHA256_DIGEST_SIZE])
{
    static const char unreadable[] = "agpu: cannot read %s: %s\n";
    uint8_t buffer[1 << 16];
    struct sha256_ctx context;
    FILE *file = fopen(path, "re");
    size_t length;

    if (file == NULL) {
        fprintf(stderr, unreadable, path, strerror(errno));
        return false;
    }
    sha256_init(&context);
    while ((length = fread(buffer, 1, sizeof buffer, file)) > 0) {
        sha256_update(&context, length, buffer);
    }
    const bool good = !ferror(file);
    if (!good) {
        fprintf(stderr, unreadable, path, strerror(errno));
    }
    fclose(file);
    sha256_digest(&context, SHA256_DIGEST_SIZE, digest);
    return good;
}

/* Binds text as UTF-8 of limited length. */
static void bind_text(struct agpu_statement *statement, int column, const char *text, size_t most)
{
    size_t length = 0;
    char *kept = text != NULL ? agpu_text_utf8(text, strnlen(text, most), &length) : NULL;

    agpu_bind_text(statement, column, kept != NULL ? kept : "", kept != NULL ? length : 0);
    free(kept);
}

static bool finish_step(struct agpu_statement *statement)
{
    bool good = true;

    agpu_statement_row(statement, &good);
    agpu_statement_reset(statement);
    return good;
}

/* Returns the number of a text, adding it if new; 0 with a line on stderr. */
static int64_t name_id(struct import_writer *writer, const char *text)
{
    /* Nearly all are known: reading is cheaper than writing. */
    struct agpu_statement *const ways[] = {writer->known_name, writer->name};
    bool good = true;
    int64_t id = 0;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && good && id == 0; i++) {
        bind_text(ways[i], 1, text, TEXT_KEPT);
        if (agpu_statement_row(ways[i], &good)) {
            id = agpu_column_number(ways[i], 0);
        }
        agpu_statement_reset(ways[i]);
    }
    return good ? id : 0;
}

static bool write_case(struct import_writer *writer, const struct agpu_case_result *c)
{
    const enum agpu_verdict verdict = agpu_case_verdict(c);
    const int64_t id = name_id(writer, c->id);
    int64_t reason = 0;

    if (verdict != AGPU_VERDICT_PASS) {
        char *text = agpu_report_headline(c);

        reason = name_id(writer, text != NULL ? text : "");
        free(text);
    }
    if (id == 0 || (reason == 0 && verdict != AGPU_VERDICT_PASS)) {
        return false;
    }
    agpu_bind_number(writer->result, 1, id);
    agpu_bind_number(writer->result, 2, writer->run);
    agpu_bind_number(writer->result, 3, (int)verdict);
    agpu_bind_number(writer->result, 4, (int64_t)(c->duration_us & INT64_MAX));
    if (reason != 0) {
        agpu_bind_number(writer->result, 5, reason);
    }
    return finish_step(writer->result);
}

static bool write_sample(struct import_writer *writer, const char *id, const char *name, const char *unit,
                         double value)
{
    const int64_t owner = name_id(writer, id);
    bool good = owner != 0;
    int64_t metric = 0;

    if (!good) {
        return false;
    }
    agpu_bind_number(writer->metric, 1, owner);
    bind_text(writer->metric, 2, name, TEXT_KEPT);
    bind_text(writer->metric, 3, unit, TEXT_KEPT);
    if (agpu_statement_row(writer->metric, &good)) {
        metric = agpu_column_number(writer->metric, 0);
    }
    agpu_statement_reset(writer->metric);
    agpu_bind_number(writer->sample, 1, metric);
    agpu_bind_number(writer->sample, 2, writer->run);
    agpu_bind_real(writer->sample, 3, value);
    return good && finish_step(writer->sample);
}

static bool write_results(struct import_writer *writer, struct agpu_replay *replay)
{
    const struct {
        const char *name;
        double value;
    } times[] = {{"run.wall", replay->report.wall_s},
                 {"run.boot_to_entry", replay->report.boot_to_entry_s},
                 {"run.boot_to_summary", replay->report.boot_to_summary_s}};
    struct agpu_run *run = &replay->run;
    bool good = true;

    for (size_t i = 0; i < run->case_count && good; i++) {
        good = write_case(writer, run->cases[i]);
    }
    for (size_t i = 0; i < run->metrics.count && good; i++) {
        struct agpu_metric *metric = &run->metrics.items[i];

        good =
            write_sample(writer, metric->id, metric->name, metric->unit, agpu_metric_percentile(metric, 50));
    }
    for (size_t i = 0; i < sizeof times / sizeof times[0] && good; i++) {
        good = times[i].value < 0 || write_sample(writer, "-", times[i].name, "s", times[i].value);
    }
    return good;
}

static void add_words(char *text, size_t size, const char *label, const char *value)
{
    const size_t used = strlen(text);

    if (value != NULL && value[0] != '\0') {
        snprintf(text + used, size - used, "%s%s%s", used != 0 ? ", " : "", label, value);
    }
}

void agpu_history_setup(const struct agpu_report *report, char *text, size_t size)
{
    static const char *const labels[][2] = {{"board ", "board"},
                                            {"machine ", "machine"},
                                            {"plug-in ", "plugin"},
                                            {"device program ", "vdev"},
                                            {"save and restore ", "save_restore"},
                                            {"", "variant"}}; /* in a campaign: another firmware */

    text[0] = '\0';
    add_words(text, size, "fault ", agpu_report_environment_of(report, "fault"));
    add_words(text, size, "", report->run->device);
    add_words(text, size, "as ", report->run->judged);
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        add_words(text, size, labels[i][0], agpu_report_environment_of(report, labels[i][1]));
    }
}

/* Writes the row of the run; its number is in writer->run, 0 when a run with the same records exists. */
static bool write_run(struct import_writer *writer, const struct agpu_replay *replay, const uint8_t *digest,
                      int64_t started_at, const char *folder)
{
    const struct agpu_run *run = &replay->run;
    const struct agpu_counts counts = agpu_run_counts(run);
    char setup[AGPU_HISTORY_SETUP_MAX], place[512] = "";
    uint64_t bad = 0;
    bool good = true;
    struct agpu_statement *statement = agpu_history_prepare(
        writer->history, "INSERT INTO run(digest, started_at, verdict, build, setup, place, fault, folder,"
                         " cases, bad) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) RETURNING id");

    if (statement == NULL) {
        return false;
    }
    agpu_history_setup(&replay->report, setup, sizeof setup);
    add_words(place, sizeof place, "", agpu_report_environment_of(&replay->report, "accel"));
    add_words(place, sizeof place, "", agpu_report_environment_of(&replay->report, "host"));
    for (unsigned verdict = AGPU_VERDICT_ERROR; verdict < AGPU_VERDICT_COUNT; verdict++) {
        bad += counts.by_verdict[verdict];
    }
    agpu_bind_bytes(statement, 1, digest, SHA256_DIGEST_SIZE);
    agpu_bind_number(statement, 2, started_at);
    agpu_bind_number(statement, 3, (int)run->verdict);
    bind_text(statement, 4, run->build, TEXT_KEPT);
    bind_text(statement, 5, setup, TEXT_KEPT);
    bind_text(statement, 6, place, TEXT_KEPT);
    bind_text(statement, 7, agpu_report_environment_of(&replay->report, "fault"), TEXT_KEPT);
    bind_text(statement, 8, folder, TEXT_KEPT);
    agpu_bind_number(statement, 9, (int64_t)run->case_count);
    agpu_bind_number(statement, 10, (int64_t)bad);
    writer->run = agpu_statement_row(statement, &good) ? agpu_column_number(statement, 0) : 0;
    agpu_statement_end(statement);
    return good;
}

static bool prepare_writer(struct import_writer *writer, struct agpu_history *history)
{
    *writer = (struct import_writer){.history = history};
    writer->known_name = agpu_history_prepare(history, "SELECT id FROM name WHERE text = ?1");
    /* The no-op update makes the statement return the row even if another process added it meanwhile. */
    writer->name = agpu_history_prepare(
        history,
        "INSERT INTO name(text) VALUES(?1) ON CONFLICT(text) DO UPDATE SET id = name.id RETURNING id");
    writer->result = agpu_history_prepare(
        history, "INSERT INTO result(case_id, run_id, verdict, us, reason_id) VALUES(?1, ?2, ?3, ?4, ?5)");
    writer->metric = agpu_history_prepare(
        history, "INSERT INTO metric(case_id, name, unit) VALUES(?1, ?2, ?3)"
                 " ON CONFLICT(case_id, name, unit) DO UPDATE SET id = metric.id RETURNING id");
    writer->sample = agpu_history_prepare(
        history, "INSERT INTO sample(metric_id, run_id, value) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING");
    return writer->known_name != NULL && writer->name != NULL && writer->result != NULL &&
           writer->metric != NULL && writer->sample != NULL;
}

static void end_writer(struct import_writer *writer)
{
    agpu_statement_end(writer->known_name);
    agpu_statement_end(writer->name);
    agpu_statement_end(writer->result);
    agpu_statement_end(writer->metric);
    agpu_statement_end(writer->sample);
}

static bool note_source(struct agpu_history *history, const char *path, const struct stat *status,
                        int64_t run)
{
    bool good = true;
    struct agpu_statement *statement = agpu_history_prepare(
        history,
        "INSERT INTO source(path, size, mtime_ns, run_id) VALUES(?1, ?2, ?3, ?4) ON CONFLICT(path)"
        " DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns, run_id = excluded.run_id");

    if (statement == NULL) {
        return false;
    }
    bind_text(statement, 1, path, PATH_MAX);
    agpu_bind_number(statement, 2, status->st_size);
    agpu_bind_number(statement, 3, status->st_mtim.tv_sec * 1000000000LL + status->st_mtim.tv_nsec);
    agpu_bind_number(statement, 4, run);
    agpu_statement_row(statement, &good);
    agpu_statement_end(statement);
    return good;
}

/* Returns the run of a file that was imported before and has not changed; 0: none. */
static int64_t known_source(struct agpu_history *history, const char *path, const struct stat *status,
                            bool *good)
{
    int64_t run = 0;
    struct agpu_statement *statement = agpu_history_prepare(
        history, "SELECT run_id FROM source WHERE path = ?1 AND size = ?2 AND mtime_ns = ?3");

    *good = statement != NULL;
    if (statement == NULL) {
        return 0;
    }
    bind_text(statement, 1, path, PATH_MAX);
    agpu_bind_number(statement, 2, status->st_size);
    agpu_bind_number(statement, 3, status->st_mtim.tv_sec * 1000000000LL + status->st_mtim.tv_nsec);
    if (agpu_statement_row(statement, good)) {
        run = agpu_column_number(statement, 0);
    }
    agpu_statement_end(statement);
    return run;
}

static int64_t known_digest(struct agpu_history *history, const uint8_t *digest, bool *good)
{
    int64_t run = 0;
    struct agpu_statement *statement = agpu_history_prepare(history, "SELECT id FROM run WHERE digest = ?1");

    *good = statement != NULL;
    if (statement == NULL) {
        return 0;
    }
    agpu_bind_bytes(statement, 1, digest, SHA256_DIGEST_SIZE);
    if (agpu_statement_row(statement, good)) {
        run = agpu_column_number(statement, 0);
    }
    agpu_statement_end(statement);
    return run;
}

/* Imports one run completely or not at all. */
static enum agpu_imported import_file(struct agpu_history *history, const char *path, const char *folder,
                                      const struct stat *status, int64_t *run)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct import_writer writer = {.history = history};
    struct agpu_replay *replay = NULL;
    bool good = digest_file(path, digest);
    enum agpu_imported imported = AGPU_IMPORT_KNOWN;

    *run = good ? known_digest(history, digest, &good) : 0;
    if (good && *run == 0) {
        replay = calloc(1, sizeof *replay);
        good = replay != NULL;
        if (good && !agpu_replay_load(replay, path)) {
            fprintf(stderr, "agpu: %s is not added to the history\n", folder);
            imported = AGPU_IMPORT_NONE;
            *run = UNUSABLE;
        }
    }
    if (good && agpu_history_begin(history)) {
        /* Another process may have imported it while the file was read. */
        *run = *run == UNUSABLE ? UNUSABLE : known_digest(history, digest, &good);
        if (good && *run == 0 && replay != NULL) {
            const double started = replay->report.started_at;

            good = prepare_writer(&writer, history) &&
                   write_run(&writer, replay, digest,
                             started > 0 && started < 1e15 ? (int64_t)started : status->st_mtim.tv_sec,
                             folder) &&
                   write_results(&writer, replay);
            *run = writer.run;
            imported = AGPU_IMPORT_NEW;
            end_writer(&writer);
        }
        good = good && note_source(history, path, status, *run);
        good = agpu_history_end(history, good) && good;
    } else {
        good = false;
    }
    if (replay != NULL) {
        agpu_replay_free(replay);
        free(replay);
    }
    return good ? imported : AGPU_IMPORT_FAILED;
}

enum agpu_imported agpu_history_import(struct agpu_history *history, const char *folder, int64_t *run)
{
    char joined[PATH_MAX], path[PATH_MAX], *slash;
    struct stat status;
    int64_t number = 0;
    bool good;

    if (run == NULL) {
        run = &number;
    }
    *run = 0;
    if (snprintf(joined, sizeof joined, "%s/results.jsonl", folder) >= (int)sizeof joined ||
        realpath(joined, path) == NULL || stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size == 0) {
        return AGPU_IMPORT_NONE;
    }
    *run = known_source(history, path, &status, &good);
    if (*run == UNUSABLE) {
        return AGPU_IMPORT_NONE;
    }
    if (!good || *run != 0) {
        return good ? AGPU_IMPORT_KNOWN : AGPU_IMPORT_FAILED;
    }
    if (history->read_only) {
        fprintf(stderr, "agpu: the history %s is read-only: %s is not added to it\n", history->path, folder);
        return AGPU_IMPORT_FAILED;
    }
    snprintf(joined, sizeof joined, "%s", path);
    slash = strrchr(joined, '/');
    *slash = '\0';
    return import_file(history, path, joined, &status, run);
}

/* Accepts numbered folders only: `latest` is a link to one of them, and artifacts are not runs. */
static int is_folder_of_run(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, "latest") != 0 &&
           strcmp(entry->d_name, "artifacts") != 0;
}

bool agpu_history_import_all(struct agpu_history *history, const char *folder, unsigned *added)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX], links_to[2];
    enum agpu_imported imported = AGPU_IMPORT_NONE;
    bool good = true;

    *added = 0;
    /* A folder of numbered runs contains links with the names of the latest one's reports. */
    if (snprintf(path, sizeof path, "%s/latest", folder) >= (int)sizeof path ||
        readlink(path, links_to, sizeof links_to) < 0) {
        imported = agpu_history_import(history, folder, NULL);
    }
    if (imported != AGPU_IMPORT_NONE) {
        *added = imported == AGPU_IMPORT_NEW;
        return imported != AGPU_IMPORT_FAILED;
    }
    const int count = scandir(folder, &entries, is_folder_of_run, versionsort);
    if (count < 0) {
        fprintf(stderr, "agpu: cannot read the folder of results %s: %s\n", folder, strerror(errno));
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (good && (unsigned)i < AGPU_HISTORY_FOLDERS_MAX &&
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path) {
            imported = agpu_history_import(history, path, NULL);
            *added += imported == AGPU_IMPORT_NEW;
            good = imported != AGPU_IMPORT_FAILED;
        }
        free(entries[i]);
    }
    free(entries);
    return good;
}

void agpu_history_note_run(const char *results, const char *folder)
{
    struct agpu_history history;
    char path[PATH_MAX];

    agpu_history_path(NULL, results, path, sizeof path);
    if (agpu_history_open(&history, path, AGPU_HISTORY_WAIT_MS)) {
        agpu_history_import(&history, folder, NULL);
    }
    agpu_history_close(&history);
}

bool agpu_history_keep(struct agpu_history *history, uint64_t runs)
{
    char sql[400];

    /* Keeps the note that a removed run's file was imported, so that its folder is not imported again. */
    snprintf(sql, sizeof sql,
             "DELETE FROM run WHERE id NOT IN (SELECT id FROM run ORDER BY started_at DESC, id DESC LIMIT "
             "%llu);"
             "DELETE FROM result WHERE run_id NOT IN (SELECT id FROM run);"
             "DELETE FROM sample WHERE run_id NOT IN (SELECT id FROM run)",
             (unsigned long long)(runs > INT64_MAX ? INT64_MAX : runs));
    if (!agpu_history_begin(history)) {
        return false;
    }
    const bool good = agpu_history_execute(history, sql);
    return agpu_history_end(history, good) && good && agpu_history_execute(history, "VACUUM");
}
