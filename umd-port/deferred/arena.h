/* arena.h: memory of one command list: allocated in pieces while recording, freed as a whole (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_ARENA_H
#define AGPU_UMD_DEFERRED_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct agpu_umd_environment;
struct agpu_arena_block;

struct agpu_arena {
    struct agpu_arena_block *blocks;  /* all of them */
    struct agpu_arena_block *current; /* the one with free space; those before it are full */
};

/* Allocates bytes, aligned to 16, which do not move until reset or release; contents undefined. NULL: no memory. */
void *agpu_arena_alloc(struct agpu_arena *arena, const struct agpu_umd_environment *env, size_t bytes);
/* Frees all allocations and keeps the blocks for the next list. */
void agpu_arena_reset(struct agpu_arena *arena);
void agpu_arena_free(struct agpu_arena *arena, const struct agpu_umd_environment *env);

#endif
