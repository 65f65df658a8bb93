/* backlog.h: items of the stream, numbered from 0, in a ring of bytes. An item is kept until its space is
 * needed, so that a restarted collector can get it again (tests/handbook/stream.md 3). No I/O. */
#ifndef AGPU_NET_BACKLOG_H
#define AGPU_NET_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Overhead of an item, in bytes. */
#define AGPU_BACKLOG_OVERHEAD 3

struct agpu_backlog {
    uint8_t *bytes; /* owned by the caller */
    size_t capacity;
    size_t at; /* offset of the oldest item */
    size_t used;
    uint64_t first;       /* number of the oldest item */
    uint64_t next;        /* number of the next item */
    uint64_t acked;       /* the collector has all items below it */
    uint64_t cursor;      /* number of the next item to send */
    size_t cursor_ahead;  /* bytes from the oldest item to the cursor */
    size_t acked_ahead;   /* bytes of acknowledged items */
    uint64_t overwritten; /* items overwritten before they were acknowledged */
};

/* Initializes an empty backlog in storage, which must outlive it. */
void agpu_backlog_init(struct agpu_backlog *backlog, void *storage, size_t capacity);

/* Appends an item of 1..65535 bytes. Overwrites the oldest items, acknowledged or not: records never wait.
 * False when it is longer than the whole ring. */
bool agpu_backlog_put(struct agpu_backlog *backlog, uint8_t kind, const void *bytes, size_t size);

/* Bytes, overhead included, that can be appended without overwriting an unacknowledged item. */
size_t agpu_backlog_room(const struct agpu_backlog *backlog);

/* Reads the item at the cursor: returns its size, 0 when there is none; sets its kind; copies at most room
 * bytes. */
size_t agpu_backlog_peek(const struct agpu_backlog *backlog, uint8_t *kind, void *to, size_t room);

/* Moves the cursor to the next item. */
void agpu_backlog_advance(struct agpu_backlog *backlog);

/* A collector connected that has all items below number, which may be more or less than was acknowledged.
 * Moves the cursor there, or to the oldest later item that is still stored. */
void agpu_backlog_resume(struct agpu_backlog *backlog, uint64_t number);

/* The collector has all items below number. Never goes back. */
void agpu_backlog_ack(struct agpu_backlog *backlog, uint64_t number);

#endif
