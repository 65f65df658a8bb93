/* lock.c: LockCb and UnlockCb below the runtime (vidmm.md 4.1-4.6): one attempt, without a wait. */
#include "mm/vidmm/lock.h"

#include "mm/vidmm/rename.h"
#include "mm/vidmm/residency.h"

bool agpu_lock_is_recorded(const struct agpu_vidmm *vm, uint16_t process, uint32_t handle,
                           const D3DDDI_ALLOCATIONLIST *list, uint32_t count)
{
    struct agpu_instance *wanted = agpu_handle_lookup(vm, process, handle);

    if (wanted == NULL) {
        return false;
    }
    bool shared = (agpu_allocation_at(vm, wanted->allocation)->flags & AGPU_ALLOCATION_SHARED) != 0;
    wanted = agpu_instance_target(vm, wanted);
    for (uint32_t i = 0; i < count && list[i].hAllocation != 0; i++) {
        if (list[i].hAllocation == handle) {
            return true;
        }
        struct agpu_instance *other = shared ? agpu_handle_lookup(vm, process, list[i].hAllocation) : NULL;
        if (other != NULL && agpu_instance_target(vm, other) == wanted) {
            return true;
        }
    }
    return false;
}

static bool are_lock_flags_valid(D3DDDICB_LOCKFLAGS flags)
{
    return flags.Reserved == 0 && !(flags.ReadOnly && (flags.WriteOnly || flags.Discard));
}

/* Returns the fence that this kind of access must wait for (vidmm.md 4.3); 0 = none. A reader waits for writers, a
 * writer for both. */
static uint64_t lock_sync_fence(const struct agpu_instance *instance, D3DDDICB_LOCKFLAGS flags)
{
    if (flags.IgnoreSync) {
        return 0;
    }
    if (flags.ReadOnly || flags.IgnoreReadSync) {
        return instance->write_fence;
    }
    return agpu_instance_fence(instance);
}

static bool is_renamable(const struct agpu_allocation *allocation, const struct agpu_instance *instance)
{
    unsigned fixed = AGPU_ALLOCATION_SHARED | AGPU_ALLOCATION_PRIMARY | AGPU_ALLOCATION_STAGING;

    return (allocation->flags & fixed) == 0 && instance->lock_count == 0;
}

/* Step 5 of vidmm.md 4.1: true when the CPU can access the segment. */
static bool is_cpu_visible(const struct agpu_vidmm *vm, const struct agpu_instance *instance)
{
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, instance->allocation);
    const struct agpu_segment *segment = &vm->segments[agpu_instance_segment(vm, instance) - 1u];

    if ((allocation->flags & AGPU_ALLOCATION_PRIMARY) != 0 &&
        (vm->config.caps.value & AGPU_CAP_NON_CPU_VISIBLE_PRIMARY) != 0) {
        return false;
    }
    return segment->window.size == 0 || segment->window.cpu != NULL;
}

static void report_pitch(const struct agpu_vidmm *vm, const struct agpu_allocation *allocation,
                         struct agpu_lock_request *request)
{
    request->pitch = allocation->row_pitch;
    if (request->pitch == 0 && (allocation->flags & AGPU_ALLOCATION_PRIMARY) != 0) {
        request->pitch = vm->mode_pitch;
    }
    uint64_t slice = (uint64_t)request->pitch * allocation->rows;
    if (slice > allocation->size) {
        slice = allocation->size;
    }
    request->slice_pitch = slice > UINT32_MAX ? UINT32_MAX : (uint32_t)slice;
}

/* Returns the caller's code for "would wait". */
static NTSTATUS lock_must_wait(D3DDDICB_LOCKFLAGS flags)
{
    return flags.DonotWait ? STATUS_GRAPHICS_GPU_BUSY : STATUS_PENDING;
}

NTSTATUS agpu_vidmm_lock(struct agpu_vidmm *vm, struct agpu_lock_request *request)
{
    D3DDDICB_LOCKFLAGS flags = {.Value = request->flags};

    struct agpu_instance *record = agpu_handle_lookup(vm, request->process, request->handle);
    if (record == NULL || !are_lock_flags_valid(flags)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (request->gate != STATUS_SUCCESS) {
        return request->gate;
    }
    const struct agpu_allocation *allocation = agpu_allocation_at(vm, record->allocation);
    if (!is_cpu_visible(vm, agpu_instance_target(vm, record))) {
        return STATUS_NOT_SUPPORTED;
    }
    bool old_instance = (record->flags & (AGPU_INSTANCE_LATEST | AGPU_INSTANCE_ALIAS)) == 0;
    if (old_instance && (vm->config.caps.value & AGPU_CAP_OUT_OF_ORDER_LOCK) == 0) {
        return STATUS_INVALID_PARAMETER;
    }

    struct agpu_instance *instance = agpu_instance_target(vm, record);
    bool unsubmitted = request->unsubmitted && !flags.NoExistingReference && !flags.IgnoreSync;
    bool discard = flags.Discard && !old_instance && is_renamable(allocation, instance);
    /* The caller forgot to flush: the device would see the new bytes too early. */
    if (unsubmitted && !discard && request->check_flush) {
        return STATUS_INVALID_PARAMETER;
    }

    if (discard && (agpu_instance_busy(vm, instance) || unsubmitted)) {
        NTSTATUS status = agpu_vidmm_rename(vm, &instance, !flags.DonotEvict);

        if (status == STATUS_PENDING) {
            return lock_must_wait(flags);
        }
        if (status != STATUS_SUCCESS) {
            return status;
        }
        record = instance;
        request->handle = instance->handle;
    } else if (lock_sync_fence(instance, flags) > vm->completed) {
        return lock_must_wait(flags);
    }

    vm->tick++;
    agpu_instance_touch(vm, instance);
    if ((instance->flags & AGPU_INSTANCE_RESIDENT) == 0) {
        NTSTATUS status = agpu_vidmm_make_resident(vm, instance, !flags.DonotEvict, vm->tick);

        if (status == STATUS_PENDING) {
            return lock_must_wait(flags);
        }
        if (status != STATUS_SUCCESS) {
            return status;
        }
    }
    if (!flags.ReadOnly) {
        instance->flags |= AGPU_INSTANCE_TOUCHED;
    }
    instance->lock_count++;
    record->own_locks++;
    vm->open_locks++;
    vm->counters.locks++;
    if (flags.Discard) {
        vm->counters.discards++;
    }
    agpu_segment_order(&vm->segments[agpu_instance_segment(vm, instance) - 1u]);
    request->data = instance->cpu;
    report_pitch(vm, allocation, request);
    return STATUS_SUCCESS;
}

NTSTATUS agpu_vidmm_unlock(struct agpu_vidmm *vm, uint16_t process, uint32_t handle)
{
    struct agpu_instance *record = agpu_handle_lookup(vm, process, handle);

    if (record == NULL || record->own_locks == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    struct agpu_instance *instance = agpu_instance_target(vm, record);
    agpu_segment_order(&vm->segments[agpu_instance_segment(vm, instance) - 1u]);
    record->own_locks--;
    instance->lock_count--;
    vm->open_locks--;
    return STATUS_SUCCESS;
}
