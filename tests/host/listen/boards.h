/* boards.h: the machines that are listened to: which datagram belongs to whose run, and when a run begins and is over.
 * Strangers cost a bounded amount of everything. */
#ifndef AGPU_HOST_LISTEN_BOARDS_H
#define AGPU_HOST_LISTEN_BOARDS_H

#include "tests/host/listen/inbox.h"
#include "tests/host/run/streams.h"
#include "tests/host/wire/credentials.h"

/* Of all runs together; each has its even share of it, but at least AGPU_BOARD_MEMORY_MIN. */
#define AGPU_BOARDS_MEMORY    (UINT64_C(192) << 20)
#define AGPU_BOARD_MEMORY_MIN (UINT64_C(1) << 20)

struct agpu_boards_config {
    const char *out;
    uint64_t silence_us;
    struct agpu_credentials credentials;
    size_t boards_max;  /* at once */
    uint64_t runs_max;  /* folders, in all */
    uint64_t bytes_max; /* on the disk, in all */
    uint64_t settle_us; /* after the summary, until the run is over: stragglers */
    void (*note)(const char *results, const char *folder); /* agpu_finisher_open(), with out; NULL: nobody */
};

struct agpu_boards_counters {
    uint64_t strangers; /* datagrams without the token */
    uint64_t forged;    /* with a wrong keyed hash */
    uint64_t no_record;
    uint64_t of_old_runs; /* of a boot whose run is over */
    uint64_t
        senders; /* senders, not datagrams, that said too little for a run, or for which a bound left no place */
};

struct agpu_boards;

/* config is copied, its texts stay the caller's. NULL with errno set. */
struct agpu_boards *agpu_boards_create(const struct agpu_boards_config *config);

/* One datagram, with a good header. */
void agpu_boards_take(struct agpu_boards *boards, const struct agpu_datagram *datagram);

/* What to do with the lossless streams of machines whose credentials were looked at: each item belongs to the run of its boot and
 * address, which it may begin. */
struct agpu_streams_user agpu_boards_streams(struct agpu_boards *boards);

/* Lets time pass. Returns when it must be called again, UINT64_MAX: never. */
uint64_t agpu_boards_tick(struct agpu_boards *boards, uint64_t now_us);

/* Becomes readable when agpu_boards_tick() has something to do before. */
int agpu_boards_fd(const struct agpu_boards *boards);

/* Runs that are not over yet, or whose reports are not written, and machines that wait for one. */
size_t agpu_boards_busy(const struct agpu_boards *boards);
/* Runs whose reports are written. */
uint64_t agpu_boards_finished(const struct agpu_boards *boards);

/* Ends every run, one without a summary for this reason, writes their reports, and frees all. True when every run was a
 * PASS, and all of every report is on disk. */
bool agpu_boards_end(struct agpu_boards *boards, const char *reason);

struct agpu_boards_counters agpu_boards_counters(const struct agpu_boards *boards);

#endif
