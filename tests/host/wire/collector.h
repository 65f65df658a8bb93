/* collector.h: merges one machine's records from all sources by sequence number into one run. A state machine
 * without I/O: bytes and the time go in, callbacks and the next deadline come out. */
#ifndef AGPU_HOST_WIRE_COLLECTOR_H
#define AGPU_HOST_WIRE_COLLECTOR_H

#include "tests/host/wire/credentials.h"
#include "tests/host/wire/gaps.h"
#include "tests/host/wire/line_stream.h"
#include "tests/host/wire/reassembly.h"
#include "tests/host/wire/run_model.h"
#include "tests/host/wire/source.h"

/* A record that arrived for the first time. Valid during the callback. */
struct agpu_received {
    uint32_t boot;
    uint64_t seq;
    uint64_t t_us;    /* image time */
    uint64_t host_us; /* host time */
    enum agpu_source source;
    const struct agpu_parsed_record *record;
};

struct agpu_collector_output {
    void *ctx;
    void (*record)(void *ctx, const struct agpu_received *received);
    /* A line of a byte stream; is_record: the collector took it as a record. */
    void (*console)(void *ctx, enum agpu_source source, const char *line, size_t length, bool is_record);
    /* A case has its verdict; all its records have arrived, or the wait for stragglers is over. */
    void (*case_done)(void *ctx, const struct agpu_case_result *c);
};

/* Bounds in microseconds; 0 = none. */
struct agpu_collector_config {
    uint64_t start_us; /* host time at which the machine was started */
    uint64_t boot_timeout_us;
    uint64_t silence_us;
    uint64_t case_timeout_us;
    uint64_t run_timeout_us;
    /* agpu_collector_packet() refuses a restart after a summary: it belongs to the next run */
    bool run_per_summary;
    /* an unrequested restart ends the run, as if the machine had stopped; the caller starts the machine again itself */
    bool restart_ends;
    /* silence_us also ends a run that has no plan yet; for callers that start collecting only when records arrive */
    bool silence_before_plan;
    size_t memory_max; /* limit for what is stored of the run (agpu_run.memory_max); 0: the default */
    struct agpu_credentials credentials; /* required of datagrams; others are counted and ignored */
    struct agpu_collector_output output;
};

/* Returns the number of missing records that make the run an ERROR. It counts only for a run received over the
 * network, not for one that was read from a serial line alone. */
static inline uint64_t agpu_collector_lost(const struct agpu_source_stats *stats,
                                           const struct agpu_gaps *gaps)
{
    return stats->received[AGPU_SOURCE_STREAM] + stats->received[AGPU_SOURCE_UDP] != 0 ? gaps->missing : 0;
}

struct agpu_collector;

/* Returns NULL when memory is exhausted. */
struct agpu_collector *agpu_collector_create(const struct agpu_collector_config *config);
void agpu_collector_destroy(struct agpu_collector *collector);

/* Takes one datagram. Returns false, with nothing taken, when the datagram starts another run (run_per_summary). */
bool agpu_collector_packet(struct agpu_collector *collector, const char *bytes, size_t size, uint64_t now_us);

/* Takes a record that the lossless stream delivered for this boot. Returns as agpu_collector_packet(). */
bool agpu_collector_item(struct agpu_collector *collector, const char *boot, const char *bytes, size_t size,
                         uint64_t now_us);

/* Returns the id of the current boot; "": the machine sends none. */
const char *agpu_collector_boot(const struct agpu_collector *collector);

/* Returns the sequence numbers of this boot's records that have arrived. */
const struct agpu_seq_set *agpu_collector_here(const struct agpu_collector *collector);

/* Returns true when no record is missing before the last one that arrived. */
bool agpu_collector_complete(const struct agpu_collector *collector);

/* From now on datagrams must carry these credentials. */
void agpu_collector_expect(struct agpu_collector *collector, const struct agpu_credentials *credentials);

/* Takes bytes of a stream, in pieces of any size. */
void agpu_collector_stream(struct agpu_collector *collector, enum agpu_source source, const char *bytes,
                           size_t size, uint64_t now_us);

/* Ends the run for this reason (agpu_run_end()); input that was already on its way may still follow. */
void agpu_collector_end(struct agpu_collector *collector, enum agpu_ending ending, const char *text);

/* The machine is started again at now_us, and records of a new boot follow. Does agpu_run_next_boot() when the boot
 * ended as requested, else agpu_run_resume(); returns what that returns. */
const char *agpu_collector_resume(struct agpu_collector *collector, uint64_t now_us);

/* Applies every time limit that has passed: sets the run's ending, reports cases that waited for stragglers. */
void agpu_collector_tick(struct agpu_collector *collector, uint64_t now_us);

/* Returns the host time of the next tick that can change anything; UINT64_MAX if none. */
uint64_t agpu_collector_deadline(const struct agpu_collector *collector);

/* Ends the input: takes what is left in the streams, lists the gaps, sets the final verdicts. */
void agpu_collector_finish(struct agpu_collector *collector, uint64_t now_us);

struct agpu_run *agpu_collector_run(struct agpu_collector *collector);
const struct agpu_source_stats *agpu_collector_stats(const struct agpu_collector *collector);
/* Complete after agpu_collector_finish(). */
const struct agpu_gaps *agpu_collector_gaps(const struct agpu_collector *collector);

#endif
