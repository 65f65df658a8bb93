/* replay.c: reads results.jsonl and summary.json of a past run. */
#include "tests/host/report/replay.h"
#include "tests/host/report/record_json.h"
#include "tests/host/wire/seq_map.h"
#include "tests/host/wire/run_verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_MAX_BYTES (1 << 20)

struct reader {
    struct agpu_replay *replay;
    json_t *restarts; /* from summary.json; NULL: none */
    /* From summary.json: a fact that no record contains, such as a file that could not be written, may have made it
     * worse. PASS: not given. */
    enum agpu_verdict stated;
    struct agpu_seq_map seen;
    uint64_t last_us;
    struct agpu_received received;
    struct agpu_parsed_record record;
    struct agpu_record_scratch scratch;
};

static double number_or(const json_t *object, const char *key, double fallback)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : fallback;
}

/* Returns a copy; NULL when there is none. */
static char *text_or_null(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? strdup(text) : NULL;
}

/* Returns a copy of the list; NULL when it is not a list of texts. */
static char **texts_or_null(const json_t *list)
{
    const size_t count = json_array_size(list);
    char **texts = json_is_array(list) ? calloc(count + 1, sizeof *texts) : NULL;

    for (size_t i = 0; texts != NULL && i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));

        texts[i] = strdup(text != NULL ? text : "");
    }
    return texts;
}

/* Environment names must live as long as the program: the known ones, in output order. */
static const char *const environment_names[] = {"agpu",   "board",    "qemu",         "accel",   "firmware",
                                                "host",   "abi",      "fault",        "filter",  "machine",
                                                "plugin", "restores", "save_restore", "variant", "vdev"};

static void take_summary(struct agpu_replay *replay, const json_t *summary)
{
    struct agpu_report *report = &replay->report;

    report->started_at = number_or(summary, "started_at", 0);
    report->wall_s = number_or(summary, "wall_s", -1);
    report->boot_to_entry_s = number_or(summary, "boot_to_entry_s", -1);
    report->entry_to_first_record_s = number_or(summary, "entry_to_first_record_s", -1);
    report->boot_to_summary_s = number_or(summary, "boot_to_summary_s", -1);
    const json_t *environment = json_object_get(summary, "environment");
    for (size_t i = 0; i < sizeof environment_names / sizeof environment_names[0]; i++) {
        const char *value = json_string_value(json_object_get(environment, environment_names[i]));

        agpu_report_environment(report, environment_names[i], "%s", value != NULL ? value : "");
    }
    const json_t *records = json_object_get(summary, "records");
    for (size_t i = 0; i < AGPU_SOURCE_COUNT; i++) {
        replay->stats.received[i] = (uint64_t)number_or(records, agpu_source_name((enum agpu_source)i), 0);
    }
    replay->stats.copies = (uint64_t)number_or(records, "copies", 0);
    replay->stats.filled = (uint64_t)number_or(records, "filled", 0);
    replay->stats.malformed = (uint64_t)number_or(records, "malformed", 0);
    replay->stats.conflicts = (uint64_t)number_or(records, "conflicts", 0);
    replay->stats.abandoned = (uint64_t)number_or(records, "incomplete_fragments", 0);
    const json_t *commands = json_object_get(summary, "commands");
    replay->again = text_or_null(commands, "again");
    replay->qemu = text_or_null(commands, "qemu");
    replay->directory = text_or_null(commands, "directory");
    replay->words = texts_or_null(json_object_get(commands, "words"));
    report->words = replay->words;
    report->directory = replay->directory;
    report->again = replay->again;
    report->qemu = replay->qemu;
    const json_t *problems = json_object_get(summary, "problems");
    for (size_t i = 0; i < json_array_size(problems); i++) {
        const char *text = json_string_value(json_array_get(problems, i));

        if (text != NULL) {
            agpu_run_problem(&replay->run, "%s", text);
        }
    }
    const json_t *ended = json_object_get(summary, "ended");
    const char *kind = json_string_value(json_object_get(ended, "kind"));
    const char *text = json_string_value(json_object_get(ended, "text"));
    enum agpu_ending ending;
    if (kind != NULL && agpu_ending_parse(kind, &ending) && ending != AGPU_ENDING_NONE) {
        agpu_run_end(&replay->run, ending, text != NULL ? text : kind);
        /* The file does not show which end records were consequences of a dead device: their cases keep them. */
        replay->run.post_mortem = false;
    }
}

static void load_summary(struct reader *reader, const char *path)
{
    struct agpu_replay *replay = reader->replay;
    char beside[4200];
    const char *slash = strrchr(path, '/');
    int folder = slash != NULL ? (int)(slash - path) + 1 : 0;

    snprintf(beside, sizeof beside, "%.*ssummary.json", folder, path);
    json_t *summary = json_load_file(beside, 0, NULL);
    if (summary != NULL) {
        take_summary(replay, summary);
        const char *verdict = json_string_value(json_object_get(summary, "verdict"));
        if (verdict == NULL || !agpu_verdict_parse(verdict, &reader->stated)) {
            reader->stated = AGPU_VERDICT_PASS;
        }
        reader->restarts = json_incref(json_object_get(summary, "restarts"));
        json_decref(summary);
    }
}

static void note_holes(struct reader *reader)
{
    agpu_gaps_of_boot(&reader->replay->gaps, reader->replay->run.boot, &reader->seen);
    agpu_seq_map_free(&reader->seen);
}

/* Starts the next boot: a requested one if summary.json gives the end of the previous boot, else a restart by the
 * machine itself. */
static void begin_replayed_boot(struct reader *reader)
{
    struct agpu_run *run = &reader->replay->run;
    /* The run's own ending was read first, and belongs to the last boot. */
    const enum agpu_ending own = run->ending;
    char *const own_text = run->ending_text;

    run->ending = AGPU_ENDING_NONE;
    const bool planned = agpu_run_next_boot(run) != NULL;
    run->ending = own;
    if (planned) {
        return;
    }
    for (size_t i = 0; i < json_array_size(reader->restarts); i++) {
        const json_t *item = json_array_get(reader->restarts, i);
        const char *kind = json_string_value(json_object_get(item, "kind"));
        const char *text = json_string_value(json_object_get(item, "text"));
        enum agpu_ending ending;
        bool resumed;

        if (number_or(item, "boot", -1) != run->boot || kind == NULL || !agpu_ending_parse(kind, &ending) ||
            ending == AGPU_ENDING_NONE) {
            continue;
        }
        run->ending = AGPU_ENDING_NONE;
        run->ending_text = NULL;
        agpu_run_end(run, ending, text != NULL ? text : kind);
        resumed = agpu_run_resume(run, reader->last_us) != NULL;
        free(run->ending_text);
        run->ending = own;
        run->ending_text = own_text;
        run->post_mortem = false;
        if (resumed) {
            return;
        }
    }
    agpu_run_restarted(run, reader->last_us);
}

static const char *replay_line(struct reader *reader, const char *line, size_t length)
{
    struct agpu_run *run = &reader->replay->run;
    json_error_t error;
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

    if (object == NULL) {
        return "not JSON";
    }
    const char *wrong = agpu_record_from_json(object, &reader->received, &reader->record, &reader->scratch);
    uint64_t seq = reader->received.seq;
    if (wrong == NULL &&
        (seq >= AGPU_SEQ_LIMIT || reader->received.boot < run->boot || reader->received.boot > 1000000)) {
        wrong = "its \"seq\" or \"boot\" is out of range or order";
    }
    if (wrong == NULL) {
        reader->last_us =
            reader->received.host_us > reader->last_us ? reader->received.host_us : reader->last_us;
        while (run->boot < reader->received.boot) {
            note_holes(reader);
            begin_replayed_boot(reader);
        }
        const struct agpu_seq_entry *entry;
        struct agpu_seq_stretch hole;
        if (agpu_seq_map_get(&reader->seen, seq, &entry) == AGPU_SEQ_UNSEEN &&
            agpu_seq_map_add(&reader->seen, seq, 0, 0, 0, &hole)) {
            agpu_gaps_add(&reader->replay->gaps, run->boot, &hole);
            agpu_run_record(run, &reader->record, run->boot, seq, reader->received.host_us);
        }
    }
    json_decref(object);
    return wrong;
}

static bool read_lines(struct reader *reader, FILE *file, const char *path)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    const char *wrong = NULL;
    uint64_t number_of_line = 0;

    while (wrong == NULL && (length = getline(&line, &capacity, file)) >= 0) {
        number_of_line++;
        wrong = length > LINE_MAX_BYTES ? "longer than 1 MiB" : replay_line(reader, line, (size_t)length);
        if (wrong != NULL && line[length - 1] != '\n' && number_of_line > 1) {
            agpu_run_problem(&reader->replay->run, "the results are cut off in line %" PRIu64,
                             number_of_line);
            wrong = NULL;
        }
    }
    free(line);
    if (wrong != NULL) {
        fprintf(stderr, "agpu: %s line %" PRIu64 " is not a record: %s\n", path, number_of_line, wrong);
    }
    return wrong == NULL;
}

/* Finds the results in a folder: complete, of an interrupted run, or through `latest`. */
static void find_results(const char *path, char *out, size_t size)
{
    static const char *const names[] = {"", "/results.jsonl", "/latest/results.jsonl",
                                        "/results.jsonl.unsorted.part"};
    struct stat status;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (snprintf(out, size, "%s%s", path, names[i]) < (int)size && stat(out, &status) == 0 &&
            !S_ISDIR(status.st_mode)) {
            return;
        }
    }
    snprintf(out, size, "%s%s", path, stat(path, &status) == 0 ? "/results.jsonl" : "");
}

bool agpu_replay_load(struct agpu_replay *replay, const char *given)
{
    char path[4200];

    find_results(given, path, sizeof path);
    *replay = (struct agpu_replay){0};
    agpu_run_init(&replay->run);
    replay->report = (struct agpu_report){.run = &replay->run,
                                          .stats = &replay->stats,
                                          .gaps = &replay->gaps,
                                          .wall_s = -1,
                                          .boot_to_entry_s = -1,
                                          .entry_to_first_record_s = -1,
                                          .boot_to_summary_s = -1};
    const char *slash = strrchr(path, '/');
    snprintf(replay->folder, sizeof replay->folder, "%.*s",
             slash == NULL   ? 1
             : slash == path ? 1
                             : (int)(slash - path),
             slash == NULL ? "." : path);
    replay->report.folder = replay->folder;
    const int folder = open(replay->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    agpu_artifact_list_read(&replay->artifacts, folder);
    if (folder >= 0) {
        close(folder);
    }
    replay->report.artifacts = &replay->artifacts;
    FILE *file = fopen(path, "re");
    struct reader *reader = calloc(1, sizeof *reader);
    bool good = file != NULL && reader != NULL;
    if (!good) {
        fprintf(stderr, "agpu: cannot read %s: %s\n", path, strerror(errno));
    } else {
        reader->replay = replay;
        load_summary(reader, path);
        good = read_lines(reader, file, path);
        note_holes(reader);
        replay->run.lost = agpu_collector_lost(&replay->stats, &replay->gaps);
        agpu_run_conclude(&replay->run, reader->last_us);
        replay->run.verdict = agpu_verdict_worst(replay->run.verdict, reader->stated);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (reader != NULL) {
        json_decref(reader->restarts);
    }
    free(reader);
    return good;
}

void agpu_replay_free(struct agpu_replay *replay)
{
    agpu_run_free(&replay->run);
    agpu_artifact_list_free(&replay->artifacts);
    free(replay->again);
    free(replay->qemu);
    free(replay->directory);
    for (size_t i = 0; replay->words != NULL && replay->words[i] != NULL; i++) {
        free(replay->words[i]);
    }
    free(replay->words);
}
