/* share.c: share tokens (vidmm.md 3.2, 3.3, 3.5): 64-bit, increasing, never 0 and never reused. */
#include "mm/vidmm/share.h"

#include <string.h>

#define BUCKETS (sizeof(((struct agpu_vidmm *)0)->token_buckets) / sizeof(uint32_t))

static struct agpu_share *share_at(const struct agpu_vidmm *vm, uint32_t index)
{
    return agpu_slab_at(&vm->shares, index);
}

uint32_t agpu_share_find(const struct agpu_vidmm *vm, uint64_t token)
{
    uint32_t index = vm->token_buckets[token % BUCKETS];

    while (index != AGPU_SLAB_NONE && share_at(vm, index)->token != token) {
        index = share_at(vm, index)->next;
    }
    return index;
}

uint32_t agpu_share_new(struct agpu_vidmm *vm, uint32_t allocation)
{
    if (vm->next_token == 0) { /* all 2^64 tokens are used up */
        return AGPU_SLAB_NONE;
    }
    uint32_t index = agpu_slab_alloc(&vm->shares);
    if (index == AGPU_SLAB_NONE) {
        return AGPU_SLAB_NONE;
    }
    struct agpu_share *share = share_at(vm, index);
    memset(share, 0, sizeof *share);
    share->allocation = allocation;
    share->token = vm->next_token++;
    uint32_t *bucket = &vm->token_buckets[share->token % BUCKETS];
    share->next = *bucket;
    *bucket = index;
    return index;
}

void agpu_share_drop(struct agpu_vidmm *vm, uint32_t share, bool announce)
{
    struct agpu_share *self = share_at(vm, share);
    uint32_t *link = &vm->token_buckets[self->token % BUCKETS];

    while (*link != share) {
        link = &share_at(vm, *link)->next;
    }
    *link = self->next;
    if (announce) {
        self->next = vm->released_first;
        vm->released_first = share;
    } else {
        agpu_slab_free(&vm->shares, share);
    }
}

uint64_t agpu_share_pop_released(struct agpu_vidmm *vm)
{
    const uint32_t index = vm->released_first;
    const uint64_t token = share_at(vm, index)->token;

    vm->released_first = share_at(vm, index)->next;
    agpu_slab_free(&vm->shares, index);
    return token;
}
