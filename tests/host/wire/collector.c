/* collector.c: merges the packets of all sources by sequence number, and detects restarts of the machine. */
#include "tests/host/wire/collector.h"
#include "tests/host/wire/exception.h"
#include "tests/host/wire/foreign.h"
#include "tests/host/wire/limits.h"
#include "tests/host/wire/run_verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer than the delay between two copies of a datagram; shorter than any machine takes to boot. */
#define RESTART_AFTER_US UINT64_C(1000000)
/* Time that a finished case waits for records that were overtaken on the network. */
#define STRAGGLER_US UINT64_C(300000)
/* Time after a restart during which the network may still deliver records of the previous boot. */
#define STALE_US   UINT64_C(2000000)
#define BOOTS_KEPT 8
/* Longest time between the lines of a firmware exception dump. */
#define DUMP_US UINT64_C(500000)

struct agpu_source_state {
    struct agpu_reassembly reassembly;
    struct agpu_line_stream lines;
    bool heard;         /* in this boot */
    uint64_t last_seq;  /* highest in this boot */
    uint64_t last_t_us; /* time in the previous packet */
    uint64_t first_us;  /* host time of the first record in this boot */
};

struct agpu_collector {
    struct agpu_collector_config config;
    struct agpu_run run;
    struct agpu_source_stats stats;
    struct agpu_gaps gaps;
    struct agpu_seq_map current;
    struct agpu_seq_map previous; /* numbers of the previous boot: its stragglers are not a restart */
    struct agpu_source_state sources[AGPU_SOURCE_COUNT];
    struct agpu_parsed_record record;
    uint64_t now_us;
    uint64_t last_record_us;
    uint64_t boot_us;      /* host time of the last start of the machine */
    uint32_t started_boot; /* number of that boot; a later one is a restart by the machine itself */
    char boot_ids[BOOTS_KEPT][AGPU_BOOT_ID_MAX + 1]; /* this boot and the previous ones; "": not known */
    uint64_t boot_began_us;                          /* arrival of the first record of this boot by UDP */
    bool contradicted;
    struct agpu_exception exception;
};

struct agpu_collector *agpu_collector_create(const struct agpu_collector_config *config)
{
    struct agpu_collector *c = calloc(1, sizeof *c);

    if (c == NULL) {
        return NULL;
    }
    c->config = *config;
    c->last_record_us = config->start_us;
    c->boot_us = config->start_us;
    agpu_run_init(&c->run);
    c->run.memory_max = config->memory_max;
    return c;
}

void agpu_collector_destroy(struct agpu_collector *c)
{
    if (c != NULL) {
        agpu_seq_map_free(&c->current);
        agpu_seq_map_free(&c->previous);
        agpu_run_free(&c->run);
        free(c);
    }
}

struct agpu_run *agpu_collector_run(struct agpu_collector *c)
{
    return &c->run;
}

const struct agpu_source_stats *agpu_collector_stats(const struct agpu_collector *c)
{
    return &c->stats;
}

const struct agpu_gaps *agpu_collector_gaps(const struct agpu_collector *c)
{
    return &c->gaps;
}

static void note_gaps(struct agpu_collector *c)
{
    c->stats.filled += agpu_seq_map_lacking(&c->current, AGPU_SOURCE_UDP);
    agpu_gaps_of_boot(&c->gaps, c->run.boot, &c->current);
}

static void begin_boot(struct agpu_collector *c)
{
    agpu_seq_map_free(&c->previous);
    c->previous = c->current;
    c->current = (struct agpu_seq_map){0};
    memmove(c->boot_ids[1], c->boot_ids[0], sizeof c->boot_ids - sizeof c->boot_ids[0]);
    c->boot_ids[0][0] = '\0';
    for (size_t i = 0; i < AGPU_SOURCE_COUNT; i++) {
        c->sources[i].heard = false;
    }
}

static void restart_run(struct agpu_collector *c, uint64_t now_us)
{
    note_gaps(c);
    agpu_run_restarted(&c->run, now_us);
    begin_boot(c);
}

static bool same_record(const struct agpu_seq_entry *entry, const struct agpu_packet *packet, uint32_t hash)
{
    return entry != NULL && entry->t_us == packet->t_us && entry->hash == hash;
}

/* Datagrams and items carry the id of their boot, if the machine has one. */
static bool has_boot_ids(enum agpu_source source)
{
    return source == AGPU_SOURCE_UDP || source == AGPU_SOURCE_STREAM;
}

enum novelty { NEW, COPY, CONFLICT, RESTART, STALE };

static bool is_boot(const char *id, const struct agpu_packet *packet)
{
    return strlen(id) == packet->boot_length && memcmp(id, packet->boot, packet->boot_length) == 0;
}

/* Classifies a datagram that carries the id of its boot. */
static enum novelty classify_by_id(struct agpu_collector *c, const struct agpu_packet *packet, uint32_t hash,
                                   uint64_t now_us)
{
    const struct agpu_seq_entry *entry;

    for (size_t i = 1; i < BOOTS_KEPT; i++) {
        if (is_boot(c->boot_ids[i], packet)) {
            c->contradicted = c->contradicted || (c->boot_ids[0][0] && now_us > c->boot_began_us + STALE_US);
            return STALE;
        }
    }
    if (c->boot_ids[0][0] == '\0') {
        memcpy(c->boot_ids[0], packet->boot, packet->boot_length);
        c->boot_ids[0][packet->boot_length] = '\0';
        c->boot_began_us = now_us;
    } else if (!is_boot(c->boot_ids[0], packet)) {
        return RESTART;
    }
    switch (agpu_seq_map_get(&c->current, packet->seq, &entry)) {
    case AGPU_SEQ_UNSEEN:
        return NEW;
    case AGPU_SEQ_SEEN:
        return same_record(entry, packet, hash) ? COPY : CONFLICT;
    default:
        return COPY;
    }
}

/* Classifies packets without a boot id, and those of byte streams. Sequence numbers restart at 0 when the machine
 * boots again. To tell that from a second copy: a byte stream delivers nothing twice. On UDP it is a restart when a
 * source that had passed this number delivers it with another timestamp, or delivers number 0 again after longer
 * than a network holds a datagram. */
static enum novelty classify_packet(const struct agpu_collector *c, enum agpu_source source,
                                    const struct agpu_packet *packet, uint32_t hash, uint64_t now_us)
{
    const struct agpu_seq_entry *entry, *before, *due;
    const enum agpu_seq_known known = agpu_seq_map_get(&c->current, packet->seq, &entry);
    const struct agpu_source_state *state = &c->sources[source];
    bool went_back = state->heard && packet->seq <= state->last_seq;
    const bool stream = source != AGPU_SOURCE_UDP;

    /* A digit added or lost on a serial line makes a number go back, too; in a new boot the time goes back as well. */
    if (source == AGPU_SOURCE_SERIAL && packet->seq != 0 &&
        (packet->t_us >= state->last_t_us || same_record(entry, packet, hash))) {
        went_back = false;
    }
    agpu_seq_map_get(&c->current, state->last_seq + 1, &due);
    if (source == AGPU_SOURCE_SERIAL && state->heard && known == AGPU_SEQ_UNSEEN && due != NULL &&
        due->t_us == packet->t_us) {
        return STALE; /* its number is damaged: another source delivered it as the one that is due */
    }
    agpu_seq_map_get(&c->previous, packet->seq, &before);
    if (!state->heard && same_record(before, packet, hash) && !same_record(entry, packet, hash)) {
        return STALE; /* this source still delivers the previous boot */
    }
    if (known == AGPU_SEQ_UNSEEN) {
        return stream && went_back ? RESTART : NEW;
    }
    if (went_back && (stream || (entry != NULL && entry->t_us != packet->t_us))) {
        return RESTART;
    }
    if (packet->seq == 0 && state->heard && now_us > state->first_us + RESTART_AFTER_US) {
        return RESTART;
    }
    if (known == AGPU_SEQ_SEEN_ONCE) {
        return COPY;
    }
    return same_record(entry, packet, hash) ? COPY : CONFLICT;
}

static bool case_ready(const struct agpu_collector *c, const struct agpu_case_result *item, uint64_t now_us)
{
    bool complete = agpu_seq_set_prefix(&c->current.all) > item->end_seq || item->boot < c->run.boot;

    return item->ended && (complete || now_us >= item->ended_us + STRAGGLER_US);
}

/* Reports finished cases to the caller, in the order in which they ended: all of them if everything is set, else
 * those that are complete or whose wait is over. */
static void announce_cases(struct agpu_collector *c, uint64_t now_us, bool everything)
{
    struct agpu_case_result *item;

    while ((item = agpu_run_finished(&c->run)) != NULL &&
           (everything || !item->ended || case_ready(c, item, now_us))) {
        agpu_run_remove_finished(&c->run);
        if (item->ended && !item->announced) { /* else it runs again, in another round */
            item->announced = true;
            c->config.output.case_done(c->config.output.ctx, item);
        }
    }
}

/* Two senders report to one run. Serial lines may corrupt bytes; datagrams and a debug console do not. */
static void note_conflict(struct agpu_collector *c, enum agpu_source source, uint64_t seq)
{
    const bool proven = agpu_seq_set_has(&c->current.from[AGPU_SOURCE_UDP], seq) ||
                        agpu_seq_set_has(&c->current.from[AGPU_SOURCE_STREAM], seq) ||
                        agpu_seq_set_has(&c->current.from[AGPU_SOURCE_DEBUGCON], seq);

    c->stats.conflicts++;
    c->contradicted = c->contradicted || (source != AGPU_SOURCE_SERIAL && proven);
}

/* Processes a packet that was parsed as a record. Returns false when it starts another run. */
static bool take_record(struct agpu_collector *c, enum agpu_source source, const struct agpu_packet *packet,
                        const struct agpu_parsed_record *record, uint64_t now_us)
{
    uint32_t hash = agpu_seq_hash(packet->text, packet->length);
    const bool by_id = has_boot_ids(source) && packet->boot_length != 0;
    struct agpu_seq_stretch hole;
    enum novelty novelty =
        by_id ? classify_by_id(c, packet, hash, now_us) : classify_packet(c, source, packet, hash, now_us);

    if (novelty == RESTART) {
        if (c->config.run_per_summary && c->run.summary.seen) {
            return false;
        }
        if (c->config.restart_ends) {
            if (!c->run.summary.seen) {
                agpu_collector_end(c, AGPU_ENDING_STOPPED, "the machine reset itself before the summary");
            }
            return true;
        }
        restart_run(c, now_us);
        novelty = by_id ? classify_by_id(c, packet, hash, now_us) : NEW;
    }
    c->stats.received[source]++;
    if (novelty == STALE) {
        c->stats.copies++;
        return true;
    }
    struct agpu_source_state *state = &c->sources[source];
    if (!state->heard) {
        state->heard = true;
        state->first_us = now_us;
        state->last_seq = packet->seq;
    }
    state->last_t_us = packet->t_us;
    c->last_record_us = now_us;
    if (c->stats.first_us[source] == 0) {
        c->stats.first_us[source] = now_us;
    }
    if (packet->seq > state->last_seq) {
        state->last_seq = packet->seq;
    }
    if (novelty == COPY) {
        c->stats.copies++;
        agpu_seq_map_copy(&c->current, packet->seq, source);
        return true;
    }
    if (novelty == CONFLICT) {
        note_conflict(c, source, packet->seq);
        return true;
    }
    if (!agpu_seq_map_add(&c->current, packet->seq, source, packet->t_us, hash, &hole)) {
        agpu_run_problem(&c->run, "memory is exhausted: records from seq %" PRIu64 " on are not counted",
                         packet->seq);
        return true;
    }
    agpu_gaps_add(&c->gaps, c->run.boot, &hole);
    if (record->type == AGPU_RECORD_PLAN) {
        c->stats.plan_us = c->stats.plan_us != 0 ? c->stats.plan_us : now_us;
        agpu_foreign_plan(&c->run, record);
    }
    if (record->type == AGPU_RECORD_SUMMARY) {
        c->stats.summary_us = now_us;
    }
    if (record->type == AGPU_RECORD_LOG) {
        agpu_exception_record(&c->exception, record, now_us);
    }
    agpu_run_record(&c->run, record, c->run.boot, packet->seq, now_us);
    struct agpu_received received = {.boot = c->run.boot,
                                     .seq = packet->seq,
                                     .t_us = packet->t_us,
                                     .host_us = now_us,
                                     .source = source,
                                     .record = record};
    c->config.output.record(c->config.output.ctx, &received);
    announce_cases(c, now_us, false);
    return true;
}

static bool take_packet(struct agpu_collector *c, enum agpu_source source, struct agpu_packet *packet,
                        uint64_t now_us)
{
    struct agpu_packet whole;

    if (packet->fragment) {
        const struct agpu_seq_entry *entry;

        if (agpu_seq_map_get(&c->current, packet->seq, &entry) == AGPU_SEQ_SEEN &&
            entry->t_us == packet->t_us && (!has_boot_ids(source) || is_boot(c->boot_ids[0], packet))) {
            return true; /* a copy of a fragment of a complete record */
        }
        struct agpu_reassembly *reassembly = &c->sources[source].reassembly;
        enum agpu_reassembly_result result = agpu_reassembly_add(reassembly, packet, &whole);
        c->stats.conflicts += result == AGPU_REASSEMBLY_CONFLICT;
        c->contradicted =
            c->contradicted || (result == AGPU_REASSEMBLY_CONFLICT && source == AGPU_SOURCE_UDP);
        if (result != AGPU_REASSEMBLY_COMPLETE) {
            return true;
        }
        packet = &whole;
    }
    const char *wrong = agpu_record_parse(packet->text, packet->length, &c->record);
    if (wrong != NULL && !agpu_foreign_keep(&c->run, &c->stats, source, packet, wrong, &c->record)) {
        return true;
    }
    return take_record(c, source, packet, &c->record, now_us);
}

bool agpu_collector_packet(struct agpu_collector *c, const char *bytes, size_t size, uint64_t now_us)
{
    struct agpu_packet packet;
    const char *wrong = agpu_packet_parse(bytes, size, &packet);

    if (wrong != NULL) {
        c->stats.malformed++;
        agpu_run_problem(&c->run, "udp: a datagram of %zu bytes is not an extended netconsole message: %s",
                         size, wrong);
        return true;
    }
    switch (agpu_credentials_check(&c->config.credentials, bytes, size, &packet)) {
    case AGPU_CREDENTIALS_NO_TOKEN:
        c->stats.strangers++;
        return true;
    case AGPU_CREDENTIALS_FORGED:
        c->stats.forged++;
        return true;
    case AGPU_CREDENTIALS_RIGHT:
        break;
    }
    return take_packet(c, AGPU_SOURCE_UDP, &packet, now_us);
}

bool agpu_collector_item(struct agpu_collector *c, const char *boot, const char *bytes, size_t size,
                         uint64_t now_us)
{
    struct agpu_packet packet;
    const char *wrong = agpu_packet_parse(bytes, size, &packet);

    if (wrong == NULL && packet.fragment) {
        wrong = "it is a fragment";
    }
    if (wrong != NULL) {
        c->stats.malformed++;
        agpu_run_problem(&c->run, "stream: an item of %zu bytes is not an extended netconsole message: %s",
                         size, wrong);
        return true;
    }
    packet.boot = boot;
    packet.boot_length = strlen(boot);
    return take_packet(c, AGPU_SOURCE_STREAM, &packet, now_us);
}

const char *agpu_collector_boot(const struct agpu_collector *c)
{
    return c->boot_ids[0];
}

const struct agpu_seq_set *agpu_collector_here(const struct agpu_collector *c)
{
    return &c->current.all;
}

bool agpu_collector_complete(const struct agpu_collector *c)
{
    struct agpu_seq_stretch hole;

    return !agpu_seq_set_hole(&c->current.all, 0, &hole);
}

void agpu_collector_expect(struct agpu_collector *c, const struct agpu_credentials *credentials)
{
    c->config.credentials = *credentials;
}

static bool is_record(void *ctx, const struct agpu_packet *packet)
{
    struct agpu_collector *c = ctx;

    return agpu_record_parse(packet->text, packet->length, &c->record) == NULL;
}

static void collect_line(struct agpu_collector *c, enum agpu_source source, const char *line, size_t length)
{
    struct agpu_packet packet;
    bool found = agpu_packet_find(line, length, is_record, c, &packet);

    if (found) {
        take_packet(c, source, &packet, c->now_us);
    } else {
        agpu_exception_line(&c->exception, line, length, c->now_us);
    }
    c->config.output.console(c->config.output.ctx, source, line, length, found);
}

void agpu_collector_stream(struct agpu_collector *c, enum agpu_source source, const char *bytes, size_t size,
                           uint64_t now_us)
{
    c->now_us = now_us;
    while (size > 0) {
        const char *line;
        size_t length;
        size_t taken = agpu_line_stream_take(&c->sources[source].lines, bytes, size, &line, &length);

        if (line != NULL) {
            collect_line(c, source, line, length);
        }
        bytes += taken;
        size -= taken;
    }
}

void agpu_collector_end(struct agpu_collector *c, enum agpu_ending ending, const char *text)
{
    char exception[sizeof c->exception.text + sizeof c->exception.place];

    if (c->exception.text[0] && ending != AGPU_ENDING_DEVICE_DIED && ending != AGPU_ENDING_INTERRUPTED) {
        snprintf(exception, sizeof exception, "%s%s", c->exception.text,
                 c->exception.place); /* the cause of the rest */
        ending = AGPU_ENDING_EXCEPTION;
        text = exception;
    }
    agpu_run_end(&c->run, ending, text);
}

static void take_rest_of_streams(struct agpu_collector *c)
{
    for (size_t i = 0; i < AGPU_SOURCE_COUNT; i++) {
        size_t length;
        const char *rest = agpu_line_stream_rest(&c->sources[i].lines, &length);

        if (rest != NULL) {
            collect_line(c, (enum agpu_source)i, rest, length);
        }
    }
}

static void give_up_fragments(struct agpu_collector *c)
{
    for (size_t i = 0; i < AGPU_SOURCE_COUNT; i++) {
        struct agpu_reassembly *reassembly = &c->sources[i].reassembly;

        c->stats.abandoned += reassembly->abandoned;
        for (size_t k = 0; k < AGPU_REASSEMBLY_SLOTS; k++) {
            c->stats.abandoned += reassembly->slots[k].used;
        }
        memset(reassembly, 0, sizeof *reassembly);
    }
}

const char *agpu_collector_resume(struct agpu_collector *c, uint64_t now_us)
{
    const char *id;

    c->now_us = now_us;
    take_rest_of_streams(c);
    id = c->run.ending == AGPU_ENDING_NONE ? agpu_run_next_boot(&c->run) : agpu_run_resume(&c->run, now_us);
    if (id == NULL) {
        return NULL;
    }
    announce_cases(c, now_us, true);
    note_gaps(c);
    begin_boot(c);
    /* its sources ended with their machine: nothing of it can still arrive */
    agpu_seq_map_free(&c->previous);
    c->previous = (struct agpu_seq_map){0};
    give_up_fragments(c);
    c->boot_us = c->last_record_us = now_us;
    c->started_boot = c->run.boot;
    c->exception = (struct agpu_exception){0};
    return id;
}

static void name_gaps(struct agpu_collector *c)
{
    note_gaps(c);
    if (c->gaps.missing == 0) {
        return;
    }
    c->run.lost = agpu_collector_lost(&c->stats, &c->gaps);
    char ranges[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < c->gaps.count && used + 48 < sizeof ranges; i++) {
        const struct agpu_gap *gap = &c->gaps.list[i];
        int n = gap->first == gap->last
                    ? snprintf(ranges + used, sizeof ranges - used, "%s%" PRIu64, i ? ", " : "", gap->first)
                    : snprintf(ranges + used, sizeof ranges - used, "%s%" PRIu64 "-%" PRIu64, i ? ", " : "",
                               gap->first, gap->last);

        used += n > 0 ? (size_t)n : 0;
    }
    agpu_run_problem(&c->run, "%" PRIu64 " records are missing on every source: seq %s%s", c->gaps.missing,
                     ranges, c->gaps.count > 8 ? " ..." : "");
}

/* Reports other senders: always as a problem. Records that contradict this run also void its verdict. */
static void name_strangers(struct agpu_collector *c)
{
    if (c->stats.strangers + c->stats.forged > 0) {
        agpu_run_problem(&c->run,
                         "another sender: %" PRIu64 " datagrams without this run's token and %" PRIu64
                         " with a wrong keyed hash were not counted",
                         c->stats.strangers, c->stats.forged);
    }
    if (c->contradicted) {
        agpu_run_end(&c->run, AGPU_ENDING_CONTRADICTED,
                     "records of this run contradict each other: another machine sends in this machine's "
                     "name; token= and key= in agpu.cfg exclude others");
    }
}

static struct agpu_limits limits_of(const struct agpu_collector *c)
{
    const struct agpu_collector_config *config = &c->config;

    return (struct agpu_limits){
        .run_us = config->run_timeout_us,
        .boot_us = config->boot_timeout_us,
        .silence_us = config->silence_us,
        .case_us = config->case_timeout_us,
        .silence_before_plan = config->silence_before_plan,
        .run_began_us = config->start_us,
        .boot_began_us = c->boot_us,
        .started_boot = c->started_boot,
        .last_record_us = c->last_record_us,
    };
}

void agpu_collector_tick(struct agpu_collector *c, uint64_t now_us)
{
    if (c->exception.text[0] && now_us >= c->exception.seen_us + DUMP_US) {
        agpu_collector_end(c, AGPU_ENDING_EXCEPTION, c->exception.text);
    }
    const struct agpu_limits limits = limits_of(c);
    char text[AGPU_LIMIT_TEXT];
    enum agpu_ending ending = agpu_limits_exceeded(&limits, &c->run, now_us, text);
    if (ending != AGPU_ENDING_NONE) {
        agpu_collector_end(c, ending, text);
    }
    announce_cases(c, now_us, false);
}

uint64_t agpu_collector_deadline(const struct agpu_collector *c)
{
    uint64_t deadline = UINT64_MAX;

    const struct agpu_case_result *finished = agpu_run_finished(&c->run);
    if (finished != NULL) {
        agpu_earlier_deadline(&deadline, finished->ended_us, STRAGGLER_US);
    }
    if (c->run.ending == AGPU_ENDING_NONE) {
        if (c->exception.text[0]) {
            agpu_earlier_deadline(&deadline, c->exception.seen_us, DUMP_US);
        }
        const struct agpu_limits limits = limits_of(c);
        agpu_limits_deadline(&limits, &c->run, &deadline);
    }
    return deadline;
}

void agpu_collector_finish(struct agpu_collector *c, uint64_t now_us)
{
    c->now_us = now_us;
    take_rest_of_streams(c);
    give_up_fragments(c);
    if (c->exception.text[0]) {
        agpu_collector_end(c, AGPU_ENDING_EXCEPTION, c->exception.text);
    }
    agpu_collector_tick(c, now_us);
    name_gaps(c);
    name_strangers(c);
    agpu_run_conclude(&c->run, now_us);
    announce_cases(c, now_us, true);
}
