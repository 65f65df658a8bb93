/* test_lock.c: lock flags (vidmm.md 4): cases LCK-27 .. LCK-29, through the callbacks. */
#include <string.h>

#include "mm/kmd/query.h"
#include "stack.h"
#include "tests/unit/test.h"

/* A list that is not submitted yet is searched up to its end, by every handle of the allocation. */
STACK_TEST(found_in_lists)
{
    struct surface a = stack_allocate(s, 4096, PLAIN), b = stack_allocate(s, 4096, SHARED);
    D3DKMT_HANDLE alias;

    assert_int_equal(agpu_runtime_open_shared(s->device, b.token, &alias, NULL, NULL), S_OK);
    const D3DDDI_ALLOCATIONLIST list[] = {
        {.hAllocation = a.handle}, {.hAllocation = alias}, {0}, {.hAllocation = b.handle}};
    assert_true(agpu_lock_is_recorded(stack_vm(s), 1, a.handle, list, 4));
    assert_false(agpu_lock_is_recorded(stack_vm(s), 1, a.handle, list, 0));
    assert_true(agpu_lock_is_recorded(stack_vm(s), 1, alias, list, 2));
    assert_false(agpu_lock_is_recorded(stack_vm(s), 1, alias, list, 1));
    assert_true(agpu_lock_is_recorded(stack_vm(s), 1, b.handle, list, 2)); /* the same memory */
    assert_false(agpu_lock_is_recorded(stack_vm(s), 1, b.handle, list, 1));
    assert_false(agpu_lock_is_recorded(stack_vm(s), 1, b.handle, list + 2, 2)); /* outside the given part */
    assert_false(agpu_lock_is_recorded(stack_vm(s), 1, 0x7FFFFFF0, list, 4));
    assert_false(agpu_lock_is_recorded(stack_vm(s), 2, a.handle, list, 4));
    D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &alias};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    stack_free(s, &a);
    stack_free(s, &b);
}

STACK_TEST(LCK_27_not_accepting)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    agpu_kmd_power(stack_kmd(s), false);
    assert_int_equal(stack_try_lock(s, &a, LOCK_DONOTWAIT, NULL), D3DDDIERR_WASSTILLDRAWING);
    assert_int_equal(stack_try_lock(s, &a, 0, NULL), E_FAIL);
    agpu_kmd_power(stack_kmd(s), true);
    assert_int_equal(stack_try_lock(s, &a, 0, NULL), S_OK);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

/* Everything runs on one thread, so the two lockers are two handles of one allocation, interleaved. */
STACK_TEST(LCK_28_two_lockers)
{
    struct surface a = stack_allocate(s, 4096, SHARED);
    struct agpu_runtime_device *other = agpu_runtime_device_create(s->runtime, 2);
    D3DKMT_HANDLE alias = 0;

    assert_int_equal(agpu_runtime_open_shared(other, a.token, &alias, NULL, NULL), S_OK);
    void *mine = stack_lock(s, &a, LOCK_WRITE);
    D3DDDICB_LOCK theirs = {.hAllocation = alias};
    assert_int_equal(s->cb->pfnLockCb(other, &theirs), S_OK);
    assert_ptr_equal(theirs.pData, mine);
    D3DDDICB_UNLOCK unlock = {1, &alias};
    assert_int_equal(s->cb->pfnUnlockCb(other, &unlock), S_OK);
    assert_int_equal(s->cb->pfnUnlockCb(other, &unlock), E_INVALIDARG); /* not its lock */
    unlock.phAllocations = &a.handle;
    assert_int_equal(s->cb->pfnUnlockCb(other, &unlock), E_INVALIDARG); /* not its handle */
    assert_int_equal(stack_unlock(s, a.handle), S_OK);
    D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &alias};
    assert_int_equal(s->cb->pfnDeallocateCb(other, &close), S_OK);
    agpu_runtime_device_destroy(other);
    stack_free(s, &a);
}

STACK_TEST(LCK_29_pitch_sources)
{
    struct agpu_vidmm *vm = stack_vm(s);
    struct aerogpu_wddm_alloc_priv_v2 blob = stack_blob(900, 4096, 0);

    blob.row_pitch_bytes = 256;
    blob.height = 8;
    struct agpu_create_info info = {
        .private_data = &blob, .private_size = sizeof blob, .size = 4096, .row_pitch = 512, .rows = 100};
    struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};
    struct agpu_lock_request lock = {.process = 1};
    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
    lock.handle = info.handle;
    assert_int_equal(agpu_vidmm_lock(vm, &lock), STATUS_SUCCESS); /* pitch of the blob */
    assert_int_equal(lock.pitch, 256);
    assert_int_equal(lock.slice_pitch, 2048);
    agpu_vidmm_destroy(vm, 1, 0, &info.handle, 1);

    info.private_data = NULL;
    info.private_size = 0;
    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
    lock.handle = info.handle;
    assert_int_equal(agpu_vidmm_lock(vm, &lock),
                     STATUS_SUCCESS); /* pitch of the allocation; slice clamped to the size */
    assert_int_equal(lock.pitch, 512);
    assert_int_equal(lock.slice_pitch, 4096);
    agpu_vidmm_destroy(vm, 1, 0, &info.handle, 1);

    info.row_pitch = 0;
    info.primary = true;
    vm->mode_pitch = 1024;
    assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
    lock.handle = info.handle;
    assert_int_equal(agpu_vidmm_lock(vm, &lock), STATUS_SUCCESS); /* pitch of the mode */
    assert_int_equal(lock.pitch, 1024);
    agpu_vidmm_destroy(vm, 1, 0, &info.handle, 1);
    assert_int_equal(vm->open_locks, 0); /* the locks of a destroyed allocation are gone */

    struct surface buffer = stack_allocate(s, 4096, PLAIN);
    lock.handle = buffer.handle;
    assert_int_equal(agpu_vidmm_lock(vm, &lock), STATUS_SUCCESS);
    assert_int_equal(lock.pitch, 0);
    assert_int_equal(lock.slice_pitch, 0);
    agpu_vidmm_unlock(vm, 1, buffer.handle);
    stack_free(s, &buffer);
}

/* Counts locks, and those with Discard. */
STACK_TEST(locks_are_counted)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    const struct agpu_vidmm *vm = stack_vm(s);
    static const uint32_t flags[] = {LOCK_WRITE, LOCK_WRITE | LOCK_DISCARD, LOCK_READ};

    for (unsigned i = 0; i < 3; i++) {
        const uint64_t locks = vm->counters.locks, discards = vm->counters.discards;

        stack_lock(s, &a, flags[i]);
        assert_int_equal(vm->counters.locks, locks + 1);
        assert_int_equal(vm->counters.discards, discards + (i == 1));
        assert_int_equal(stack_unlock(s, a.handle), S_OK);
    }
    stack_free(s, &a);
}
