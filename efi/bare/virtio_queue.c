/* virtio_queue.c: posts and takes slots. Both indices run freely; the slot number is also the descriptor's. */
#include "efi/bare/virtio_queue.h"

#include <string.h>

#define DESCRIPTOR_DEVICE_WRITES 2u
#define AVAILABLE_NO_INTERRUPT   1u

/* Keeps the compiler's order of accesses to shared memory; the processor keeps the order of stores, and of loads. */
static void order_accesses(void)
{
    __asm__ volatile("" ::: "memory");
}

void agpu_virtq_init(struct agpu_virtq *queue, struct agpu_virtq_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    memory->available.flags = AVAILABLE_NO_INTERRUPT;
    memset(queue, 0, sizeof *queue);
    queue->memory = memory;
}

int agpu_virtq_free_slot(const struct agpu_virtq *queue)
{
    for (unsigned slot = 0; !queue->broken && slot < AGPU_VIRTQ_SIZE; slot++) {
        if (!queue->busy[slot]) {
            return (int)slot;
        }
    }
    return -1;
}

void agpu_virtq_post(struct agpu_virtq *queue, unsigned slot, uint64_t address, uint32_t bytes,
                     bool device_writes)
{
    struct agpu_virtq_memory *memory = queue->memory;
    const uint16_t index = (uint16_t)(queue->seen + queue->pending);

    memory->descriptors[slot] = (struct agpu_virtq_descriptor){
        .address = address, .bytes = bytes, .flags = device_writes ? DESCRIPTOR_DEVICE_WRITES : 0};
    memory->available.ring[index % AGPU_VIRTQ_SIZE] = (uint16_t)slot;
    queue->busy[slot] = true;
    queue->bytes[slot] = bytes;
    queue->pending++;
    order_accesses(); /* the device must find the entry when it reads the index */
    *(volatile uint16_t *)&memory->available.index = (uint16_t)(index + 1);
    order_accesses();
}

int agpu_virtq_take(struct agpu_virtq *queue, uint32_t *bytes)
{
    struct agpu_virtq_memory *memory = queue->memory;
    const uint16_t ready = (uint16_t)(*(volatile uint16_t *)&memory->used.index - queue->seen);
    struct agpu_virtq_used used;

    if (queue->broken || ready == 0) {
        return -1;
    }
    order_accesses(); /* the entry is read after the index */
    used = *(const volatile struct agpu_virtq_used *)&memory->used.ring[queue->seen % AGPU_VIRTQ_SIZE];
    if (ready > queue->pending || used.slot >= AGPU_VIRTQ_SIZE || !queue->busy[used.slot] ||
        used.bytes > queue->bytes[used.slot]) {
        queue->broken = true;
        return -1;
    }
    queue->seen++;
    queue->pending--;
    queue->busy[used.slot] = false;
    *bytes = used.bytes;
    return (int)used.slot;
}
