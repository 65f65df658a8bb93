/* run_capture.c: packs stored captures, and decodes the submissions of failed cases. */
#include "tests/host/run_capture.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/below.h"
#include "tests/host/capture/copy.h"
#include "tests/host/capture/file.h"
#include "tests/host/capture/follow.h"
#include "tests/host/capture/reader.h"
#include "tests/host/decode/capture_text.h"
#include "tests/host/run/capture_disk.h"

/* Limits for decoded failed cases, and for submissions of each. */
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

/* One capture file that is packed while it is written. */
struct packing {
    char name[40];
    char path[100];         /* of agpu_below_path() */
    struct agpu_side *list; /* receives the records as they pass; NULL: none */

    /* out */
    enum agpu_capture_next end;
    uint64_t records;
    bool listed;      /* list has all records */
    bool from_volume; /* read from the volume at the end: it could not be packed while the image wrote */
    struct failed_cases failed;
    char message[400]; /* why it is incomplete */
};

/* Packs the whole stream, and closes it. */
static void pack(struct packing *packing, FILE *raw)
{
    char *const message = packing->message, id[132] = "";
    const size_t size = sizeof packing->message;
    struct agpu_capture_reader *reader = agpu_capture_open_stream(raw, message, size);
    struct agpu_capture_file *file =
        reader != NULL ? agpu_capture_file_create(packing->path, message, size) : NULL;
    struct agpu_capture_item item;
    uint64_t submissions[AGPU_CAPTURE_FUNCTIONS] = {0};
    bool good = true;

    packing->end = AGPU_CAPTURE_NEXT_WRONG;
    packing->records = 0;
    packing->failed.count = 0;
    packing->listed = packing->list != NULL;
    if (file == NULL) {
        agpu_capture_close(reader);
        return;
    }
    agpu_capture_choose(reader, AGPU_CAPTURE_EVERY_FUNCTION);
    while (good && (packing->end = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        good = agpu_capture_copy_record(agpu_capture_file_encoder(file), &item);
        packing->records++;
        remember_case(&packing->failed, &item, id, submissions);
        packing->listed = packing->listed && agpu_side_list_record(packing->list, &item, message, size);
    }
    if (good) {
        snprintf(message, size, "%s", agpu_capture_error(reader));
    }
    if (!agpu_capture_file_close(file, packing->end == AGPU_CAPTURE_NEXT_DONE, message, size)) {
        packing->end = AGPU_CAPTURE_NEXT_WRONG;
    }
    agpu_capture_close(reader);
    packing->listed = packing->listed && packing->end == AGPU_CAPTURE_NEXT_DONE;
}

/* Ids become names of files; others are not decoded. */
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
    char name[200], message[400];
    static struct agpu_capture_text text;
    struct agpu_capture_view_output output;
    struct agpu_capture_reader *reader;
    uint64_t problems;
    int folder;
    FILE *out;

    if (function == 0) {
        snprintf(name, sizeof name, "%s-submissions.txt", id);
    } else {
        snprintf(name, sizeof name, "%s-submissions-function%u.txt", id, (unsigned)function);
    }
    folder = is_file_name(id) ? agpu_below_folder(session->below, "artifacts") : -1;
    if (folder < 0) {
        return;
    }
    reader = agpu_capture_open(packed, message, sizeof message);
    out = reader != NULL ? agpu_below_new(folder, name) : NULL;
    if (out != NULL) {
        agpu_capture_choose(reader, function);
        output = agpu_capture_text_output(&text, out);
        if (agpu_capture_walk(reader, &choice, &output, &problems, message, sizeof message) !=
            AGPU_CAPTURE_NEXT_DONE) {
            fprintf(out, "! %s\n", message);
        }
        agpu_capture_text_end(&text);
        if (fclose(out) != 0) {
            agpu_progress_note(&session->progress, "  capture            %s/artifacts/%s cannot be written",
                               session->folder, name);
        }
    }
    close(folder);
    agpu_capture_close(reader);
}

/* ---- while the machine runs ---- */

struct agpu_run_capture {
    struct packing packing;
    struct agpu_capture_follow *follow;
    pthread_t thread;
};

static void *pack_followed(void *argument)
{
    struct agpu_run_capture *capture = argument;
    FILE *raw = agpu_capture_follow_stream(capture->follow);

    if (raw != NULL) {
        pack(&capture->packing, raw);
    }
    return NULL;
}

static void name_file(const struct agpu_session *session, unsigned boot, struct packing *packing)
{
    char number[16] = "";

    if (boot != 0) {
        snprintf(number, sizeof number, "-%u", boot);
    }
    snprintf(packing->name, sizeof packing->name, "capture%s.agpucap", number);
    agpu_below_path(session->below, packing->name, packing->path, sizeof packing->path);
}

struct agpu_run_capture *agpu_run_capture_follow(struct agpu_session *session, const char *disk,
                                                 unsigned boot, struct agpu_side *list)
{
    struct agpu_run_capture *capture = calloc(1, sizeof *capture);

    if (capture == NULL) {
        return NULL;
    }
    name_file(session, boot, &capture->packing);
    unlink(capture->packing.path);
    capture->packing.list = list;
    capture->packing.end = AGPU_CAPTURE_NEXT_WRONG;
    capture->follow = agpu_capture_follow_open(disk, agpu_capture_disk_file_at());
    if (capture->follow == NULL || pthread_create(&capture->thread, NULL, pack_followed, capture) != 0) {
        agpu_capture_follow_close(capture->follow);
        free(capture);
        return NULL;
    }
    return capture;
}

/* ---- when it has ended ---- */

/* Packs raw (NULL: for the reason lacks there is none). If that gives more than packing has, takes it and its file,
 * and returns true. is_raw: the file of packing is raw itself, and only a packed file without errors replaces it. */
static bool pack_again(struct packing *packing, FILE *raw, const char *lacks, bool is_raw)
{
    static struct packing whole; /* large */

    whole = (struct packing){.list = packing->list};
    snprintf(whole.path, sizeof whole.path, "%.90s.part", packing->path);
    strcpy(whole.name, packing->name);
    snprintf(whole.message, sizeof whole.message, "%s", lacks);
    if (raw != NULL) {
        pack(&whole, raw);
    }
    const bool right = whole.end == AGPU_CAPTURE_NEXT_DONE || whole.end == AGPU_CAPTURE_NEXT_CUT;
    const bool more = whole.end == AGPU_CAPTURE_NEXT_DONE || whole.records > packing->records;
    if (!more || (is_raw && !right)) {
        unlink(whole.path);
        if (packing->records == 0) {
            snprintf(packing->message, sizeof packing->message, "%s", whole.message);
        }
    } else if (rename(whole.path, packing->path) != 0) {
        snprintf(packing->message, sizeof packing->message, "%s: %s", packing->name, strerror(errno));
        unlink(whole.path);
    } else {
        snprintf(whole.path, sizeof whole.path, "%s", packing->path);
        *packing = whole;
        return true;
    }
    return false;
}

/* The file as the volume has it, if the firmware placed it elsewhere or it was not followed. */
static void pack_from_volume(struct packing *packing, const char *disk)
{
    struct agpu_process reading;

    packing->list = NULL; /* it may have a part of the records */
    packing->from_volume =
        pack_again(packing, agpu_capture_disk_open(disk, &reading), "its disk cannot be read", false);
    agpu_process_kill(&reading); /* all has been read when the end block was read */
}

static void decode_failed(struct agpu_session *session, const struct packing *packing)
{
    for (size_t i = 0; i < packing->failed.count; i++) {
        decode_case(session, packing->path, packing->failed.cases[i].id, packing->failed.cases[i].function,
                    packing->failed.cases[i].last);
    }
}

bool agpu_run_capture_collect(struct agpu_session *session, struct agpu_run_capture *capture,
                              const char *disk, unsigned boot)
{
    static struct packing packing; /* large */

    packing = (struct packing){0};
    name_file(session, boot, &packing);
    if (capture != NULL) {
        agpu_capture_follow_ended(capture->follow);
        pthread_join(capture->thread, NULL);
        agpu_capture_follow_close(capture->follow);
        packing = capture->packing;
        free(capture);
    } else {
        unlink(packing.path);
    }
    if (session->capture.name[0] != '\0') { /* the capture arrived over the stream, and the disk has none */
        return false;
    }
    if (packing.end != AGPU_CAPTURE_NEXT_DONE) {
        pack_from_volume(&packing, disk);
    }
    if (packing.records == 0 && access(packing.path, F_OK) != 0) {
        agpu_progress_note(&session->progress, "  capture            none: %s", packing.message);
        return false;
    }
    agpu_progress_note(&session->progress, "  capture            %s/%s%s%s%s", session->folder, packing.name,
                       packing.from_volume ? ", read from its volume" : "",
                       packing.end == AGPU_CAPTURE_NEXT_DONE ? "" : ", not complete: ",
                       packing.end == AGPU_CAPTURE_NEXT_DONE ? "" : packing.message);
    decode_failed(session, &packing);
    return packing.listed;
}

bool agpu_run_capture_streamed(struct agpu_session *session, struct agpu_side *list)
{
    static struct packing packing; /* large */
    bool listed = false;

    for (unsigned boot = 0; boot < session->capture.count; boot++) {
        packing = (struct packing){.list = boot == 0 ? list : NULL};
        name_file(session, boot, &packing);
        if (!pack_again(&packing, fopen(packing.path, "rb"), "it cannot be read", true)) {
            agpu_progress_note(&session->progress, "  capture            %s is not packed: %s", packing.name,
                               packing.message);
        }
        decode_failed(session, &packing);
        listed = listed || packing.listed;
    }
    return listed;
}
