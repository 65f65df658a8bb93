/* backlog.c: items in a ring of bytes, each preceded by its size and kind. */
#include "efi/net/backlog.h"

#include <string.h>

void agpu_backlog_init(struct agpu_backlog *backlog, void *storage, size_t capacity)
{
    *backlog = (struct agpu_backlog){.bytes = storage, .capacity = capacity};
}

static void ring_write(struct agpu_backlog *backlog, size_t ahead, const void *from, size_t size)
{
    const size_t at = (backlog->at + ahead) % backlog->capacity;
    const size_t straight = backlog->capacity - at < size ? backlog->capacity - at : size;

    memcpy(backlog->bytes + at, from, straight);
    memcpy(backlog->bytes, (const uint8_t *)from + straight, size - straight);
}

static void ring_read(const struct agpu_backlog *backlog, size_t ahead, void *to, size_t size)
{
    const size_t at = (backlog->at + ahead) % backlog->capacity;
    const size_t straight = backlog->capacity - at < size ? backlog->capacity - at : size;

    memcpy(to, backlog->bytes + at, straight);
    memcpy((uint8_t *)to + straight, backlog->bytes, size - straight);
}

/* Returns size and kind of the item at this many bytes after the oldest. */
static size_t item_size(const struct agpu_backlog *backlog, size_t ahead, uint8_t *kind)
{
    uint8_t head[AGPU_BACKLOG_OVERHEAD];

    ring_read(backlog, ahead, head, sizeof head);
    *kind = head[2];
    return (size_t)head[0] | (size_t)head[1] << 8;
}

static void drop_oldest(struct agpu_backlog *backlog)
{
    uint8_t kind;
    const size_t size = AGPU_BACKLOG_OVERHEAD + item_size(backlog, 0, &kind);

    if (backlog->first < backlog->acked) {
        backlog->acked_ahead -= size;
    } else {
        backlog->overwritten++;
    }
    backlog->at = (backlog->at + size) % backlog->capacity;
    backlog->used -= size;
    backlog->first++;
    if (backlog->cursor < backlog->first) {
        backlog->cursor = backlog->first;
        backlog->cursor_ahead = 0;
    } else {
        backlog->cursor_ahead -= size;
    }
}

bool agpu_backlog_put(struct agpu_backlog *backlog, uint8_t kind, const void *bytes, size_t size)
{
    const uint8_t head[AGPU_BACKLOG_OVERHEAD] = {(uint8_t)size, (uint8_t)(size >> 8), kind};

    if (size == 0 || size > UINT16_MAX || size + sizeof head > backlog->capacity) {
        return false;
    }
    while (backlog->capacity - backlog->used < size + sizeof head) {
        drop_oldest(backlog);
    }
    ring_write(backlog, backlog->used, head, sizeof head);
    ring_write(backlog, backlog->used + sizeof head, bytes, size);
    backlog->used += sizeof head + size;
    backlog->next++;
    return true;
}

size_t agpu_backlog_room(const struct agpu_backlog *backlog)
{
    return backlog->capacity - backlog->used + backlog->acked_ahead;
}

size_t agpu_backlog_peek(const struct agpu_backlog *backlog, uint8_t *kind, void *to, size_t room)
{
    if (backlog->cursor == backlog->next) {
        return 0;
    }
    const size_t size = item_size(backlog, backlog->cursor_ahead, kind);
    ring_read(backlog, backlog->cursor_ahead + AGPU_BACKLOG_OVERHEAD, to, size < room ? size : room);
    return size;
}

void agpu_backlog_advance(struct agpu_backlog *backlog)
{
    uint8_t kind;

    if (backlog->cursor < backlog->next) {
        backlog->cursor_ahead += AGPU_BACKLOG_OVERHEAD + item_size(backlog, backlog->cursor_ahead, &kind);
        backlog->cursor++;
    }
}

/* Moves acked forward or back. */
static void set_acked(struct agpu_backlog *backlog, uint64_t number)
{
    uint64_t at = backlog->acked > backlog->first ? backlog->acked : backlog->first;
    uint8_t kind;

    if (number < at) {
        at = backlog->first;
        backlog->acked_ahead = 0;
    }
    for (; at < number; at++) {
        backlog->acked_ahead += AGPU_BACKLOG_OVERHEAD + item_size(backlog, backlog->acked_ahead, &kind);
    }
    backlog->acked = number;
}

void agpu_backlog_resume(struct agpu_backlog *backlog, uint64_t number)
{
    set_acked(backlog, number < backlog->next ? number : backlog->next);
    if (number < backlog->cursor) {
        backlog->cursor = backlog->first;
        backlog->cursor_ahead = 0;
    }
    while (backlog->cursor < number && backlog->cursor < backlog->next) {
        agpu_backlog_advance(backlog);
    }
}

void agpu_backlog_ack(struct agpu_backlog *backlog, uint64_t number)
{
    number = number < backlog->next ? number : backlog->next;
    if (number > backlog->acked) {
        set_acked(backlog, number);
    }
}
