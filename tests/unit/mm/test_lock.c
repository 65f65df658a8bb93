/* test_lock.c: lock flags (vidmm.md 4): cases LCK-01 .. LCK-13, LCK-25 .. LCK-29, through the callbacks. */
#include <string.h>

#include "mm/kmd/query.h"
#include "stack.h"
#include "tests/unit/test.h"

STACK_TEST(LCK_01_idle_keeps_contents)
{
    struct surface a = stack_allocate(s, 5000, PLAIN);

    stack_expect(s, &a, 0);
    stack_fill(s, &a, 0x5A);
    void *data = stack_lock(s, &a, 0);
    assert_int_equal(((uint8_t *)data)[4999], 0x5A);
    assert_int_equal(stack_unlock(s, a.handle), S_OK);
    stack_free(s, &a);
}

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

STACK_TEST(LCK_02_reader_does_not_block_reader)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_submit_with(s, a.handle, false);
    uint64_t relaxes = s->machine.relaxes;
    stack_lock(s, &a, LOCK_READ);
    assert_int_equal(s->machine.relaxes, relaxes);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

/* At every third relax the device writes into the first entry of the oldest submission, and completes it. */
static void device_writes(struct fake_mm_machine *machine)
{
    if (machine->relaxes % 3u != 0 || machine->head == machine->posted) {
        return;
    }
    const struct agpu_submission *submission = &machine->log[machine->head % FAKE_RING_LOG];
    memset(fake_cpu(fake_entries(submission)[0].gpa), 0xDD, 16);
    fake_complete(machine, submission->fence);
}

STACK_TEST(LCK_03_writer_blocks_reader)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_submit_with(s, a.handle, true);
    s->machine.on_relax = device_writes;
    const uint8_t *data = stack_lock(s, &a, LOCK_READ);
    assert_true(s->machine.relaxes >= 3);
    assert_int_equal(data[0], 0xDD);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

STACK_TEST(LCK_04_reader_blocks_writer)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    uint64_t fence = stack_submit_with(s, a.handle, false);

    s->machine.on_relax = fake_complete_next;
    stack_lock(s, &a, LOCK_WRITE);
    assert_int_equal(s->machine.relaxes, 1);
    assert_int_equal(stack_kmd(s)->completed, fence);
    assert_int_equal(s->machine.last_reason, AGPU_RELAX_FENCE);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

STACK_TEST(LCK_05_busy_with_donotwait)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    uint64_t fence = stack_submit_with(s, a.handle, false);
    uint64_t now = s->machine.now;

    assert_int_equal(stack_try_lock(s, &a, LOCK_WRITE | LOCK_DONOTWAIT, NULL), D3DDDIERR_WASSTILLDRAWING);
    assert_int_equal(s->machine.now, now);
    fake_complete(&s->machine, fence); /* complete, but VidMm was not notified: the lock polls */
    assert_int_equal(stack_try_lock(s, &a, LOCK_WRITE | LOCK_DONOTWAIT, NULL), S_OK);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

STACK_TEST(LCK_06_07_ignore_read_sync)
{
    struct surface a = stack_allocate(s, 4096, PLAIN), b = stack_allocate(s, 4096, PLAIN);

    stack_submit_with(s, a.handle, false);
    stack_submit_with(s, b.handle, true);
    stack_lock(s, &a, LOCK_WRITE | LOCK_IGNOREREAD);
    assert_int_equal(s->machine.relaxes, 0);
    stack_unlock(s, a.handle);
    s->machine.on_relax = fake_complete_next;
    stack_lock(s, &b, LOCK_WRITE | LOCK_IGNOREREAD);
    assert_int_equal(s->machine.relaxes, 2);
    stack_unlock(s, b.handle);
    stack_free(s, &a);
    stack_free(s, &b);
}

STACK_TEST(LCK_08_ignore_sync)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    void *first = stack_lock(s, &a, LOCK_WRITE);

    stack_unlock(s, a.handle);
    stack_submit_with(s, a.handle, true);
    assert_ptr_equal(stack_lock(s, &a, LOCK_WRITE | LOCK_IGNORESYNC), first);
    assert_int_equal(s->machine.relaxes, 0);
    stack_unlock(s, a.handle);
    stack_use(s, a.handle, true); /* also exempt from the check for recorded commands */
    stack_lock(s, &a, LOCK_WRITE | LOCK_IGNORESYNC);
    stack_unlock(s, a.handle);
    stack_render(s);
    stack_free(s, &a);
}

STACK_TEST(LCK_09_do_not_evict)
{
    struct surface half[3];

    stack_set_budget(s, 1u << 20);
    uint64_t size = stack_vm(s)->config.budget / 2u;
    for (int i = 0; i < 3; i++) {
        half[i] = stack_allocate(s, size, PLAIN);
    }
    for (int i = 0; i < 2; i++) {
        stack_lock(s, &half[i], LOCK_READ);
        stack_unlock(s, half[i].handle);
    }
    assert_int_equal(stack_try_lock(s, &half[2], LOCK_READ | LOCK_DONOTEVICT, NULL), E_OUTOFMEMORY);
    assert_int_equal(stack_vm(s)->counters.evictions, 0);
    stack_lock(s, &half[2], LOCK_READ);
    assert_int_equal(stack_vm(s)->counters.evictions, 1);
    stack_unlock(s, half[2].handle);
    for (int i = 0; i < 3; i++) {
        stack_free(s, &half[i]);
    }
}

STACK_TEST(LCK_10_hints_have_no_effect)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_fill(s, &a, 7);
    void *plain = stack_lock(s, &a, 0);
    stack_unlock(s, a.handle);
    const uint32_t hints[] = {LOCK_ENTIRE, LOCK_APERTURE, LOCK_ALTERNATE};
    for (unsigned i = 0; i < 3; i++) {
        D3DKMT_HANDLE before = a.handle;

        assert_ptr_equal(stack_lock(s, &a, hints[i]), plain);
        assert_int_equal(a.handle, before);
        stack_unlock(s, a.handle);
    }
    stack_expect(s, &a, 7);
    stack_free(s, &a);
}

STACK_TEST(LCK_11_12_13_bad_arguments)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    assert_int_equal(stack_try_lock(s, &a, LOCK_READ | LOCK_WRITE, NULL), E_INVALIDARG);
    assert_int_equal(stack_try_lock(s, &a, LOCK_READ | LOCK_DISCARD, NULL), E_INVALIDARG);
    for (uint32_t bit = 11; bit < 32; bit++) {
        assert_int_equal(stack_try_lock(s, &a, 1u << bit, NULL), E_INVALIDARG);
    }
    struct surface bad = {.handle = 0x1234};
    assert_int_equal(stack_try_lock(s, &bad, 0, NULL), E_INVALIDARG);
    assert_int_equal(stack_unlock(s, bad.handle), E_INVALIDARG);
    assert_int_equal(stack_unlock(s, a.resource), E_INVALIDARG);
    stack_free(s, &a);
    assert_int_equal(stack_try_lock(s, &a, 0, NULL), E_INVALIDARG);
    assert_int_equal(stack_unlock(s, a.handle), E_INVALIDARG);
    assert_int_equal(stack_vm(s)->open_locks, 0);
}

STACK_TEST(LCK_25_error_latched)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    struct agpu_kmd_interrupt error = {.causes = 0x80000000u, .error_code = 1};

    agpu_kmd_interrupt(stack_kmd(s), &error, s->machine.now);
    for (uint32_t flags = 0; flags < 0x20; flags += 4) {
        assert_int_equal(stack_try_lock(s, &a, flags, NULL), D3DDDIERR_DEVICEREMOVED);
    }
    assert_int_equal(stack_try_render(s, NULL, 0), D3DDDIERR_DEVICEREMOVED);
    agpu_kmd_reset(stack_kmd(s), NULL, s->machine.now);
    agpu_kmd_restart(stack_kmd(s));
    assert_int_equal(stack_try_lock(s, &a, 0, NULL), S_OK);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

STACK_TEST(LCK_26_reset_ends_a_wait)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_submit_with(s, a.handle, true);
    uint64_t start = s->machine.now;
    assert_int_equal(stack_try_lock(s, &a, LOCK_READ, NULL), D3DDDIERR_DEVICEREMOVED);
    assert_int_equal(s->machine.resets, 1);
    assert_true(s->machine.now - start <= 2100000000u); /* limit of TDR */
    assert_int_equal(agpu_runtime_device_lost(s->device), DXGI_ERROR_DEVICE_HUNG);
    stack_free(s, &a);
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
    D3DDDICB_UNLOCK unlock = {.hAllocation = alias};
    assert_int_equal(s->cb->pfnUnlockCb(other, &unlock), S_OK);
    assert_int_equal(s->cb->pfnUnlockCb(other, &unlock), E_INVALIDARG); /* not its lock */
    unlock.hAllocation = a.handle;
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

/* Formats of 4x4 blocks have one row per four lines, rounded up; all others one per line. */
STACK_TEST(rows_of_formats)
{
    static const struct {
        uint32_t format, rows;
    } cases[] = {{69, 9}, {70, 3}, {77, 3}, {84, 3}, {85, 9}, {87, 9}, {93, 9}, {94, 3}, {99, 3}, {100, 9}};
    struct agpu_vidmm *vm = stack_vm(s);

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct aerogpu_wddm_alloc_priv_v2 blob = stack_blob(900 + i, 4096, 0);
        struct agpu_create_info info = {.private_data = &blob, .private_size = sizeof blob, .size = 4096};
        struct agpu_create_request request = {.process = 1, .count = 1, .infos = &info};
        struct agpu_lock_request lock = {.process = 1};

        blob.format = cases[i].format;
        blob.row_pitch_bytes = 64;
        blob.height = 9;
        assert_int_equal(agpu_vidmm_create(vm, &request), STATUS_SUCCESS);
        lock.handle = info.handle;
        assert_int_equal(agpu_vidmm_lock(vm, &lock), STATUS_SUCCESS);
        assert_int_equal(lock.slice_pitch, 64 * cases[i].rows);
        D3DDDICB_LOCK args = {.hAllocation = info.handle};
        assert_int_equal(s->cb->pfnLockCb(s->device, &args), S_OK); /* the callback returns the same */
        assert_int_equal(args.Pitch, 64);
        assert_int_equal(args.SlicePitch, 64 * cases[i].rows);
        assert_int_equal(agpu_vidmm_destroy(vm, 1, 0, &info.handle, 1), STATUS_SUCCESS);
    }
}

/* Callers of the manager itself get the fence to wait for. */
STACK_TEST(fence_of_a_pending_lock)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    struct agpu_lock_request lock = {.process = 1, .handle = a.handle};

    stack_render(s);
    const uint64_t fence = stack_submit_with(s, a.handle, true);
    stack_render(s);
    assert_int_equal(agpu_vidmm_lock(stack_vm(s), &lock), STATUS_PENDING);
    assert_int_equal(lock.wait_fence, fence);
    assert_null(lock.data);
    lock.flags = LOCK_DONOTWAIT;
    assert_int_equal(agpu_vidmm_lock(stack_vm(s), &lock), STATUS_GRAPHICS_GPU_BUSY);
    assert_int_equal(lock.wait_fence, 0);
    stack_free(s, &a);
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

/* vidmm.md 4.7 */
STACK_TEST(ddi_lock_ranges)
{
    struct surface a = stack_allocate(s, 5000, PLAIN);
    void *data = NULL;
    struct agpu_vidmm *vm = stack_vm(s);

    assert_int_equal(agpu_query_lock_range(vm, 1, a.handle, 1, 0, 0, &data), STATUS_INVALID_PARAMETER);
    uint8_t *base = stack_lock(s, &a, 0);
    assert_int_equal(agpu_query_lock_range(vm, 1, a.handle, 1, 0, 0, &data), STATUS_SUCCESS);
    assert_ptr_equal(data, base);
    assert_int_equal(agpu_query_lock_range(vm, 1, a.handle, 1, 4000, 1000, &data), STATUS_SUCCESS);
    assert_ptr_equal(data, base + 4000);
    assert_int_equal(agpu_query_lock_range(vm, 1, a.handle, 1, 4000, 1001, &data), STATUS_INVALID_PARAMETER);
    assert_int_equal(agpu_query_lock_range(vm, 1, a.handle, 1, 5001, 0, &data), STATUS_INVALID_PARAMETER);
    assert_int_equal(agpu_query_lock_range(vm, 1, a.handle, 1, 1, UINT64_MAX, &data),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(agpu_query_lock_range(vm, 1, a.handle, 2, 0, 0, &data), STATUS_NOT_SUPPORTED);
    assert_int_equal(agpu_query_lock_range(vm, 2, a.handle, 1, 0, 0, &data), STATUS_INVALID_PARAMETER);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}

STACK_TEST(KMD_23_nested_locks)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    void *first = stack_lock(s, &a, LOCK_WRITE);

    assert_ptr_equal(stack_lock(s, &a, LOCK_READ), first);
    assert_int_equal(stack_unlock(s, a.handle), S_OK);
    assert_ptr_equal(stack_lock(s, &a, LOCK_WRITE | LOCK_DISCARD), first); /* locked: no rename */
    assert_int_equal(stack_unlock(s, a.handle), S_OK);
    assert_int_equal(stack_unlock(s, a.handle), S_OK);
    assert_int_equal(stack_unlock(s, a.handle), E_INVALIDARG);
    stack_free(s, &a);
}

STACK_TEST(unflushed_use_fails_the_lock)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);

    stack_use(s, a.handle, false);
    assert_int_equal(stack_try_lock(s, &a, LOCK_WRITE, NULL), E_INVALIDARG);
    stack_lock(s, &a, LOCK_WRITE | LOCK_NOEXISTING);
    stack_unlock(s, a.handle);
    stack_render(s);
    s->machine.on_relax = fake_complete_next;
    stack_lock(s, &a, LOCK_WRITE);
    stack_unlock(s, a.handle);
    stack_free(s, &a);
}
