/* boards.c: turns candidates into runs, and runs into reports. */
#include "tests/host/listen/boards.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/listen/candidates.h"
#include "tests/host/listen/finisher.h"
#include "tests/host/listen/old_boots.h"
#include "tests/host/listen/unbelieved.h"
#include "tests/host/run/session.h"
#include "tests/host/wire/tally.h"

/* Number of records that makes a candidate a board. */
#define RECORDS_MIN 3
/* Above a plausible rate of new machines (this many at once, and then one per RUN_EVERY_US), more records are
 * required. */
#define RUNS_AT_ONCE 32
#define RUN_EVERY_US UINT64_C(500000)
#define RECORDS_BUSY 32
#define BYTES_BUSY   (AGPU_CANDIDATE_BYTES_MAX / 2)
/* Time that a run waits for the rest of its stream. */
#define STREAM_SETTLE_US UINT64_C(20000000)
/* Time that a run with missing records waits while its stream has not connected yet. */
#define HOLES_SETTLE_US UINT64_C(15000000)
/* A run with fewer records, and older than this, may be replaced when there is no room for a new one. */
#define RECORDS_WEAK  32
#define WEAK_AFTER_US UINT64_C(1000000)
/* Interval for checking whether runs have ended, and for writing what has arrived: batches the writes. */
#define CHECK_EVERY_US UINT64_C(10000)
/* Size of the table of recently active boards. */
#define RECENT 1024

struct board {
    struct agpu_sender sender;
    char boot[AGPU_BOOT_ID_MAX + 1]; /* the first one that it named; "": none */
    char prefix[AGPU_SENDER_TEXT_MAX + 2];
    uint64_t began_us;
    bool finishing;
    char stream_boot[AGPU_BOOT_ID_MAX + 1]; /* the boot that the items belong to */
    struct agpu_intake_run stream;
    uint64_t stream_kept; /* items that are in files */
    uint64_t streamed_us; /* when the stream delivered its last item; 0: no stream */
    struct agpu_session session;
    struct agpu_new_boot new_boot;
    struct agpu_finish_job job;
    struct board *next;
};

struct agpu_boards {
    struct agpu_boards_config config;
    struct agpu_candidates *candidates;
    struct agpu_finisher *finisher;
    struct board *open;           /* including those that are being finished */
    struct board *recent[RECENT]; /* by sender, without those: the board that was found last, or NULL */
    size_t count, finishing;
    uint64_t runs, finished;
    uint64_t allowance_us; /* time credit for new runs: one per RUN_EVERY_US */
    uint64_t now_us;
    uint64_t check_us;    /* time of the next check of the runs */
    uint64_t next_run_us; /* time of the next check of waiting candidates; UINT64_MAX: none waits */
    struct agpu_disk disk;
    struct agpu_tally addresses; /* counts the runs of each address */
    struct agpu_old_boots old_boots;
    struct agpu_boards_counters counters;
    struct agpu_parsed_record record;
    struct agpu_unbelieved unbelieved;
    bool all_good, runs_reported, places_reported;
};

struct agpu_boards *agpu_boards_create(const struct agpu_boards_config *config)
{
    struct agpu_boards *b = calloc(1, sizeof *b);

    if (b == NULL) {
        return NULL;
    }
    b->config = *config;
    b->disk = (struct agpu_disk){.bytes_left = config->bytes_max, .files_left = AGPU_DISK_FILES_MAX};
    b->old_boots.keyed = config->credentials.keyed;
    b->all_good = true;
    b->allowance_us = RUNS_AT_ONCE * RUN_EVERY_US;
    b->now_us = agpu_now_us();
    b->next_run_us = UINT64_MAX;
    b->candidates = agpu_candidates_create();
    b->finisher = agpu_finisher_open(b->config.note, b->config.out);
    if (b->candidates == NULL || b->finisher == NULL) {
        const int failed = errno;

        agpu_candidates_destroy(b->candidates);
        if (b->finisher != NULL) {
            agpu_finisher_close(b->finisher);
        }
        free(b);
        errno = failed;
        return NULL;
    }
    return b;
}

/* Gives every run its share of the memory. */
static void share_memory(struct agpu_boards *b)
{
    const size_t share = b->count != 0 ? AGPU_BOARDS_MEMORY / b->count : AGPU_BOARDS_MEMORY;
    const size_t each = share > AGPU_BOARD_MEMORY_MIN ? share : AGPU_BOARD_MEMORY_MIN;

    for (struct board *board = b->open; board != NULL; board = board->next) {
        if (!board->finishing) {
            agpu_session_limit_memory(&board->session, each);
        }
    }
}

/* ---- runs begin and end ---- */

static void finish_board(struct agpu_boards *b, struct board *board)
{
    agpu_old_boots_note(&b->old_boots, &board->sender, board->boot);
    agpu_old_boots_note(&b->old_boots, &board->sender, agpu_collector_boot(board->session.collector));
    for (size_t i = 0; i < RECENT; i++) {
        b->recent[i] = b->recent[i] == board ? NULL : b->recent[i];
    }
    board->finishing = true;
    b->finishing++;
    board->job = (struct agpu_finish_job){.session = &board->session, .now_us = agpu_now_us()};
    agpu_finisher_add(b->finisher, &board->job);
}

static void reap_board(struct agpu_boards *b, struct agpu_finish_job *job)
{
    struct board **at = &b->open;

    while (&(*at)->job != job) {
        at = &(*at)->next;
    }
    struct board *board = *at;
    b->all_good = b->all_good && job->written && agpu_session_passed(&board->session);
    *at = board->next;
    b->count--;
    b->finishing--;
    b->finished++;
    agpu_session_close(&board->session);
    free(board);
    share_memory(b);
}

/* Ends the run with the fewest records among those below RECORDS_WEAK. */
static void make_place(struct agpu_boards *b, uint64_t now_us)
{
    struct board *weakest = NULL;
    uint64_t least = RECORDS_WEAK;

    for (struct board *board = b->open; board != NULL; board = board->next) {
        const uint64_t heard =
            board->finishing ? UINT64_MAX
                             : agpu_collector_stats(board->session.collector)->received[AGPU_SOURCE_UDP];

        if (heard < least && now_us > board->began_us + WEAK_AFTER_US) {
            least = heard;
            weakest = board;
        }
    }
    if (weakest != NULL) {
        agpu_collector_end(
            weakest->session.collector, AGPU_ENDING_INTERRUPTED,
            "its place was given to another machine because it had sent the fewest records (--max-boards)");
        finish_board(b, weakest);
    }
}

static bool place_for_run(struct agpu_boards *b, uint64_t now_us)
{
    if (b->runs >= b->config.runs_max) {
        if (!b->runs_reported) {
            fprintf(stderr,
                    "agpu listen: %" PRIu64
                    " runs have a folder, the limit of --max-runs: further runs are ignored\n",
                    b->runs);
        }
        b->runs_reported = true;
        return false;
    }
    if (b->count < b->config.boards_max) {
        return true;
    }
    if (!b->places_reported) {
        fprintf(stderr, "agpu listen: %zu machines are connected, the limit of --max-boards: others wait\n",
                b->count);
    }
    b->places_reported = true;
    if (b->finishing == 0) {
        make_place(b, now_us);
    }
    return false;
}

static struct board *open_board(struct agpu_boards *b, const struct agpu_sender *sender, uint64_t now_us)
{
    struct board *board = calloc(1, sizeof *board);
    char address[AGPU_SENDER_TEXT_MAX];
    char folder[4096];

    agpu_sender_text(sender, address);
    struct agpu_tally_entry *runs = board != NULL ? agpu_tally_of(&b->addresses, address, false) : NULL;
    if (runs == NULL) {
        free(board);
        return NULL;
    }
    runs->count++;
    b->runs++;
    if (runs->count == 1) {
        snprintf(folder, sizeof folder, "%s/%s", b->config.out, address);
    } else {
        snprintf(folder, sizeof folder, "%s/%s.%zu", b->config.out, address, runs->count);
    }
    board->sender = *sender;
    board->began_us = now_us;
    snprintf(board->prefix, sizeof board->prefix, "%-15s ", address);
    struct agpu_collector_config config = {.start_us = now_us,
                                           .silence_us = b->config.silence_us,
                                           .silence_before_plan = true,
                                           .boot_timeout_us = 4 * b->config.silence_us,
                                           .run_per_summary = true,
                                           .credentials = b->config.credentials};
    if (!agpu_session_open(&board->session, folder, board->prefix, &config)) {
        b->all_good = false;
        free(board);
        return NULL;
    }
    board->session.disk = &b->disk;
    agpu_report_environment(&board->session.report, "board", "%s", address);
    board->next = b->open;
    b->open = board;
    b->count++;
    share_memory(b);
    return board;
}

static struct board *find_board(struct agpu_boards *b, const struct agpu_sender *sender)
{
    struct board **recent =
        &b->recent[(sender->ip.s6_addr[15] * 37u + sender->ip.s6_addr[14] * 5u + sender->port) % RECENT];
    struct board *board = b->open;

    if (*recent != NULL && agpu_sender_same(&(*recent)->sender, sender)) {
        return *recent;
    }
    while (board != NULL && (board->finishing || !agpu_sender_same(&board->sender, sender))) {
        board = board->next;
    }
    *recent = board != NULL ? board : *recent;
    return board;
}

static void refill_allowance(struct agpu_boards *b, uint64_t now_us)
{
    if (now_us > b->now_us) {
        b->allowance_us += now_us - b->now_us;
        if (b->allowance_us > RUNS_AT_ONCE * RUN_EVERY_US) {
            b->allowance_us = RUNS_AT_ONCE * RUN_EVERY_US;
        }
        b->now_us = now_us;
    }
}

static void spend_allowance(struct agpu_boards *b)
{
    b->allowance_us -= b->allowance_us < RUN_EVERY_US ? b->allowance_us : RUN_EVERY_US;
}

/* A connection proves that its address is not forged: the first run from there needs no allowance, so that a rack of
 * machines that is switched on starts at once. */
static bool has_run(const struct agpu_boards *b, const struct agpu_sender *from)
{
    const struct board *board = b->open;

    while (board != NULL && (board->sender.scope != from->scope ||
                             memcmp(&board->sender.ip, &from->ip, sizeof from->ip) != 0)) {
        board = board->next;
    }
    return board != NULL;
}

static bool is_boot(const char *id, const char *boot, size_t length)
{
    return length != 0 && strlen(id) == length && memcmp(id, boot, length) == 0;
}

/* Returns the board of this boot at this address: the one that its run started with, or one that continues the run. */
static struct board *find_streamed(struct agpu_boards *b, const struct agpu_sender *from, const char *boot,
                                   size_t length)
{
    for (struct board *board = b->open; board != NULL; board = board->next) {
        if (!board->finishing && board->sender.scope == from->scope &&
            memcmp(&board->sender.ip, &from->ip, sizeof from->ip) == 0 &&
            (is_boot(board->boot, boot, length) ||
             is_boot(agpu_collector_boot(board->session.collector), boot, length))) {
            return board;
        }
    }
    return NULL;
}

/* ---- the lossless stream ---- */

static const char *take_hello(void *ctx, const struct agpu_sender *from, const char *boot, uint64_t *resume)
{
    struct agpu_boards *b = ctx;
    const struct board *board = find_streamed(b, from, boot, strlen(boot));
    const struct agpu_sender anywhere = {.ip = from->ip, .scope = from->scope};

    if (board == NULL && agpu_old_boots_have(&b->old_boots, &anywhere, boot, strlen(boot))) {
        return "the run of this boot is over";
    }
    *resume = board != NULL && strcmp(board->stream_boot, boot) == 0 ? board->stream_kept : 0;
    return NULL;
}

static bool take_item(void *ctx, const struct agpu_sender *from, const char *boot,
                      const struct agpu_intake_item *item, uint64_t now_us)
{
    struct agpu_boards *b = ctx;
    struct board *board = find_streamed(b, from, boot, strlen(boot));

    if (board == NULL) {
        const struct agpu_sender anywhere = {.ip = from->ip, .scope = from->scope};

        /* The connection was made before the run ended. The next one is refused by take_hello(). */
        if (agpu_old_boots_have(&b->old_boots, &anywhere, boot, strlen(boot))) {
            b->counters.of_old_items++;
            return false;
        }
        refill_allowance(b, now_us);
        if ((b->allowance_us < RUN_EVERY_US && has_run(b, from)) || !place_for_run(b, now_us) ||
            (board = open_board(b, &anywhere, now_us)) == NULL) {
            return false;
        }
        spend_allowance(b);
        strcpy(board->boot, boot); /* at most AGPU_BOOT_ID_MAX bytes, as the greeting was checked */
    }
    if (strcmp(board->stream_boot, boot) != 0) {
        strcpy(board->stream_boot, boot);
        board->stream = (struct agpu_intake_run){0};
        board->stream_kept = 0;
    }
    board->streamed_us = now_us;
    if (agpu_intake_run_take(&board->stream, item->number) &&
        !agpu_session_item(&board->session, boot, item, now_us)) {
        finish_board(b, board); /* the machine has started its next run */
        return false;
    }
    return true;
}

static uint64_t count_kept(void *ctx, const struct agpu_sender *from, const char *boot)
{
    struct agpu_boards *b = ctx;
    struct board *board = find_streamed(b, from, boot, strlen(boot));

    if (board == NULL || strcmp(board->stream_boot, boot) != 0) {
        return 0;
    }
    if (board->stream.next > board->stream_kept && agpu_session_flush(&board->session)) {
        board->stream_kept = board->stream.next;
    }
    return board->stream_kept;
}

struct agpu_streams_user agpu_boards_streams(struct agpu_boards *b)
{
    return (struct agpu_streams_user){.ctx = b, .hello = take_hello, .item = take_item, .kept = count_kept};
}

/* ---- datagrams ---- */

struct giving {
    struct agpu_boards *boards;
    struct board *board;
};

static void give_datagram(void *ctx, uint64_t when_us, const char *bytes, size_t size)
{
    struct giving *to = ctx;
    struct agpu_packet packet;

    if (to->board == NULL || agpu_packet_parse(bytes, size, &packet) != NULL) {
        return;
    }
    if (to->board->boot[0] == '\0') {
        memcpy(to->board->boot, packet.boot, packet.boot_length);
    }
    /* A summary among the first records may be followed by a restart, which this session refuses: later datagrams
     * start the next run. */
    agpu_session_packet(&to->board->session, bytes, size, when_us);
}

/* Returns true when the candidate qualifies for a run. */
static bool has_sent_enough(struct agpu_boards *b, const struct agpu_candidate *candidate)
{
    if (candidate->records >= RECORDS_BUSY || candidate->bytes >= BYTES_BUSY) {
        return true;
    }
    return candidate->records >= RECORDS_MIN && b->allowance_us >= RUN_EVERY_US;
}

/* Starts a run. Frees the candidate. */
static void begin_run(struct agpu_boards *b, struct agpu_candidate *candidate, uint64_t now_us)
{
    struct giving to = {b, open_board(b, &candidate->sender, now_us)};

    spend_allowance(b);
    agpu_candidates_release(b->candidates, candidate, give_datagram, &to);
}

static void take_candidate(struct agpu_boards *b, const struct agpu_datagram *datagram,
                           const struct agpu_packet *packet)
{
    if (agpu_old_boots_have(&b->old_boots, &datagram->from, packet->boot, packet->boot_length)) {
        b->counters.of_old_runs++;
        return;
    }
    struct agpu_candidate *candidate = agpu_candidates_add(
        b->candidates, &datagram->from, packet->seq, datagram->when_us, datagram->bytes, datagram->size);
    if (candidate == NULL) {
        return;
    }
    if (has_sent_enough(b, candidate) && place_for_run(b, datagram->when_us)) {
        begin_run(b, candidate, datagram->when_us);
    } else if (candidate->records >= RECORDS_MIN && b->next_run_us == UINT64_MAX) {
        b->next_run_us = datagram->when_us + RUN_EVERY_US;
    }
}

/* Serves waiting candidates, the one with the most records first. */
static void serve_waiting(struct agpu_boards *b, uint64_t now_us)
{
    struct agpu_candidate *best;

    agpu_candidates_expire(b->candidates, now_us > b->config.silence_us ? now_us - b->config.silence_us : 0);
    while ((best = agpu_candidates_best(b->candidates, RECORDS_MIN)) != NULL && has_sent_enough(b, best) &&
           place_for_run(b, now_us)) {
        begin_run(b, best, now_us);
    }
    b->next_run_us = best != NULL ? now_us + RUN_EVERY_US : UINT64_MAX;
}

void agpu_boards_take(struct agpu_boards *b, const struct agpu_datagram *datagram)
{
    enum agpu_credentials_result why;
    struct agpu_packet packet;

    refill_allowance(b, datagram->when_us);
    if (agpu_packet_parse(datagram->bytes, datagram->size, &packet) != NULL) {
        b->counters.no_record++;
        return;
    }
    why = agpu_credentials_check(&b->config.credentials, datagram->bytes, datagram->size, &packet);
    if (why != AGPU_CREDENTIALS_RIGHT) {
        ++*(why == AGPU_CREDENTIALS_FORGED ? &b->counters.forged : &b->counters.strangers);
        agpu_unbelieved_report(&b->unbelieved, &datagram->from, why);
        return;
    }
    struct board *board = find_board(b, &datagram->from);
    if (board == NULL &&
        (board = find_streamed(b, &datagram->from, packet.boot, packet.boot_length)) != NULL) {
        if (board->sender.port == 0) {
            board->sender.port = datagram->from.port; /* only its stream was received so far */
        } else {
            board = NULL; /* another machine claims to be that boot */
        }
    }
    if (board != NULL) {
        if (agpu_old_boots_have_known(&b->old_boots, &board->new_boot, &board->sender, packet.boot,
                                      packet.boot_length)) {
            b->counters.of_old_runs++;
        } else if (!agpu_session_packet(&board->session, datagram->bytes, datagram->size,
                                        datagram->when_us)) {
            finish_board(b, board); /* the machine has started its next run */
            board = NULL;
        } else {
            return;
        }
    }
    if (board != NULL) {
        return;
    }
    if (!packet.fragment && agpu_record_parse(packet.text, packet.length, &b->record) != NULL) {
        b->counters.no_record++;
        return;
    }
    take_candidate(b, datagram, &packet);
}

/* Returns when the run has ended, including time for stragglers after its summary. */
static uint64_t settled_us(const struct agpu_boards *b, const struct board *board, uint64_t summary_us)
{
    const uint64_t heard = board->streamed_us > summary_us ? board->streamed_us : summary_us;

    if (!agpu_collector_complete(board->session.collector)) {
        return heard + (board->streamed_us != 0 ? STREAM_SETTLE_US : HOLES_SETTLE_US);
    }
    return summary_us + b->config.settle_us;
}

uint64_t agpu_boards_tick(struct agpu_boards *b, uint64_t now_us)
{
    struct agpu_finish_job *job;
    uint64_t deadline;

    if (now_us < b->check_us) {
        return b->check_us;
    }
    b->check_us = now_us + CHECK_EVERY_US;
    while ((job = agpu_finisher_done(b->finisher, false)) != NULL) {
        reap_board(b, job);
    }
    refill_allowance(b, now_us);
    if (now_us >= b->next_run_us) {
        serve_waiting(b, now_us);
    }
    deadline = b->next_run_us;
    for (struct board *board = b->open; board != NULL; board = board->next) {
        if (board->finishing) {
            continue;
        }
        agpu_session_tick(&board->session, now_us);
        const struct agpu_run *run = agpu_collector_run(board->session.collector);
        const struct agpu_source_stats *stats = agpu_collector_stats(board->session.collector);
        uint64_t next = agpu_session_deadline(&board->session, now_us);
        const uint64_t settled = settled_us(b, board, stats->summary_us);
        if (run->ending != AGPU_ENDING_NONE || (run->summary.seen && now_us >= settled)) {
            finish_board(b, board);
            continue;
        }
        next = run->summary.seen && settled < next ? settled : next;
        deadline = next < deadline ? next : deadline;
    }
    return deadline;
}

int agpu_boards_fd(const struct agpu_boards *b)
{
    return agpu_finisher_fd(b->finisher);
}

size_t agpu_boards_busy(const struct agpu_boards *b)
{
    return b->count + (b->next_run_us != UINT64_MAX);
}

uint64_t agpu_boards_finished(const struct agpu_boards *b)
{
    return b->finished;
}

struct agpu_boards_counters agpu_boards_counters(const struct agpu_boards *b)
{
    struct agpu_boards_counters counters = b->counters;

    counters.senders = agpu_candidates_forgotten(b->candidates) + agpu_candidates_count(b->candidates);
    return counters;
}

bool agpu_boards_end(struct agpu_boards *b, const char *reason)
{
    struct agpu_finish_job *job;

    for (struct board *board = b->open; board != NULL; board = board->next) {
        if (board->finishing) {
            continue;
        }
        if (!agpu_collector_run(board->session.collector)->summary.seen) {
            agpu_collector_end(board->session.collector, AGPU_ENDING_INTERRUPTED, reason);
        }
        finish_board(b, board);
    }
    while ((job = agpu_finisher_done(b->finisher, true)) != NULL) {
        reap_board(b, job);
    }
    const bool good = b->all_good;
    agpu_finisher_close(b->finisher);
    agpu_candidates_destroy(b->candidates);
    agpu_tally_free(&b->addresses);
    agpu_old_boots_free(&b->old_boots);
    free(b);
    return good;
}
