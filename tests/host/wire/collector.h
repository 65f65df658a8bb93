/* collector.h: one machine's records from all the ways they arrive, merged by sequence number into one run. A
 * state machine: bytes and the time go in, callbacks and the next deadline come out. No I/O. */
#ifndef AGPU_HOST_WIRE_COLLECTOR_H
#define AGPU_HOST_WIRE_COLLECTOR_H

#include "tests/host/wire/credentials.h"
#include "tests/host/wire/gaps.h"
#include "tests/host/wire/line_stream.h"
#include "tests/host/wire/reassembly.h"
#include "tests/host/wire/run_model.h"
#include "tests/host/wire/source.h"

/* A record that was not known before. Valid during the callback. */
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
    /* A line of a byte stream; is_record: whether it was taken as a record. */
    void (*console)(void *ctx, enum agpu_source source, const char *line, size_t length, bool is_record);
    /* A case has its verdict, and every record up to its end is here or was waited for. */
    void (*case_done)(void *ctx, const struct agpu_case_result *c);
};

/* Bounds in microseconds; 0 = none. */
struct agpu_collector_config {
    uint64_t start_us; /* host time at which the machine was started */
    uint64_t boot_timeout_us;
    uint64_t silence_us;
    uint64_t case_timeout_us;
    uint64_t run_timeout_us;
    /* a restart after a summary belongs to the next run: agpu_collector_packet() refuses it */
    bool run_per_summary;
    /* a restart that nobody asked for ends the run, as a machine that stopped: its owner can start it again better */
    bool restart_ends;
    /* so long without any record ends a run that has no plan yet, too: what is heard of it came late, when all was up */
    bool silence_before_plan;
    size_t memory_max; /* of what is kept of the run (agpu_run.memory_max); 0: the usual */
    struct agpu_credentials
        credentials; /* what datagrams have to show; others are counted and change nothing */
    struct agpu_collector_output output;
};

/* Missing records that make the run an ERROR: of a run that was heard over the network, not of one read from a serial line alone. */
static inline uint64_t agpu_collector_lost(const struct agpu_source_stats *stats,
                                           const struct agpu_gaps *gaps)
{
    return stats->received[AGPU_SOURCE_STREAM] + stats->received[AGPU_SOURCE_UDP] != 0 ? gaps->missing : 0;
}

struct agpu_collector;

/* NULL when memory is exhausted. */
struct agpu_collector *agpu_collector_create(const struct agpu_collector_config *config);
void agpu_collector_destroy(struct agpu_collector *collector);

/* One datagram. False, with nothing taken, when it begins another run (run_per_summary). */
bool agpu_collector_packet(struct agpu_collector *collector, const char *bytes, size_t size, uint64_t now_us);

/* A record that the lossless stream brought from this boot, as agpu_collector_packet(). */
bool agpu_collector_item(struct agpu_collector *collector, const char *boot, const char *bytes, size_t size,
                         uint64_t now_us);

/* The id of the boot that is heard now; "": it does not say. */
const char *agpu_collector_boot(const struct agpu_collector *collector);

/* The numbers of the records of this boot that are here. */
const struct agpu_seq_set *agpu_collector_here(const struct agpu_collector *collector);

/* Is there no hole before the last record that is here? */
bool agpu_collector_complete(const struct agpu_collector *collector);

/* From now on datagrams have to show these. */
void agpu_collector_expect(struct agpu_collector *collector, const struct agpu_credentials *credentials);

/* Bytes of a stream, cut anywhere. */
void agpu_collector_stream(struct agpu_collector *collector, enum agpu_source source, const char *bytes,
                           size_t size, uint64_t now_us);

/* The run is over for this reason (agpu_run_end); input that was on its way may still follow. */
void agpu_collector_end(struct agpu_collector *collector, enum agpu_ending ending, const char *text);

/* As agpu_run_resume(), or agpu_run_next_boot() when the boot ended as it was told to: the machine is started again at now_us, and records of a new boot follow. */
const char *agpu_collector_resume(struct agpu_collector *collector, uint64_t now_us);

/* Acts on every bound that has passed: sets the run's ending, shows cases that waited for stragglers. */
void agpu_collector_tick(struct agpu_collector *collector, uint64_t now_us);

/* Host time of the next tick that can change anything; UINT64_MAX if none. */
uint64_t agpu_collector_deadline(const struct agpu_collector *collector);

/* Ends the input: takes what is left in the streams, names the gaps, gives the final verdicts. */
void agpu_collector_finish(struct agpu_collector *collector, uint64_t now_us);

struct agpu_run *agpu_collector_run(struct agpu_collector *collector);
const struct agpu_source_stats *agpu_collector_stats(const struct agpu_collector *collector);
/* Complete after agpu_collector_finish(). */
const struct agpu_gaps *agpu_collector_gaps(const struct agpu_collector *collector);

#endif
