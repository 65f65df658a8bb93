/* results_file.c: results.jsonl: appended while records arrive, sorted at the end. */
#include "tests/host/report/results_file.h"
#include "tests/host/json_out.h"
#include "tests/host/report/record_json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool agpu_results_open(struct agpu_results_file *results, const char *folder, uint64_t epoch_us)
{
    *results = (struct agpu_results_file){.epoch_us = epoch_us};
    return agpu_output_open(&results->file, folder, "results.jsonl.unsorted");
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

bool agpu_results_add(struct agpu_results_file *results, const struct agpu_received *received)
{
    FILE *stream = results->file.stream;
    const long offset = ftell(stream);
    json_t *object = agpu_record_to_json(received, results->epoch_us);
    bool written;
    long end;

    if (object == NULL || offset < 0 || !reserve_positions(results)) {
        json_decref(object);
        return false;
    }
    written = agpu_json_out(object, stream, JSON_COMPACT) && putc('\n', stream) != EOF;
    json_decref(object);
    end = ftell(stream);
    written = written && end > offset;
    if (written) {
        results->entries[results->count++] = (struct agpu_results_entry){.boot = received->boot,
                                                                         .seq = received->seq,
                                                                         .offset = offset,
                                                                         .length = (uint32_t)(end - offset)};
    }
    return written;
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

static bool copy_sorted(struct agpu_results_file *results, FILE *to)
{
    FILE *from = results->file.stream;
    char *line = NULL;
    size_t capacity = 0;
    bool good = fflush(from) == 0;

    for (size_t i = 0; i < results->count && good; i++) {
        good = fseek(from, results->entries[i].offset, SEEK_SET) == 0 &&
               getline(&line, &capacity, from) > 0 &&
               fwrite(line, 1, results->entries[i].length, to) == results->entries[i].length;
    }
    free(line);
    return good;
}

bool agpu_results_commit(struct agpu_results_file *results, const char *folder)
{
    struct agpu_output_file sorted;

    if (results->count > 0) {
        qsort(results->entries, results->count, sizeof *results->entries, by_boot_and_seq);
    }
    bool good = agpu_output_open(&sorted, folder, "results.jsonl");
    if (good && !copy_sorted(results, sorted.stream)) {
        agpu_output_discard(&sorted);
        good = false;
    }
    good = good && agpu_output_commit(&sorted);
    if (good) {
        agpu_output_discard(&results->file);
    } else if (results->file.stream != NULL) { /* keep what there is under the name that says so */
        agpu_output_commit(&results->file);
    }
    free(results->entries);
    results->entries = NULL;
    return good;
}
