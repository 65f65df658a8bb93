/* results_file.h: results.jsonl, written as records arrive and put into their order when the run ends. */
#ifndef AGPU_HOST_REPORT_RESULTS_FILE_H
#define AGPU_HOST_REPORT_RESULTS_FILE_H

#include "tests/host/report/output_file.h"
#include "tests/host/wire/collector.h"

#define AGPU_RESULTS_MAX (UINT64_C(4) << 20) /* records */

struct agpu_results_entry {
    uint32_t boot;
    uint32_t length;
    uint64_t seq;
    uint64_t offset;
};

/* While the run goes on the records are in results.jsonl.unsorted.part, in the order of their arrival; the latest, until
 * agpu_results_flush(), in memory. While the disk takes none, up to 1 MiB of them waits there for one that does. */
struct agpu_results_file {
    struct agpu_output_file file; /* its descriptor is written to, past the stream */
    char *waiting;                /* of those in memory */
    size_t waiting_size;
    size_t waiting_room;
    struct agpu_results_entry *entries;
    size_t count;
    size_t capacity;
    size_t count_max;  /* 0: AGPU_RESULTS_MAX */
    uint64_t epoch_us; /* host time that host_us counts from */
    uint64_t written;  /* bytes that are in the file */
    bool shuffled;     /* a record came behind one that belongs behind it */
};

bool agpu_results_open(struct agpu_results_file *results, const char *folder, uint64_t epoch_us);
/* False with errno set when a record could not be kept (memory, disk, bound): it is lost, those before it are not. */
bool agpu_results_add(struct agpu_results_file *results, const struct agpu_received *received);
/* All that was added is in the file now, whatever becomes of this process. False with errno set when it is not: what is not
 * written waits for the next time. */
bool agpu_results_flush(struct agpu_results_file *results);
/* Sorts by boot and sequence number and makes the file appear. False with errno set. */
bool agpu_results_commit(struct agpu_results_file *results, const char *folder);
/* Forgets what was not committed; harmless behind agpu_results_commit(). */
void agpu_results_discard(struct agpu_results_file *results);

#endif
