/* results_file.c: results.jsonl: appended in batches while records arrive; sorted at the end. */
#include "tests/host/report/results_file.h"
#include "tests/host/report/record_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than arrive between two iterations of the collector's loop, plus one of the longest. */
#define WAITING_BYTES (UINT64_C(16) << 10)
#define WAITING_ROOM  (WAITING_BYTES + AGPU_RECORD_LINE_MAX)
/* While the disk is full: more than the records of a run of the whole catalogue. */
#define STUCK_ROOM (UINT64_C(1) << 20)

bool agpu_results_open(struct agpu_results_file *results, int folder, uint64_t epoch_us)
{
    *results = (struct agpu_results_file){
        .epoch_us = epoch_us, .waiting = malloc(WAITING_ROOM), .waiting_room = WAITING_ROOM};
    return results->waiting != NULL && agpu_output_open(&results->file, folder, "results.jsonl.unsorted");
}

static bool reserve_positions(struct agpu_results_file *results)
{
    if (results->count_max != 0 && results->count >= results->count_max) {
        errno = ENOBUFS;
        return false;
    }
    if (results->count < results->capacity) {
        return true;
    }
    size_t capacity = results->capacity ? results->capacity * 2 : 1024;
    struct agpu_results_entry *entries =
        capacity > AGPU_RESULTS_MAX ? NULL : realloc(results->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    results->entries = entries;
    results->capacity = capacity;
    return true;
}

static int by_boot_and_seq(const void *a, const void *b)
{
    const struct agpu_results_entry *x = a;
    const struct agpu_results_entry *y = b;

    if (x->boot != y->boot) {
        return x->boot < y->boot ? -1 : 1;
    }
    return (x->seq > y->seq) - (x->seq < y->seq);
}

bool agpu_results_flush(struct agpu_results_file *results)
{
    const int fd = fileno(results->file.stream);
    size_t done = 0;

    while (done < results->waiting_size) {
        const ssize_t n = pwrite(fd, results->waiting + done, results->waiting_size - done,
                                 (off_t)(results->written + done));

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        done += (size_t)n;
    }
    results->written += done;
    results->waiting_size -= done;
    if (done != 0) {
        memmove(results->waiting, results->waiting + done, results->waiting_size);
    }
    return results->waiting_size == 0;
}

/* Makes room for one more record of maximum length. While the disk is full, records wait in memory up to STUCK_ROOM. */
static bool reserve_waiting(struct agpu_results_file *results)
{
    if (results->waiting_size <= WAITING_BYTES || agpu_results_flush(results)) {
        return true;
    }
    const int failed = errno;
    if (results->waiting_room < STUCK_ROOM) {
        char *waiting = realloc(results->waiting, STUCK_ROOM);

        if (waiting != NULL) {
            results->waiting = waiting;
            results->waiting_room = STUCK_ROOM;
        }
    }
    errno = failed;
    return results->waiting_room - results->waiting_size >= AGPU_RECORD_LINE_MAX;
}

bool agpu_results_add(struct agpu_results_file *results, const struct agpu_received *received)
{
    struct agpu_results_entry *entry;

    if (!reserve_waiting(results) || !reserve_positions(results)) {
        return false;
    }
    const size_t length =
        agpu_record_line(received, results->epoch_us, results->waiting + results->waiting_size);
    if (length == 0) {
        return false;
    }
    entry = &results->entries[results->count];
    *entry = (struct agpu_results_entry){.boot = received->boot,
                                         .seq = received->seq,
                                         .offset = results->written + results->waiting_size,
                                         .length = (uint32_t)length};
    results->waiting_size += length;
    results->shuffled = results->shuffled || (results->count != 0 && by_boot_and_seq(entry - 1, entry) > 0);
    results->count++;
    return true;
}

static bool copy_line(const struct agpu_results_file *results, const struct agpu_results_entry *entry,
                      char *line, FILE *to)
{
    const ssize_t n = pread(fileno(results->file.stream), line, entry->length, (off_t)entry->offset);

    if (n >= 0 && (size_t)n != entry->length) {
        errno = EIO;
    }
    return n == (ssize_t)entry->length && fwrite(line, 1, entry->length, to) == entry->length;
}

/* Writes the sorted records to a new file. */
static bool commit_sorted(struct agpu_results_file *results)
{
    struct agpu_output_file sorted;
    bool good = agpu_output_open(&sorted, results->file.folder, "results.jsonl");

    if (!good) {
        return false;
    }
    qsort(results->entries, results->count, sizeof *results->entries, by_boot_and_seq);
    for (size_t i = 0; i < results->count && good; i++) {
        good = copy_line(results, &results->entries[i], results->waiting, sorted.stream);
    }
    if (!good) {
        agpu_output_discard(&sorted);
    }
    return good && agpu_output_commit(&sorted);
}

/* The usual case: the file is already sorted. */
static bool commit_same(struct agpu_results_file *results)
{
    struct agpu_output_file *file = &results->file;

    if (ftruncate(fileno(file->stream), (off_t)results->written) != 0) {
        return false;
    }
    strcpy(file->name, "results.jsonl"); /* shorter than the previous name */
    return agpu_output_commit(file);
}

bool agpu_results_commit(struct agpu_results_file *results)
{
    bool good = agpu_results_flush(results);

    if (good) {
        good = results->shuffled ? commit_sorted(results) : commit_same(results);
    }
    const int failed = errno;
    /* keep the records under the name that marks them as unsorted */
    if (!good && results->file.stream != NULL) {
        agpu_output_commit(&results->file);
    }
    agpu_results_discard(results);
    errno = failed;
    return good;
}

void agpu_results_discard(struct agpu_results_file *results)
{
    agpu_output_discard(&results->file);
    free(results->entries);
    free(results->waiting);
    results->entries = NULL;
    results->waiting = NULL;
}
