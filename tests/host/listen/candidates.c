/* candidates.c: a hash table of senders, ordered by their last datagram. */
#include "tests/host/listen/candidates.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define BUCKETS 4096

struct kept_datagram {
    uint64_t when_us;
    size_t size; /* the bytes follow */
};

struct candidate {
    struct agpu_candidate shown; /* must be first: the pointers are converted */
    struct candidate *chain;
    struct candidate *older, *newer;
    uint64_t highest; /* sequence number */
    char *stored;
    size_t capacity;
};

struct agpu_candidates {
    struct candidate *buckets[BUCKETS];
    struct candidate *oldest, *newest;
    size_t count;
    size_t bytes;
    uint64_t forgotten;
    uint64_t seed; /* secret, so that senders cannot be chosen to collide in one bucket */
};

struct agpu_candidates *agpu_candidates_create(void)
{
    struct agpu_candidates *candidates = calloc(1, sizeof *candidates);

    if (candidates != NULL &&
        getrandom(&candidates->seed, sizeof candidates->seed, 0) != sizeof candidates->seed) {
        candidates->seed = (uint64_t)(uintptr_t)candidates;
    }
    return candidates;
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return value ^ value >> 32;
}

static struct candidate **bucket_of(struct agpu_candidates *candidates, const struct agpu_sender *sender)
{
    uint64_t half[2];

    memcpy(half, &sender->ip, sizeof half);
    return &candidates->buckets[mix(mix(mix(candidates->seed ^ half[0]) ^ half[1]) ^
                                    ((uint64_t)sender->scope << 16 | sender->port)) %
                                BUCKETS];
}

static void unlink_age(struct agpu_candidates *candidates, struct candidate *c)
{
    *(c->older != NULL ? &c->older->newer : &candidates->oldest) = c->newer;
    *(c->newer != NULL ? &c->newer->older : &candidates->newest) = c->older;
}

static void link_newest(struct agpu_candidates *candidates, struct candidate *c)
{
    c->older = candidates->newest;
    c->newer = NULL;
    *(c->older != NULL ? &c->older->newer : &candidates->oldest) = c;
    candidates->newest = c;
}

static void forget(struct agpu_candidates *candidates, struct candidate *c)
{
    struct candidate **at = bucket_of(candidates, &c->shown.sender);

    while (*at != c) {
        at = &(*at)->chain;
    }
    *at = c->chain;
    unlink_age(candidates, c);
    candidates->count--;
    candidates->bytes -= c->capacity;
    free(c->stored);
    free(c);
}

void agpu_candidates_destroy(struct agpu_candidates *candidates)
{
    while (candidates != NULL && candidates->oldest != NULL) {
        forget(candidates, candidates->oldest);
    }
    free(candidates);
}

static struct candidate *find_candidate(struct agpu_candidates *candidates, const struct agpu_sender *sender)
{
    struct candidate **bucket = bucket_of(candidates, sender);
    struct candidate *c = *bucket;

    while (c != NULL && !agpu_sender_same(&c->shown.sender, sender)) {
        c = c->chain;
    }
    if (c != NULL) {
        unlink_age(candidates, c);
        link_newest(candidates, c);
        return c;
    }
    c = calloc(1, sizeof *c);
    if (c != NULL) {
        c->shown.sender = *sender;
        c->chain = *bucket;
        *bucket = c;
        link_newest(candidates, c);
        candidates->count++;
    }
    return c;
}

static bool reserve_bytes(struct agpu_candidates *candidates, struct candidate *c, size_t more)
{
    size_t capacity = c->capacity != 0 ? c->capacity : 512;
    char *grown;

    if (c->shown.bytes + more > AGPU_CANDIDATE_BYTES_MAX) {
        return false;
    }
    while (capacity < c->shown.bytes + more) {
        capacity *= 2;
    }
    if (capacity == c->capacity) {
        return true;
    }
    grown = realloc(c->stored, capacity);
    if (grown == NULL) {
        return false;
    }
    candidates->bytes += capacity - c->capacity;
    c->stored = grown;
    c->capacity = capacity;
    return true;
}

struct agpu_candidate *agpu_candidates_add(struct agpu_candidates *candidates,
                                           const struct agpu_sender *sender, uint64_t seq, uint64_t when_us,
                                           const char *bytes, size_t size)
{
    struct candidate *c = find_candidate(candidates, sender);
    const struct kept_datagram head = {when_us, size};

    if (c == NULL) {
        return NULL;
    }
    c->shown.heard_us = when_us;
    if (!reserve_bytes(candidates, c, sizeof head + size)) {
        c->shown.dropped++;
        return &c->shown;
    }
    memcpy(c->stored + c->shown.bytes, &head, sizeof head);
    memcpy(c->stored + c->shown.bytes + sizeof head, bytes, size);
    c->shown.bytes += sizeof head + size;
    if (c->shown.records == 0 || seq > c->highest) {
        c->highest = seq;
        c->shown.records++;
    }
    while (candidates->oldest != c &&
           (candidates->count > AGPU_CANDIDATES_MAX || candidates->bytes > AGPU_CANDIDATES_BYTES_MAX)) {
        forget(candidates, candidates->oldest);
        candidates->forgotten++;
    }
    return &c->shown;
}

struct agpu_candidate *agpu_candidates_best(const struct agpu_candidates *candidates, unsigned records)
{
    struct candidate *best = NULL;

    for (struct candidate *c = candidates->oldest; c != NULL; c = c->newer) {
        if (c->shown.records >= records && (best == NULL || c->shown.records > best->shown.records)) {
            best = c;
        }
    }
    return best != NULL ? &best->shown : NULL;
}

void agpu_candidates_expire(struct agpu_candidates *candidates, uint64_t since_us)
{
    while (candidates->oldest != NULL && candidates->oldest->shown.heard_us < since_us) {
        forget(candidates, candidates->oldest);
        candidates->forgotten++;
    }
}

void agpu_candidates_release(struct agpu_candidates *candidates, struct agpu_candidate *candidate,
                             void (*give)(void *ctx, uint64_t when_us, const char *bytes, size_t size),
                             void *ctx)
{
    struct candidate *c = (struct candidate *)candidate;
    struct kept_datagram head;

    for (size_t at = 0; at < c->shown.bytes; at += sizeof head + head.size) {
        memcpy(&head, c->stored + at, sizeof head);
        give(ctx, head.when_us, c->stored + at + sizeof head, head.size);
    }
    forget(candidates, c);
}

uint64_t agpu_candidates_forgotten(const struct agpu_candidates *candidates)
{
    return candidates->forgotten;
}

size_t agpu_candidates_count(const struct agpu_candidates *candidates)
{
    return candidates->count;
}
