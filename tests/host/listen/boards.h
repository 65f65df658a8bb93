/* boards.h: the machines under collection: assigns datagrams to runs, and decides when a run starts and ends.
 * Unknown senders can use only a bounded amount of every resource. */
#ifndef AGPU_HOST_LISTEN_BOARDS_H
#define AGPU_HOST_LISTEN_BOARDS_H

#include "tests/host/listen/inbox.h"
#include "tests/host/run/streams.h"
#include "tests/host/wire/credentials.h"

/* For all runs together; each gets an even share, but at least AGPU_BOARD_MEMORY_MIN. */
#define AGPU_BOARDS_MEMORY    (UINT64_C(192) << 20)
#define AGPU_BOARD_MEMORY_MIN (UINT64_C(1) << 20)

struct agpu_boards_config {
    const char *out;
    uint64_t silence_us;
    struct agpu_credentials credentials;
    size_t boards_max;  /* runs at a time */
    uint64_t runs_max;  /* folders, in total */
    uint64_t bytes_max; /* bytes on disk, in total */
    uint64_t settle_us; /* from the summary to the end of the run: time for stragglers */
    void (*note)(const char *results, const char *folder); /* agpu_finisher_open(), with out; NULL: none */
};

struct agpu_boards_counters {
    uint64_t strangers; /* datagrams without the token */
    uint64_t forged;    /* with a wrong keyed hash */
    uint64_t no_record;
    uint64_t of_old_runs;  /* datagrams of a boot whose run has ended */
    uint64_t of_old_items; /* the same of streams */
    uint64_t
        senders; /* senders, not datagrams, that sent too little for a run, or were rejected by a limit */
};

struct agpu_boards;

/* config is copied, its texts stay the caller's. Returns NULL with errno set. */
struct agpu_boards *agpu_boards_create(const struct agpu_boards_config *config);

/* Takes one datagram with a valid header. */
void agpu_boards_take(struct agpu_boards *boards, const struct agpu_datagram *datagram);

/* Returns the callbacks for the lossless streams of authenticated machines: each item belongs to the run of its boot
 * and address, which it may start. */
struct agpu_streams_user agpu_boards_streams(struct agpu_boards *boards);

/* Handles the passing of time. Returns when it must be called again, UINT64_MAX: never. */
uint64_t agpu_boards_tick(struct agpu_boards *boards, uint64_t now_us);

/* Returns a descriptor that is readable when agpu_boards_tick() must be called earlier. */
int agpu_boards_fd(const struct agpu_boards *boards);

/* Returns the number of runs that have not ended, or whose reports are not written, and of machines that wait for a
 * run. */
size_t agpu_boards_busy(const struct agpu_boards *boards);
/* Returns the number of runs whose reports are written. */
uint64_t agpu_boards_finished(const struct agpu_boards *boards);

/* Ends every run (with this reason if it has no summary), writes the reports, and frees everything. Returns true
 * when every run was a PASS, and all reports are on disk. */
bool agpu_boards_end(struct agpu_boards *boards, const char *reason);

struct agpu_boards_counters agpu_boards_counters(const struct agpu_boards *boards);

#endif
