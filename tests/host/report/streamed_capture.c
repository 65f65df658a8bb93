/* streamed_capture.c: appends pieces in order. */
#include "tests/host/report/streamed_capture.h"

#include <stdio.h>
#include <string.h>

#include "tests/host/below.h"
#include "tests/host/wire/intake.h" /* names of the protocol */

bool agpu_streamed_capture_announced(const struct agpu_parsed_record *record)
{
    return record->type == AGPU_RECORD_ARTIFACT && strcmp(record->id, "-") == 0 &&
           strcmp(agpu_record_text(record, AGPU_KEY(ARTIFACT, name), ""), AGPU_WIRE_CAPTURE) == 0;
}

/* Creates the next file, empty; when refused, sets only its name. */
static const char *begin(struct agpu_streamed_capture *capture, const char *refused)
{
    int fd;

    if (capture->count == 0) {
        snprintf(capture->name, sizeof capture->name, "%s", AGPU_WIRE_CAPTURE);
    } else {
        snprintf(capture->name, sizeof capture->name, "capture-%u.agpucap", capture->count);
    }
    capture->next = 0;
    capture->complete = false;
    if (refused != NULL || capture->count == AGPU_STREAMED_CAPTURES) {
        return refused != NULL ? refused : "more than 64 captures in one run";
    }
    fd = agpu_below_create(capture->folder, capture->name, 0666);
    if (fd < 0 || close(fd) != 0) {
        return "the file cannot be created";
    }
    capture->count++;
    return NULL;
}

/* Appends a piece; a partial write is truncated again, so that the file always has the size `next`. */
static const char *append(struct agpu_streamed_capture *capture, const void *bytes, size_t size)
{
    const int fd = openat(capture->folder, capture->name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    bool good;

    if (fd < 0) {
        return "the file cannot be opened";
    }
    good = pwrite(fd, bytes, size, (off_t)capture->next) == (ssize_t)size;
    if (!good && ftruncate(fd, (off_t)capture->next) != 0) {
        good = false;
    }
    good = close(fd) == 0 && good;
    return good ? NULL : "the file cannot be written: the disk is full or failing";
}

static const char *take(struct agpu_streamed_capture *capture, const struct agpu_parsed_record *record,
                        const void *bytes, size_t size)
{
    const uint64_t offset = agpu_record_count(record, AGPU_KEY(ARTIFACT, offset), UINT64_MAX);
    const uint64_t end = agpu_record_count(record, AGPU_KEY(ARTIFACT, size), 0);
    const char *failed;

    if (capture->complete || offset != capture->next) {
        return "a piece is missing";
    }
    if (size > AGPU_STREAMED_CAPTURE_MAX - capture->bytes) {
        return "more than 4 GiB of captures in one run";
    }
    if (end != 0 && end != offset + size) {
        return "its last piece does not end at the announced size";
    }
    failed = append(capture, bytes, size);
    if (failed == NULL) {
        capture->next += size;
        capture->bytes += size;
        capture->complete = end != 0;
    }
    return failed;
}

const char *agpu_streamed_capture_put(struct agpu_streamed_capture *capture,
                                      const struct agpu_parsed_record *record, const void *bytes, size_t size,
                                      const char *refused)
{
    const bool begins =
        capture->name[0] == '\0' || agpu_record_count(record, AGPU_KEY(ARTIFACT, offset), UINT64_MAX) == 0;

    if (!begins && capture->wrong != NULL) {
        return NULL; /* already reported */
    }
    capture->wrong = begins ? begin(capture, refused) : refused;
    if (capture->wrong == NULL) {
        capture->wrong = take(capture, record, bytes, size);
    }
    capture->complete = capture->complete && capture->wrong == NULL;
    return capture->wrong;
}

const char *agpu_streamed_capture_lacks(const struct agpu_streamed_capture *capture)
{
    return capture->wrong != NULL ? capture->wrong : capture->complete ? NULL : "its end never arrived";
}
