/* arena.c: blocks of memory filled from the front. */
#include "umd-port/deferred/arena.h"

#include "umd-port/ddi/environment.h"

/* Holds the small constant buffers of a frame; larger pieces get their own block. */
#define BLOCK_BYTES ((size_t)64 << 10)
#define ALIGNMENT   ((size_t)16)

struct agpu_arena_block {
    struct agpu_arena_block *next;
    size_t bytes, used;
};
#define HEADER_BYTES ((sizeof(struct agpu_arena_block) + ALIGNMENT - 1) & ~(ALIGNMENT - 1))

static void *alloc_from_block(struct agpu_arena_block *block, size_t bytes)
{
    if (bytes > block->bytes - block->used) {
        return NULL;
    }
    void *memory = (uint8_t *)block + HEADER_BYTES + block->used;
    block->used += bytes;
    return memory;
}

/* Adds a block after the current one; blocks of an earlier list remain reachable after it. */
static struct agpu_arena_block *add_block(struct agpu_arena *arena, const struct agpu_umd_environment *env,
                                          size_t bytes)
{
    size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct agpu_arena_block *block = env->heap_alloc(env->ctx, HEADER_BYTES + room);

    if (block == NULL) {
        return NULL;
    }
    struct agpu_arena_block **link = arena->current != NULL ? &arena->current->next : &arena->blocks;
    *block = (struct agpu_arena_block){.next = *link, .bytes = room};
    *link = block;
    return block;
}

void *agpu_arena_alloc(struct agpu_arena *arena, const struct agpu_umd_environment *env, size_t bytes)
{
    if (bytes > SIZE_MAX - HEADER_BYTES - ALIGNMENT) {
        return NULL;
    }
    bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    for (struct agpu_arena_block *block = arena->current; block != NULL; block = block->next) {
        void *memory = alloc_from_block(block, bytes);

        if (memory != NULL) {
            arena->current = block;
            return memory;
        }
    }
    struct agpu_arena_block *block = add_block(arena, env, bytes);
    if (block == NULL) {
        return NULL;
    }
    arena->current = block;
    return alloc_from_block(block, bytes);
}

void agpu_arena_reset(struct agpu_arena *arena)
{
    for (struct agpu_arena_block *block = arena->blocks; block != NULL; block = block->next) {
        block->used = 0;
    }
    arena->current = arena->blocks;
}

void agpu_arena_free(struct agpu_arena *arena, const struct agpu_umd_environment *env)
{
    while (arena->blocks != NULL) {
        struct agpu_arena_block *block = arena->blocks;

        arena->blocks = block->next;
        env->heap_free(env->ctx, block);
    }
    arena->current = NULL;
}
