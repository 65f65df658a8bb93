/* run_capture.c: a stored file becomes a packed one; failed cases are decoded. */
#include "tests/host/run_capture.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/capture/copy.h"
#include "tests/host/capture/file.h"
#include "tests/host/capture/reader.h"
#include "tests/host/decode/capture_text.h"
#include "tests/host/run/capture_disk.h"

/* Failed cases that are decoded, and how many submissions of each. */
#define CASES_SHOWN       20u
#define SUBMISSIONS_SHOWN 8u

struct failed_cases {
    size_t count;
    struct {
        char id[132];
        uint32_t function;
        uint64_t last; /* submission */
    } cases[CASES_SHOWN];
};

static void remember_case(struct failed_cases *failed, const struct agpu_capture_item *item, char id[132],
                          uint64_t submissions[AGPU_CAPTURE_FUNCTIONS])
{
    if (item->type == AGPU_CAPTURE_CASE) {
        memcpy(id, item->text, sizeof item->text);
        submissions[item->function] = 0;
    } else if (item->type == AGPU_CAPTURE_SUBMISSION) {
        submissions[item->function] = item->submission->number;
    } else if (item->type == AGPU_CAPTURE_CASE_END && item->test->failed != 0 &&
               failed->count < CASES_SHOWN) {
        memcpy(failed->cases[failed->count].id, id, sizeof failed->cases[0].id);
        failed->cases[failed->count].function = item->function;
        failed->cases[failed->count++].last = submissions[item->function];
    }
}

/* With a note when what is there is not all. True when the list has all of it. */
static bool pack(struct agpu_session *session, const char *disk, const char *packed,
                 struct failed_cases *failed, struct agpu_side *list)
{
    char message[400] = "its disk cannot be read", id[132] = "";
    struct agpu_process reading;
    FILE *raw = agpu_capture_disk_open(disk, &reading);
    struct agpu_capture_reader *reader =
        raw != NULL ? agpu_capture_open_stream(raw, message, sizeof message) : NULL;
    struct agpu_capture_file *file =
        reader != NULL ? agpu_capture_file_create(packed, message, sizeof message) : NULL;
    struct agpu_capture_item item;
    enum agpu_capture_next next = AGPU_CAPTURE_NEXT_WRONG;
    uint64_t submissions[AGPU_CAPTURE_FUNCTIONS] = {0};
    bool good = true, listed = list != NULL;

    if (file == NULL) {
        agpu_progress_note(&session->progress, "  capture            none: %s", message);
        agpu_capture_close(reader);
        agpu_process_kill(&reading);
        return false;
    }
    agpu_capture_choose(reader, AGPU_CAPTURE_EVERY_FUNCTION);
    while (good && (next = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        good = agpu_capture_copy_record(agpu_capture_file_encoder(file), &item);
        remember_case(failed, &item, id, submissions);
        listed = listed && agpu_side_list_record(list, &item, message, sizeof message);
    }
    if (good) {
        snprintf(message, sizeof message, "%s", agpu_capture_error(reader));
    }
    if (!agpu_capture_file_close(file, next == AGPU_CAPTURE_NEXT_DONE, message, sizeof message)) {
        next = AGPU_CAPTURE_NEXT_WRONG;
    }
    agpu_capture_close(reader);
    agpu_process_kill(&reading); /* who has seen the end block has seen all */
    agpu_progress_note(&session->progress, "  capture            %s%s%s", packed,
                       next == AGPU_CAPTURE_NEXT_DONE ? "" : ", not complete: ",
                       next == AGPU_CAPTURE_NEXT_DONE ? "" : message);
    return listed && next == AGPU_CAPTURE_NEXT_DONE;
}

/* Ids are names of files, too; what is not is not shown. */
static bool is_file_name(const char *id)
{
    return id[0] != '\0' && id[0] != '.' &&
           strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == strlen(id);
}

static void decode_case(struct agpu_session *session, const char *packed, const char *id, uint32_t function,
                        uint64_t last)
{
    const struct agpu_capture_choice choice = {
        .test = id, .first = last > SUBMISSIONS_SHOWN ? last - SUBMISSIONS_SHOWN + 1 : 1};
    char name[200], path[4400], message[400];
    static struct agpu_capture_text text;
    struct agpu_capture_view_output output;
    struct agpu_capture_reader *reader;
    uint64_t problems;
    FILE *out;

    if (function == 0) {
        snprintf(name, sizeof name, "%s-submissions.txt", id);
    } else {
        snprintf(name, sizeof name, "%s-submissions-function%u.txt", id, (unsigned)function);
    }
    if (!is_file_name(id) || !agpu_session_artifact_path(session, name, path, sizeof path)) {
        return;
    }
    reader = agpu_capture_open(packed, message, sizeof message);
    out = reader != NULL ? fopen(path, "we") : NULL;
    if (out != NULL) {
        agpu_capture_choose(reader, function);
        output = agpu_capture_text_output(&text, out);
        if (agpu_capture_walk(reader, &choice, &output, &problems, message, sizeof message) !=
            AGPU_CAPTURE_NEXT_DONE) {
            fprintf(out, "! %s\n", message);
        }
        agpu_capture_text_end(&text);
        if (fclose(out) != 0) {
            agpu_progress_note(&session->progress, "  capture            %s cannot be written", path);
        }
    }
    agpu_capture_close(reader);
}

bool agpu_run_capture_collect(struct agpu_session *session, const char *disk, unsigned boot,
                              struct agpu_side *list)
{
    static struct failed_cases failed;
    char packed[4300], number[16] = "";
    bool listed;

    if (session->capture.name[0] != '\0') { /* it came over the stream, and the disk has none */
        return false;
    }
    failed.count = 0;
    if (boot != 0) {
        snprintf(number, sizeof number, "-%u", boot);
    }
    snprintf(packed, sizeof packed, "%s/capture%s.agpucap", session->folder, number);
    unlink(packed);
    listed = pack(session, disk, packed, &failed, list);
    for (size_t i = 0; i < failed.count; i++) {
        decode_case(session, packed, failed.cases[i].id, failed.cases[i].function, failed.cases[i].last);
    }
    return listed;
}
