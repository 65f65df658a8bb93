/* test_share.c: shared allocations (vidmm.md 3.2, 3.3, 3.5): tokens, opening, the last close: KMD-04. */
#include <string.h>

#include "stack.h"
#include "tests/unit/test.h"

STACK_TEST(KMD_04_alloc_id_persists)
{
    struct surface a = stack_allocate(s, 4096, SHARED);
    D3DKMT_HANDLE alias;
    struct aerogpu_wddm_alloc_priv_v2 blob;
    uint32_t size;

    assert_int_equal(agpu_runtime_open_shared(s->device, a.token, &alias, (uint8_t *)&blob, &size), S_OK);
    assert_int_equal(size, 64);
    assert_int_equal(blob.alloc_id, a.id);
    assert_int_equal(blob.share_token, a.token);
    assert_int_equal(blob.size_bytes, 4096);
    uint64_t gpa = 0;
    for (int i = 0; i < 3; i++) {
        stack_submit_with(s, i == 1 ? alias : a.handle, false);
        const struct aerogpu_alloc_entry *e = fake_entries(fake_last(&s->machine));
        assert_int_equal(e->alloc_id, a.id);
        assert_true(i == 0 || e->gpa == gpa);
        gpa = e->gpa;
    }
    D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &alias};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    stack_free(s, &a);
}

/* A closed handle loses its own locks only. */
STACK_TEST(locks_end_with_their_handle)
{
    struct surface a = stack_allocate(s, 4096, SHARED), by_alias = a;
    D3DKMT_HANDLE alias;

    assert_int_equal(agpu_runtime_open_shared(s->device, a.token, &alias, NULL, NULL), S_OK);
    by_alias.handle = alias;
    const struct agpu_instance *instance = agpu_handle_lookup(stack_vm(s), 1, a.handle);
    stack_lock(s, &a, LOCK_WRITE);
    stack_lock(s, &by_alias, LOCK_WRITE);
    stack_lock(s, &by_alias, LOCK_READ);
    assert_int_equal(instance->lock_count, 3);
    D3DDDICB_DEALLOCATE close = {.NumAllocations = 1, .HandleList = &alias};
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    assert_int_equal(instance->lock_count, 1);
    assert_int_equal(stack_vm(s)->open_locks, 1);
    assert_int_equal(agpu_runtime_open_shared(s->device, a.token, &alias, NULL, NULL), S_OK);
    stack_free(s, &a); /* the creator closes, an alias remains */
    assert_int_equal(instance->lock_count, 0);
    assert_int_equal(stack_vm(s)->open_locks, 0);
    assert_int_equal(stack_try_lock(s, &a, LOCK_READ, NULL), E_INVALIDARG);
    stack_use(s, a.handle, false);
    assert_int_equal(stack_try_render(s, NULL, 0), E_INVALIDARG);
    memset(s->context.pAllocationList, 0, sizeof *s->context.pAllocationList);
    stack_submit_with(s, alias, false);
    assert_int_equal(s->cb->pfnDeallocateCb(s->device, &close), S_OK);
    assert_int_equal(stack_vm(s)->counters.destroys, 3);
}

STACK_TEST(release_waits_for_room_and_is_skipped_when_removed)
{
    struct surface a = stack_allocate(s, 4096, SHARED);

    s->machine.slots = 1;
    stack_render(s);
    stack_free(s, &a);
    assert_int_equal(s->machine.posted, 1);
    fake_complete(&s->machine, 1);
    agpu_runtime_poll(s->runtime);
    assert_int_equal(s->machine.posted, 2);
    s->machine.slots = 256;
    a = stack_allocate(s, 4096, SHARED);
    stack_kmd(s)->latched = true;
    stack_free(s, &a);
    assert_int_equal(s->machine.posted, 2);
    assert_int_equal(stack_vm(s)->shares.live, 0);
    stack_kmd(s)->latched = false;
}

/* A release stream carries an old fence, so its memory is reused only after a later fence. */
STACK_TEST(release_streams_are_kept_until_a_later_fence)
{
    uint64_t fence = stack_render(s);
    struct surface a[3];

    for (int i = 0; i < 3; i++) {
        a[i] = stack_allocate(s, 4096, SHARED);
    }
    for (int i = 0; i < 3; i++) {
        stack_free(s, &a[i]);
        if (i == 1) { /* the fence that two release streams carry */
            fake_complete(&s->machine, fence);
            agpu_runtime_poll(s->runtime);
        }
    }
    for (uint64_t i = 1; i < 4; i++) { /* three streams with three tokens, whenever the device reads them */
        struct aerogpu_cmd_release_shared_surface packet;
        memcpy(&packet, (uint8_t *)fake_cpu(s->machine.log[i].cmd_address) + 24, sizeof packet);
        assert_int_equal(packet.share_token, a[i - 1].token);
    }
    assert_int_equal(stack_kmd(s)->pending_count, 3);
    assert_false(agpu_kmd_awaits_interrupt(stack_kmd(s)));
    fence = stack_render(s); /* the first of four that raises an interrupt */
    assert_true(agpu_kmd_awaits_interrupt(stack_kmd(s)));
    fake_complete(&s->machine, fence);
    agpu_runtime_poll(s->runtime);
    assert_int_equal(stack_kmd(s)->pending_count, 0);
}

/* The device consumes all that it has read, including streams with an old fence. */
static void consume(struct fake_mm_machine *machine)
{
    fake_complete(machine, machine->log[(machine->posted - 1u) % FAKE_RING_LOG].fence);
}

TEST(every_token_is_released_before_close)
{
    static struct stack s;
    stack_open(&s, NULL);
    s.machine.slots = 2;
    s.machine.on_relax = consume;
    struct surface a[7];
    for (int i = 0; i < 7; i++) {
        a[i] = stack_allocate(&s, 4096, SHARED);
    }
    for (int i = 0; i < 7; i++) {
        stack_free(&s, &a[i]);
    }
    agpu_runtime_device_destroy(s.device);
    struct agpu_runtime_leaks leaks;
    agpu_runtime_close(s.runtime, &leaks);
    assert_int_equal(s.machine.resets, 0);
    assert_int_equal(s.machine.posted, 8); /* seven tokens, and a submission that shows that they were read */
    assert_int_equal(s.machine.log[7].cmd_size, 0);
    assert_int_equal(s.machine.log[7].fence, 1);
    fake_machine_check_empty(&s.machine);
}
