/* queue.c: packets in a ring of bytes, each preceded by its length in two bytes. */
#include "efi/queue.h"

#include <string.h>

void agpu_queue_init(struct agpu_queue *queue, void *storage, size_t capacity)
{
    *queue = (struct agpu_queue){.bytes = storage, .capacity = capacity};
}

/* Copies into the ring at a distance from its first byte, wrapping around its end. */
static void ring_write(struct agpu_queue *queue, size_t distance, const void *from, size_t size)
{
    size_t at = (queue->first + distance) % queue->capacity;
    size_t straight = queue->capacity - at < size ? queue->capacity - at : size;

    memcpy(queue->bytes + at, from, straight);
    memcpy(queue->bytes, (const uint8_t *)from + straight, size - straight);
}

static void ring_read(const struct agpu_queue *queue, size_t distance, void *to, size_t size)
{
    size_t at = (queue->first + distance) % queue->capacity;
    size_t straight = queue->capacity - at < size ? queue->capacity - at : size;

    memcpy(to, queue->bytes + at, straight);
    memcpy((uint8_t *)to + straight, queue->bytes, size - straight);
}

bool agpu_queue_put(struct agpu_queue *queue, const void *packet, size_t size)
{
    if (!size || size > UINT16_MAX || queue->capacity - queue->used < size + AGPU_QUEUE_OVERHEAD) {
        queue->dropped++;
        return false;
    }
    uint8_t length[AGPU_QUEUE_OVERHEAD] = {(uint8_t)size, (uint8_t)(size >> 8)};
    ring_write(queue, queue->used, length, sizeof length);
    ring_write(queue, queue->used + sizeof length, packet, size);
    queue->used += sizeof length + size;
    queue->count++;
    return true;
}

size_t agpu_queue_size(const struct agpu_queue *queue)
{
    uint8_t length[AGPU_QUEUE_OVERHEAD];

    if (!queue->used) {
        return 0;
    }
    ring_read(queue, 0, length, sizeof length);
    return (size_t)length[0] | (size_t)length[1] << 8;
}

bool agpu_queue_peek(const struct agpu_queue *queue, size_t offset, void *to, size_t size)
{
    size_t whole = agpu_queue_size(queue);

    if (offset > whole || size > whole - offset) {
        return false;
    }
    ring_read(queue, AGPU_QUEUE_OVERHEAD + offset, to, size);
    return true;
}

void agpu_queue_pop(struct agpu_queue *queue)
{
    size_t size = agpu_queue_size(queue);

    if (!size) {
        return;
    }
    queue->first = (queue->first + AGPU_QUEUE_OVERHEAD + size) % queue->capacity;
    queue->used -= AGPU_QUEUE_OVERHEAD + size;
    queue->count--;
}
