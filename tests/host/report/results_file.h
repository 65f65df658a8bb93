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
    long offset;
};

/* While the run goes on the records are in results.jsonl.unsorted.part, in the order of their arrival. */
struct agpu_results_file {
    struct agpu_output_file file;
    struct agpu_results_entry *entries;
    size_t count;
    size_t capacity;
    size_t count_max;  /* 0: AGPU_RESULTS_MAX */
    uint64_t epoch_us; /* host time that host_us counts from */
};

bool agpu_results_open(struct agpu_results_file *results, const char *folder, uint64_t epoch_us);
/* False when the record could not be kept (memory, disk, bound). */
bool agpu_results_add(struct agpu_results_file *results, const struct agpu_received *received);
/* Sorts by boot and sequence number and makes the file appear. False with errno set. */
bool agpu_results_commit(struct agpu_results_file *results, const char *folder);

#endif
