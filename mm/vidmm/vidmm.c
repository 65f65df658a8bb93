#include "mm/vidmm/vidmm.h"

#include <string.h>

#include "mm/vidmm/handle.h"
#include "ring/protocol/aerogpu_ring.h"

#define NONE           AGPU_SLAB_NONE
#define RECORD_LIMIT   (AGPU_HANDLE_INDEX_MASK - 1u)
#define INSTANCE_LIMIT 4u

/* 256 bytes of bookkeeping per allocation are promised (issue of VidMm): instance, allocation, resource,
 * range record, and 4 to 8 bytes in the id table. */
_Static_assert(sizeof(struct agpu_instance_entry) == sizeof(struct aerogpu_alloc_entry) &&
                   offsetof(struct agpu_instance_entry, identity) ==
                       offsetof(struct aerogpu_alloc_entry, reserved0),
               "an instance's entry is copied into tables");
_Static_assert(sizeof(struct agpu_instance) + sizeof(struct agpu_instance_entry) + sizeof(uint64_t) +
                       sizeof(struct agpu_allocation) + sizeof(struct agpu_resource) +
                       sizeof(struct agpu_range) <=
                   240,
               "bookkeeping per allocation");

static uint64_t clamp_budget(uint64_t budget)
{
    if (budget == 0) {
        return AGPU_BUDGET_DEFAULT;
    }
    if (budget < AGPU_BUDGET_MIN) {
        return AGPU_BUDGET_MIN;
    }
    return budget > AGPU_BUDGET_MAX ? AGPU_BUDGET_MAX : budget;
}

bool agpu_vidmm_init(struct agpu_vidmm *vm, struct agpu_memory *memory,
                     const struct agpu_vidmm_config *config)
{
    memset(vm, 0, sizeof *vm);
    vm->memory = memory;
    vm->config = *config;
    vm->config.budget = clamp_budget(config->budget);
    if (config->instance_limit < 2u) {
        vm->config.instance_limit = INSTANCE_LIMIT;
    }
    vm->next_kernel_id = 0x80000000u;
    vm->next_token = 1;
    agpu_slab_init(&vm->instances, memory, sizeof(struct agpu_instance), RECORD_LIMIT);
    agpu_slab_init(&vm->allocations, memory, sizeof(struct agpu_allocation), RECORD_LIMIT);
    agpu_slab_init(&vm->resources, memory, sizeof(struct agpu_resource), RECORD_LIMIT);
    agpu_slab_init(&vm->shares, memory, sizeof(struct agpu_share), RECORD_LIMIT);
    agpu_segment_init(&vm->segments[0], memory, vm->config.budget);
    vm->segment_count = 1;
    if (config->vram.size != 0) {
        if (!agpu_segment_init_window(&vm->segments[1], memory, &config->vram)) {
            return false;
        }
        vm->segment_count = 2;
    }
    return true;
}

static size_t side_bytes(uint32_t room)
{
    return room * (sizeof(struct agpu_instance_entry) + sizeof(uint64_t));
}

/* Makes room for one more record, by a quarter each time: what lies idle stays small against what is used. */
static bool grow_side(struct agpu_vidmm *vm)
{
    struct agpu_instance_side *side = &vm->side;
    uint32_t room = side->room + side->room / 4u + AGPU_SLAB_CHUNK_RECORDS;
    struct agpu_instance_entry *entries = agpu_memory_take(vm->memory, side_bytes(room));

    if (entries == NULL) {
        return false;
    }
    uint64_t *marks = (uint64_t *)(entries + room);
    if (side->room != 0) {
        memcpy(entries, side->entries, side->room * sizeof *entries);
        memcpy(marks, side->marks, side->room * sizeof *marks);
    }
    agpu_memory_give(vm->memory, side->entries, side_bytes(side->room));
    *side = (struct agpu_instance_side){entries, marks, room};
    return true;
}

void agpu_vidmm_fini(struct agpu_vidmm *vm)
{
    for (uint32_t i = 1; i < vm->instances.fresh; i++) {
        struct agpu_instance *instance = agpu_instance_at(vm, i);

        if (instance->allocation != 0 && instance->swap != NULL) {
            agpu_memory_give(vm->memory, instance->swap,
                             (size_t)agpu_allocation_at(vm, instance->allocation)->size);
        }
    }
    for (uint32_t i = 0; i < vm->segment_count; i++) {
        agpu_segment_fini(&vm->segments[i]);
    }
    agpu_memory_give(vm->memory, vm->side.entries, side_bytes(vm->side.room));
    agpu_slab_fini(&vm->instances);
    agpu_slab_fini(&vm->allocations);
    agpu_slab_fini(&vm->resources);
    agpu_slab_fini(&vm->shares);
    agpu_memory_give(vm->memory, vm->id_buckets, vm->id_bucket_count * sizeof *vm->id_buckets);
    memset(vm, 0, sizeof *vm);
}

void agpu_vidmm_submitted(struct agpu_vidmm *vm, uint64_t fence)
{
    vm->submitted = fence;
}

static void retire_slot(struct agpu_vidmm *vm, uint32_t slot)
{
    uint32_t index = vm->retire[slot];
    uint32_t keep = NONE;

    while (index != NONE) {
        struct agpu_instance *instance = agpu_instance_at(vm, index);
        uint32_t next = instance->retire_next;

        if (agpu_instance_busy(vm, instance)) {
            /* Another fence of the same slot; only possible when more than the window completed at once. */
            instance->retire_next = keep;
            keep = index;
        } else {
            agpu_instance_destroy(vm, instance);
        }
        index = next;
    }
    vm->retire[slot] = keep;
}

void agpu_vidmm_complete(struct agpu_vidmm *vm, uint64_t fence)
{
    if (fence > vm->submitted) {
        fence = vm->submitted;
    }
    if (fence <= vm->completed) {
        return;
    }
    uint64_t from = vm->completed;
    vm->completed = fence;
    uint64_t count = fence - from < AGPU_VIDMM_WINDOW ? fence - from : AGPU_VIDMM_WINDOW;
    for (uint64_t i = 0; i < count; i++) {
        retire_slot(vm, (uint32_t)((fence - i) & (AGPU_VIDMM_WINDOW - 1u)));
    }
}

void agpu_instance_publish(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);
    struct agpu_instance_entry *entry = agpu_instance_entry(vm, instance);

    unsigned kind =
        AGPU_INSTANCE_RESIDENT | AGPU_INSTANCE_ALIAS | AGPU_INSTANCE_RENAMED | AGPU_INSTANCE_CLOSED;
    bool ready = (instance->flags & kind) == AGPU_INSTANCE_RESIDENT;
    entry->alloc_id = allocation->alloc_id;
    entry->flags = AEROGPU_ALLOC_FLAG_READONLY;
    entry->size = allocation->size;
    entry->identity = ready ? agpu_instance_identity(instance->handle, instance->process) : 0;
}

struct agpu_instance *agpu_instance_new(struct agpu_vidmm *vm)
{
    uint32_t index = agpu_slab_take(&vm->instances);

    if (index == NONE) {
        return NULL;
    }
    if (index >= vm->side.room && !grow_side(vm)) {
        agpu_slab_give(&vm->instances, index);
        return NULL;
    }
    struct agpu_instance *instance = agpu_instance_at(vm, index);
    uint32_t handle = agpu_handle_next(instance->handle, index, 0);
    memset(agpu_instance_entry(vm, instance), 0, sizeof(struct agpu_instance_entry));
    *agpu_instance_mark(vm, instance) = 0;
    memset(instance, 0, sizeof *instance);
    instance->handle = handle;
    return instance;
}

void agpu_instance_free(struct agpu_vidmm *vm, struct agpu_instance *instance)
{
    instance->allocation = 0; /* marks the record as free, see agpu_handle_lookup */
    agpu_instance_entry(vm, instance)->identity = 0;
    agpu_slab_give(&vm->instances, agpu_instance_index(instance));
}

void agpu_vidmm_commands_gone(struct agpu_vidmm *vm, uint16_t process)
{
    vm->renders[process % AGPU_PROCESS_LIMIT]++;
}
