/* lru.c: finds the resident instance that was used longest ago (vidmm.md 5). */
#include "mm/vidmm/lru.h"

#define NONE AGPU_SLAB_NONE
/* Bins of the merge sort: bin n holds 2^n sorted instances, handles have 21 index bits. */
#define SORT_BINS 22u

static struct agpu_lru_list *lru_list_of(struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    return (instance->flags & AGPU_INSTANCE_ORDERED) != 0 ? &vm->lru.ordered : &vm->lru.recent;
}

static void lru_append_recent(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    struct agpu_lru_list *list = &vm->lru.recent;
    uint32_t index = agpu_instance_index(instance);

    instance->flags = (uint16_t)(instance->flags & ~(unsigned)AGPU_INSTANCE_ORDERED);
    instance->lru_prev = list->last;
    instance->lru_next = NONE;
    if (list->last == NONE) {
        list->first = index;
    } else {
        agpu_instance_at(vm, list->last)->lru_next = index;
    }
    list->last = index;
}

void agpu_lru_add(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    lru_append_recent(vm, instance);
}

void agpu_lru_remove(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    struct agpu_lru_list *list = lru_list_of(vm, instance);

    if (instance->lru_prev == NONE) {
        list->first = instance->lru_next;
    } else {
        agpu_instance_at(vm, instance->lru_prev)->lru_next = instance->lru_next;
    }
    if (instance->lru_next == NONE) {
        list->last = instance->lru_prev;
    } else {
        agpu_instance_at(vm, instance->lru_next)->lru_prev = instance->lru_prev;
    }
    instance->lru_prev = instance->lru_next = NONE;
}

static uint64_t last_use_at(const struct agpu_vidmm *vm, uint32_t index)
{
    return agpu_instance_last_use(vm, agpu_instance_at(vm, index));
}

/* Merges two chains (linked by lru_next) sorted by last_use. */
static uint32_t merge_chains(struct agpu_vidmm *vm, uint32_t a, uint32_t b)
{
    uint32_t first = NONE;
    uint32_t *tail = &first;

    while (a != NONE && b != NONE) {
        uint32_t *older = last_use_at(vm, a) <= last_use_at(vm, b) ? &a : &b;

        *tail = *older;
        tail = &agpu_instance_at(vm, *older)->lru_next;
        *older = *tail;
    }
    *tail = a != NONE ? a : b;
    return first;
}

/* Sorts recent and puts the rest of ordered, which is older, in front of it. */
static void lru_sort_recent(struct agpu_vidmm *vm)
{
    uint32_t bins[SORT_BINS] = {NONE};
    uint32_t next;

    for (uint32_t index = vm->lru.recent.first; index != NONE; index = next) {
        next = agpu_instance_at(vm, index)->lru_next;
        agpu_instance_at(vm, index)->lru_next = NONE;
        uint32_t chain = index, bin = 0;
        for (; bin < SORT_BINS - 1u && bins[bin] != NONE; bin++) {
            chain = merge_chains(vm, bins[bin], chain);
            bins[bin] = NONE;
        }
        bins[bin] = bins[bin] == NONE ? chain : merge_chains(vm, bins[bin], chain);
    }
    uint32_t sorted = NONE;
    for (uint32_t bin = 0; bin < SORT_BINS; bin++) {
        sorted = merge_chains(vm, bins[bin], sorted);
    }

    struct agpu_lru_list *ordered = &vm->lru.ordered;
    for (uint32_t index = sorted; index != NONE; index = agpu_instance_at(vm, index)->lru_next) {
        struct agpu_instance *instance = agpu_instance_at(vm, index);

        instance->flags = (uint16_t)(instance->flags | AGPU_INSTANCE_ORDERED);
        instance->lru_prev = ordered->last;
        if (ordered->last == NONE) {
            ordered->first = index;
        } else {
            agpu_instance_at(vm, ordered->last)->lru_next = index;
        }
        ordered->last = index;
    }
    vm->lru.recent = (struct agpu_lru_list){NONE, NONE};
    vm->lru.ordered_at = vm->tick;
}

static struct agpu_instance *lru_oldest_ordered(struct agpu_vidmm *vm, agpu_lru_filter filter, void *ctx)
{
    uint32_t next;

    for (uint32_t index = vm->lru.ordered.first; index != NONE; index = next) {
        struct agpu_instance *instance = agpu_instance_at(vm, index);

        next = instance->lru_next;
        if (agpu_instance_last_use(vm, instance) > vm->lru.ordered_at) {
            agpu_lru_remove(vm, instance);
            lru_append_recent(vm, instance);
        } else if (filter(vm, instance, ctx)) {
            return instance;
        }
    }
    return NULL;
}

struct agpu_instance *agpu_lru_oldest(struct agpu_vidmm *vm, agpu_lru_filter filter, void *ctx)
{
    struct agpu_instance *instance = lru_oldest_ordered(vm, filter, ctx);

    if (instance == NULL && vm->lru.recent.first != NONE) {
        lru_sort_recent(vm);
        instance = lru_oldest_ordered(vm, filter, ctx);
    }
    return instance;
}
