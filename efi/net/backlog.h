/* backlog.h: what the stream has said, numbered from 0, in a ring of bytes: kept until its room is needed, so that a
 * collector which was started again can have it once more (tests/host/wire/README.md 3). No I/O. */
#ifndef AGPU_NET_BACKLOG_H
#define AGPU_NET_BACKLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that one item takes beyond its own. */
#define AGPU_BACKLOG_OVERHEAD 3

struct agpu_backlog {
    uint8_t *bytes; /* the caller's storage */
    size_t capacity;
    size_t at; /* offset of the oldest item */
    size_t used;
    uint64_t first;       /* number of the oldest item */
    uint64_t next;        /* of the next one */
    uint64_t acked;       /* all below it are with the collector */
    uint64_t cursor;      /* of the next one to send */
    size_t cursor_ahead;  /* bytes from the oldest item to it */
    size_t acked_ahead;   /* bytes of items that are acknowledged */
    uint64_t overwritten; /* items whose room was needed before they were acknowledged */
};

/* Starts empty in storage, which must outlive it. */
void agpu_backlog_init(struct agpu_backlog *backlog, void *storage, size_t capacity);

/* Appends an item of 1..65535 bytes. The oldest give way, however few are acknowledged: nobody waits. False when it is longer
 * than the whole ring. */
bool agpu_backlog_put(struct agpu_backlog *backlog, uint8_t kind, const void *bytes, size_t size);

/* Bytes of items, overhead included, for which no item has to give way that is not acknowledged. */
size_t agpu_backlog_room(const struct agpu_backlog *backlog);

/* The item at the cursor: its size, 0 when there is none; its kind; and its bytes, as many as to has room for. */
size_t agpu_backlog_peek(const struct agpu_backlog *backlog, uint8_t *kind, void *to, size_t room);

/* Moves the cursor to the next item. */
void agpu_backlog_advance(struct agpu_backlog *backlog);

/* Another collector, or the same again: it has all below this item, be that more or less than what was acknowledged. The
 * cursor goes there, or to the oldest behind it that is still there. */
void agpu_backlog_resume(struct agpu_backlog *backlog, uint64_t number);

/* All below this are with the collector. Does not go back. */
void agpu_backlog_ack(struct agpu_backlog *backlog, uint64_t number);

#endif
