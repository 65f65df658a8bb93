/* results_file.h: results.jsonl: records are appended as they arrive, and sorted when the run ends. */
#ifndef AGPU_HOST_REPORT_RESULTS_FILE_H
#define AGPU_HOST_REPORT_RESULTS_FILE_H

#include "tests/host/output_file.h"
#include "tests/host/wire/collector.h"

#define AGPU_RESULTS_MAX (UINT64_C(4) << 20) /* records */

struct agpu_results_entry {
    uint32_t boot;
    uint32_t length;
    uint64_t seq;
    uint64_t offset;
};

/* During the run the records are in results.jsonl.unsorted.part, in order of arrival; the latest are in memory until
 * agpu_results_flush(). While the disk is full, up to 1 MiB of records waits in memory. */
struct agpu_results_file {
    struct agpu_output_file file; /* its descriptor is written to, past the stream */
    char *waiting;                /* records not written yet */
    size_t waiting_size;
    size_t waiting_room;
    struct agpu_results_entry *entries;
    size_t count;
    size_t capacity;
    size_t count_max;  /* 0: AGPU_RESULTS_MAX */
    uint64_t epoch_us; /* host time that host_us counts from */
    uint64_t written;  /* bytes in the file */
    bool shuffled;     /* a record arrived after one that belongs after it */
};

bool agpu_results_open(struct agpu_results_file *results, int folder, uint64_t epoch_us);
/* Returns false with errno set when a record could not be stored (memory, disk, limit): it is lost, earlier ones are
 * not. */
bool agpu_results_add(struct agpu_results_file *results, const struct agpu_received *received);
/* Writes all added records to the file, so that they survive a crash of this process. Returns false with errno set
 * on failure: what is not written stays in memory for the next call. */
bool agpu_results_flush(struct agpu_results_file *results);
/* Sorts by boot and sequence number and gives the file its final name. Returns false with errno set. */
bool agpu_results_commit(struct agpu_results_file *results);
/* Deletes what was not committed; harmless after agpu_results_commit(). */
void agpu_results_discard(struct agpu_results_file *results);

#endif
