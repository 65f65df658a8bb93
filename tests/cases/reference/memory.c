/* memory.c: guest memory as the device sees it: the machine's, with the predicted writes in front of it. */
#include "tests/cases/reference/memory.h"

#include <string.h>

/* Returns the bin for a size: its blocks have 16 << bin bytes. */
static unsigned bin_of(uint64_t size)
{
    unsigned bin = 0;

    while (UINT64_C(16) << bin < size) {
        bin++;
    }
    return bin;
}

void *agpu_ref_alloc(struct agpu_ref *ref, uint64_t size)
{
    struct agpu_ref_heap *heap = &ref->heap;
    const unsigned bin = size <= heap->size ? bin_of(size) : AGPU_REF_BINS;
    uint8_t *block;

    if (bin >= AGPU_REF_BINS) {
        return NULL;
    }
    block = heap->free[bin];
    if (block != NULL) {
        memcpy(&heap->free[bin], block, sizeof heap->free[bin]);
    } else {
        if (UINT64_C(16) << bin > heap->size - heap->used) {
            return NULL;
        }
        block = heap->base + heap->used;
        heap->used += (size_t)16 << bin;
    }
    memset(block, 0, (size_t)size);
    return block;
}

void agpu_ref_free(struct agpu_ref *ref, void *block, uint64_t size)
{
    if (block != NULL) {
        const unsigned bin = bin_of(size);

        memcpy(block, &ref->heap.free[bin], sizeof ref->heap.free[bin]);
        ref->heap.free[bin] = block;
    }
}

#define GUEST_PAGE UINT64_C(4096)

struct agpu_ref_chunk *agpu_ref_chunk_at(const struct agpu_ref *ref, uint64_t address)
{
    struct agpu_ref_chunk *chunk = ref->chunks[address / AGPU_REF_CHUNK % AGPU_REF_BUCKETS];

    while (chunk != NULL && chunk->address != address) {
        chunk = chunk->next;
    }
    return chunk;
}

static uint64_t lesser(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* Reads from the machine, page by page where a part is not memory: such parts read as FF (ring.md 3.1). */
static void get_from_machine(struct agpu_ref *ref, uint64_t address, uint8_t *to, uint64_t size)
{
    if (ref->config.read(ref->config.ctx, address, to, size)) {
        return;
    }
    while (size != 0) {
        const uint64_t part = lesser(size, GUEST_PAGE - address % GUEST_PAGE);

        if (!ref->config.read(ref->config.ctx, address, to, part)) {
            memset(to, 0xFF, (size_t)part);
        }
        address += part;
        to += part;
        size -= part;
    }
}

bool agpu_ref_get(struct agpu_ref *ref, uint64_t address, void *to, uint8_t *states, uint64_t size)
{
    uint8_t *bytes = to;
    bool exact = true;

    get_from_machine(ref, address, bytes, size);
    if (states != NULL) {
        memset(states, AGPU_REF_EXACT, (size_t)size);
    }
    for (uint64_t i = 0; i < size;) {
        const uint64_t base = (address + i) / AGPU_REF_CHUNK * AGPU_REF_CHUNK, first = address + i - base;
        const uint64_t part = lesser(size - i, AGPU_REF_CHUNK - first);
        const struct agpu_ref_chunk *chunk = agpu_ref_chunk_at(ref, base);

        for (uint64_t k = 0; chunk != NULL && k < part; k++) {
            const uint8_t state = chunk->states[first + k];

            if (state != AGPU_REF_UNWRITTEN) {
                bytes[i + k] = chunk->bytes[first + k];
                exact = exact && (state == AGPU_REF_EXACT || state == AGPU_REF_MAYBE);
                if (states != NULL) {
                    states[i + k] = state == AGPU_REF_MAYBE ? AGPU_REF_EXACT : state;
                }
            }
        }
        i += part;
    }
    return exact;
}

/* Returns the chunk at a multiple of its size, made if there was none; NULL when the arena is exhausted. */
static struct agpu_ref_chunk *chunk_for(struct agpu_ref *ref, uint64_t address)
{
    struct agpu_ref_chunk *chunk = agpu_ref_chunk_at(ref, address);

    if (chunk == NULL) {
        struct agpu_ref_chunk **bucket = &ref->chunks[address / AGPU_REF_CHUNK % AGPU_REF_BUCKETS];

        chunk = agpu_ref_alloc(ref, sizeof *chunk);
        if (chunk == NULL) {
            ref->lost = true;
            return NULL;
        }
        chunk->address = address;
        chunk->next = *bucket;
        chunk->earlier = ref->last_chunk;
        *bucket = ref->last_chunk = chunk;
    }
    return chunk;
}

void agpu_ref_put(struct agpu_ref *ref, uint64_t address, const uint8_t *bytes, const uint8_t *states,
                  enum agpu_ref_byte state, uint64_t size)
{
    for (uint64_t i = 0; i < size;) {
        const uint64_t base = (address + i) / AGPU_REF_CHUNK * AGPU_REF_CHUNK, first = address + i - base;
        const uint64_t part = lesser(size - i, AGPU_REF_CHUNK - first);
        struct agpu_ref_chunk *chunk = chunk_for(ref, base);

        if (chunk == NULL) {
            return;
        }
        if (bytes != NULL) {
            memcpy(chunk->bytes + first, bytes + i, (size_t)part);
        }
        for (uint64_t k = 0; k < part; k++) {
            const uint8_t given = states != NULL ? states[i + k] : AGPU_REF_EXACT;

            chunk->states[first + k] = given == AGPU_REF_EXACT   ? (uint8_t)state
                                       : state == AGPU_REF_EXACT ? given
                                                                 : (uint8_t)AGPU_REF_ANY;
        }
        i += part;
    }
}
