/* asking.c: requests in the words of netconsd's client library, and whose they are. */
#include "tests/host/wire/asking.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Longer than a network changes the order of datagrams; shorter than the machine waits at its end (efi/net/udp_sink.c). */
#define ASK_AFTER_US UINT64_C(60000)
/* A machine that runs is seldom silent so long: the last datagrams may be those that got lost. */
#define QUIET_US UINT64_C(200000)
/* The machine waits ten times as long for the next request, and it and its answer may both get lost. */
#define AGAIN_MAX_US UINT64_C(400000)
#define TRIES_MAX    20
#define WORD_US      UINT64_C(60000)
#define WORDS_MAX    8
#define RANGES_MAX   48 /* the machine keeps 64 wishes; and a request is one datagram */
#define BEHIND_LAST  16 /* records that may have followed the last one */
#define HOLES_MAX    256

/* What is missing, so far as it can be seen; and the last record that is here. */
struct missing {
    struct agpu_seq_stretch holes[RANGES_MAX];
    size_t count;
    uint64_t records; /* in the first HOLES_MAX holes */
    uint64_t last;
};

static struct missing look(const struct agpu_seq_set *all)
{
    struct missing m = {.last = all->count != 0 ? all->stretches[all->count - 1].last : 0};
    struct agpu_seq_stretch hole;

    for (size_t i = 0; i < HOLES_MAX && agpu_seq_set_hole(all, i, &hole); i++) {
        m.records += hole.last - hole.first + 1;
        if (m.count < RANGES_MAX) {
            m.holes[m.count++] = hole;
        }
    }
    return m;
}

static uint64_t pause_us(uint64_t first_us, unsigned tries)
{
    const uint64_t pause = first_us << (tries < 6 ? tries : 6);

    return pause < AGAIN_MAX_US ? pause : AGAIN_MAX_US;
}

/* One that names nothing says that somebody is here who asks; and with the number of the newest record that nothing is missing. */
static size_t write_request(const struct missing *m, bool behind, const char *boot,
                            const struct agpu_credentials *credentials, char text[AGPU_REQUEST_MAX])
{
    static const char digits[] = "0123456789ABCDEF";
    uint8_t hash[32];
    int used = snprintf(text, AGPU_REQUEST_MAX, "ncrx%" PRIu64, m->last);

    for (size_t i = 0; i < m->count; i++) {
        used += snprintf(text + used, AGPU_REQUEST_MAX - (size_t)used, " %" PRIu64 "-%" PRIu64,
                         m->holes[i].first, m->holes[i].last);
    }
    if (behind) {
        used += snprintf(text + used, AGPU_REQUEST_MAX - (size_t)used, " %" PRIu64 "-%" PRIu64, m->last + 1,
                         m->last + BEHIND_LAST);
    }
    used += snprintf(text + used, AGPU_REQUEST_MAX - (size_t)used, " run=%s%s%s", credentials->token,
                     credentials->token[0] != '\0' ? "." : "", boot);
    if (credentials->keyed) {
        agpu_credentials_hash(credentials->key, text, (size_t)used, "", 0, hash);
        used += snprintf(text + used, AGPU_REQUEST_MAX - (size_t)used, " mac=");
        for (size_t i = 0; i < AGPU_MAC_DIGITS / 2; i++) {
            text[used++] = digits[hash[i] >> 4];
            text[used++] = digits[hash[i] & 15];
        }
    }
    return (size_t)used;
}

static void notice_changes(struct agpu_asking *a, const struct missing *m, uint64_t now_us)
{
    if (m->records != a->missing) {
        /* Of holes that come and go the first is not made to wait by the others. */
        a->hole_tries = 0;
        a->hole_us =
            a->missing == 0 || a->hole_us > now_us + ASK_AFTER_US ? now_us + ASK_AFTER_US : a->hole_us;
        a->missing = m->records;
    }
    if (m->last != a->last || !a->began) {
        a->tail_tries = 0;
        a->tail_us = now_us + QUIET_US;
        a->last = m->last;
        a->words = a->whole_us != 0 ? 0 : a->words;
    }
    a->began = true;
}

/* Is it time to say how far we are? At the beginning, so that the machine waits at its end, and when all is here, so that it does not;
 * again and again, since that may get lost, too. */
static bool word_due(struct agpu_asking *a, bool whole, uint64_t now_us, uint64_t *deadline_us)
{
    bool due;

    if (whole != (a->whole_us != 0)) {
        a->whole_us = whole ? now_us : 0;
        a->words = 0;
    }
    due = a->words < WORDS_MAX && (a->words == 0 || now_us >= a->word_us);
    if (due) {
        a->word_us = now_us + pause_us(WORD_US, a->words++);
    }
    if (a->words < WORDS_MAX && a->word_us < *deadline_us) {
        *deadline_us = a->word_us;
    }
    return due;
}

size_t agpu_asking_poll(struct agpu_asking *a, struct agpu_collector *c,
                        const struct agpu_credentials *credentials, uint64_t now_us,
                        char text[AGPU_REQUEST_MAX], uint64_t *deadline_us)
{
    const struct agpu_source_stats *stats = agpu_collector_stats(c);
    const struct agpu_run *run = agpu_collector_run(c);
    const char *boot = agpu_collector_boot(c);
    size_t size = 0;

    if (stats->received[AGPU_SOURCE_STREAM] != 0 || stats->received[AGPU_SOURCE_UDP] == 0 ||
        boot[0] == '\0' || run->ending != AGPU_ENDING_NONE) {
        *a = (struct agpu_asking){.written = a->written};
        return 0;
    }
    const struct missing m = look(agpu_collector_here(c));
    notice_changes(a, &m, now_us);
    const bool holes = a->missing != 0 && a->hole_tries < TRIES_MAX;
    const bool tail = !run->summary.seen && a->tail_tries < TRIES_MAX;
    const bool word = word_due(a, run->summary.seen && a->missing == 0, now_us, deadline_us);
    if (word || (holes && now_us >= a->hole_us) || (tail && now_us >= a->tail_us)) {
        size = write_request(&m, tail && now_us >= a->tail_us, boot, credentials, text);
        a->written++;
        if (holes) {
            a->hole_us = now_us + pause_us(ASK_AFTER_US, ++a->hole_tries);
        }
        if (tail && now_us >= a->tail_us) {
            a->tail_us = now_us + pause_us(QUIET_US, ++a->tail_tries);
        }
    }
    if (holes && a->hole_us < *deadline_us) {
        *deadline_us = a->hole_us;
    }
    if (tail && a->tail_us < *deadline_us) {
        *deadline_us = a->tail_us;
    }
    return size;
}
